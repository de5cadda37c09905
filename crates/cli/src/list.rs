//! `ikkai list`: what is due or needs a person, oldest first.

use std::fmt::Write;

use anyhow::Result;
use effect::Time;
use payment::{
    PaymentId, PaymentState, SHARDS,
    ports::{Census, Clock, DueIndex, ReviewIndex},
};
use serde_json::json;

use crate::moment::{relative, written};

/// One payment of a list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// When it is due, or since when it needs a person. First, so that entries order by time.
    pub at: Time,
    /// The payment.
    pub payment_id: PaymentId,
}

/// Returns at most `limit` payments that are due now or later, the earliest first.
///
/// # Errors
/// Returns that the index cannot be read.
pub async fn due(index: &impl DueIndex, limit: u32) -> Result<Vec<Listed>> {
    let mut listed = Vec::new();
    for shard in 0..SHARDS {
        let found = index.due(shard, Time(i64::MAX), limit).await?;
        listed.extend(found.into_iter().map(|due| Listed { at: due.due_at, payment_id: due.payment_id }));
    }
    Ok(earliest(listed, limit))
}

/// Returns at most `limit` payments that need a person, the longest waiting first.
///
/// # Errors
/// Returns that the index cannot be read.
pub async fn review(index: &impl ReviewIndex, limit: u32) -> Result<Vec<Listed>> {
    let mut listed = Vec::new();
    for shard in 0..SHARDS {
        let found = index.in_review(shard, limit).await?;
        listed.extend(found.into_iter().map(|open| Listed { at: open.since, payment_id: open.payment_id }));
    }
    Ok(earliest(listed, limit))
}

// Each shard gave its own earliest: the earliest of all are among them.
fn earliest(mut listed: Vec<Listed>, limit: u32) -> Vec<Listed> {
    listed.sort_unstable();
    listed.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    listed
}

/// Writes every payment of the table, a line each, in no order. Reads the whole table.
///
/// # Errors
/// Returns that the table cannot be read, or that a line could not be written.
pub async fn all(
    census: &impl Census,
    as_json: bool,
    mut line: impl FnMut(&str) -> Result<()>,
) -> Result<u64> {
    let (mut cursor, mut count): (Option<String>, u64) = (None, 0);
    loop {
        let page = census.page(cursor.as_deref()).await?;
        for counted in &page.payments {
            count += 1;
            let (id, state) = (&counted.payment_id, counted.state.map(PaymentState::as_str));
            if as_json {
                line(
                    &json!({ "payment_id": id, "state": state, "needs_review": counted.needs_review })
                        .to_string(),
                )?;
            } else {
                let review = if counted.needs_review { "  needs a person" } else { "" };
                line(&format!("{id}  {}{review}", state.unwrap_or("unreadable")))?;
            }
        }
        cursor = page.next;
        if cursor.is_none() {
            return Ok(count);
        }
    }
}

/// Returns a list as text, or as JSON: a line each.
///
/// # Errors
/// Returns that it cannot be written as JSON.
pub fn print(listed: &[Listed], what: &str, as_json: bool, clock: &impl Clock) -> Result<String> {
    let mut text = String::new();
    let now = clock.now();
    for entry in listed {
        if as_json {
            writeln!(text, "{}", json!({ "payment_id": entry.payment_id, (what): entry.at.0 }))?;
        } else {
            writeln!(
                text,
                "{}  {what} {} ({})",
                entry.payment_id,
                written(entry.at),
                relative(entry.at, now)
            )?;
        }
    }
    Ok(text)
}
