//! Which payments a command line means.

use std::io::BufRead;

use anyhow::{Context, Result, ensure};
use payment::PaymentId;

use crate::args::ShowArgs;

/// Returns the one payment to show.
///
/// # Errors
/// Returns what an id, a tenant or an order must be.
pub fn of_show(args: &ShowArgs) -> Result<PaymentId> {
    match (&args.payment_id, &args.tenant, &args.order) {
        (Some(id), _, _) => Ok(id.parse()?),
        (None, Some(tenant), Some(order)) => Ok(PaymentId::of(&tenant.parse()?, &order.parse()?)),
        (None, _, _) => anyhow::bail!("name a payment: its id, or --tenant and --order"),
    }
}

/// Reads at most `count` ids, one a line; empty lines count for nothing.
///
/// # Errors
/// Returns the number of the first line that is no id, or that fewer than `count` came.
pub fn from_lines(lines: impl BufRead, count: Option<usize>) -> Result<Vec<PaymentId>> {
    let mut ids = Vec::new();
    for (index, line) in lines.lines().enumerate() {
        let line = line.context("the ids cannot be read")?;
        if !line.trim().is_empty() {
            let id = line.trim().parse().with_context(|| format!("line {} is no payment id", index + 1))?;
            ids.push(id);
        }
        if count == Some(ids.len()) {
            return Ok(ids);
        }
    }
    let wanted = count.unwrap_or(1);
    ensure!(ids.len() >= wanted, "{} payment ids came, {wanted} are needed", ids.len());
    Ok(ids)
}
