//! Which payments the demo makes, and the ways its commands take.

use anyhow::{Context, Result, bail};
use aws_sdk_eventbridge::types::PutEventsRequestEntry;
use e2e::{Function, Stack};
use effect::Standing;
use payment::{Charge, Command, OperationKey, Record};
use serde_json::json;

/// One attempt to pay an order.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    /// The command.
    pub(crate) charge: Charge,
    /// Whether the card pays.
    pub(crate) pays: bool,
    /// Whether the command is sent only once the attempt before it has failed.
    pub(crate) waits_for_decline: bool,
    route: Route,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Queue,
    OrderConfirmed,
    DirectInvoke,
}

/// Returns the attempts: every fifth card is declined, and every tenth order is then paid by a second attempt, half
/// of those recorded at once behind the first.
pub(crate) fn attempts(payments: usize) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    for number in 0..payments {
        let declined = number % 5 == 4;
        let method = if declined { "pm_card_chargeDeclined" } else { "pm_card_visa" };
        let route = [Route::Queue, Route::OrderConfirmed, Route::DirectInvoke][number % 3];
        let first =
            Attempt { charge: charge(number, "1", method), pays: !declined, waits_for_decline: false, route };
        attempts.push(first);
        if number % 10 == 4 {
            let waits_for_decline = number % 20 == 4;
            let charge = charge(number, "2", "pm_card_visa");
            attempts.push(Attempt { charge, pays: true, waits_for_decline, route: Route::Queue });
        }
    }
    attempts
}

#[expect(clippy::unwrap_used, reason = "the demo's own words are valid names")]
fn charge(number: usize, reference: &str, method: &str) -> Charge {
    Charge {
        tenant: "demo".parse().unwrap(),
        order: format!("order-{number:03}").parse().unwrap(),
        reference: reference.parse().unwrap(),
        amount: (1_000 + number as u64).try_into().unwrap(),
        currency: "jpy".parse().unwrap(),
        customer: format!("cus_{number:03}").parse().unwrap(),
        payment_method: method.parse().unwrap(),
        capture: payment::CaptureMethod::Automatic,
        causation_id: None,
        traceparent: None,
    }
}

impl Attempt {
    /// Tells whether the attempt before this one has failed on record.
    pub(crate) fn earlier_has_failed(&self, records: &[Record]) -> bool {
        let earlier = OperationKey::charge(charge(0, "1", "pm_card_visa").reference);
        records.iter().filter(|record| record.id == self.charge.payment_id()).any(|record| {
            let first = record.payment.operations.get(&earlier);
            first.is_some_and(|operation| operation.attempt.standing == Standing::Failed)
        })
    }
}

/// Sends a command the way its order takes.
pub(crate) async fn send(stack: &Stack, attempt: &Attempt) -> Result<()> {
    let command = Command::Charge(attempt.charge.clone());
    match attempt.route {
        Route::Queue => {
            let (group, id) = (command.payment_id(), command.deduplication_id());
            stack.send(group.as_str(), &id, &command.to_body()).await
        }
        Route::OrderConfirmed => order_confirmed(stack, attempt).await,
        Route::DirectInvoke => {
            stack.invoke_async(Function::Enqueue, &serde_json::from_str(&command.to_body())?).await
        }
    }
}

/// Sends it again past the queue's own deduplication, so that `settle` meets the repeat.
pub(crate) async fn send_again(stack: &Stack, attempt: &Attempt, number: usize) -> Result<()> {
    let command = Command::Charge(attempt.charge.clone());
    let id = format!("repeat-{number}");
    stack.send(command.payment_id().as_str(), &id, &command.to_body()).await
}

async fn order_confirmed(stack: &Stack, attempt: &Attempt) -> Result<()> {
    let charge = &attempt.charge;
    let detail = json!({
        "tenant": charge.tenant, "order": charge.order, "ref": charge.reference, "amount": charge.amount,
        "currency": charge.currency, "customer": charge.customer, "payment_method": charge.payment_method,
    });
    let entry = PutEventsRequestEntry::builder()
        .source("demo.orders")
        .detail_type("OrderConfirmed")
        .detail(detail.to_string())
        .build();
    let put =
        stack.eventbridge().put_events().entries(entry).send().await.context("the event was not put")?;
    if put.failed_entry_count > 0 {
        bail!("the bus refused an OrderConfirmed event");
    }
    Ok(())
}
