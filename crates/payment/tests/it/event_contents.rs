//! What an event says of the amount, the currency and the reason, where another operation decides it.

use effect::Outcome;
use payment::{Announced, CaptureMethod, Effect, Event, Kind, OperationKey, Record, rebuild};
use serde_json::Value;

use crate::{
    asking::{cancel, capture, key, refund},
    story::{CANCEL, CAPTURE, CHARGE, Story},
};

fn rebuilt(record: &Record, key: &OperationKey, outcome: &str) -> Event {
    rebuild(record, &format!("{}:{outcome}", key.id(&record.id))).unwrap()
}

fn data<'a>(event: &'a Event, field: &str) -> &'a Value {
    &event.detail["data"][field]
}

#[test]
fn of_a_success_the_amount_is_what_was_moved_and_of_all_else_what_was_asked_for() {
    let story = Story::authorized().asks(capture(0, Some(4_000))).sends(CAPTURE);
    let record = story.shows(CHARGE, Some(Outcome::Partly(4_000))).record;
    let charge = key(Kind::Charge, 0);
    assert_eq!(data(&rebuilt(&record, &charge, "succeeded"), "amount"), 4_000);
    assert_eq!(data(&rebuilt(&record, &charge, "authorized"), "amount"), 10_000);
}

#[test]
fn what_was_refused_before_its_charge_was_known_has_the_payments_currency() {
    let story = Story::begins(CaptureMethod::Automatic).asks(refund(0, None)).asks(cancel(0, false));
    let refused = story.told.iter().find(|event| data(event, "operation") == "refund/1").unwrap();
    assert_eq!(data(refused, "currency"), "jpy");
}

#[test]
fn a_canceled_charge_names_the_cancel_and_a_canceled_refund_does_not() {
    let story = Story::authorized().asks(cancel(0, false)).sends(CANCEL);
    let mut record = story.shows(CHARGE, Some(Outcome::Canceled)).record;
    let charge = key(Kind::Charge, 0);
    assert_eq!(data(&rebuilt(&record, &charge, "canceled"), "reason"), "cancel/1");

    // A refund of the same ref as the charge.
    let mut operation = record.payment.operations[&charge].clone();
    operation.effect =
        Effect::Refund { amount: Some(1.try_into().unwrap()), charge: Some("1".parse().unwrap()) };
    operation.outcomes = [("canceled".to_owned(), Announced { version: 1, time: record.updated_at })].into();
    record.payment.operations.insert(key(Kind::Refund, 0), operation);
    assert_eq!(data(&rebuilt(&record, &key(Kind::Refund, 0), "canceled"), "reason"), &Value::Null);
}
