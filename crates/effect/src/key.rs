//! The provider key: derived once from a durable identity, then stored and never derived again.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The `Idempotency-Key` sent to the provider: 64 lower-case hexadecimal characters.
///
/// It is a digest of (stack, operation id, generation). It holds no attempt number, clock, trace or request id, so
/// every send of one generation carries the same key, and it holds no personal data.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProviderKey(String);

impl ProviderKey {
    /// Derives the key of one generation of one operation in one stack.
    #[must_use]
    pub fn derive(stack: &str, operation_id: &str, generation: u32) -> Self {
        Self(digest_hex(&[stack, operation_id, &generation.to_string()]))
    }

    /// Returns the header value.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns the SHA-256 of the parts, each prefixed by its length, as 64 hexadecimal characters.
///
/// The length prefix keeps `("ab", "c")` and `("a", "bc")` apart.
#[must_use]
pub fn digest_hex(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_same_for_every_send_and_another_for_each_generation_and_stack() {
        let key = ProviderKey::derive("prod", "pay_1/charge/1", 0);
        assert_eq!(key, ProviderKey::derive("prod", "pay_1/charge/1", 0));
        assert_ne!(key, ProviderKey::derive("prod", "pay_1/charge/1", 1));
        assert_ne!(key, ProviderKey::derive("test", "pay_1/charge/1", 0));
        assert_eq!(key.as_str().len(), 64);
        assert!(key.as_str().bytes().all(|b| b.is_ascii_hexdigit()));
    }

    #[test]
    fn parts_cannot_run_into_each_other() {
        assert_ne!(digest_hex(&["ab", "c"]), digest_hex(&["a", "bc"]));
        assert_ne!(digest_hex(&["ab"]), digest_hex(&["ab", ""]));
    }
}
