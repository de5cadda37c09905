//! The one source of chance: a seed gives the same run for ever, whatever any library does.

/// `SplitMix64`: small, fast, and written down here so that a kept seed keeps its meaning.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// Starts from a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678_9ABC_DEF1))
    }

    /// Returns the next 64 random bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to `n - 1`; 0 if `n` is 0.
    pub const fn below(&mut self, n: u64) -> u64 {
        if n == 0 { 0 } else { self.next() % n }
    }

    /// Returns a number from `low` to `high`, both included.
    pub const fn between(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "an empty range");
        low + (self.below((high - low) as u64 + 1)) as i64
    }

    /// Returns true `per_mille` times in a thousand.
    pub const fn chance(&mut self, per_mille: u32) -> bool {
        per_mille > 0 && self.below(1_000) < per_mille as u64
    }

    /// Returns one of the items.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}
