//! Tests of what each of the table's replies allows to conclude, over a scripted server.

use payment::Payment;

use super::*;
use crate::{
    sdk,
    settings::Environment,
    test_http::{Reply, Scripted},
};

pub(super) fn record(version: u64, due_at: Option<i64>) -> Record {
    let payment = Payment::empty("shop".parse().unwrap(), "o-1".parse().unwrap());
    Record {
        id: payment.id(),
        version,
        updated_at: Time(1),
        payment,
        claim: None,
        due_at: due_at.map(Time),
        woken_for: None,
        review_at: None,
        announce: None,
    }
}

pub(super) fn error(code: &str) -> Reply {
    Reply::With(
        400,
        format!(r#"{{"__type": "com.amazonaws.dynamodb.v20120810#{code}", "message": "secret item"}}"#),
    )
}

fn condition_failed(record: &Record) -> Reply {
    let AttributeValue::S(id) = item::key(&record.id) else { panic!("a key is text") };
    let due_at = record.due_at.map_or(String::new(), |at| format!(r#""due_at": {{"N": "{}"}},"#, at.0));
    Reply::With(
        400,
        format!(
            r#"{{"__type": "ConditionalCheckFailedException", "message": "", "Item": {{
                "pk": {{"S": "{id}"}}, "schema": {{"N": "1"}}, "version": {{"N": "{}"}}, {due_at}
                "updated_at": {{"N": "1"}}, "tenant": {{"S": "shop"}}, "order": {{"S": "o-1"}},
                "operations": {{"M": {{}}}}
            }}}}"#,
            record.version
        ),
    )
}

pub(super) fn busy() -> Reply {
    error("ThrottlingException")
}

pub(super) fn broken() -> Reply {
    Reply::With(500, r#"{"__type": "InternalServerError"}"#.to_owned())
}

pub(super) fn done() -> Reply {
    Reply::With(200, "{}".to_owned())
}

pub(super) fn ledger(server: &Scripted) -> DynamoLedger {
    let env = Environment::from([
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_ENDPOINT_URL", &server.url),
    ]);
    DynamoLedger::new(&sdk::for_lambda(&env).unwrap(), "payments".to_owned())
}

/// Saves once against a script; returns what was concluded, and the number of requests it took.
async fn save(script: Vec<Reply>) -> (Result<(), SaveError>, usize) {
    let server = Scripted::start(script).await;
    let saved = ledger(&server).save(Some(&record(1, None)), &record(2, None)).await;
    (saved, server.asked().len())
}

#[tokio::test]
async fn a_save_is_one_conditional_put() {
    let server = Scripted::start(vec![done()]).await;
    let ledger = ledger(&server);
    ledger.save(None, &record(1, None)).await.unwrap();
    ledger.save(Some(&record(1, Some(5))), &record(2, Some(6))).await.unwrap();
    ledger.save(Some(&record(1, Some(5))), &record(2, None)).await.unwrap();
    ledger.save(Some(&record(1, None)), &record(2, Some(5))).await.unwrap();
    let asked = server.asked();
    let conditions: Vec<&str> = asked
        .iter()
        .map(|request| {
            assert!(request.contains("DynamoDB_20120810.PutItem"), "{request}");
            assert!(request.contains(r#""ReturnValuesOnConditionCheckFailure":"ALL_OLD""#), "{request}");
            request.split(r#""ConditionExpression":""#).nth(1).unwrap().split('"').next().unwrap()
        })
        .collect();
    assert_eq!(
        conditions,
        [
            "attribute_not_exists(pk)",
            "#version = :version AND due_at = :due_at",
            "#version = :version AND due_at = :due_at",
            "#version = :version",
        ]
    );
}

#[tokio::test]
async fn a_failed_condition_returns_the_record_as_it_stands() {
    let current = record(7, Some(9));
    let (saved, requests) = save(vec![condition_failed(&current)]).await;
    assert_eq!((saved, requests), (Err(SaveError::Conflict(Some(Box::new(current)))), 1));
    let (saved, _) = save(vec![error("ConditionalCheckFailedException")]).await;
    assert_eq!(saved, Err(SaveError::Conflict(None)));
}

#[tokio::test]
async fn a_transaction_in_the_way_is_waited_out_in_place_and_certainly_wrote_nothing() {
    let conflict = || error("TransactionConflictException");
    let (saved, requests) = save(vec![conflict(), conflict(), conflict(), conflict(), done()]).await;
    assert_eq!((saved, requests), (Ok(()), 5));
    let (saved, requests) = save(vec![conflict()]).await;
    assert_eq!((saved, requests), (Err(SaveError::NotDone("a transaction holds the item")), 5));
}

#[tokio::test]
async fn a_busy_table_wrote_nothing() {
    let (saved, requests) = save(vec![busy()]).await;
    assert_eq!((saved, requests), (Err(SaveError::NotDone("the table is busy")), 3));
    let (saved, requests) = save(vec![busy(), done()]).await;
    assert_eq!((saved, requests), (Ok(()), 2));
}

#[tokio::test]
async fn a_reply_that_does_not_tell_leaves_the_write_unknown() {
    let (saved, requests) = save(vec![Reply::Nothing]).await;
    assert_eq!((saved, requests), (Err(SaveError::Unknown("the connection failed")), 3));
    let (saved, requests) = save(vec![broken()]).await;
    assert_eq!((saved, requests), (Err(SaveError::Unknown("the table failed")), 3));
    let (saved, _) = save(vec![broken(), Reply::Nothing, done()]).await;
    assert_eq!(saved, Ok(()));
}

#[tokio::test]
async fn a_refusal_after_a_lost_reply_does_not_make_the_write_certain() {
    let (saved, _) = save(vec![Reply::Nothing, busy(), busy()]).await;
    assert_eq!(saved, Err(SaveError::Unknown("the table is busy")));
    let (saved, requests) = save(vec![broken(), error("AccessDeniedException")]).await;
    assert_eq!((saved, requests), (Err(SaveError::Unknown("access denied")), 2));
}

#[tokio::test]
async fn a_refused_write_is_not_repeated_and_its_text_is_not_passed_on() {
    for code in ["AccessDeniedException", "ValidationException", "ResourceNotFoundException", "Novelty"] {
        let (saved, requests) = save(vec![error(code)]).await;
        let Err(SaveError::NotDone(why)) = saved else { panic!("{code}: {saved:?}") };
        assert!(requests == 1 && !why.contains("item:"), "{code}: {why}");
        assert!(!why.contains("secret"), "{why}");
    }
}

#[tokio::test]
async fn a_stored_item_that_cannot_be_read_is_corrupt() {
    let corrupt = r#"{"__type": "ConditionalCheckFailedException", "Item": {"pk": {"S": "x"}}}"#;
    let (saved, _) = save(vec![Reply::With(400, corrupt.to_owned())]).await;
    assert_eq!(saved, Err(SaveError::Corrupt("it has no schema")));
}

#[tokio::test]
async fn a_lease_whose_reply_was_lost_was_still_ours() {
    let due = Due { due_at: Time(5), payment_id: record(1, None).id };
    for (current, ours) in [(Some(50), true), (Some(60), false), (None, false)] {
        let server = Scripted::start(vec![Reply::Nothing, condition_failed(&record(1, current))]).await;
        assert_eq!(ledger(&server).lease(&due, Time(50)).await, Ok(ours), "{current:?}");
        assert_eq!(server.asked().len(), 2);
    }
    let server = Scripted::start(vec![error("ConditionalCheckFailedException")]).await;
    assert_eq!(ledger(&server).lease(&due, Time(50)).await, Ok(false), "a payment that is gone");
}

#[tokio::test]
async fn a_load_is_strongly_consistent_and_survives_a_lost_reply() {
    let server = Scripted::start(vec![Reply::Nothing, done()]).await;
    assert_eq!(ledger(&server).load(&record(1, None).id).await, Ok(None));
    assert!(server.asked().iter().all(|request| request.contains(r#""ConsistentRead":true"#)));
}
