//! Waiting for what another process will do.

use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result};

const PAUSE: Duration = Duration::from_millis(100);

/// Asks again and again until the answer is there, and fails once the limit has passed.
///
/// An error of the probe itself ends the wait at once: it is a fault, not a "not yet".
pub async fn eventually<T, F>(what: &str, limit: Duration, mut probe: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
{
    let asking = async {
        loop {
            if let Some(found) = probe().await? {
                return Ok(found);
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::time::timeout(limit, asking).await.with_context(|| format!("{what}: not within {limit:?}"))?
}
