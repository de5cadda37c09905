//! Refunds: several of one charge, up to what it took, each under a key of its own.

use anyhow::{Result, bail};
use effect::{Note, Outcome, Status};
use payment::{
    Kind,
    ports::{Expected, Object, Request},
};
use stripe_wire::{HttpReply, prepare};

use super::{
    Operation, StripeSubject, Trouble, VISA, charge, expect_outcome, expect_replay, id, json, key, outcome,
};
use crate::{
    case::{Case, cases, expect},
    sources::{ERRORS, IDEMPOTENCY, REFUND_STATUS, REFUNDS},
};

const PENDS: &str = "pm_card_pendingRefund";
const FAILS: &str = "pm_sim_refund_fails";

pub(super) fn cases<S: StripeSubject>() -> Vec<Case<S>> {
    cases! {
        a_refund_succeeds_and_carries_its_metadata: "a refund of a captured charge is succeeded, with the metadata given", REFUNDS;
        a_refund_is_replayed_under_its_key: "the first result is saved under the key and returned for every repeat, with Idempotent-Replayed", IDEMPOTENCY;
        a_refund_whose_reply_is_lost_was_made: "a request whose connection broke may have been carried out; a repeat under its key returns the result", IDEMPOTENCY;
        parts_are_refunded_up_to_the_whole: "a charge can be refunded in parts until all of it is", REFUNDS;
        more_than_is_left_is_refused: "a refund of more than is left is an error", REFUNDS;
        what_is_refunded_whole_is_refunded_no_more: "a refund of what is refunded already is charge_already_refunded", ERRORS;
        a_held_charge_has_nothing_to_refund: "only a successful charge can be refunded", REFUNDS;
        a_refund_may_be_pending: "a refund may be pending, which is no end", REFUND_STATUS;
        a_refund_may_fail: "a refund may be failed, with a failure_reason", REFUND_STATUS;
        the_list_shows_a_refund_by_its_metadata: "the list of an intent's refunds shows each of them, with the metadata given", REFUNDS;
        a_refund_before_its_effect_may_be_a_saved_500: "a 500 is a result that is saved, and must be treated as indeterminate", IDEMPOTENCY;
    }
}

/// Pays 20.00 EUR, and returns the intent.
async fn paid<S: StripeSubject>(stripe: &S, payment_method: &str) -> Result<String> {
    id(&charge("a", payment_method)?.send(stripe).await?)
}

/// Returns a refund of a part of an intent.
fn refund(name: &str, intent: &str, minor: u64) -> Result<Operation> {
    let operation_id = format!("pay_a/refund/{name}");
    let amount = minor.try_into()?;
    let request = Request::CreateRefund { intent: intent.to_owned(), amount };
    let frozen = prepare(&request, &operation_id, key(&operation_id));
    let object = Object::Refund { intent: intent.to_owned() };
    let expected = Expected { kind: Kind::Refund, operation_id, amount, currency: "eur".parse()?, object };
    Ok(Operation { frozen, expected })
}

async fn a_refund_succeeds_and_carries_its_metadata<S: StripeSubject>(stripe: &S) -> Result<()> {
    let intent = paid(stripe, VISA).await?;
    let refund = refund("1", &intent, 700)?;
    let reply = refund.send(stripe).await?;
    let body = json(&reply)?;
    expect("the amount", &body["amount"], &700.into())?;
    expect("the intent", &body["payment_intent"], &intent.into())?;
    let operation_id = &body["metadata"]["operation_id"];
    expect("the operation id", operation_id, &refund.expected.operation_id.clone().into())?;
    expect_outcome(stripe, &refund, reply, Outcome::Succeeded).await
}

async fn a_refund_is_replayed_under_its_key<S: StripeSubject>(stripe: &S) -> Result<()> {
    let refund = refund("1", &paid(stripe, VISA).await?, 700)?;
    let first = refund.send(stripe).await?;
    expect_replay(&first, &refund.send(stripe).await?)?;
    expect("what the list shows", &refund.listed(stripe).await?, &vec![id(&first)?])
}

async fn a_refund_whose_reply_is_lost_was_made<S: StripeSubject>(stripe: &S) -> Result<()> {
    let refund = refund("1", &paid(stripe, VISA).await?, 700)?;
    stripe.trouble(Trouble::ReplyLost).await?;
    if let Ok(reply) = refund.send(stripe).await {
        bail!("the reply was not lost: {}", reply.status);
    }
    let listed = refund.listed(stripe).await?;
    let again = refund.send(stripe).await?;
    expect("whether it was replayed", &again.replayed, &true)?;
    expect("what the list shows", &listed, &vec![id(&again)?])?;
    expect_outcome(stripe, &refund, again, Outcome::Succeeded).await
}

async fn parts_are_refunded_up_to_the_whole<S: StripeSubject>(stripe: &S) -> Result<()> {
    let intent = paid(stripe, VISA).await?;
    for (name, part) in [("1", 700), ("2", 700), ("3", 600)] {
        let refund = refund(name, &intent, part)?;
        let reply = refund.send(stripe).await?;
        expect_outcome(stripe, &refund, reply, Outcome::Succeeded).await?;
    }
    Ok(())
}

/// Refunds parts, the last of which is refused.
async fn refused<S: StripeSubject>(
    stripe: &S,
    intent: &str,
    parts: &[u64],
) -> Result<(Operation, HttpReply)> {
    for (number, part) in parts.iter().enumerate() {
        let refund = refund(&number.to_string(), intent, *part)?;
        let reply = refund.send(stripe).await?;
        if number + 1 == parts.len() {
            expect("the status", &reply.status, &400)?;
            expect("what the list shows", &refund.listed(stripe).await?, &Vec::new())?;
            return Ok((refund, reply));
        }
        expect("the status of a part", &reply.status, &200)?;
    }
    bail!("there is no part")
}

async fn more_than_is_left_is_refused<S: StripeSubject>(stripe: &S) -> Result<()> {
    let intent = paid(stripe, VISA).await?;
    let (refund, reply) = refused(stripe, &intent, &[700, 1_301]).await?;
    let note = refund.read(&Ok(reply)).note;
    expect("the note", &matches!(note, Some(Note::Refused(_))), &true)
}

async fn what_is_refunded_whole_is_refunded_no_more<S: StripeSubject>(stripe: &S) -> Result<()> {
    let intent = paid(stripe, VISA).await?;
    let (refund, reply) = refused(stripe, &intent, &[2_000, 1]).await?;
    expect("the code", &json(&reply)?["error"]["code"], &"charge_already_refunded".into())?;
    let note = refund.read(&Ok(reply)).note;
    expect("the note", &note, &Some(Note::Refused("charge_already_refunded".to_owned())))
}

async fn a_held_charge_has_nothing_to_refund<S: StripeSubject>(stripe: &S) -> Result<()> {
    let held = super::charge_to(payment::CaptureMethod::Manual, "a", VISA)?;
    let intent = id(&held.send(stripe).await?)?;
    refused(stripe, &intent, &[1]).await.map(drop)
}

async fn a_refund_may_be_pending<S: StripeSubject>(stripe: &S) -> Result<()> {
    let refund = refund("1", &paid(stripe, PENDS).await?, 700)?;
    let reply = refund.send(stripe).await?;
    expect("the status", &json(&reply)?["status"], &"pending".into())?;
    let answer = refund.read(&Ok(reply));
    expect("an outcome", &outcome(&answer), &None)?;
    expect("what it means", &answer.note, &Some(Note::Status(Status::Processing)))
}

async fn a_refund_may_fail<S: StripeSubject>(stripe: &S) -> Result<()> {
    let refund = refund("1", &paid(stripe, FAILS).await?, 700)?;
    let reply = refund.send(stripe).await?;
    let body = json(&reply)?;
    expect("the status", &body["status"], &"failed".into())?;
    let Some(reason) = body["failure_reason"].as_str() else { bail!("no failure_reason: {body}") };
    expect_outcome(stripe, &refund, reply, Outcome::Declined(reason.to_owned())).await
}

async fn the_list_shows_a_refund_by_its_metadata<S: StripeSubject>(stripe: &S) -> Result<()> {
    let intent = paid(stripe, VISA).await?;
    let (one, other) = (refund("1", &intent, 700)?, refund("2", &intent, 700)?);
    let made = [id(&one.send(stripe).await?)?, id(&other.send(stripe).await?)?];
    expect("the one's", &one.listed(stripe).await?, &vec![made[0].clone()])?;
    expect("the other's", &other.listed(stripe).await?, &vec![made[1].clone()])
}

async fn a_refund_before_its_effect_may_be_a_saved_500<S: StripeSubject>(stripe: &S) -> Result<()> {
    let refund = refund("1", &paid(stripe, VISA).await?, 700)?;
    stripe.trouble(Trouble::ErrorBefore).await?;
    let first = refund.send(stripe).await?;
    expect("the status", &first.status, &500)?;
    expect_replay(&first, &refund.send(stripe).await?)?;
    expect("what the list shows", &refund.listed(stripe).await?, &Vec::new())
}
