//! The published schema of commands and `Command::parse` say the same.

use payment::Command;
use serde_json::{Value, json};

use crate::schema::Schema;

const CHARGE: &str = r#"{"schema":"ikkai.command/1","type":"charge","tenant":"shop","order":"o-1","ref":"1","amount":500,"currency":"jpy","customer":"cus_1","payment_method":"pm_card_visa","causation_id":"evt-1","traceparent":"00-0-0-01"}"#;
const CAPTURE: &str = r#"{"schema":"ikkai.command/1","type":"capture","tenant":"shop","order":"o-1","ref":"1","amount":500,"causation_id":"evt-1","traceparent":"00-0-0-01"}"#;
const CANCEL: &str = r#"{"schema":"ikkai.command/1","type":"cancel","tenant":"shop","order":"o-1","ref":"1","if_captured":"refund","causation_id":"evt-1","traceparent":"00-0-0-01"}"#;
const REFUND: &str = r#"{"schema":"ikkai.command/1","type":"refund","tenant":"shop","order":"o-1","ref":"1","amount":500,"causation_id":"evt-1","traceparent":"00-0-0-01"}"#;
const WAKE: &str = r#"{"schema":"ikkai.command/1","type":"wake","payment_id":"pay_0123456789abcdef0123456789abcdef","due_at":1900000000000}"#;
const FACT: &str = r#"{"schema":"ikkai.command/1","type":"fact","payment_id":"pay_0123456789abcdef0123456789abcdef","operation":"refund/1","fact":{"id":"re_1","outcome":"succeeded"},"source_id":"evt_1"}"#;
pub(crate) const SAMPLES: [&str; 6] = [CHARGE, CAPTURE, CANCEL, REFUND, WAKE, FACT];

fn schema() -> Schema {
    Schema::read(include_str!("../../../../events/schemas/command-1.schema.json"))
}

/// A sample with one field replaced by raw JSON text.
pub(crate) fn with(sample: &str, field: &str, raw: &str) -> String {
    let mut command: Value = serde_json::from_str(sample).unwrap();
    command[field] = json!("\u{1}");
    let text = command.to_string().replace("\"\\u0001\"", raw);
    assert!(text.contains(raw), "or the test shows nothing");
    text
}

fn without(sample: &str, field: &str) -> String {
    let mut command: Value = serde_json::from_str(sample).unwrap();
    command.as_object_mut().unwrap().remove(field).unwrap();
    command.to_string()
}

pub(crate) fn agree(body: &str) -> bool {
    let taken = schema().takes_text(body);
    assert_eq!(Command::parse(body).is_ok(), taken, "the schema says {taken}: {body}");
    taken
}

pub(crate) fn quoted(text: &str) -> String {
    json!(text).to_string()
}

#[test]
fn the_samples_are_commands_by_both() {
    for sample in SAMPLES {
        assert!(agree(sample), "{sample}");
    }
    let optional = [
        (CHARGE, "ref"),
        (CHARGE, "causation_id"),
        (CHARGE, "traceparent"),
        (CAPTURE, "amount"),
        (CAPTURE, "causation_id"),
        (CANCEL, "if_captured"),
        (CANCEL, "traceparent"),
        (REFUND, "amount"),
    ];
    for (sample, field) in optional {
        assert!(agree(&without(sample, field)), "{field} of {sample}");
    }
    assert!(agree(include_str!("../../../../events/enqueue-command.json")));
}

#[test]
fn the_sample_messages_are_what_their_commands_send() {
    for batch in [
        include_str!("../../../../events/settle-charge.json"),
        include_str!("../../../../events/settle-wake.json"),
        include_str!("../../../../events/settle-capture.json"),
        include_str!("../../../../events/settle-cancel.json"),
        include_str!("../../../../events/settle-refund.json"),
    ] {
        let batch: Value = serde_json::from_str(batch).unwrap();
        let message = &batch["Records"][0];
        let body = message["body"].as_str().unwrap();
        assert!(agree(body), "{body}");
        let command = Command::parse(body).unwrap();
        assert_eq!(body, command.to_body());
        assert_eq!(message["attributes"]["MessageGroupId"], command.payment_id().as_str());
        assert_eq!(message["attributes"]["MessageDeduplicationId"], command.deduplication_id());
    }
}

#[test]
fn numbers_at_and_beyond_their_limits_are_judged_alike() {
    for good in ["50", "500", "9999999999"] {
        assert!(agree(&with(CHARGE, "amount", good)), "{good}");
    }
    for good in ["1", "500", "999999999999", "null"] {
        assert!(agree(&with(CAPTURE, "amount", good)), "{good}");
        assert!(agree(&with(REFUND, "amount", good)), "{good}");
    }
    let bad =
        ["0", "-1", "1000000000000", "18446744073709551615", "18446744073709551616", "9007199254740993"];
    for bad in bad.iter().chain(&["19.99", "1e12", "0.5", "\"500\"", "true", "[500]", "{}"]) {
        for sample in [CHARGE, CAPTURE, REFUND] {
            assert!(!agree(&with(sample, "amount", bad)), "{bad} in {sample}");
        }
    }
    assert!(!agree(&with(CHARGE, "amount", "null")));
    for good in ["0", "-1", "1900000000000", "9223372036854775807", "-9223372036854775808"] {
        assert!(agree(&with(WAKE, "due_at", good)), "{good}");
    }
    for bad in ["9223372036854775808", "1.5", "\"1\"", "null"] {
        assert!(!agree(&with(WAKE, "due_at", bad)), "{bad}");
    }
}

#[test]
fn names_at_and_beyond_their_limits_are_judged_alike() {
    let long = |length: usize| "x".repeat(length);
    let good = [
        ("tenant", long(64)),
        ("tenant", "a.b-c_D9".to_owned()),
        ("order", long(128)),
        ("order", "a.b-c_D:9".to_owned()),
        ("ref", long(64)),
        ("currency", "USD".to_owned()),
        ("customer", format!("cus_{}", long(60))),
        ("payment_method", format!("pm_{}", long(61))),
        ("payment_method", format!("card_{}", long(59))),
        ("payment_method", "card_1".to_owned()),
        ("payment_method", "pm_123".to_owned()),
        ("causation_id", String::new()),
    ];
    for (field, text) in good {
        assert!(agree(&with(CHARGE, field, &quoted(&text))), "{field} {text}");
    }
    let bad = [
        ("tenant", long(65)),
        ("tenant", "a:b".to_owned()),
        ("order", long(129)),
        ("order", "a/b".to_owned()),
        ("ref", long(65)),
        ("ref", "a.b".to_owned()),
        ("ref", "1\n".to_owned()),
        ("currency", "us".to_owned()),
        ("currency", "usdx".to_owned()),
        ("currency", "us1".to_owned()),
        ("currency", "é1".to_owned()),
        ("customer", "cus_".to_owned()),
        ("customer", "c_1".to_owned()),
        ("customer", format!("cus_{}", long(61))),
        ("payment_method", "tok_visa".to_owned()),
        ("payment_method", "card_".to_owned()),
        ("payment_method", format!("pm_{}", long(62))),
        ("payment_method", format!("card_{}", long(60))),
        ("schema", "ikkai.command/2".to_owned()),
        ("capture", "later".to_owned()),
        ("type", "refund".to_owned()),
        ("type", "wake".to_owned()),
    ];
    for (field, text) in bad {
        assert!(!agree(&with(CHARGE, field, &quoted(&text))), "{field} {text}");
    }
    for field in ["schema", "type", "tenant", "order", "ref", "currency", "customer", "payment_method"] {
        for raw in ["\"\"", "null", "5", "[]", "{}"] {
            assert!(!agree(&with(CHARGE, field, raw)), "{field} {raw}");
        }
    }
    for id in ["pay_0123456789ABCDEF0123456789ABCDEF", "pay_0", "", "0123456789abcdef0123456789abcdef0123"] {
        assert!(!agree(&with(WAKE, "payment_id", &quoted(id))), "{id}");
    }
}

#[test]
fn names_that_ikkai_gives_are_no_callers() {
    for (sample, name) in [(CANCEL, "timeout-1"), (REFUND, "cancel-1"), (REFUND, "re_1")] {
        assert!(!agree(&with(sample, "ref", &quoted(name))), "{name}");
    }
    for (sample, name) in
        [(CANCEL, "cancel-1"), (REFUND, "timeout-1"), (CAPTURE, "re_1"), (CHARGE, "cancel-1")]
    {
        assert!(agree(&with(sample, "ref", &quoted(name))), "{name}");
    }
}

#[test]
fn the_words_of_each_kind_are_judged_alike() {
    for word in ["automatic", "manual"] {
        assert!(agree(&with(CHARGE, "capture", &quoted(word))), "{word}");
    }
    for word in ["refuse", "refund"] {
        assert!(agree(&with(CANCEL, "if_captured", &quoted(word))), "{word}");
    }
    for raw in ["\"void\"", "\"\"", "null", "5", "[]"] {
        assert!(!agree(&with(CANCEL, "if_captured", raw)), "{raw}");
        assert!(!agree(&with(CHARGE, "capture", raw)), "{raw}");
    }
    let outcomes =
        ["null", "\"authorized\"", "\"canceled\"", r#"{"partly":300}"#, r#"{"declined":"lost_card"}"#];
    for outcome in outcomes {
        assert!(agree(&with(FACT, "fact", &format!(r#"{{"id":"re_1","outcome":{outcome}}}"#))), "{outcome}");
    }
    let bad =
        ["\"paid\"", r#"{"partly":-1}"#, r#"{"partly":1000000000000}"#, r#"{"declined":"a b"}"#, "{}", "5"];
    for outcome in bad {
        assert!(!agree(&with(FACT, "fact", &format!(r#"{{"id":"re_1","outcome":{outcome}}}"#))), "{outcome}");
    }
    for operation in ["bribe/1", "refund/", "refund", ""] {
        assert!(!agree(&with(FACT, "operation", &quoted(operation))), "{operation}");
    }
}

#[test]
fn missing_and_unknown_fields_are_judged_alike() {
    for field in ["schema", "type", "tenant", "order", "amount", "currency", "customer", "payment_method"] {
        assert!(!agree(&without(CHARGE, field)), "{field}");
    }
    for field in ["schema", "type", "payment_id", "due_at"] {
        assert!(!agree(&without(WAKE, field)), "{field}");
    }
    for sample in [CAPTURE, CANCEL, REFUND] {
        for field in ["schema", "type", "tenant", "order", "ref"] {
            assert!(!agree(&without(sample, field)), "{field} of {sample}");
        }
        for foreign in ["currency", "customer", "capture", "charge"] {
            assert!(!agree(&with(sample, foreign, "\"usd\"")), "{foreign} in {sample}");
        }
    }
    assert!(!agree(&with(CAPTURE, "if_captured", "\"refund\"")));
    assert!(!agree(&with(CANCEL, "amount", "500")));
    assert!(!agree(&with(CHARGE, "amuont", "500")));
    assert!(!agree(&with(CHARGE, "due_at", "500")));
    assert!(!agree(&with(WAKE, "amount", "500")));
    for nothing in ["", "null", "[]", "{}", "5", "\"\"", "{", "not json"] {
        assert!(!agree(nothing), "{nothing}");
    }
}

#[test]
fn what_no_schema_can_see_is_refused_by_the_parser() {
    let long = format!("{CHARGE}{}", " ".repeat(20_000));
    let bodies = [
        CHARGE.replace("500", "500,\"amount\":9900"),
        CHARGE.replace("500", "500.0"),
        CHARGE.replace("500", "49"),
        CHARGE.replace("500", "10000000000"),
        CHARGE.replace("jpy", "xxx"),
        CHARGE.replace("jpy", "isk").replace("500", "550"),
        CHARGE.replace("500", "5e2"),
        CHARGE.replace("o-1", "4242424242424242"),
        with(CHARGE, "ref", "\"4242424242424242\""),
        long,
    ];
    for body in bodies {
        assert!(schema().takes_text(&body), "the schema has learned to see {body}: move it");
        assert!(Command::parse(&body).is_err(), "{body}");
    }
}
