//! Stripe's replies.

use effect::{Look, Note, Outcome, Time};
use payment::{
    Kind,
    ports::{Answer, Expected, Object, Question},
};
use serde_json::Value;
use stripe_wire::{HttpReply, TransportError, classify as classify_send, classify_look};

/// The operation that every input is held against.
const OPERATION: &str = "pay_82e789642ebc120d3d9b43ba26ae7d80/charge/1";
const AMOUNT: u64 = 1999;
const INTENT: &str = "pi_1";

/// Any reply means something, and nothing that is not ours is a fact.
///
/// The bytes are three digits of a status, one digit each for what the headers say, the kind of operation and the
/// question, and a body.
pub fn classify(bytes: &[u8]) {
    let Some((&[a, b, c, headers, kind, look], body)) = bytes.split_first_chunk() else { return };
    let digit = |byte: u8| byte.wrapping_sub(b'0');
    let status = [a, b, c]
        .iter()
        .fold(0_u16, |status, byte| status.wrapping_mul(10).wrapping_add(u16::from(digit(*byte))));
    let kind = Kind::ALL[usize::from(digit(kind)) % Kind::ALL.len()];
    let expected = expected(kind);
    let reply = reply(status, digit(headers), body);
    let sent = classify_send(&reply, &expected);
    assert_ours(&sent, body, &expected);
    if reply.is_err() || !matches!(status, 200..=299 | 400..=499) {
        assert!(sent.facts.is_empty(), "{status}: {sent:?}");
    }
    let is_carried_out = reply.is_ok() && matches!(status, 200..=299 | 500..=599);
    assert!(!is_carried_out || sent.note != Some(Note::NotDone), "{status} may have had its effect");

    let look = [Look::ById, Look::List, Look::Search, Look::Check("pi_1".to_owned())]
        [usize::from(digit(look)) % 4]
        .clone();
    let id = Some("pi_1".to_owned());
    let question = Question { look, id, from: Time(0), to: Time(1), cursor: None, expected };
    let told = classify_look(&reply, &question);
    assert_ours(&told, body, &question.expected);
    if reply.is_err() || !matches!(status, 200..=299) {
        assert_eq!(told, Answer { facts: Vec::new(), note: Some(Note::NotTold) }, "{status}");
    }
}

fn reply(status: u16, headers: u8, body: &[u8]) -> Result<HttpReply, TransportError> {
    match headers % 9 {
        6 => Err(TransportError::NoCredentials),
        7 => Err(TransportError::Broken),
        8 => Err(TransportError::TimedOut),
        headers => Ok(HttpReply {
            status,
            replayed: headers % 2 == 1,
            should_retry: [None, Some(false), Some(true)][usize::from(headers / 2)],
            body: body.to_vec(),
        }),
    }
}

fn expected(kind: Kind) -> Expected {
    let (Ok(amount), Ok(currency), Ok(customer)) =
        (AMOUNT.try_into(), "usd".to_owned().try_into(), "cus_1".to_owned().try_into())
    else {
        panic!("these are an amount, a currency and a customer")
    };
    let object = match kind {
        Kind::Refund => Object::Refund { intent: INTENT.to_owned() },
        Kind::Charge | Kind::Capture | Kind::Cancel | Kind::Void => Object::Intent { customer },
    };
    Expected { kind, operation_id: OPERATION.to_owned(), amount, currency, object }
}

// A second reading of the body, by a parser that knows no types. What that one cannot read in a field that ours skips
// (broken UTF-8, a number beyond all floats) makes nothing ours, so such a body is not judged.
fn assert_ours(answer: &Answer, body: &[u8], expected: &Expected) {
    assert!(answer.note.is_some() || !answer.facts.is_empty(), "an answer says something");
    let Ok(body) = serde_json::from_str::<Value>(&String::from_utf8_lossy(body)) else { return };
    for fact in &answer.facts {
        let told = [&body, &body["error"]["payment_intent"]];
        assert!(told.iter().any(|object| is_ours(object, &fact.id, expected)), "{answer:?} from {body}");
        assert!(is_id(&fact.id), "{}", fact.id);
        match &fact.outcome {
            Some(Outcome::Declined(code)) => {
                assert!(code.len() <= 64 && code.bytes().all(is_plain), "{code}")
            }
            Some(Outcome::Partly(amount)) => assert!(*amount < AMOUNT),
            Some(Outcome::Authorized | Outcome::Succeeded | Outcome::Canceled) | None => {}
        }
    }
    if let Some(Note::Hits { candidates, .. }) = &answer.note {
        let listed = body["data"].as_array().map(Vec::as_slice).unwrap_or_default();
        for id in candidates {
            let is_listed = |object: &Value| object["id"] == **id && bears_our_id(object);
            assert!(is_id(id) && listed.iter().any(is_listed), "{id} from {body}");
        }
    }
}

fn is_ours(object: &Value, id: &str, expected: &Expected) -> bool {
    let is_of_its_intent = match &expected.object {
        Object::Refund { intent } => object["payment_intent"] == **intent,
        Object::Intent { .. } => true,
    };
    let currency = object["currency"].as_str().unwrap_or_default();
    object["id"] == *id
        && bears_our_id(object)
        && object["amount"] == AMOUNT
        && currency.eq_ignore_ascii_case("usd")
        && is_of_its_intent
}

fn bears_our_id(object: &Value) -> bool {
    object["metadata"]["operation_id"] == OPERATION
}

fn is_id(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(is_plain)
}

const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
