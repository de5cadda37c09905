//! What a caller can ask for: a charge, a capture, a cancel, a refund.

use effect::digest_hex;
use serde::{Deserialize, Serialize};

use crate::{
    command::{Command, Malformed},
    ids::{CustomerId, OperationKey, OrderId, PaymentId, PaymentMethodId, Ref, Tenant},
    money::{Amount, Currency},
    record::{CaptureMethod, Effect, IfCaptured},
};

/// A request to charge a stored payment method for an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charge {
    /// Whose payment it is.
    pub tenant: Tenant,
    /// The order paid.
    pub order: OrderId,
    /// The caller's name for this attempt; a further attempt after a decline needs another one.
    #[serde(rename = "ref", default = "first_ref")]
    pub reference: Ref,
    /// Amount in minor units.
    pub amount: Amount,
    /// Currency of the amount.
    pub currency: Currency,
    /// The provider's customer.
    pub customer: CustomerId,
    /// The customer's stored payment method.
    pub payment_method: PaymentMethodId,
    /// When the money is taken: at once, if nothing is said.
    #[serde(default, skip_serializing_if = "CaptureMethod::is_automatic")]
    pub capture: CaptureMethod,
    /// What caused the command: at most 128 printable characters. Carried into events, and no part of the effect: one
    /// that cannot be carried is left out and refuses nothing.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "carried_causation")]
    pub causation_id: Option<String>,
    /// W3C trace context, carried likewise.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "carried_trace")]
    pub traceparent: Option<String>,
}

/// A request to take the money that an authorization holds. What it does not take is released.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// Whose payment it is.
    pub tenant: Tenant,
    /// The order paid.
    pub order: OrderId,
    /// The caller's name for this capture.
    #[serde(rename = "ref")]
    pub reference: Ref,
    /// Amount in minor units of the payment's currency; all that is held, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Amount>,
    /// What caused the command, carried as a charge's is.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "carried_causation")]
    pub causation_id: Option<String>,
    /// W3C trace context, carried likewise.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "carried_trace")]
    pub traceparent: Option<String>,
}

/// A request to end a payment before its money is taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// Whose payment it is.
    pub tenant: Tenant,
    /// The order paid.
    pub order: OrderId,
    /// The caller's name for this cancel.
    #[serde(rename = "ref")]
    pub reference: Ref,
    /// What to do if the money turns out to be taken.
    #[serde(default)]
    pub if_captured: IfCaptured,
    /// What caused the command, carried as a charge's is.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "carried_causation")]
    pub causation_id: Option<String>,
    /// W3C trace context, carried likewise.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "carried_trace")]
    pub traceparent: Option<String>,
}

/// A request to give money back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refund {
    /// Whose payment it is.
    pub tenant: Tenant,
    /// The order paid.
    pub order: OrderId,
    /// The caller's name for this refund.
    #[serde(rename = "ref")]
    pub reference: Ref,
    /// Amount in minor units of the payment's currency; all that is left, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Amount>,
    /// What caused the command, carried as a charge's is.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "carried_causation")]
    pub causation_id: Option<String>,
    /// W3C trace context, carried likewise.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "carried_trace")]
    pub traceparent: Option<String>,
}

/// A request for an operation, as the record takes it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked<'a> {
    /// Whose payment it is.
    pub tenant: &'a Tenant,
    /// The order paid.
    pub order: &'a OrderId,
    /// The operation's name.
    pub key: OperationKey,
    /// What it is to do.
    pub effect: Effect,
    /// Digest of what changes the effect: never causation, trace or time.
    pub digest: String,
    /// What caused it.
    pub causation_id: Option<&'a String>,
    /// W3C trace context it came with.
    pub traceparent: Option<&'a String>,
}

impl Command {
    /// Returns the operation that the command asks for; none if it only wakes or informs.
    #[must_use]
    pub fn asked(&self) -> Option<Asked<'_>> {
        match self {
            Self::Charge(charge) => Some(Asked {
                tenant: &charge.tenant,
                order: &charge.order,
                key: charge.key(),
                effect: Effect::Charge {
                    amount: charge.amount,
                    currency: charge.currency,
                    customer: charge.customer.clone(),
                    payment_method: charge.payment_method.clone(),
                    capture: charge.capture,
                },
                digest: charge.effect_digest(),
                causation_id: charge.causation_id.as_ref(),
                traceparent: charge.traceparent.as_ref(),
            }),
            Self::Capture(capture) => Some(Asked {
                tenant: &capture.tenant,
                order: &capture.order,
                key: OperationKey::capture(capture.reference.clone()),
                effect: Effect::Capture { amount: capture.amount, charge: None },
                digest: short_digest(&["capture", &amount_or_all(capture.amount)]),
                causation_id: capture.causation_id.as_ref(),
                traceparent: capture.traceparent.as_ref(),
            }),
            Self::Cancel(cancel) => Some(Asked {
                tenant: &cancel.tenant,
                order: &cancel.order,
                key: OperationKey::cancel(cancel.reference.clone()),
                effect: Effect::Cancel { if_captured: cancel.if_captured, charge: None },
                digest: short_digest(&["cancel", cancel.if_captured.as_str()]),
                causation_id: cancel.causation_id.as_ref(),
                traceparent: cancel.traceparent.as_ref(),
            }),
            Self::Refund(refund) => Some(Asked {
                tenant: &refund.tenant,
                order: &refund.order,
                key: OperationKey::refund(refund.reference.clone()),
                effect: Effect::Refund { amount: refund.amount, charge: None },
                digest: short_digest(&["refund", &amount_or_all(refund.amount)]),
                causation_id: refund.causation_id.as_ref(),
                traceparent: refund.traceparent.as_ref(),
            }),
            Self::Wake { .. } | Self::Fact(_) => None,
        }
    }
}

impl Charge {
    /// Returns the payment that this charge belongs to.
    #[must_use]
    pub fn payment_id(&self) -> PaymentId {
        PaymentId::of(&self.tenant, &self.order)
    }

    // Judged on the way in, and not by the types: what is on record must stay readable when a rule changes.
    pub(crate) fn check(&self) -> Result<(), Malformed> {
        Ok(self.amount.check_charge(self.currency)?)
    }

    /// Returns the operation's name.
    #[must_use]
    pub fn key(&self) -> OperationKey {
        OperationKey::charge(self.reference.clone())
    }

    /// Returns the digest of what changes the effect: never causation, trace or time.
    #[must_use]
    pub fn effect_digest(&self) -> String {
        let amount = self.amount.minor().to_string();
        let mut parts = vec![
            "charge",
            &amount,
            self.currency.as_str(),
            self.customer.as_str(),
            self.payment_method.as_str(),
        ];
        if !self.capture.is_automatic() {
            parts.push("manual");
        }
        short_digest(&parts)
    }
}

/// Returns the digest of what an operation's effect is made of, as kept in a record: 32 hexadecimal digits.
pub(crate) fn short_digest(parts: &[&str]) -> String {
    let mut digest = digest_hex(parts);
    digest.truncate(32);
    digest
}

fn amount_or_all(amount: Option<Amount>) -> String {
    amount.map_or_else(|| "all".to_owned(), |amount| amount.minor().to_string())
}

fn carried_causation<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let is_carried = |text: &str| {
        (1..=128).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic())
            && !crate::ids::looks_like_a_card_number(text)
    };
    Ok(carried(deserializer)?.filter(|text| is_carried(text)))
}

fn carried_trace<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let is_hex = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_carried = |text: &str| {
        let parts: Vec<&str> = text.split('-').collect();
        matches!(parts.as_slice(), [version, trace, span, flags]
            if is_hex(version, 2) && is_hex(trace, 32) && is_hex(span, 16) && is_hex(flags, 2))
    };
    Ok(carried(deserializer)?.filter(|text| is_carried(text)))
}

fn carried<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::Array(_)
        | serde_json::Value::Object(_) => None,
    })
}

fn first_ref() -> Ref {
    #[expect(clippy::expect_used, reason = "the literal is a valid ref")]
    "1".parse().expect("\"1\" is a ref")
}
