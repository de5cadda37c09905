//! The ledger on DynamoDB: one item a payment, one conditional write a step, and a sparse index of what is due.

mod failure;
mod item;

use std::time::Duration;

use aws_sdk_dynamodb::{
    Client,
    config::retry::RetryConfig,
    types::{AttributeValue, ReturnValuesOnConditionCheckFailure, Select},
};
use aws_types::SdkConfig;
use effect::Time;
use payment::{
    PaymentId, Record, SHARDS,
    ports::{Due, DueIndex, Ledger, LoadError, Randomness, SaveError},
};

use self::failure::Failure;
pub use self::item::{Item, from_item, size_bytes, to_item};
use crate::OsRandomness;

/// How often a write that another transaction keeps away is attempted.
const CONFLICTING_ATTEMPTS: u32 = 5;

/// How often a write that gets no usable reply, or meets a busy table, is attempted.
const ATTEMPTS: u32 = 3;

/// The longest pause before the second attempt, in milliseconds; it doubles with each.
const PAUSE_MS: u32 = 50;

/// Stores payments in a DynamoDB table.
#[derive(Debug, Clone)]
pub struct DynamoLedger {
    client: Client,
    /// The same client without the SDK's retries: `save` must know of every attempt whether it may have been made.
    writer: Client,
    table: String,
}

impl DynamoLedger {
    /// Stores payments in `table`.
    #[must_use]
    pub fn new(aws: &SdkConfig, table: String) -> Self {
        let client = Client::new(aws);
        let once = client.config().to_builder().retry_config(RetryConfig::disabled()).build();
        Self { client, writer: Client::from_conf(once), table }
    }

    /// Returns how many payments wait for a person, as far as one page of each shard goes (some ten thousand).
    ///
    /// # Errors
    /// Returns [`LoadError::Unavailable`] if the index cannot be read.
    pub async fn open_reviews(&self) -> Result<u64, LoadError> {
        let mut open = 0;
        for shard in 0..SHARDS {
            let query = self
                .client
                .query()
                .table_name(&self.table)
                .index_name("review")
                .key_condition_expression("review_shard = :shard")
                .expression_attribute_values(":shard", item::review_shard(shard))
                .select(Select::Count);
            let counted =
                query.send().await.map_err(|error| LoadError::Unavailable(why(failure::of(&error))))?;
            open += u64::from(counted.count().unsigned_abs());
        }
        Ok(open)
    }

    /// Makes one PutItem.
    async fn put(&self, expected: Option<&Record>, next: &Record, item: Item) -> Result<(), Failure> {
        let put = self
            .writer
            .put_item()
            .table_name(&self.table)
            .set_item(Some(item))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let put = match expected {
            None => put.condition_expression("attribute_not_exists(pk)"),
            Some(held) => {
                let put = put
                    .expression_attribute_names("#version", "version")
                    .expression_attribute_values(":version", AttributeValue::N(held.version.to_string()));
                match (held.due_at, next.due_at) {
                    // Unchanged, it must still be what was read: a sweep may have leased the payment since.
                    (Some(held), Some(kept)) if held == kept => put
                        .condition_expression("#version = :version AND due_at = :due_at")
                        .expression_attribute_values(":due_at", time(held)),
                    (Some(_) | None, Some(_) | None) => put.condition_expression("#version = :version"),
                }
            }
        };
        put.send().await.map(drop).map_err(|error| failure::of_write(&error))
    }
}

impl Ledger for DynamoLedger {
    async fn load(&self, id: &PaymentId) -> Result<Option<Record>, LoadError> {
        let get =
            self.client.get_item().table_name(&self.table).key("pk", item::key(id)).consistent_read(true);
        let found = get.send().await.map_err(|error| LoadError::Unavailable(why(failure::of(&error))))?;
        found.item.map(from_item).transpose().map_err(LoadError::Corrupt)
    }

    async fn save(&self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        let item = to_item(next).map_err(SaveError::NotDone)?;
        let mut may_be_done = false;
        let mut attempt = 1;
        loop {
            let (attempts, reason) = match self.put(expected, next, item.clone()).await {
                Ok(()) => return Ok(()),
                Err(Failure::Condition(None)) => return Err(SaveError::Conflict(None)),
                Err(Failure::Condition(Some(current))) => {
                    let current = from_item(current).map_err(SaveError::Corrupt)?;
                    return Err(SaveError::Conflict(Some(Box::new(current))));
                }
                Err(Failure::TransactionConflict) => (CONFLICTING_ATTEMPTS, "a transaction holds the item"),
                Err(Failure::Throttled) => (ATTEMPTS, "the table is busy"),
                Err(Failure::Refused(reason)) => (attempt, reason),
                Err(Failure::Unknown(reason)) => {
                    may_be_done = true;
                    (ATTEMPTS, reason)
                }
            };
            if attempt >= attempts {
                // Only the last attempt's failure is certain; one before it may have been the write.
                return Err(if may_be_done {
                    SaveError::Unknown(reason)
                } else {
                    SaveError::NotDone(reason)
                });
            }
            pause(attempt).await;
            attempt += 1;
        }
    }
}

impl DueIndex for DynamoLedger {
    async fn due(&self, shard: u8, now: Time, limit: u32) -> Result<Vec<Due>, LoadError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name("due")
            .key_condition_expression("due_shard = :shard AND due_at <= :now")
            .expression_attribute_values(":shard", item::due_shard(shard))
            .expression_attribute_values(":now", time(now))
            .scan_index_forward(true)
            .limit(i32::try_from(limit).unwrap_or(i32::MAX));
        let found = query.send().await.map_err(|error| LoadError::Unavailable(why(failure::of(&error))))?;
        found.items().iter().map(read_due).collect()
    }

    async fn lease(&self, due: &Due, until: Time) -> Result<bool, LoadError> {
        let update = self
            .client
            .update_item()
            .table_name(&self.table)
            .key("pk", item::key(&due.payment_id))
            .update_expression("SET due_at = :until")
            .condition_expression("due_at = :seen")
            .expression_attribute_values(":until", time(until))
            .expression_attribute_values(":seen", time(due.due_at))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        match update.send().await.map_err(|error| failure::of_write(&error)) {
            Ok(_) => Ok(true),
            // The SDK's retry of a lost reply meets the value that the first attempt wrote.
            Err(Failure::Condition(current)) => {
                Ok(current.is_some_and(|item| item.get("due_at") == Some(&time(until))))
            }
            Err(failure) => Err(LoadError::Unavailable(why(failure))),
        }
    }
}

fn time(at: Time) -> AttributeValue {
    AttributeValue::N(at.0.to_string())
}

fn read_due(item: &Item) -> Result<Due, LoadError> {
    let due = match (item.get("due_at"), item.get("pk")) {
        (Some(AttributeValue::N(at)), Some(AttributeValue::S(id))) => at.parse().ok().zip(id.parse().ok()),
        (_, _) => None,
    };
    let (at, payment_id) = due.ok_or(LoadError::Corrupt("an entry of the due index is not one"))?;
    Ok(Due { due_at: Time(at), payment_id })
}

fn why(failure: Failure) -> &'static str {
    match failure {
        Failure::Condition(_) => "a condition failed",
        Failure::TransactionConflict => "a transaction holds the item",
        Failure::Throttled => "the table is busy",
        Failure::Refused(reason) | Failure::Unknown(reason) => reason,
    }
}

async fn pause(attempt: u32) {
    let longest = u64::from(PAUSE_MS) << attempt.saturating_sub(1).min(6);
    let jittered = longest * u64::from(500 + OsRandomness.jitter_per_mille() / 2) / 1_000;
    tokio::time::sleep(Duration::from_millis(jittered)).await;
}

#[cfg(test)]
#[path = "ledger/tests.rs"]
mod tests;

#[cfg(test)]
#[path = "ledger/wire_tests.rs"]
mod wire_tests;
