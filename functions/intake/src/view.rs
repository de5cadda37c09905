//! A payment as callers see it.

use effect::{ReviewReason, Standing, Time};
use payment::{Amount, Currency, Operation, OperationKey, OrderId, PaymentId, PaymentState, Record, rfc3339};
use serde::Serialize;

/// A payment.
#[derive(Debug, Serialize)]
pub(crate) struct PaymentView<'a> {
    id: &'a PaymentId,
    order: &'a OrderId,
    state: PaymentState,
    /// A person is needed.
    needs_review: bool,
    currency: Option<Currency>,
    captured: u64,
    refunded: u64,
    /// What may still be refunded: refunds that may yet happen are taken off.
    refundable: u64,
    /// In the order of their acceptance.
    operations: Vec<OperationView>,
    updated_at: String,
    /// The operation that this reply accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<&'a OperationKey>,
}

#[derive(Debug, Serialize)]
struct OperationView {
    operation: OperationKey,
    status: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<Amount>,
    /// Why it was declined, refused or ended without effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// Why a person is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<ReviewReason>,
    accepted_at: String,
}

/// Returns a payment as JSON; `accepted` is the operation that the reply accepts, if it accepts one.
pub(crate) fn payment(record: &Record, accepted: Option<&OperationKey>, now: Time) -> String {
    let payment = &record.payment;
    let totals = payment.totals();
    let is_claimed = record.claim.as_ref().is_some_and(|claim| now < claim.until);
    let operations = payment.in_order().into_iter().filter_map(|key| {
        let held = payment.operations.get(&key)?;
        Some(operation(key, held, is_claimed))
    });
    let view = PaymentView {
        id: &record.id,
        order: &payment.order,
        state: payment.state(),
        needs_review: payment.needs_review(),
        currency: payment.currency(),
        captured: totals.captured,
        refunded: totals.refunded,
        refundable: totals.refundable(),
        operations: operations.collect(),
        updated_at: rfc3339(record.updated_at),
        accepted,
    };
    // It holds only texts, numbers and lists: writing it cannot fail.
    serde_json::to_string(&view).unwrap_or_default()
}

fn operation(key: OperationKey, held: &Operation, is_claimed: bool) -> OperationView {
    OperationView {
        operation: key,
        status: held.shown_standing(is_claimed),
        amount: held.effect.amount(),
        code: held.attempt.code.clone(),
        review: held.attempt.review,
        accepted_at: rfc3339(held.accepted_at),
    }
}

/// Tells whether nothing will change of the payment by itself: each operation has ended, or waits for somebody.
pub(crate) fn is_at_rest(record: &Record) -> bool {
    let payment = &record.payment;
    let needs_review = payment.needs_review();
    payment.operations.iter().all(|(key, held)| {
        let waits_for_a_person = needs_review && !payment.is_runnable(key, held);
        held.attempt.rests()
            || held.attempt.standing == Standing::Authorized
            || held.waits_for_its_customer()
            || waits_for_a_person
    })
}
