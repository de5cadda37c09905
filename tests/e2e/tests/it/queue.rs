//! What the protocol relies on of the queue itself, read by a poller of our own on a queue of the same attributes.

use std::time::Duration;

use anyhow::{Context, Result};
use aws_sdk_sqs::types::{Message, QueueAttributeName};
use e2e::{Stack, eventually};

use crate::order::LIMIT;

/// A FIFO queue as `template.yaml` makes the payments queue, without its mapping.
struct Twin {
    sqs: aws_sdk_sqs::Client,
    url: String,
}

impl Twin {
    async fn new(name: &str) -> Result<Self> {
        let stack = Stack::shared();
        let sqs = stack.sqs();
        let get = sqs.get_queue_attributes().queue_url(&stack.outputs().queue_url);
        let attributes = get.attribute_names(QueueAttributeName::All).send().await?.attributes;
        let attributes = attributes.context("the payments queue has no attributes")?;
        let copied = [
            QueueAttributeName::FifoQueue,
            QueueAttributeName::DeduplicationScope,
            QueueAttributeName::FifoThroughputLimit,
            QueueAttributeName::VisibilityTimeout,
        ];
        let mut create = sqs.create_queue().queue_name(format!("{name}.fifo"));
        for attribute in copied {
            let value = attributes.get(&attribute).with_context(|| format!("no {attribute}"))?;
            create = create.attributes(attribute, value);
        }
        let url = create.send().await?.queue_url.context("a queue without a URL")?;
        Ok(Self { sqs, url })
    }

    async fn send(&self, group: &str, body: &str) -> Result<()> {
        let send = self.sqs.send_message().queue_url(&self.url).message_body(body);
        send.message_group_id(group).message_deduplication_id(body).send().await?;
        Ok(())
    }

    /// Receives what is there at this moment, at most `most` messages.
    async fn receive(&self, most: i32) -> Result<Vec<Message>> {
        let receive = self.sqs.receive_message().queue_url(&self.url).max_number_of_messages(most);
        let receive = receive.message_system_attribute_names("All".into());
        Ok(receive.send().await?.messages.unwrap_or_default())
    }

    async fn delete(&self, message: &Message) -> Result<()> {
        let delete = self.sqs.delete_message().queue_url(&self.url);
        delete.set_receipt_handle(message.receipt_handle.clone()).send().await?;
        Ok(())
    }

    async fn show_again(&self, message: &Message, after_s: i32) -> Result<()> {
        let change = self.sqs.change_message_visibility().queue_url(&self.url).visibility_timeout(after_s);
        change.set_receipt_handle(message.receipt_handle.clone()).send().await?;
        Ok(())
    }
}

fn bodies(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(|message| message.body().unwrap_or_default()).collect()
}

#[tokio::test]
async fn a_group_is_locked_while_one_of_its_messages_is_in_flight_and_others_flow() -> Result<()> {
    let queue = Twin::new("locked-group").await?;
    for (group, body) in [("a", "a1"), ("a", "a2"), ("b", "b1")] {
        queue.send(group, body).await?;
    }
    let first = queue.receive(1).await?;
    assert_eq!(bodies(&first), ["a1"]);
    let other = queue.receive(10).await?;
    assert_eq!(bodies(&other), ["b1"], "another group flows, this one does not");
    assert_eq!(bodies(&queue.receive(10).await?), [""; 0]);
    queue.delete(&first[0]).await?;
    assert_eq!(bodies(&queue.receive(10).await?), ["a2"]);
    Ok(())
}

#[tokio::test]
async fn a_message_that_was_not_deleted_comes_again_before_its_successors() -> Result<()> {
    let queue = Twin::new("comes-again").await?;
    for body in ["a1", "a2"] {
        queue.send("a", body).await?;
    }
    let first = queue.receive(1).await?;
    assert_eq!(bodies(&first), ["a1"]);
    queue.show_again(&first[0], 1).await?;
    let again = || async {
        let received = queue.receive(10).await?;
        Ok((!received.is_empty()).then_some(received))
    };
    let again = eventually("the message comes again", Duration::from_secs(10), again).await?;
    assert_eq!(bodies(&again), ["a1", "a2"]);
    let count = |message: &Message| {
        let attributes = message.attributes()?;
        attributes.get(&"ApproximateReceiveCount".into()).cloned()
    };
    assert_eq!((count(&again[0]).as_deref(), count(&again[1]).as_deref()), (Some("2"), Some("1")));
    Ok(())
}

#[tokio::test]
async fn a_deduplication_id_is_remembered_after_its_message_is_deleted_and_by_its_group_alone() -> Result<()>
{
    let queue = Twin::new("remembered").await?;
    queue.send("a", "once").await?;
    let first = queue.receive(10).await?;
    assert_eq!(bodies(&first), ["once"]);
    queue.delete(&first[0]).await?;
    queue.send("a", "once").await?;
    queue.send("b", "once").await?;
    // The last one sent proves that nothing else is on its way.
    queue.send("a", "last").await?;
    let mut received = Vec::new();
    let probe = || async { Ok(Some(queue.receive(10).await?).filter(|messages| !messages.is_empty())) };
    while received.len() < 2 {
        received.extend(eventually("the messages arrive", LIMIT, probe).await?);
    }
    let mut found = bodies(&received);
    found.sort_unstable();
    assert_eq!(
        found,
        ["last", "once"],
        "the group's own repeat is suppressed, another group's message is not"
    );
    assert_eq!(bodies(&queue.receive(10).await?), [""; 0]);
    Ok(())
}
