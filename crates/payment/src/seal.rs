//! Sealing: from a planned payment to the record that the next write stores.

use effect::{Rules, Standing, Time};

use crate::{
    decide::due,
    ids::{Kind, OperationKey, PaymentId},
    laws::{assert_follows, assert_sound},
    plan::REFUNDED_INSTEAD,
    record::{Announced, Claim, Effect, Operation, Payment, Record},
};

/// Whether a write must leave the payment due, or redelivery already guards it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The record itself: `due_at` is written.
    Due,
    /// The queue: the message that is being handled for the first time comes again if this worker dies, so a
    /// record that is not due need not become so. It saves the index write of a happy charge.
    Redelivery,
}

/// Builds the record of the next write. `announce` and the outcomes follow from the operations alone.
#[must_use]
pub fn seal(
    mut payment: Payment,
    stored: Option<&Record>,
    claim: Option<Claim>,
    guard: Guard,
    now: Time,
    rules: &Rules,
) -> Record {
    let id = stored.map_or_else(|| payment.id(), |record| record.id.clone());
    let version = stored.map_or(0, |record| record.version) + 1;
    let announced = announce(&mut payment, &id, Announced { version, time: now });
    let held = stored.and_then(|record| record.due_at);
    let due_at = match guard {
        Guard::Redelivery if held.is_none() => None,
        Guard::Redelivery | Guard::Due => {
            due(&payment, claim.as_ref(), rules).map(|at| unanswered(at.max(now), stored))
        }
    };
    let review_at = payment.needs_review().then(|| stored.and_then(|record| record.review_at).unwrap_or(now));
    let next = Record {
        id,
        version,
        updated_at: now,
        payment,
        claim,
        due_at,
        woken_for: stored.and_then(|record| record.woken_for),
        review_at,
        announce: (!announced.is_empty()).then(|| announced.join(" ")),
    };
    assert_sound(&next);
    if let Some(held) = stored {
        assert_follows(held, &next);
    }
    next
}

// A worker whose clock is behind would write a time that a sweep has answered already. The wake for it is on its way:
// the payment is looked at then, or when the sweep's lease ends.
fn unanswered(at: Time, stored: Option<&Record>) -> Time {
    let Some(answered) = stored.and_then(|record| record.woken_for).filter(|answered| at <= *answered) else {
        return at;
    };
    let lease = stored.and_then(|record| record.due_at).filter(|lease| *lease > answered);
    lease.unwrap_or_else(|| answered.plus_ms(1))
}

fn announce(payment: &mut Payment, id: &PaymentId, at: Announced) -> Vec<String> {
    let mut ids = Vec::new();
    for (key, operation) in &mut payment.operations {
        for outcome in outcomes_to_come(key, operation) {
            ids.push(format!("{}:{outcome}", key.id(id)));
            operation.outcomes.insert(outcome, at);
        }
    }
    ids
}

/// Returns the outcomes that the operation shows and has not announced yet.
fn outcomes_to_come(key: &OperationKey, operation: &Operation) -> Vec<String> {
    let mut due: Vec<String> = Vec::new();
    if let Some(name) = final_outcome(key, operation) {
        due.push(name.to_owned());
    }
    due.extend(operation.differing.iter().map(|digest| format!("differs-{digest}")));
    due.retain(|name| !operation.outcomes.contains_key(name));
    let opened = count(operation, "review");
    let resolved = count(operation, "resolved");
    match (operation.attempt.review, opened > resolved) {
        (Some(_), false) => due.push(numbered("review", opened + 1)),
        (None, true) => due.push(numbered("resolved", resolved + 1)),
        (Some(_), true) | (None, false) => {}
    }
    due
}

// A void, and our own cancel of an unanswered charge, are our own affair: what they did shows on the charge.
fn announces_itself(key: &OperationKey, operation: &Operation) -> bool {
    match operation.effect {
        Effect::Void { .. } => false,
        Effect::Cancel { .. } => {
            !key.is_reserved() && operation.attempt.code.as_deref() != Some(REFUNDED_INSTEAD)
        }
        Effect::Charge { .. } | Effect::Capture { .. } | Effect::Refund { .. } => true,
    }
}

fn final_outcome(key: &OperationKey, operation: &Operation) -> Option<&'static str> {
    if !announces_itself(key, operation) {
        return None;
    }
    match (key.kind, operation.attempt.standing) {
        (_, Standing::Refused) => Some("refused"),
        (_, Standing::Failed) => Some("failed"),
        (Kind::Charge, Standing::Authorized) => Some("authorized"),
        (Kind::Charge | Kind::Refund, Standing::Succeeded) => Some("succeeded"),
        (Kind::Charge | Kind::Refund, Standing::Canceled) => Some("canceled"),
        (Kind::Charge, Standing::Unknown) if operation.waits_for_its_customer() => Some("action_required"),
        // A capture or cancel that did what it should shows on its charge, as the payment's own event.
        (
            Kind::Capture | Kind::Cancel | Kind::Void,
            Standing::Succeeded | Standing::Canceled | Standing::Authorized,
        )
        | (Kind::Refund, Standing::Authorized)
        | (_, Standing::Pending | Standing::Unknown) => None,
    }
}

fn count(operation: &Operation, name: &str) -> usize {
    let is_one_of = |outcome: &&String| {
        outcome.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
    };
    operation.outcomes.keys().filter(is_one_of).count()
}

fn numbered(name: &str, k: usize) -> String {
    if k == 1 { name.to_owned() } else { format!("{name}#{k}") }
}
