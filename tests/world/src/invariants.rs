//! What must hold after every step. Effects are counted at the simulated Stripe.

use std::fmt::Write;

use effect::{Standing, Time};
use payment::{Effect, Kind, OperationKey, PaymentId, Record, ports::BusEntry};

use crate::{asked::Asked, kinds::Kind as Fault, settled::is_at_rest, state::State};

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
        let rank = |standing: Standing| match key.kind {
            Kind::Refund => standing.refund_rank(),
            Kind::Charge | Kind::Capture | Kind::Cancel | Kind::Void => standing.rank(),
        };
        if rank(to) < rank(from) {
            state.violate(format!("{} {key} moved down from {from:?} to {to:?}", after.id));
        }
    }
    let (from, to) = (before.payment.state(), after.payment.state());
    if !from.may_become(to) {
        state.violate(format!("{} went from {from:?} to {to:?}, which no table allows", after.id));
    }
    check_bounds(state, after);
}

/// What is refunded or held for refunds stays within what was captured, and that within what was charged.
fn check_bounds(state: &mut State, record: &Record) {
    let (mut captured, mut held) = (0, 0);
    for (key, operation) in &record.payment.operations {
        match (&operation.effect, operation.attempt.standing) {
            (Effect::Charge { amount, .. }, Standing::Succeeded) => {
                let moved = operation.attempt.moved.unwrap_or_else(|| amount.minor());
                if moved > amount.minor() {
                    state.violate(format!("{} {key} captured {moved} of {}", record.id, amount.minor()));
                }
                captured += moved;
            }
            (
                Effect::Refund { amount: Some(amount), charge: Some(_) },
                Standing::Pending | Standing::Unknown | Standing::Succeeded,
            ) => held += amount.minor(),
            (_, _) => {}
        }
    }
    if held > captured {
        state.violate(format!("{} refunds {held} of {captured}", record.id));
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
        .filter(|(_, count)| {
            count.intents_created > 1
                || count.intents_succeeded > 1
                || count.refunds > 1
                || count.captures > 1
        })
        .map(|(operation, count)| format!("{operation} took effect more than once: {count:?}"));
    let overdrawn = state.stripe.intents().iter().filter_map(|intent| {
        let (refunded, received) = (state.stripe.amount_refunded(&intent.id), intent.state().amount_received);
        (refunded > received).then(|| format!("{} gave back {refunded} of {received}", intent.id))
    });
    let broken: Vec<String> = twice.chain(repeated).chain(overdrawn).collect();
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
    let late_first = asked.key.kind == Kind::Charge
        && asked.key.reference.as_str() == "1"
        && state.taken.keys().any(|other| other.starts_with(asked.payment.as_str()));
    if late_first {
        state.struck(Fault::Reordering, Some(&asked.payment));
    }
    state.taken.insert(asked.operation.clone(), number);
}

/// The operations of a payment stand in the order in which the queue took them, unless one was dead-lettered.
pub(crate) fn check_order(state: &mut State, record: &Record) {
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
        "PaymentAuthorized" => was(state, operation, stripe_sim::Status::RequiresCapture),
        "PaymentActionRequired" => was(state, operation, stripe_sim::Status::RequiresAction),
        "PaymentCaptured" => count.intents_succeeded == 1,
        "PaymentFailed" => count.declines > 0,
        // What was never sent is canceled without a call.
        "PaymentCanceled" => count.intents_canceled == count.intents_created,
        "RefundSucceeded" => count.refunds == 1,
        "RefundFailed" => count.refunds_failed + count.refunds_canceled == 1,
        _ => true,
    };
    if !happened {
        state.violate(format!("{} {} was announced and did not happen", entry.detail_type, entry.id));
    }
    state.bus.insert(entry.id.clone(), entry.detail.clone());
}

fn was(state: &State, operation: &str, status: stripe_sim::Status) -> bool {
    let mut intents = state.stripe.intents().iter().filter(|intent| intent.operation_id() == operation);
    intents.any(|intent| intent.history().iter().any(|(_, held)| held.status == status))
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
        // A command that came before its payment waits for the redrive, behind the charge that was set aside too.
        if !state.queue.holds(group) {
            state.violate(format!("a message of {group} was acknowledged and nothing is on record"));
        }
        return;
    };
    if record.due_at.is_none() && !is_at_rest(record) && !state.queue.holds(group) {
        let summary = summary(record);
        state.violate(format!("forgotten: {summary}"));
    }
}
