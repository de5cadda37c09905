//! The bench's functions: the real handlers of `settle`, `sweep` and `publish`, with real events, and what they send.

use std::collections::{BTreeMap, VecDeque};

use aws_lambda_events::{
    dynamodb::{Event, EventRecord},
    sqs::{SqsBatchResponse, SqsEvent, SqsMessage},
};
use effect::{minutes, seconds};
use payment::{
    Charge, Command, Record,
    ports::{
        BUS_MAX_BYTES, BUS_MAX_ENTRIES, Bus, BusEntry, Clock, DeadLetter, DeadLetters, Message, Queue,
        QueueDepth, SendError,
    },
};
use publish::Publish;
use settle::Settle;
use stripe_wire::Stripe;
use sweep::{Sweep, SweepError, SweepSettings, Swept};

use super::{Bench, FUNCTION_TIMEOUT_MS, next_of, poll_once, settings};

/// What becomes of one publish.
pub(crate) enum Put {
    Works,
    /// The entry at this index is refused.
    Refuses(usize),
    /// Nothing is put.
    Fails,
}

/// What the functions sent.
#[derive(Default)]
pub(super) struct Mail {
    queue: Vec<Message>,
    dead: Vec<DeadLetter>,
    refuses_dead_letters: bool,
    puts: Vec<Vec<BusEntry>>,
    put_script: VecDeque<Put>,
    taken: Vec<String>,
}

impl Bench {
    /// Handles one batch by the real `settle`.
    pub(crate) fn settle(&self, messages: Vec<SqsMessage>) -> Result<SqsBatchResponse, settle::Unreportable> {
        let mut event = SqsEvent::default();
        event.records = messages;
        self.settle_event(event)
    }

    pub(crate) fn settle_event(&self, event: SqsEvent) -> Result<SqsBatchResponse, settle::Unreportable> {
        let handler = Settle {
            ledger: self.clone(),
            processor: Stripe::new(self.clone()),
            dead_letters: self.clone(),
            clock: self.clone(),
            randomness: self.clone(),
            settings: settings(),
        };
        let deadline = self.now().plus_ms(FUNCTION_TIMEOUT_MS);
        poll_once(handler.handle(event, deadline)).expect("nobody dies")
    }

    /// Handles one batch and returns the ids reported as failed, in their order.
    pub(crate) fn failures(&self, messages: Vec<SqsMessage>) -> Vec<String> {
        let response = self.settle(messages).expect("every failure can be named");
        response.batch_item_failures.into_iter().map(|failure| failure.item_identifier).collect()
    }

    /// Runs the real `sweep` once.
    pub(crate) fn sweep(&self) -> Result<Swept, SweepError> {
        let handler = Sweep {
            index: self.clone(),
            queue: self.clone(),
            clock: self.clone(),
            settings: SweepSettings { lease_ms: minutes(15), wakes: 100, margin_ms: seconds(3) },
        };
        poll_once(handler.handle(self.now().plus_ms(FUNCTION_TIMEOUT_MS))).expect("nobody dies")
    }

    /// Handles every message on the queue, each in a batch of its own; returns the ids reported as failed.
    pub(crate) fn settle_queue(&self) -> Vec<String> {
        let waiting = self.with(|outside| std::mem::take(&mut outside.mail.queue));
        let deliver = |(index, sent): (usize, Message)| {
            self.failures(vec![in_group(&format!("q-{index}"), sent.group.as_str(), &sent.body, 1)])
        };
        waiting.into_iter().enumerate().flat_map(deliver).collect()
    }

    pub(crate) fn dead_letters(&self) -> Vec<DeadLetter> {
        self.with(|outside| outside.mail.dead.clone())
    }

    /// Makes the dead-letter queue refuse what it is given.
    pub(crate) fn refuse_dead_letters(&self) {
        self.with(|outside| outside.mail.refuses_dead_letters = true);
    }

    pub(crate) fn script_puts(&self, puts: impl IntoIterator<Item = Put>) {
        self.with(|outside| outside.mail.put_script.extend(puts));
    }

    /// Returns how many entries each publish carried so far.
    pub(crate) fn put_sizes(&self) -> Vec<usize> {
        self.with(|outside| outside.mail.puts.iter().map(Vec::len).collect())
    }

    /// Returns the ids of the events that the bus took, in order, repeats included.
    pub(crate) fn taken(&self) -> Vec<String> {
        self.with(|outside| outside.mail.taken.clone())
    }
}

/// A message with a command, received once, in the group of its payment.
pub(crate) fn message(id: &str, charge: &Charge) -> SqsMessage {
    let command = Command::Charge(charge.clone());
    in_group(id, command.payment_id().as_str(), &command.to_body(), 1)
}

/// A message with any body in any group.
pub(crate) fn in_group(id: &str, group: &str, body: &str, receives: u32) -> SqsMessage {
    let mut message = SqsMessage::default();
    message.message_id = Some(id.to_owned());
    message.body = Some(body.to_owned());
    message.attributes.insert("MessageGroupId".to_owned(), group.to_owned());
    message.attributes.insert("ApproximateReceiveCount".to_owned(), receives.to_string());
    message
}

/// A record as the table's stream carries it.
pub(crate) fn stream_record(sequence_number: &str, record: &Record) -> EventRecord {
    let mut entry = EventRecord::default();
    entry.event_name = "MODIFY".to_owned();
    entry.change.sequence_number = Some(sequence_number.to_owned());
    entry.change.keys = serde_dynamo::to_item(BTreeMap::from([("pk", record.id.as_str())])).unwrap();
    let mut item = serde_json::to_value(record).unwrap();
    item["schema"] = payment::RECORD_SCHEMA.into();
    entry.change.new_image = serde_dynamo::to_item(item).unwrap();
    entry
}

/// Publishes records by the real `publish`; returns the sequence number to start again from.
pub(crate) fn publish_records(bench: &Bench, records: Vec<EventRecord>) -> Option<String> {
    let mut event = Event::default();
    event.records = records;
    let handler = Publish { bus: bench.clone(), quarantine: bench.clone() };
    let response =
        poll_once(handler.handle(event)).expect("nobody dies").expect("every record has its number");
    assert!(response.batch_item_failures.len() <= 1, "a checkpoint is one number");
    response.batch_item_failures.into_iter().find_map(|failure| failure.item_identifier)
}

impl Queue for Bench {
    async fn send(&self, message: &Message) -> Result<(), SendError> {
        self.with(|outside| outside.mail.queue.push(message.clone()));
        Ok(())
    }
}

impl QueueDepth for Bench {
    async fn waiting(&self) -> Result<u64, SendError> {
        Ok(self.with(|outside| outside.mail.queue.len() as u64))
    }
}

impl DeadLetters for Bench {
    async fn set_aside(&self, letter: &DeadLetter) -> Result<(), SendError> {
        self.with(|outside| {
            if outside.mail.refuses_dead_letters {
                return Err(SendError("not sent"));
            }
            outside.mail.dead.push(letter.clone());
            Ok(())
        })
    }
}

impl Bus for Bench {
    async fn put(&self, entries: &[BusEntry]) -> Result<Vec<bool>, SendError> {
        let bytes: usize =
            entries.iter().map(|entry| entry.detail.len() + entry.detail_type.len() + 14).sum();
        assert!((1..=BUS_MAX_ENTRIES).contains(&entries.len()), "{} entries in one publish", entries.len());
        assert!(bytes <= BUS_MAX_BYTES, "{bytes} bytes in one publish");
        self.with(|outside| {
            let mail = &mut outside.mail;
            mail.puts.push(entries.to_vec());
            let refused = match next_of(&mut mail.put_script, Put::Works) {
                Put::Fails => return Err(SendError("not put")),
                Put::Refuses(index) => Some(index),
                Put::Works => None,
            };
            let taken: Vec<bool> = (0..entries.len()).map(|index| refused != Some(index)).collect();
            let ids =
                entries.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(entry, _)| entry.id.clone());
            mail.taken.extend(ids);
            Ok(taken)
        })
    }
}
