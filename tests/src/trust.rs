//! How much a test does: what `npm test` runs by itself, or what `npm run trust` asks for.

use std::env;

use crate::oracles::seed;

/// The count in an environment variable, or else the one of `npm test`.
pub fn count(variable: &str, usual: usize) -> usize {
    env::var(variable).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
}

/// splitmix64, from the seed of `FLEETFOLD_SEED`: the same numbers for the same seed, everywhere.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn seeded() -> Random {
        Random(seed())
    }

    /// The next 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % u64::try_from(end.max(1)).unwrap_or(u64::MAX)).unwrap_or_default()
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
