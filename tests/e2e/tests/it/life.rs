//! After the charge: captures, cancels and refunds, each of which happens once.

use std::collections::BTreeSet;

use anyhow::Result;
use e2e::Stack;
use payment::{AMOUNT_ABOVE_REFUNDABLE, CaptureMethod, PaymentState, Record};
use serde_json::json;

use crate::order::{LIMIT, Order, Request};

/// An order of 10,000 yen, asked for: taken at once, or held.
async fn charged(name: &str, capture: CaptureMethod) -> Result<Order> {
    let mut order = Order::new(Stack::shared(), name).await?;
    order.charge.amount = 10_000.try_into()?;
    order.charge.capture = capture;
    order.send(&order.charge).await?;
    Ok(order)
}

fn is(state: PaymentState) -> impl Fn(&Record) -> bool {
    move |record| record.payment.state() == state
}

/// Asserts that these are one request under one key, sent so often.
fn assert_one_request(posts: &[Request], sends: usize) {
    assert_eq!(posts.len(), sends, "{posts:#?}");
    for post in posts {
        assert!(post.idempotency_key.is_some());
        assert_eq!((&post.idempotency_key, &post.body_hex), (&posts[0].idempotency_key, &posts[0].body_hex));
    }
}

#[tokio::test]
async fn a_held_payment_is_taken_in_part_and_refunded_twice() -> Result<()> {
    let order = charged("held-in-part", CaptureMethod::Manual).await?;
    order.announced("PaymentAuthorized").await?;
    assert_eq!(order.counted("amount_paid").await?, 0);
    for command in [order.capture(6_000)?, order.refund("a", 1_000)?, order.refund("b", 2_500)?] {
        order.ask(&command).await?;
        order.ask_as(&format!("{}-again", command.deduplication_id()), &command).await?;
    }
    let refunded = |record: &Record| record.payment.totals().refunded == 3_500;
    let record = order.recorded("both refunds are on record", LIMIT, refunded).await?;
    assert_eq!(record.payment.state(), PaymentState::PartiallyRefunded);
    assert_eq!((record.due_at, record.claim), (None, None));

    let counted = ["intents_created", "captures", "amount_paid", "refunds", "amount_refunded"];
    for (name, number) in counted.into_iter().zip([1, 1, 6_000, 2, 3_500]) {
        assert_eq!(order.counted(name).await?, number, "{name}");
    }
    assert_eq!(order.posts().await?.len(), 4, "each was sent once");
    order.fence().await?;
    let kinds =
        ["PaymentAuthorized", "PaymentCaptured", "RefundSucceeded", "RefundSucceeded", "OperationRefused"];
    assert_eq!(order.kinds().await?, kinds);
    Ok(())
}

#[tokio::test]
async fn an_authorization_is_canceled_once_and_takes_nothing() -> Result<()> {
    let order = charged("held-and-canceled", CaptureMethod::Manual).await?;
    order.ask(&order.cancel()?).await?;
    order.ask_as("held-and-canceled-again", &order.cancel()?).await?;
    order.announced("PaymentCanceled").await?;
    order.recorded("the cancel is on record", LIMIT, is(PaymentState::Canceled)).await?;
    // What comes too late is refused before any call.
    order.ask(&order.capture(10_000)?).await?;
    let refusal = order.announced("OperationRefused").await?;
    assert_eq!(refusal.detail["data"]["reason"], "not_authorized");

    assert_one_request(&order.posts_to("/cancel").await?, 1);
    assert_eq!(order.posts().await?.len(), 2);
    assert_eq!(order.counted("intents_canceled").await?, 1);
    assert_eq!(order.counted("paid_or_payable").await?, 0);
    assert_eq!(order.kinds().await?, ["PaymentAuthorized", "PaymentCanceled", "OperationRefused"]);
    Ok(())
}

#[tokio::test]
async fn two_refunds_of_7000_of_10000_are_one_refund_and_one_refusal() -> Result<()> {
    let order = charged("refunds-of-7000", CaptureMethod::Automatic).await?;
    // The first is not seen to succeed: its amount stays reserved.
    order
        .script(json!({ "fault": "lose_reply_after_effect", "path_prefix": "/v1/refunds", "times": 2 }))
        .await?;
    order.ask(&order.refund("a", 7_000)?).await?;
    order.ask(&order.refund("b", 7_000)?).await?;
    let refusal = order.announced("OperationRefused").await?;
    assert_eq!(refusal.id, format!("{}/refund/b:refused", order.payment_id()));
    assert_eq!(refusal.detail["data"]["reason"], AMOUNT_ABOVE_REFUNDABLE);

    order.swept_until("the first refund is settled", is(PaymentState::PartiallyRefunded)).await?;
    order.announced("RefundSucceeded").await?;
    assert_one_request(&order.posts_to("/refunds").await?, 3);
    assert_eq!(order.counted("refunds").await?, 1);
    assert_eq!(order.counted("amount_refunded").await?, 7_000);
    let events = order.events().await?;
    let ids: BTreeSet<&str> = events.iter().map(|event| event.id.as_str()).collect();
    let id = |outcome: &str| format!("{}/{outcome}", order.payment_id());
    let expected = [id("charge/1:succeeded"), id("refund/a:succeeded"), id("refund/b:refused")];
    assert_eq!(ids, expected.iter().map(String::as_str).collect(), "repeated or not, no other event");
    Ok(())
}

// Field case D1.
#[tokio::test]
async fn a_refund_whose_reply_was_lost_and_which_comes_again_is_one_refund() -> Result<()> {
    let order = charged("refund-lost", CaptureMethod::Automatic).await?;
    order
        .script(json!({ "fault": "lose_reply_after_effect", "path_prefix": "/v1/refunds", "times": 2 }))
        .await?;
    let refund = order.refund("returned", 3_000)?;
    order.ask(&refund).await?;
    let sent_and_let_go = |record: &Record| is(PaymentState::Refunding)(record) && record.claim.is_none();
    let record = order.recorded("the refund is unknown", LIMIT, sent_and_let_go).await?;
    assert!(record.due_at.is_some(), "it is due");
    assert_eq!(order.counted("refunds").await?, 1);

    order.ask_as("refund-lost-again", &refund).await?;
    order.swept_until("the refund is settled", is(PaymentState::PartiallyRefunded)).await?;
    order.announced("RefundSucceeded").await?;
    let posts = order.posts_to("/refunds").await?;
    assert_one_request(&posts, 3);
    assert_eq!(posts.iter().map(|post| post.replayed).collect::<Vec<_>>(), [false, true, true]);
    assert_eq!(order.counted("refunds").await?, 1);
    assert_eq!(order.counted("amount_refunded").await?, 3_000);
    order.fence().await?;
    assert_eq!(order.kinds().await?, ["PaymentCaptured", "RefundSucceeded", "OperationRefused"]);
    Ok(())
}
