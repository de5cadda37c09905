//! Order, groups and deduplication.

use anyhow::Result;
use payment::ports::{Message, Queue};

use super::{QueueSubject, bodies, delete, gather, group, message, next, send};
use crate::{
    case::{Case, cases, check, expect},
    sources::{DEDUPLICATION, DEDUPLICATION_SCOPE, GROUPS, RECEIVE},
};

pub(super) fn cases<S: QueueSubject>() -> Vec<Case<S>> {
    cases! {
        a_message_arrives_with_its_group_and_a_count_of_one: "ReceiveMessage returns MessageGroupId and ApproximateReceiveCount, 1 at first", RECEIVE;
        a_group_arrives_in_the_order_of_its_sending: "messages of a group are delivered in strict order", GROUPS;
        a_group_is_locked_while_one_of_its_messages_is_in_flight: "no message of a group is returned while another one of it is in flight", GROUPS;
        another_group_flows_meanwhile: "groups are independent of each other", GROUPS;
        a_batch_holds_several_messages_of_a_group_in_order: "one receive returns as many messages of the same group as possible", GROUPS;
        one_receive_returns_no_more_than_asked_for: "MaxNumberOfMessages is at most 10", RECEIVE;
        the_same_deduplication_id_is_accepted_and_delivered_once: "a repeat within 5 minutes is accepted and not delivered", DEDUPLICATION;
        a_repeat_with_another_body_is_not_delivered_either: "only the deduplication id counts, where one is given", DEDUPLICATION;
        a_deduplication_id_is_remembered_while_its_message_is_in_flight: "a repeat within 5 minutes is accepted and not delivered", DEDUPLICATION;
        a_deduplication_id_is_remembered_after_its_message_is_deleted: "the id is tracked even after the message was received and deleted", DEDUPLICATION;
        another_group_may_use_the_same_deduplication_id: "with DeduplicationScope=messageGroup an id counts within its group", DEDUPLICATION_SCOPE;
    }
}

async fn a_message_arrives_with_its_group_and_a_count_of_one<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1"]).await?;
    let received = next(queue, 10).await?;
    expect("the bodies", &bodies(&received), &vec!["a1"])?;
    expect("the group", &received[0].group.as_str(), &group("a").as_str())?;
    expect("the count", &received[0].receives, &1)
}

async fn a_group_arrives_in_the_order_of_its_sending<S: QueueSubject>(queue: &S) -> Result<()> {
    let numbered: Vec<String> = (10..35).map(|number| format!("a{number}")).collect();
    let sent: Vec<&str> = numbered.iter().map(String::as_str).collect();
    send(queue, &sent).await?;
    let mut order = Vec::new();
    while order.len() < sent.len() {
        for received in next(queue, 10).await? {
            delete(queue, &received).await?;
            order.push(received.body);
        }
    }
    expect("the order", &order, &numbered)
}

async fn a_group_is_locked_while_one_of_its_messages_is_in_flight<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1", "a2"]).await?;
    let first = next(queue, 1).await?;
    expect("the first receive", &bodies(&first), &vec!["a1"])?;
    expect("the second receive", &bodies(&queue.receive(10).await?), &vec![])?;
    delete(queue, &first[0]).await?;
    expect("the receive after the delete", &bodies(&next(queue, 10).await?), &vec!["a2"])
}

async fn another_group_flows_meanwhile<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1", "a2", "b1"]).await?;
    let first = next(queue, 1).await?;
    let others = next(queue, 10).await?;
    let due = if bodies(&first) == ["a1"] { vec!["b1"] } else { vec!["a1", "a2"] };
    expect("the second receive", &bodies(&others), &due)
}

async fn a_batch_holds_several_messages_of_a_group_in_order<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1", "b1", "a2", "b2", "a3"]).await?;
    let received = gather(queue, 5).await?;
    for (order, due) in [("a", vec!["a1", "a2", "a3"]), ("b", vec!["b1", "b2"])] {
        let own: Vec<&str> = bodies(&received).into_iter().filter(|body| body.starts_with(order)).collect();
        expect("a group's messages", &own, &due)?;
    }
    Ok(())
}

async fn one_receive_returns_no_more_than_asked_for<S: QueueSubject>(queue: &S) -> Result<()> {
    let letters = "abcdefghijkl";
    let sent: Vec<String> = letters.chars().map(|letter| format!("{letter}1")).collect();
    send(queue, &sent.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let three = next(queue, 3).await?;
    check(three.len() <= 3, "more than three came")?;
    let ten = next(queue, 10).await?;
    check(ten.len() <= 10, "more than ten came")?;
    let mut seen = bodies(&three);
    seen.extend(bodies(&ten));
    let rest = gather(queue, sent.len().saturating_sub(seen.len())).await?;
    seen.extend(bodies(&rest));
    seen.sort_unstable();
    expect("all of them", &seen, &sent.iter().map(String::as_str).collect())
}

/// Receives and deletes until a last message of the group has come: whatever was sent before it has come too.
async fn drain<S: QueueSubject>(queue: &S) -> Result<Vec<String>> {
    send(queue, &["a_last"]).await?;
    let mut drained = Vec::new();
    while !drained.iter().any(|body| body == "a_last") {
        for received in next(queue, 10).await? {
            delete(queue, &received).await?;
            drained.push(received.body);
        }
    }
    Ok(drained)
}

async fn the_same_deduplication_id_is_accepted_and_delivered_once<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1", "a1", "a2", "a1"]).await?;
    expect("what came", &drain(queue).await?, &vec!["a1".into(), "a2".into(), "a_last".into()])
}

async fn a_repeat_with_another_body_is_not_delivered_either<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1"]).await?;
    queue.port().send(&Message { body: "other".to_owned(), ..message("a", "a1") }).await?;
    expect("what came", &drain(queue).await?, &vec!["a1".into(), "a_last".into()])
}

async fn a_deduplication_id_is_remembered_while_its_message_is_in_flight<S: QueueSubject>(
    queue: &S,
) -> Result<()> {
    send(queue, &["a1"]).await?;
    let first = next(queue, 1).await?;
    send(queue, &["a1"]).await?;
    delete(queue, &first[0]).await?;
    expect("what came after it", &drain(queue).await?, &vec!["a_last".to_owned()])
}

async fn a_deduplication_id_is_remembered_after_its_message_is_deleted<S: QueueSubject>(
    queue: &S,
) -> Result<()> {
    send(queue, &["a1"]).await?;
    delete(queue, &next(queue, 1).await?[0]).await?;
    send(queue, &["a1"]).await?;
    expect("what came after it", &drain(queue).await?, &vec!["a_last".to_owned()])
}

async fn another_group_may_use_the_same_deduplication_id<S: QueueSubject>(queue: &S) -> Result<()> {
    for order in ["a", "b"] {
        let own = Message { body: format!("{order}1"), ..message(order, "the-same") };
        queue.port().send(&own).await?;
    }
    let received = gather(queue, 2).await?;
    let mut seen = bodies(&received);
    seen.sort_unstable();
    expect("what came", &seen, &vec!["a1", "b1"])
}
