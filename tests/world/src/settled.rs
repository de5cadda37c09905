//! What must hold at the end: everything has settled, and the record agrees with Stripe.

use std::rc::Rc;

use effect::Standing;
use payment::{Effect, Kind, Operation, OperationKey, Record};

use crate::{
    invariants::{check_order, summary},
    state::State,
};

/// Everything has settled, and the record agrees with Stripe.
pub(crate) fn check_end(state: &mut State) {
    for (group, held) in
        [("queue", !state.queue.is_empty()), ("dead-letter queue", !state.queue.dead.is_empty())]
    {
        if held {
            state.violate(format!("the {group} still holds messages at the end"));
        }
    }
    let records: Vec<Rc<Record>> = state.table.values().cloned().collect();
    if state.port_calls != state.requests {
        let (calls, requests) = (state.port_calls, state.requests);
        state.violate(format!("{calls} port calls made {requests} requests"));
    }
    for record in &records {
        check_order(state, record);
        if !is_at_rest(record) {
            state.violate(format!("not settled at the end: {}", summary(record)));
        }
        for (key, operation) in &record.payment.operations {
            match key.kind {
                Kind::Charge => {
                    check_charge(state, record, key, operation.attempt.standing);
                    count_end(state, operation.attempt.standing, operation.attempt.review.is_some());
                }
                Kind::Capture => check_capture(state, record, key, operation),
                Kind::Cancel => check_cancel(state, record, key, operation),
                Kind::Refund => check_refund(state, record, key, operation),
                // Shown by its charge.
                Kind::Void => {}
            }
        }
        for outcome in record.payment.operations.iter().flat_map(|(key, op)| {
            op.outcomes.keys().map(move |outcome| format!("{}:{outcome}", key.id(&record.id)))
        }) {
            if !state.bus.contains_key(&outcome) {
                state.violate(format!("never published: {outcome}"));
            }
        }
    }
    for asked in Rc::clone(&state.asked).iter() {
        let record = state.table.get(&asked.payment);
        if !record.is_some_and(|record| record.payment.operations.contains_key(&asked.key)) {
            state.violate(format!("a command was lost: {}", asked.operation));
        }
    }
    for record in &records {
        for key in record.payment.operations.keys().filter(|key| !key.is_reserved()) {
            if !state.taken.contains_key(&key.id(&record.id)) {
                state.violate(format!("nobody asked for {} {key}", record.id));
            }
        }
    }
}

fn check_charge(state: &mut State, record: &Record, key: &OperationKey, standing: Standing) {
    let id = key.id(&record.id);
    let count = state.stripe.effects().operation(&id);
    let paid = count.intents_succeeded > 0;
    let is_in_review = record.payment.operations.get(key).is_some_and(|op| op.attempt.review.is_some());
    let agrees = match standing {
        Standing::Succeeded => paid,
        Standing::Failed => !paid && count.intents_canceled == count.intents_created,
        // It is looked at until it is captured or ends.
        Standing::Authorized => false,
        Standing::Canceled => !paid,
        Standing::Refused => count.intents_created == 0,
        // Only a person's case may rest unsettled, and only if neither list nor search can show the effect.
        Standing::Unknown => is_in_review && count.intents_created == 0,
        Standing::Pending => count.intents_created == 0,
    };
    if !agrees {
        state.violate(format!("{id} is {standing:?} (review {is_in_review}) and Stripe has {count:?}"));
    }
}

fn check_capture(state: &mut State, record: &Record, key: &OperationKey, operation: &Operation) {
    let payment = &record.payment;
    let charge = payment.charge_of(key);
    let count = state.stripe.effects().operation(&charge.id(&record.id));
    let outside = payment.provider_id(&charge).is_some_and(|id| state.captured_outside.contains(id));
    let asked = match &operation.effect {
        Effect::Capture { amount, .. } => {
            amount.map_or(0, |amount| i64::try_from(amount.minor()).unwrap_or(0))
        }
        Effect::Charge { .. } | Effect::Cancel { .. } | Effect::Refund { .. } | Effect::Void { .. } => 0,
    };
    let agrees = match operation.attempt.standing {
        Standing::Succeeded => count.captures == 1 && count.amount_captured == asked,
        Standing::Failed => count.captures == 0 || outside,
        // Another capture, or somebody else, may have taken the money.
        Standing::Refused => !operation.attempt.was_sent() || count.captures == 0,
        Standing::Pending | Standing::Unknown => payment.needs_review(),
        Standing::Authorized | Standing::Canceled => false,
    };
    settle_or_violate(state, record, key, operation, agrees, count);
}

fn check_cancel(state: &mut State, record: &Record, key: &OperationKey, operation: &Operation) {
    let charge = record.payment.charge_of(key);
    let count = state.stripe.effects().operation(&charge.id(&record.id));
    let agrees = match operation.attempt.standing {
        Standing::Succeeded => {
            count.intents_succeeded == 0 && count.intents_canceled == count.intents_created
        }
        Standing::Failed => count.intents_succeeded == 1,
        Standing::Refused => true,
        Standing::Pending | Standing::Unknown => record.payment.needs_review(),
        Standing::Authorized | Standing::Canceled => false,
    };
    settle_or_violate(state, record, key, operation, agrees, count);
}

fn check_refund(state: &mut State, record: &Record, key: &OperationKey, operation: &Operation) {
    let count = state.stripe.effects().operation(&key.id(&record.id));
    let in_review = operation.attempt.review.is_some();
    state.stats.refunds_refused += u64::from(operation.attempt.standing == Standing::Refused);
    let agrees = match operation.attempt.standing {
        // A bank may send the money back when nobody looks any more: only a webhook would tell.
        Standing::Succeeded => count.refunds == 1 && count.refunds_canceled == 0,
        Standing::Failed => count.refunds_failed == 1,
        Standing::Canceled => count.refunds_canceled == 1,
        Standing::Refused => count.refunds == 0,
        Standing::Pending | Standing::Unknown => {
            record.payment.needs_review() && (in_review || count.refunds == 0)
        }
        Standing::Authorized => false,
    };
    settle_or_violate(state, record, key, operation, agrees, count);
}

fn settle_or_violate(
    state: &mut State,
    record: &Record,
    key: &OperationKey,
    operation: &Operation,
    agrees: bool,
    count: stripe_sim::OperationCount,
) {
    state.stats.operations += 1;
    if !agrees {
        let standing = operation.attempt.standing;
        state.violate(format!("{} {key} is {standing:?} and Stripe has {count:?}", record.id));
    }
}

fn count_end(state: &mut State, standing: Standing, is_in_review: bool) {
    let stats = &mut state.stats;
    match standing {
        _ if is_in_review => stats.reviews += 1,
        Standing::Succeeded => stats.succeeded += 1,
        Standing::Failed | Standing::Canceled => stats.failed += 1,
        Standing::Refused => stats.refused += 1,
        Standing::Pending | Standing::Unknown | Standing::Authorized => {}
    }
}

/// Tells whether every operation has ended, is in review, or waits behind a review. Written apart from the core.
pub(crate) fn is_at_rest(record: &Record) -> bool {
    let operations = &record.payment.operations;
    operations.values().all(|operation| {
        let attempt = &operation.attempt;
        let behind_a_review = operations
            .values()
            .any(|earlier| earlier.seq < operation.seq && earlier.attempt.review.is_some());
        let never_sent = attempt.standing == Standing::Pending && !attempt.was_sent();
        attempt.standing.is_ended() || attempt.review.is_some() || (never_sent && behind_a_review)
    })
}
