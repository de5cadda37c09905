//! What a person is shown of a record: derived from it alone, the same for text and JSON.

use effect::{KEY_WINDOW_MS, ReviewReason, Standing, Status, Time};
use payment::{Account, Amount, Effect, Operation, OperationKey, PaymentState, Record, rebuild};
use serde::Serialize;

/// A payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PaymentView {
    /// The payment's id.
    pub payment_id: String,
    /// Whose payment it is.
    pub tenant: String,
    /// The order paid.
    pub order: String,
    /// The state its operations add up to.
    pub state: PaymentState,
    /// Whether a person is needed.
    pub needs_review: bool,
    /// How often it was written.
    pub version: u64,
    /// When it was last written, in milliseconds since 1970, as all times here.
    pub updated_at: Time,
    /// When a machine looks at it next; absent if none has anything left to do.
    pub due_at: Option<Time>,
    /// Until when a worker may be acting on it.
    pub claimed_until: Option<Time>,
    /// Since when a person is needed.
    pub review_at: Option<Time>,
    /// The provider account it was sent to.
    pub account: Option<Account>,
    /// Its operations, in the order of their acceptance.
    pub operations: Vec<OperationView>,
}

/// One operation of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperationView {
    /// Its name: `<kind>/<ref>`.
    pub operation: String,
    /// Where it stands; an intent without an outcome is unknown.
    pub standing: Standing,
    /// Amount in minor units, for a charge.
    pub amount: Option<u64>,
    /// Currency of the amount.
    pub currency: Option<String>,
    /// The provider's objects that carry its effect.
    pub provider_ids: Vec<String>,
    /// The provider's latest status that is not final.
    pub status: Option<Status>,
    /// The provider's code for a decline or refusal.
    pub code: Option<String>,
    /// When it was accepted.
    pub accepted_at: Time,
    /// When its first send may have started.
    pub first_sent_at: Option<Time>,
    /// Until when the first send's key may be sent again.
    pub key_window_ends: Option<Time>,
    /// How many distinct requests were made for it.
    pub requests: u32,
    /// How many turns ended without settling it.
    pub tries: u32,
    /// Not to be looked at again before this.
    pub look_at: Option<Time>,
    /// Why a person is needed, and what was tried before.
    pub review: Option<ReviewView>,
    /// How often other parameters came under its name; none of them did anything.
    pub differing_requests: usize,
    /// What caused it.
    pub causation_id: Option<String>,
    /// What was announced of it.
    pub announced: Vec<AnnouncedView>,
}

/// Why a person is needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReviewView {
    /// The reason's name.
    pub reason: ReviewReason,
    /// What the reason means.
    pub meaning: &'static str,
    /// What the machine tried.
    pub tried: Vec<String>,
}

/// One event announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnnouncedView {
    /// The event's id.
    pub id: String,
    /// The event's type; absent if this version knows none for it.
    pub event: Option<&'static str>,
    /// The version of the record that announced it.
    pub sequence: u64,
    /// When.
    pub time: Time,
}

impl PaymentView {
    /// Returns what to show of a record at `now`.
    #[must_use]
    pub fn of(record: &Record, now: Time) -> Self {
        let claimed_until = record.claim.as_ref().map(|claim| claim.until).filter(|until| now < *until);
        let operations = record
            .payment
            .in_order()
            .into_iter()
            .filter_map(|key| {
                let operation = record.payment.operations.get(&key)?;
                Some(OperationView::of(record, &key, operation, claimed_until.is_some()))
            })
            .collect();
        Self {
            payment_id: record.id.to_string(),
            tenant: record.payment.tenant.to_string(),
            order: record.payment.order.to_string(),
            state: record.payment.state(),
            needs_review: record.payment.needs_review(),
            version: record.version,
            updated_at: record.updated_at,
            due_at: record.due_at,
            claimed_until,
            review_at: record.review_at,
            account: record.payment.account.clone(),
            operations,
        }
    }
}

impl OperationView {
    fn of(record: &Record, key: &OperationKey, operation: &Operation, is_claimed: bool) -> Self {
        let attempt = &operation.attempt;
        let currency = match &operation.effect {
            Effect::Charge { currency, .. } => Some(currency.to_string()),
            Effect::Capture { .. } | Effect::Refund { .. } => {
                record.payment.currency().map(|currency| currency.to_string())
            }
            Effect::Cancel { .. } | Effect::Void { .. } => None,
        };
        Self {
            operation: key.to_string(),
            standing: operation.shown_standing(is_claimed),
            amount: operation.effect.amount().map(Amount::minor),
            currency,
            provider_ids: attempt.ids.iter().cloned().collect(),
            status: attempt.status,
            code: attempt.code.clone(),
            accepted_at: operation.accepted_at,
            first_sent_at: attempt.first_sent_at,
            key_window_ends: attempt.first_sent_at.map(|at| at.plus_ms(KEY_WINDOW_MS)),
            requests: if attempt.was_sent() { attempt.generation + 1 } else { 0 },
            tries: attempt.tries,
            look_at: attempt.look_at,
            review: attempt.review.map(|reason| ReviewView::of(reason, operation)),
            differing_requests: operation.differing.len(),
            causation_id: operation.causation_id.clone(),
            announced: announced(record, key, operation),
        }
    }
}

fn announced(record: &Record, key: &OperationKey, operation: &Operation) -> Vec<AnnouncedView> {
    let mut events: Vec<AnnouncedView> = operation
        .outcomes
        .iter()
        .map(|(outcome, at)| {
            let id = format!("{}:{outcome}", key.id(&record.id));
            let event = rebuild(record, &id).map(|event| event.kind.as_str());
            AnnouncedView { id, event, sequence: at.version, time: at.time }
        })
        .collect();
    events.sort_by_key(|event| event.sequence);
    events
}

impl ReviewView {
    fn of(reason: ReviewReason, operation: &Operation) -> Self {
        let attempt = &operation.attempt;
        let mut tried = Vec::new();
        if attempt.was_sent() {
            tried.push(format!(
                "sent {} distinct request(s), each under its own fixed key",
                attempt.generation + 1
            ));
        }
        if attempt.tries > 0 {
            tried.push(format!("came back {} time(s) without an answer that settles it", attempt.tries));
        }
        if attempt.barred {
            tried
                .push("stopped sending: the provider replays an error it has saved under the key".to_owned());
        }
        if !attempt.ids.is_empty() {
            tried.push("retrieved the provider's object".to_owned());
        }
        if reason == ReviewReason::WindowOver {
            tried.push("listed and searched the provider's objects once the key had expired".to_owned());
        }
        Self { reason, meaning: meaning(reason), tried }
    }
}

const fn meaning(reason: ReviewReason) -> &'static str {
    match reason {
        ReviewReason::WindowOver => {
            "the key has expired, and list and search show no single trace of the effect; it may still exist"
        }
        ReviewReason::NotFinal => {
            "the provider knows the effect, and it has not become final in any reasonable time"
        }
        ReviewReason::TwoEnds => "the provider reported both a success and a cancellation of one effect",
        ReviewReason::TwoIds => "more than one object at the provider carries this operation's id",
        ReviewReason::KeyReused => {
            "the provider saw other parameters under our key, which is a fault of ours"
        }
        ReviewReason::AccountChanged => {
            "the secret in force belongs to another account or mode than the one this was sent to"
        }
        ReviewReason::EarlierCameBack => {
            "it was sent and is unknown or paid, and an earlier attempt turned out paid or needs a person too"
        }
    }
}
