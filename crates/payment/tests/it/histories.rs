//! Histories: what may befall a payment, in any order, as the loop would let it.

use effect::{Fact, Note, Outcome, ReviewReason, Rules, Status, Time, Turn, conclude, minutes};
use payment::{Charge, Command, OperationKey, Payment, accept, plan};
use proptest::prelude::*;

pub(crate) const NOW: Time = Time(1_900_000_000_000);

/// One thing that befalls a payment. Charges are numbered from 0.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    IsAskedFor { charge: usize, amount: u64 },
    IsSent { charge: usize },
    ItsVoidIsSent { charge: usize },
    ShowsAFact { charge: usize, fact: Fact },
    TeachesANote { charge: usize, note: Note },
    ItsVoidTeachesANote { charge: usize, note: Note },
}

pub(crate) fn charge(n: usize, amount: u64) -> Charge {
    let reference = (n + 1).to_string();
    Charge {
        tenant: "shop".parse().unwrap(),
        order: "o-1".parse().unwrap(),
        reference: reference.parse().unwrap(),
        amount: amount.try_into().unwrap(),
        currency: "jpy".parse().unwrap(),
        customer: "cus_1".parse().unwrap(),
        payment_method: "pm_card_visa".parse().unwrap(),
        capture: payment::CaptureMethod::Automatic,
        causation_id: None,
        traceparent: None,
    }
}

pub(crate) fn key(n: usize) -> OperationKey {
    charge(n, 500).key()
}

fn outcomes() -> impl Strategy<Value = Option<Outcome>> {
    prop_oneof![
        Just(None),
        Just(Some(Outcome::Succeeded)),
        Just(Some(Outcome::Canceled)),
        "[ab]".prop_map(|code| Some(Outcome::Declined(code))),
    ]
}

/// A fact about a charge's object: nearly always the one object, now and then a second one.
pub(crate) fn facts() -> impl Strategy<Value = (usize, Fact)> {
    (prop_oneof![2 => Just(0), 1 => 0..3_usize], prop_oneof![9 => Just("a"), 1 => Just("b")], outcomes())
        .prop_map(|(charge, object, outcome)| (charge, Fact { id: format!("pi_{charge}{object}"), outcome }))
}

fn notes() -> impl Strategy<Value = Note> {
    let statuses = prop::sample::select(vec![
        Status::Processing,
        Status::RequiresAction,
        Status::RequiresCapture,
        Status::Unconfirmed,
        Status::Declined,
    ]);
    prop_oneof![
        any::<bool>().prop_map(|resend| Note::Ambiguous { resend }),
        Just(Note::Undecodable),
        Just(Note::SavedError),
        Just(Note::NotDone),
        Just(Note::Refused("resource_missing".to_owned())),
        Just(Note::KeyReused),
        Just(Note::UnexpectedState),
        statuses.prop_map(Note::Status),
        Just(Note::NotTold),
        Just(Note::AccountChanged),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    let amounts = prop_oneof![4 => Just(500), 1 => Just(501)];
    prop_oneof![
        3 => (0..3_usize, amounts).prop_map(|(charge, amount)| Step::IsAskedFor { charge, amount }),
        3 => (0..3_usize).prop_map(|charge| Step::IsSent { charge }),
        1 => (0..3_usize).prop_map(|charge| Step::ItsVoidIsSent { charge }),
        3 => facts().prop_map(|(charge, fact)| Step::ShowsAFact { charge, fact }),
        2 => (0..3_usize, notes()).prop_map(|(charge, note)| Step::TeachesANote { charge, note }),
        1 => (0..3_usize, notes()).prop_map(|(charge, note)| Step::ItsVoidTeachesANote { charge, note }),
    ]
}

/// A history; in half of them the first charge is declined to begin with, and has its void.
pub(crate) fn histories() -> impl Strategy<Value = Vec<Step>> {
    let declined = Fact { id: "pi_0a".to_owned(), outcome: Some(Outcome::Declined("a".to_owned())) };
    let begun = vec![Step::IsSent { charge: 0 }, Step::ShowsAFact { charge: 0, fact: declined }];
    let beginnings = prop_oneof![Just(Vec::new()), Just(begun)];
    (beginnings, prop::collection::vec(steps(), 0..12)).prop_map(|(mut history, mut rest)| {
        history.append(&mut rest);
        history
    })
}

/// The payment after a history, planned after each step as the loop does; a step that cannot be taken is passed over.
pub(crate) fn payment_after(history: &[Step]) -> Payment {
    let first = accept(None, &Command::Charge(charge(0, 500)), NOW).unwrap();
    history.iter().enumerate().fold(planned(first, NOW), |payment, (n, step)| {
        let now = NOW.plus_ms(minutes(n as i64));
        planned(take(payment, step, now), now)
    })
}

pub(crate) fn planned(payment: Payment, now: Time) -> Payment {
    plan(payment, now, &Rules::production())
}

/// Takes one step, where the loop could.
pub(crate) fn take(mut payment: Payment, step: &Step, now: Time) -> Payment {
    match step {
        Step::IsAskedFor { charge: n, amount } => {
            accept(Some(&payment), &Command::Charge(charge(*n, *amount)), now).unwrap()
        }
        Step::IsSent { charge } => sent(payment, &key(*charge), now),
        Step::ItsVoidIsSent { charge } => sent(payment, &OperationKey::void_of(&key(*charge)), now),
        Step::ShowsAFact { charge, fact } => {
            // Nothing can be seen of what was never sent.
            if payment.operations.get(&key(*charge)).is_some_and(|op| op.attempt.was_sent()) {
                payment.absorb(&key(*charge), fact);
            }
            payment
        }
        Step::TeachesANote { charge, note } => taught(payment, &key(*charge), note, now),
        Step::ItsVoidTeachesANote { charge, note } => {
            taught(payment, &OperationKey::void_of(&key(*charge)), note, now)
        }
    }
}

fn sent(mut payment: Payment, key: &OperationKey, now: Time) -> Payment {
    let Some(operation) = payment.operations.get(key) else { return payment };
    if operation.attempt.rests() || !payment.is_runnable(key, operation) {
        return payment;
    }
    if let Some(operation) = payment.operations.get_mut(key) {
        operation.attempt.first_sent_at = operation.attempt.first_sent_at.or(Some(now));
        operation.attempt.last_send_until = Some(now.plus_ms(minutes(1)));
    }
    payment
}

fn taught(mut payment: Payment, key: &OperationKey, note: &Note, now: Time) -> Payment {
    let is_sent = payment.operations.get(key).is_some_and(|op| op.attempt.was_sent());
    // An account is compared before a first send too; anything else answers a request.
    if let Some(operation) = payment.operations.get_mut(key)
        && (is_sent || *note == Note::AccountChanged)
        && !operation.attempt.rests()
    {
        let mut turn = Turn { now, armed: true, ..Turn::default() };
        conclude(&mut operation.attempt, note.clone(), &mut turn, &Rules::production());
    }
    payment
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
