//! Field cases A and H3: batches of the FIFO queue, through the real handler with real event structs.

use aws_lambda_events::sqs::SqsEvent;
use effect::Standing;
use payment::{
    Charge, Command,
    ports::{LoadError, SaveError},
};
use serde_json::json;
use world::{Options, Order, Rng, run};

use crate::bench::{Bench, Call, DECLINED, VISA, Write, charge, in_group, message, of_order};

fn other_order() -> Charge {
    of_order("o-2", charge("1", VISA))
}

fn wake_message(id: &str, of: &Charge) -> aws_lambda_events::sqs::SqsMessage {
    let payment_id = of.payment_id();
    let body = Command::Wake { payment_id: payment_id.clone(), due_at: effect::Time(1) }.to_body();
    in_group(id, payment_id.as_str(), &body, 1)
}

#[test]
fn a1_an_unmapped_table_error_reports_the_whole_group() {
    let errors = [
        SaveError::NotDone("AccessDenied"),
        SaveError::NotDone("throttled"),
        SaveError::Unknown("no connection"),
        SaveError::Unknown("serialization"),
        SaveError::Corrupt("not a record"),
    ];
    for error in errors {
        let bench = Bench::new();
        bench.script_writes([Write::Fails(error.clone())]);
        let failed =
            bench.failures(vec![message("m-1", &charge("1", VISA)), message("m-2", &charge("2", VISA))]);
        assert_eq!(failed, ["m-1", "m-2"], "{error}");
        assert!(bench.take_calls().is_empty(), "no call without a record: {error}");
    }
}

#[test]
fn a1_a_record_that_keeps_changing_reports_the_whole_group() {
    let bench = Bench::new();
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.take_calls();
    let stale = bench.record();
    let conflict = || Write::Fails(SaveError::Conflict(Some(Box::new(stale.clone()))));
    bench.script_writes((0..10).map(|_| conflict()));
    let failed = bench.failures(vec![message("m-1", &charge("2", VISA)), message("m-2", &charge("3", VISA))]);
    assert_eq!(failed, ["m-1", "m-2"]);
    assert!(bench.take_calls().is_empty());
}

#[test]
fn a1_a_table_that_cannot_be_read_reports_the_wake() {
    for error in [LoadError::Unavailable("AccessDenied"), LoadError::Corrupt("not a record")] {
        let bench = Bench::new();
        bench.deliver(&charge("1", VISA)).unwrap();
        bench.take_calls();
        bench.script_loads([Some(error)]);
        let batch = vec![wake_message("m-1", &charge("1", VISA)), message("m-2", &charge("2", VISA))];
        assert_eq!(bench.failures(batch), ["m-1", "m-2"]);
        assert!(bench.take_calls().is_empty());
    }
}

#[test]
fn a1_a_live_claim_elsewhere_and_a_refusing_dead_letter_queue_are_reported_too() {
    let bench = Bench::new();
    bench.script_calls([Call::Kills]);
    bench.deliver_and_die(&charge("1", VISA));
    assert_eq!(bench.failures(vec![message("m-1", &charge("1", VISA))]), ["m-1"]);

    bench.refuse_dead_letters();
    let group = other_order().payment_id();
    let batch = vec![in_group("m-2", group.as_str(), "not json", 1), message("m-3", &other_order())];
    assert_eq!(bench.failures(batch), ["m-2", "m-3"]);
}

#[test]
fn a2_the_response_is_exactly_what_lambda_reads() {
    let bench = Bench::new();
    bench.script_writes([Write::Works, Write::Works, Write::Fails(SaveError::NotDone("throttled"))]);
    let batch = ["o-1", "o-2", "o-3"].map(|order| message(order, &of_order(order, charge("1", VISA))));
    let response = bench.settle(batch.into()).unwrap();
    assert_eq!(
        serde_json::to_string(&response).unwrap(),
        r#"{"batchItemFailures":[{"itemIdentifier":"o-2"}]}"#
    );
    assert_eq!(bench.intents(), 2);
    let all_done = bench.settle(vec![message("m-1", &charge("1", VISA))]).unwrap();
    assert_eq!(serde_json::to_string(&all_done).unwrap(), r#"{"batchItemFailures":[]}"#);
}

#[test]
fn a2_a_failed_message_without_an_id_fails_the_invocation_instead_of_naming_nothing() {
    for id in [None, Some(String::new())] {
        let bench = Bench::new();
        bench.script_writes([Write::Fails(SaveError::NotDone("throttled"))]);
        let mut nameless = message("", &charge("1", VISA));
        nameless.message_id = id;
        assert_eq!(bench.settle(vec![nameless]), Err(settle::Unreportable));
    }
}

#[test]
fn a2_an_id_is_named_once_however_often_it_is_in_the_batch() {
    let bench = Bench::new();
    bench.script_writes([Write::Fails(SaveError::NotDone("throttled"))]);
    let batch = vec![message("m-1", &charge("1", VISA)), message("m-1", &charge("1", VISA))];
    assert_eq!(bench.failures(batch), ["m-1"]);
}

#[test]
fn a3_after_a_failure_the_rest_of_its_group_is_reported_and_other_groups_go_on() {
    let bench = Bench::new();
    let (a, b, d) = (charge("1", DECLINED), charge("2", VISA), charge("3", VISA));
    // a takes three writes; the fourth is b's.
    bench.script_writes([Write::Works, Write::Works, Write::Works]);
    bench.script_writes([Write::Fails(SaveError::NotDone("throttled"))]);
    let batch = vec![message("a", &a), message("b", &b), message("c", &other_order()), message("d", &d)];
    assert_eq!(bench.failures(batch), ["b", "d"]);
    let payment = bench.records().into_iter().find(|record| record.id == a.payment_id()).unwrap().payment;
    let names: Vec<String> = payment.operations.keys().map(ToString::to_string).collect();
    assert_eq!(names, ["charge/1", "void/1"], "d was never attempted");
    assert_eq!(bench.effects().intents_succeeded, 1, "c is done, once");
}

#[test]
fn a4_a_malformed_message_goes_to_the_dead_letters_and_stops_nobody() {
    let bench = Bench::new();
    let group = charge("1", VISA).payment_id();
    let batch = vec![
        message("m-1", &charge("1", VISA)),
        in_group("m-2", group.as_str(), "not json", 1),
        message("m-3", &other_order()),
        message("m-4", &charge("2", VISA)),
    ];
    assert!(bench.failures(batch).is_empty());
    assert_eq!(bench.effects().intents_succeeded, 2);
    let letters = bench.dead_letters();
    assert_eq!(letters.len(), 1);
    assert_eq!((letters[0].source_id.as_str(), letters[0].body.as_str()), ("m-2", "not json"));
    assert_eq!(letters[0].group, group.as_str());
    assert!(letters[0].reason.contains("not valid JSON"), "{}", letters[0].reason);
    let first = bench.records().into_iter().find(|record| record.id == group).unwrap();
    assert_eq!(first.payment.operations.len(), 2, "later messages of its group flow on");
}

#[test]
fn a4_a_message_in_another_payment_s_group_or_about_no_payment_is_malformed() {
    let bench = Bench::new();
    let batch = vec![
        in_group("m-1", "everybody", &Command::Charge(charge("1", VISA)).to_body(), 1),
        wake_message("m-2", &charge("1", VISA)),
    ];
    assert!(bench.failures(batch).is_empty());
    let reasons: Vec<String> = bench.dead_letters().into_iter().map(|letter| letter.reason).collect();
    assert!(reasons[0].contains("message group"), "{reasons:?}");
    assert!(reasons[1].contains("there is no payment"), "{reasons:?}");
    assert!(bench.take_calls().is_empty());
    assert!(bench.records().is_empty());
}

#[test]
fn a4_a_panic_reports_its_group_from_there_and_stops_no_other_group() {
    let bench = Bench::new();
    bench.script_writes([Write::Works, Write::Works, Write::Panics]);
    let batch = vec![
        message("m-1", &charge("1", VISA)),
        message("m-2", &charge("2", VISA)),
        message("m-3", &other_order()),
    ];
    assert_eq!(bench.failures(batch), ["m-2"]);
    assert_eq!(bench.effects().intents_succeeded, 2);
    bench.take_calls();
    assert!(
        bench.failures(vec![message("m-2", &charge("2", VISA))]).is_empty(),
        "it flows once the cause is gone"
    );
    assert!(bench.take_calls().is_empty());
}

#[test]
fn h3_a_redelivery_after_a_panic_runs_no_effect_again() {
    let bench = Bench::new();
    bench.script_writes([Write::Works, Write::Panics]);
    let batch = || vec![message("m-1", &charge("1", VISA)), message("m-2", &charge("1", VISA))];
    assert_eq!(bench.failures(batch()), ["m-1", "m-2"]);
    bench.pass(effect::minutes(6));
    assert!(bench.failures(batch()).is_empty());
    assert_eq!(bench.intents(), 1);
    bench.assert_every_create_is_the_same();
}

#[test]
fn h3_null_absent_and_unknown_parts_of_an_event_are_read() {
    let of = |order: &str| of_order(order, charge("1", VISA));
    let body = |order: &str| Command::Charge(of(order)).to_body();
    let attributes = |order: &str| json!({ "MessageGroupId": of(order).payment_id(), "ApproximateReceiveCount": "1", "New": "thing" });
    let event: SqsEvent = serde_json::from_value(json!({ "Records": [
        { "messageId": "m-1", "body": body("o-1"), "attributes": attributes("o-1"), "messageAttributes": null },
        { "messageId": "m-2", "body": body("o-2"), "attributes": attributes("o-2"), "eventSourceARN": null },
        { "messageId": "m-3", "body": body("o-3"), "attributes": attributes("o-3"), "messageAttributes": {},
          "somethingNew": { "deeply": ["nested"] } },
        { "messageId": "m-4", "body": null, "attributes": attributes("o-4") },
    ], "more": 1 }))
    .unwrap();
    let bench = Bench::new();
    let response = bench.settle_event(event).unwrap();
    assert!(response.batch_item_failures.is_empty());
    assert_eq!(bench.intents(), 3);
    assert_eq!(bench.dead_letters().len(), 1, "no body is no command");
}

#[test]
fn h3_a_message_without_its_group_is_reported_and_given_no_default_group() {
    let event: SqsEvent = serde_json::from_value(json!({ "Records": [
        { "messageId": "m-1", "body": Command::Charge(charge("1", VISA)).to_body(), "attributes": {} },
        { "messageId": "m-2", "body": Command::Charge(charge("1", VISA)).to_body(), "attributes": null },
        { "messageId": "m-3", "body": Command::Charge(other_order()).to_body(),
          "attributes": { "MessageGroupId": other_order().payment_id() } },
    ]}))
    .unwrap();
    let bench = Bench::new();
    let response = bench.settle_event(event).unwrap();
    let failed: Vec<_> =
        response.batch_item_failures.iter().map(|failure| &failure.item_identifier).collect();
    assert_eq!(failed, ["m-1", "m-2"]);
    assert_eq!(bench.intents(), 1);
    assert_eq!(bench.records()[0].payment.operations.len(), 1);
    let operation = bench.record();
    let key = payment::OperationKey::charge("1".parse().unwrap());
    assert_eq!(operation.payment.operations[&key].attempt.standing, Standing::Succeeded);
}

fn order(payment: usize, at: i64) -> Order {
    Order::charge(payment, "1", VISA, 500, at)
}

/// Runs commands through the simulated queue, table and Stripe, without faults.
fn in_the_world(orders: Vec<Order>) -> world::Report {
    let report = run(Options::calm(orders), Rng::new(1), false);
    assert!(report.violations.is_empty(), "{:?}", report.violations);
    report
}

#[test]
fn a6_two_payments_alike_to_the_yen_are_two_and_one_command_repeated_is_one() {
    let two = in_the_world(vec![order(0, 0), order(1, 5_000)]);
    assert_eq!((two.stats.succeeded, two.requests, two.writes), (2, 2, 4));

    let repeated_soon = in_the_world(vec![order(0, 0), order(0, 10_000)]);
    assert_eq!(
        (repeated_soon.requests, repeated_soon.stats.struck.of(world::Kind::WriteConflict)),
        (1, 0),
        "the queue delivers it once"
    );

    let repeated_late = in_the_world(vec![order(0, 0), order(0, 6 * 60_000)]);
    assert_eq!(
        (repeated_late.requests, repeated_late.stats.struck.of(world::Kind::WriteConflict)),
        (1, 1),
        "the record meets the second one"
    );
}

#[test]
fn a6_a_message_s_ids_follow_from_the_operation_alone() {
    let id = |charge: Charge| Command::Charge(charge).deduplication_id();
    let traced = Charge { causation_id: Some("evt-9".to_owned()), ..charge("1", VISA) };
    assert_eq!(id(charge("1", VISA)), id(traced), "a send retry is the same message");
    assert_ne!(id(charge("1", VISA)), id(charge("2", VISA)), "a further attempt is not");
    assert_ne!(id(charge("1", VISA)), id(other_order()));
    let corrected = Charge { amount: 501.try_into().unwrap(), ..charge("1", VISA) };
    assert_ne!(id(charge("1", VISA)), id(corrected), "a corrected command is not swallowed");
    assert_ne!(
        charge("1", VISA).payment_id(),
        other_order().payment_id(),
        "each payment is a group of its own"
    );
}
