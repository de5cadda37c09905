//! The JSON of a refund, in Stripe's shape and field order.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::refund::{Refund, RefundState, RefundStatus};
use crate::render::seconds;

#[derive(Serialize)]
struct CardDestination<'a> {
    reference_status: &'a str,
    reference_type: &'a str,
    r#type: &'a str,
}

#[derive(Serialize)]
struct Destination<'a> {
    card: CardDestination<'a>,
    r#type: &'a str,
}

/// A refund as the API shows it: `failure_reason` and `pending_reason` are absent where there is none, unlike the
/// fields that are null (<https://docs.stripe.com/api/refunds/object>).
#[derive(Serialize)]
pub(crate) struct RefundObject<'a> {
    id: &'a str,
    object: &'a str,
    amount: i64,
    balance_transaction: Option<&'a str>,
    charge: Option<&'a str>,
    created: i64,
    currency: &'a str,
    destination_details: Destination<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_reason: Option<&'a str>,
    metadata: &'a BTreeMap<String, String>,
    payment_intent: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_reason: Option<&'a str>,
    reason: Option<&'a str>,
    receipt_number: Option<&'a str>,
    source_transfer_reversal: Option<&'a str>,
    status: &'a str,
    transfer_reversal: Option<&'a str>,
}

impl<'a> RefundObject<'a> {
    pub(crate) fn of(refund: &'a Refund, state: &'a RefundState) -> Self {
        RefundObject {
            id: &refund.id,
            object: "refund",
            amount: refund.amount,
            balance_transaction: None,
            charge: refund.charge.as_deref(),
            created: seconds(refund.created_ms),
            currency: &refund.currency,
            destination_details: Destination {
                card: CardDestination {
                    reference_status: "pending",
                    reference_type: "acquirer_reference_number",
                    r#type: "refund",
                },
                r#type: "card",
            },
            failure_reason: state.failure_reason,
            metadata: &refund.metadata,
            payment_intent: &refund.payment_intent,
            pending_reason: (state.status == RefundStatus::Pending).then_some("processing"),
            reason: refund.reason.as_deref(),
            receipt_number: None,
            source_transfer_reversal: None,
            status: state.status.as_str(),
            transfer_reversal: None,
        }
    }
}
