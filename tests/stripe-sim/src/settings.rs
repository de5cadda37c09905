//! What can be set about the simulated account and its delays.

use std::collections::BTreeMap;

use crate::cards::Outcome;
use crate::refund::RefundOutcome;

/// Settings of the simulated account; every one may be changed at any time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The secret key that is accepted.
    pub api_key: String,
    /// A key that is known but may do nothing: it answers 403.
    pub restricted_key: Option<String>,
    /// The account's id.
    pub account_id: String,
    /// The value of `livemode` in every object.
    pub livemode: bool,
    /// The version reported when the request names none.
    pub api_version: String,
    /// The age in milliseconds at which a key is forgotten.
    pub key_ttl_ms: i64,
    /// How far search results lie behind, in milliseconds.
    pub search_lag_ms: i64,
    /// How far lists lie behind, in milliseconds.
    pub list_lag_ms: i64,
    /// Whether an intent in `processing` can be canceled; Stripe says "in rare cases".
    pub cancels_processing: bool,
    /// Outcomes by payment method id, in front of the built-in ones.
    pub outcomes: BTreeMap<String, Outcome>,
    /// How long an authorization lives without a capture, in milliseconds. Seven days for most cards; five for a Visa
    /// that the merchant charges (<https://docs.stripe.com/payments/place-a-hold-on-a-payment-method>).
    pub authorization_life_ms: i64,
    /// After how many milliseconds a refund becomes by itself what it becomes later; nothing waits for
    /// [`crate::Sim::settle_refund`].
    pub refund_delay_ms: Option<i64>,
    /// What becomes of refunds by payment method id, in front of the built-in ones.
    pub refund_outcomes: BTreeMap<String, RefundOutcome>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            api_key: "sk_test_sim".to_owned(),
            restricted_key: None,
            account_id: "acct_sim".to_owned(),
            livemode: false,
            api_version: "2025-09-30.clover".to_owned(),
            key_ttl_ms: 24 * 60 * 60 * 1000,
            search_lag_ms: 60_000,
            list_lag_ms: 0,
            cancels_processing: true,
            outcomes: BTreeMap::new(),
            authorization_life_ms: 7 * 24 * 60 * 60 * 1000,
            refund_delay_ms: None,
            refund_outcomes: BTreeMap::new(),
        }
    }
}
