//! The record of one payment as the design describes it, and what facts and planning do to it.

use crate::protocol::{Breakage, Protocol};

/// Charge attempts of the payment.
pub const CHARGES: usize = 2;
/// Intents the provider can hold: one more than the protocol may ever need.
pub const INTENTS: usize = 3;
/// Age, in ticks since its first send, from which a create may not be sent again.
pub const WINDOW: u8 = 2;

/// Where an operation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub enum Standing {
    /// No outcome recorded.
    #[default]
    Pending,
    /// The effect may exist.
    Unknown,
    /// Ended before anything happened.
    Refused,
    /// Ended without money.
    Failed,
    /// Took effect.
    Succeeded,
    /// Ended by cancellation.
    Canceled,
}

impl Standing {
    /// Its place in the order in which standings may follow each other.
    #[must_use]
    pub const fn rank(self) -> u8 {
        match self {
            Self::Pending => 0,
            Self::Unknown => 1,
            Self::Refused => 2,
            Self::Failed => 3,
            Self::Succeeded | Self::Canceled => 4,
        }
    }

    /// Whether the operation is over.
    #[must_use]
    pub const fn is_ended(self) -> bool {
        self.rank() >= 2
    }

    const fn raise(&mut self, to: Self) {
        if to.rank() > self.rank() {
            *self = to;
        }
    }
}

/// Why a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Review {
    /// The window is over and nothing was found.
    WindowOver,
    /// The provider says both paid and canceled.
    TwoEnds,
    /// Two intents carry the operation's id.
    TwoIds,
}

/// The times a charge keeps of its sends, relative to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sent {
    /// Ticks since the first send, no further than [`WINDOW`].
    pub age: u8,
    /// Ticks until the latest sender's claim ends; negative once it has, no further than -1.
    pub until: i8,
}

/// The cancellation of a failed attempt's intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Void {
    /// Where it stands.
    pub standing: Standing,
    /// Whether it was ever about to be sent.
    pub sent: bool,
}

/// One charge attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Charge {
    /// Whether the command for it has been taken in.
    pub accepted: bool,
    /// Where it stands.
    pub standing: Standing,
    /// Why a person is asked, if one is.
    pub review: Option<Review>,
    /// When it was sent, if an intent to send is on record.
    pub sent: Option<Sent>,
    /// Whether the provider is known to hold a saved error under the key.
    pub barred: bool,
    /// The intents known to be its own, one bit each.
    pub ids: u8,
    /// Its void, once it has one.
    pub void: Option<Void>,
}

/// A worker's right to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Claim {
    /// The worker, or nobody any more if its invocation is over.
    pub owner: Option<u8>,
    /// Ticks until it ends; at least 1.
    pub left: u8,
}

/// The payment's item in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Record {
    /// The attempts, in the order of their acceptance.
    pub charges: [Charge; CHARGES],
    /// Who may act.
    pub claim: Option<Claim>,
}

/// What the provider's intent is seen to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fact {
    /// It exists.
    Seen,
    /// Its latest attempt was declined.
    Declined,
    /// It is paid.
    Succeeded,
    /// It is canceled.
    Canceled,
}

impl Charge {
    /// The one intent known to be its own.
    #[must_use]
    pub const fn only_id(&self) -> Option<u8> {
        if self.ids.count_ones() == 1 { Some(self.ids.trailing_zeros() as u8) } else { None }
    }

    /// Whether nothing of this attempt can be paid any more, so that another may begin.
    #[must_use]
    pub fn is_out_of_the_way(&self, protocol: Protocol) -> bool {
        let without_money =
            matches!(self.standing, Standing::Refused | Standing::Failed | Standing::Canceled)
                && self.review.is_none();
        let nothing_to_pay = self.ids == 0
            || self.standing == Standing::Canceled
            || self.void.is_some_and(|void| void.standing == Standing::Succeeded);
        without_money && (nothing_to_pay || protocol.breaks(Breakage::FurtherAttemptWithoutVoid))
    }

    /// Whether a machine has nothing left to do for it.
    #[must_use]
    pub fn rests(&self) -> bool {
        let void_is_over = self.void.is_none_or(|void| void.standing.is_ended());
        !self.accepted || self.review.is_some() || (self.standing.is_ended() && void_is_over)
    }

    fn absorb(&mut self, intent: u8, fact: Fact, protocol: Protocol) {
        self.ids |= 1 << intent;
        match fact {
            Fact::Seen => self.standing.raise(Standing::Unknown),
            Fact::Declined => self.end(Standing::Failed),
            Fact::Succeeded
                if self.standing == Standing::Failed && protocol.breaks(Breakage::FailedIsForEver) => {}
            Fact::Succeeded => {
                let canceled = self.void.is_some_and(|void| void.standing == Standing::Succeeded)
                    || self.standing == Standing::Canceled;
                self.standing = Standing::Succeeded;
                self.end(Standing::Succeeded);
                if canceled {
                    self.review = Some(Review::TwoEnds);
                }
            }
            Fact::Canceled => match (&mut self.void, self.standing) {
                (_, Standing::Succeeded) => self.review = Some(Review::TwoEnds),
                (Some(void), _) => {
                    self.standing.raise(Standing::Unknown);
                    void.standing.raise(Standing::Succeeded);
                }
                (None, _) => self.end(Standing::Canceled),
            },
        }
        if self.ids.count_ones() > 1 {
            self.review = Some(Review::TwoIds);
        }
        self.forget_what_only_an_open_one_needs();
    }

    fn end(&mut self, standing: Standing) {
        self.standing.raise(standing);
        if self.review == Some(Review::WindowOver) {
            self.review = None;
        }
    }

    fn forget_what_only_an_open_one_needs(&mut self) {
        if self.standing.is_ended() {
            self.sent = None;
            self.barred = false;
        }
    }
}

impl Record {
    /// Takes in what the provider's intent is. Any order, any number of times, from any worker.
    pub fn absorb(&mut self, charge: usize, intent: u8, fact: Fact, protocol: Protocol) {
        self.charges[charge].absorb(intent, fact, protocol);
    }

    /// Adds what follows: voids of failed attempts, the end of voids, and refusals behind a success.
    pub fn plan(&mut self) {
        let paid = self.charges.iter().any(|charge| charge.standing == Standing::Succeeded);
        for charge in &mut self.charges {
            charge.forget_what_only_an_open_one_needs();
            if charge.standing == Standing::Failed && charge.ids != 0 && charge.review.is_none() {
                charge.void.get_or_insert_default();
            }
            if let Some(void) = &mut charge.void
                && charge.standing == Standing::Succeeded
            {
                void.standing.raise(if void.sent { Standing::Failed } else { Standing::Refused });
            }
            if paid && charge.accepted && charge.standing == Standing::Pending && charge.sent.is_none() {
                charge.standing = Standing::Refused;
            }
        }
    }

    /// Whether every earlier attempt is out of this one's way.
    #[must_use]
    pub fn may_begin(&self, charge: usize, protocol: Protocol) -> bool {
        self.charges[..charge].iter().all(|earlier| earlier.is_out_of_the_way(protocol))
    }

    /// Lets one tick pass.
    pub fn tick(&mut self) {
        for sent in self.charges.iter_mut().filter_map(|charge| charge.sent.as_mut()) {
            sent.age = (sent.age + 1).min(WINDOW);
            sent.until = (sent.until - 1).max(-1);
        }
        self.claim =
            self.claim.and_then(|claim| (claim.left > 1).then(|| Claim { left: claim.left - 1, ..claim }));
    }

    /// Forgets that `worker`'s invocation, now over, is one that still runs.
    pub fn orphan_claim(&mut self, worker: u8) {
        if let Some(claim) = &mut self.claim
            && claim.owner == Some(worker)
        {
            claim.owner = None;
        }
    }
}
