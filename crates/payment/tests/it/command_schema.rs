//! The published schema of commands and `Command::parse` say the same.

use effect::Time;
use payment::{Charge, Command, MAX_AMOUNT_MINOR, PaymentId};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::schema::Schema;

const CHARGE: &str = r#"{"schema":"ikkai.command/1","type":"charge","tenant":"shop","order":"o-1","ref":"1","amount":500,"currency":"jpy","customer":"cus_1","payment_method":"pm_card_visa","causation_id":"evt-1","traceparent":"00-0-0-01"}"#;
const WAKE: &str = r#"{"schema":"ikkai.command/1","type":"wake","payment_id":"pay_0123456789abcdef0123456789abcdef","due_at":1900000000000}"#;

fn schema() -> Schema {
    Schema::read(include_str!("../../../../events/schemas/command-1.schema.json"))
}

/// A sample with one field replaced by raw JSON text.
fn with(sample: &str, field: &str, raw: &str) -> String {
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

fn agree(body: &str) -> bool {
    let taken = schema().takes_text(body);
    assert_eq!(Command::parse(body).is_ok(), taken, "the schema says {taken}: {body}");
    taken
}

fn quoted(text: &str) -> String {
    json!(text).to_string()
}

#[test]
fn the_samples_are_commands_by_both() {
    for sample in [CHARGE, WAKE] {
        assert!(agree(sample), "{sample}");
    }
    for optional in ["ref", "causation_id", "traceparent"] {
        assert!(agree(&without(CHARGE, optional)), "{optional}");
    }
    assert!(agree(include_str!("../../../../events/enqueue-command.json")));
}

#[test]
fn the_sample_messages_are_what_their_commands_send() {
    for batch in [
        include_str!("../../../../events/settle-charge.json"),
        include_str!("../../../../events/settle-wake.json"),
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
    for good in ["1", "2", "999999999999"] {
        assert!(agree(&with(CHARGE, "amount", good)), "{good}");
    }
    let bad =
        ["0", "-1", "1000000000000", "18446744073709551615", "18446744073709551616", "9007199254740993"];
    for bad in bad.iter().chain(&["19.99", "1e12", "0.5", "\"500\"", "true", "null", "[500]", "{}"]) {
        assert!(!agree(&with(CHARGE, "amount", bad)), "{bad}");
    }
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
fn missing_and_unknown_fields_are_judged_alike() {
    for field in ["schema", "type", "tenant", "order", "amount", "currency", "customer", "payment_method"] {
        assert!(!agree(&without(CHARGE, field)), "{field}");
    }
    for field in ["schema", "type", "payment_id", "due_at"] {
        assert!(!agree(&without(WAKE, field)), "{field}");
    }
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

prop_compose! {
    fn charges()(
        tenant in "[A-Za-z0-9_.-]{1,64}",
        order in "[A-Za-z0-9_.:-]{1,128}",
        reference in "[A-Za-z0-9_-]{1,64}",
        amount in prop_oneof![1..=MAX_AMOUNT_MINOR, Just(1), Just(MAX_AMOUNT_MINOR)],
        currency in "[A-Za-z]{3}",
        customer in "cus_[A-Za-z0-9_]{1,60}",
        payment_method in "(pm_[A-Za-z0-9_]{3,61}|card_[A-Za-z0-9_]{1,59})",
        causation_id in proptest::option::of("[a-z][!-~&&[^0-9]]{0,40}"),
        traceparent in proptest::option::of("00-[0-9a-f]{32}-[0-9a-f]{16}-01"),
    ) -> Option<Charge> {
        Some(Charge {
            tenant: tenant.parse().ok()?,
            // A name that happens to look like a card number is none.
            order: order.parse().ok()?,
            reference: reference.parse().ok()?,
            amount: amount.try_into().ok()?,
            currency: currency.parse().ok()?,
            customer: customer.parse().ok()?,
            payment_method: payment_method.parse().ok()?,
            capture: payment::CaptureMethod::Automatic,
            causation_id,
            traceparent,
        })
    }
}

proptest! {
    #[test]
    fn every_charge_written_is_one_by_the_schema_and_reads_back(charge in charges()) {
        let command = Command::Charge(charge.unwrap());
        let body = command.to_body();
        prop_assert!(agree(&body), "{}", body);
        prop_assert_eq!(Command::parse(&body).unwrap(), command);
    }

    #[test]
    fn every_wake_written_is_one_by_the_schema_and_reads_back(order in "[a-z]{1,9}", due_at in any::<i64>()) {
        let payment_id = PaymentId::of(&"shop".parse().unwrap(), &order.parse().unwrap());
        let command = Command::Wake { payment_id, due_at: Time(due_at) };
        let body = command.to_body();
        prop_assert!(agree(&body), "{}", body);
        prop_assert_eq!(Command::parse(&body).unwrap(), command);
    }

    #[test]
    fn a_command_with_any_one_field_spoiled_is_judged_alike(
        is_wake in any::<bool>(),
        field in prop_oneof![
            Just("tenant"), Just("order"), Just("ref"), Just("amount"), Just("currency"), Just("customer"),
            Just("payment_method"), Just("payment_id"), Just("due_at"), Just("type"), Just("schema"),
        ],
        // No digits: a name of digits may look like a card number, and a float like a whole number.
        text in "[ -/:-~é]{0,70}",
    ) {
        agree(&with(if is_wake { WAKE } else { CHARGE }, field, &quoted(&text)));
    }
}
