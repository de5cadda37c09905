//! What a message may hold, how much waits, and what is set aside.

use anyhow::Result;
use payment::ports::{DeadLetter, DeadLetters, Message, Queue, QueueDepth, SendError};

use super::{QueueSubject, bodies, delete, message, next, send};
use crate::{
    case::{Case, cases, check, expect, in_time},
    sources::{ATTRIBUTES, DEDUPLICATION, SEND},
};

pub(super) fn cases<S: QueueSubject>() -> Vec<Case<S>> {
    cases! {
        a_body_arrives_as_it_was_sent: "a body is any Unicode that XML allows", SEND;
        a_body_of_1_mib_is_taken_and_one_above_is_refused: "a message has at most 1 MiB", SEND;
        a_message_without_a_body_is_refused: "a body has at least one character", SEND;
        a_character_that_xml_does_not_allow_is_refused: "a body with another character is InvalidMessageContents", SEND;
        what_waits_is_counted_and_what_is_in_flight_is_not: "ApproximateNumberOfMessages counts what can be received; it is exact in time", ATTRIBUTES;
        what_is_set_aside_arrives_with_its_reason: "message attributes are delivered with the message", SEND;
        what_is_set_aside_twice_is_there_once: "a repeat within 5 minutes is accepted and not delivered", DEDUPLICATION;
    }
}

async fn a_body_arrives_as_it_was_sent<S: QueueSubject>(queue: &S) -> Result<()> {
    let text = "{\"a\": \"é 一回 😀 <&>'\\u0000\"}\r\n\t end ";
    queue.port().send(&Message { body: text.to_owned(), ..message("a", "a1") }).await?;
    expect("the body", &bodies(&next(queue, 1).await?), &vec![text])
}

async fn a_body_of_1_mib_is_taken_and_one_above_is_refused<S: QueueSubject>(queue: &S) -> Result<()> {
    let of = |bytes: usize, id: &str| Message { body: "x".repeat(bytes), ..message("a", id) };
    let taken = queue.port().send(&of(1024 * 1024, "a1")).await;
    check(taken.is_ok(), "a body of 1 MiB was refused")?;
    let refused = queue.port().send(&of(1024 * 1024 + 1, "a2")).await;
    check(refused.is_err(), "a body above 1 MiB was taken")
}

async fn a_message_without_a_body_is_refused<S: QueueSubject>(queue: &S) -> Result<()> {
    let sent = queue.port().send(&Message { body: String::new(), ..message("a", "a1") }).await;
    check(sent.is_err(), "a message without a body was taken")
}

async fn a_character_that_xml_does_not_allow_is_refused<S: QueueSubject>(queue: &S) -> Result<()> {
    let sent = queue.port().send(&Message { body: "a\u{1}b".to_owned(), ..message("a", "a1") }).await;
    check(sent.is_err(), "a body with U+0001 was taken")
}

async fn what_waits_is_counted_and_what_is_in_flight_is_not<S: QueueSubject>(queue: &S) -> Result<()> {
    let waiting = async || Ok::<_, anyhow::Error>(queue.port().waiting().await?);
    in_time("an empty queue's depth", &0, waiting).await?;
    send(queue, &["a1", "b1", "c1"]).await?;
    in_time("the depth after three sends", &3, waiting).await?;
    let first = next(queue, 1).await?;
    in_time("the depth with one in flight", &2, waiting).await?;
    delete(queue, &first[0]).await?;
    in_time("the depth after a delete", &2, waiting).await
}

async fn set_aside<S: QueueSubject>(queue: &S, source: &str, reason: &str) -> Result<(), SendError> {
    let letter = DeadLetter {
        group: "a".to_owned(),
        source_id: source.to_owned(),
        reason: reason.to_owned(),
        body: "{}".to_owned(),
    };
    queue.aside().set_aside(&letter).await
}

async fn what_is_set_aside_arrives_with_its_reason<S: QueueSubject>(queue: &S) -> Result<()> {
    let reason = "malformed: no such currency, é";
    set_aside(queue, "m-1", reason).await?;
    in_time("the reasons", &vec![reason.to_owned()], || queue.reasons()).await
}

async fn what_is_set_aside_twice_is_there_once<S: QueueSubject>(queue: &S) -> Result<()> {
    for source in ["m-1", "m-1", "m-2"] {
        set_aside(queue, source, source).await?;
    }
    in_time("the reasons", &vec!["m-1".to_owned(), "m-2".to_owned()], || queue.reasons()).await
}
