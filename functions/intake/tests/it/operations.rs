//! Charges, captures, cancels and refunds of a payment on record: D4 of the field cases.

use effect::{Fact, Frozen, Outcome, ProviderKey, Standing};
use payment::{AMOUNT_ABOVE_REFUNDABLE, Account, Command, Kind, OperationKey, Payment, PaymentId};
use serde_json::{Value, json};

use crate::bench::{Bench, Reply, charge_1, payment};

/// Records what settle records before it sends.
fn send(payment: &mut Payment) {
    payment.account = Some(Account { id: "acct_1".to_owned(), live: false });
    let charge = payment.operations.get_mut(&charge_1()).unwrap();
    charge.attempt.first_sent_at = Some(crate::bench::NOW);
    charge.attempt.last_send_until = Some(crate::bench::NOW);
    charge.attempt.frozen = Some(Frozen {
        key: ProviderKey::derive("test", "charge/1", 0),
        path: "/v1/payment_intents".to_owned(),
        body: "amount=10000".to_owned(),
        api_version: "2025-09-30.clover".to_owned(),
    });
}

fn sent(payment: &mut Payment, outcome: Outcome) {
    send(payment);
    payment.absorb(&charge_1(), &Fact { id: "pi_1".to_owned(), outcome: Some(outcome) });
}

/// A payment whose charge ended so, with what follows from it.
async fn with_charge(bench: &Bench, order: &str, outcome: Outcome) -> PaymentId {
    let id = bench.created(order).await;
    bench.change(&id, |payment| sent(payment, outcome));
    id
}

async fn ask(bench: &Bench, id: &PaymentId, verb: &str, key: &str, body: Value) -> Reply {
    bench.post(&format!("/v1/payments/{id}/{verb}"), key, &body).await
}

// D4.
#[tokio::test]
async fn d4_the_wrong_verb_for_a_settled_state_is_409_with_its_code_and_records_nothing() {
    let bench = Bench::new();
    let held = with_charge(&bench, "held", Outcome::Authorized).await;
    let paid = with_charge(&bench, "paid", Outcome::Succeeded).await;
    let declined = with_charge(&bench, "declined", Outcome::Declined("card_declined".to_owned())).await;
    for (id, verb, code) in [
        (&held, "refunds", "not_captured"),
        (&paid, "cancel", "already_captured"),
        (&paid, "capture", "already_captured"),
        (&declined, "capture", "not_authorized"),
        (&declined, "cancel", "nothing_to_cancel"),
        (&declined, "refunds", "not_captured"),
    ] {
        let before = bench.record(id);
        let reply = ask(&bench, id, verb, "k-1", json!({})).await;
        assert_eq!((reply.status, &reply.json()["code"]), (409, &json!(code)), "{verb}: {}", reply.body);
        assert_eq!((reply.header("retry-after"), reply.payment_id()), (None, id.clone()));
        assert_eq!(bench.record(id), before, "{verb}");
    }
    assert_eq!(bench.table.keys.borrow().len(), 3, "the keys of refused requests stay free");
    let refund = ask(&bench, &paid, "refunds", "k-1", json!({ "amount": 4_201 })).await;
    assert_eq!((refund.status, &refund.json()["code"]), (409, &json!(AMOUNT_ABOVE_REFUNDABLE)));
    assert_eq!(ask(&bench, &paid, "refunds", "k-1", json!({ "amount": 4_200 })).await.status, 202);
}

#[tokio::test]
async fn a_refund_is_recorded_due_and_sent_once_for_its_key() {
    let bench = Bench::new();
    let id = with_charge(&bench, "o-1", Outcome::Succeeded).await;
    let first = ask(&bench, &id, "refunds", "k-1", json!({ "amount": 1_000 })).await;
    assert_eq!(first.status, 202, "{}", first.body);
    let body = first.json();
    assert_eq!((&body["state"], &body["refundable"]), (&json!("refunding"), &json!(3_200)));
    let again = ask(&bench, &id, "refunds", "k-1", json!({ "amount": 1_000 })).await;
    assert_eq!((again.body, again.headers.get("idempotent-replayed")), (first.body, Some(&json!("true"))));
    let record = bench.record(&id);
    assert!(record.due_at.is_some());
    let refunds: Vec<&OperationKey> =
        record.payment.operations.keys().filter(|key| key.kind == Kind::Refund).collect();
    assert_eq!(refunds.len(), 1);
    assert_eq!(body["accepted"], refunds[0].to_string());
    assert_eq!(bench.commands().last().unwrap().asked().unwrap().key, *refunds[0]);
    // Another key without a ref is another refund; what is left bounds it.
    assert_eq!(ask(&bench, &id, "refunds", "k-2", json!({ "amount": 3_201 })).await.status, 409);
    assert_eq!(ask(&bench, &id, "refunds", "k-2", json!({})).await.json()["refundable"], 0);
}

#[tokio::test]
async fn a_refund_with_a_ref_is_one_whatever_the_key_and_for_ever() {
    let bench = Bench::new();
    let id = with_charge(&bench, "o-1", Outcome::Succeeded).await;
    let body = json!({ "ref": "broken-cup", "amount": 1_000 });
    assert_eq!(ask(&bench, &id, "refunds", "k-1", body.clone()).await.status, 202);
    bench.pass(effect::hours(25));
    assert_eq!(ask(&bench, &id, "refunds", "k-1", body.clone()).await.status, 202);
    assert_eq!(ask(&bench, &id, "refunds", "k-2", body).await.status, 202);
    let record = bench.record(&id);
    assert_eq!(record.payment.operations.keys().filter(|key| key.kind == Kind::Refund).count(), 1);
    let other = ask(&bench, &id, "refunds", "k-3", json!({ "ref": "broken-cup", "amount": 999 })).await;
    assert_eq!((other.status, &other.json()["code"]), (409, &json!("parameters_differ")));
    assert_eq!((other.payment_id(), other.header("retry-after")), (id, None));
}

#[tokio::test]
async fn a_default_ref_is_the_same_25_hours_later_and_is_never_a_card_number() {
    let bench = Bench::new();
    let id = with_charge(&bench, "o-1", Outcome::Succeeded).await;
    let first = ask(&bench, &id, "refunds", "k-1", json!({ "amount": 5 })).await;
    bench.pass(effect::hours(25));
    let second = ask(&bench, &id, "refunds", "k-1", json!({ "amount": 5 })).await;
    assert_eq!(first.json()["accepted"], second.json()["accepted"]);
    assert_eq!(second.header("idempotent-replayed"), None);
    assert_eq!(bench.record(&id).payment.totals().reserved, 5);
    let accepted = first.json()["accepted"].as_str().unwrap().to_owned();
    assert!(!accepted.bytes().any(|byte| byte.is_ascii_digit()), "{accepted}");
}

#[tokio::test]
async fn what_waits_is_accepted_and_what_is_in_doubt_waits() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    bench.change(&id, |payment| {
        send(payment);
        payment.operations.get_mut(&charge_1()).unwrap().attempt.standing = Standing::Unknown;
    });
    for verb in ["capture", "cancel", "refunds"] {
        let reply = ask(&bench, &id, verb, verb, json!({})).await;
        assert_eq!(reply.status, 202, "{verb}: {}", reply.body);
    }
    assert!(bench.record(&id).payment.operations.values().all(|op| op.attempt.standing != Standing::Refused));
}

#[tokio::test]
async fn a_cancel_that_may_refund_becomes_a_refund_and_a_repeat_is_the_same() {
    let bench = Bench::new();
    let id = with_charge(&bench, "o-1", Outcome::Succeeded).await;
    let reply = ask(&bench, &id, "cancel", "k-1", json!({ "if_captured": "refund" })).await;
    assert_eq!((reply.status, &reply.json()["state"]), (202, &json!("refunding")), "{}", reply.body);
    assert_eq!(bench.record(&id).payment.totals().reserved, 4_200);
    let again = ask(&bench, &id, "cancel", "k-2", json!({ "if_captured": "refund" })).await;
    assert_eq!((again.status, &again.json()["code"]), (409, &json!(AMOUNT_ABOVE_REFUNDABLE)));
}

#[tokio::test]
async fn a_cancel_before_anything_was_sent_is_done_when_it_is_accepted() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    let reply = ask(&bench, &id, "cancel", "k-1", json!({})).await;
    assert_eq!((reply.status, &reply.json()["state"]), (202, &json!("canceled")));
    let record = bench.record(&id);
    assert_eq!(record.due_at, None, "there is nothing left to do");
    assert!(record.announce.is_some(), "and it is announced");
    assert_eq!(bench.commands().len(), 1, "and nothing to send");
}

#[tokio::test]
async fn a_further_attempt_needs_a_ref_and_waits_for_the_first() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    let mut charge = payment("o-1");
    charge.as_object_mut().unwrap().remove("order");
    let reply = ask(&bench, &id, "charges", "k-1", charge.clone()).await;
    assert_eq!((reply.status, &reply.json()["field"]), (400, &json!("ref")));
    charge["ref"] = json!("2");
    let reply = ask(&bench, &id, "charges", "k-1", charge.clone()).await;
    assert_eq!((reply.status, &reply.json()["accepted"]), (202, &json!("charge/2")));
    assert!(
        matches!(bench.commands().last(), Some(Command::Charge(charge)) if charge.order.as_str() == "o-1")
    );
    // One order is one payment: another ref under its order is no first charge.
    let mut other = payment("o-1");
    other["ref"] = json!("3");
    let reply = bench.post("/v1/payments", "k-3", &other).await;
    assert_eq!((reply.status, &reply.json()["code"]), (409, &json!("parameters_differ")));
    assert_eq!(reply.payment_id(), id);
    let paid = with_charge(&bench, "o-2", Outcome::Succeeded).await;
    assert_eq!(ask(&bench, &paid, "charges", "k-1", charge).await.json()["code"], "already_paid");
}

#[tokio::test]
async fn names_that_ikkai_or_stripe_gives_are_refused() {
    let bench = Bench::new();
    let id = with_charge(&bench, "o-1", Outcome::Succeeded).await;
    for (verb, reference) in [("refunds", "re_1"), ("refunds", "cancel-x"), ("cancel", "timeout-1")] {
        let reply = ask(&bench, &id, verb, "k-1", json!({ "ref": reference })).await;
        assert_eq!((reply.status, &reply.json()["field"]), (400, &json!("ref")), "{reference}");
    }
}

#[tokio::test]
async fn the_amount_of_a_part_keeps_the_currencys_rules_but_has_no_minimum() {
    let bench = Bench::new();
    let mut body = payment("o-1");
    body["currency"] = json!("isk");
    let id = bench.post("/v1/payments", "k", &body).await.payment_id();
    bench.change(&id, |payment| sent(payment, Outcome::Succeeded));
    let reply = ask(&bench, &id, "refunds", "k-1", json!({ "amount": 150 })).await;
    assert_eq!((reply.status, &reply.json()["field"]), (400, &json!("amount")));
    assert_eq!(ask(&bench, &id, "refunds", "k-1", json!({ "amount": 100 })).await.status, 202);
}

#[tokio::test]
async fn a_worker_that_is_acting_keeps_its_claim() {
    let bench = Bench::new();
    let id = with_charge(&bench, "o-1", Outcome::Succeeded).await;
    let claim = payment::Claim { token: "worker".to_owned(), until: crate::bench::NOW.plus_ms(60_000) };
    bench.table.records.borrow_mut().get_mut(&id).unwrap().claim = Some(claim.clone());
    assert_eq!(ask(&bench, &id, "refunds", "k-1", json!({})).await.status, 202);
    let record = bench.record(&id);
    assert_eq!((record.claim, record.due_at), (Some(claim.clone()), Some(claim.until)));
}

#[tokio::test]
async fn a_payment_holds_a_hundred_operations_and_no_more() {
    let bench = Bench::new();
    let id = with_charge(&bench, "o-1", Outcome::Succeeded).await;
    for n in 1..payment::MAX_OPERATIONS {
        assert_eq!(ask(&bench, &id, "refunds", &format!("k-{n}"), json!({ "amount": 1 })).await.status, 202);
    }
    let reply = ask(&bench, &id, "refunds", "k-last", json!({ "amount": 1 })).await;
    assert_eq!((reply.status, &reply.json()["code"]), (409, &json!("too_many_operations")));
}
