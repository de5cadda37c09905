//! Stripe's objects, as far as the protocol reads them. Unknown fields are ignored; nothing here is ever logged.

use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct Intent {
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) amount: u64,
    pub(crate) currency: String,
    #[serde(default)]
    pub(crate) metadata: Metadata,
    #[serde(default)]
    pub(crate) last_payment_error: Option<PaymentError>,
    #[serde(default)]
    pub(crate) amount_received: Option<u64>,
}

#[derive(Deserialize)]
pub(crate) struct Refund {
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) amount: u64,
    pub(crate) currency: String,
    #[serde(default)]
    pub(crate) payment_intent: Option<String>,
    #[serde(default)]
    pub(crate) failure_reason: Option<String>,
    #[serde(default)]
    pub(crate) metadata: Metadata,
}

#[derive(Deserialize, Default)]
pub(crate) struct Metadata {
    #[serde(default)]
    pub(crate) operation_id: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct PaymentError {
    #[serde(default)]
    pub(crate) code: Option<String>,
    #[serde(default)]
    pub(crate) decline_code: Option<String>,
}

impl PaymentError {
    /// Returns the most exact code given, cut to the alphabet of codes.
    pub(crate) fn reason(&self) -> String {
        let code = self.decline_code.as_deref().or(self.code.as_deref()).unwrap_or("card_error");
        safe_code(code)
    }
}

#[derive(Deserialize)]
pub(crate) struct ErrorBody {
    pub(crate) error: ErrorDetail,
}

#[derive(Deserialize)]
pub(crate) struct ErrorDetail {
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) code: Option<String>,
    #[serde(default)]
    pub(crate) decline_code: Option<String>,
    #[serde(default)]
    pub(crate) payment_intent: Option<Intent>,
}

#[derive(Deserialize)]
pub(crate) struct Page {
    pub(crate) data: Vec<Listed>,
    #[serde(default)]
    pub(crate) has_more: bool,
    #[serde(default)]
    pub(crate) next_page: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Listed {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) metadata: Metadata,
}

/// Returns a provider's code cut to lower-case letters, digits and underscores, at most 64: the only text of a reply
/// that is stored or shown.
pub(crate) fn safe_code(code: &str) -> String {
    code.chars().filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '_').take(64).collect()
}
