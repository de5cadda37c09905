//! What is refused, with a reason that says what to do and never repeats the input.

use payment::{Command, PaymentId};
use serde_json::{Value, json};

use crate::{CHARGE, COMMAND, ORDER_CONFIRMED, message_of, refusal_of};

const CARD: &str = "4242424242424242";

fn sample() -> Value {
    serde_json::from_str(ORDER_CONFIRMED).unwrap()
}

#[tokio::test]
async fn another_detail_type_is_refused() {
    for kind in [json!("OrderPlaced"), json!("orderconfirmed"), json!(null), json!(5), json!([])] {
        let mut event = sample();
        event["detail-type"] = kind;
        assert!(refusal_of(&event.to_string()).await.contains("detail-type"));
    }
}

#[tokio::test]
async fn an_event_without_a_detail_is_refused() {
    for detail in [json!(null), json!("text"), json!([]), json!(5)] {
        let mut event = sample();
        event["detail"] = detail;
        assert!(refusal_of(&event.to_string()).await.contains("detail"));
    }
    let mut event = sample();
    event.as_object_mut().unwrap().remove("detail");
    assert!(refusal_of(&event.to_string()).await.contains("detail"));
}

#[tokio::test]
async fn a_missing_or_null_field_of_the_order_is_named() {
    for field in ["tenant", "order", "amount", "currency", "customer", "payment_method"] {
        let mut event = sample();
        event["detail"][field] = Value::Null;
        assert!(refusal_of(&event.to_string()).await.contains(field), "{field}");
        event["detail"].as_object_mut().unwrap().remove(field);
        assert!(refusal_of(&event.to_string()).await.contains(field), "{field}");
    }
}

#[tokio::test]
async fn amounts_that_are_no_whole_number_of_minor_units_are_refused() {
    for amount in
        ["19.99", "500.0", "5e2", "\"500\"", "0", "-1", "1000000000000", "18446744073709551617", "true"]
    {
        let mut event = sample();
        event["detail"]["amount"] = json!(1);
        let text = event.to_string().replace("\"amount\":1", &format!("\"amount\":{amount}"));
        assert!(text.contains(&format!("\"amount\":{amount}")), "or this test shows nothing");
        refusal_of(&text).await;
        let bare: Value = serde_json::from_str(CHARGE).unwrap();
        let bare = bare
            .to_string()
            .replace(&format!("\"amount\":{}", bare["amount"]), &format!("\"amount\":{amount}"));
        refusal_of(&bare).await;
    }
}

#[tokio::test]
async fn a_field_given_twice_is_refused_wherever_it_stands() {
    let twice = |text: &str, field: &str| {
        let text = serde_json::from_str::<Value>(text).unwrap().to_string();
        let twin = format!("\"{field}\":1,\"{field}\":");
        let twice = text.replacen(&format!("\"{field}\":"), &twin, 1);
        assert_ne!(text, twice, "or this test shows nothing");
        twice
    };
    for field in ["amount", "order", "detail", "detail-type", "id"] {
        refusal_of(&twice(ORDER_CONFIRMED, field)).await;
    }
    for field in ["amount", "order", "tenant"] {
        assert!(refusal_of(&twice(COMMAND, field)).await.contains("twice"));
        assert!(refusal_of(&twice(CHARGE, field)).await.contains("twice"));
    }
}

#[tokio::test]
async fn a_card_number_in_any_field_is_refused_and_never_echoed() {
    let holding = [
        ("tenant", CARD.to_owned()),
        ("order", CARD.to_owned()),
        ("order", "4242-4242-4242-4242".to_owned()),
        ("ref", CARD.to_owned()),
        ("amount", CARD.to_owned()),
        ("currency", CARD.to_owned()),
        ("customer", CARD.to_owned()),
        ("customer", format!("cus_{CARD}")),
        ("payment_method", CARD.to_owned()),
        ("payment_method", format!("card_{CARD}")),
    ];
    for (field, value) in holding {
        let mut event = sample();
        event["detail"][field] = json!(value);
        let reason = refusal_of(&event.to_string()).await;
        assert!(!reason.contains("4242"), "{field}: {reason}");
    }
    let mut command: Value = serde_json::from_str(COMMAND).unwrap();
    command[CARD] = json!(1);
    let reason = refusal_of(&command.to_string()).await;
    assert!(!reason.contains("4242"), "{reason}");
}

#[tokio::test]
async fn a_card_number_where_the_cause_stands_is_left_out_and_goes_no_further() {
    for field in ["causation_id", "traceparent"] {
        let mut command: Value = serde_json::from_str(COMMAND).unwrap();
        command[field] = json!(CARD);
        let message = message_of(&command.to_string()).await;
        assert!(!message.body.contains("4242"), "{field}: {}", message.body);
    }
}

#[tokio::test]
async fn wakes_and_facts_are_refused_because_they_come_from_elsewhere() {
    let payment_id = PaymentId::of(&"shop".parse().unwrap(), &"o-1".parse().unwrap());
    let wake = Command::Wake { payment_id: payment_id.clone(), due_at: effect::Time(1_900_000_000_000) };
    assert!(refusal_of(&wake.to_body()).await.contains("sweep"));
    let fact = effect::Fact { id: "pi_1".to_owned(), outcome: Some(effect::Outcome::Succeeded) };
    let operation = payment::OperationKey::charge("1".parse().unwrap());
    let fact =
        Command::Fact(payment::Reported { payment_id, operation, fact, source_id: "evt_1".to_owned() });
    assert!(refusal_of(&fact.to_body()).await.contains("verified source"));
}

#[tokio::test]
async fn an_unknown_field_of_a_command_is_named() {
    for sample in [COMMAND, CHARGE] {
        let mut command: Value = serde_json::from_str(sample).unwrap();
        command["amuont"] = json!(5);
        assert!(refusal_of(&command.to_string()).await.contains("amuont"));
    }
}

#[tokio::test]
async fn another_schema_or_no_schema_beside_a_type_is_refused() {
    let mut command: Value = serde_json::from_str(COMMAND).unwrap();
    command["schema"] = json!("ikkai.command/2");
    assert!(refusal_of(&command.to_string()).await.contains("schema"));
    command.as_object_mut().unwrap().remove("schema");
    assert!(refusal_of(&command.to_string()).await.contains("schema"));
}

// Field case H3.
#[tokio::test]
async fn what_is_no_event_at_all_is_refused_and_nothing_panics() {
    for text in ["null", "[]", "{}", "5", "\"{}\"", "true", "[{}]", "{\"detail\":{}}", "{\"schema\":null}"] {
        refusal_of(text).await;
    }
    let long = format!("{{\"schema\":\"ikkai.command/1\",\"x\":\"{}\"}}", "y".repeat(20_000));
    assert!(refusal_of(&long).await.contains("bytes"));
}
