//! The protocol under test: the design's, or the design's with one rule broken.

/// A rule of the design, or an assumption of it, taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Breakage {
    /// Every send goes out under a key of its own.
    NewKeyPerSend,
    /// The provider is called first, and the record written afterwards.
    EffectBeforeRecord,
    /// Writes do not check that the record is still the one that was read.
    UnconditionalWrite,
    /// A create is sent again however old its key is.
    WindowIgnored,
    /// The window is judged when the intent is recorded, and not again before the send.
    WindowJudgedAtTheSaveOnly,
    /// The provider forgets a key as soon as the window is over.
    NoMarginBehindTheWindow,
    /// A call that timed out counts as failed.
    TimeoutIsFailure,
    /// A further attempt begins while the earlier one's intent can still be paid.
    FurtherAttemptWithoutVoid,
    /// An intent that neither list nor search shows counts as never made.
    AbsenceIsProof,
    /// A refused send (429) restarts the window even if an earlier one may have arrived.
    NotDoneForgetsTheFirstSend,
    /// A refused request (400) ends the charge even if an earlier send may have arrived.
    RefusedDespiteAnEarlierSend,
    /// A success that comes after a decline is dropped.
    FailedIsForEver,
    /// A void whose reply was lost counts as done.
    VoidIsAssumed,
}

/// The rules that workers follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Protocol {
    /// The rule that is broken, if one is.
    pub broken: Option<Breakage>,
}

impl Protocol {
    /// Whether `rule` is the broken one.
    #[must_use]
    pub fn breaks(self, rule: Breakage) -> bool {
        self.broken == Some(rule)
    }
}
