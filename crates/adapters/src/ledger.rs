//! The ledger on DynamoDB: one item a payment, one conditional write a step, and a sparse index of what is due.

mod acceptances;
mod attempts;
mod condition;
mod failure;
mod item;

use aws_sdk_dynamodb::{
    Client,
    config::retry::RetryConfig,
    operation::query::builders::QueryFluentBuilder,
    types::{AttributeValue, ReturnValuesOnConditionCheckFailure, Select},
};
use aws_types::SdkConfig;
use effect::Time;
use payment::{
    PaymentId, Record, SHARDS,
    ports::{Census, CensusPage, Counted, Due, DueIndex, Ledger, LoadError, Open, ReviewIndex, SaveError},
};

pub use self::acceptances::to_key_item;
pub use self::item::{Item, from_item, size_bytes, to_item};
use self::{
    attempts::{Attempts, GivenUp},
    condition::Condition,
    failure::{Failure, why},
};

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
            let counted = self
                .reviews(shard)
                .select(Select::Count)
                .send()
                .await
                .map_err(|error| LoadError::Unavailable(why(failure::of(&error))))?;
            open += u64::from(counted.count().unsigned_abs());
        }
        Ok(open)
    }

    /// Begins a query of what needs a person in a shard.
    fn reviews(&self, shard: u8) -> QueryFluentBuilder {
        self.client
            .query()
            .table_name(&self.table)
            .index_name("review")
            .key_condition_expression("review_shard = :shard")
            .expression_attribute_values(":shard", item::review_shard(shard))
    }

    /// Makes one PutItem.
    async fn put(&self, expected: Option<&Record>, item: Item) -> Result<(), Failure> {
        let unchanged = Condition::unchanged(expected);
        let put = self
            .writer
            .put_item()
            .table_name(&self.table)
            .set_item(Some(item))
            .condition_expression(unchanged.expression)
            .set_expression_attribute_names(unchanged.names)
            .set_expression_attribute_values(unchanged.values)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
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
        let mut attempts = Attempts::none();
        loop {
            match self.put(expected, item.clone()).await {
                Ok(()) => return Ok(()),
                Err(Failure::Condition(None)) => return Err(SaveError::Conflict(None)),
                Err(Failure::Condition(Some(current))) => {
                    let current = from_item(current).map_err(SaveError::Corrupt)?;
                    return Err(SaveError::Conflict(Some(Box::new(current))));
                }
                Err(
                    other @ (Failure::TransactionConflict
                    | Failure::Throttled
                    | Failure::Refused(_)
                    | Failure::Unknown(_)),
                ) => attempts.again(other).await?,
            }
        }
    }
}

impl From<GivenUp> for SaveError {
    fn from(given_up: GivenUp) -> Self {
        match given_up {
            GivenUp::Contended(why) | GivenUp::NotDone(why) => Self::NotDone(why),
            GivenUp::Unknown(why) => Self::Unknown(why),
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
            .update_expression("SET due_at = :until, woken_for = :seen")
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

impl ReviewIndex for DynamoLedger {
    async fn in_review(&self, shard: u8, limit: u32) -> Result<Vec<Open>, LoadError> {
        let query =
            self.reviews(shard).scan_index_forward(true).limit(i32::try_from(limit).unwrap_or(i32::MAX));
        let found = query.send().await.map_err(|error| LoadError::Unavailable(why(failure::of(&error))))?;
        let read =
            |item: &Item| read_entry(item, "review_at").map(|(since, payment_id)| Open { since, payment_id });
        found.items().iter().map(read).collect()
    }
}

impl Census for DynamoLedger {
    async fn page(&self, start: Option<&str>) -> Result<CensusPage, LoadError> {
        let scan = self
            .client
            .scan()
            .table_name(&self.table)
            .filter_expression("begins_with(pk, :payment)")
            .expression_attribute_values(":payment", AttributeValue::S("pay_".to_owned()))
            .set_exclusive_start_key(
                start.map(|pk| Item::from([("pk".to_owned(), AttributeValue::S(pk.to_owned()))])),
            );
        let found = scan.send().await.map_err(|error| LoadError::Unavailable(why(failure::of(&error))))?;
        let last = found.last_evaluated_key.as_ref().and_then(|key| key.get("pk"));
        let next = last.and_then(|pk| pk.as_s().ok()).cloned();
        let payments = found.items.unwrap_or_default().into_iter().filter_map(|item| {
            let payment_id = item.get("pk").and_then(read_id)?;
            let record = from_item(item).ok();
            Some(Counted {
                payment_id,
                state: record.as_ref().map(|record| record.payment.state()),
                needs_review: record.is_some_and(|record| record.review_at.is_some()),
            })
        });
        Ok(CensusPage { payments: payments.collect(), next })
    }
}

fn time(at: Time) -> AttributeValue {
    AttributeValue::N(at.0.to_string())
}

fn read_due(item: &Item) -> Result<Due, LoadError> {
    read_entry(item, "due_at").map(|(due_at, payment_id)| Due { due_at, payment_id })
}

fn read_entry(item: &Item, time: &str) -> Result<(Time, PaymentId), LoadError> {
    let at = item.get(time).and_then(|value| value.as_n().ok()).and_then(|at| at.parse().ok());
    let id = item.get("pk").and_then(read_id);
    let (at, payment_id) = at.zip(id).ok_or(LoadError::Corrupt("an entry of an index is not one"))?;
    Ok((Time(at), payment_id))
}

fn read_id(value: &AttributeValue) -> Option<PaymentId> {
    value.as_s().ok()?.parse().ok()
}

#[cfg(test)]
#[path = "ledger/tests.rs"]
mod tests;

#[cfg(test)]
#[path = "ledger/wire_tests.rs"]
mod wire_tests;
