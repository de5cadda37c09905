//! From an asynchronous invoke to one command on the queue: an `OrderConfirmed` event, or a command sent directly.
//!
//! Nothing is executed here and nothing is kept. The command is built from the event's detail alone, so Lambda's
//! retries, and the same event come twice, repeat the message and its deduplication id.
//!
//! The event is taken as raw text ([`RawValue`](serde_json::value::RawValue)), because a parsed `serde_json::Value`
//! has already lost a repeated field, and with it the question which of two amounts was meant. What stands before
//! the function may have lost it too: the local emulator parses every event.

mod event;

use payment::{
    Command, Malformed,
    ports::{Message, Queue, SendError},
};
use serde_json::value::RawValue;

/// The `detail-type` of the events taken from the bus.
pub const ORDER_CONFIRMED: &str = "OrderConfirmed";

/// Turns asynchronous invokes into commands on the queue.
#[derive(Debug, Clone)]
pub struct Enqueue<Q> {
    /// Where commands go.
    pub queue: Q,
}

/// Why an event did not become a message. Lambda retries, and then moves the event to the on-failure destination.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnqueueError {
    /// The event can never become a command.
    #[error("the event is no command: {0}")]
    Malformed(Refusal),
    /// The message was not sent, or its sending is unknown: the event must come again.
    #[error(transparent)]
    NotSent(#[from] SendError),
}

/// Why an event can never become a command. The text never repeats the input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The event is no JSON object, or gives a field of its envelope twice.
    #[error("the event must be a JSON object that gives each field once")]
    NotAnEvent,
    /// The event is of another kind.
    #[error("the field `detail-type` must be \"OrderConfirmed\"")]
    DetailType,
    /// The event has no detail, or gives a field of it twice.
    #[error("the field `detail` must be an object that gives each field once")]
    Detail,
    /// Wakes come from the sweep alone, facts from a verified source.
    #[error(
        "only a charge, capture, cancel or refund is taken here; a wake comes from the sweep alone, a fact from a verified source"
    )]
    NotAnOperation,
    /// The command itself is malformed.
    #[error(transparent)]
    Command(#[from] Malformed),
}

impl<Q: Queue> Enqueue<Q> {
    /// Sends the command that an event asks for.
    ///
    /// # Errors
    /// Returns [`EnqueueError::Malformed`] if the event can never become a command, and [`EnqueueError::NotSent`] if
    /// the queue did not confirm the message.
    pub async fn handle(&self, event: &RawValue) -> Result<(), EnqueueError> {
        let command = event::read(event).map_err(EnqueueError::Malformed)?;
        Ok(self.queue.send(&message(&command)).await?)
    }
}

fn message(command: &Command) -> Message {
    Message {
        group: command.payment_id(),
        deduplication_id: command.deduplication_id(),
        body: command.to_body(),
    }
}
