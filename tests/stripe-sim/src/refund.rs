//! The Refund: what is fixed at creation, and the history of what changes.

use std::collections::BTreeMap;

use crate::intent::payment_of;

/// The status of a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefundStatus {
    /// Waits for the payment network.
    Pending,
    /// Waits for the customer's bank details; no card does that.
    RequiresAction,
    /// Is on its way to the customer; the bank may still send it back.
    Succeeded,
    /// Came back; final.
    Failed,
    /// Was canceled before it left; final.
    Canceled,
}

impl RefundStatus {
    /// Returns the status as the API spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            RefundStatus::Pending => "pending",
            RefundStatus::RequiresAction => "requires_action",
            RefundStatus::Succeeded => "succeeded",
            RefundStatus::Failed => "failed",
            RefundStatus::Canceled => "canceled",
        }
    }

    /// Tells whether the money is with the customer or on its way: whether it counts against what was paid.
    pub fn holds_money(self) -> bool {
        match self {
            RefundStatus::Pending | RefundStatus::RequiresAction | RefundStatus::Succeeded => true,
            RefundStatus::Failed | RefundStatus::Canceled => false,
        }
    }

    /// Tells whether the status can follow this one: a refund that succeeded can only fail, and the two ends stay.
    pub fn can_become(self, next: RefundStatus) -> bool {
        match self {
            RefundStatus::Pending => !matches!(next, RefundStatus::Pending | RefundStatus::RequiresAction),
            RefundStatus::RequiresAction => next != RefundStatus::RequiresAction,
            RefundStatus::Succeeded => next == RefundStatus::Failed,
            RefundStatus::Failed | RefundStatus::Canceled => false,
        }
    }
}

/// What becomes of the refunds of a payment method: how they begin, and how time would end them.
///
/// The end comes by itself after [`crate::Settings::refund_delay_ms`], or earlier by [`crate::Sim::settle_refund`],
/// which may also choose another end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundOutcome {
    /// Succeeds at once.
    Succeed,
    /// Is pending, then succeeds.
    Pend,
    /// Is pending, then fails.
    PendThenFail,
    /// Is pending, then is canceled.
    PendThenCancel,
    /// Succeeds at once, then fails.
    SucceedThenFail,
    /// Fails at once, with 200.
    Fail,
    /// Waits in `requires_action` until someone cancels or settles it.
    RequireAction,
}

impl RefundOutcome {
    /// Returns how such a refund begins, and what it becomes later by itself.
    pub(crate) fn course(self) -> (RefundStatus, Option<RefundStatus>) {
        match self {
            RefundOutcome::Succeed => (RefundStatus::Succeeded, None),
            RefundOutcome::Pend => (RefundStatus::Pending, Some(RefundStatus::Succeeded)),
            RefundOutcome::PendThenFail => (RefundStatus::Pending, Some(RefundStatus::Failed)),
            RefundOutcome::PendThenCancel => (RefundStatus::Pending, Some(RefundStatus::Canceled)),
            RefundOutcome::SucceedThenFail => (RefundStatus::Succeeded, Some(RefundStatus::Failed)),
            RefundOutcome::Fail => (RefundStatus::Failed, None),
            RefundOutcome::RequireAction => (RefundStatus::RequiresAction, None),
        }
    }
}

/// Returns what becomes of a refund to the named payment method.
///
/// The `pm_card_…` names and what they do are those of <https://docs.stripe.com/testing#refunds>; the others are ours.
pub(crate) fn built_in_outcome(payment_method: &str) -> RefundOutcome {
    match payment_method {
        "pm_card_pendingRefund" => RefundOutcome::Pend,
        "pm_card_refundFail" => RefundOutcome::SucceedThenFail,
        "pm_sim_refund_pending_fails" => RefundOutcome::PendThenFail,
        "pm_sim_refund_pending_canceled" => RefundOutcome::PendThenCancel,
        "pm_sim_refund_fails" => RefundOutcome::Fail,
        "pm_sim_refund_requires_action" => RefundOutcome::RequireAction,
        _ => RefundOutcome::Succeed,
    }
}

/// The part of a refund that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefundState {
    /// The status.
    pub status: RefundStatus,
    /// Why it failed.
    pub failure_reason: Option<&'static str>,
}

impl RefundState {
    /// Returns the state of a status; a failure has the reason that Stripe's test card gives.
    pub(crate) fn of(status: RefundStatus) -> Self {
        let failed = status == RefundStatus::Failed;
        RefundState { status, failure_reason: failed.then_some("expired_or_canceled_card") }
    }
}

/// A Refund with its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// The id, `re_` and a counter.
    pub id: String,
    /// When it was created, in milliseconds; the API shows seconds.
    pub created_ms: i64,
    /// The amount in minor units.
    pub amount: i64,
    /// The currency, the intent's.
    pub currency: String,
    /// The id of the intent that is refunded.
    pub payment_intent: String,
    /// The id of the charge that is refunded.
    pub charge: Option<String>,
    /// The metadata.
    pub metadata: BTreeMap<String, String>,
    /// Why, as the request said.
    pub reason: Option<String>,
    /// What it becomes later by itself.
    pub(crate) later: Option<RefundStatus>,
    /// Every state with the time in milliseconds at which it began; never empty, the last is current.
    pub(crate) history: Vec<(i64, RefundState)>,
}

impl Refund {
    /// Returns the current state.
    pub fn state(&self) -> &RefundState {
        &self.history[self.history.len() - 1].1
    }

    /// Returns the current status.
    pub fn status(&self) -> RefundStatus {
        self.state().status
    }

    /// Returns the operation id in the metadata, or the empty string.
    pub fn operation_id(&self) -> &str {
        self.metadata.get("operation_id").map_or("", String::as_str)
    }

    /// Returns the operation id up to its first `/`.
    pub fn payment_id(&self) -> &str {
        payment_of(self.operation_id())
    }

    /// Returns the state as it was at a time, or nothing when the refund did not exist yet.
    pub fn state_at(&self, at_ms: i64) -> Option<&RefundState> {
        self.history.iter().rev().find(|(began_ms, _)| *began_ms <= at_ms).map(|(_, state)| state)
    }

    /// Returns the states with the time in milliseconds at which each began, oldest first.
    pub fn history(&self) -> &[(i64, RefundState)] {
        &self.history
    }

    /// Moves the times of its creation and of all its states into the past.
    pub(crate) fn age(&mut self, ms: i64) {
        self.created_ms -= ms;
        self.history.iter_mut().for_each(|(began_ms, _)| *began_ms -= ms);
    }
}
