//! What goes wrong in the demo: Stripe's replies, and the workers' lives.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use anyhow::{Context, Result};
use e2e::{Function, Stack};
use serde_json::json;
use tokio::time::{Instant, sleep};

/// How many workers were killed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Kills {
    /// Processes ended with SIGKILL.
    pub(crate) processes: usize,
}

/// Lets Stripe lose three of ten replies after the effect and fail after the effect in five of a hundred.
pub(crate) async fn make_trouble(stack: &Stack) -> Result<()> {
    let faults = json!({
        "seed": 2026,
        "per_mille": { "lose_reply_after_effect": 300, "error_500_after": 50, "delay": 300 },
        "delay_ms": [50, 900],
    });
    stack.stripe_put("/_sim/faults", &faults).await.context("stripe-sim did not take the faults")?;
    Ok(())
}

/// Kills whatever runs `settle`, every few seconds, until `until`.
pub(crate) async fn kill_workers(stack: &Stack, until: Instant, done: &AtomicBool) -> Result<Kills> {
    let mut kills = Kills::default();
    let mut wait_ms = 1_500;
    while Instant::now() < until && !done.load(Ordering::Relaxed) {
        sleep(Duration::from_millis(wait_ms)).await;
        kills.processes += stack.kill(Function::Settle)?;
        // From 1.5 to 6 s, never in step with the batches.
        wait_ms = 1_500 + (wait_ms * 7 + 1_301) % 4_500;
    }
    Ok(kills)
}
