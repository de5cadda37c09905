//! Metrics: CloudWatch's embedded metric format, one line on standard output, in the namespace `Ikkai`.

use effect::Time;
use payment::ports::Clock;
use serde_json::json;

use crate::SystemClock;

/// Reports counts under one deployment's name.
#[derive(Debug, Clone)]
pub struct Metrics {
    stack: String,
}

impl Metrics {
    /// Reports for `stack`.
    #[must_use]
    pub fn of(stack: &str) -> Self {
        Self { stack: stack.to_owned() }
    }

    /// Reports a count.
    pub fn count(&self, name: &str, value: u64) {
        println!("{}", line(&self.stack, name, value, SystemClock.now()));
    }
}

fn line(stack: &str, name: &str, value: u64, now: Time) -> String {
    json!({
        "_aws": {
            "Timestamp": now.0,
            "CloudWatchMetrics": [{
                "Namespace": "Ikkai",
                "Dimensions": [["Stack"]],
                "Metrics": [{ "Name": name, "Unit": "Count" }],
            }],
        },
        "Stack": stack,
        name: value,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_one_line_in_the_embedded_metric_format() {
        let line = line("ikkai", "DueBacklog", 7, Time(1_000));
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["DueBacklog"], 7);
        assert_eq!(read["Stack"], "ikkai");
        assert_eq!(read["_aws"]["Timestamp"], 1_000);
        assert_eq!(read["_aws"]["CloudWatchMetrics"][0]["Metrics"][0]["Name"], "DueBacklog");
        assert!(!line.contains('\n'));
    }
}
