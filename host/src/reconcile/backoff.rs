//! How long to wait before something that failed is tried again: twice as long each time, up to a limit.

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

    /// Waits at least this long, as somebody asked for it.
    pub fn after(wait: Duration) -> Backoff {
        Backoff { wait, until: Instant::now() + wait }
    }

    /// The wait after another failure.
    pub fn further(self) -> Backoff {
        Backoff::after((self.wait * 2).min(LONGEST))
    }

    /// Whether it is no longer than a first wait.
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
    fn waits_grow_up_to_a_limit() {
        let mut backoff = Backoff::first();
        let mut waits = Vec::new();
        for _ in 0..8 {
            waits.push(backoff.wait.as_secs());
            backoff = backoff.further();
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
    }
}
