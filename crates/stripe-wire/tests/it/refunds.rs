//! What a refund says on the wire: its bytes, the replies to it, and how it is looked up.

use effect::{Fact, Look, Note, Outcome, ProviderKey, Status};
use payment::{
    Kind,
    ports::{Answer, Expected, Object, Question, Request},
};
use serde_json::{Value, json};
use stripe_wire::{HttpReply, classify, classify_look, prepare, prepare_look};

use crate::sample::{error, question, raw, replayed, reply};

const OPERATION_ID: &str = "pay_00112233445566778899aabbccddeeff/refund/1";

fn expected() -> Expected {
    Expected {
        kind: Kind::Refund,
        operation_id: OPERATION_ID.to_owned(),
        amount: 300.try_into().expect("an amount"),
        currency: "jpy".parse().expect("a currency"),
        object: Object::Refund { intent: "pi_1".to_owned() },
    }
}

fn asked(look: Look) -> Question {
    Question { id: Some("re_1".to_owned()), expected: expected(), ..question(look) }
}

fn refund(status: &str) -> Value {
    json!({
        "id": "re_1", "object": "refund", "status": status, "amount": 300, "currency": "jpy", "payment_intent": "pi_1",
        "charge": "ch_1", "metadata": { "operation_id": OPERATION_ID }
    })
}

fn changed(field: &str, value: Value) -> Value {
    let mut refund = refund("succeeded");
    refund[field] = value;
    refund
}

/// A refund that is not the one asked about, in each respect that is checked.
fn foreign() -> Vec<Value> {
    vec![
        changed("payment_intent", json!("pi_2")),
        changed("payment_intent", json!(null)),
        changed("metadata", json!({ "operation_id": "pay_00112233445566778899aabbccddeeff/refund/2" })),
        changed("metadata", json!({})),
        changed("amount", json!(301)),
        changed("currency", json!("usd")),
        changed("id", json!("../re_1")),
    ]
}

fn sent(reply: HttpReply) -> Answer {
    classify(&Ok(reply), &expected())
}

fn fact(outcome: Option<Outcome>) -> Fact {
    Fact { id: "re_1".to_owned(), outcome }
}

fn only(outcome: Outcome) -> Answer {
    Answer { facts: vec![fact(Some(outcome))], note: None }
}

const fn nothing_but(note: Note) -> Answer {
    Answer { facts: Vec::new(), note: Some(note) }
}

#[test]
fn a_refund_is_these_bytes_for_ever() {
    let request =
        Request::CreateRefund { intent: "pi_1".to_owned(), amount: 300.try_into().expect("an amount") };
    let frozen = prepare(&request, OPERATION_ID, ProviderKey::derive("prod", OPERATION_ID, 0));
    assert_eq!(frozen.path, "/v1/refunds");
    assert_eq!(
        frozen.body,
        "payment_intent=pi_1&amount=300\
         &metadata%5Boperation_id%5D=pay_00112233445566778899aabbccddeeff%2Frefund%2F1"
    );
}

#[test]
fn a_2xx_says_how_the_refund_stands() {
    assert_eq!(sent(reply(200, &refund("succeeded"))), only(Outcome::Succeeded));
    assert_eq!(sent(reply(200, &refund("canceled"))), only(Outcome::Canceled));
    assert_eq!(sent(reply(200, &refund("failed"))), only(Outcome::Declined("unknown".to_owned())));
    let mut failed = refund("failed");
    failed["failure_reason"] = "expired_or_canceled_card".into();
    assert_eq!(sent(reply(200, &failed)), only(Outcome::Declined("expired_or_canceled_card".to_owned())));
    for open in ["pending", "requires_action", "a_status_of_the_future"] {
        let answer = Answer { facts: vec![fact(None)], note: Some(Note::Status(Status::Processing)) };
        assert_eq!(sent(reply(200, &refund(open))), answer, "{open}");
        let answer = Answer { facts: vec![fact(None)], note: Some(Note::Undecodable) };
        assert_eq!(
            sent(replayed(reply(200, &refund(open)))),
            answer,
            "{open}, replayed: as it was, not as it is"
        );
    }
    assert_eq!(sent(replayed(reply(200, &refund("succeeded")))), only(Outcome::Succeeded));
}

#[test]
fn a_2xx_about_another_refund_is_no_fact() {
    for other in foreign() {
        assert_eq!(sent(reply(200, &other)), nothing_but(Note::Undecodable), "{other}");
    }
    let intent = json!({ "id": "pi_1", "status": "succeeded", "amount": 300, "currency": "jpy",
        "metadata": { "operation_id": OPERATION_ID } });
    assert_eq!(sent(reply(200, &intent)), nothing_but(Note::Undecodable), "an intent is no refund");
    for hostile in
        ["", "null", "[]", "{}", "<html>", r#"{"id":"re_1","status":7}"#, "{\"id\":\"re_1\"", "\u{202e}"]
    {
        assert_eq!(sent(raw(200, hostile)), nothing_but(Note::Undecodable), "{hostile}");
    }
}

#[test]
fn a_refusal_keeps_its_code_and_a_402_declines_no_charge() {
    for code in ["charge_already_refunded", "amount_too_large", "charge_disputed"] {
        for status in [400, 402, 404] {
            let answer = sent(reply(status, &error("invalid_request_error", code)));
            assert_eq!(answer, nothing_but(Note::Refused(code.to_owned())), "{status} {code}");
        }
    }
    let reused = sent(reply(400, &error("idempotency_error", "")));
    assert_eq!(reused, nothing_but(Note::KeyReused));
}

#[test]
fn an_intent_in_a_refusal_is_never_the_refund() {
    let mut refused = error("invalid_request_error", "charge_already_refunded");
    refused["error"]["payment_intent"] = json!({ "id": "pi_1", "status": "succeeded", "amount": 300,
        "currency": "jpy", "metadata": { "operation_id": OPERATION_ID } });
    let answer = sent(reply(400, &refused));
    assert_eq!(answer, nothing_but(Note::Refused("charge_already_refunded".to_owned())));
}

#[test]
fn what_may_have_happened_is_ambiguous_and_what_did_not_is_not_done() {
    assert_eq!(sent(raw(500, "")), nothing_but(Note::Ambiguous { resend: true }));
    assert_eq!(sent(raw(409, "")), nothing_but(Note::Ambiguous { resend: false }));
    assert_eq!(sent(replayed(raw(500, ""))), nothing_but(Note::SavedError));
    for status in [401, 403, 429] {
        assert_eq!(sent(raw(status, "")), nothing_but(Note::NotDone), "{status}");
    }
}

#[test]
fn a_refund_is_looked_up_by_id_and_in_the_list_of_its_intent_and_cannot_be_searched_for() {
    let by_id = prepare_look(&asked(Look::ById)).expect("a question");
    assert_eq!((by_id.path.as_str(), by_id.query.as_str()), ("/v1/refunds/re_1", ""));
    let check = prepare_look(&asked(Look::Check("re_2".to_owned()))).expect("a question");
    assert_eq!(check.path, "/v1/refunds/re_2");
    let list = prepare_look(&asked(Look::List)).expect("a question");
    assert_eq!((list.path.as_str(), list.query.as_str()), ("/v1/refunds", "payment_intent=pi_1&limit=100"));
    let mut further = asked(Look::List);
    further.cursor = Some("re_7".to_owned());
    let query = prepare_look(&further).expect("a question").query;
    assert_eq!(query, "payment_intent=pi_1&limit=100&starting_after=re_7");
    assert_eq!(prepare_look(&asked(Look::Search)), None);
    let unknown = Question { id: None, ..asked(Look::ById) };
    assert_eq!(prepare_look(&unknown), None);
}

#[test]
fn a_look_believes_only_our_refund() {
    let looked = |look: Look, body: &Value| classify_look(&Ok(reply(200, body)), &asked(look));
    assert_eq!(looked(Look::ById, &refund("succeeded")), only(Outcome::Succeeded));
    let checked = looked(Look::Check("re_1".to_owned()), &refund("failed"));
    assert_eq!((checked.facts.len(), checked.note), (1, Some(Note::Checked)));
    for other in foreign() {
        assert_eq!(looked(Look::ById, &other), nothing_but(Note::NotTold), "{other}");
        assert_eq!(looked(Look::Check("re_1".to_owned()), &other), nothing_but(Note::Checked), "{other}");
    }
    let other = json!({ "id": "re_2", "metadata": {} });
    let page = |more: bool| json!({ "data": [refund("pending"), other], "has_more": more });
    let hits = |more: Option<&str>| {
        nothing_but(Note::Hits { candidates: vec!["re_1".to_owned()], more: more.map(str::to_owned) })
    };
    assert_eq!(looked(Look::List, &page(false)), hits(None));
    assert_eq!(looked(Look::List, &page(true)), hits(Some("re_2")));
    for status in [400, 404, 429, 500] {
        let answer = classify_look(&Ok(reply(status, &error("x", "resource_missing"))), &asked(Look::ById));
        assert_eq!(answer, nothing_but(Note::NotTold), "{status}");
    }
}
