//! Holds: charges that are captured or canceled later, in whole or in part.

use anyhow::{Result, bail};
use effect::{Look, Note, Outcome, Status};
use payment::{CaptureMethod, ports::Request};

use super::{
    Operation, StripeSubject, Trouble, VISA, charge_to, expect_outcome, expect_replay,
    expect_unexpected_state, id, json, outcome,
};
use crate::{
    case::{Case, cases, expect},
    sources::{CAPTURES, HOLDS, IDEMPOTENCY, LIFECYCLE},
};

pub(super) fn cases<S: StripeSubject>() -> Vec<Case<S>> {
    cases! {
        a_manual_charge_is_held_and_not_taken: "with capture_method=manual a confirmed intent is requires_capture, and its amount_capturable is the amount", HOLDS;
        a_capture_takes_what_is_held: "a captured intent is succeeded, with the amount received", CAPTURES;
        a_part_is_captured_and_the_rest_released: "amount_to_capture may be less than what is held; the rest is released", CAPTURES;
        a_capture_is_replayed_under_its_key: "the first result is saved under the key and returned for every repeat, with Idempotent-Replayed", IDEMPOTENCY;
        a_capture_whose_reply_is_lost_was_made: "a request whose connection broke may have been carried out; a repeat under its key returns the result", IDEMPOTENCY;
        a_second_capture_is_an_unexpected_state: "a succeeded intent cannot be captured: payment_intent_unexpected_state, with the intent", LIFECYCLE;
        a_capture_of_more_than_is_held_is_refused_and_the_hold_remains: "amount_to_capture must be less than or equal to what is held", CAPTURES;
        a_hold_can_be_canceled: "an intent in requires_capture can be canceled, which releases it", LIFECYCLE;
        a_capture_of_a_canceled_hold_is_an_unexpected_state: "a canceled intent cannot be captured: payment_intent_unexpected_state, with the intent", LIFECYCLE;
        a_cancel_of_a_captured_hold_is_an_unexpected_state: "a succeeded intent cannot be canceled: payment_intent_unexpected_state, with the intent", LIFECYCLE;
    }
}

/// Holds 20.00 EUR, and returns the charge with its intent.
async fn held<S: StripeSubject>(stripe: &S) -> Result<(Operation, String)> {
    let charge = charge_to(CaptureMethod::Manual, "a", VISA)?;
    let intent = id(&charge.send(stripe).await?)?;
    Ok((charge, intent))
}

fn capture(intent: &str, minor: u64) -> Result<Request> {
    Ok(Request::CaptureIntent { id: intent.to_owned(), amount: minor.try_into()? })
}

fn cancel(intent: &str) -> Request {
    Request::CancelIntent { id: intent.to_owned() }
}

async fn a_manual_charge_is_held_and_not_taken<S: StripeSubject>(stripe: &S) -> Result<()> {
    let charge = charge_to(CaptureMethod::Manual, "a", VISA)?;
    let reply = charge.send(stripe).await?;
    let body = json(&reply)?;
    expect("the status", &body["status"], &"requires_capture".into())?;
    expect("what can be captured", &body["amount_capturable"], &2_000.into())?;
    expect("what was received", &body["amount_received"], &0.into())?;
    let note = charge.read(&Ok(reply.clone())).note;
    expect("the note", &note, &Some(Note::Status(Status::RequiresCapture)))?;
    expect_outcome(stripe, &charge, reply, Outcome::Authorized).await
}

async fn a_capture_takes_what_is_held<S: StripeSubject>(stripe: &S) -> Result<()> {
    let (charge, intent) = held(stripe).await?;
    let reply = charge.act(stripe, &capture(&intent, 2_000)?, "capture").await?;
    expect("what was received", &json(&reply)?["amount_received"], &2_000.into())?;
    expect_outcome(stripe, &charge, reply, Outcome::Succeeded).await
}

async fn a_part_is_captured_and_the_rest_released<S: StripeSubject>(stripe: &S) -> Result<()> {
    let (charge, intent) = held(stripe).await?;
    let reply = charge.act(stripe, &capture(&intent, 700)?, "capture").await?;
    let body = json(&reply)?;
    expect("the status", &body["status"], &"succeeded".into())?;
    expect("what was received", &body["amount_received"], &700.into())?;
    expect("what can be captured yet", &body["amount_capturable"], &0.into())?;
    expect_outcome(stripe, &charge, reply, Outcome::Partly(700)).await
}

async fn a_capture_is_replayed_under_its_key<S: StripeSubject>(stripe: &S) -> Result<()> {
    let (charge, intent) = held(stripe).await?;
    let first = charge.act(stripe, &capture(&intent, 700)?, "capture").await?;
    expect_replay(&first, &charge.act(stripe, &capture(&intent, 700)?, "capture").await?)
}

async fn a_capture_whose_reply_is_lost_was_made<S: StripeSubject>(stripe: &S) -> Result<()> {
    let (charge, intent) = held(stripe).await?;
    stripe.trouble(Trouble::ReplyLost).await?;
    if let Ok(reply) = charge.act(stripe, &capture(&intent, 700)?, "capture").await {
        bail!("the reply was not lost: {}", reply.status);
    }
    let again = charge.act(stripe, &capture(&intent, 700)?, "capture").await?;
    expect("whether it was replayed", &again.replayed, &true)?;
    expect_outcome(stripe, &charge, again, Outcome::Partly(700)).await
}

async fn a_second_capture_is_an_unexpected_state<S: StripeSubject>(stripe: &S) -> Result<()> {
    let (charge, intent) = held(stripe).await?;
    charge.act(stripe, &capture(&intent, 700)?, "capture").await?;
    let refused = charge.act(stripe, &capture(&intent, 700)?, "another capture").await?;
    expect_unexpected_state(stripe, &charge, refused, Outcome::Partly(700)).await
}

async fn a_capture_of_more_than_is_held_is_refused_and_the_hold_remains<S: StripeSubject>(
    stripe: &S,
) -> Result<()> {
    let (charge, intent) = held(stripe).await?;
    let refused = charge.act(stripe, &capture(&intent, 2_001)?, "capture").await?;
    expect("the status", &refused.status, &400)?;
    expect("the code", &json(&refused)?["error"]["code"], &"amount_too_large".into())?;
    let note = charge.read(&Ok(refused)).note;
    expect("the note", &note, &Some(Note::Refused("amount_too_large".to_owned())))?;
    let looked = charge.look(stripe, Look::ById, Some(&intent)).await?;
    expect("what a retrieve means", &outcome(&looked), &Some((intent, Outcome::Authorized)))
}

async fn a_hold_can_be_canceled<S: StripeSubject>(stripe: &S) -> Result<()> {
    let (charge, intent) = held(stripe).await?;
    let reply = charge.act(stripe, &cancel(&intent), "cancel").await?;
    expect("what was received", &json(&reply)?["amount_received"], &0.into())?;
    expect_outcome(stripe, &charge, reply, Outcome::Canceled).await
}

async fn a_capture_of_a_canceled_hold_is_an_unexpected_state<S: StripeSubject>(stripe: &S) -> Result<()> {
    let (charge, intent) = held(stripe).await?;
    charge.act(stripe, &cancel(&intent), "cancel").await?;
    let refused = charge.act(stripe, &capture(&intent, 700)?, "capture").await?;
    expect_unexpected_state(stripe, &charge, refused, Outcome::Canceled).await
}

async fn a_cancel_of_a_captured_hold_is_an_unexpected_state<S: StripeSubject>(stripe: &S) -> Result<()> {
    let (charge, intent) = held(stripe).await?;
    charge.act(stripe, &capture(&intent, 2_000)?, "capture").await?;
    let refused = charge.act(stripe, &cancel(&intent), "cancel").await?;
    expect_unexpected_state(stripe, &charge, refused, Outcome::Succeeded).await
}
