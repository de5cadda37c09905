//! Randomness from the operating system: a token must be unique even among processes restored from one snapshot.

use payment::ports::Randomness;
use rand::{Rng as _, RngCore as _, TryRngCore as _, rngs::OsRng};

/// The operating system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsRandomness;

impl Randomness for OsRandomness {
    fn jitter_per_mille(&self) -> u16 {
        OsRng.unwrap_err().random_range(0..=1_000)
    }

    fn token(&self) -> String {
        let mut random = OsRng.unwrap_err();
        format!("{:016x}{:016x}", random.next_u64(), random.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn jitter_stays_within_a_thousand_and_tokens_differ() {
        assert!((0..1_000).all(|_| OsRandomness.jitter_per_mille() <= 1_000));
        let tokens: BTreeSet<String> = (0..1_000).map(|_| OsRandomness.token()).collect();
        assert_eq!(tokens.len(), 1_000);
        assert!(tokens.iter().all(|token| token.len() == 32));
    }
}
