//! Tests of `enqueue` over a queue that remembers what it was sent.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod messages;
mod refusals;

use std::cell::RefCell;

use enqueue::{Enqueue, EnqueueError};
use payment::ports::{Message, Queue, SendError};
use serde_json::value::RawValue;

/// An `OrderConfirmed` event as EventBridge delivers it.
pub(crate) const ORDER_CONFIRMED: &str = include_str!("../../../../events/enqueue-order-confirmed.json");
/// A command, invoked directly.
pub(crate) const COMMAND: &str = include_str!("../../../../events/enqueue-command.json");
/// A bare charge, invoked directly.
pub(crate) const CHARGE: &str = include_str!("../../../../events/enqueue-charge.json");

/// A queue that takes every message, or none.
#[derive(Default)]
pub(crate) struct Sent {
    messages: RefCell<Vec<Message>>,
    is_down: bool,
}

impl Queue for Sent {
    async fn send(&self, message: &Message) -> Result<(), SendError> {
        if self.is_down {
            return Err(SendError("the test's queue is down"));
        }
        self.messages.borrow_mut().push(message.clone());
        Ok(())
    }
}

/// Delivers events to one `enqueue`; returns the results and the messages sent.
pub(crate) async fn deliver_to(
    queue: Sent,
    events: &[String],
) -> (Vec<Result<(), EnqueueError>>, Vec<Message>) {
    let enqueue = Enqueue { queue };
    let mut results = Vec::new();
    for event in events {
        let raw = RawValue::from_string(event.clone()).unwrap();
        results.push(enqueue.handle(&raw).await);
    }
    (results, enqueue.queue.messages.into_inner())
}

/// Delivers one event that must be taken; returns its message.
pub(crate) async fn message_of(event: &str) -> Message {
    let (results, messages) = deliver_to(Sent::default(), &[event.to_owned()]).await;
    assert_eq!(results, [Ok(())], "{event}");
    let [message] = messages.try_into().unwrap();
    message
}

/// Delivers one event that must be refused; returns the reason.
pub(crate) async fn refusal_of(event: &str) -> String {
    let (results, messages) = deliver_to(Sent::default(), &[event.to_owned()]).await;
    assert!(messages.is_empty(), "nothing is sent for {event}");
    match results.into_iter().next().unwrap() {
        Err(error @ EnqueueError::Malformed(_)) => error.to_string(),
        Err(EnqueueError::NotSent(error)) => panic!("{error}: {event}"),
        Ok(()) => panic!("taken: {event}"),
    }
}

/// An event that tells the queue's failure apart.
pub(crate) async fn failure_of_a_queue_that_is_down(event: &str) -> EnqueueError {
    let queue = Sent { is_down: true, ..Sent::default() };
    let (results, _) = deliver_to(queue, &[event.to_owned()]).await;
    results.into_iter().next().unwrap().unwrap_err()
}
