//! Idempotency keys: F1, F2 and B7 of the field cases.

use effect::{hours, seconds};
use payment::ports::{KEY_LIFE_S, KeyRecord};
use serde_json::{Value, json};

use crate::bench::{Bench, payment, posted, request};

const PATH: &str = "/v1/payments";

#[tokio::test]
async fn a_payment_is_accepted_with_its_key_in_one_transaction_and_sent_once() {
    let bench = Bench::new();
    let reply = bench.post(PATH, "k-1", &payment("o-1")).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    let id = reply.payment_id();
    assert_eq!(reply.header("location"), Some(format!("/v1/payments/{id}").as_str()));
    assert_eq!(reply.header("idempotent-replayed"), None);
    let body = reply.json();
    assert_eq!((&body["state"], &body["accepted"]), (&json!("created"), &json!("charge/1")));
    assert_eq!(body["operations"][0]["status"], "pending");
    assert_eq!(bench.table.writes.get(), (1, 0));
    let record = bench.record(&id);
    assert_eq!((record.version, record.due_at), (1, Some(crate::bench::NOW)), "it is due at once");
    let [message] = bench.sent.messages.borrow().clone().try_into().unwrap();
    assert_eq!(message.group, id);
    assert_eq!(message.deduplication_id, bench.commands()[0].deduplication_id());
}

// F1.
#[tokio::test]
async fn f1_a_missing_blank_long_foreign_or_repeated_key_is_400_and_nothing_is_recorded() {
    let bench = Bench::new();
    let mut events = vec![];
    for key in [
        "",
        "   ",
        "\"\"",
        "\"  \"",
        &"k".repeat(256),
        &"🔑".repeat(64),
        "a\tb",
        "a,b",
        "\"a\", \"b\"",
        "a\\b",
        "\"a",
    ] {
        events.push(posted(PATH, key, &payment("o-1").to_string()));
    }
    let mut without = posted(PATH, "", &payment("o-1").to_string());
    without["headers"].as_object_mut().unwrap().remove("idempotency-key");
    events.push(without);
    let mut twice = posted(PATH, "k", &payment("o-1").to_string());
    twice["multiValueHeaders"] =
        json!({ "Idempotency-Key": ["k", "k"], "Content-Type": ["application/json"] });
    events.push(twice);
    for event in events {
        let reply = bench.handle(&event).await;
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (400, &json!("invalid_idempotency_key")),
            "{event}"
        );
    }
    bench.assert_untouched();
}

// F1.
#[tokio::test]
async fn f1_a_key_of_255_bytes_is_one_and_bare_quoted_and_in_any_case_it_is_the_same() {
    let bench = Bench::new();
    let key = "k".repeat(255);
    let first = bench.post(PATH, &key, &payment("o-1")).await;
    assert_eq!(first.status, 202);
    let quoted = bench.post(PATH, &format!("\"{key}\""), &payment("o-1")).await;
    let mut shouted = posted(PATH, "", &payment("o-1").to_string());
    let headers = shouted["headers"].as_object_mut().unwrap();
    headers.remove("idempotency-key");
    headers.insert("IDEMPOTENCY-KEY".to_owned(), json!(format!(" {key} ")));
    let shouted = bench.handle(&shouted).await;
    for reply in [quoted, shouted] {
        assert_eq!((reply.status, &reply.body), (202, &first.body));
        assert_eq!(reply.header("idempotent-replayed"), Some("true"));
    }
    let keys = bench.table.keys.borrow();
    let stored = serde_json::to_string(&keys.values().collect::<Vec<&KeyRecord>>()).unwrap();
    assert!(keys.len() == 1 && !stored.contains("kkkk"), "the key itself is not kept");
}

// F2.
#[tokio::test]
async fn f2_the_same_body_is_replayed_byte_for_byte_while_running_and_after() {
    let bench = Bench::new();
    let first = bench.post(PATH, "k-1", &payment("o-1")).await;
    let mut want = first.clone();
    want.headers.insert("idempotent-replayed".to_owned(), json!("true"));
    assert_eq!(bench.post(PATH, "k-1", &payment("o-1")).await, want);
    bench.change(&first.payment_id(), |payment| {
        let charge = payment.operations.values_mut().next().unwrap();
        charge.attempt.end(effect::Standing::Succeeded, None);
    });
    bench.sent.messages.borrow_mut().clear();
    bench.pass(hours(23));
    assert_eq!(bench.post(PATH, "k-1", &payment("o-1")).await, want);
    assert!(bench.sent.messages.borrow().is_empty(), "what has ended is not sent again");
    assert_eq!(bench.table.writes.get(), (1, 0));
}

// F2.
#[tokio::test]
async fn f2_reordered_fields_blanks_and_defaults_are_the_same_body() {
    let bench = Bench::new();
    let first = bench.post(PATH, "k-1", &payment("o-1")).await;
    let reordered = r#" { "payment_method" : "pm_card_visa", "customer":"cus_1", "ref": "1", "capture": "automatic",
        "currency": "JPY", "\u0061mount": 4200, "order": "o-1" } "#;
    let reply = bench.handle(&posted(PATH, "k-1", reordered)).await;
    assert_eq!((reply.status, reply.body), (202, first.body));
    assert_eq!(reply.headers["idempotent-replayed"], "true");
}

// F2.
#[tokio::test]
async fn f2_another_body_under_the_key_is_422_while_running_and_after() {
    let bench = Bench::new();
    let first = bench.post(PATH, "k-1", &payment("o-1")).await;
    let mut others = vec![payment("o-2")];
    for (field, value) in
        [("amount", json!(4_201)), ("customer", json!("cus_2")), ("capture", json!("manual"))]
    {
        let mut other = payment("o-1");
        other[field] = value;
        others.push(other);
    }
    for is_after in [false, true] {
        if is_after {
            bench.change(&first.payment_id(), |payment| {
                let charge = payment.operations.values_mut().next().unwrap();
                charge.attempt.end(effect::Standing::Failed, Some("card_declined"));
            });
        }
        for other in &others {
            let reply = bench.post(PATH, "k-1", other).await;
            assert_eq!((reply.status, &reply.json()["code"]), (422, &json!("key_reused")), "{other}");
            assert!(!reply.body.contains("pending"), "never another body's response");
        }
    }
    assert_eq!(bench.table.records.borrow().len(), 1);
}

// F2.
#[tokio::test]
async fn f2_a_field_given_twice_is_400() {
    let bench = Bench::new();
    for twice in ["\"amount\":100,\"amount\":9900", "\"amount\":100,\"\\u0061mount\":100"] {
        let body = format!(
            r#"{{"order":"o-1",{twice},"currency":"jpy","customer":"cus_1","payment_method":"pm_card_visa"}}"#
        );
        let reply = bench.handle(&posted(PATH, "k-1", &body)).await;
        assert_eq!((reply.status, &reply.json()["field"]), (400, &json!("amount")));
        assert!(reply.body.contains("twice"));
    }
    bench.assert_untouched();
}

#[tokio::test]
async fn two_keys_for_one_order_are_one_payment_and_the_second_is_accepted_too() {
    let bench = Bench::new();
    let first = bench.post(PATH, "k-1", &payment("o-1")).await;
    let second = bench.post(PATH, "k-2", &payment("o-1")).await;
    assert_eq!((first.status, second.status), (202, 202));
    assert_eq!(first.payment_id(), second.payment_id());
    assert_eq!(second.header("idempotent-replayed"), None);
    assert_eq!(bench.record(&first.payment_id()).payment.operations.len(), 1);
    assert_eq!(bench.table.writes.get(), (1, 1));
    let messages = bench.sent.messages.borrow();
    assert!(messages.iter().all(|message| *message == messages[0]), "the queue takes them for one");
}

#[tokio::test]
async fn a_key_belongs_to_its_caller_and_its_path() {
    let bench = Bench::new();
    let shop = bench.post(PATH, "k-1", &payment("o-1")).await;
    let mut stalls = posted(PATH, "k-1", &payment("o-9").to_string());
    stalls["requestContext"]["authorizer"]["iam"]["userArn"] = json!("arn:aws:iam::123456789012:user/stall");
    assert_eq!(bench.handle(&stalls).await.status, 202);
    let path = format!("{PATH}/{}/cancel", shop.payment_id());
    let cancel = bench.post(&path, "k-1", &json!({})).await;
    assert_eq!((cancel.status, cancel.header("idempotent-replayed")), (202, None));
    assert_eq!(bench.table.keys.borrow().len(), 3);
}

// B7 (i).
#[tokio::test]
async fn b7_an_expired_key_that_is_still_there_is_none_on_read_and_in_the_writes_condition() {
    let bench = Bench::new();
    let first = bench.post(PATH, "k-1", &payment("o-1")).await;
    bench.pass(seconds(KEY_LIFE_S) - 1_000);
    assert_eq!(bench.post(PATH, "k-1", &payment("o-1")).await.header("idempotent-replayed"), Some("true"));
    bench.pass(1_000);
    let mut other = payment("o-1");
    other["amount"] = json!(4_201);
    assert_eq!(
        bench.post(PATH, "k-1", &other).await.json()["code"],
        "parameters_differ",
        "the record is for ever"
    );
    let again = bench.post(PATH, "k-1", &payment("o-1")).await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (202, None));
    assert_eq!(again.payment_id(), first.payment_id());
    assert_eq!(bench.record(&first.payment_id()).payment.operations.len(), 1, "still one charge");
    assert_eq!(bench.table.keys.borrow().len(), 1);
}

// B7 (iii).
#[tokio::test]
async fn b7_a_live_key_whose_payment_is_gone_is_a_defined_error_and_charges_nothing() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    let path = format!("{PATH}/{id}/refunds");
    let refund = bench.post(&path, "k-2", &json!({})).await;
    assert_eq!(refund.status, 202, "{}", refund.body);
    bench.table.records.borrow_mut().clear();
    bench.sent.messages.borrow_mut().clear();
    for reply in
        [bench.post(PATH, "key-o-1", &payment("o-1")).await, bench.post(&path, "k-2", &json!({})).await]
    {
        assert_eq!((reply.status, &reply.json()["code"]), (409, &json!("payment_missing")));
        assert_eq!((reply.payment_id(), reply.header("retry-after")), (id.clone(), None));
    }
    assert!(bench.table.records.borrow().is_empty() && bench.sent.messages.borrow().is_empty());
}

// B7 (ii).
#[tokio::test]
async fn b7_a_payment_never_expires() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    let record: Value = serde_json::to_value(bench.record(&id)).unwrap();
    assert_eq!(record.get("expires_at"), None);
    let keys = bench.table.keys.borrow();
    let key: Value = serde_json::to_value(keys.values().next().unwrap()).unwrap();
    assert_eq!(key["expires_at"], crate::bench::NOW.epoch_seconds() + 24 * 60 * 60);
}

#[tokio::test]
async fn a_read_needs_no_key() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    assert_eq!(bench.handle(&request("GET", &format!("{PATH}/{id}"), "shop")).await.status, 200);
}
