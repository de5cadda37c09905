//! `ikkai show`: one record, for a person to read.

use std::fmt::{self, Write};

use anyhow::{Context, Result};
use effect::Time;
use payment::{
    PaymentId,
    ports::{Clock, Ledger},
};
use serde::Serialize;

use crate::{
    moment::{relative, written},
    view::{OperationView, PaymentView, ReviewView},
};

/// Returns the text, or JSON, that shows a payment.
///
/// # Errors
/// Returns that the table cannot be read, or that there is no such payment.
pub async fn show(id: &PaymentId, as_json: bool, ledger: &impl Ledger, clock: &impl Clock) -> Result<String> {
    let record = ledger.load(id).await?.with_context(|| format!("there is no payment {id} in this table"))?;
    let now = clock.now();
    let view = PaymentView::of(&record, now);
    if as_json {
        return Ok(serde_json::to_string_pretty(&view)?);
    }
    let mut text = String::new();
    write_payment(&mut text, &view, now)?;
    Ok(text)
}

fn write_payment(out: &mut String, view: &PaymentView, now: Time) -> fmt::Result {
    writeln!(out, "payment    {}", view.payment_id)?;
    writeln!(out, "order      {} of {}", view.order, view.tenant)?;
    let review = if view.needs_review { ", needs a person" } else { "" };
    writeln!(out, "state      {}{review}", word(&view.state))?;
    writeln!(out, "written    {}, version {}", moment(view.updated_at, now), view.version)?;
    match (view.claimed_until, view.due_at) {
        (Some(until), _) => writeln!(out, "next look  a worker is acting until {}", moment(until, now))?,
        (None, Some(due)) => writeln!(out, "next look  {}", moment(due, now))?,
        (None, None) => writeln!(out, "next look  none: no machine has anything left to do")?,
    }
    if let Some(since) = view.review_at {
        writeln!(out, "review     since {}", moment(since, now))?;
    }
    if let Some(account) = &view.account {
        let mode = if account.live { "live" } else { "test" };
        writeln!(out, "account    {}, {mode} mode", account.id)?;
    }
    view.operations.iter().try_for_each(|operation| write_operation(out, operation, now))
}

fn write_operation(out: &mut String, view: &OperationView, now: Time) -> fmt::Result {
    write!(out, "\n{}  {}", view.operation, word(&view.standing))?;
    if let (Some(amount), Some(currency)) = (view.amount, &view.currency) {
        write!(out, "  {amount} {currency} (minor units)")?;
    }
    writeln!(out)?;
    let mut line = |name: &str, value: Option<String>| {
        value.map_or(Ok(()), |value| writeln!(out, "  {name:<11}{value}"))
    };
    line("ids", (!view.provider_ids.is_empty()).then(|| view.provider_ids.join(", ")))?;
    line("status", view.status.as_ref().map(word))?;
    line("code", view.code.clone())?;
    line("accepted", Some(moment(view.accepted_at, now)))?;
    line("first sent", view.first_sent_at.map(|at| moment(at, now)))?;
    line("key until", view.key_window_ends.filter(|_| is_open(view)).map(|at| moment(at, now)))?;
    line("requests", Some(format!("{}, tries {}", view.requests, view.tries)))?;
    line("not before", view.look_at.map(|at| moment(at, now)))?;
    line("cause", view.causation_id.clone())?;
    let differing = view.differing_requests;
    line("refused", (differing > 0).then(|| format!("{differing} request(s) with other parameters")))?;
    if let Some(review) = &view.review {
        write_review(out, review)?;
    }
    for event in &view.announced {
        let name = event.event.unwrap_or("unknown event");
        writeln!(out, "  announced  {name} at version {}, {}", event.sequence, moment(event.time, now))?;
        writeln!(out, "             {}", event.id)?;
    }
    Ok(())
}

fn write_review(out: &mut String, review: &ReviewView) -> fmt::Result {
    writeln!(out, "  REVIEW     {}: {}", word(&review.reason), review.meaning)?;
    review.tried.iter().try_for_each(|what| writeln!(out, "  tried      {what}"))
}

const fn is_open(view: &OperationView) -> bool {
    !view.standing.is_ended() && view.provider_ids.is_empty()
}

fn moment(at: Time, now: Time) -> String {
    format!("{} ({})", written(at), relative(at, now))
}

/// The word that JSON has for a value without fields.
fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or("?").to_owned()
}
