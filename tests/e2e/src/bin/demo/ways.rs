//! The ways a command takes, each of them twice.

use std::{cell::Cell, time::Duration};

use anyhow::{Context, Result, bail};
use aws_sdk_eventbridge::types::PutEventsRequestEntry;
use e2e::{ApiReply, ApiRequest, Function, Stack};
use payment::{Charge, Command};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::plan::Route;

/// Sends commands and counts them.
pub(crate) struct Sender<'a> {
    stack: &'a Stack,
    commands: Cell<usize>,
    http: Cell<Http>,
}

/// What came of the requests over HTTP.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Http {
    /// Payments accepted.
    pub(crate) accepted: usize,
    /// Repeats answered with the very bytes of the first reply, and marked as replayed.
    pub(crate) replayed: usize,
    /// Other bodies under the key, refused with 422.
    pub(crate) refused: usize,
}

impl<'a> Sender<'a> {
    pub(crate) fn new(stack: &'a Stack) -> Self {
        Self { stack, commands: Cell::default(), http: Cell::default() }
    }

    /// How many commands were sent, repeats included.
    pub(crate) fn commands(&self) -> usize {
        self.commands.get()
    }

    /// What came of the requests over HTTP.
    pub(crate) fn http(&self) -> Http {
        self.http.get()
    }

    /// Sends a command its way, and again: past the queue's own deduplication, so that `settle` meets the repeat.
    pub(crate) async fn twice(&self, command: &Command, route: Route) -> Result<()> {
        match (route, command) {
            (Route::Http, Command::Charge(charge)) => self.over_http(charge).await?,
            (Route::OrderConfirmed, Command::Charge(charge)) => {
                order_confirmed(self.stack, charge).await?;
                self.again(command).await?;
            }
            (Route::DirectInvoke, _) => {
                let event = serde_json::from_str(&command.to_body())?;
                self.stack.invoke_async(Function::Enqueue, &event).await?;
                self.again(command).await?;
            }
            (Route::Queue | Route::Http | Route::OrderConfirmed, _) => {
                let (group, id) = (command.payment_id(), command.deduplication_id());
                self.stack.send(group.as_str(), &id, &command.to_body()).await?;
                self.again(command).await?;
            }
        }
        self.commands.set(self.commands.get() + 2);
        Ok(())
    }

    async fn again(&self, command: &Command) -> Result<()> {
        let id = format!("repeat-{}", self.commands.get());
        self.stack.send(command.payment_id().as_str(), &id, &command.to_body()).await
    }

    /// Posts a charge, then the same again, and then another body, all under one key.
    async fn over_http(&self, charge: &Charge) -> Result<()> {
        let key = charge.order.as_str();
        let mut body = json!({
            "order": charge.order, "ref": charge.reference, "amount": charge.amount, "currency": charge.currency,
            "customer": charge.customer, "payment_method": charge.payment_method, "capture": charge.capture,
        });
        let first = self.post(key, &body).await?;
        if first.status != 202 {
            bail!("a payment was not accepted: {} {}", first.status, first.body);
        }
        let second = self.post(key, &body).await?;
        body["amount"] = json!(charge.amount.minor() + 1);
        let third = self.post(key, &body).await?;

        let is_marked = second.headers.get("idempotent-replayed").is_some_and(|value| value == "true");
        let is_replayed = (second.status, &second.body) == (first.status, &first.body) && is_marked;
        let mut http = self.http.get();
        http.accepted += 1;
        http.replayed += usize::from(is_replayed);
        http.refused += usize::from(third.status == 422);
        self.http.set(http);
        Ok(())
    }

    /// Posts as callers should: again when it is said to be worth it.
    async fn post(&self, key: &str, body: &Value) -> Result<ApiReply> {
        let request = ApiRequest::post("/v1/payments", key, body);
        let mut reply = self.stack.api(&request).await?;
        for _ in 0..5 {
            if !reply.headers.contains_key("retry-after") {
                break;
            }
            sleep(Duration::from_secs(1)).await;
            reply = self.stack.api(&request).await?;
        }
        Ok(reply)
    }
}

async fn order_confirmed(stack: &Stack, charge: &Charge) -> Result<()> {
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
