//! `publish`, the outbox: takes the table's stream and puts what each write announces on the event bus.
//!
//! Events come from the new image alone. A stream mapping's response is a checkpoint: everything from the lowest
//! sequence number reported comes again, so publishing stops at the first failure. Consumers deduplicate by the
//! event's id, which is the same each time.

use aws_lambda_events::{
    dynamodb::{Event, EventRecord},
    streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse},
};
use payment::{
    RECORD_SCHEMA, Record, announced,
    ports::{BUS_MAX_BYTES, BUS_MAX_ENTRIES, Bus, BusEntry, DeadLetter, DeadLetters},
};

/// The publisher, over its ports.
#[derive(Debug, Clone)]
pub struct Publish<B, D> {
    /// The event bus.
    pub bus: B,
    /// Where what can never be published goes.
    pub quarantine: D,
}

/// Why no partial response can say where to start again: the whole batch must come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a stream record that must come again has no sequence number")]
pub struct Unreportable;

/// A stream record, read: its place and what it announces, or why it cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The record's sequence number in the stream.
    pub sequence_number: String,
    /// The payment it is about, as far as it is known.
    pub group: String,
    /// The entries to publish, or why there are none.
    pub entries: Result<Vec<BusEntry>, String>,
}

/// Whether a step went through, or publishing stops there.
enum Step {
    Done,
    StopAt(String),
}

impl<B: Bus, D: DeadLetters> Publish<B, D> {
    /// Handles one batch of the stream.
    ///
    /// # Errors
    /// Returns [`Unreportable`] if a record cannot be named in the response.
    pub async fn handle(&self, event: Event) -> Result<DynamoDbEventResponse, Unreportable> {
        let mut announcements = Vec::with_capacity(event.records.len());
        for record in event.records {
            announcements.extend(read(record)?);
        }
        let mut response = DynamoDbEventResponse::default();
        if let Some(sequence_number) = self.publish(&announcements).await {
            let mut failure = DynamoDbBatchItemFailure::default();
            failure.item_identifier = Some(sequence_number);
            response.batch_item_failures.push(failure);
        }
        Ok(response)
    }

    /// Publishes in order; returns the sequence number to start again from, if anything failed.
    pub async fn publish(&self, announcements: &[Announcement]) -> Option<String> {
        let mut chunk: Vec<(&str, &BusEntry)> = Vec::new();
        let mut chunk_bytes = 0;
        for announcement in announcements {
            let entries = match &announcement.entries {
                Ok(entries) => entries.as_slice(),
                Err(reason) => {
                    if let Step::StopAt(at) = self.quarantine(announcement, reason, String::new()).await {
                        return self.put(&chunk).await.or(Some(at));
                    }
                    continue;
                }
            };
            for entry in entries {
                let bytes = entry.size_bytes();
                if bytes > BUS_MAX_BYTES {
                    let reason = format!("event {} has {bytes} bytes, more than the bus takes", entry.id);
                    if let Step::StopAt(at) =
                        self.quarantine(announcement, &reason, entry.detail.clone()).await
                    {
                        return self.put(&chunk).await.or(Some(at));
                    }
                    continue;
                }
                if chunk.len() == BUS_MAX_ENTRIES || chunk_bytes + bytes > BUS_MAX_BYTES {
                    if let Some(at) = self.put(&chunk).await {
                        return Some(at);
                    }
                    chunk.clear();
                    chunk_bytes = 0;
                }
                chunk_bytes += bytes;
                chunk.push((&announcement.sequence_number, entry));
            }
        }
        self.put(&chunk).await
    }

    /// Puts one chunk; returns the sequence number of its first entry that was not taken.
    async fn put(&self, chunk: &[(&str, &BusEntry)]) -> Option<String> {
        if chunk.is_empty() {
            return None;
        }
        let entries: Vec<BusEntry> = chunk.iter().map(|(_, entry)| (*entry).clone()).collect();
        let taken = match self.bus.put(&entries).await {
            Ok(taken) => taken,
            Err(error) => {
                tracing::warn!(%error, entries = entries.len(), "nothing published: comes again");
                Vec::new()
            }
        };
        for (index, (sequence_number, entry)) in chunk.iter().enumerate() {
            if taken.get(index) != Some(&true) {
                tracing::warn!(event_id = entry.id, "not published: comes again");
                return Some((*sequence_number).to_owned());
            }
        }
        None
    }

    async fn quarantine(&self, announcement: &Announcement, reason: &str, body: String) -> Step {
        tracing::error!(
            alarm = "quarantine",
            sequence_number = announcement.sequence_number,
            reason,
            "set aside"
        );
        let letter = DeadLetter {
            group: announcement.group.clone(),
            source_id: announcement.sequence_number.clone(),
            reason: reason.to_owned(),
            body,
        };
        match self.quarantine.set_aside(&letter).await {
            Ok(()) => Step::Done,
            Err(_) => Step::StopAt(announcement.sequence_number.clone()),
        }
    }
}

/// Reads what a record's write announces.
#[must_use]
pub fn announcement(sequence_number: String, record: &Record) -> Announcement {
    let entries = announced(record)
        .into_iter()
        .map(|event| BusEntry {
            id: event.id,
            detail_type: event.kind.as_str(),
            detail: event.detail.to_string(),
        })
        .collect();
    Announcement { sequence_number, group: record.id.to_string(), entries: Ok(entries) }
}

fn read(stream_record: EventRecord) -> Result<Option<Announcement>, Unreportable> {
    let change = stream_record.change;
    if !change.new_image.contains_key("announce") {
        return Ok(None);
    }
    let sequence_number = change.sequence_number.filter(|number| !number.is_empty()).ok_or(Unreportable)?;
    let group = match change.keys.get("pk") {
        Some(serde_dynamo::AttributeValue::S(id)) => id.clone(),
        Some(_) | None => "unreadable".to_owned(),
    };
    let is_readable = change.new_image.get("schema").is_some_and(
        |schema| matches!(schema, serde_dynamo::AttributeValue::N(n) if *n == RECORD_SCHEMA.to_string()),
    );
    let record = serde_dynamo::from_item::<_, Record>(change.new_image);
    Ok(Some(match record {
        Ok(record) if is_readable => announcement(sequence_number, &record),
        // The error's own text may quote the item.
        Ok(_) | Err(_) => Announcement {
            sequence_number,
            group,
            entries: Err("the announcing item cannot be read by this version".to_owned()),
        },
    }))
}
