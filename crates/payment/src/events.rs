//! Published events: rebuilt from a record alone, never from comparing two.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    ids::{Kind, OperationKey},
    money::{Amount, Currency},
    record::{Announced, Effect, Operation, Payment, Record},
};

/// The version of the event schema: the value of `metadata.version`.
pub const EVENT_VERSION: &str = "1";

/// The kinds of event: the `detail-type` on the bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EventType {
    /// The money is held, to be captured.
    PaymentAuthorized,
    /// The customer must act before the payment can go on.
    PaymentActionRequired,
    /// The money is taken.
    PaymentCaptured,
    /// An attempt ended without money. A capture may still follow, by a further attempt or a late success.
    PaymentFailed,
    /// The attempt was canceled at the provider.
    PaymentCanceled,
    /// The money is given back. The customer's bank may still send it back: then a failure follows.
    RefundSucceeded,
    /// A refund ended without effect: its amount may be refunded again.
    RefundFailed,
    /// A request was refused before anything happened, or ended without effect.
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
            Self::PaymentAuthorized => "PaymentAuthorized",
            Self::PaymentActionRequired => "PaymentActionRequired",
            Self::PaymentCaptured => "PaymentCaptured",
            Self::PaymentFailed => "PaymentFailed",
            Self::PaymentCanceled => "PaymentCanceled",
            Self::RefundSucceeded => "RefundSucceeded",
            Self::RefundFailed => "RefundFailed",
            Self::OperationRefused => "OperationRefused",
            Self::PaymentReviewRequired => "PaymentReviewRequired",
            Self::PaymentReviewResolved => "PaymentReviewResolved",
        }
    }

    fn of_outcome(kind: Kind, outcome: &str) -> Option<Self> {
        let name = outcome.split('#').next().unwrap_or_default();
        match (kind, name) {
            (_, "refused") => Some(Self::OperationRefused),
            (_, "review") => Some(Self::PaymentReviewRequired),
            (_, "resolved") => Some(Self::PaymentReviewResolved),
            (_, name) if name.starts_with("differs-") => Some(Self::OperationRefused),
            (Kind::Charge, "authorized") => Some(Self::PaymentAuthorized),
            (Kind::Charge, "action_required") => Some(Self::PaymentActionRequired),
            (Kind::Charge, "succeeded") => Some(Self::PaymentCaptured),
            (Kind::Charge, "failed") => Some(Self::PaymentFailed),
            (Kind::Charge, "canceled") => Some(Self::PaymentCanceled),
            (Kind::Refund, "succeeded") => Some(Self::RefundSucceeded),
            (Kind::Refund, "failed" | "canceled") => Some(Self::RefundFailed),
            (Kind::Capture | Kind::Cancel, "failed") => Some(Self::OperationRefused),
            (_, _) => None,
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
    let kind = EventType::of_outcome(key.kind, outcome)?;
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

/// Writes a time as RFC 3339 has it, in UTC.
#[must_use]
pub fn rfc3339(at: effect::Time) -> String {
    let nanos = i128::from(at.0) * 1_000_000;
    time::OffsetDateTime::from_unix_timestamp_nanos(nanos)
        .ok()
        .and_then(|at| at.format(&time::format_description::well_known::Rfc3339).ok())
        .unwrap_or_else(|| at.0.to_string())
}

fn data(record: &Record, operation: &Operation, key: &OperationKey, outcome: &str) -> Value {
    let payment = &record.payment;
    let carrier = payment.operations.get(&payment.carrier_of(key)).unwrap_or(operation);
    let reason = match outcome {
        _ if outcome.starts_with("differs-") => Some("parameters_differ".to_owned()),
        _ if outcome.starts_with("review") => operation.attempt.review.and_then(|reason| {
            serde_json::to_value(reason).ok().and_then(|text| text.as_str().map(str::to_owned))
        }),
        "canceled" if key.kind == Kind::Charge => payment.cancel_of(key).map(OperationKey::to_string),
        _ => operation.attempt.code.clone(),
    };
    json!({
        "payment_id": record.id,
        "order": payment.order,
        "operation": key.to_string(),
        "amount": amount(payment, operation, key, outcome),
        "currency": payment.currency_of(key),
        "provider_ids": carrier.attempt.ids,
        "reason": reason,
    })
}

// What the event is about: what was asked for, and of a success what was moved.
fn amount(payment: &Payment, operation: &Operation, key: &OperationKey, outcome: &str) -> Option<u64> {
    let about = match &operation.effect {
        Effect::Charge { .. } | Effect::Capture { .. } | Effect::Refund { .. } => Some(operation),
        Effect::Cancel { .. } | Effect::Void { .. } => payment.operations.get(&payment.charge_of(key)),
    };
    let asked = about.and_then(|operation| operation.effect.amount());
    let moved = operation.attempt.moved.filter(|_| outcome == "succeeded");
    moved.or_else(|| asked.map(Amount::minor))
}

const fn currency_charged(operation: &Operation) -> Option<Currency> {
    match operation.effect {
        Effect::Charge { currency, .. } => Some(currency),
        Effect::Capture { .. } | Effect::Cancel { .. } | Effect::Refund { .. } | Effect::Void { .. } => None,
    }
}

impl Payment {
    /// Returns the payment's currency: that of its latest charge.
    #[must_use]
    pub fn currency(&self) -> Option<Currency> {
        self.charges().last().and_then(|(_, op)| currency_charged(op))
    }

    // The currency of the charge that an operation acts on; the payment's, while that is undecided.
    fn currency_of(&self, key: &OperationKey) -> Option<Currency> {
        self.operations.get(&self.charge_of(key)).and_then(currency_charged).or_else(|| self.currency())
    }

    // The cancel that ended a charge, if one of ours did.
    fn cancel_of(&self, charge: &OperationKey) -> Option<&OperationKey> {
        let ended_it = |op: &Operation| matches!(&op.effect, Effect::Cancel { charge: Some(target), .. } if *target == charge.reference);
        self.operations.iter().find(|(_, op)| ended_it(op)).map(|(key, _)| key)
    }
}
