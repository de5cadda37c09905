//! What must hold after every step and at the end. Effects are counted at the simulated Stripe.

use std::{fmt::Write, rc::Rc};

use effect::{Standing, Time};
use payment::{Effect, OperationKey, PaymentId, Record, ports::BusEntry};

use crate::{asked::Asked, kinds::Kind, state::State};

/// Describes a record in one line, for the trace.
pub(crate) fn summary(record: &Record) -> String {
    let mut text = format!("{} v{}", record.id, record.version);
    for (key, operation) in &record.payment.operations {
        let attempt = &operation.attempt;
        let _ = write!(text, " {key}={:?}", attempt.standing);
        if attempt.was_sent() && !attempt.standing.is_ended() {
            let _ = write!(text, "(sent, gen {}, tries {})", attempt.generation, attempt.tries);
        }
        if let Some(review) = attempt.review {
            let _ = write!(text, "(review {review:?})");
        }
    }
    let relative = |at: Time| at.0 - crate::state::START_MS;
    if let Some(claim) = &record.claim {
        let _ = write!(text, " claim {} until {}", claim.token, relative(claim.until));
    }
    if let Some(due_at) = record.due_at {
        let _ = write!(text, " due {}", relative(due_at));
    }
    text
}

/// Nothing moves down its rank, no operation is lost, no version is skipped.
pub(crate) fn check_write(state: &mut State, before: Option<&Record>, after: &Record) {
    let Some(before) = before else { return };
    if after.version != before.version + 1 {
        state.violate(format!("{} went from version {} to {}", after.id, before.version, after.version));
    }
    for (key, old) in &before.payment.operations {
        let Some(new) = after.payment.operations.get(key) else {
            state.violate(format!("{} lost its operation {key}", after.id));
            continue;
        };
        let (from, to) = (old.attempt.standing, new.attempt.standing);
        if to.rank() < from.rank() {
            state.violate(format!("{} {key} moved down from {from:?} to {to:?}", after.id));
        }
    }
}

/// At most one intent of a payment is paid or payable at any time, and at most one effect belongs to an operation.
pub(crate) fn check_effects(state: &mut State) {
    let open = state.table.keys().map(|id| (id, state.stripe.paid_or_payable(id.as_str()).count()));
    let twice = open
        .filter(|(_, open)| *open > 1)
        .map(|(id, open)| format!("{id} has {open} intents that are paid or payable"));
    let operations = state.stripe.effects().operations.iter();
    let repeated = operations
        .filter(|(_, count)| count.intents_created > 1 || count.intents_succeeded > 1)
        .map(|(operation, count)| format!("{operation} has {} intents", count.intents_created));
    let broken: Vec<String> = twice.chain(repeated).collect();
    for what in broken {
        state.violate(what);
    }
}

/// Remembers when the queue first took an operation's command.
pub(crate) fn remember_order(state: &mut State, asked: &Asked) {
    let number = state.taken.len() as u64;
    if state.taken.contains_key(&asked.operation) {
        return;
    }
    let late_first = asked.key.reference.as_str() == "1"
        && state.taken.keys().any(|other| other.starts_with(asked.payment.as_str()));
    if late_first {
        state.struck(Kind::Reordering, Some(&asked.payment));
    }
    state.taken.insert(asked.operation.clone(), number);
}

/// The operations of a payment stand in the order in which the queue took them, unless one was dead-lettered.
fn check_order(state: &mut State, record: &Record) {
    if state.redriven.iter().any(|group| group == record.id.as_str()) {
        return;
    }
    let mut order: Vec<(u64, u32)> = Vec::new();
    for (key, operation) in &record.payment.operations {
        if let Some(number) = state.taken.get(&key.id(&record.id)) {
            order.push((*number, operation.seq));
        }
    }
    order.sort_unstable();
    if order.windows(2).any(|pair| pair[0].1 > pair[1].1) {
        state.violate(format!(
            "{} took its commands in another order than the queue: {}",
            record.id,
            summary(record)
        ));
    }
}

/// Nothing is announced that did not happen, and one id means one event.
pub(crate) fn check_event(state: &mut State, entry: &BusEntry) {
    if let Some(earlier) = state.bus.get(&entry.id)
        && *earlier != entry.detail
    {
        state.violate(format!("the event {} was published with two contents", entry.id));
    }
    let (operation, outcome) = entry.id.rsplit_once(':').unwrap_or_default();
    let on_record = operation.split_once('/').is_some_and(|(payment, key)| {
        let record = payment.parse().ok().and_then(|id: PaymentId| state.table.get(&id));
        let key = OperationKey::try_from(key.to_owned()).ok();
        record.zip(key).is_some_and(|(record, key)| {
            record.payment.operations.get(&key).is_some_and(|op| op.outcomes.contains_key(outcome))
        })
    });
    if !on_record {
        state.violate(format!("the event {} names no outcome on record", entry.id));
    }
    let count = state.stripe.effects().operation(operation);
    let happened = match entry.detail_type {
        "PaymentCaptured" => count.intents_succeeded == 1,
        "PaymentFailed" => count.declines > 0,
        "PaymentCanceled" => count.intents_canceled > 0,
        _ => true,
    };
    if !happened {
        state.violate(format!("{} {} was announced and did not happen", entry.detail_type, entry.id));
    }
    state.bus.insert(entry.id.clone(), entry.detail.clone());
}

/// One value of `due_at` causes one wake at the most.
pub(crate) fn check_wake(state: &mut State, payment: PaymentId, due_at: Time) {
    let count = state.wakes.entry((payment.clone(), due_at.0)).or_default();
    *count += 1;
    if *count > 1 {
        state.violate(format!("{payment} was woken twice for one due time"));
    }
}

/// A message that leaves the queue leaves its payment guarded: settled, in review, due, or by another message.
pub(crate) fn check_acknowledged(state: &mut State, group: &str) {
    let Ok(id) = group.parse::<PaymentId>() else { return };
    let Some(record) = state.table.get(&id) else {
        return state.violate(format!("a message of {group} was acknowledged and nothing is on record"));
    };
    if record.due_at.is_none() && !is_at_rest(record) && !state.queue.holds(group) {
        let summary = summary(record);
        state.violate(format!("forgotten: {summary}"));
    }
}

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
            if let Effect::Charge { .. } = operation.effect {
                check_charge(state, record, key, operation.attempt.standing);
                count_end(state, operation.attempt.standing, operation.attempt.review.is_some());
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
}

fn check_charge(state: &mut State, record: &Record, key: &OperationKey, standing: Standing) {
    let id = key.id(&record.id);
    let count = state.stripe.effects().operation(&id);
    let paid = count.intents_succeeded > 0;
    let is_in_review = record.payment.operations.get(key).is_some_and(|op| op.attempt.review.is_some());
    let agrees = match standing {
        Standing::Succeeded => paid,
        Standing::Failed => !paid && count.intents_canceled == count.intents_created,
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

fn count_end(state: &mut State, standing: Standing, is_in_review: bool) {
    let stats = &mut state.stats;
    match standing {
        _ if is_in_review => stats.reviews += 1,
        Standing::Succeeded => stats.succeeded += 1,
        Standing::Failed | Standing::Canceled => stats.failed += 1,
        Standing::Refused => stats.refused += 1,
        Standing::Pending | Standing::Unknown => {}
    }
}

/// Tells whether every operation has ended, is in review, or waits behind a review. Written apart from the core.
fn is_at_rest(record: &Record) -> bool {
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
