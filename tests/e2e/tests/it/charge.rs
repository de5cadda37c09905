//! The main job: a message on the queue becomes one charge, two writes and one announcement.

use anyhow::Result;
use e2e::Stack;
use effect::Standing;
use payment::PaymentState;

use crate::order::{LIMIT, Order};

#[tokio::test]
async fn a_command_on_the_queue_becomes_one_charge_in_two_writes_and_one_event() -> Result<()> {
    let order = Order::new(Stack::shared(), "happy").await?;
    order.send(&order.charge).await?;
    let captured = order.announced("PaymentCaptured").await?;
    assert_eq!(captured.id, format!("{}/charge/1:succeeded", order.payment_id()));
    let data = &captured.detail["data"];
    assert_eq!((&data["amount"], &data["currency"]), (&4_200.into(), &"jpy".into()));

    let is_settled = |record: &payment::Record| record.payment.state() == PaymentState::Captured;
    let record = order.recorded("the capture is on record", LIMIT, is_settled).await?;
    // One write for the intent to send, one for its outcome.
    assert_eq!(record.version, 2);
    assert_eq!((record.due_at, record.claim, record.review_at), (None, None, None));
    assert_eq!(captured.detail["metadata"]["sequence"], 2);
    order.assert_one_request_made_one_intent(1).await?;

    // The same command past the queue's own deduplication writes nothing, sends nothing and announces nothing.
    order.send_as("happy-again", &order.charge).await?;
    order.fence().await?;
    let record = order.recorded("the refusal is on record", LIMIT, |record| record.version > 2).await?;
    assert_eq!(record.version, 3, "the repeat was written");
    order.assert_one_request_made_one_intent(1).await?;
    assert_eq!(order.kinds().await?, ["PaymentCaptured", "OperationRefused"]);
    assert_eq!(order.operation(&record)?.attempt.standing, Standing::Succeeded);
    Ok(())
}
