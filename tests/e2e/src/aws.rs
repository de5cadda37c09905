//! AWS clients for the stack, and what tests ask of its queues, table and bus most.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use aws_credential_types::Credentials;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_eventbridge::types::Target;
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use serde_json::Value;

use crate::Stack;

const REGION: &str = "us-east-1";

/// Builds one service's client. A client's connections belong to the runtime that made them and every test has a
/// runtime of its own, so clients are made where they are used and kept nowhere.
macro_rules! client {
    ($service:ident, $stack:expr) => {
        $service::Client::from_conf(
            $service::Config::builder()
                .behavior_version(BehaviorVersion::latest())
                .region($service::config::Region::new(REGION))
                .credentials_provider(Credentials::new("test", "test", None, None, "e2e"))
                .endpoint_url($stack.endpoint())
                .http_client(aws_smithy_http_client::Builder::new().build_http())
                .build(),
        )
    };
}

impl Stack {
    /// A client of the queues.
    pub fn sqs(&self) -> aws_sdk_sqs::Client {
        client!(aws_sdk_sqs, self)
    }

    /// A client of the table.
    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        client!(aws_sdk_dynamodb, self)
    }

    /// A client of the buses.
    pub fn eventbridge(&self) -> aws_sdk_eventbridge::Client {
        client!(aws_sdk_eventbridge, self)
    }

    /// Puts a command on the payments queue.
    pub async fn send(&self, group: &str, deduplication: &str, body: &str) -> Result<()> {
        let send = self.sqs().send_message().queue_url(&self.outputs().queue_url).message_body(body);
        send.message_group_id(group).message_deduplication_id(deduplication).send().await?;
        Ok(())
    }

    /// Takes every message that is visible in a queue at this moment, and deletes it.
    pub async fn take(&self, queue_url: &str) -> Result<Vec<aws_sdk_sqs::types::Message>> {
        let sqs = self.sqs();
        let mut taken = Vec::new();
        loop {
            let receive = sqs.receive_message().queue_url(queue_url).max_number_of_messages(10);
            let receive = receive.message_attribute_names("All").message_system_attribute_names("All".into());
            let messages = receive.send().await?.messages.unwrap_or_default();
            if messages.is_empty() {
                return Ok(taken);
            }
            for message in messages {
                let handle = message.receipt_handle().context("a message without a receipt handle")?;
                sqs.delete_message().queue_url(queue_url).receipt_handle(handle).send().await?;
                taken.push(message);
            }
        }
    }

    /// The record of a payment as the table holds it, read consistently.
    pub async fn item(&self, pk: &str) -> Result<Option<HashMap<String, AttributeValue>>> {
        let get = self.dynamodb().get_item().table_name(&self.outputs().table_name).consistent_read(true);
        Ok(get.key("pk", AttributeValue::S(pk.to_owned())).send().await?.item)
    }

    /// From now on, keeps a copy of every event on the payments bus in a new queue, and gives that queue's URL.
    pub async fn capture(&self, name: &str) -> Result<String> {
        let queue = self.sqs().create_queue().queue_name(name).send().await?;
        let url = queue.queue_url.context("a queue without a URL")?;
        let arn = format!("arn:aws:sqs:{REGION}:000000000000:{name}");
        let (bus, bridge) = (&self.outputs().bus_name, self.eventbridge());
        let everything = r#"{"account":["000000000000"]}"#;
        bridge.put_rule().event_bus_name(bus).name(name).event_pattern(everything).send().await?;
        let target = Target::builder().id("copy").arn(arn).build()?;
        let put = bridge.put_targets().event_bus_name(bus).rule(name).targets(target).send().await?;
        if put.failed_entry_count > 0 {
            bail!("the copy's target was refused: {:?}", put.failed_entries);
        }
        Ok(url)
    }

    /// Takes the events that a capture has copied so far, in full envelope.
    pub async fn captured(&self, capture_url: &str) -> Result<Vec<Value>> {
        let messages = self.take(capture_url).await?;
        messages.iter().map(|message| Ok(serde_json::from_str(message.body().unwrap_or_default())?)).collect()
    }
}
