//! What is sent: one message an event, the same for the same event, another for another operation.

use enqueue::EnqueueError;
use payment::{Charge, Command};
use serde_json::{Value, json};

use crate::{
    CHARGE, COMMAND, ORDER_CONFIRMED, Sent, deliver_to, failure_of_a_queue_that_is_down, message_of,
};

fn charge_of(body: &str) -> Charge {
    let Command::Charge(charge) = Command::parse(body).unwrap() else { panic!("a charge") };
    charge
}

/// The sample event with some fields of its detail replaced.
fn event_with(fields: &Value) -> String {
    let mut event: Value = serde_json::from_str(ORDER_CONFIRMED).unwrap();
    for (name, value) in fields.as_object().unwrap() {
        event["detail"][name] = value.clone();
    }
    event.to_string()
}

#[tokio::test]
async fn the_same_event_delivered_three_times_sends_three_identical_messages() {
    let event = ORDER_CONFIRMED.to_owned();
    let (results, messages) = deliver_to(Sent::default(), &[event.clone(), event.clone(), event]).await;
    assert_eq!(results, [Ok(()), Ok(()), Ok(())]);
    assert_eq!(messages.len(), 3);
    assert!(messages.iter().all(|message| *message == messages[0]), "one deduplication id and one body");
}

#[tokio::test]
async fn the_command_holds_the_detail_alone_and_the_events_id_as_its_cause() {
    let message = message_of(ORDER_CONFIRMED).await;
    let charge = charge_of(&message.body);
    let event: Value = serde_json::from_str(ORDER_CONFIRMED).unwrap();
    assert_eq!(charge.causation_id.as_deref(), event["id"].as_str());
    assert_eq!(charge.order.as_str(), event["detail"]["order"].as_str().unwrap());
    assert_eq!(charge.amount.minor(), event["detail"]["amount"].as_u64().unwrap());
    assert_eq!(message.group, charge.payment_id());

    let mut other = event.clone();
    other["id"] = json!("0a1b2c3d-0000-4000-8000-00000000ffff");
    other["time"] = json!("2031-01-01T00:00:00Z");
    other["account"] = json!("999999999999");
    let again = message_of(&other.to_string()).await;
    assert_eq!(again.deduplication_id, message.deduplication_id, "only the detail is the effect");
}

#[tokio::test]
async fn the_sample_event_becomes_the_sample_message_of_settle() {
    let message = message_of(ORDER_CONFIRMED).await;
    let batch: Value = serde_json::from_str(include_str!("../../../../events/settle-charge.json")).unwrap();
    let sample = &batch["Records"][0];
    assert_eq!(sample["body"], message.body);
    assert_eq!(sample["attributes"]["MessageGroupId"], message.group.as_str());
    assert_eq!(sample["attributes"]["MessageDeduplicationId"], message.deduplication_id);
}

// Field case A6 (i).
#[tokio::test]
async fn two_operations_with_the_same_customer_and_amount_are_two_messages() {
    let orders = ["o-1001", "o-1002"].map(|order| event_with(&json!({ "order": order })));
    let (_, messages) = deliver_to(Sent::default(), &orders).await;
    assert_ne!(messages[0].deduplication_id, messages[1].deduplication_id);
    assert_ne!(messages[0].group, messages[1].group, "each payment is its own group");

    let attempts = ["1", "2"].map(|attempt| event_with(&json!({ "ref": attempt })));
    let (_, messages) = deliver_to(Sent::default(), &attempts).await;
    assert_ne!(messages[0].deduplication_id, messages[1].deduplication_id);
    assert_eq!(messages[0].group, messages[1].group, "attempts of one payment keep their order");
}

// Field case A6 (ii).
#[tokio::test]
async fn one_operation_asked_for_twice_is_one_deduplication_id_whatever_the_way_it_came() {
    let detail: Value = serde_json::from_str::<Value>(ORDER_CONFIRMED).unwrap()["detail"].clone();
    let charge: Value = ["tenant", "order", "amount", "currency", "customer", "payment_method"]
        .iter()
        .map(|name| ((*name).to_owned(), detail[*name].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let (_, messages) = deliver_to(Sent::default(), &[ORDER_CONFIRMED.to_owned(), charge.to_string()]).await;
    assert_eq!(messages[0].deduplication_id, messages[1].deduplication_id);
    assert_eq!(messages[0].group, messages[1].group);
}

#[tokio::test]
async fn a_corrected_amount_is_another_message() {
    let first = message_of(&event_with(&json!({ "amount": 500 }))).await;
    let corrected = message_of(&event_with(&json!({ "amount": 501 }))).await;
    assert_ne!(first.deduplication_id, corrected.deduplication_id);
    assert_eq!(first.group, corrected.group);
}

#[tokio::test]
async fn an_order_without_a_ref_is_the_first_attempt_and_its_further_fields_are_its_own() {
    for reference in [json!({ "ref": null }), json!({}), json!({ "items": [1.5], "note": null })] {
        let message = message_of(&event_with(&reference)).await;
        assert_eq!(charge_of(&message.body).reference.as_str(), "1");
    }
    let message = message_of(&event_with(&json!({ "ref": "second" }))).await;
    assert_eq!(charge_of(&message.body).reference.as_str(), "second");
}

#[tokio::test]
async fn a_command_and_a_bare_charge_are_taken_directly() {
    let command = message_of(COMMAND).await;
    assert_eq!(Command::parse(&command.body), Command::parse(COMMAND));
    let bare = message_of(CHARGE).await;
    assert_eq!(charge_of(&bare.body), serde_json::from_str::<Charge>(CHARGE).unwrap());
}

#[tokio::test]
async fn a_queue_that_does_not_answer_is_reported_so_that_lambda_retries() {
    let error = failure_of_a_queue_that_is_down(ORDER_CONFIRMED).await;
    assert!(matches!(error, EnqueueError::NotSent(_)), "{error}");
}

// Field case H3.
#[tokio::test]
async fn an_envelope_with_absent_null_or_unknown_fields_is_taken() {
    let mut event: Value = serde_json::from_str(ORDER_CONFIRMED).unwrap();
    let envelope = event.as_object_mut().unwrap();
    envelope.remove("resources");
    envelope.remove("version");
    envelope.insert("replay-name".to_owned(), json!("arn:replay"));
    envelope.insert("account".to_owned(), Value::Null);
    for id in [Value::Null, json!(7), json!(""), json!("4242424242424242"), json!("a b")] {
        event["id"] = id;
        let charge = charge_of(&message_of(&event.to_string()).await.body);
        assert_eq!(charge.causation_id, None, "a cause that cannot be carried refuses no payment");
    }
    event.as_object_mut().unwrap().remove("id");
    assert_eq!(charge_of(&message_of(&event.to_string()).await.body).causation_id, None);
}
