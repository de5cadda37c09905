//! The sweep: what is due goes back on the queue, and is settled under the key it was first sent with.

use anyhow::Result;
use e2e::Stack;
use effect::Standing;
use payment::{PaymentState, Record};
use serde_json::json;

use crate::order::{LIMIT, Order};

#[tokio::test]
async fn a_wake_settles_a_lost_reply_under_the_same_key() -> Result<()> {
    let order = Order::new(Stack::shared(), "woken").await?;
    // Two sends of the first turn and two of the first wake.
    order.script(json!({ "fault": "lose_reply_after_effect", "method": "POST", "times": 4 })).await?;
    order.send(&order.charge).await?;
    let is_unknown = |record: &Record| {
        let standing = order.operation(record).map(|charge| charge.attempt.standing);
        standing.is_ok_and(|standing| standing == Standing::Unknown)
    };
    let record = order.recorded("the charge is unknown", LIMIT, is_unknown).await?;
    assert!(record.due_at.is_some(), "it is due");
    assert_eq!(order.kinds().await?, [""; 0], "nothing is announced that is not known");

    let captured = |record: &Record| record.payment.state() == PaymentState::Captured;
    let record = order.swept_until("a wake settles it", captured).await?;
    assert_eq!((record.due_at, record.claim), (None, None));
    order.assert_one_request_made_one_intent(5).await?;
    assert!(order.posts().await?.iter().skip(1).all(|post| post.replayed));
    order.announced("PaymentCaptured").await?;
    order.fence().await?;
    assert_eq!(order.kinds().await?, ["PaymentCaptured", "OperationRefused"]);
    Ok(())
}
