//! Tests of what each reply to a transaction allows to conclude, over a scripted server, and of the key's item.

use payment::{OperationKey, Record, ports::KEY_LIFE_S};

use super::{super::wire_tests::*, *};
use crate::test_http::{Reply, Scripted};

const NOW: Time = Time(1_790_000_000_500);

fn key(body: &str) -> KeyRecord {
    let record = record(1, None);
    KeyRecord {
        id: KeyId::of(&record.payment.tenant, "POST", "/v1/payments", "k-1"),
        fingerprint: "f".repeat(64),
        payment_id: record.id,
        operation: OperationKey::charge("1".parse().unwrap()),
        body: body.to_owned(),
        expires_at: NOW.epoch_seconds() + KEY_LIFE_S,
    }
}

/// A transaction canceled for these reasons: a code and an item, by position.
fn canceled(reasons: [(&str, Option<&Item>); 2]) -> Reply {
    let reasons = reasons.map(|(code, item)| {
        let item = item.map_or_else(String::new, |item| format!(r#", "Item": {}"#, json(item)));
        format!(r#"{{"Code": "{code}", "Message": "secret"{item}}}"#)
    });
    let body = format!(
        r#"{{"__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "Message": "secret", "CancellationReasons": [{}]}}"#,
        reasons.join(",")
    );
    Reply::With(400, body)
}

/// The item of these tests' records as the wire has it; they hold only texts, numbers and an empty map.
#[expect(clippy::wildcard_enum_match_arm, reason = "the enum belongs to the SDK and grows")]
fn json(item: &Item) -> String {
    let value = |value: &AttributeValue| match value {
        AttributeValue::S(text) => serde_json::json!({ "S": text }),
        AttributeValue::N(number) => serde_json::json!({ "N": number }),
        AttributeValue::M(_) => serde_json::json!({ "M": {} }),
        other => panic!("{other:?}"),
    };
    let fields: serde_json::Map<String, serde_json::Value> =
        item.iter().map(|(name, held)| (name.clone(), value(held))).collect();
    serde_json::Value::Object(fields).to_string()
}

/// Accepts once against a script; returns what was concluded, and the requests it took.
async fn accept(script: Vec<Reply>) -> (Result<(), AcceptError>, Vec<String>) {
    let server = Scripted::start(script).await;
    let (expected, next) = (record(1, None), record(2, None));
    let change = Change { expected: Some(&expected), next: &next };
    let accepted = ledger(&server).accept(Some(change), &key("{}"), NOW).await;
    (accepted, server.asked())
}

#[tokio::test]
async fn an_acceptance_is_one_transaction_of_two_conditional_puts() {
    let (accepted, asked) = accept(vec![done()]).await;
    assert_eq!((accepted, asked.len()), (Ok(()), 1));
    assert!(asked[0].contains("DynamoDB_20120810.TransactWriteItems"), "{}", asked[0]);
    let body: serde_json::Value = serde_json::from_str(asked[0].split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let [key_put, payment_put] = body["TransactItems"].as_array().unwrap().as_slice() else {
        panic!("{body}")
    };
    assert_eq!(key_put["Put"]["ConditionExpression"], "attribute_not_exists(pk) OR expires_at <= :now");
    assert_eq!(key_put["Put"]["ExpressionAttributeValues"][":now"]["N"], NOW.epoch_seconds().to_string());
    assert_eq!(key_put["Put"]["Item"]["expires_at"]["N"], (NOW.epoch_seconds() + KEY_LIFE_S).to_string());
    assert_eq!(payment_put["Put"]["ConditionExpression"], "#version = :version");
    assert!(payment_put["Put"]["Item"]["expires_at"].is_null(), "a payment never expires");
    for put in [key_put, payment_put] {
        assert_eq!(put["Put"]["ReturnValuesOnConditionCheckFailure"], "ALL_OLD");
    }
    assert!((1..=36).contains(&body["ClientRequestToken"].as_str().unwrap().len()));
}

#[tokio::test]
async fn a_lost_reply_is_repeated_under_the_same_token_and_bytes() {
    let (accepted, asked) = accept(vec![Reply::Nothing, broken(), done()]).await;
    assert_eq!((accepted, asked.len()), (Ok(()), 3));
    let bodies: Vec<&str> = asked.iter().map(|request| request.split("\r\n\r\n").nth(1).unwrap()).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    let (accepted, asked) = accept(vec![Reply::Nothing]).await;
    assert_eq!((accepted, asked.len()), (Err(AcceptError::Unknown("the connection failed")), 3));
}

#[tokio::test]
async fn a_taken_key_comes_back_with_what_it_stands_for_whatever_else_failed() {
    let (taken, payment) = (to_key_item(&key("first")).unwrap(), to_item(&record(7, None)).unwrap());
    for other in [("None", None), ("ConditionalCheckFailed", Some(&payment)), ("TransactionConflict", None)] {
        let (accepted, asked) =
            accept(vec![canceled([("ConditionalCheckFailed", Some(&taken)), other])]).await;
        assert_eq!((accepted, asked.len()), (Err(AcceptError::KeyTaken(Box::new(key("first")))), 1));
    }
}

#[tokio::test]
async fn a_changed_payment_comes_back_as_it_stands() {
    let current = record(7, Some(9));
    let item = to_item(&current).unwrap();
    let (accepted, _) =
        accept(vec![canceled([("None", None), ("ConditionalCheckFailed", Some(&item))])]).await;
    assert_eq!(accepted, Err(AcceptError::Changed(Some(Box::new(current)))));
    let (accepted, _) = accept(vec![canceled([("None", None), ("ConditionalCheckFailed", None)])]).await;
    assert_eq!(accepted, Err(AcceptError::Changed(None)));
}

#[tokio::test]
async fn a_racing_transaction_is_waited_out_in_place_and_certainly_wrote_nothing() {
    let conflict = || canceled([("None", None), ("TransactionConflict", None)]);
    let (accepted, asked) = accept(vec![conflict(), error("TransactionInProgressException"), done()]).await;
    assert_eq!((accepted, asked.len()), (Ok(()), 3));
    let (accepted, asked) = accept(vec![conflict()]).await;
    assert_eq!((accepted, asked.len()), (Err(AcceptError::Contended), 5));
    let (accepted, _) = accept(vec![Reply::Nothing, conflict()]).await;
    assert!(matches!(accepted, Err(AcceptError::Unknown(_))), "one before it may have been the write");
}

#[tokio::test]
async fn a_busy_table_is_tried_again_and_a_refusal_is_not() {
    let throttled = canceled([("ThrottlingError", None), ("None", None)]);
    for reply in [throttled, busy()] {
        let (accepted, asked) = accept(vec![reply]).await;
        assert_eq!((accepted, asked.len()), (Err(AcceptError::NotDone("the table is busy")), 3));
    }
    for code in ["AccessDeniedException", "ValidationException", "IdempotentParameterMismatchException"] {
        let (accepted, asked) = accept(vec![error(code)]).await;
        let Err(AcceptError::NotDone(why)) = accepted else { panic!("{code}: {accepted:?}") };
        assert!(asked.len() == 1 && !why.contains("secret"), "{code}: {why}");
    }
}

#[tokio::test]
async fn a_key_alone_is_one_conditional_put() {
    let server = Scripted::start(vec![done()]).await;
    ledger(&server).accept(None, &key("{}"), NOW).await.unwrap();
    let [asked] = server.asked().try_into().unwrap();
    assert!(asked.contains("DynamoDB_20120810.PutItem"), "{asked}");
    assert!(
        asked.contains(r#""ConditionExpression":"attribute_not_exists(pk) OR expires_at <= :now""#),
        "{asked}"
    );
    let item = json(&to_key_item(&key("first")).unwrap());
    let taken = format!(r#"{{"__type": "ConditionalCheckFailedException", "Item": {item}}}"#);
    let server = Scripted::start(vec![Reply::With(400, taken)]).await;
    let accepted = ledger(&server).accept(None, &key("{}"), NOW).await;
    assert_eq!(accepted, Err(AcceptError::KeyTaken(Box::new(key("first")))));
}

#[tokio::test]
async fn a_key_comes_out_as_it_went_in_and_nothing_else_does() {
    let item = to_key_item(&key("{}")).unwrap();
    assert_eq!(from_key_item(item.clone()), Ok(key("{}")));
    assert!(!item.contains_key("announce"), "the stream's filter ignores it");
    let found = Reply::With(200, format!(r#"{{"Item": {}}}"#, json(&item)));
    let server = Scripted::start(vec![found]).await;
    assert_eq!(ledger(&server).load_key(&key("").id).await, Ok(Some(key("{}"))));
    assert!(server.asked()[0].contains(r#""ConsistentRead":true"#));
    let mut other = item.clone();
    other.insert("schema".to_owned(), AttributeValue::N("2".to_owned()));
    assert!(from_key_item(other).is_err());
    let payment = to_item(&record(1, None)).unwrap();
    assert_eq!(from_key_item(payment), Err("its attributes are not those of a key"));
    let record: Result<Record, _> = from_item(item);
    assert!(record.is_err(), "a key is no payment");
}
