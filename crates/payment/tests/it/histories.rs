//! Histories: what may befall a payment, in any order, as the loop would let it.

use effect::{
    Fact, Note, Outcome, ReviewReason, Rules, Standing, Status, Time, Turn, conclude, hours, minutes,
};
use payment::{CaptureMethod, Command, Guard, Kind, OperationKey, Payment, Record, accept, plan, seal};
use proptest::prelude::*;

use crate::{
    asking::{cancel, capture, charge, key, refund},
    payments::arm,
};

pub(crate) const NOW: Time = Time(1_900_000_000_000);

/// One thing that befalls a payment.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    IsAskedFor(Command),
    /// A send, and what its own turn learned of it, if that turn lived to learn anything.
    IsSent(OperationKey, Option<Note>),
    ShowsAFact(OperationKey, Fact),
    /// What a later turn learned.
    TeachesANote(OperationKey, Note),
    TimePasses {
        hours: i64,
    },
}

pub(crate) fn commands() -> impl Strategy<Value = Command> {
    let full = prop_oneof![4 => Just(500_u64), 1 => Just(501)];
    let part =
        prop_oneof![2 => Just(None), 2 => Just(Some(200_u64)), 2 => Just(Some(300)), 1 => Just(Some(501))];
    let method = prop_oneof![3 => Just(CaptureMethod::Automatic), 1 => Just(CaptureMethod::Manual)];
    prop_oneof![
        3 => (0..3_usize, full, method).prop_map(|(n, amount, method)| charge(n, amount, method)),
        2 => (0..2_usize, part.clone()).prop_map(|(n, amount)| capture(n, amount)),
        2 => (0..2_usize, any::<bool>()).prop_map(|(n, refunds)| cancel(n, refunds)),
        4 => (0..4_usize, part).prop_map(|(n, amount)| refund(n, amount)),
    ]
}

/// The names of all that a history can ask for, and of what follows from it.
pub(crate) fn keys() -> impl Strategy<Value = OperationKey> {
    prop_oneof![
        4 => prop_oneof![2 => Just(0), 1 => 0..3_usize].prop_map(|n| key(Kind::Charge, n)),
        2 => (0..2_usize).prop_map(|n| key(Kind::Capture, n)),
        2 => (0..2_usize).prop_map(|n| key(Kind::Cancel, n)),
        4 => (0..4_usize).prop_map(|n| key(Kind::Refund, n)),
        1 => (0..3_usize).prop_map(|n| OperationKey::void_of(&key(Kind::Charge, n))),
        1 => (0..3_usize).prop_map(|n| OperationKey::timeout_of(&key(Kind::Charge, n))),
        1 => (0..2_usize).prop_map(|n| OperationKey::refund_of(&key(Kind::Cancel, n))),
    ]
}

/// A fact about a charge's or a refund's object: nearly always the one object, now and then a second one.
pub(crate) fn facts() -> impl Strategy<Value = (OperationKey, Fact)> {
    let outcomes = prop_oneof![
        2 => Just(None),
        4 => Just(Some(Outcome::Succeeded)),
        2 => Just(Some(Outcome::Authorized)),
        1 => prop_oneof![Just(200_u64), Just(300)].prop_map(|amount| Some(Outcome::Partly(amount))),
        2 => Just(Some(Outcome::Canceled)),
        2 => "[ab]".prop_map(|code| Some(Outcome::Declined(code))),
    ];
    let objects = prop_oneof![12 => Just("a"), 1 => Just("b")];
    let carriers = keys().prop_filter("has an object", |key| matches!(key.kind, Kind::Charge | Kind::Refund));
    (carriers, objects, outcomes).prop_map(|(key, object, outcome)| {
        let prefix = if key.kind == Kind::Charge { "pi" } else { "re" };
        (key.clone(), Fact { id: format!("{prefix}_{}{object}", key.reference), outcome })
    })
}

fn notes() -> impl Strategy<Value = Note> {
    let statuses = prop::sample::select(vec![
        Status::Processing,
        Status::RequiresAction,
        Status::RequiresAction,
        Status::RequiresCapture,
        Status::Unconfirmed,
        Status::Declined,
    ]);
    prop_oneof![
        1 => any::<bool>().prop_map(|resend| Note::Ambiguous { resend }),
        1 => Just(Note::Undecodable),
        1 => Just(Note::SavedError),
        1 => Just(Note::NotDone),
        1 => Just(Note::Refused("resource_missing".to_owned())),
        1 => Just(Note::KeyReused),
        1 => Just(Note::UnexpectedState),
        4 => statuses.prop_map(Note::Status),
        1 => Just(Note::NotTold),
        1 => Just(Note::AccountChanged),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => commands().prop_map(Step::IsAskedFor),
        6 => (keys(), prop::option::weighted(0.3, notes())).prop_map(|(key, note)| Step::IsSent(key, note)),
        6 => facts().prop_map(|(key, fact)| Step::ShowsAFact(key, fact)),
        3 => (keys(), notes()).prop_map(|(key, note)| Step::TeachesANote(key, note)),
        1 => prop_oneof![1..30_i64, 100..500_i64].prop_map(|hours| Step::TimePasses { hours }),
    ]
}

/// A history. It begins with a charge, which in most of them has got somewhere before anything else befalls it.
pub(crate) fn histories() -> impl Strategy<Value = Vec<Step>> {
    let known = |outcome| Fact { id: "pi_1a".to_owned(), outcome };
    let seen = |outcome| vec![sent(0), Step::ShowsAFact(key(Kind::Charge, 0), known(outcome))];
    let beginnings = prop::sample::select(vec![
        (CaptureMethod::Automatic, Vec::new()),
        (CaptureMethod::Manual, Vec::new()),
        (CaptureMethod::Automatic, seen(Some(Outcome::Declined("a".to_owned())))),
        (CaptureMethod::Automatic, seen(Some(Outcome::Succeeded))),
        (CaptureMethod::Automatic, seen(Some(Outcome::Succeeded))),
        (CaptureMethod::Manual, seen(Some(Outcome::Authorized))),
        (CaptureMethod::Manual, seen(Some(Outcome::Authorized))),
    ]);
    (beginnings, prop::collection::vec(steps(), 0..16)).prop_map(|((method, begun), rest)| {
        let first = Step::IsAskedFor(charge(0, 500, method));
        std::iter::once(first).chain(begun).chain(rest).collect()
    })
}

fn sent(n: usize) -> Step {
    Step::IsSent(key(Kind::Charge, n), None)
}

/// Where a history has got to: the payment before a step, after it, and after the plan that follows it.
pub(crate) struct Moment<'a> {
    pub(crate) step: &'a Step,
    pub(crate) before: Option<Payment>,
    pub(crate) taken: Payment,
    pub(crate) planned: Payment,
}

/// Takes the steps of a history one by one, planning after each as the loop does; one that cannot be taken is passed
/// over.
pub(crate) fn moments(history: &[Step]) -> Vec<Moment<'_>> {
    let mut moments: Vec<Moment<'_>> = Vec::new();
    let mut now = NOW;
    for step in history {
        now = now.plus_ms(duration_ms(step));
        let before = moments.last().map(|moment| moment.planned.clone());
        let taken = take(before.clone(), step, now);
        let planned = planned(taken.clone(), now);
        moments.push(Moment { step, before, taken, planned });
    }
    moments
}

const fn duration_ms(step: &Step) -> i64 {
    match step {
        Step::TimePasses { hours: passed } => hours(*passed),
        Step::IsAskedFor(_) | Step::IsSent(..) | Step::ShowsAFact(..) | Step::TeachesANote(..) => minutes(1),
    }
}

/// The payment after a history.
pub(crate) fn payment_after(history: &[Step]) -> Payment {
    moments(history).pop().unwrap().planned
}

/// The records that a history leaves, one a step.
pub(crate) fn records(history: &[Step]) -> Vec<Record> {
    let rules = Rules::production();
    let mut records: Vec<Record> = Vec::new();
    let mut now = NOW;
    for step in history {
        now = now.plus_ms(duration_ms(step));
        let held = records.last().map(|record| record.payment.clone());
        let payment = planned(take(held, step, now), now);
        records.push(seal(payment, records.last(), None, Guard::Due, now, &rules));
    }
    records
}

pub(crate) fn planned(payment: Payment, now: Time) -> Payment {
    plan(payment, now, &Rules::production())
}

/// Takes one step, where the loop could.
pub(crate) fn take(payment: Option<Payment>, step: &Step, now: Time) -> Payment {
    if let Step::IsAskedFor(command) = step {
        return accept(payment.as_ref(), command, now).unwrap();
    }
    let mut payment = payment.unwrap();
    match step {
        Step::IsSent(key, note) => send(&mut payment, key, note.as_ref(), now),
        Step::ShowsAFact(key, fact) => {
            // Nothing can be seen of what was never sent.
            if payment.operations.get(key).is_some_and(|op| op.attempt.was_sent()) {
                payment.absorb(key, fact);
            }
        }
        Step::TeachesANote(key, note) => learn(&mut payment, key, note, false, now),
        Step::IsAskedFor(_) | Step::TimePasses { .. } => {}
    }
    payment
}

fn send(payment: &mut Payment, key: &OperationKey, note: Option<&Note>, now: Time) {
    let Some(operation) = payment.operations.get(key) else { return };
    let has_its_object =
        matches!(key.kind, Kind::Charge | Kind::Refund) || payment.provider_id(key).is_some();
    let is_held = operation.attempt.standing == Standing::Authorized;
    if operation.attempt.rests() || is_held || !has_its_object || !payment.is_runnable(key, operation) {
        return;
    }
    let is_fresh = !operation.attempt.was_sent();
    arm(payment, key, now);
    if let Some(note) = note {
        learn(payment, key, note, is_fresh, now);
    }
}

pub(crate) fn learn(payment: &mut Payment, key: &OperationKey, note: &Note, fresh: bool, now: Time) {
    let is_sent = payment.operations.get(key).is_some_and(|op| op.attempt.was_sent());
    // An account is compared before a first send too; anything else answers a request.
    if let Some(operation) = payment.operations.get_mut(key)
        && (is_sent || *note == Note::AccountChanged)
        && !operation.attempt.rests()
    {
        let mut turn = Turn { now, armed: true, fresh, ..Turn::default() };
        conclude(&mut operation.attempt, note.clone(), &mut turn, &Rules::production());
    }
}

/// Every reason for a review, to put one by hand.
pub(crate) const REASONS: [ReviewReason; 7] = [
    ReviewReason::WindowOver,
    ReviewReason::NotFinal,
    ReviewReason::TwoEnds,
    ReviewReason::TwoIds,
    ReviewReason::KeyReused,
    ReviewReason::AccountChanged,
    ReviewReason::EarlierCameBack,
];
