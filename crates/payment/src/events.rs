//! Published events: rebuilt from a record alone, never from comparing two.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    ids::OperationKey,
    record::{Announced, Effect, Operation, Record},
};

/// The version of the event schema: the value of `metadata.version`.
pub const EVENT_VERSION: &str = "1";

/// The kinds of event: the `detail-type` on the bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EventType {
    /// The money is taken.
    PaymentCaptured,
    /// An attempt ended without money. A capture may still follow, by a further attempt or a late success.
    PaymentFailed,
    /// The attempt was canceled at the provider.
    PaymentCanceled,
    /// A request was refused before anything happened.
    OperationRefused,
    /// A person is needed: the effect may or may not exist.
    PaymentReviewRequired,
    /// No person is needed any more.
    PaymentReviewResolved,
}

/// One event, as put on the bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its kind.
    pub kind: EventType,
    /// Its id: `<operation id>:<outcome>`, the same however often it is published.
    pub id: String,
    /// The `detail`: `{ metadata, data }`.
    pub detail: Value,
}

impl EventType {
    /// Returns the `detail-type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PaymentCaptured => "PaymentCaptured",
            Self::PaymentFailed => "PaymentFailed",
            Self::PaymentCanceled => "PaymentCanceled",
            Self::OperationRefused => "OperationRefused",
            Self::PaymentReviewRequired => "PaymentReviewRequired",
            Self::PaymentReviewResolved => "PaymentReviewResolved",
        }
    }

    fn of_outcome(outcome: &str) -> Option<Self> {
        let name = outcome.split('#').next().unwrap_or_default();
        match name {
            "succeeded" => Some(Self::PaymentCaptured),
            "failed" => Some(Self::PaymentFailed),
            "canceled" => Some(Self::PaymentCanceled),
            "refused" => Some(Self::OperationRefused),
            "review" => Some(Self::PaymentReviewRequired),
            "resolved" => Some(Self::PaymentReviewResolved),
            name if name.starts_with("differs-") => Some(Self::OperationRefused),
            _ => None,
        }
    }
}

/// Returns the events that this record's write announces; none if it announces nothing.
#[must_use]
pub fn announced(record: &Record) -> Vec<Event> {
    let names = record.announce.as_deref().unwrap_or_default();
    names.split(' ').filter(|name| !name.is_empty()).filter_map(|name| rebuild(record, name)).collect()
}

/// Rebuilds one event from the record by its id; `None` if the record never announced it.
#[must_use]
pub fn rebuild(record: &Record, event_id: &str) -> Option<Event> {
    let (operation_id, outcome) = event_id.rsplit_once(':')?;
    let key = operation_id.strip_prefix(record.id.as_str())?.strip_prefix('/')?;
    let key = OperationKey::try_from(key.to_owned()).ok()?;
    let operation = record.payment.operations.get(&key)?;
    let at = operation.outcomes.get(outcome)?;
    let kind = EventType::of_outcome(outcome)?;
    let metadata = metadata(record, operation, event_id, operation_id, kind, *at);
    let data = data(record, operation, &key, outcome);
    Some(Event { kind, id: event_id.to_owned(), detail: json!({ "metadata": metadata, "data": data }) })
}

fn metadata(
    record: &Record,
    operation: &Operation,
    event_id: &str,
    operation_id: &str,
    kind: EventType,
    at: Announced,
) -> Value {
    json!({
        "id": event_id,
        "type": kind.as_str(),
        "version": EVENT_VERSION,
        "time": rfc3339(at.time),
        "sequence": at.version,
        "tenant": record.payment.tenant,
        "operation_id": operation_id,
        "causation_id": operation.causation_id,
        "traceparent": operation.traceparent,
    })
}

fn rfc3339(at: effect::Time) -> String {
    let nanos = i128::from(at.0) * 1_000_000;
    time::OffsetDateTime::from_unix_timestamp_nanos(nanos)
        .ok()
        .and_then(|at| at.format(&time::format_description::well_known::Rfc3339).ok())
        .unwrap_or_else(|| at.0.to_string())
}

fn data(record: &Record, operation: &Operation, key: &OperationKey, outcome: &str) -> Value {
    let charge = record.payment.operations.get(&record.payment.charge_of(key)).unwrap_or(operation);
    let (amount, currency) = match &charge.effect {
        Effect::Charge { amount, currency, .. } => (Some(amount.minor()), Some(currency.as_str())),
        Effect::Void { .. } => (None, None),
    };
    let reason = match outcome {
        _ if outcome.starts_with("differs-") => Some("parameters_differ".to_owned()),
        _ if outcome.starts_with("review") => operation.attempt.review.and_then(|reason| {
            serde_json::to_value(reason).ok().and_then(|text| text.as_str().map(str::to_owned))
        }),
        _ => operation.attempt.code.clone(),
    };
    json!({
        "payment_id": record.id,
        "order": record.payment.order,
        "operation": key.to_string(),
        "amount": amount,
        "currency": currency,
        "provider_ids": charge.attempt.ids,
        "reason": reason,
    })
}
