//! `ikkai` against the deployed stack, as an operator uses it.

use std::process::{Command, Output};

use anyhow::{Result, ensure};
use e2e::Stack;
use payment::{PaymentState, Record};
use serde_json::{Value, json};

use crate::order::Order;

/// Runs the built binary, with the stack in its environment, and gives what it printed.
fn ikkai(arguments: &[&str]) -> Result<String> {
    let outputs = Stack::shared().outputs();
    let binary = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/debug/ikkai");
    let Output { status, stdout, stderr } = Command::new(binary)
        .args(arguments)
        .env("AWS_ENDPOINT_URL", Stack::shared().endpoint())
        .env("AWS_REGION", "us-east-1")
        .env("AWS_ACCESS_KEY_ID", "test")
        .env("AWS_SECRET_ACCESS_KEY", "test")
        .env("IKKAI_TABLE", &outputs.table_name)
        .env("IKKAI_QUEUE_URL", &outputs.queue_url)
        .output()?;
    ensure!(status.success(), "{status}: {}", String::from_utf8_lossy(&stderr));
    Ok(String::from_utf8(stdout)?)
}

fn charge(order: &Order) -> Result<String> {
    let charge = &order.charge;
    let (name, customer) = (charge.order.as_str(), charge.customer.as_str());
    let what = ["charge", "--tenant", "shop", "--order", name, "--amount", "4200", "--currency", "jpy"];
    let who = ["--customer", customer, "--payment-method", "pm_card_visa"];
    ikkai(&[&what[..], &who[..]].concat())
}

/// Tells whether `ikkai list` names the payment.
fn lists(flag: &str, order: &Order) -> Result<bool> {
    let text = ikkai(&["list", flag, "--limit", "1000", "--json"])?;
    let lines: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    Ok(lines.iter().any(|line| line["payment_id"] == order.payment_id()))
}

#[tokio::test]
async fn the_same_refund_typed_twice_is_one_refund() -> Result<()> {
    let order = Order::new(Stack::shared(), "typed-refund").await?;
    assert_eq!(charge(&order)?.trim(), order.payment_id());
    order.announced("PaymentCaptured").await?;
    let refund =
        ["refund", "--tenant", "shop", "--order", "typed-refund", "--ref", "returned", "--amount", "1200"];
    for _ in 0..2 {
        assert_eq!(ikkai(&refund)?.trim(), order.payment_id());
    }
    order.announced("RefundSucceeded").await?;
    order.fence().await?;
    assert_eq!(order.posts_to("/refunds").await?.len(), 1);
    assert_eq!(order.counted("refunds").await?, 1);
    assert_eq!(order.counted("amount_refunded").await?, 1_200);
    assert_eq!(order.kinds().await?, ["PaymentCaptured", "RefundSucceeded", "OperationRefused"]);
    let shown: Value = serde_json::from_str(&ikkai(&["show", &order.payment_id(), "--json"])?)?;
    assert_eq!(shown["state"], json!(PaymentState::PartiallyRefunded));
    Ok(())
}

#[tokio::test]
async fn what_is_due_is_listed_and_so_is_what_needs_a_person() -> Result<()> {
    let order = Order::new(Stack::shared(), "listed").await?;
    order.script(json!({ "fault": "error_500_before", "method": "POST" })).await?;
    charge(&order)?;
    let is_barred = |record: &Record| {
        order.operation(record).is_ok_and(|charge| charge.attempt.barred) && record.claim.is_none()
    };
    order.swept_until("the saved error is met", is_barred).await?;
    assert!(lists("--due", &order)?);
    assert!(!lists("--review", &order)?);

    order.age(25 * 60 * 60 * 1_000).await?;
    order.swept_until("a person is asked", |record| record.payment.needs_review()).await?;
    assert!(lists("--review", &order)?);
    assert!(!lists("--due", &order)?);
    assert_eq!(order.counted("intents_created").await?, 0);
    Ok(())
}
