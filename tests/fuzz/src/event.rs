//! The payload of an asynchronous invoke of `enqueue`.

use std::cell::RefCell;

use enqueue::{Enqueue, EnqueueError};
use payment::{
    Command, looks_like_a_card_number,
    ports::{Message, Queue, SendError},
};
use serde_json::value::RawValue;

use crate::{command::assert_sound, waiting};

struct Sent(RefCell<Vec<Message>>);

impl Queue for &Sent {
    async fn send(&self, message: &Message) -> Result<(), SendError> {
        self.0.borrow_mut().push(message.clone());
        Ok(())
    }
}

/// An event becomes one message with a command that somebody may ask for, or a refusal that repeats no card number.
pub fn event(bytes: &[u8]) {
    let Ok(event) = serde_json::from_slice::<Box<RawValue>>(bytes) else { return };
    let sent = Sent(RefCell::default());
    let handled = waiting::now(Enqueue { queue: &sent }.handle(&event));
    let messages = sent.0.into_inner();
    match handled {
        Ok(()) => {
            let [message] = messages.as_slice() else { panic!("{} messages for one event", messages.len()) };
            let command = match Command::parse(&message.body) {
                Ok(command) => command,
                Err(refusal) => panic!("{refusal}: {}", message.body),
            };
            assert!(command.asked().is_some(), "nobody may ask for this: {}", message.body);
            assert_eq!(message.group, command.payment_id());
            assert_eq!(message.deduplication_id, command.deduplication_id());
            assert_sound(&command);
        }
        Err(EnqueueError::Malformed(refusal)) => {
            assert!(messages.is_empty());
            assert!(!looks_like_a_card_number(&refusal.to_string()), "{refusal}");
        }
        Err(EnqueueError::NotSent(error)) => panic!("{error}"),
    }
}
