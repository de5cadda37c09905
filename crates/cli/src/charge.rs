//! `ikkai charge`: one command to the queue.

use anyhow::{Context, Result};
use effect::digest_hex;
use payment::{
    COMMAND_SCHEMA, Command, PaymentId,
    ports::{Message, Queue, Randomness},
};
use serde_json::{Value, json};

use crate::args::ChargeArgs;

/// Sends the charge; returns the payment that it belongs to.
///
/// Sending the same charge again is safe: the record knows the operation, whenever it comes.
///
/// # Errors
/// Returns what is wrong with the charge, never repeating it, or that the queue did not take the message.
pub async fn charge(args: &ChargeArgs, queue: &impl Queue, random: &impl Randomness) -> Result<PaymentId> {
    let command = command(args)?;
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

fn command(args: &ChargeArgs) -> Result<Command> {
    let amount: u64 = args.amount.parse().ok().context("--amount must be a whole number of minor units")?;
    let mut body = json!({
        "schema": COMMAND_SCHEMA,
        "type": "charge",
        "tenant": args.tenant,
        "order": args.order,
        "amount": amount,
        "currency": args.currency,
        "customer": args.customer,
        "payment_method": args.payment_method,
    });
    if let Some(reference) = &args.reference {
        body["ref"] = Value::from(reference.as_str());
    }
    Ok(Command::parse(&body.to_string())?)
}
