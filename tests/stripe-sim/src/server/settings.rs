//! The settings as the control API takes them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stripe_sim::{Decline, Outcome, RefundOutcome, Settings};

/// What a payment method does, by the name of its outcome.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Named {
    Succeed,
    GenericDecline,
    InsufficientFunds,
    LostCard,
    StolenCard,
    ExpiredCard,
    IncorrectCvc,
    ProcessingError,
    AuthenticationRequired,
    Authenticate,
    RequireAction,
    Process,
}

/// What becomes of a payment method's refunds, by the name of its outcome.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum NamedRefund {
    Succeed,
    Pend,
    PendThenFail,
    PendThenCancel,
    SucceedThenFail,
    Fail,
    RequireAction,
}

/// The body of `PUT /_sim/settings`: what is absent stays.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    api_key: Option<String>,
    restricted_key: Option<String>,
    account_id: Option<String>,
    livemode: Option<bool>,
    key_ttl_ms: Option<i64>,
    search_lag_ms: Option<i64>,
    list_lag_ms: Option<i64>,
    cancels_processing: Option<bool>,
    outcomes: Option<BTreeMap<String, Named>>,
    authorization_life_ms: Option<i64>,
    refund_delay_ms: Option<i64>,
    refund_outcomes: Option<BTreeMap<String, NamedRefund>>,
}

impl Change {
    /// Applies the change.
    pub(crate) fn apply(self, settings: &mut Settings) {
        set(&mut settings.api_key, self.api_key);
        set(&mut settings.account_id, self.account_id);
        set(&mut settings.livemode, self.livemode);
        set(&mut settings.key_ttl_ms, self.key_ttl_ms);
        set(&mut settings.search_lag_ms, self.search_lag_ms);
        set(&mut settings.list_lag_ms, self.list_lag_ms);
        set(&mut settings.cancels_processing, self.cancels_processing);
        set(&mut settings.authorization_life_ms, self.authorization_life_ms);
        if self.refund_delay_ms.is_some() {
            settings.refund_delay_ms = self.refund_delay_ms;
        }
        if let Some(outcomes) = self.refund_outcomes {
            let outcomes = outcomes.into_iter().map(|(id, named)| (id, named.outcome()));
            settings.refund_outcomes = outcomes.collect();
        }
        if self.restricted_key.is_some() {
            settings.restricted_key = self.restricted_key;
        }
        if let Some(outcomes) = self.outcomes {
            settings.outcomes = outcomes.into_iter().map(|(id, named)| (id, named.outcome())).collect();
        }
    }
}

impl Named {
    fn outcome(self) -> Outcome {
        match self {
            Named::Succeed => Outcome::Succeed,
            Named::GenericDecline => Outcome::Decline(Decline::Generic),
            Named::InsufficientFunds => Outcome::Decline(Decline::InsufficientFunds),
            Named::LostCard => Outcome::Decline(Decline::LostCard),
            Named::StolenCard => Outcome::Decline(Decline::StolenCard),
            Named::ExpiredCard => Outcome::Decline(Decline::ExpiredCard),
            Named::IncorrectCvc => Outcome::Decline(Decline::IncorrectCvc),
            Named::ProcessingError => Outcome::Decline(Decline::ProcessingError),
            Named::AuthenticationRequired => Outcome::Decline(Decline::AuthenticationRequired),
            Named::Authenticate => Outcome::Authenticate,
            Named::RequireAction => Outcome::RequireAction,
            Named::Process => Outcome::Process,
        }
    }
}

impl NamedRefund {
    fn outcome(self) -> RefundOutcome {
        match self {
            NamedRefund::Succeed => RefundOutcome::Succeed,
            NamedRefund::Pend => RefundOutcome::Pend,
            NamedRefund::PendThenFail => RefundOutcome::PendThenFail,
            NamedRefund::PendThenCancel => RefundOutcome::PendThenCancel,
            NamedRefund::SucceedThenFail => RefundOutcome::SucceedThenFail,
            NamedRefund::Fail => RefundOutcome::Fail,
            NamedRefund::RequireAction => RefundOutcome::RequireAction,
        }
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
