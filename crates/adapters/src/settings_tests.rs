//! Tests of the settings.

use effect::{hours, minutes};

use super::*;

const SETTLE: [(&str, &str); 11] = [
    ("TABLE_NAME", "payments"),
    ("DEAD_LETTER_URL", "http://queue/dead.fifo"),
    ("STACK", "ikkai"),
    ("STRIPE_SECRET_ID", "ikkai/stripe"),
    ("STRIPE_BASE_URL", "https://api.stripe.com/"),
    ("PROVIDER_TIMEOUT_MS", "20000"),
    ("WRITE_MARGIN_MS", "3000"),
    ("RESEND_SCHEDULE_S", "60,300,1800,7200"),
    ("LONGEST_EXECUTION_S", "600"),
    ("SEARCH_LAG_S", "3600"),
    ("FUNCTION_TIMEOUT_S", "60"),
];

fn settle_with(name: &str, value: &str) -> Result<SettleSettings, SettingsError> {
    SettleSettings::read(&Environment::from(
        SETTLE.map(|pair| if pair.0 == name { (pair.0, value) } else { pair }),
    ))
}

fn rejected(name: &str, value: &str) -> String {
    let error = settle_with(name, value).unwrap_err().to_string();
    assert!(error.contains(name), "the error names the variable: {error}");
    error
}

#[test]
fn the_numbers_of_the_aws_stage_are_the_production_rules() {
    let settings = settle_with("", "").unwrap();
    assert_eq!(settings.converge.rules, Rules::production());
    assert_eq!(settings.converge.stack, "ikkai");
    assert_eq!(settings.converge.limits, Limits { provider_timeout_ms: 20_000, write_margin_ms: 3_000 });
    assert_eq!(settings.provider_timeout, Duration::from_secs(20));
    assert_eq!(settings.stripe_base_url, "https://api.stripe.com");
}

#[test]
fn the_schedule_is_a_list_of_seconds() {
    let schedule = settle_with("RESEND_SCHEDULE_S", "1, 60,7200").unwrap().converge.rules.schedule_ms;
    assert_eq!(schedule, [seconds(1), minutes(1), hours(2)]);
    for wrong in ["60,", "60;300", "0", "-1", "1.5", ",", "9999999999999999999"] {
        rejected("RESEND_SCHEDULE_S", wrong);
    }
}

#[test]
fn every_variable_must_be_set_and_the_error_names_it() {
    for (name, _) in SETTLE {
        assert_eq!(settle_with(name, "").unwrap_err(), SettingsError::Missing(name));
    }
    assert_eq!(
        PublishSettings::read(&Environment::default()).unwrap_err().to_string(),
        "the environment variable BUS_NAME is not set"
    );
    assert_eq!(
        EnqueueSettings::read(&Environment::default()).unwrap_err(),
        SettingsError::Missing("QUEUE_URL")
    );
}

#[test]
fn timeouts_beyond_what_the_key_window_was_proved_for_are_refused() {
    rejected("PROVIDER_TIMEOUT_MS", "80001");
    rejected("PROVIDER_TIMEOUT_MS", "0");
    rejected("FUNCTION_TIMEOUT_S", "901");
    assert!(settle_with("FUNCTION_TIMEOUT_S", "900").is_ok());
}

#[test]
fn a_function_too_short_for_one_request_and_its_write_is_refused() {
    rejected("WRITE_MARGIN_MS", "40000");
    let error = settle_with("FUNCTION_TIMEOUT_S", "20").unwrap_err().to_string();
    assert!(error.contains("FUNCTION_TIMEOUT_S"), "{error}");
}

#[test]
fn a_base_url_is_a_scheme_and_a_host() {
    assert_eq!(
        settle_with("STRIPE_BASE_URL", "http://127.0.0.1:12111").unwrap().stripe_base_url,
        "http://127.0.0.1:12111"
    );
    for wrong in ["api.stripe.com", "ftp://x", "https://", "https://x/v1", "https://user@x"] {
        rejected("STRIPE_BASE_URL", wrong);
    }
}

#[test]
fn an_error_never_repeats_a_value() {
    assert!(!rejected("STRIPE_BASE_URL", "sk_live_pasted_here").contains("sk_live"));
}

#[test]
fn the_sweep_reads_its_lease_and_its_wakes() {
    let pairs = [
        ("TABLE_NAME", "payments"),
        ("QUEUE_URL", "http://queue/payments.fifo"),
        ("STACK", "ikkai"),
        ("SWEEP_LEASE_S", "900"),
        ("SWEEP_WAKES", "300"),
    ];
    let settings = SweepSettings::read(&Environment::from(pairs)).unwrap();
    assert_eq!((settings.lease_ms, settings.wakes), (minutes(15), 300));
}

#[test]
fn intake_reads_the_same_rules_as_settle() {
    let pairs = [
        ("TABLE_NAME", "payments"),
        ("QUEUE_URL", "http://queue/payments.fifo"),
        ("RESEND_SCHEDULE_S", "1,2"),
        ("LONGEST_EXECUTION_S", "15"),
        ("SEARCH_LAG_S", "5"),
    ];
    let rules = IntakeSettings::read(&Environment::from(pairs)).unwrap().rules;
    assert_eq!(rules.schedule_ms, [1_000, 2_000]);
    assert_eq!((rules.longest_execution_ms, rules.search_lag_ms), (15_000, 5_000));
    let missing = IntakeSettings::read(&Environment::from([("TABLE_NAME", "payments")])).unwrap_err();
    assert_eq!(missing, SettingsError::Missing("QUEUE_URL"));
}
