//! Messages in flight: visibility, receipts, receive counts and the dead-letter queue.

use std::time::Duration;

use anyhow::Result;

use super::{QueueSubject, Received, bodies, delete, group, next, send};
use crate::{
    case::{Case, cases, check, expect, in_time},
    sources::{EXPIRED, GROUPS, RECEIVE, REDRIVE, VISIBILITY},
};

pub(super) fn cases<S: QueueSubject>() -> Vec<Case<S>> {
    cases! {
        what_was_not_deleted_comes_again_before_its_successors: "after the visibility timeout a message is visible again, and its group's order holds", VISIBILITY;
        a_batch_that_was_not_deleted_comes_again_in_order: "after the visibility timeout the messages are visible again, and their group's order holds", GROUPS;
        the_rest_of_a_batch_comes_again_in_order: "after the visibility timeout the messages are visible again, and their group's order holds", GROUPS;
        each_receive_is_counted: "ApproximateReceiveCount counts the receives without a delete", RECEIVE;
        what_was_received_too_often_is_moved_to_the_dead_letters: "a message that was received maxReceiveCount times is moved instead of being received again, with its group", REDRIVE;
        the_successors_of_a_dead_letter_flow: "a message that was moved locks its group no longer", REDRIVE;
        a_receipt_of_an_earlier_receive_deletes_nothing: "a delete needs the receipt of the latest receive; with an earlier one the message is not deleted", EXPIRED;
        a_receipt_is_no_good_after_the_visibility_timeout: "at a FIFO queue a delete with an expired receipt is an error, and the message stays", EXPIRED;
        a_message_shown_at_once_comes_at_once_before_its_successors: "ChangeMessageVisibility with 0 makes a message visible immediately", VISIBILITY;
        a_message_hidden_longer_stays_away_longer_with_its_group: "ChangeMessageVisibility sets a new timeout from now on; the group is locked as long as the message is in flight", VISIBILITY;
        a_group_stays_locked_while_a_later_message_is_in_flight: "no message of a group is returned while another one of it is in flight", GROUPS;
        a_group_stays_locked_while_an_earlier_message_is_in_flight: "no message of a group is returned while another one of it is in flight", GROUPS;
    }
}

const AT_ONCE: Duration = Duration::ZERO;

fn counts<R>(received: &[Received<R>]) -> Vec<u32> {
    received.iter().map(|message| message.receives).collect()
}

async fn what_was_not_deleted_comes_again_before_its_successors<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1", "a2"]).await?;
    expect("the first receive", &bodies(&next(queue, 1).await?), &vec!["a1"])?;
    queue.expire().await?;
    let again = next(queue, 10).await?;
    expect("the second receive", &bodies(&again), &vec!["a1", "a2"])?;
    expect("the counts", &counts(&again), &vec![2, 1])
}

async fn a_batch_that_was_not_deleted_comes_again_in_order<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1", "a2", "a3"]).await?;
    expect("the first receive", &bodies(&next(queue, 2).await?), &vec!["a1", "a2"])?;
    queue.expire().await?;
    expect("the second receive", &bodies(&next(queue, 10).await?), &vec!["a1", "a2", "a3"])
}

async fn the_rest_of_a_batch_comes_again_in_order<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1", "a2", "a3", "a4"]).await?;
    let first = next(queue, 3).await?;
    expect("the first receive", &bodies(&first), &vec!["a1", "a2", "a3"])?;
    delete(queue, &first[0]).await?;
    queue.expire().await?;
    expect("the second receive", &bodies(&next(queue, 10).await?), &vec!["a2", "a3", "a4"])
}

async fn each_receive_is_counted<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1"]).await?;
    for count in 1..=3 {
        expect("the count", &counts(&next(queue, 1).await?), &vec![count])?;
        queue.expire().await?;
    }
    Ok(())
}

/// Receives the head of group a as often as a message may be received, and lets the last receive expire.
async fn exhaust<S: QueueSubject>(queue: &S) -> Result<()> {
    for count in 1..=queue.max_receives() {
        let received = next(queue, 1).await?;
        expect("a receive", &bodies(&received), &vec!["a1"])?;
        expect("its count", &received[0].receives, &count)?;
        queue.expire().await?;
    }
    Ok(())
}

async fn what_was_received_too_often_is_moved_to_the_dead_letters<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1"]).await?;
    exhaust(queue).await?;
    expect("one more receive", &bodies(&queue.receive(10).await?), &vec![])?;
    let dead = async || {
        // Only a receive looks at the counts.
        queue.receive(10).await?;
        let dead = queue.dead().await?;
        Ok(dead.into_iter().map(|letter| (letter.group, letter.body)).collect())
    };
    in_time("the dead letters", &vec![(group("a").to_string(), "a1".to_owned())], dead).await
}

async fn the_successors_of_a_dead_letter_flow<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1", "a2"]).await?;
    exhaust(queue).await?;
    let after = next(queue, 10).await?;
    expect("the receive after", &bodies(&after), &vec!["a2"])?;
    expect("its count", &counts(&after), &vec![1])
}

async fn a_receipt_of_an_earlier_receive_deletes_nothing<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1"]).await?;
    let first = next(queue, 1).await?;
    queue.expire().await?;
    expect("the second receive", &bodies(&next(queue, 1).await?), &vec!["a1"])?;
    // Whether the queue says so or not.
    queue.delete(&first[0].receipt).await?;
    queue.expire().await?;
    expect("the third receive", &bodies(&next(queue, 1).await?), &vec!["a1"])
}

async fn a_receipt_is_no_good_after_the_visibility_timeout<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1"]).await?;
    let first = next(queue, 1).await?;
    queue.expire().await?;
    check(!queue.delete(&first[0].receipt).await?, "a delete with an expired receipt was accepted")?;
    expect("the second receive", &bodies(&next(queue, 1).await?), &vec!["a1"])
}

async fn a_message_shown_at_once_comes_at_once_before_its_successors<S: QueueSubject>(
    queue: &S,
) -> Result<()> {
    send(queue, &["a1", "a2"]).await?;
    let first = next(queue, 1).await?;
    queue.show_after(&first[0].receipt, AT_ONCE).await?;
    let again = queue.receive(10).await?;
    expect("the second receive", &bodies(&again), &vec!["a1", "a2"])?;
    expect("the counts", &counts(&again), &vec![2, 1])
}

async fn a_message_hidden_longer_stays_away_longer_with_its_group<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1", "a2"]).await?;
    let first = next(queue, 1).await?;
    expect("the first receive", &bodies(&first), &vec!["a1"])?;
    queue.show_after(&first[0].receipt, Duration::from_secs(10)).await?;
    queue.expire().await?;
    send(queue, &["b1"]).await?;
    let other = next(queue, 10).await?;
    expect("the second receive", &bodies(&other), &vec!["b1"])?;
    delete(queue, &other[0]).await?;
    expect("the third receive", &bodies(&next(queue, 10).await?), &vec!["a1", "a2"])
}

async fn a_group_stays_locked_while_a_later_message_is_in_flight<S: QueueSubject>(queue: &S) -> Result<()> {
    send(queue, &["a1", "a2", "a3"]).await?;
    let first = next(queue, 2).await?;
    expect("the first receive", &bodies(&first), &vec!["a1", "a2"])?;
    queue.show_after(&first[0].receipt, AT_ONCE).await?;
    expect("the second receive", &bodies(&queue.receive(10).await?), &vec![])?;
    queue.expire().await?;
    expect("the third receive", &bodies(&next(queue, 10).await?), &vec!["a1", "a2", "a3"])
}

async fn a_group_stays_locked_while_an_earlier_message_is_in_flight<S: QueueSubject>(
    queue: &S,
) -> Result<()> {
    send(queue, &["a1", "a2", "a3"]).await?;
    let first = next(queue, 2).await?;
    expect("the first receive", &bodies(&first), &vec!["a1", "a2"])?;
    queue.show_after(&first[1].receipt, AT_ONCE).await?;
    expect("the second receive", &bodies(&queue.receive(10).await?), &vec![])?;
    queue.expire().await?;
    expect("the third receive", &bodies(&next(queue, 10).await?), &vec!["a1", "a2", "a3"])
}
