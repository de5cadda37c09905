//! The way from the command line to AWS: the only place here that knows it.

use adapters::{DynamoLedger, SqsQueue, sdk::for_cli, settings::Environment};
use anyhow::{Context, Result, ensure};

use aws_types::{SdkConfig, origin::Origin};

use crate::args::{QueueArgs, TableArgs};

/// Returns the ledger that the command line names.
///
/// # Errors
/// Returns which flag or environment variable is missing.
pub fn ledger(args: &TableArgs) -> Result<DynamoLedger> {
    let table = args.table.as_deref().filter(|name| !name.is_empty());
    let table = table.context("the payments table is not named: give --table or set IKKAI_TABLE")?;
    Ok(DynamoLedger::new(&sdk(args.endpoint_url.as_deref())?, table.to_owned()))
}

/// Returns the queue that the command line names.
///
/// # Errors
/// Returns which flag or environment variable is missing.
pub fn queue(args: &QueueArgs) -> Result<SqsQueue> {
    let url = args.queue_url.as_deref().filter(|url| !url.is_empty());
    let url = url.context("the command queue is not named: give --queue-url or set IKKAI_QUEUE_URL")?;
    ensure!(url.starts_with("http"), "the command queue must be named by its URL, http…");
    Ok(SqsQueue::new(&sdk(args.endpoint_url.as_deref())?, url.to_owned()))
}

fn sdk(endpoint_url: Option<&str>) -> Result<SdkConfig> {
    let config = for_cli(&Environment::of_process()).context("AWS cannot be called")?;
    let Some(url) = endpoint_url else { return Ok(config) };
    let mut config = config.into_builder().endpoint_url(url);
    // Without this mark, an endpoint named in the environment would win over the command line.
    config.insert_origin("endpoint_url", Origin::shared_config());
    Ok(config.build())
}
