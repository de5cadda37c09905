//! What is counted: effects by operation and by payment, and totals of traffic.

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::http::Method;
use crate::intent::{Intent, payment_of};
use crate::route::Route;

/// The effects of one operation id, or the sum of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCount {
    /// Intents created.
    pub intents_created: u64,
    /// Intents that became `succeeded`, whoever paid them.
    pub intents_succeeded: u64,
    /// Intents that became `canceled`.
    pub intents_canceled: u64,
    /// Confirmations executed, those within a create included.
    pub attempts: u64,
    /// Attempts that were declined.
    pub declines: u64,
    /// What was paid, in minor units.
    pub amount_paid: i64,
}

impl OperationCount {
    fn add(&mut self, other: &OperationCount) {
        self.intents_created += other.intents_created;
        self.intents_succeeded += other.intents_succeeded;
        self.intents_canceled += other.intents_canceled;
        self.attempts += other.attempts;
        self.declines += other.declines;
        self.amount_paid += other.amount_paid;
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
    /// Effects by operation id; intents without one are under the empty string.
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
        self.operations.entry(intent.operation_id().to_owned()).or_default()
    }
}

impl Totals {
    pub(crate) fn fault(&mut self, fault: Fault) {
        *self.faults.entry(fault).or_default() += 1;
    }
}
