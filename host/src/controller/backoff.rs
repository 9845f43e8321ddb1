//! Exponential backoff: the delay doubles with each failure, up to a limit.

use std::time::{Duration, Instant};

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    wait: Duration,
    until: Instant,
}

impl Backoff {
    pub fn first() -> Backoff {
        Backoff::after(FIRST)
    }

    /// A backoff with this delay.
    pub fn after(wait: Duration) -> Backoff {
        Backoff { wait, until: Instant::now() + wait }
    }

    /// The backoff after another failure.
    pub fn further(self) -> Backoff {
        Backoff::after((self.wait * 2).min(LONGEST))
    }

    /// Whether the delay is at most that of a first failure.
    pub fn is_short(self) -> bool {
        self.wait <= FIRST
    }

    pub fn is_over(self) -> bool {
        self.until <= Instant::now()
    }

    pub fn until(self) -> Instant {
        self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_up_to_a_limit() {
        let mut backoff = Backoff::first();
        let mut waits = Vec::new();
        for _ in 0..8 {
            waits.push(backoff.wait.as_secs());
            backoff = backoff.further();
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    }
}
