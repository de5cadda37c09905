//! The dead-letter queue: what goes there, and how an operator puts it back.

use anyhow::{Context, Result};
use aws_sdk_sqs::types::Message;
use e2e::{Stack, eventually};

use crate::order::{LIMIT, Order};

/// Waits for a dead letter of a group and takes it; those of other groups are left for their tests.
async fn taken(stack: &Stack, group: &str) -> Result<Message> {
    let (sqs, url) = (stack.sqs(), &stack.outputs().dead_letter_url);
    let probe = || async {
        let receive = sqs.receive_message().queue_url(url).max_number_of_messages(10);
        let receive = receive.message_attribute_names("All").message_system_attribute_names("All".into());
        let mut found = None;
        for message in receive.send().await?.messages.unwrap_or_default() {
            let handle = message.receipt_handle().context("a message without a receipt handle")?;
            let attributes = message.attributes().context("a message without attributes")?;
            if found.is_none() && attributes.get(&"MessageGroupId".into()).is_some_and(|id| id == group) {
                sqs.delete_message().queue_url(url).receipt_handle(handle).send().await?;
                found = Some(message);
            } else {
                let release = sqs.change_message_visibility().queue_url(url).receipt_handle(handle);
                release.visibility_timeout(0).send().await?;
            }
        }
        Ok(found)
    };
    eventually("the dead letter is there", LIMIT, probe).await
}

/// Has a command dead-lettered, and puts it back on the queue as an operator does: received, sent under a new
/// deduplication id, deleted.
pub(crate) async fn redrive(stack: &Stack, group: &str, body: &str) -> Result<()> {
    let dead = stack.sqs().send_message().queue_url(&stack.outputs().dead_letter_url).message_body(body);
    dead.message_group_id(group).message_deduplication_id(format!("{group}-dead")).send().await?;
    let letter = taken(stack, group).await?;
    let body = letter.body().context("a dead letter without a body")?;
    stack.send(group, &format!("{group}-redriven"), body).await
}

#[tokio::test]
async fn a_malformed_message_is_set_aside_with_its_reason_and_its_group_goes_on() -> Result<()> {
    let stack = Stack::shared();
    let order = Order::new(stack, "malformed").await?;
    let group = order.payment_id();
    stack.send(&group, "malformed-1", "not json").await?;
    order.send(&order.charge).await?;
    let letter = taken(stack, &group).await?;
    assert_eq!(letter.body(), Some("not json"));
    let attribute = |name: &str| {
        let attributes = letter.message_attributes()?;
        attributes.get(name)?.string_value().map(str::to_owned)
    };
    let reason = attribute("reason").context("a dead letter without a reason")?;
    assert!(reason.contains("not valid JSON"), "{reason}");
    assert!(attribute("source_id").is_some_and(|id| !id.is_empty()));

    order.announced("PaymentCaptured").await?;
    order.assert_one_request_made_one_intent(1).await?;
    Ok(())
}
