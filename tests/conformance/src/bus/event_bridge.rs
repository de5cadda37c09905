//! The adapter's bus, on EventBridge at any endpoint; a rule keeps a copy of every event in a queue.

use std::sync::Mutex;

use adapters::{EventBridgeBus, SdkConfig};
use anyhow::{Context, Result, bail};
use aws_sdk_eventbridge::{Client, types::Target};
use aws_sdk_sqs::types::QueueAttributeName;
use serde_json::Value;

use super::BusSubject;
use crate::{case::in_time, emulators::aws, lossy::Lossy};

const SOURCE: &str = "conformance";

/// EventBridge takes this source from no one but AWS.
const FOREIGN_SOURCE: &str = "aws.conformance";

/// A bus of its own, with the queue of its copies.
pub struct EventBridge {
    endpoint: String,
    config: SdkConfig,
    bus: String,
    queue: aws_sdk_sqs::Client,
    copies_url: String,
    /// The details that were received already: a copy is deleted when it was read.
    arrived: Mutex<Vec<String>>,
    port: EventBridgeBus,
}

impl EventBridge {
    /// Makes a bus at an endpoint, and the rule that copies its events.
    ///
    /// # Errors
    /// Returns an error if they cannot be made.
    pub async fn new(endpoint: &str, config: &SdkConfig, name: &str) -> Result<Self> {
        let (client, queue) = (Client::new(config), aws_sdk_sqs::Client::new(config));
        client.create_event_bus().name(name).send().await.context("the bus cannot be made")?;
        let created = queue.create_queue().queue_name(format!("copies-{name}")).send().await?;
        let copies_url = created.queue_url.context("a queue without a URL")?;
        let arn = queue.get_queue_attributes().queue_url(&copies_url);
        let arn = arn.attribute_names(QueueAttributeName::QueueArn).send().await?.attributes;
        let arn = arn.and_then(|all| all.get(&QueueAttributeName::QueueArn).cloned()).context("no ARN")?;
        let pattern = format!(r#"{{"source":["{SOURCE}","{FOREIGN_SOURCE}"]}}"#);
        client.put_rule().event_bus_name(name).name("copy").event_pattern(pattern).send().await?;
        let target = Target::builder().id("copies").arn(arn).build()?;
        let put = client.put_targets().event_bus_name(name).rule("copy").targets(target).send().await?;
        if put.failed_entry_count > 0 {
            bail!("the copies' queue was refused: {:?}", put.failed_entries);
        }
        Ok(Self {
            endpoint: endpoint.to_owned(),
            config: config.clone(),
            bus: name.to_owned(),
            queue,
            copies_url,
            arrived: Mutex::default(),
            port: EventBridgeBus::new(config, name.to_owned(), SOURCE.to_owned()),
        })
    }

    /// Waits until the endpoint answers within the SDK's time, which an emulator's very first reply may not.
    ///
    /// # Errors
    /// Returns an error if it never does.
    pub async fn warm_up(config: &SdkConfig) -> Result<()> {
        let client = Client::new(config);
        in_time("the bus answers", &true, async || Ok(client.list_event_buses().send().await.is_ok())).await
    }

    async fn take_copies(&self) -> Result<Vec<String>> {
        let mut details = Vec::new();
        loop {
            let receive = self.queue.receive_message().queue_url(&self.copies_url);
            let copies = receive.max_number_of_messages(10).wait_time_seconds(0).send().await?;
            let copies = copies.messages.unwrap_or_default();
            if copies.is_empty() {
                return Ok(details);
            }
            for copy in copies {
                let delete = self.queue.delete_message().queue_url(&self.copies_url);
                delete.set_receipt_handle(copy.receipt_handle).send().await?;
                let event: Value = serde_json::from_str(&copy.body.unwrap_or_default())?;
                details.push(event["detail"].to_string());
            }
        }
    }
}

impl BusSubject for EventBridge {
    type Port = EventBridgeBus;

    fn port(&self) -> &EventBridgeBus {
        &self.port
    }

    async fn refusing(&self) -> Result<EventBridgeBus> {
        Ok(EventBridgeBus::new(&self.config, self.bus.clone(), FOREIGN_SOURCE.to_owned()))
    }

    async fn lossy(&self) -> Result<(EventBridgeBus, Option<Lossy>)> {
        let way = Lossy::to(&self.endpoint).await?;
        let bus = EventBridgeBus::new(&aws(&way.endpoint)?, self.bus.clone(), SOURCE.to_owned());
        Ok((bus, Some(way)))
    }

    async fn arrived(&self) -> Result<Vec<String>> {
        let copies = self.take_copies().await?;
        let mut arrived = self.arrived.lock().map_err(|_| anyhow::anyhow!("another case panicked"))?;
        arrived.extend(copies);
        Ok(arrived.clone())
    }
}
