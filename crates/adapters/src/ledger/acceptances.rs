//! Acceptances on DynamoDB: a key's record and the payment's in one transaction, in the same table.
//!
//! A key's record has the TTL attribute `expires_at`; the table may delete it days late, so a condition of the write
//! takes an expired one for none, as every reader does.

use aws_sdk_dynamodb::types::{AttributeValue, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem};
use effect::Time;
use payment::ports::{AcceptError, Acceptances, Change, KeyId, KeyRecord, LoadError, Randomness};
use serde_dynamo::aws_sdk_dynamodb_1 as codec;

use super::{
    DynamoLedger,
    attempts::{Attempts, GivenUp},
    condition::Condition,
    failure::{self, Canceled, Failure, why},
    item::{Item, from_item, to_item},
};
use crate::OsRandomness;

/// The version of a key record's shape: the value of its `schema` attribute.
const KEY_SCHEMA: &str = "1";

/// That a key is free: never used, or expired.
const KEY_IS_FREE: &str = "attribute_not_exists(pk) OR expires_at <= :now";

impl Acceptances for DynamoLedger {
    async fn load_key(&self, id: &KeyId) -> Result<Option<KeyRecord>, LoadError> {
        let get = self
            .client
            .get_item()
            .table_name(&self.table)
            .key("pk", AttributeValue::S(id.as_str().to_owned()))
            .consistent_read(true);
        let found = get.send().await.map_err(|error| LoadError::Unavailable(why(failure::of(&error))))?;
        found.item.map(from_key_item).transpose().map_err(LoadError::Corrupt)
    }

    async fn accept(
        &self,
        change: Option<Change<'_>>,
        key: &KeyRecord,
        now: Time,
    ) -> Result<(), AcceptError> {
        let key = to_key_item(key).map_err(AcceptError::NotDone)?;
        let Some(change) = change else { return self.put_key(key, now).await };
        let payment = to_item(change.next).map_err(AcceptError::NotDone)?;
        let items = [
            self.guarded(key, key_is_free(now))?,
            self.guarded(payment, Condition::unchanged(change.expected))?,
        ];
        // Within ten minutes the table answers a repeated token as it did the first time: a lost reply is no riddle.
        let token = OsRandomness.token();
        let mut attempts = Attempts::none();
        loop {
            let write = self.writer.transact_write_items().set_transact_items(Some(items.to_vec()));
            let Err(error) = write.client_request_token(&token).send().await else { return Ok(()) };
            match failure::of_transaction(&error) {
                Canceled::Condition { position: 0, item } => return Err(key_taken(item)),
                Canceled::Condition { item, .. } => return Err(changed(item)),
                Canceled::Otherwise(failure) => attempts.again(failure).await?,
            }
        }
    }
}

impl DynamoLedger {
    async fn put_key(&self, item: Item, now: Time) -> Result<(), AcceptError> {
        let mut attempts = Attempts::none();
        loop {
            let is_free = key_is_free(now);
            let put = self
                .writer
                .put_item()
                .table_name(&self.table)
                .set_item(Some(item.clone()))
                .condition_expression(is_free.expression)
                .set_expression_attribute_values(is_free.values)
                .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
            let Err(error) = put.send().await else { return Ok(()) };
            match failure::of_write(&error) {
                // Our own write, if its reply was lost: what it stands for is the same.
                Failure::Condition(item) => return Err(key_taken(item)),
                other @ (Failure::TransactionConflict
                | Failure::Throttled
                | Failure::Refused(_)
                | Failure::Unknown(_)) => attempts.again(other).await?,
            }
        }
    }

    fn guarded(&self, item: Item, condition: Condition) -> Result<TransactWriteItem, AcceptError> {
        let put = Put::builder()
            .table_name(&self.table)
            .set_item(Some(item))
            .condition_expression(condition.expression)
            .set_expression_attribute_names(condition.names)
            .set_expression_attribute_values(condition.values)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()
            .map_err(|_| AcceptError::NotDone("the request could not be built"))?;
        Ok(TransactWriteItem::builder().put(put).build())
    }
}

fn key_is_free(now: Time) -> Condition {
    let now = AttributeValue::N(now.epoch_seconds().to_string());
    Condition { expression: KEY_IS_FREE, names: None, values: Some(Item::from([(":now".to_owned(), now)])) }
}

fn key_taken(item: Option<Item>) -> AcceptError {
    let Some(item) = item else {
        return AcceptError::Corrupt("a taken key came back without what it stands for");
    };
    match from_key_item(item) {
        Ok(key) => AcceptError::KeyTaken(Box::new(key)),
        Err(why) => AcceptError::Corrupt(why),
    }
}

fn changed(item: Option<Item>) -> AcceptError {
    match item.map(from_item).transpose() {
        Ok(record) => AcceptError::Changed(record.map(Box::new)),
        Err(why) => AcceptError::Corrupt(why),
    }
}

/// Returns the item that stores a key's record.
///
/// # Errors
/// Returns a fixed text if the record has no form in DynamoDB, which none lacks.
pub fn to_key_item(key: &KeyRecord) -> Result<Item, &'static str> {
    let mut item: Item = codec::to_item(key).map_err(|_| "the key's record has no form in the table")?;
    item.insert("schema".to_owned(), AttributeValue::N(KEY_SCHEMA.to_owned()));
    Ok(item)
}

/// Returns the key's record that an item stores.
fn from_key_item(item: Item) -> Result<KeyRecord, &'static str> {
    match item.get("schema") {
        Some(AttributeValue::N(schema)) if schema == KEY_SCHEMA => {}
        Some(_) | None => return Err("the key's schema is not one this version reads"),
    }
    codec::from_item(item).map_err(|_| "its attributes are not those of a key")
}

impl From<GivenUp> for AcceptError {
    fn from(given_up: GivenUp) -> Self {
        match given_up {
            GivenUp::Contended(_) => Self::Contended,
            GivenUp::NotDone(why) => Self::NotDone(why),
            GivenUp::Unknown(why) => Self::Unknown(why),
        }
    }
}

#[cfg(test)]
#[path = "acceptances_tests.rs"]
mod tests;
