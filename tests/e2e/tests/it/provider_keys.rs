//! Provider keys of two deployments never meet, whatever their orders are called.

use anyhow::Result;
use e2e::{Stack, eventually};

use crate::{
    crash::{mortal_stack, truce},
    order::{LIMIT, Order, Request},
};

async fn create_sent_by(stack: &'static Stack) -> Result<Request> {
    let order = Order::new(stack, "same-order").await?;
    order.send(&order.charge).await?;
    let probe = || async { Ok(order.posts().await?.into_iter().next()) };
    let create = eventually("the create is sent", LIMIT, probe).await?;
    order.announced("PaymentCaptured").await?;
    Ok(create)
}

#[tokio::test]
async fn two_stacks_charge_the_same_order_under_different_keys() -> Result<()> {
    let one = create_sent_by(Stack::shared()).await?;
    let _truce = truce().await;
    let other = create_sent_by(mortal_stack()).await?;
    assert_eq!(one.body_hex, other.body_hex, "the requests differ in nothing but their keys");
    assert!(one.idempotency_key.is_some() && other.idempotency_key.is_some());
    assert!(one.idempotency_key != other.idempotency_key);
    Ok(())
}
