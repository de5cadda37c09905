//! `ikkai charge`, `capture`, `cancel`, `refund`: one command to the queue.

use anyhow::{Context, Result};
use effect::digest_hex;
use payment::{
    COMMAND_SCHEMA, Command, PaymentId,
    ports::{Message, Queue, Randomness},
};
use serde_json::{Value, json};

use crate::args::{CancelArgs, ChargeArgs, OperationArgs, PartArgs};

/// Sends a command; returns the payment that it belongs to.
///
/// Sending the same one again is safe: the record knows the operation, whenever it comes.
///
/// # Errors
/// Returns that the queue did not take the message.
pub async fn ask(command: &Command, queue: &impl Queue, random: &impl Randomness) -> Result<PaymentId> {
    let payment_id = command.payment_id();
    let message = Message {
        group: payment_id.clone(),
        // A person who sends again means it: the queue's own five minutes of deduplication must not swallow it.
        deduplication_id: digest_hex(&[&command.deduplication_id(), &random.token()]),
        body: command.to_body(),
    };
    queue.send(&message).await?;
    Ok(payment_id)
}

/// Returns the command of `ikkai charge`.
///
/// # Errors
/// Returns what is wrong with the charge, never repeating it.
pub fn charge(args: &ChargeArgs) -> Result<Command> {
    let mut body = json!({
        "schema": COMMAND_SCHEMA,
        "type": "charge",
        "tenant": args.tenant,
        "order": args.order,
        "amount": minor_units(&args.amount)?,
        "currency": args.currency,
        "customer": args.customer,
        "payment_method": args.payment_method,
    });
    if let Some(reference) = &args.reference {
        body["ref"] = Value::from(reference.as_str());
    }
    if args.manual_capture {
        body["capture"] = Value::from("manual");
    }
    Ok(Command::parse(&body.to_string())?)
}

/// Returns the command of `ikkai capture`.
///
/// # Errors
/// Returns what is wrong with the capture, never repeating it.
pub fn capture(args: &PartArgs) -> Result<Command> {
    part("capture", args)
}

/// Returns the command of `ikkai refund`.
///
/// # Errors
/// Returns what is wrong with the refund, never repeating it.
pub fn refund(args: &PartArgs) -> Result<Command> {
    part("refund", args)
}

/// Returns the command of `ikkai cancel`.
///
/// # Errors
/// Returns what is wrong with the cancel, never repeating it.
pub fn cancel(args: &CancelArgs) -> Result<Command> {
    let mut body = body_of("cancel", &args.operation);
    body["if_captured"] = Value::from(args.if_captured.as_str());
    Ok(Command::parse(&body.to_string())?)
}

fn part(kind: &str, args: &PartArgs) -> Result<Command> {
    let mut body = body_of(kind, &args.operation);
    if let Some(amount) = &args.amount {
        body["amount"] = Value::from(minor_units(amount)?);
    }
    Ok(Command::parse(&body.to_string())?)
}

fn body_of(kind: &str, args: &OperationArgs) -> Value {
    json!({
        "schema": COMMAND_SCHEMA,
        "type": kind,
        "tenant": args.tenant,
        "order": args.order,
        "ref": args.reference,
    })
}

fn minor_units(text: &str) -> Result<u64> {
    text.parse().ok().context("--amount must be a whole number of minor units")
}
