//! The payment's state, derived from its operations and never stored.

use effect::Standing;
use serde::{Deserialize, Serialize};

use crate::record::{Effect, Operation, Payment};

/// Where a payment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentState {
    /// Recorded; nothing was sent.
    Created,
    /// A charge is under way or its outcome is not known yet.
    Authorizing,
    /// The money is held, to be captured.
    Authorized,
    /// A capture is under way or its outcome is not known yet.
    Capturing,
    /// The money is taken.
    Captured,
    /// A refund is under way or its outcome is not known yet.
    Refunding,
    /// A part of the money is given back.
    PartiallyRefunded,
    /// All of the money is given back.
    Refunded,
    /// Every attempt ended without money.
    Failed,
    /// The latest attempt was canceled.
    Canceled,
}

impl PaymentState {
    /// Every state, in the order of a payment's life.
    pub const ALL: [Self; 10] = [
        Self::Created,
        Self::Authorizing,
        Self::Authorized,
        Self::Capturing,
        Self::Captured,
        Self::Refunding,
        Self::PartiallyRefunded,
        Self::Refunded,
        Self::Failed,
        Self::Canceled,
    ];

    /// Returns the state's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Authorizing => "authorizing",
            Self::Authorized => "authorized",
            Self::Capturing => "capturing",
            Self::Captured => "captured",
            Self::Refunding => "refunding",
            Self::PartiallyRefunded => "partially_refunded",
            Self::Refunded => "refunded",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }
}

/// What the money of a payment adds up to, in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Taken from the customer.
    pub captured: u64,
    /// Given back for certain.
    pub refunded: u64,
    /// Given back or held for refunds that may still happen.
    pub reserved: u64,
}

impl Totals {
    /// Returns what may still be refunded.
    #[must_use]
    pub const fn refundable(self) -> u64 {
        self.captured.saturating_sub(self.reserved)
    }
}

impl Payment {
    /// Returns the state that the operations add up to.
    #[must_use]
    pub fn state(&self) -> PaymentState {
        self.state_before(u32::MAX)
    }

    /// Returns the state that the operations accepted before the `seq`th add up to.
    #[must_use]
    pub fn state_before(&self, seq: u32) -> PaymentState {
        // Money taken outweighs all else, also an earlier attempt that comes back and holds money as well.
        let took_money = |op: &Operation| {
            op.seq < seq
                && matches!(op.effect, Effect::Charge { .. })
                && op.attempt.standing == Standing::Succeeded
        };
        if self.operations.values().any(took_money) {
            return self.state_once_captured(seq);
        }
        let mut state = PaymentState::Created;
        for (_, charge) in self.charges().filter(|(_, op)| op.seq < seq) {
            state = match charge.attempt.standing {
                Standing::Succeeded => PaymentState::Captured,
                Standing::Authorized => return self.state_while_authorized(seq),
                Standing::Pending if !charge.attempt.was_sent() && state == PaymentState::Created => state,
                Standing::Pending | Standing::Unknown => PaymentState::Authorizing,
                Standing::Refused if state != PaymentState::Created => state,
                Standing::Failed | Standing::Refused => PaymentState::Failed,
                Standing::Canceled => PaymentState::Canceled,
            };
        }
        state
    }

    fn state_while_authorized(&self, seq: u32) -> PaymentState {
        let is_captured_now = |op: &Operation| {
            op.seq < seq && matches!(op.effect, Effect::Capture { .. }) && !op.attempt.standing.is_ended()
        };
        if self.operations.values().any(is_captured_now) {
            return PaymentState::Capturing;
        }
        PaymentState::Authorized
    }

    fn state_once_captured(&self, seq: u32) -> PaymentState {
        let is_refunded_now = |op: &Operation| {
            op.seq < seq && matches!(op.effect, Effect::Refund { .. }) && !op.attempt.standing.is_ended()
        };
        if self.operations.values().any(is_refunded_now) {
            return PaymentState::Refunding;
        }
        let totals = self.totals_before(seq);
        match totals.refunded {
            0 => PaymentState::Captured,
            refunded if refunded < totals.captured => PaymentState::PartiallyRefunded,
            _ => PaymentState::Refunded,
        }
    }

    /// Returns what the money adds up to.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals_before(u32::MAX)
    }

    /// Returns what the money adds up to, leaving out refunds from the `seq`th operation on that were never sent.
    #[must_use]
    pub fn totals_before(&self, seq: u32) -> Totals {
        let mut totals = Totals::default();
        for operation in self.operations.values() {
            match &operation.effect {
                Effect::Charge { .. } => totals.captured += operation.captured(),
                Effect::Refund { amount: Some(amount), charge: Some(_) } => {
                    let moved = operation.attempt.moved.unwrap_or_else(|| amount.minor());
                    match operation.attempt.standing {
                        Standing::Succeeded => {
                            totals.refunded += moved;
                            totals.reserved += moved;
                        }
                        Standing::Pending | Standing::Unknown | Standing::Authorized
                            if operation.seq < seq || operation.attempt.was_sent() =>
                        {
                            totals.reserved += amount.minor();
                        }
                        Standing::Pending | Standing::Unknown | Standing::Authorized => {}
                        Standing::Refused | Standing::Failed | Standing::Canceled => {}
                    }
                }
                Effect::Refund { .. }
                | Effect::Capture { .. }
                | Effect::Cancel { .. }
                | Effect::Void { .. } => {}
            }
        }
        assert!(totals.refunded <= totals.reserved, "what was given back is not promised again");
        totals
    }
}

impl Operation {
    /// Returns what a charge has taken from the customer, in minor units; 0 of anything else.
    #[must_use]
    pub fn captured(&self) -> u64 {
        match &self.effect {
            Effect::Charge { amount, .. } if self.attempt.standing == Standing::Succeeded => {
                self.attempt.moved.unwrap_or_else(|| amount.minor())
            }
            Effect::Charge { .. }
            | Effect::Capture { .. }
            | Effect::Cancel { .. }
            | Effect::Refund { .. }
            | Effect::Void { .. } => 0,
        }
    }
}
