//! What captures, cancels and manual charges say on the wire.

use effect::{Fact, Note, Outcome, ProviderKey, Status};
use payment::{
    CaptureMethod, Kind,
    ports::{Answer, Expected, Request},
};
use serde_json::{Value, json};
use stripe_wire::{HttpReply, classify, prepare};

use crate::sample::{OPERATION_ID, error, error_with, expected, fact, intent, raw, replayed, reply};

fn sent(kind: Kind, reply: HttpReply) -> Answer {
    classify(&Ok(reply), &Expected { kind, ..expected() })
}

fn captured(received: u64) -> Value {
    let mut intent = intent("succeeded");
    intent["amount_received"] = received.into();
    intent
}

fn only(fact: Fact) -> Answer {
    Answer { facts: vec![fact], note: None }
}

#[test]
fn a_manual_create_and_a_capture_are_these_bytes_for_ever() {
    let key = || ProviderKey::derive("prod", OPERATION_ID, 0);
    let create = Request::CreateIntent {
        amount: 500.try_into().expect("an amount"),
        currency: "jpy".parse().expect("a currency"),
        customer: "cus_1".parse().expect("a customer"),
        payment_method: "pm_card_visa".parse().expect("a method"),
        capture: CaptureMethod::Manual,
    };
    assert_eq!(
        prepare(&create, OPERATION_ID, key()).body,
        "amount=500&currency=jpy&customer=cus_1&payment_method=pm_card_visa&confirm=true&off_session=true\
         &capture_method=manual&metadata%5Boperation_id%5D=pay_00112233445566778899aabbccddeeff%2Fcharge%2F1"
    );
    let capture =
        Request::CaptureIntent { id: "pi_1".to_owned(), amount: 300.try_into().expect("an amount") };
    let frozen = prepare(&capture, OPERATION_ID, key());
    assert_eq!(
        (frozen.path.as_str(), frozen.body.as_str()),
        ("/v1/payment_intents/pi_1/capture", "amount_to_capture=300")
    );
}

#[test]
fn a_capture_of_all_is_a_success_and_of_a_part_says_how_much() {
    for kind in [Kind::Charge, Kind::Capture, Kind::Cancel] {
        assert_eq!(sent(kind, reply(200, &captured(500))), only(fact(Some(Outcome::Succeeded))));
        assert_eq!(sent(kind, reply(200, &captured(300))), only(fact(Some(Outcome::Partly(300)))));
        assert_eq!(sent(kind, replayed(reply(200, &captured(300)))), only(fact(Some(Outcome::Partly(300)))));
        assert_eq!(sent(kind, reply(200, &intent("succeeded"))), only(fact(Some(Outcome::Succeeded))));
    }
}

#[test]
fn a_hold_is_a_fact_and_a_status() {
    let held = sent(Kind::Charge, reply(200, &intent("requires_capture")));
    let facts = vec![fact(Some(Outcome::Authorized))];
    assert_eq!(held, Answer { facts: facts.clone(), note: Some(Note::Status(Status::RequiresCapture)) });
    let saved = sent(Kind::Charge, replayed(reply(200, &intent("requires_capture"))));
    assert_eq!(
        saved,
        Answer { facts, note: Some(Note::Undecodable) },
        "it was held: look whether it still is"
    );
}

#[test]
fn a_capture_or_cancel_in_another_state_looks_and_adopts_what_is_shown() {
    let code = "payment_intent_unexpected_state";
    for kind in [Kind::Capture, Kind::Cancel] {
        let bare = sent(kind, reply(400, &error("invalid_request_error", code)));
        assert_eq!(bare, Answer { facts: Vec::new(), note: Some(Note::UnexpectedState) });
        for (status, outcome) in [("succeeded", Outcome::Succeeded), ("canceled", Outcome::Canceled)] {
            let shown = sent(kind, reply(400, &error_with("invalid_request_error", code, intent(status))));
            let facts = vec![fact(Some(outcome))];
            assert_eq!(shown, Answer { facts, note: Some(Note::UnexpectedState) });
        }
    }
}

#[test]
fn a_402_to_a_capture_or_cancel_declines_no_charge() {
    for kind in [Kind::Capture, Kind::Cancel, Kind::Void] {
        let bare = sent(kind, reply(402, &error("card_error", "capture_charge_authorization_expired")));
        let refused = Note::Refused("capture_charge_authorization_expired".to_owned());
        assert_eq!(bare, Answer { facts: Vec::new(), note: Some(refused.clone()) });
        let body = error_with("card_error", "capture_charge_authorization_expired", intent("canceled"));
        let shown = sent(kind, reply(402, &body));
        assert_eq!(shown, Answer { facts: vec![fact(Some(Outcome::Canceled))], note: Some(refused) });
    }
}

#[test]
fn a_capture_that_shows_another_intent_or_nothing_readable_is_looked_up() {
    let mut other = captured(300);
    other["metadata"] = json!({ "operation_id": "pay_00112233445566778899aabbccddeeff/charge/2" });
    let bodies = [
        other.to_string(),
        String::new(),
        "[]".to_owned(),
        r#"{"id":"pi_1","amount_received":-1}"#.to_owned(),
    ];
    for body in bodies {
        let answer = sent(Kind::Capture, raw(200, body.clone()));
        assert_eq!(answer, Answer { facts: Vec::new(), note: Some(Note::Undecodable) }, "{body}");
    }
}

#[test]
fn more_received_than_asked_is_never_more_than_all() {
    assert_eq!(sent(Kind::Capture, reply(200, &captured(9_999))), only(fact(Some(Outcome::Succeeded))));
}
