//! Situations that one side effect can be in, to be put before the policies.

use effect::{Attempt, Frozen, ProviderKey, Rules, Standing, Time, Turn, minutes};

/// The time of every decision.
pub(crate) const NOW: Time = Time(1_900_000_000_000);

/// Every standing that nothing follows.
pub(crate) const ENDS: [Standing; 4] =
    [Standing::Refused, Standing::Failed, Standing::Succeeded, Standing::Canceled];

pub(crate) fn rules() -> Rules {
    Rules::production()
}

/// A turn that has learned nothing yet.
pub(crate) fn turn() -> Turn {
    Turn { now: NOW, ..Turn::default() }
}

/// A turn that recorded the intent to send and has not sent yet.
pub(crate) fn armed() -> Turn {
    Turn { armed: true, ..turn() }
}

/// A turn that has retrieved the object.
pub(crate) fn retrieved() -> Turn {
    Turn { retrieved: true, ..turn() }
}

/// An attempt whose first send began so long ago, by a worker that had a minute for it.
pub(crate) fn sent_ago(ms: i64) -> Attempt {
    Attempt {
        frozen: Some(frozen("amount=500")),
        first_sent_at: Some(NOW.plus_ms(-ms)),
        last_send_until: Some(NOW.plus_ms(minutes(1) - ms)),
        ..Attempt::default()
    }
}

pub(crate) fn frozen(body: &str) -> Frozen {
    Frozen {
        key: ProviderKey::derive("prod", "pay_1/charge/1", 0),
        path: "/v1/payment_intents".to_owned(),
        body: body.to_owned(),
        api_version: "2025-01-01".to_owned(),
    }
}
