//! The clock: the only place that reads the time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use effect::Time;
use payment::ports::{Clock, Pause};

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the time")]
        let now = SystemTime::now();
        // A clock before 1970 cannot sign a request either: it reads as the epoch.
        let since_epoch = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        Time(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }
}

impl Pause for SystemClock {
    async fn pause(&self, ms: u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_counts_milliseconds_since_1970() {
        let year_2024 = 1_704_067_200_000;
        let year_2200 = 7_258_118_400_000;
        assert!((year_2024..year_2200).contains(&SystemClock.now().0));
    }
}
