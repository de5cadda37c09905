//! The ways in which the simulation is broken on purpose.

/// A deliberate breakage of the protocol, which the simulation must notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Breakage {
    /// Every send carries a key of its own.
    NewKeyPerSend,
    /// The intent is written only after the effect.
    EffectBeforeRecord,
    /// The table takes every write, whatever its condition.
    UnconditionalWrite,
    /// No reply in time counts as a refusal.
    TimeoutAsFailure,
    /// `processing` counts as success.
    ProcessingAsSuccess,
    /// A 409 makes an unknown operation pending and unsent again.
    ConflictLowersUnknown,
    /// The key window never ends.
    WindowIgnored,
    /// The key window starts anew with each send.
    WindowFromLastAttempt,
    /// The clock is read before the save, and not again before the send.
    NowReadBeforeSaveOnly,
    /// A list without a hit counts as proof that nothing was charged.
    AbsenceAsProof,
    /// A failed attempt stays failed although its intent was paid.
    FailedStaysFailed,
    /// A message that meets a live claim is acknowledged.
    AcknowledgedOnLiveClaim,
    /// The queue hands out a group's messages in any order.
    GroupOrderBroken,
    /// A batch's response names only the first failed message.
    PartialBatchMisreported,
    /// A settled operation can become unknown again.
    RankIgnored,
    /// The sweep sends wakes without a lease.
    SweepWithoutLease,
    /// Stripe forgets keys after a minute.
    ForgetfulProvider,
    /// A further attempt begins although the failed one's intent can still be paid.
    FurtherAttemptWithoutVoid,
    /// The HTTP client sends again what got no reply.
    ClientResends,
    /// An event's id is made from the record's version.
    EventIdByVersion,
    /// After a conflict `due_at` is left out.
    DueDroppedOnConflict,
    /// A resend is prepared anew by the build that sends it.
    BodyPreparedAgain,
    /// A payment is announced as captured as soon as its charge was sent.
    AnnouncedEarly,
    /// The stream's checkpoint passes entries that the bus refused.
    CheckpointSkips,
    /// The sweep never runs.
    NoSweep,
    /// A refund of more than is left is not refused.
    CapIgnored,
    /// Each request for a refund gets a name of its own.
    RefundNamedPerRequest,
}

impl Breakage {
    /// Every breakage.
    pub const ALL: [Self; 27] = [
        Self::NewKeyPerSend,
        Self::EffectBeforeRecord,
        Self::UnconditionalWrite,
        Self::TimeoutAsFailure,
        Self::ProcessingAsSuccess,
        Self::ConflictLowersUnknown,
        Self::WindowIgnored,
        Self::WindowFromLastAttempt,
        Self::NowReadBeforeSaveOnly,
        Self::AbsenceAsProof,
        Self::FailedStaysFailed,
        Self::AcknowledgedOnLiveClaim,
        Self::GroupOrderBroken,
        Self::PartialBatchMisreported,
        Self::RankIgnored,
        Self::SweepWithoutLease,
        Self::ForgetfulProvider,
        Self::FurtherAttemptWithoutVoid,
        Self::ClientResends,
        Self::EventIdByVersion,
        Self::DueDroppedOnConflict,
        Self::BodyPreparedAgain,
        Self::AnnouncedEarly,
        Self::CheckpointSkips,
        Self::NoSweep,
        Self::CapIgnored,
        Self::RefundNamedPerRequest,
    ];
}

impl std::str::FromStr for Breakage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|breakage| format!("{breakage:?}") == text);
        found.ok_or_else(|| format!("no such breakage; there are: {:?}", Self::ALL))
    }
}
