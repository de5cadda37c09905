//! SQS: the command queue, and the queues for what cannot be processed. A URL that ends in `.fifo` is a FIFO queue.

use aws_sdk_sqs::{
    Client,
    error::{ProvideErrorMetadata, SdkError},
    operation::RequestId,
    types::{MessageAttributeValue, QueueAttributeName},
};
use aws_types::SdkConfig;
use payment::ports::{DeadLetter, DeadLetters, Message, Queue, QueueDepth, SendError};

/// The most bytes of one message, its attributes included.
const MAX_BYTES: usize = 1024 * 1024;

/// The most bytes kept of a reason.
const MAX_REASON_BYTES: usize = 2_048;

/// Room for the attributes' names and types, the source's id and the note on what was cut, in bytes.
const OVERHEAD_BYTES: usize = 1_024;

/// The command queue.
#[derive(Debug, Clone)]
pub struct SqsQueue {
    client: Client,
    url: String,
}

impl SqsQueue {
    /// Sends to the queue at `url`.
    #[must_use]
    pub fn new(aws: &SdkConfig, url: String) -> Self {
        Self { client: Client::new(aws), url }
    }
}

impl Queue for SqsQueue {
    async fn send(&self, message: &Message) -> Result<(), SendError> {
        let send = self.client.send_message().queue_url(&self.url).message_body(&message.body);
        let send = if is_fifo(&self.url) {
            send.message_group_id(message.group.as_str()).message_deduplication_id(&message.deduplication_id)
        } else {
            send
        };
        send.send().await.map(drop).map_err(|error| failure(&error))
    }
}

impl QueueDepth for SqsQueue {
    async fn waiting(&self) -> Result<u64, SendError> {
        let name = QueueAttributeName::ApproximateNumberOfMessages;
        let get = self.client.get_queue_attributes().queue_url(&self.url).attribute_names(name.clone());
        let got = get.send().await.map_err(|error| failure(&error))?;
        let waiting =
            got.attributes().and_then(|attributes| attributes.get(&name)).and_then(|n| n.parse().ok());
        waiting.ok_or(SendError("the queue does not tell its depth"))
    }
}

/// A queue for what cannot be processed.
#[derive(Debug, Clone)]
pub struct SqsDeadLetters {
    client: Client,
    url: String,
}

impl SqsDeadLetters {
    /// Sets aside in the queue at `url`.
    #[must_use]
    pub fn new(aws: &SdkConfig, url: String) -> Self {
        Self { client: Client::new(aws), url }
    }
}

impl DeadLetters for SqsDeadLetters {
    async fn set_aside(&self, letter: &DeadLetter) -> Result<(), SendError> {
        let text = |value: &str| {
            let built = MessageAttributeValue::builder().data_type("String").string_value(value).build();
            built.map_err(|_| SendError("the request could not be built"))
        };
        let reason = fit(&letter.reason, MAX_REASON_BYTES, "no reason given");
        let room = MAX_BYTES - OVERHEAD_BYTES - reason.len();
        let send = self
            .client
            .send_message()
            .queue_url(&self.url)
            .message_body(fit(&letter.body, room, "[there was no body]"))
            .message_attributes("reason", text(&reason)?)
            .message_attributes("source_id", text(&fit(&letter.source_id, 128, "unknown"))?);
        let send = if is_fifo(&self.url) {
            send.message_group_id(&letter.group).message_deduplication_id(&letter.source_id)
        } else {
            send
        };
        send.send().await.map(drop).map_err(|error| failure(&error))
    }
}

fn is_fifo(url: &str) -> bool {
    url.ends_with(".fifo")
}

/// Makes a text one that SQS takes: not empty, no characters outside XML's, and cut to `room` bytes with a note.
fn fit(text: &str, room: usize, if_empty: &str) -> String {
    if text.is_empty() {
        return if_empty.to_owned();
    }
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    // A character is never replaced by a longer one: three bytes for one would outgrow the room.
    let mut fitted: String = text.chars().map(|c| if allowed(c) { c } else { '?' }).collect();
    if fitted.len() > room {
        let mut end = room;
        while !fitted.is_char_boundary(end) {
            end -= 1;
        }
        fitted.truncate(end);
        fitted.push_str(&format!(" [cut: {} bytes in all]", text.len()));
    }
    fitted
}

fn failure<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> SendError {
    let SdkError::ServiceError(service) = error else {
        return SendError("no usable reply from the queue");
    };
    let code = service.err().code().unwrap_or_default();
    // The message is left out: it may quote the body.
    tracing::warn!(code, request_id = service.err().meta().request_id(), "the queue refused");
    match code {
        "AWS.SimpleQueueService.NonExistentQueue" | "QueueDoesNotExist" => {
            SendError("there is no such queue")
        }
        "AccessDenied" | "AccessDeniedException" => SendError("access denied"),
        _ => SendError("refused"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_tells_whether_a_queue_is_fifo() {
        assert!(is_fifo("https://sqs.eu-west-1.amazonaws.com/1/payments.fifo"));
        assert!(!is_fifo("https://sqs.eu-west-1.amazonaws.com/1/fifo-failures"));
    }

    #[test]
    fn what_fits_is_unchanged() {
        assert_eq!(fit("{\"a\": \"é😀\"}\r\n\t", 100, "-"), "{\"a\": \"é😀\"}\r\n\t");
    }

    #[test]
    fn a_body_that_is_too_long_is_cut_between_characters_with_a_note() {
        let fitted = fit(&"é".repeat(100), 51, "-");
        assert_eq!(fitted, format!("{} [cut: 200 bytes in all]", "é".repeat(25)));
    }

    #[test]
    fn what_sqs_would_refuse_is_replaced() {
        assert_eq!(fit("", 10, "[there was no body]"), "[there was no body]");
        assert_eq!(fit("a\u{0}b\u{ffff}c", 10, "-"), "a?b?c");
    }
}
