//! What is counted: effects by operation and by payment, and totals of traffic.

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::http::Method;
use crate::intent::{Intent, payment_of};
use crate::refund::RefundStatus;
use crate::route::Route;

/// The effects of one operation id, or the sum of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCount {
    /// Intents created.
    pub intents_created: u64,
    /// Intents that became `succeeded`, whoever paid them.
    pub intents_succeeded: u64,
    /// Intents that became `canceled`, by a request or by age.
    pub intents_canceled: u64,
    /// Intents that became `canceled` by the age of their authorization.
    pub intents_expired: u64,
    /// Cancels executed.
    pub cancels: u64,
    /// Captures executed.
    pub captures: u64,
    /// What captures took, in minor units; a part of what was paid.
    pub amount_captured: i64,
    /// Confirmations executed, those within a create included.
    pub attempts: u64,
    /// Attempts that were declined.
    pub declines: u64,
    /// What was paid, in minor units.
    pub amount_paid: i64,
    /// Refunds created, under the operation id of each refund's own metadata.
    pub refunds: u64,
    /// Refunds that became `failed`.
    pub refunds_failed: u64,
    /// Refunds that became `canceled`.
    pub refunds_canceled: u64,
    /// The sum of the refunds that neither failed nor were canceled, in minor units.
    pub amount_refunded: i64,
}

impl OperationCount {
    fn add(&mut self, other: &OperationCount) {
        self.intents_created += other.intents_created;
        self.intents_succeeded += other.intents_succeeded;
        self.intents_canceled += other.intents_canceled;
        self.attempts += other.attempts;
        self.declines += other.declines;
        self.intents_expired += other.intents_expired;
        self.cancels += other.cancels;
        self.captures += other.captures;
        self.amount_captured += other.amount_captured;
        self.amount_paid += other.amount_paid;
        self.refunds += other.refunds;
        self.refunds_failed += other.refunds_failed;
        self.refunds_canceled += other.refunds_canceled;
        self.amount_refunded += other.amount_refunded;
    }

    /// Counts a refund that takes the status: one that ends without its money gives the amount back.
    pub(crate) fn end_refund(&mut self, status: RefundStatus, amount: i64) {
        match status {
            RefundStatus::Pending | RefundStatus::RequiresAction | RefundStatus::Succeeded => return,
            RefundStatus::Failed => self.refunds_failed += 1,
            RefundStatus::Canceled => self.refunds_canceled += 1,
        }
        self.amount_refunded -= amount;
    }
}

/// Totals of traffic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Requests by method and endpoint, refused and replayed ones included.
    pub requests: BTreeMap<(Method, Route), u64>,
    /// Saved results given again.
    pub replays: u64,
    /// Fresh replies with 500.
    pub errors_500: u64,
    /// Declined attempts.
    pub declines: u64,
    /// Requests refused with 409 since their key was in use.
    pub keys_in_use: u64,
    /// Requests refused since their key was used with other parameters.
    pub key_mismatches: u64,
    /// Keys forgotten because of their age.
    pub keys_pruned: u64,
    /// Requests refused with `lock_timeout`.
    pub lock_timeouts: u64,
    /// Faults that took effect.
    pub faults: BTreeMap<Fault, u64>,
}

/// Everything that is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Effects by operation id: the intent's, or a refund's own. Those without one are under the empty string.
    pub operations: BTreeMap<String, OperationCount>,
    /// Totals of traffic.
    pub totals: Totals,
}

impl Effects {
    /// Returns the effects of one operation, zeros when there were none.
    pub fn operation(&self, operation_id: &str) -> OperationCount {
        self.operations.get(operation_id).copied().unwrap_or_default()
    }

    /// Returns the sum of a payment's operations, zeros when there were none.
    pub fn payment(&self, payment_id: &str) -> OperationCount {
        let mut sum = OperationCount::default();
        for (operation, count) in self.operations.range(payment_id.to_owned()..) {
            if !operation.starts_with(payment_id) {
                break;
            }
            if payment_of(operation) == payment_id {
                sum.add(count);
            }
        }
        sum
    }

    /// Returns the sum over all operations.
    pub fn sum(&self) -> OperationCount {
        let mut sum = OperationCount::default();
        self.operations.values().for_each(|count| sum.add(count));
        sum
    }

    pub(crate) fn of(&mut self, intent: &Intent) -> &mut OperationCount {
        self.of_operation(intent.operation_id())
    }

    pub(crate) fn of_operation(&mut self, operation_id: &str) -> &mut OperationCount {
        self.operations.entry(operation_id.to_owned()).or_default()
    }
}

impl Totals {
    pub(crate) fn fault(&mut self, fault: Fault) {
        *self.faults.entry(fault).or_default() += 1;
    }
}
