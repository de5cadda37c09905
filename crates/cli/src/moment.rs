//! Times as a person reads them.

use effect::Time;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Returns a time in RFC 3339, UTC, to the second.
#[must_use]
pub fn written(at: Time) -> String {
    OffsetDateTime::from_unix_timestamp(at.epoch_seconds())
        .ok()
        .and_then(|moment| moment.format(&Rfc3339).ok())
        .unwrap_or_else(|| format!("{} ms", at.0))
}

/// Returns how far a time is from now, in its largest unit: `in 4 min`, `2 h ago`.
#[must_use]
pub fn relative(at: Time, now: Time) -> String {
    let ms = at.since_ms(now);
    let length = length(ms.saturating_abs() / 1_000);
    match ms {
        i64::MIN..=-1_000 => format!("{length} ago"),
        -999..=999 => "now".to_owned(),
        1_000.. => format!("in {length}"),
    }
}

fn length(seconds: i64) -> String {
    match seconds {
        ..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3_600),
        172_800.. => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use effect::{hours, minutes, seconds};

    use super::*;

    #[test]
    fn a_time_is_written_in_utc_to_the_second() {
        assert_eq!(written(Time(1_796_030_103_999)), "2026-11-30T09:15:03Z");
        assert_eq!(written(Time(i64::MAX)), "9223372036854775807 ms");
    }

    #[test]
    fn a_distance_is_given_in_its_largest_unit() {
        let now = Time(1_796_030_103_000);
        let cases = [
            (0, "now"),
            (seconds(-1), "1 s ago"),
            (seconds(90), "in 90 s"),
            (minutes(5), "in 5 min"),
            (hours(-23), "23 h ago"),
            (hours(72), "in 3 days"),
        ];
        for (ms, said) in cases {
            assert_eq!(relative(now.plus_ms(ms), now), said);
        }
        assert!(relative(Time(i64::MIN), Time(i64::MAX)).ends_with("ago"));
    }
}
