//! `ikkai show`.

use std::cell::Cell;

use effect::{Outcome, minutes};
use ikkai::show::show;
use payment::{Claim, Record};
use serde_json::Value;

use crate::{NOW, Table, TestClock, ended, in_review, sent};

async fn shown(record: &Record, as_json: bool) -> String {
    let clock = TestClock(Cell::new(NOW));
    show(&record.id, as_json, &Table::with(record), &clock).await.unwrap()
}

fn assert_says(text: &str, expected: &[&str]) {
    for part in expected {
        assert!(text.contains(part), "{part} in:\n{text}");
    }
}

#[tokio::test]
async fn a_captured_payment_shows_its_ids_and_what_was_announced() {
    let record = ended("o-1", Outcome::Succeeded);
    let text = shown(&record, false).await;
    let event = format!("{}/charge/1:succeeded", record.id);
    assert_says(
        &text,
        &["state      captured", "o-1 of shop", "pi_1", "PaymentCaptured", &event, "none: no machine"],
    );
    assert_says(&text, &["4200 jpy", "evt-1", "2026-11-30T09:12:03Z (3 min ago)"]);
}

#[tokio::test]
async fn a_declined_payment_shows_the_code_and_the_void_that_follows() {
    let text = shown(&ended("o-1", Outcome::Declined("card_declined".to_owned())), false).await;
    assert_says(&text, &["state      failed", "card_declined", "void/1  pending", "PaymentFailed"]);
}

#[tokio::test]
async fn an_intent_without_an_outcome_is_unknown_unless_a_worker_is_acting() {
    let text = shown(&sent("o-1", None), false).await;
    assert_says(&text, &["charge/1  unknown", "key until  2026-12-01T08:11:03Z"]);
    let claim = Claim { token: "t".to_owned(), until: NOW.plus_ms(minutes(1)) };
    let text = shown(&sent("o-1", Some(claim)), false).await;
    assert_says(&text, &["charge/1  pending", "a worker is acting until 2026-11-30T09:16:03Z"]);
}

#[tokio::test]
async fn a_review_says_why_and_what_was_tried() {
    let text = shown(&in_review("o-1"), false).await;
    assert_says(&text, &["needs a person", "REVIEW     window_over", "listed and searched", "9 time(s)"]);
    assert_says(&text, &["review     since", "PaymentReviewRequired"]);
}

#[tokio::test]
async fn json_holds_the_same() {
    let value: Value = serde_json::from_str(&shown(&in_review("o-1"), true).await).unwrap();
    assert_eq!(value["operations"][0]["review"]["reason"], "window_over");
    assert_eq!(value["operations"][0]["standing"], "unknown");
    assert_eq!(value["operations"][0]["announced"][0]["event"], "PaymentReviewRequired");
    assert_eq!(value["needs_review"], true);
}

#[tokio::test]
async fn a_payment_that_is_not_there_is_named() {
    let (record, clock) = (ended("o-1", Outcome::Succeeded), TestClock(Cell::new(NOW)));
    let error = show(&record.id, false, &Table::default(), &clock).await.unwrap_err();
    assert!(error.to_string().contains(record.id.as_str()));
}
