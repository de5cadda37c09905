//! The adapter's queue, on SQS at any endpoint.

use std::{collections::HashMap, sync::Mutex, time::Duration};

use adapters::{SdkConfig, SqsDeadLetters, SqsQueue};
use anyhow::{Context, Result};
use aws_sdk_sqs::{
    Client,
    types::{Message, MessageSystemAttributeName, QueueAttributeName},
};

use super::{QueueSubject, Received};
use crate::case::in_time;

/// How long a received message stays invisible: long enough for a few requests, short enough to be waited for.
const VISIBILITY: Duration = Duration::from_secs(5);

/// After how many receives a message is moved.
const MAX_RECEIVES: u32 = 3;

/// A FIFO queue with its dead-letter queue, and one more where letters are set aside.
pub struct FifoQueue {
    client: Client,
    url: String,
    dead_url: String,
    aside_url: String,
    port: SqsQueue,
    aside: SqsDeadLetters,
    /// The reasons that were received already: a letter stays in flight for a while.
    reasons: Mutex<Vec<String>>,
}

impl FifoQueue {
    /// Makes the queues at an endpoint, with the attributes that `template.yaml` gives them and shorter numbers.
    ///
    /// # Errors
    /// Returns an error if they cannot be made.
    pub async fn new(config: &SdkConfig, name: &str) -> Result<Self> {
        let client = Client::new(config);
        // A queue's name has at most 80 characters.
        let name = &name[..name.len().min(60)];
        let dead_url = create(&client, &format!("{name}-dead"), &[]).await?;
        let aside_url = create(&client, &format!("{name}-aside"), &[]).await?;
        let arn = client.get_queue_attributes().queue_url(&dead_url);
        let arn = arn.attribute_names(QueueAttributeName::QueueArn).send().await?.attributes;
        let arn = arn.and_then(|all| all.get(&QueueAttributeName::QueueArn).cloned()).context("no ARN")?;
        let redrive = format!(r#"{{"deadLetterTargetArn":"{arn}","maxReceiveCount":{MAX_RECEIVES}}}"#);
        let visibility = VISIBILITY.as_secs().to_string();
        let own = [
            (QueueAttributeName::VisibilityTimeout, visibility.as_str()),
            (QueueAttributeName::RedrivePolicy, &redrive),
        ];
        let url = create(&client, name, &own).await?;
        let port = SqsQueue::new(config, url.clone());
        let aside = SqsDeadLetters::new(config, aside_url.clone());
        Ok(Self { client, url, dead_url, aside_url, port, aside, reasons: Mutex::default() })
    }

    /// Waits until the endpoint answers within the SDK's time, which an emulator's very first reply may not.
    ///
    /// # Errors
    /// Returns an error if it never does.
    pub async fn warm_up(config: &SdkConfig) -> Result<()> {
        let client = Client::new(config);
        in_time("the queue answers", &true, async || Ok(client.list_queues().send().await.is_ok())).await
    }

    async fn receive_from(&self, url: &str, most: i32) -> Result<Vec<Message>> {
        let receive = self.client.receive_message().queue_url(url).max_number_of_messages(most);
        let receive = receive
            .wait_time_seconds(0)
            .message_attribute_names("All")
            .message_system_attribute_names(MessageSystemAttributeName::All);
        Ok(receive.send().await?.messages.unwrap_or_default())
    }
}

async fn create(client: &Client, name: &str, own: &[(QueueAttributeName, &str)]) -> Result<String> {
    let fifo = [
        (QueueAttributeName::FifoQueue, "true"),
        (QueueAttributeName::DeduplicationScope, "messageGroup"),
        (QueueAttributeName::FifoThroughputLimit, "perMessageGroupId"),
    ];
    let attributes: HashMap<QueueAttributeName, String> =
        fifo.iter().chain(own).map(|(name, value)| (name.clone(), (*value).to_owned())).collect();
    let create = client.create_queue().queue_name(format!("{name}.fifo")).set_attributes(Some(attributes));
    create.send().await.context("the queue cannot be made")?.queue_url.context("a queue without a URL")
}

fn received(message: Message) -> Result<Received<String>> {
    let attribute = |name: MessageSystemAttributeName| {
        let attributes = message.attributes.as_ref();
        attributes.and_then(|all| all.get(&name).cloned()).with_context(|| format!("no {}", name.as_str()))
    };
    Ok(Received {
        group: attribute(MessageSystemAttributeName::MessageGroupId)?,
        receives: attribute(MessageSystemAttributeName::ApproximateReceiveCount)?.parse()?,
        body: message.body.context("no body")?,
        receipt: message.receipt_handle.context("no receipt")?,
    })
}

impl QueueSubject for FifoQueue {
    type Receipt = String;
    type Port = SqsQueue;
    type Aside = SqsDeadLetters;

    fn port(&self) -> &SqsQueue {
        &self.port
    }

    fn aside(&self) -> &SqsDeadLetters {
        &self.aside
    }

    fn max_receives(&self) -> u32 {
        MAX_RECEIVES
    }

    async fn receive(&self, most: usize) -> Result<Vec<Received<String>>> {
        let messages = self.receive_from(&self.url, i32::try_from(most)?).await?;
        messages.into_iter().map(received).collect()
    }

    async fn delete(&self, receipt: &String) -> Result<bool> {
        let delete = self.client.delete_message().queue_url(&self.url).receipt_handle(receipt);
        match delete.send().await {
            Ok(_) => Ok(true),
            Err(error) if error.as_service_error().is_some() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    async fn show_after(&self, receipt: &String, after: Duration) -> Result<()> {
        let change = self.client.change_message_visibility().queue_url(&self.url).receipt_handle(receipt);
        change.visibility_timeout(i32::try_from(after.as_secs())?).send().await?;
        Ok(())
    }

    async fn expire(&self) -> Result<()> {
        tokio::time::sleep(VISIBILITY + Duration::from_millis(200)).await;
        Ok(())
    }

    async fn dead(&self) -> Result<Vec<Received<String>>> {
        let messages = self.receive_from(&self.dead_url, 10).await?;
        messages.into_iter().map(received).collect()
    }

    async fn reasons(&self) -> Result<Vec<String>> {
        let messages = self.receive_from(&self.aside_url, 10).await?;
        let reason = |message: Message| {
            let attributes = message.message_attributes?;
            attributes.get("reason")?.string_value.clone()
        };
        let mut reasons = self.reasons.lock().map_err(|_| anyhow::anyhow!("another case panicked"))?;
        reasons.extend(messages.into_iter().filter_map(reason));
        Ok(reasons.clone())
    }
}
