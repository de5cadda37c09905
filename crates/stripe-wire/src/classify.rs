//! From a reply to what it means. One question decides: may the effect have happened?

use effect::{Fact, Look, Note, Outcome, Status};
use payment::{
    Kind,
    ports::{Answer, Expected, Object, Question},
};

use crate::{
    http::{HttpReply, TransportError},
    object::{ErrorBody, ErrorDetail, Intent, Page, PaymentError, Refund, safe_code},
};

/// Reads the reply to a send. Total: any status with any body means something.
#[must_use]
pub fn classify(reply: &Result<HttpReply, TransportError>, expected: &Expected) -> Answer {
    let reply = match reply {
        Ok(reply) => reply,
        Err(TransportError::NoCredentials) => return note(Note::NotDone),
        Err(TransportError::Broken) => return note(Note::Ambiguous { resend: true }),
        Err(TransportError::TimedOut) => return note(Note::Ambiguous { resend: false }),
    };
    match reply.status {
        200..=299 => classify_success(reply, expected),
        402 if expected.kind == Kind::Charge => classify_decline(reply, expected),
        401 | 403 | 429 => note(Note::NotDone),
        409 | 408 => note(Note::Ambiguous { resend: false }),
        // A 402 to anything but a charge declines no charge: it is a refusal like another.
        400..=499 => classify_refusal(reply, expected),
        _ if reply.replayed => note(Note::SavedError),
        500..=599 => note(Note::Ambiguous { resend: reply.should_retry != Some(false) }),
        _ => note(Note::Ambiguous { resend: false }),
    }
}

/// Reads the reply to a question. Only a readable 2xx tells anything: an error is never absence.
#[must_use]
pub fn classify_look(reply: &Result<HttpReply, TransportError>, question: &Question) -> Answer {
    let Ok(HttpReply { status: 200..=299, body, .. }) = reply else { return note(Note::NotTold) };
    match &question.look {
        Look::ById => match read(body, &question.expected) {
            Read::Ours(answer) => answer,
            Read::NotOurs | Read::Unreadable => note(Note::NotTold),
        },
        Look::Check(_) => match read(body, &question.expected) {
            Read::Ours(answer) => Answer { note: Some(Note::Checked), ..answer },
            Read::NotOurs => note(Note::Checked),
            Read::Unreadable => note(Note::NotTold),
        },
        Look::List => hits(body, &question.expected, |page| {
            page.has_more.then(|| page.data.last().map(|listed| listed.id.clone())).flatten()
        }),
        Look::Search => {
            hits(body, &question.expected, |page| page.has_more.then(|| page.next_page.clone()).flatten())
        }
    }
}

fn classify_success(reply: &HttpReply, expected: &Expected) -> Answer {
    let Read::Ours(mut answer) = read(&reply.body, expected) else { return note(Note::Undecodable) };
    // A replayed reply shows the object as it was: what is not final may have moved on since.
    if reply.replayed && matches!(answer.note, Some(Note::Status(_))) {
        answer.note = Some(Note::Undecodable);
    }
    answer
}

fn classify_decline(reply: &HttpReply, expected: &Expected) -> Answer {
    let Some(error) = read_error(reply) else { return note(Note::SavedError) };
    let reason = PaymentError { code: error.code, decline_code: error.decline_code }.reason();
    match error.payment_intent {
        Some(intent) if is_expected(&intent, expected) => {
            let mut answer = describe(&intent);
            let is_final = answer.facts.iter().any(|fact| fact.outcome.is_some());
            if !is_final {
                answer =
                    Answer { facts: vec![fact(&intent.id, Some(Outcome::Declined(reason)))], note: None };
            }
            answer
        }
        // Declined, but nobody says on which object: the list will.
        Some(_) | None => note(Note::SavedError),
    }
}

fn classify_refusal(reply: &HttpReply, expected: &Expected) -> Answer {
    let Some(error) = read_error(reply) else { return note(Note::Refused("unreadable".to_owned())) };
    let facts = match &error.payment_intent {
        Some(intent) if is_expected(intent, expected) => describe(intent).facts,
        Some(_) | None => Vec::new(),
    };
    let code = error.code.as_deref().map_or_else(|| safe_code(&error.kind), safe_code);
    let note = match (error.kind.as_str(), code.as_str()) {
        ("idempotency_error", _) => Note::KeyReused,
        (_, "payment_intent_unexpected_state") => Note::UnexpectedState,
        (_, "lock_timeout") => Note::NotDone,
        (_, _) => Note::Refused(code),
    };
    Answer { facts, note: Some(note) }
}

/// Says what a refund's state is.
fn describe_refund(refund: &Refund) -> Answer {
    let (outcome, status) = match refund.status.as_str() {
        "succeeded" => (Some(Outcome::Succeeded), None),
        "failed" => {
            let reason = refund.failure_reason.as_deref().map_or_else(|| "unknown".to_owned(), safe_code);
            (Some(Outcome::Declined(reason)), None)
        }
        "canceled" => (Some(Outcome::Canceled), None),
        // `pending`, `requires_action`, and any status that a later version of the API may add.
        _ => (None, Some(Status::Processing)),
    };
    Answer { facts: vec![fact(&refund.id, outcome)], note: status.map(Note::Status) }
}

/// Says what an intent's state is: its ends as facts, anything else as a note.
fn describe(intent: &Intent) -> Answer {
    let declined = intent.last_payment_error.as_ref().map(PaymentError::reason);
    let (outcome, status) = match (intent.status.as_str(), declined) {
        ("succeeded", _) => match intent.amount_received {
            Some(received) if received < intent.amount => (Some(Outcome::Partly(received)), None),
            Some(_) | None => (Some(Outcome::Succeeded), None),
        },
        ("canceled", _) => (Some(Outcome::Canceled), None),
        ("requires_payment_method" | "requires_confirmation", Some(code)) => {
            (Some(Outcome::Declined(code)), Some(Status::Declined))
        }
        ("requires_payment_method" | "requires_confirmation", None) => (None, Some(Status::Unconfirmed)),
        ("requires_action", _) => (None, Some(Status::RequiresAction)),
        ("requires_capture", _) => (Some(Outcome::Authorized), Some(Status::RequiresCapture)),
        // `processing`, and any status that a later version of the API may add.
        (_, _) => (None, Some(Status::Processing)),
    };
    Answer { facts: vec![fact(&intent.id, outcome)], note: status.map(Note::Status) }
}

fn hits(body: &[u8], expected: &Expected, more: impl Fn(&Page) -> Option<String>) -> Answer {
    let Ok(page) = serde_json::from_slice::<Page>(body) else { return note(Note::NotTold) };
    let more = more(&page);
    if page.has_more && more.is_none() {
        return note(Note::NotTold);
    }
    let is_ours = |operation_id: Option<&str>| operation_id == Some(expected.operation_id.as_str());
    let candidates = page
        .data
        .iter()
        .filter(|listed| is_ours(listed.metadata.operation_id.as_deref()) && is_provider_id(&listed.id))
        .map(|listed| listed.id.clone())
        .collect();
    note(Note::Hits { candidates, more })
}

/// What a body says.
enum Read {
    /// It is the object asked about: what its state is.
    Ours(Answer),
    /// It is another object.
    NotOurs,
    /// It is no such object at all.
    Unreadable,
}

fn read(body: &[u8], expected: &Expected) -> Read {
    match &expected.object {
        Object::Intent { .. } => match serde_json::from_slice::<Intent>(body) {
            Ok(intent) if is_expected(&intent, expected) => Read::Ours(describe(&intent)),
            Ok(_) => Read::NotOurs,
            Err(_) => Read::Unreadable,
        },
        Object::Refund { intent } => match serde_json::from_slice::<Refund>(body) {
            Ok(refund) if is_expected_refund(&refund, intent, expected) => {
                Read::Ours(describe_refund(&refund))
            }
            Ok(_) => Read::NotOurs,
            Err(_) => Read::Unreadable,
        },
    }
}

fn read_error(reply: &HttpReply) -> Option<ErrorDetail> {
    serde_json::from_slice::<ErrorBody>(&reply.body).ok().map(|body| body.error)
}

// An intent in the reply to a refund is the one refunded: never the refund itself, whatever it bears.
fn is_expected(intent: &Intent, expected: &Expected) -> bool {
    matches!(expected.object, Object::Intent { .. })
        && is_provider_id(&intent.id)
        && intent.metadata.operation_id.as_deref() == Some(expected.operation_id.as_str())
        && intent.amount == expected.amount.minor()
        && intent.currency.eq_ignore_ascii_case(expected.currency.as_str())
}

fn is_expected_refund(refund: &Refund, intent: &str, expected: &Expected) -> bool {
    is_provider_id(&refund.id)
        && refund.payment_intent.as_deref() == Some(intent)
        && refund.metadata.operation_id.as_deref() == Some(expected.operation_id.as_str())
        && refund.amount == expected.amount.minor()
        && refund.currency.eq_ignore_ascii_case(expected.currency.as_str())
}

// The id goes into paths and into the record: nothing but an id may.
fn is_provider_id(id: &str) -> bool {
    (4..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn fact(id: &str, outcome: Option<Outcome>) -> Fact {
    Fact { id: id.to_owned(), outcome }
}

const fn note(note: Note) -> Answer {
    Answer { facts: Vec::new(), note: Some(note) }
}
