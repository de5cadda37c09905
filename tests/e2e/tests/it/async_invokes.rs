//! Asynchronous invokes: delivered repeatedly they charge once, and what can never be a command is kept for a person.

use std::cell::RefCell;

use anyhow::{Context, Result};
use aws_sdk_eventbridge::types::PutEventsRequestEntry;
use e2e::{Function, Stack, eventually};
use payment::{Charge, Command};
use serde_json::{Value, json};

use crate::order::{LIMIT, Order};

/// What the order service says about a charge.
fn order_confirmed(charge: &Charge) -> Value {
    json!({
        "tenant": charge.tenant, "order": charge.order, "amount": charge.amount, "currency": charge.currency,
        "customer": charge.customer, "payment_method": charge.payment_method, "items": [{ "sku": "tea-100g" }],
    })
}

async fn put(stack: &Stack, detail: &Value) -> Result<()> {
    let entry = PutEventsRequestEntry::builder()
        .source("shop.orders")
        .detail_type("OrderConfirmed")
        .detail(detail.to_string())
        .build();
    let put = stack.eventbridge().put_events().entries(entry).send().await?;
    assert_eq!(put.failed_entry_count, 0);
    Ok(())
}

#[tokio::test]
async fn an_order_confirmed_three_times_on_the_bus_is_charged_once() -> Result<()> {
    let stack = Stack::shared();
    let order = Order::new(stack, "confirmed-thrice").await?;
    for _ in 0..3 {
        put(stack, &order_confirmed(&order.charge)).await?;
    }
    let captured = order.announced("PaymentCaptured").await?;
    assert!(captured.detail["metadata"]["causation_id"].is_string(), "the bus's event id is carried");
    // Once more when the record is there, and then by the same way what comes last.
    put(stack, &order_confirmed(&order.charge)).await?;
    put(stack, &order_confirmed(&order.differing()?)).await?;
    order.fenced().await?;
    order.assert_one_request_made_one_intent(1).await?;
    assert_eq!(order.kinds().await?, ["PaymentCaptured", "OperationRefused"]);
    Ok(())
}

#[tokio::test]
async fn a_direct_invoke_delivered_three_times_is_charged_once() -> Result<()> {
    let stack = Stack::shared();
    let order = Order::new(stack, "invoked-thrice").await?;
    let event = |charge: Charge| serde_json::from_str::<Value>(&Command::Charge(charge).to_body());
    for _ in 0..3 {
        stack.invoke_async(Function::Enqueue, &event(order.charge.clone())?).await?;
    }
    order.announced("PaymentCaptured").await?;
    stack.invoke_async(Function::Enqueue, &event(order.charge.clone())?).await?;
    stack.invoke_async(Function::Enqueue, &event(order.differing()?)?).await?;
    order.fenced().await?;
    order.assert_one_request_made_one_intent(1).await?;
    assert_eq!(order.kinds().await?, ["PaymentCaptured", "OperationRefused"]);
    Ok(())
}

// By direct invoke: the emulator gives up on a rule's target after one attempt and forgets the event.
#[tokio::test]
async fn an_order_that_can_never_be_a_command_ends_in_async_failures_with_its_payload() -> Result<()> {
    let stack = Stack::shared();
    let order = Order::new(stack, "confirmed-without-amount").await?;
    let mut detail = order_confirmed(&order.charge);
    detail.as_object_mut().context("an object")?.remove("amount");
    let event = json!({
        "version": "0", "id": "7bf73129-1428-4cd3-a780-95db273d1602", "detail-type": "OrderConfirmed",
        "source": "shop.orders", "detail": detail,
    });
    stack.invoke_async(Function::Enqueue, &event).await?;

    // Nothing else is expected there: whatever comes is shown.
    let failures = RefCell::new(Vec::new());
    let probe = || async {
        let taken = stack.take(&stack.outputs().async_failures_url).await?;
        failures.borrow_mut().extend(taken);
        Ok((!failures.borrow().is_empty()).then_some(()))
    };
    eventually("the event is given up on", LIMIT, probe).await?;
    let failures = failures.into_inner();
    assert_eq!(failures.len(), 1, "{failures:#?}");
    let failure: Value = serde_json::from_str(failures[0].body().unwrap_or_default())?;
    assert_eq!(failure["requestPayload"], event);
    assert_eq!(failure["requestContext"]["condition"], "RetriesExhausted");
    assert_eq!(failure["requestContext"]["approximateInvokeCount"], 3);
    let reason = failure["responsePayload"]["errorMessage"].as_str().unwrap_or_default();
    assert!(reason.contains("missing field `amount`"), "{failure:#}");
    assert_eq!(order.record().await?, None);
    assert_eq!(order.requests().await?, []);
    Ok(())
}
