//! Payments older than Stripe's memory of their keys: looked up, never created again.

use anyhow::{Context, Result};
use e2e::Stack;
use effect::{ReviewReason, Standing};
use payment::{Command, PaymentState, Record};
use serde_json::json;

use crate::{
    dead_letters::redrive,
    order::{LIMIT, Order},
};

const HOURS_25_MS: i64 = 25 * 60 * 60 * 1_000;

/// Waits for the end of the first turn: the reply is lost, and the record says so.
async fn unknown(order: &Order) -> Result<Record> {
    let is_unknown = |record: &Record| {
        let standing = order.operation(record).map(|charge| charge.attempt.standing);
        standing.is_ok_and(|standing| standing == Standing::Unknown) && record.claim.is_none()
    };
    order.recorded("the charge is unknown", LIMIT, is_unknown).await
}

#[tokio::test]
async fn a_dead_letter_redriven_25_hours_after_a_lost_reply_is_settled_by_looking_up() -> Result<()> {
    let stack = Stack::shared();
    let order = Order::new(stack, "redriven").await?;
    // More than are needed: a sweep in between learns nothing either.
    let lost = json!({ "fault": "lose_reply_after_effect", "method": "POST", "times": 50 });
    order.script(lost).await?;
    order.send(&order.charge).await?;
    let record = unknown(&order).await?;
    assert!(order.operation(&record)?.attempt.ids.is_empty());
    assert!(record.due_at.is_some());
    order.age(HOURS_25_MS).await?;
    let sent_before = order.posts().await?;

    // The command had been dead-lettered too, and an operator puts it back.
    let command = Command::Charge(order.charge.clone());
    redrive(stack, &order.payment_id(), &command.to_body()).await?;
    let captured = |record: &Record| record.payment.state() == PaymentState::Captured;
    let record = order.recorded("the charge is found", LIMIT, captured).await?;
    order.announced("PaymentCaptured").await?;

    assert_eq!(order.posts().await?, sent_before, "a create was sent after the window");
    order.assert_one_request_made_one_intent(sent_before.len()).await?;
    let looked_up = order.requests().await?.into_iter().filter(|request| request.method == "GET").count();
    assert!(looked_up >= 2, "a list, and its hit fetched and checked");
    assert_eq!(order.operation(&record)?.attempt.ids.len(), 1);
    assert!(!record.payment.needs_review());
    order.fence().await?;
    assert_eq!(order.kinds().await?, ["PaymentCaptured", "OperationRefused"]);
    Ok(())
}

#[tokio::test]
async fn a_saved_500_before_the_effect_ends_in_review_and_never_under_a_second_key() -> Result<()> {
    let order = Order::new(Stack::shared(), "saved-500").await?;
    order.script(json!({ "fault": "error_500_before", "method": "POST" })).await?;
    order.send(&order.charge).await?;
    unknown(&order).await?;
    let is_barred = |record: &Record| {
        order.operation(record).is_ok_and(|charge| charge.attempt.barred) && record.claim.is_none()
    };
    order.swept_until("the saved error is met", is_barred).await?;
    assert_two_equal_sends_and_no_intent(&order).await?;
    order.age(HOURS_25_MS).await?;

    // From here on a create would charge: Stripe has forgotten the key.
    let record = order.swept_until("a person is asked", |record| record.payment.needs_review()).await?;
    let charge = order.operation(&record)?;
    assert_eq!(charge.attempt.standing, Standing::Unknown);
    assert_eq!(charge.attempt.review, Some(ReviewReason::WindowOver));
    assert_eq!((record.due_at, record.claim), (None, None));
    assert!(record.review_at.is_some());
    let review = order.announced("PaymentReviewRequired").await?;
    assert_eq!(review.detail["data"]["reason"], "window_over");

    // Neither the command again nor a sweep changes that.
    order.sweep().await?;
    order.send_as("saved-500-again", &order.charge).await?;
    order.fence().await?;
    assert_two_equal_sends_and_no_intent(&order).await?;
    assert_eq!(order.kinds().await?, ["PaymentReviewRequired", "OperationRefused"]);
    Ok(())
}

async fn assert_two_equal_sends_and_no_intent(order: &Order) -> Result<()> {
    let posts = order.posts().await?;
    let first = posts.first().context("nothing was sent")?;
    assert_eq!(posts.len(), 2, "{posts:#?}");
    assert!(posts.iter().all(|post| post.idempotency_key == first.idempotency_key));
    assert!(posts.iter().all(|post| post.body_hex == first.body_hex && post.status == Some(500)));
    assert_eq!(posts.iter().map(|post| post.replayed).collect::<Vec<_>>(), [false, true]);
    assert_eq!(order.counted("intents_created").await?, 0);
    Ok(())
}
