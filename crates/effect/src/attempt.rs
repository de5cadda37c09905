//! The durable state of one side effect.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{key::ProviderKey, time::Time};

/// Where one operation stands. Nothing moves down its policy's rank (see [`Standing::rank`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Accepted; no outcome is recorded. With a `first_sent_at` it is an ambiguous send.
    #[default]
    Pending,
    /// A send may have taken effect: neither success nor failure may be concluded.
    Unknown,
    /// Refused before anything happened.
    Refused,
    /// Ended without the effect.
    Failed,
    /// The money is held for us and not taken yet: it will be captured, or the hold will end.
    Authorized,
    /// The effect happened.
    Succeeded,
    /// Ended by a cancellation.
    Canceled,
}

impl Standing {
    /// Returns the rank of a standing of a payment intent, and of what is done to one:
    /// pending < unknown < refused < failed < authorized < {succeeded, canceled}.
    #[must_use]
    pub const fn rank(self) -> u8 {
        match self {
            Self::Pending => 0,
            Self::Unknown => 1,
            Self::Refused => 2,
            Self::Failed => 3,
            Self::Authorized => 4,
            Self::Succeeded | Self::Canceled => 5,
        }
    }

    /// Returns the rank of a refund's standing: pending < unknown < refused < succeeded < canceled < failed.
    ///
    /// A refund that succeeded can still fail at the customer's bank, days later; nothing follows that.
    #[must_use]
    pub const fn refund_rank(self) -> u8 {
        match self {
            Self::Pending => 0,
            Self::Unknown => 1,
            Self::Refused => 2,
            Self::Authorized => 3,
            Self::Succeeded => 4,
            Self::Canceled => 5,
            Self::Failed => 6,
        }
    }

    /// Tells whether no further step is taken for the operation.
    #[must_use]
    pub const fn is_ended(self) -> bool {
        match self {
            Self::Pending | Self::Unknown | Self::Authorized => false,
            Self::Refused | Self::Failed | Self::Succeeded | Self::Canceled => true,
        }
    }

    /// Tells whether the operation ended and moved no money.
    #[must_use]
    pub const fn ended_without_effect(self) -> bool {
        match self {
            Self::Refused | Self::Failed | Self::Canceled => true,
            Self::Pending | Self::Unknown | Self::Authorized | Self::Succeeded => false,
        }
    }
}

// What is certain ranks above what is not, and money above its absence, but for a refund that comes back.
const _: () = {
    assert!(Standing::Pending.rank() < Standing::Unknown.rank());
    assert!(Standing::Unknown.rank() < Standing::Refused.rank());
    assert!(Standing::Refused.rank() < Standing::Failed.rank());
    assert!(Standing::Failed.rank() < Standing::Authorized.rank());
    assert!(Standing::Authorized.rank() < Standing::Succeeded.rank());
    assert!(Standing::Succeeded.rank() == Standing::Canceled.rank());
    assert!(Standing::Pending.refund_rank() < Standing::Unknown.refund_rank());
    assert!(Standing::Unknown.refund_rank() < Standing::Refused.refund_rank());
    assert!(Standing::Refused.refund_rank() < Standing::Succeeded.refund_rank());
    assert!(Standing::Succeeded.refund_rank() < Standing::Canceled.refund_rank());
    assert!(Standing::Canceled.refund_rank() < Standing::Failed.refund_rank());
    assert!(!Standing::Unknown.is_ended() && !Standing::Authorized.is_ended());
    assert!(!Standing::Succeeded.ended_without_effect() && !Standing::Unknown.ended_without_effect());
};

/// Why an operation needs a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewReason {
    /// The key window is over, and list and search show no trace of the effect.
    WindowOver,
    /// The provider knows the effect, and it has not become final in any reasonable time.
    NotFinal,
    /// The provider reported both ends of one effect.
    TwoEnds,
    /// More than one provider object carries this operation's id.
    TwoIds,
    /// The provider saw other parameters under our key.
    KeyReused,
    /// The secret in force belongs to another account or mode than the one the operation was sent to.
    AccountChanged,
    /// It was sent and is unknown or paid, and an attempt before it came back: paid after all, or a person's case.
    EarlierCameBack,
}

impl ReviewReason {
    /// Tells whether a provider's fact settles the question, so that no person is needed any more.
    #[must_use]
    pub const fn is_cleared_by_a_fact(self) -> bool {
        match self {
            Self::WindowOver | Self::NotFinal => true,
            Self::TwoEnds | Self::TwoIds | Self::KeyReused | Self::AccountChanged | Self::EarlierCameBack => {
                false
            }
        }
    }
}

/// A status of the provider's object that is not final. It may be stale: only a note carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The provider is working on it; it may end either way, hours or days later.
    Processing,
    /// The customer must act.
    RequiresAction,
    /// Authorized, not captured.
    RequiresCapture,
    /// Created but never confirmed: no attempt was made under it.
    Unconfirmed,
    /// An attempt was declined; the object can still be paid.
    Declined,
}

/// The request, frozen before its first send: a resend is byte-equal and its key is never derived again.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frozen {
    /// The provider key of this generation.
    pub key: ProviderKey,
    /// Path of the endpoint, e.g. `/v1/payment_intents`.
    pub path: String,
    /// Body as sent; once the operation has ended, its SHA-256 in hexadecimal.
    pub body: String,
    /// Value of the provider's API version header.
    pub api_version: String,
}

/// The durable state of one side effect.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Attempt {
    /// Where it stands.
    pub standing: Standing,
    /// Why a person is needed, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewReason>,
    /// The request of the current generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frozen: Option<Frozen>,
    /// Counts the distinct requests made for this effect: 0 is the create, more are confirms or repeats by state.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub generation: u32,
    /// When the first send of the create may have started: where the key window begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_sent_at: Option<Time>,
    /// Until when the worker of the latest send may still have been sending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_send_until: Option<Time>,
    /// How many turns have ended without settling it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tries: u32,
    /// Not to be looked at again before this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look_at: Option<Time>,
    /// The provider has saved an error under the current key: sending it again only replays that.
    #[serde(default, skip_serializing_if = "is_false")]
    pub barred: bool,
    /// Every provider id seen with this operation.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub ids: BTreeSet<String>,
    /// The latest non-final status noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The provider's code for a decline or refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The amount that the effect moved, in minor units, if it was less than asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<u64>,
}

impl Attempt {
    /// Tells whether a send was ever recorded as possibly started.
    #[must_use]
    pub const fn was_sent(&self) -> bool {
        self.last_send_until.is_some()
    }

    /// Tells whether a same-key resend of the create may start at `now`.
    #[must_use]
    pub fn is_inside_window(&self, now: Time, window_ms: i64) -> bool {
        self.first_sent_at.is_none_or(|first| now.since_ms(first) < window_ms)
    }

    /// Tells whether nothing more will be done for it by a machine.
    #[must_use]
    pub const fn rests(&self) -> bool {
        self.standing.is_ended() || self.review.is_some()
    }

    /// Raises the standing, never lowering it.
    pub(crate) fn raise(&mut self, standing: Standing) {
        if standing.rank() > self.standing.rank() {
            self.standing = standing;
        }
        assert!(self.standing.rank() >= standing.rank(), "raised as far as asked");
    }

    /// Ends the operation by what another operation's fact showed.
    pub fn end(&mut self, standing: Standing, code: Option<&str>) {
        assert!(standing.is_ended(), "an operation ends in a final standing");
        self.raise(standing);
        self.code = code.map(str::to_owned);
        self.clear_review();
        self.seal_if_ended();
        assert!(self.standing.is_ended(), "an end ends it, whatever it was before");
        assert!(self.look_at.is_none(), "what has ended is not looked at again");
    }

    /// Replaces an ended operation's frozen body by its digest, and forgets what only an open one needs.
    pub fn seal_if_ended(&mut self) {
        if !self.standing.is_ended() {
            return;
        }
        self.look_at = None;
        if let Some(frozen) = &mut self.frozen
            && !is_digest(&frozen.body)
        {
            frozen.body = crate::key::digest_hex(&[&frozen.body]);
        }
    }
}

pub(crate) fn is_digest(body: &str) -> bool {
    body.len() == 64 && body.bytes().all(|b| b.is_ascii_hexdigit())
}

const fn is_zero(n: &u32) -> bool {
    *n == 0
}

const fn is_false(b: &bool) -> bool {
    !*b
}
