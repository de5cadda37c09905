use effect::{Fact, Frozen, Outcome, ProviderKey, Rules, Time};

use super::*;
use crate::{
    accept::accept,
    command::Command,
    plan::plan,
    record::{Account, Announced, Payment},
    requests::{Charge, Refund},
    seal::{Guard, seal},
};

type Change = fn(&mut Record);

const NOW: Time = Time(1_900_000_000_000);

fn charge_key() -> OperationKey {
    OperationKey::charge("1".parse().unwrap())
}

fn refund_key() -> OperationKey {
    OperationKey::refund("1".parse().unwrap())
}

fn capture_key() -> OperationKey {
    OperationKey::capture("1".parse().unwrap())
}

fn send(payment: &mut Payment, key: &OperationKey) {
    payment.account = Some(Account { id: "acct_1".to_owned(), live: false });
    let attempt = &mut payment.operations.get_mut(key).unwrap().attempt;
    attempt.generation = 1;
    attempt.frozen = Some(Frozen {
        key: ProviderKey::derive("prod", &key.to_string(), 1),
        path: "/v1".to_owned(),
        body: "amount=500".to_owned(),
        api_version: "2025-01-01".to_owned(),
    });
    (attempt.first_sent_at, attempt.last_send_until) = (Some(NOW), Some(NOW.plus_ms(1)));
}

/// A charge that was paid, and a refund of a part of it that the provider works on.
fn sound() -> Record {
    let charge = Charge {
        tenant: "shop".parse().unwrap(),
        order: "o-1".parse().unwrap(),
        reference: "1".parse().unwrap(),
        amount: 500.try_into().unwrap(),
        currency: "jpy".parse().unwrap(),
        customer: "cus_1".parse().unwrap(),
        payment_method: "pm_1".parse().unwrap(),
        capture: crate::CaptureMethod::Automatic,
        causation_id: None,
        traceparent: None,
    };
    let refund = Refund {
        tenant: charge.tenant.clone(),
        order: charge.order.clone(),
        reference: "1".parse().unwrap(),
        amount: Some(300.try_into().unwrap()),
        causation_id: None,
        traceparent: None,
    };
    let mut payment = accept(None, &Command::Charge(charge), NOW).unwrap();
    send(&mut payment, &charge_key());
    payment.absorb(&charge_key(), &Fact { id: "pi_1".to_owned(), outcome: Some(Outcome::Succeeded) });
    let payment = accept(Some(&payment), &Command::Refund(refund), NOW).unwrap();
    let mut payment = plan(payment, NOW, &Rules::production());
    send(&mut payment, &refund_key());
    payment.absorb(&refund_key(), &Fact { id: "re_1".to_owned(), outcome: None });
    charge_of(&mut payment).differing.insert("0a".to_owned());
    seal(payment, None, None, Guard::Due, NOW, &Rules::production())
}

fn charge_of(payment: &mut Payment) -> &mut Operation {
    payment.operations.get_mut(&charge_key()).unwrap()
}

fn charge(record: &mut Record) -> &mut Operation {
    charge_of(&mut record.payment)
}

fn refund(record: &mut Record) -> &mut Operation {
    record.payment.operations.get_mut(&refund_key()).unwrap()
}

fn frozen(record: &mut Record) -> &mut Frozen {
    refund(record).attempt.frozen.as_mut().unwrap()
}

/// Puts a capture in the refund's place.
fn capture(record: &mut Record) -> &mut Operation {
    let mut operation = record.payment.operations.remove(&refund_key()).unwrap();
    operation.attempt.ids.clear();
    operation.effect =
        Effect::Capture { amount: Some(500.try_into().unwrap()), charge: Some("1".parse().unwrap()) };
    record.payment.operations.entry(capture_key()).or_insert(operation)
}

const UNSOUND: [(&str, Change); 27] = [
    ("versions count from 1", |next| next.version = 0),
    ("begins with a charge", |next| next.payment.operations.clear()),
    ("an announcement names something", |next| next.announce = Some(String::new())),
    ("the review index", |next| next.review_at = Some(NOW)),
    ("nothing is due before", |next| next.due_at = Some(NOW.plus_ms(-1))),
    ("a sweep has answered", |next| (next.due_at, next.woken_for) = (Some(NOW), Some(NOW))),
    ("an account on record", |next| next.payment.account = None),
    ("operations count from 1", |next| charge(next).seq = 0),
    ("no two operations share", |next| refund(next).seq = 1),
    ("name says what it does", |next| refund(next).effect = Effect::Void { charge: "1".parse().unwrap() }),
    ("a write to come", |next| {
        charge(next).outcomes.insert("failed".to_owned(), Announced { version: 2, time: NOW });
    }),
    ("was frozen before", |next| charge(next).attempt.frozen = None),
    ("has a window", |next| charge(next).attempt.first_sent_at = None),
    ("before the first one began", |next| charge(next).attempt.first_sent_at = Some(NOW.plus_ms(2))),
    ("has its request", |next| {
        let attempt = &mut refund(next).attempt;
        (attempt.frozen, attempt.first_sent_at, attempt.last_send_until) = (None, None, None);
    }),
    ("not looked at again", |next| charge(next).attempt.look_at = Some(NOW)),
    ("was sent for", |next| refund(next).attempt.standing = Standing::Pending),
    ("need a person", |next| {
        refund(next).attempt.ids.insert("re_2".to_owned());
    }),
    ("only a charge's money", |next| refund(next).attempt.standing = Standing::Authorized),
    ("only charges and refunds move", |next| capture(next).attempt.moved = Some(1)),
    ("no object of its own", |next| {
        capture(next).attempt.ids.insert("pi_1".to_owned());
    }),
    ("succeeds or fails", |next| capture(next).attempt.standing = Standing::Canceled),
    ("not decided on", |next| refund(next).effect = Effect::Refund { amount: None, charge: None }),
    ("has an amount", |next| {
        refund(next).effect = Effect::Refund { amount: None, charge: Some("1".parse().unwrap()) };
    }),
    ("one on record", |next| {
        let amount = Some(300.try_into().unwrap());
        refund(next).effect = Effect::Refund { amount, charge: Some("9".parse().unwrap()) };
    }),
    ("a charge comes before", |next| charge(next).seq = 9),
    ("a charge without an object", |next| charge(next).attempt.ids.clear()),
];

const FAITHLESS: [(&str, Change); 24] = [
    ("stays its payment's", |next| next.id = format!("pay_{}", "0".repeat(32)).parse().unwrap()),
    ("every write counts", |next| next.version = 1),
    ("stays its tenant's", |next| next.payment.tenant = "mall".parse().unwrap()),
    ("stays its order's", |next| next.payment.order = "o-2".parse().unwrap()),
    ("only a sweep answers", |next| next.woken_for = Some(NOW.plus_ms(-1))),
    ("stays with its account", |next| next.payment.account = None),
    ("does not become", |next| charge(next).attempt.standing = Standing::Failed),
    ("no operation is forgotten", |next| {
        next.payment.operations.remove(&refund_key());
    }),
    ("keeps its place", |next| refund(next).seq = 3),
    ("the one that was asked for", |next| refund(next).digest = "0b".to_owned()),
    ("accepted once", |next| refund(next).accepted_at = NOW.plus_ms(1)),
    ("what caused an operation", |next| refund(next).causation_id = Some("evt-1".to_owned())),
    ("the trace that", |next| refund(next).traceparent = Some("00-1".to_owned())),
    ("no differing request", |next| charge(next).differing.clear()),
    ("stays announced", |next| charge(next).outcomes.clear()),
    ("stays decided", |next| refund(next).effect = Effect::Refund { amount: None, charge: None }),
    ("keeps its amount", |next| {
        let amount = Some(301.try_into().unwrap());
        refund(next).effect = Effect::Refund { amount, charge: Some("1".parse().unwrap()) };
    }),
    ("moves down its rank", |next| refund(next).attempt.standing = Standing::Pending),
    ("no provider id is forgotten", |next| refund(next).attempt.ids.clear()),
    ("generations count up", |next| refund(next).attempt.generation = 0),
    ("one write starts one", |next| refund(next).attempt.generation = 3),
    ("stays frozen", |next| refund(next).attempt.frozen = None),
    ("has one body", |next| frozen(next).body.clear()),
    ("at the first send", |next| refund(next).attempt.first_sent_at = Some(NOW.plus_ms(1))),
];

#[track_caller]
fn breaks(law: &str, check: impl FnOnce() + std::panic::UnwindSafe) {
    let told = std::panic::catch_unwind(check).err().and_then(|told| {
        let text = told.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| told.downcast_ref::<String>().cloned())
    });
    assert!(told.as_ref().is_some_and(|told| told.contains(law)), "{law}: {told:?}");
}

#[test]
fn a_record_that_breaks_a_law_is_not_written() {
    assert_sound(&sound());
    for (law, change) in UNSOUND {
        let mut next = sound();
        change(&mut next);
        breaks(law, move || assert_sound(&next));
    }
}

#[test]
fn a_record_that_does_not_follow_the_one_on_record_is_not_written() {
    let held = sound();
    let follower = || Record { version: 2, ..held.clone() };
    assert_follows(&held, &follower());
    for (law, change) in FAITHLESS {
        let (held, mut next) = (held.clone(), follower());
        change(&mut next);
        breaks(law, move || assert_follows(&held, &next));
    }
}

type Sending = fn(&mut Turn, &mut Record);

/// A refund about to be sent, as the record holds it.
fn about_to_send() -> (Turn, Record) {
    let mut record = sound();
    refund(&mut record).attempt.standing = Standing::Unknown;
    let effect = effect::Turn { now: NOW, armed: true, ..effect::Turn::default() };
    let focus = Some(refund_key());
    (Turn { claimed: true, deadline: NOW, focus, effect, ..Turn::default() }, record)
}

fn at_the_windows_end(turn: &mut Turn) {
    turn.effect.now = NOW.plus_ms(effect::KEY_WINDOW_MS);
    turn.deadline = turn.effect.now;
}

const UNREADY: [(&str, Sending); 9] = [
    ("under a claim alone", |turn, _| turn.claimed = false),
    ("after its intent was recorded", |turn, _| turn.effect.armed = false),
    ("while its claim holds", |turn, _| turn.deadline = NOW.plus_ms(-1)),
    ("what was armed", |turn, _| turn.focus = Some(charge_key())),
    ("tells of a send", |_, record| {
        let attempt = &mut refund(record).attempt;
        (attempt.first_sent_at, attempt.last_send_until) = (None, None);
    }),
    ("byte for byte", |_, record| frozen(record).body.push('0')),
    ("for what rests", |_, record| refund(record).attempt.standing = Standing::Refused),
    ("for what rests", |_, record| refund(record).attempt.review = Some(effect::ReviewReason::NotFinal)),
    ("while its key lives", |turn, record| {
        refund(record).attempt.generation = 0;
        at_the_windows_end(turn);
    }),
];

#[test]
fn what_may_not_be_sent_is_not_sent() {
    let as_frozen = |record: &mut Record| frozen(record).clone();
    for (law, change) in UNREADY {
        let (mut turn, mut record) = about_to_send();
        let frozen = as_frozen(&mut record);
        change(&mut turn, &mut record);
        breaks(law, move || assert_may_send(&turn, Some(&record), &refund_key(), &frozen));
    }
    let (turn, mut record) = about_to_send();
    let frozen = as_frozen(&mut record);
    breaks("tells of a send", move || assert_may_send(&turn, None, &refund_key(), &frozen));
}

#[test]
fn a_create_has_a_window_and_what_acts_by_state_has_none() {
    let (mut turn, mut record) = about_to_send();
    let send = |turn: &Turn, record: &mut Record, key: &OperationKey| {
        let frozen = record.payment.operations[key].attempt.frozen.clone().unwrap();
        assert_may_send(&Turn { focus: Some(key.clone()), ..turn.clone() }, Some(record), key, &frozen);
    };
    send(&turn, &mut record, &refund_key());
    refund(&mut record).attempt.generation = 0;
    send(&turn, &mut record, &refund_key());
    at_the_windows_end(&mut turn);
    refund(&mut record).attempt.generation = 1;
    send(&turn, &mut record, &refund_key());
    capture(&mut record).attempt.generation = 0;
    send(&turn, &mut record, &capture_key());
}
