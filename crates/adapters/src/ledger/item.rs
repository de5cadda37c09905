//! The item: a record as DynamoDB stores it.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use payment::{PaymentId, RECORD_SCHEMA, Record};
use serde_dynamo::aws_sdk_dynamodb_1 as codec;

/// One item.
pub type Item = HashMap<String, AttributeValue>;

/// Returns the item that stores a record.
///
/// # Errors
/// Returns a fixed text if the record has no form in DynamoDB, which no record that was decided on lacks.
pub fn to_item(record: &Record) -> Result<Item, &'static str> {
    let mut item: Item = codec::to_item(record).map_err(|_| "the record has no form in the table")?;
    item.insert("schema".to_owned(), AttributeValue::N(RECORD_SCHEMA.to_string()));
    if record.due_at.is_some() {
        item.insert("due_shard".to_owned(), due_shard(record.id.shard()));
    }
    if record.review_at.is_some() {
        item.insert("review_shard".to_owned(), review_shard(record.id.shard()));
    }
    Ok(item)
}

/// Returns the record that an item stores.
///
/// # Errors
/// Returns a fixed text if the item's shape is not [`RECORD_SCHEMA`], or not what that shape holds.
pub fn from_item(item: Item) -> Result<Record, &'static str> {
    match item.get("schema") {
        Some(AttributeValue::N(schema)) if *schema == RECORD_SCHEMA.to_string() => {}
        Some(_) => return Err("its schema is not one this version reads"),
        None => return Err("it has no schema"),
    }
    codec::from_item(item).map_err(|_| "its attributes are not those of a payment")
}

/// Returns the partition of the due index that holds a shard.
pub(super) fn due_shard(shard: u8) -> AttributeValue {
    AttributeValue::S(format!("due#{shard}"))
}

/// Returns the partition of the review index that holds a shard.
pub(super) fn review_shard(shard: u8) -> AttributeValue {
    AttributeValue::S(format!("review#{shard}"))
}

/// Returns an item's key.
pub(super) fn key(id: &PaymentId) -> AttributeValue {
    AttributeValue::S(id.as_str().to_owned())
}

/// Returns an item's size as DynamoDB counts it: names and values in UTF-8, about half a byte a digit, and one byte
/// for each element of a map or list, with three for the map or list itself. A write costs one unit a started KB.
#[must_use]
pub fn size_bytes(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the enum belongs to the SDK and grows")]
fn value_bytes(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => number_bytes(number),
        AttributeValue::B(blob) => blob.as_ref().len(),
        AttributeValue::Bool(_) | AttributeValue::Null(_) => 1,
        AttributeValue::L(list) => 3 + list.iter().map(|value| 1 + value_bytes(value)).sum::<usize>(),
        AttributeValue::M(map) => {
            3 + map.iter().map(|(name, value)| 1 + name.len() + value_bytes(value)).sum::<usize>()
        }
        AttributeValue::Ss(texts) => texts.iter().map(String::len).sum(),
        AttributeValue::Ns(numbers) => numbers.iter().map(|number| number_bytes(number)).sum(),
        AttributeValue::Bs(blobs) => blobs.iter().map(|blob| blob.as_ref().len()).sum(),
        // Kinds of values that a later SDK may add: none of ours.
        _ => 0,
    }
}

fn number_bytes(number: &str) -> usize {
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    digits.div_ceil(2) + 1 + usize::from(number.starts_with('-'))
}
