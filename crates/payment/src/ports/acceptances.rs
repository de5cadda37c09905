//! Accepting over HTTP: a request's key and the payment that it changes, written together or not at all.

use std::future::Future;

use effect::{Time, digest_hex};
use serde::{Deserialize, Serialize};

use super::LoadError;
use crate::{
    ids::{OperationKey, PaymentId, Tenant},
    record::Record,
};

/// How long a caller's key is remembered, in seconds. The operation in the payment's record is remembered for ever.
pub const KEY_LIFE_S: i64 = 24 * 60 * 60;

/// The identity of a key record: `key_` and 64 hexadecimal digits. The caller's key itself is not kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyId(String);

impl KeyId {
    /// Derives the identity of a key that a caller gave for one concrete resource.
    #[must_use]
    pub fn of(tenant: &Tenant, method: &str, path: &str, key: &str) -> Self {
        Self(format!("key_{}", digest_hex(&[tenant.as_str(), method, path, key])))
    }

    /// Returns the identity as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a caller's key stands for: the request that was accepted under it, and the reply to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRecord {
    /// The item's key.
    #[serde(rename = "pk")]
    pub id: KeyId,
    /// Digest of the request as it was understood: another one under the same key is another request.
    pub fingerprint: String,
    /// The payment that was changed.
    pub payment_id: PaymentId,
    /// The operation that was asked for.
    pub operation: OperationKey,
    /// The body of the reply, byte for byte.
    pub body: String,
    /// From when on the key counts as never used, in whole seconds since the Unix epoch: the table's TTL attribute.
    pub expires_at: i64,
}

impl KeyRecord {
    /// Tells whether the key still counts. The table may delete what has expired days later.
    #[must_use]
    pub const fn is_live(&self, now: Time) -> bool {
        now.epoch_seconds() < self.expires_at
    }
}

/// Why an acceptance was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AcceptError {
    /// Another request has taken the key; this is what it stands for.
    #[error("the key is taken")]
    KeyTaken(Box<KeyRecord>),
    /// The payment has changed; this is its record as it stands, if there is one.
    #[error("the record has changed")]
    Changed(Option<Box<Record>>),
    /// Racing transactions kept it away: certainly not written.
    #[error("other transactions hold the items")]
    Contended,
    /// It was certainly not written.
    #[error("the acceptance was not written: {0}")]
    NotDone(&'static str),
    /// It may or may not have been written: the key's record tells.
    #[error("the write's outcome is unknown: {0}")]
    Unknown(&'static str),
    /// A stored item cannot be read.
    #[error("the stored item is corrupt: {0}")]
    Corrupt(&'static str),
}

/// The part of a payment's record that an acceptance writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change<'a> {
    /// What the stored record must still be (`None`: there is none).
    pub expected: Option<&'a Record>,
    /// What it becomes.
    pub next: &'a Record,
}

/// Stores what was accepted over HTTP.
pub trait Acceptances {
    /// Reads a key's record, strongly consistent, whether or not it has expired.
    fn load_key(&self, id: &KeyId) -> impl Future<Output = Result<Option<KeyRecord>, LoadError>>;

    /// Writes a key's record, if the key is not live at `now`, and with it, in one transaction, what changes in the
    /// payment's. Without a change the operation is on record already, and only the key is written.
    fn accept(
        &self,
        change: Option<Change<'_>>,
        key: &KeyRecord,
        now: Time,
    ) -> impl Future<Output = Result<(), AcceptError>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_belongs_to_one_caller_and_one_resource() {
        let id = |tenant: &str, path: &str, key: &str| KeyId::of(&tenant.parse().unwrap(), "POST", path, key);
        let all = [
            id("shop", "/v1/payments", "k"),
            id("shop", "/v1/payments", "K"),
            id("stall", "/v1/payments", "k"),
            id("shop", "/v1/payments/pay_1/refunds", "k"),
        ];
        let distinct: std::collections::BTreeSet<&KeyId> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        assert!(all.iter().all(|id| id.as_str().len() == 68 && id.as_str().starts_with("key_")));
    }

    #[test]
    fn a_key_lives_for_a_day_and_expires_on_the_second() {
        assert_eq!(KEY_LIFE_S, 86_400);
        let key = KeyRecord {
            id: KeyId::of(&"shop".parse().unwrap(), "POST", "/v1/payments", "k"),
            fingerprint: String::new(),
            payment_id: PaymentId::of(&"shop".parse().unwrap(), &"o-1".parse().unwrap()),
            operation: OperationKey::charge("1".parse().unwrap()),
            body: String::new(),
            expires_at: 100,
        };
        assert!(key.is_live(Time(99_999)));
        assert!(!key.is_live(Time(100_000)));
    }
}
