//! Reads an invoke's payload: which of its three shapes it has, and the command in it.

use std::fmt::Write;

use payment::{COMMAND_SCHEMA, Charge, Command, looks_like_a_card_number};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{ORDER_CONFIRMED, Refusal};

/// The longest event id that is carried into the command, in bytes.
const MAX_CAUSATION_ID_BYTES: usize = 128;

/// What tells the three shapes apart, and what is read of an EventBridge envelope. All else in it is ignored.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    schema: Option<&'a RawValue>,
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow, rename = "detail-type")]
    detail_type: Option<&'a RawValue>,
    #[serde(borrow)]
    detail: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// What is read of an order's detail. It belongs to somebody else, so further fields are ignored; those read are
/// held to the command's own rules. `null` is the same as absent.
#[derive(Deserialize)]
struct Order<'a> {
    #[serde(borrow)]
    tenant: Option<&'a RawValue>,
    #[serde(borrow)]
    order: Option<&'a RawValue>,
    #[serde(borrow, rename = "ref")]
    reference: Option<&'a RawValue>,
    #[serde(borrow)]
    amount: Option<&'a RawValue>,
    #[serde(borrow)]
    currency: Option<&'a RawValue>,
    #[serde(borrow)]
    customer: Option<&'a RawValue>,
    #[serde(borrow)]
    payment_method: Option<&'a RawValue>,
}

/// Returns the command that an invoke's payload asks for.
///
/// # Errors
/// Returns why the payload can never become a command.
pub(crate) fn read(event: &RawValue) -> Result<Command, Refusal> {
    let text = event.get();
    if !text.starts_with('{') {
        return Err(Refusal::NotAnEvent);
    }
    let envelope: Envelope<'_> = serde_json::from_str(text).map_err(|_| Refusal::NotAnEvent)?;
    let command = if envelope.detail_type.is_some() || envelope.detail.is_some() {
        Command::parse(&from_order(&envelope)?)?
    } else if envelope.schema.is_some() || envelope.kind.is_some() {
        Command::parse(text)?
    } else {
        Command::parse(&from_bare_charge(text))?
    };
    match &command {
        Command::Charge(charge) => refuse_card_numbers(charge)?,
        Command::Wake { .. } => return Err(Refusal::Wake),
    }
    Ok(command)
}

// The raw values are copied as they came: Command::parse is the one judge of them.
fn from_order(envelope: &Envelope<'_>) -> Result<String, Refusal> {
    let detail_type = envelope.detail_type.and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
    if detail_type.as_deref() != Some(ORDER_CONFIRMED) {
        return Err(Refusal::DetailType);
    }
    let detail = envelope.detail.filter(|raw| raw.get().starts_with('{')).ok_or(Refusal::Detail)?;
    let order: Order<'_> = serde_json::from_str(detail.get()).map_err(|_| Refusal::Detail)?;
    let causation_id = envelope.id.filter(|raw| is_carried(raw));
    let fields = [
        ("tenant", order.tenant),
        ("order", order.order),
        ("ref", order.reference),
        ("amount", order.amount),
        ("currency", order.currency),
        ("customer", order.customer),
        ("payment_method", order.payment_method),
        ("causation_id", causation_id),
    ];
    let mut body = opening();
    for (name, raw) in fields {
        if let Some(raw) = raw {
            // Writing to a String cannot fail.
            let _ = write!(body, ",\"{name}\":{}", raw.get());
        }
    }
    body.push('}');
    Ok(body)
}

// `text` is an object: what follows its brace is its fields, or its end.
fn from_bare_charge(text: &str) -> String {
    let fields = text.get(1..).unwrap_or_default().trim_start();
    let comma = if fields.starts_with('}') { "" } else { "," };
    format!("{}{comma}{fields}", opening())
}

fn opening() -> String {
    format!(r#"{{"schema":"{COMMAND_SCHEMA}","type":"charge""#)
}

// What caused a command is no part of its effect: an id that cannot be carried is left out and refuses no payment.
fn is_carried(raw: &RawValue) -> bool {
    serde_json::from_str::<String>(raw.get()).is_ok_and(|id| {
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.:/".contains(&b);
        (1..=MAX_CAUSATION_ID_BYTES).contains(&id.len())
            && id.bytes().all(is_plain)
            && !holds_a_card_number(&id)
    })
}

// Order and ref are refused by their own types; the alphabets of these fields leave room for a card number.
fn refuse_card_numbers(charge: &Charge) -> Result<(), Refusal> {
    let fields = [
        ("tenant", Some(charge.tenant.as_str())),
        ("customer", Some(charge.customer.as_str())),
        ("payment_method", Some(charge.payment_method.as_str())),
        ("causation_id", charge.causation_id.as_deref()),
        ("traceparent", charge.traceparent.as_deref()),
    ];
    let found = fields.into_iter().find(|(_, value)| value.is_some_and(holds_a_card_number));
    found.map_or(Ok(()), |(name, _)| Err(Refusal::CardNumber(name)))
}

fn holds_a_card_number(text: &str) -> bool {
    looks_like_a_card_number(text) && !is_random_hex(text)
}

// A UUID or a W3C trace context. One in some hundreds holds a run of digits that passes for a card number.
fn is_random_hex(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_hex = groups.iter().all(|group| group.bytes().all(|b| b.is_ascii_hexdigit()));
    is_hex && (lengths == [8, 4, 4, 4, 12] || lengths == [2, 32, 16, 2])
}
