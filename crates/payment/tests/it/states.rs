//! What a payment adds up to, what is shown of it, and what is told about it.

use effect::{Outcome, ReviewReason, Standing, Time};
use payment::{Announced, Event, EventType, Guard, Payment, PaymentState, Record, announced, rebuild, seal};
use serde_json::json;

use crate::{
    histories::NOW,
    payments::{asked_for, declined_first, ended, key, operation, rules, seen, sent, void, with},
};

fn sealed(payment: Payment) -> Record {
    seal(payment, None, None, Guard::Due, NOW, &rules())
}

fn event(payment: Payment) -> Event {
    let events = announced(&sealed(payment));
    assert_eq!(events.len(), 1);
    events[0].clone()
}

#[test]
fn a_state_is_what_the_charges_add_up_to() {
    let second = |first: Standing, second: Standing| {
        let payment = ended(asked_for(2), &key(0), first);
        if second == Standing::Pending { payment } else { ended(payment, &key(1), second).clone() }
    };
    let unknown_second = with(second(Standing::Failed, Standing::Pending), &key(1), |attempt| {
        attempt.standing = Standing::Unknown;
    });
    let cases = [
        (asked_for(2), PaymentState::Created),
        (sent(asked_for(1), &key(0)), PaymentState::Authorizing),
        (sent(asked_for(2), &key(0)), PaymentState::Authorizing),
        (seen(asked_for(1), 0, "pi_1", None), PaymentState::Authorizing),
        (ended(asked_for(1), &key(0), Standing::Failed), PaymentState::Failed),
        (ended(asked_for(1), &key(0), Standing::Refused), PaymentState::Failed),
        (ended(asked_for(1), &key(0), Standing::Canceled), PaymentState::Canceled),
        (ended(asked_for(1), &key(0), Standing::Succeeded), PaymentState::Captured),
        (second(Standing::Succeeded, Standing::Refused), PaymentState::Captured),
        (second(Standing::Failed, Standing::Succeeded), PaymentState::Captured),
        (second(Standing::Failed, Standing::Pending), PaymentState::Authorizing),
        (unknown_second, PaymentState::Authorizing),
        (second(Standing::Failed, Standing::Canceled), PaymentState::Canceled),
        (second(Standing::Canceled, Standing::Refused), PaymentState::Canceled),
        (second(Standing::Canceled, Standing::Failed), PaymentState::Failed),
        (declined_first(), PaymentState::Authorizing),
    ];
    for (payment, state) in cases {
        assert_eq!(payment.state(), state, "{payment:#?}");
    }
}

#[test]
fn a_charge_took_money_only_once_it_has_succeeded() {
    let taken = |payment: &Payment| (payment.operations[&key(0)].captured(), payment.totals().captured);
    for payment in [asked_for(1), sent(asked_for(1), &key(0)), seen(asked_for(1), 0, "pi_1", None)] {
        assert_eq!(taken(&payment), (0, 0), "{payment:#?}");
    }
    for standing in [Standing::Refused, Standing::Failed, Standing::Canceled] {
        assert_eq!(taken(&ended(asked_for(1), &key(0), standing)), (0, 0), "{standing:?}");
    }
    assert_eq!(taken(&ended(asked_for(1), &key(0), Standing::Succeeded)), (500, 500));
}

#[test]
fn an_intent_without_an_outcome_is_shown_as_unknown_unless_a_worker_holds_it() {
    let shown = |payment: &Payment, claimed| payment.operations[&key(0)].shown_standing(claimed);
    let intent = sent(asked_for(1), &key(0));
    assert_eq!((shown(&intent, false), shown(&intent, true)), (Standing::Unknown, Standing::Pending));
    assert_eq!(
        (shown(&asked_for(1), false), shown(&asked_for(1), true)),
        (Standing::Pending, Standing::Pending)
    );
    let paid = ended(asked_for(1), &key(0), Standing::Succeeded);
    assert_eq!((shown(&paid, false), shown(&paid, true)), (Standing::Succeeded, Standing::Succeeded));
}

#[test]
fn an_operation_acts_on_its_charges_one_object() {
    let declined = declined_first();
    assert_eq!((declined.charge_of(&key(0)), declined.charge_of(&void(0))), (key(0), key(0)));
    assert_eq!(declined.charge_of(&key(9)), key(9), "of no operation on record");
    assert_eq!((declined.provider_id(&key(0)), declined.provider_id(&void(0))), (Some("pi_1"), Some("pi_1")));
    assert_eq!((declined.provider_id(&key(1)), declined.provider_id(&key(9))), (None, None));
    let two = seen(declined, 0, "pi_2", None);
    assert_eq!((two.provider_id(&key(0)), two.provider_id(&void(0))), (None, None));
}

#[test]
fn an_event_tells_what_happened_to_what() {
    let declined = Some(Outcome::Declined("card_declined".to_owned()));
    let mut payment = seen(sent(asked_for(1), &key(0)), 0, "pi_1", declined);
    let charge = operation(&mut payment, &key(0));
    (charge.causation_id, charge.traceparent) = (Some("evt-9".to_owned()), Some("00-1".to_owned()));
    let event = event(payment);
    let operation_id = "pay_b2af2315289170b1c4002702de769eca/charge/1";
    assert_eq!((event.kind, event.id.clone()), (EventType::PaymentFailed, format!("{operation_id}:failed")));
    let detail = json!({
        "metadata": {
            "id": format!("{operation_id}:failed"),
            "type": "PaymentFailed",
            "version": "1",
            "time": "2030-03-17T17:46:40Z",
            "sequence": 1,
            "tenant": "shop",
            "operation_id": operation_id,
            "causation_id": "evt-9",
            "traceparent": "00-1",
        },
        "data": {
            "payment_id": "pay_b2af2315289170b1c4002702de769eca",
            "order": "o-1",
            "operation": "charge/1",
            "amount": 500,
            "currency": "jpy",
            "provider_ids": ["pi_1"],
            "reason": "card_declined",
        },
    });
    assert_eq!(event.detail, detail);
}

#[test]
fn an_event_is_of_the_kind_and_reason_of_its_outcome() {
    let mut payment = asked_for(1);
    let charge = operation(&mut payment, &key(0));
    charge.attempt.code = Some("code".to_owned());
    charge.attempt.review = Some(ReviewReason::TwoIds);
    let kinds = [
        ("succeeded", EventType::PaymentCaptured, "PaymentCaptured", Some("code")),
        ("failed", EventType::PaymentFailed, "PaymentFailed", Some("code")),
        ("canceled", EventType::PaymentCanceled, "PaymentCanceled", None),
        ("refused", EventType::OperationRefused, "OperationRefused", Some("code")),
        ("differs-0a", EventType::OperationRefused, "OperationRefused", Some("parameters_differ")),
        ("review", EventType::PaymentReviewRequired, "PaymentReviewRequired", Some("two_ids")),
        ("review#2", EventType::PaymentReviewRequired, "PaymentReviewRequired", Some("two_ids")),
        ("resolved", EventType::PaymentReviewResolved, "PaymentReviewResolved", Some("code")),
        ("resolved#3", EventType::PaymentReviewResolved, "PaymentReviewResolved", Some("code")),
    ];
    let at = Announced { version: 7, time: Time(i64::MAX) };
    let mut record = sealed(payment);
    for name in kinds.iter().map(|kind| kind.0).chain(["settled"]) {
        operation(&mut record.payment, &key(0)).outcomes.insert(name.to_owned(), at);
    }
    let told = |name: &str| rebuild(&record, &format!("{}:{name}", key(0).id(&record.id)));
    for (name, kind, word, reason) in kinds {
        let event = told(name).unwrap();
        assert_eq!((event.kind, event.kind.as_str()), (kind, word), "{name}");
        assert_eq!(event.detail["data"]["reason"].as_str(), reason, "{name}: a cancel would be named");
        assert_eq!(event.detail["metadata"]["sequence"], 7);
        assert_eq!(event.detail["metadata"]["time"], i64::MAX.to_string(), "no calendar reaches so far");
    }
    assert_eq!(told("settled"), None, "no kind of event");
}

#[test]
fn only_what_a_record_announced_can_be_rebuilt_from_it() {
    let record = sealed(ended(asked_for(1), &key(0), Standing::Succeeded));
    let id = record.announce.clone().unwrap();
    assert_eq!(rebuild(&record, &id), announced(&record).pop());
    assert!(rebuild(&record, &id).is_some());
    let other = id.replace("pay_b", "pay_c");
    for unknown in
        ["", ":", "succeeded", &other, &id.replace(":succeeded", ":failed"), &id.replace("/1", "/2")]
    {
        assert_eq!(rebuild(&record, unknown), None, "{unknown}");
    }
    let several = Record { announce: Some(format!("{id} nonsense  {id}")), ..record.clone() };
    assert_eq!(announced(&several).len(), 2);
    for nothing in [None, Some(String::new())] {
        assert_eq!(announced(&Record { announce: nothing, ..record.clone() }), []);
    }
}
