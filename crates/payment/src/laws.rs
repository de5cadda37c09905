//! What no write may do to a record, whatever led to it. Checked before every write, in release too.
//!
//! Each law relates the record about to be written to the one it replaces, or to itself. No command, no reply and no
//! stored item can break one by itself, only a fault of this crate can; and then stopping is right, since the write
//! would make the fault durable.

use effect::{Attempt, Frozen, Keyed, Standing};

use crate::{
    decide::Turn,
    ids::{Kind, OperationKey},
    record::{Effect, Operation, Record},
};

/// Asserts that a record may be written at all.
///
/// # Panics
/// If it may not: a fault of this crate.
pub(crate) fn assert_sound(next: &Record) {
    assert!(next.version > 0, "versions count from 1");
    assert!(!next.payment.operations.is_empty(), "a payment begins with a charge");
    assert!(next.announce.as_ref().is_none_or(|names| !names.is_empty()), "an announcement names something");
    assert_eq!(
        next.review_at.is_some(),
        next.payment.needs_review(),
        "the review index shows who needs a person"
    );
    assert!(next.due_at.is_none_or(|due| due >= next.updated_at), "nothing is due before it is written");
    let is_unanswered = next.due_at.zip(next.woken_for).is_none_or(|(due, answered)| due > answered);
    assert!(is_unanswered, "no time is due that a sweep has answered");
    let sent = next.payment.operations.values().any(|op| op.attempt.was_sent());
    assert!(!sent || next.payment.account.is_some(), "what was sent was sent with an account on record");
    let operations = || next.payment.operations.values();
    assert!(operations().all(|op| op.seq > 0), "operations count from 1");
    let shares_its_place = |op: &Operation| operations().filter(|other| other.seq == op.seq).count() > 1;
    assert!(!operations().any(shares_its_place), "no two operations share a place in the order");
    for (key, operation) in &next.payment.operations {
        assert_eq!(key.kind, operation.effect.kind(), "an operation's name says what it does");
        assert_sound_attempt(key, operation);
        let announced = operation.outcomes.values().all(|at| at.version <= next.version);
        assert!(announced, "nothing was announced by a write to come");
        assert_target(next, operation);
    }
}

fn assert_sound_attempt(key: &OperationKey, operation: &Operation) {
    let attempt = &operation.attempt;
    assert!(!attempt.was_sent() || attempt.frozen.is_some(), "what was sent was frozen before");
    assert!(!attempt.was_sent() || attempt.first_sent_at.is_some(), "what was sent has a window");
    let is_ordered = attempt.first_sent_at.zip(attempt.last_send_until).is_none_or(|(from, to)| from <= to);
    assert!(is_ordered, "no send ends before the first one began");
    assert!(attempt.generation == 0 || attempt.frozen.is_some(), "every generation has its request");
    assert!(
        !attempt.standing.is_ended() || attempt.look_at.is_none(),
        "what has ended is not looked at again"
    );
    assert!(
        attempt.ids.is_empty() || attempt.standing != Standing::Pending,
        "an object on record was sent for"
    );
    assert!(attempt.ids.len() < 2 || attempt.review.is_some(), "two objects of one effect need a person");
    let is_held = attempt.standing == Standing::Authorized;
    assert!(!is_held || key.kind == Kind::Charge, "only a charge's money can be held");
    let has_an_object = matches!(key.kind, Kind::Charge | Kind::Refund);
    assert!(attempt.moved.is_none() || has_an_object, "only charges and refunds move money");
    let names_objects = has_an_object || key.kind == Kind::Void;
    assert!(attempt.ids.is_empty() || names_objects, "a capture or cancel has no object of its own");
    let is_canceled = attempt.standing == Standing::Canceled;
    assert!(!is_canceled || has_an_object, "a capture, cancel or void succeeds or fails");
}

fn assert_target(record: &Record, operation: &Operation) {
    let Some(charge) = operation.effect.target() else {
        let acts_alone = matches!(operation.effect, Effect::Charge { .. });
        assert!(
            acts_alone || !operation.attempt.was_sent(),
            "nothing is sent for a charge that is not decided on"
        );
        return;
    };
    let has_amount = !matches!(
        operation.effect,
        Effect::Capture { amount: None, .. } | Effect::Refund { amount: None, .. }
    );
    assert!(has_amount, "what is decided has an amount");
    let charge = record.payment.operations.get(&OperationKey::charge(charge.clone()));
    assert!(charge.is_some(), "what acts on a charge acts on one on record");
    assert!(charge.is_none_or(|charge| charge.seq < operation.seq), "a charge comes before what acts on it");
    let is_known = charge.is_some_and(|charge| !charge.attempt.ids.is_empty());
    assert!(is_known || !operation.attempt.was_sent(), "nothing is sent for a charge without an object");
}

/// Asserts that a record may follow the one it replaces.
///
/// # Panics
/// If it may not: a fault of this crate.
pub(crate) fn assert_follows(held: &Record, next: &Record) {
    assert_eq!(held.id, next.id, "a record stays its payment's");
    assert_eq!(next.version, held.version + 1, "every write counts");
    assert_eq!(held.payment.tenant, next.payment.tenant, "a payment stays its tenant's");
    assert_eq!(held.payment.order, next.payment.order, "a payment stays its order's");
    assert_eq!(held.woken_for, next.woken_for, "only a sweep answers what is due");
    let account = (&held.payment.account, &next.payment.account);
    assert!(account.0.is_none() || account.0 == account.1, "a payment stays with its account");
    let (from, to) = (held.payment.state(), next.payment.state());
    assert!(from.may_become(to), "{from:?} does not become {to:?}");
    for (key, before) in &held.payment.operations {
        let after = next.payment.operations.get(key);
        assert!(after.is_some(), "no operation is forgotten");
        if let Some(after) = after {
            assert_operation_follows(key, before, after);
        }
    }
}

fn assert_operation_follows(key: &OperationKey, before: &Operation, after: &Operation) {
    assert_eq!(before.seq, after.seq, "an operation keeps its place");
    assert_eq!(before.digest, after.digest, "an operation stays the one that was asked for");
    assert_eq!(before.accepted_at, after.accepted_at, "an operation was accepted once");
    assert_eq!(before.causation_id, after.causation_id, "what caused an operation stays");
    assert_eq!(before.traceparent, after.traceparent, "the trace that an operation came with stays");
    let is_charge = matches!(before.effect, Effect::Charge { .. });
    assert!(!is_charge || before.effect == after.effect, "a charge stays the one that was asked for");
    assert!(before.differing.is_subset(&after.differing), "no differing request is forgotten");
    let is_kept = |(name, at)| after.outcomes.get(name) == Some(at);
    assert!(before.outcomes.iter().all(is_kept), "what was announced stays announced");
    let target = before.effect.target();
    assert!(target.is_none() || target == after.effect.target(), "what is decided stays decided");
    assert!(target.is_none() || before.effect == after.effect, "what is decided keeps its amount");
    assert_attempt_follows(key, &before.attempt, &after.attempt);
}

fn assert_attempt_follows(key: &OperationKey, before: &Attempt, after: &Attempt) {
    let rank = |standing: Standing| match key.kind {
        Kind::Refund => standing.refund_rank(),
        Kind::Charge | Kind::Capture | Kind::Cancel | Kind::Void => standing.rank(),
    };
    assert!(rank(after.standing) >= rank(before.standing), "nothing moves down its rank");
    assert!(before.ids.is_subset(&after.ids), "no provider id is forgotten");
    assert!(after.tries >= before.tries, "no turn is uncounted");
    let moves_less = before.moved.is_none_or(|held| after.moved.is_some_and(|moved| moved <= held));
    assert!(moves_less, "of two amounts the smaller one is believed");
    assert!(before.frozen.is_none() || after.frozen.is_some(), "what was frozen stays frozen");
    assert!(after.generation >= before.generation, "generations count up");
    assert!(after.generation <= before.generation + 1, "one write starts one generation");
    if before.generation == after.generation
        && let (Some(held), Some(next)) = (&before.frozen, &after.frozen)
    {
        assert_eq!(held.key, next.key, "one generation has one key");
        assert_eq!(held.path, next.path, "one generation has one path");
        let is_sealed = after.standing.is_ended();
        assert!(is_sealed || held.body == next.body, "one generation has one body");
        assert_eq!(held.api_version, next.api_version, "one generation has one version of the API");
    }
    let opened = (before.first_sent_at, after.first_sent_at);
    let is_window_kept = opened.0.is_none() || opened.1.is_none() || opened.0 == opened.1;
    assert!(is_window_kept, "the window begins at the first send and nowhere else");
}

/// Asserts what must hold before money can move.
///
/// # Panics
/// If it does not: a fault of this crate.
pub(crate) fn assert_may_send(turn: &Turn, stored: Option<&Record>, key: &OperationKey, frozen: &Frozen) {
    assert!(turn.claimed, "a request is sent under a claim alone");
    assert!(turn.effect.armed, "a request is sent after its intent was recorded");
    assert!(turn.effect.now <= turn.deadline, "a request is sent while its claim holds");
    assert_eq!(turn.focus.as_ref(), Some(key), "what is sent is what was armed");
    let on_record = stored.and_then(|record| record.payment.operations.get(key));
    let on_record = on_record.map(|operation| &operation.attempt);
    assert!(on_record.is_some_and(Attempt::was_sent), "the record tells of a send before it starts");
    let is_frozen = on_record.is_some_and(|attempt| attempt.frozen.as_ref() == Some(frozen));
    assert!(is_frozen, "what is sent is, byte for byte, what is on record");
    assert!(on_record.is_some_and(|attempt| !attempt.rests()), "nothing is sent for what rests");
    let is_keyed = matches!(key.kind, Kind::Charge | Kind::Refund);
    let is_create = is_keyed && on_record.is_some_and(|attempt| attempt.generation == 0);
    let is_open = |attempt: &Attempt| Keyed::is_open(attempt, turn.effect.now);
    assert!(!is_create || on_record.is_some_and(is_open), "a create is sent while its key lives");
}

#[cfg(test)]
mod tests;
