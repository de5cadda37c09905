//! The HTTP API on the deployed stack: what is accepted once happens once, counted at stripe-sim.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use aws_sdk_dynamodb::types::AttributeValue;
use e2e::{ApiReply, ApiRequest, Stack};
use payment::ports::KeyId;
use reqwest::Method;
use serde_json::{Value, json};

use crate::order::Order;

const PATH: &str = "/v1/payments";

fn body(order: &Order) -> Value {
    let charge = &order.charge;
    json!({
        "order": charge.order, "amount": charge.amount, "currency": charge.currency,
        "customer": charge.customer, "payment_method": charge.payment_method,
    })
}

/// Waits, as callers do, until the payment has come to rest; returns it.
async fn rested(order: &Order) -> Result<Value> {
    let path = format!("{PATH}/{}", order.payment_id());
    let reply = Stack::shared().api(&ApiRequest::get(path).with("prefer", "wait=20")).await?;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.headers["preference-applied"], "wait=20");
    reply.json()
}

async fn post(path: &str, key: &str, body: &Value) -> Result<ApiReply> {
    Stack::shared().api(&ApiRequest::post(path, key, body)).await
}

/// Lets a key expire: its record is still there, as the table's own deletion lags.
async fn expire(path: &str, key: &str) -> Result<()> {
    let stack = Stack::shared();
    let id = KeyId::of(&"shop".parse()?, "POST", path, key);
    let hours_25 = AttributeValue::N((25 * 60 * 60).to_string());
    let update = stack.dynamodb().update_item().table_name(&stack.outputs().table_name);
    let update = update
        .key("pk", AttributeValue::S(id.as_str().to_owned()))
        .update_expression("SET expires_at = expires_at - :age")
        .condition_expression("attribute_exists(expires_at)")
        .expression_attribute_values(":age", hours_25);
    update.send().await?;
    Ok(())
}

#[tokio::test]
async fn a_post_repeated_under_its_key_is_answered_byte_for_byte_and_charged_once() -> Result<()> {
    let order = Order::new(Stack::shared(), "http-repeated").await?;
    let first = post(PATH, "repeated", &body(&order)).await?;
    assert_eq!(first.status, 202, "{}", first.body);
    assert_eq!(first.headers["location"], format!("{PATH}/{}", order.payment_id()));
    assert_eq!(first.headers["cache-control"], "no-store");
    let second = post(PATH, "\"repeated\"", &body(&order)).await?;
    assert_eq!((second.status, &second.body), (202, &first.body));
    assert_eq!(second.headers["idempotent-replayed"], "true");
    assert!(!first.headers.contains_key("idempotent-replayed"));

    assert_eq!(rested(&order).await?["state"], "captured");
    let third = post(PATH, "repeated", &body(&order)).await?;
    assert_eq!((third.status, &third.body), (202, &first.body), "after it is paid too");
    order.assert_one_request_made_one_intent(1).await?;
    order.announced("PaymentCaptured").await?;
    Ok(())
}

#[tokio::test]
async fn fifty_posts_at_once_under_one_key_are_one_payment() -> Result<()> {
    let order = Order::new(Stack::shared(), "http-fifty").await?;
    let mut posts = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let request = ApiRequest::post(PATH, "fifty", &body(&order));
        posts.spawn(async move { Stack::shared().api(&request).await });
    }
    let (mut accepted, mut statuses) = (BTreeSet::new(), BTreeSet::new());
    while let Some(reply) = posts.join_next().await {
        let reply = reply??;
        statuses.insert(reply.status);
        if reply.status == 202 {
            accepted.insert(reply.body);
        } else {
            assert!(reply.headers.contains_key("retry-after"), "{reply:?}");
        }
    }
    assert!(statuses.is_subset(&[202, 409].into()), "{statuses:?}");
    assert_eq!(accepted.len(), 1, "one reply, byte for byte");
    assert_eq!(rested(&order).await?["state"], "captured");
    order.assert_one_request_made_one_intent(1).await?;
    Ok(())
}

#[tokio::test]
async fn another_body_under_the_key_is_422_and_another_key_for_the_order_is_the_same_payment() -> Result<()> {
    let order = Order::new(Stack::shared(), "http-keys").await?;
    let first = post(PATH, "keys-1", &body(&order)).await?;
    assert_eq!(first.status, 202, "{}", first.body);
    let mut other = body(&order);
    other["amount"] = json!(9_900);
    for _ in 0..2 {
        let reply = post(PATH, "keys-1", &other).await?;
        assert_eq!((reply.status, &reply.json()?["code"]), (422, &json!("key_reused")));
        assert_eq!(rested(&order).await?["state"], "captured", "while running and after");
    }
    let second = post(PATH, "keys-2", &body(&order)).await?;
    assert_eq!((second.status, &second.json()?["id"]), (202, &first.json()?["id"]));
    let reply = post(PATH, "keys-3", &other).await?;
    assert_eq!((reply.status, &reply.json()?["code"]), (409, &json!("parameters_differ")));
    assert_eq!(
        (reply.json()?["payment_id"].clone(), reply.headers.get("retry-after")),
        (first.json()?["id"].clone(), None)
    );
    order.assert_one_request_made_one_intent(1).await?;
    Ok(())
}

#[tokio::test]
async fn a_held_payment_is_captured_and_refunded_in_part_and_a_retry_25_hours_later_is_the_same_refund()
-> Result<()> {
    let order = Order::new(Stack::shared(), "http-parts").await?;
    let mut held = body(&order);
    held["capture"] = json!("manual");
    assert_eq!(post(PATH, "parts", &held).await?.status, 202);
    assert_eq!(rested(&order).await?["state"], "authorized");

    let at = |verb: &str| format!("{PATH}/{}/{verb}", order.payment_id());
    let refused = post(&at("refunds"), "parts-1", &json!({})).await?;
    assert_eq!((refused.status, &refused.json()?["code"]), (409, &json!("not_captured")));
    let capture = post(&at("capture"), "parts-1", &json!({ "amount": 3_000 })).await?;
    assert_eq!((capture.status, &capture.json()?["state"]), (202, &json!("capturing")), "{}", capture.body);
    assert_eq!(rested(&order).await?["captured"], 3_000);
    let refused = post(&at("cancel"), "parts-2", &json!({})).await?;
    assert_eq!((refused.status, &refused.json()?["code"]), (409, &json!("already_captured")));

    let refund = json!({ "amount": 1_000 });
    let first = post(&at("refunds"), "parts-3", &refund).await?;
    assert_eq!((first.status, &first.json()?["state"]), (202, &json!("refunding")), "{}", first.body);
    let payment = rested(&order).await?;
    assert_eq!((&payment["state"], &payment["refundable"]), (&json!("partially_refunded"), &json!(2_000)));

    expire(&at("refunds"), "parts-3").await?;
    let again = post(&at("refunds"), "parts-3", &refund).await?;
    assert_eq!((again.status, again.headers.get("idempotent-replayed")), (202, None), "the key is forgotten");
    assert_eq!(again.json()?["accepted"], first.json()?["accepted"], "and the refund is not");
    let payment = rested(&order).await?;
    assert_eq!((&payment["refunded"], &payment["refundable"]), (&json!(1_000), &json!(2_000)));
    assert_eq!(order.counted("refunds").await?, 1);
    assert_eq!(order.counted("amount_refunded").await?, 1_000);
    assert_eq!(order.counted("captures").await?, 1);
    order.announced("RefundSucceeded").await?;
    Ok(())
}

#[tokio::test]
async fn only_the_signed_owner_gets_in_and_everybody_else_learns_nothing() -> Result<()> {
    let stack = Stack::shared();
    let order = Order::new(stack, "http-owner").await?;
    assert_eq!(post(PATH, "owner", &body(&order)).await?.status, 202);
    let own = ApiRequest::get(format!("{PATH}/{}", order.payment_id()));
    let unknown = ApiRequest::get(format!("{PATH}/pay_00000000000000000000000000000000")).by("stall");
    let (theirs, nobodys) = (stack.api(&own.clone().by("stall")).await?, stack.api(&unknown).await?);
    assert_eq!((theirs.status, &theirs.body), (404, &nobodys.body));
    let strip = |reply: &ApiReply| -> BTreeSet<String> { reply.headers.keys().cloned().collect() };
    assert_eq!(strip(&theirs), strip(&nobodys));
    let unsigned = stack.api(&ApiRequest { caller: None, ..own.clone() }).await?;
    assert_eq!(unsigned.status, 403);

    let deleted = stack.api(&ApiRequest { method: Method::DELETE, ..own }).await?;
    assert_eq!((deleted.status, deleted.headers.get("allow").map(String::as_str)), (405, Some("GET")));
    let nowhere = stack.api(&ApiRequest::get("/v1/nothing")).await?;
    assert_eq!(nowhere.headers["content-type"], "application/problem+json");
    let kind = nowhere.json()?["type"].as_str().context("a type")?.to_owned();
    let explained = stack.api(&ApiRequest { caller: None, ..ApiRequest::get(kind) }).await?;
    assert_eq!(explained.status, 200, "{}", explained.body);
    Ok(())
}

#[tokio::test]
async fn a_key_given_twice_and_a_card_number_are_refused_and_nothing_is_recorded() -> Result<()> {
    let stack = Stack::shared();
    let order = Order::new(stack, "http-refused").await?;
    let twice = ApiRequest::post(PATH, "twice", &body(&order)).with("idempotency-key", "twice");
    let mut card = body(&order);
    card["payment_method"] = json!("4242424242424242");
    for request in [twice, ApiRequest::post(PATH, "card", &card)] {
        let reply = stack.api(&request).await?;
        assert_eq!(reply.status, 400, "{}", reply.body);
        assert!(!reply.body.contains("4242"));
    }
    assert_eq!(order.record().await?, None);
    let logs = std::fs::read_to_string(stack.logs().join("emulator.log"))?;
    assert!(!logs.contains("4242424242424242"), "no log repeats it");
    Ok(())
}
