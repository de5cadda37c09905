//! The adapter's table, on DynamoDB at any endpoint.

use adapters::{DynamoLedger, SdkConfig};
use anyhow::{Context, Result};
use aws_sdk_dynamodb::{
    Client,
    error::ProvideErrorMetadata,
    types::{
        AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType,
        Projection, ProjectionType, ScalarAttributeType, TableStatus, TransactWriteItem, Update,
    },
};
use futures_util::future::join_all;
use payment::{PaymentId, Record};

use super::TableSubject;
use crate::{case::in_time, emulators::aws, lossy::Lossy};

/// How many transactions, and as many plain writes, go to one item at once, and how often.
const CONTENDERS: usize = 8;
const ROUNDS: usize = 4;

/// The adapter's ledger on a table of its own.
pub struct DynamoTable {
    endpoint: String,
    client: Client,
    table: String,
    ledger: DynamoLedger,
}

impl DynamoTable {
    /// Makes an empty table at `endpoint`, with the keys and indexes of `template.yaml`.
    ///
    /// # Errors
    /// Returns an error if it cannot be made.
    pub async fn new(endpoint: &str, config: &SdkConfig, table: &str) -> Result<Self> {
        let client = Client::new(config);
        let of_type = |name: &str, kind| {
            AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build()
        };
        let create = client
            .create_table()
            .table_name(table)
            .billing_mode(BillingMode::PayPerRequest)
            .attribute_definitions(of_type("pk", ScalarAttributeType::S)?)
            .attribute_definitions(of_type("due_shard", ScalarAttributeType::S)?)
            .attribute_definitions(of_type("due_at", ScalarAttributeType::N)?)
            .key_schema(key("pk", KeyType::Hash)?)
            .global_secondary_indexes(
                GlobalSecondaryIndex::builder()
                    .index_name("due")
                    .key_schema(key("due_shard", KeyType::Hash)?)
                    .key_schema(key("due_at", KeyType::Range)?)
                    .projection(Projection::builder().projection_type(ProjectionType::KeysOnly).build())
                    .build()?,
            );
        create.send().await.context("the table cannot be made")?;
        in_time("the table is active", &Some(TableStatus::Active), || async {
            let described = client.describe_table().table_name(table).send().await?;
            Ok(described.table.and_then(|table| table.table_status))
        })
        .await?;
        let ledger = DynamoLedger::new(config, table.to_owned());
        Ok(Self { endpoint: endpoint.to_owned(), client, table: table.to_owned(), ledger })
    }

    /// Waits until the endpoint answers within the SDK's time, which an emulator's very first reply may not.
    ///
    /// # Errors
    /// Returns an error if it never does.
    pub async fn warm_up(config: &SdkConfig) -> Result<()> {
        let client = Client::new(config);
        in_time("the table answers", &true, async || Ok(client.list_tables().send().await.is_ok())).await
    }

    /// Writes an attribute of no meaning, in a transaction or by itself; tells whether a transaction was in its way.
    async fn touch(&self, id: &PaymentId, in_transaction: bool) -> Result<bool> {
        let key = AttributeValue::S(id.as_str().to_owned());
        let (set, one) = ("SET touched = :one", AttributeValue::N("1".to_owned()));
        if !in_transaction {
            let update = self.client.update_item().table_name(&self.table).key("pk", key);
            let update = update.update_expression(set).expression_attribute_values(":one", one);
            return is_conflict(update.send().await.map(drop).map_err(|error| code(&error)));
        }
        let update = Update::builder().table_name(&self.table).key("pk", key).update_expression(set);
        let update = update.expression_attribute_values(":one", one).build()?;
        let items = TransactWriteItem::builder().update(update).build();
        let write = self.client.transact_write_items().transact_items(items);
        // A transaction that another one is in the way of is no write of ours.
        drop(write.send().await);
        Ok(false)
    }
}

fn is_conflict(write: Result<(), String>) -> Result<bool> {
    match write {
        Ok(()) => Ok(false),
        Err(code) if code == "TransactionConflictException" => Ok(true),
        Err(code) => anyhow::bail!("a plain write failed: {code}"),
    }
}

fn code(error: &impl ProvideErrorMetadata) -> String {
    error.code().unwrap_or("no reply").to_owned()
}

fn key(name: &str, kind: KeyType) -> Result<KeySchemaElement> {
    Ok(KeySchemaElement::builder().attribute_name(name).key_type(kind).build()?)
}

impl TableSubject for DynamoTable {
    type Port = DynamoLedger;

    fn port(&self) -> &DynamoLedger {
        &self.ledger
    }

    async fn lossy(&self) -> Result<(DynamoLedger, Option<Lossy>)> {
        let way = Lossy::to(&self.endpoint).await?;
        let ledger = DynamoLedger::new(&aws(&way.endpoint)?, self.table.clone());
        Ok((ledger, Some(way)))
    }

    async fn transaction_conflicts(&self, stored: &Record) -> Result<u32> {
        let mut conflicts = 0;
        for _ in 0..ROUNDS {
            let writes = (0..2 * CONTENDERS).map(|writer| self.touch(&stored.id, writer % 2 == 0));
            for conflict in join_all(writes).await {
                conflicts += u32::from(conflict?);
            }
        }
        Ok(conflicts)
    }
}
