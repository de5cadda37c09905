//! Short hands: one charge, and the bodies that speak of it.

use effect::{Fact, Look, Outcome, Time};
use payment::{
    Kind,
    ports::{Expected, Object, Question},
};
use serde_json::{Value, json};
use stripe_wire::HttpReply;

pub(crate) const OPERATION_ID: &str = "pay_00112233445566778899aabbccddeeff/charge/1";

pub(crate) fn expected() -> Expected {
    Expected {
        kind: Kind::Charge,
        operation_id: OPERATION_ID.to_owned(),
        amount: 500.try_into().expect("an amount"),
        currency: "jpy".parse().expect("a currency"),
        object: Object::Intent { customer: "cus_1".parse().expect("a customer") },
    }
}

pub(crate) fn question(look: Look) -> Question {
    Question {
        look,
        id: Some("pi_1".to_owned()),
        from: Time(1_800_000_000_999),
        to: Time(1_800_003_600_000),
        cursor: None,
        expected: expected(),
    }
}

/// An intent that is ours, in a status.
pub(crate) fn intent(status: &str) -> Value {
    json!({
        "id": "pi_1", "object": "payment_intent", "status": status, "amount": 500, "currency": "jpy",
        "metadata": { "operation_id": OPERATION_ID }, "last_payment_error": null, "latest_charge": null
    })
}

/// The same with the error of its last attempt.
pub(crate) fn declined_intent(status: &str) -> Value {
    let mut intent = intent(status);
    intent["last_payment_error"] = json!({ "code": "card_declined", "decline_code": "lost_card" });
    intent
}

pub(crate) fn error(kind: &str, code: &str) -> Value {
    json!({ "error": { "type": kind, "code": code, "message": "…" } })
}

pub(crate) fn error_with(kind: &str, code: &str, intent: Value) -> Value {
    json!({ "error": { "type": kind, "code": code, "message": "…", "payment_intent": intent } })
}

pub(crate) fn reply(status: u16, body: &Value) -> HttpReply {
    raw(status, body.to_string().into_bytes())
}

pub(crate) fn raw(status: u16, body: impl Into<Vec<u8>>) -> HttpReply {
    HttpReply { status, replayed: false, should_retry: None, body: body.into() }
}

pub(crate) fn replayed(reply: HttpReply) -> HttpReply {
    HttpReply { replayed: true, ..reply }
}

pub(crate) fn fact(outcome: Option<Outcome>) -> Fact {
    Fact { id: "pi_1".to_owned(), outcome }
}
