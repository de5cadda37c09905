//! A further attempt after a decline: begun when nothing can pay the first any more.

use anyhow::{Context, Result};
use e2e::Stack;
use payment::{Charge, PaymentState, Record};
use serde_json::json;

use crate::order::Order;

#[tokio::test]
async fn a_second_card_is_charged_once_the_declined_intent_is_canceled() -> Result<()> {
    let order = Order::new(Stack::shared(), "second-card").await?;
    let declined = Charge { payment_method: "pm_card_chargeDeclined".parse()?, ..order.charge.clone() };
    let second = Charge { reference: "2".parse()?, ..order.charge.clone() };
    // The decline is not seen at first: the second attempt is recorded behind one that is unsettled.
    order.script(json!({ "fault": "lose_reply_after_effect", "method": "POST", "times": 2 })).await?;
    order.send(&declined).await?;
    order.send(&second).await?;
    let captured = |record: &Record| record.payment.state() == PaymentState::Captured;
    let record = order.swept_until("the second attempt is captured", captured).await?;

    let posts = order.posts().await?;
    let create = "/v1/payment_intents".to_owned();
    let first_intent = order.operation(&record)?.attempt.ids.first().context("no id of the first intent")?;
    let cancel = format!("{create}/{first_intent}/cancel");
    let made: Vec<(&str, &str, Option<u16>)> = posts
        .iter()
        .map(|post| {
            let operation = post.operation_id.split_once('/').map_or("", |(_, operation)| operation);
            (post.path.as_str(), operation, post.status)
        })
        .collect();
    let expected = [
        (create.as_str(), "charge/1", Some(402)),
        (create.as_str(), "charge/1", Some(402)),
        (create.as_str(), "charge/1", Some(402)),
        (cancel.as_str(), "charge/1", Some(200)),
        (create.as_str(), "charge/2", Some(200)),
    ];
    assert_eq!(made, expected);
    assert!(posts[..3].iter().all(|post| post.idempotency_key == posts[0].idempotency_key));
    assert!(posts[4].idempotency_key != posts[0].idempotency_key, "another attempt is another request");
    let waiting = record.payment.operations.get(&second.key()).context("no second attempt")?;
    assert!(waiting.accepted_at.0 < posts[2].at_ms, "it came when the first was settled already");

    assert_eq!(order.counted("intents_created").await?, 2);
    assert_eq!(order.counted("intents_succeeded").await?, 1);
    assert_eq!(order.counted("intents_canceled").await?, 1);
    assert_eq!(order.counted("paid_or_payable").await?, 1);
    order.announced("PaymentCaptured").await?;
    order.fence().await?;
    assert_eq!(order.kinds().await?, ["PaymentFailed", "PaymentCaptured", "OperationRefused"]);
    Ok(())
}
