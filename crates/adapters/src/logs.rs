//! Logs: one JSON object a line on standard output, filtered by `RUST_LOG`.

use tracing_subscriber::EnvFilter;

/// Crates that log payloads, headers or items at their lower levels: kept at the level named, whatever `RUST_LOG` says.
const CAPPED: [&str; 12] = [
    "aws_runtime=warn",
    "aws_sdk_dynamodb=warn",
    "aws_sdk_eventbridge=warn",
    "aws_sdk_secretsmanager=warn",
    "aws_sdk_sqs=warn",
    "aws_sigv4=warn",
    "aws_smithy_http_client=warn",
    "aws_smithy_runtime=warn",
    "aws_smithy_runtime_api=warn",
    "hyper_util=warn",
    "lambda_runtime=info",
    "reqwest=warn",
];

/// Starts logging; called once, first in `main`. A second call changes nothing.
pub fn start() {
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_ansi(false)
        .with_span_list(false)
        .with_target(false)
        .with_env_filter(filter(&std::env::var("RUST_LOG").unwrap_or_default()))
        .finish();
    let _ = tracing::subscriber::set_global_default(subscriber);
}

fn filter(wanted: &str) -> EnvFilter {
    let wanted = if wanted.trim().is_empty() { "info" } else { wanted };
    // An unreadable directive is ignored: a typing error must not stop payments.
    let capped = CAPPED.iter().filter_map(|directive| directive.parse().ok());
    capped.fold(EnvFilter::builder().parse_lossy(wanted), EnvFilter::add_directive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sdk_stays_quiet_whatever_is_asked_for() {
        let text = filter("trace").to_string();
        for directive in CAPPED {
            assert!(text.contains(directive), "{directive} is missing in {text}");
        }
        assert!(text.contains("trace"));
    }

    #[test]
    fn nothing_asked_for_or_nonsense_leaves_a_working_filter() {
        assert!(filter("").to_string().contains("info"));
        assert!(filter("=,=,,%").to_string().contains("hyper_util=warn"));
    }
}
