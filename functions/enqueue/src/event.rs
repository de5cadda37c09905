//! Reads an invoke's payload: which of its three shapes it has, and the command in it.

use std::fmt::Write;

use payment::{COMMAND_SCHEMA, Command};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{ORDER_CONFIRMED, Refusal};

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
    #[serde(borrow)]
    capture: Option<&'a RawValue>,
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
    match command {
        asked @ (Command::Charge(_) | Command::Capture(_) | Command::Cancel(_) | Command::Refund(_)) => {
            Ok(asked)
        }
        Command::Wake { .. } | Command::Fact(_) => Err(Refusal::NotAnOperation),
    }
}

// The raw values are copied as they came: Command::parse is the one judge of them.
fn from_order(envelope: &Envelope<'_>) -> Result<String, Refusal> {
    let detail_type = envelope.detail_type.and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
    if detail_type.as_deref() != Some(ORDER_CONFIRMED) {
        return Err(Refusal::DetailType);
    }
    let detail = envelope.detail.filter(|raw| raw.get().starts_with('{')).ok_or(Refusal::Detail)?;
    let order: Order<'_> = serde_json::from_str(detail.get()).map_err(|_| Refusal::Detail)?;
    let fields = [
        ("tenant", order.tenant),
        ("order", order.order),
        ("ref", order.reference),
        ("amount", order.amount),
        ("currency", order.currency),
        ("customer", order.customer),
        ("payment_method", order.payment_method),
        ("capture", order.capture),
        ("causation_id", envelope.id),
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
