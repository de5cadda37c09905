//! The branches of seed 1: section 5.2 (what a reply decides) and section 5.4 (what running again does), by name.

use effect::{ReviewReason, Standing, hours, minutes};
use stripe_sim::Fault;

use crate::bench::{ACTION, Bench, Call, DECLINED, PROCESSING, VISA, Write, charge};

fn error(kind: &str, code: &str) -> String {
    format!(r#"{{"error":{{"type":"{kind}","code":"{code}","message":"…"}}}}"#)
}

/// Delivers one charge in whose turn every request meets `call`.
fn after(call: &Call) -> Bench {
    let bench = Bench::new();
    bench.script_calls([call.clone(), call.clone()]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.end_script();
    bench
}

// 5.2: a card error is a result, a rate limit is a certain not-done, everything else is ambiguous.

#[test]
fn branch_a_card_error_is_a_definite_failure() {
    let bench = Bench::new();
    bench.deliver(&charge("1", DECLINED)).unwrap();
    assert_eq!(bench.standing("charge/1"), Standing::Failed);
    assert_eq!(bench.announced(), ["PaymentFailed charge/1"]);
}

#[test]
fn branch_a_rate_limit_was_certainly_not_carried_out_and_is_sent_again_later() {
    let bench = after(&Call::At(Fault::RateLimit429));
    assert_eq!((bench.standing("charge/1"), bench.shown("charge/1")), (Standing::Pending, Standing::Pending));
    bench.wake();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
    bench.assert_every_create_is_the_same();
}

#[test]
fn branch_a_lost_connection_a_timeout_and_a_server_error_are_each_unknown() {
    let ambiguous = [
        Call::LosesReply,
        Call::Resets,
        Call::TimesOut,
        Call::At(Fault::Error500After),
        Call::At(Fault::Unavailable503Before),
        Call::Says(502, "<html>bad gateway</html>".to_owned()),
        Call::Says(504, String::new()),
        Call::Says(302, "moved".to_owned()),
        Call::Says(200, "{\"id\":".to_owned()),
    ];
    for call in ambiguous {
        let bench = after(&call);
        assert_eq!(bench.standing("charge/1"), Standing::Unknown);
        assert!(bench.announced().is_empty(), "an unknown outcome is announced as nothing");
        assert!(bench.record().due_at.is_some(), "and is looked at again");
    }
}

#[test]
fn branch_a_reused_key_is_our_bug_and_comes_to_light_instead_of_being_retried() {
    let bench = after(&Call::Says(400, error("idempotency_error", "")));
    assert_eq!(bench.standing("charge/1"), Standing::Unknown);
    assert_eq!(bench.review("charge/1"), Some(ReviewReason::KeyReused));
    assert_eq!(bench.take_calls(), ["create"]);
    assert_eq!(bench.record().due_at, None);
}

#[test]
fn branch_no_error_is_not_yet_success_only_the_status_succeeded_is() {
    let outcome = |card| {
        let bench = Bench::new();
        bench.deliver(&charge("1", card)).unwrap();
        bench.standing("charge/1")
    };
    assert_eq!(outcome(VISA), Standing::Succeeded);
    assert_eq!(outcome(PROCESSING), Standing::Unknown);
    assert_eq!(outcome(ACTION), Standing::Unknown);
}

#[test]
fn branch_each_status_found_by_a_retrieve_means_what_it_says() {
    let found = |act: fn(&mut stripe_sim::Sim, i64)| {
        let bench = Bench::new();
        bench.deliver(&charge("1", PROCESSING)).unwrap();
        bench.stripe(act);
        bench.wake();
        bench.standing("charge/1")
    };
    assert_eq!(found(|_, _| {}), Standing::Unknown, "processing");
    assert_eq!(found(|sim, now| settle(sim, now, true)), Standing::Succeeded, "succeeded");
    assert_eq!(found(|sim, now| settle(sim, now, false)), Standing::Failed, "requires_payment_method");
    assert_eq!(found(cancel), Standing::Canceled, "canceled");
}

fn settle(sim: &mut stripe_sim::Sim, now: i64, is_paid: bool) {
    sim.settle_processing(now, "pi_000001", is_paid).unwrap();
}

/// Somebody cancels the intent in the dashboard.
fn cancel(sim: &mut stripe_sim::Sim, now: i64) {
    let request =
        stripe_sim::Request::post("/v1/payment_intents/pi_000001/cancel", "", "sk_test_sim", "dashboard");
    assert_eq!(sim.handle(now, &request, Fault::None).status, 200);
}

// 5.4: what may run any number of times.

#[test]
fn branch_an_ended_operation_is_returned_as_it_stands_and_calls_nobody() {
    for card in [VISA, DECLINED] {
        let bench = Bench::new();
        bench.deliver(&charge("1", card)).unwrap();
        let (settled, _) = (bench.record(), bench.take_calls());
        for is_later_by in [0, minutes(6), hours(25), hours(24 * 14)] {
            bench.pass_to(is_later_by);
            bench.deliver(&charge("1", card)).unwrap();
            bench.redeliver(&charge("1", card)).unwrap();
        }
        assert!(bench.take_calls().is_empty());
        assert_eq!(bench.record(), settled);
    }
}

#[test]
fn branch_a_known_provider_id_is_retrieved_at_any_age_and_the_create_is_never_sent_again() {
    for age in [minutes(1), hours(22), hours(25), hours(14 * 24)] {
        let bench = Bench::new();
        bench.deliver(&charge("1", PROCESSING)).unwrap();
        bench.take_calls();
        bench.pass_to(age);
        bench.wake();
        assert_eq!(bench.take_calls(), ["retrieve"], "after {age} ms");
    }
}

#[test]
fn branch_past_the_window_one_match_is_adopted_with_its_own_status() {
    let bench = after(&Call::At(Fault::Error500After));
    bench.take_calls();
    bench.pass_to(hours(23));
    bench.wake();
    assert_eq!(bench.take_calls(), ["list", "retrieve"]);
    assert_eq!(bench.standing("charge/1"), Standing::Succeeded);
}

#[test]
fn branch_the_first_send_is_on_record_before_the_request_goes_out() {
    let bench = Bench::new();
    bench.while_in_flight(|bench| {
        let attempt = bench.operation("charge/1").attempt;
        let frozen = attempt.frozen.expect("the request is frozen");
        let sent = &bench.requests("create")[0];
        assert_eq!(attempt.first_sent_at, Some(crate::bench::START));
        assert_eq!((sent.idempotency_key.as_deref(), &sent.body), (Some(frozen.key.as_str()), &frozen.body));
        assert!(bench.record().claim.is_some());
    });
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!(bench.take_calls(), ["create"]);
}

#[test]
fn branch_a_worker_that_dies_right_after_the_send_leaves_the_window_s_start_behind() {
    let bench = Bench::new();
    bench.script_calls([Call::Kills]);
    bench.deliver_and_die(&charge("1", VISA));
    bench.pass(minutes(6));
    assert_eq!(
        bench.shown("charge/1"),
        Standing::Unknown,
        "an intent without an outcome is an ambiguous send"
    );
    bench.redeliver(&charge("1", VISA)).unwrap();
    bench.assert_every_create_is_the_same();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn branch_no_record_no_send() {
    let bench = Bench::new();
    bench.script_writes([Write::Fails(payment::ports::SaveError::NotDone("throttled"))]);
    assert!(bench.deliver(&charge("1", VISA)).is_err());
    assert!(bench.take_calls().is_empty());
    assert!(bench.records().is_empty());
}

#[test]
fn branch_a_recorded_end_is_not_overwritten_by_a_late_ambiguous_turn() {
    let bench = Bench::new();
    bench.script_calls([Call::TimesOut]);
    bench.while_in_flight(|bench| {
        bench.pass(minutes(2));
        bench.redeliver(&charge("1", VISA)).unwrap();
        assert_eq!(bench.standing("charge/1"), Standing::Succeeded);
    });
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
    assert_eq!(bench.announced(), ["PaymentCaptured charge/1"]);
}

#[test]
fn branch_a_saved_500_before_the_effect_ends_in_review_and_never_in_a_second_key() {
    let bench = after(&Call::At(Fault::Error500Before));
    bench.wake_until_it_rests();
    assert_eq!(bench.standing("charge/1"), Standing::Unknown);
    assert_eq!(bench.review("charge/1"), Some(ReviewReason::WindowOver));
    bench.assert_every_create_is_the_same();
    assert_eq!(bench.intents(), 0);
}

#[test]
fn branch_a_saved_500_after_the_effect_is_adopted_from_the_list() {
    let bench = after(&Call::At(Fault::Error500After));
    bench.take_calls();
    bench.wake();
    assert_eq!(bench.take_calls(), ["create", "list", "retrieve"], "the key only replays the 500");
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn branch_a_500_between_create_and_confirm_is_confirmed_once_under_the_next_generation() {
    let bench = after(&Call::At(Fault::Error500BetweenCreateAndConfirm));
    bench.take_calls();
    bench.wake();
    assert_eq!(
        bench.take_calls(),
        ["create", "list", "retrieve", "retrieve"],
        "found, and not confirmed yet"
    );
    let attempt = bench.operation("charge/1").attempt;
    let provider_is_done = attempt.last_send_until.unwrap().plus_ms(minutes(10));
    assert_eq!(bench.record().due_at, Some(provider_is_done), "our own create may still be running");
    bench.wake();
    assert_eq!(bench.take_calls(), ["retrieve", "confirm"]);
    assert_eq!(
        (bench.standing("charge/1"), bench.operation("charge/1").attempt.generation),
        (Standing::Succeeded, 1)
    );
    let keys: Vec<_> =
        ["create", "confirm"].map(|name| bench.requests(name)[0].idempotency_key.clone()).into();
    assert_ne!(keys[0], keys[1], "another request has another key");
    assert_eq!((bench.effects().attempts, bench.intents()), (1, 1));
}

#[test]
fn branch_an_unconfirmed_intent_found_while_our_create_may_still_run_is_not_confirmed_yet() {
    let bench = after(&Call::At(Fault::Error500BetweenCreateAndConfirm));
    bench.stripe(|sim, _| sim.settings.list_lag_ms = minutes(3));
    bench.wake();
    bench.take_calls();
    bench.wake();
    assert_eq!(bench.take_calls(), ["list", "retrieve", "retrieve"]);
    assert_eq!((bench.standing("charge/1"), bench.effects().attempts), (Standing::Unknown, 0));
    bench.wake();
    assert_eq!(bench.take_calls(), ["retrieve", "confirm"]);
    assert_eq!((bench.standing("charge/1"), bench.effects().attempts), (Standing::Succeeded, 1));
}

#[test]
fn branch_a_lost_reply_to_that_confirm_is_retrieved_and_not_confirmed_twice() {
    let bench = after(&Call::At(Fault::Error500BetweenCreateAndConfirm));
    bench.wake();
    bench.take_calls();
    bench.script_calls([Call::Works, Call::TimesOut]);
    bench.wake();
    bench.wake();
    assert_eq!(bench.take_calls(), ["retrieve", "confirm", "retrieve"]);
    assert_eq!((bench.standing("charge/1"), bench.effects().attempts), (Standing::Succeeded, 1));
}

#[test]
fn branch_a_rate_limit_on_the_first_send_closes_the_window_again() {
    let bench = after(&Call::At(Fault::RateLimit429));
    assert_eq!(bench.operation("charge/1").attempt.first_sent_at, None);
    bench.take_calls();
    bench.pass_to(hours(72));
    bench.wake();
    assert_eq!(bench.take_calls(), ["create"], "nothing was ever sent: nothing is to be looked up");
    let first_sent_at = bench.operation("charge/1").attempt.first_sent_at;
    assert_eq!(first_sent_at, Some(crate::bench::START.plus_ms(hours(72))));
}

#[test]
fn branch_a_rate_limit_after_an_ambiguous_send_leaves_the_window_open_and_the_unknown_unknown() {
    let bench = Bench::new();
    bench.script_calls([Call::Resets, Call::At(Fault::RateLimit429)]);
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!(bench.standing("charge/1"), Standing::Unknown);
    assert_eq!(bench.operation("charge/1").attempt.first_sent_at, Some(crate::bench::START));
    bench.script_calls([Call::At(Fault::RateLimit429)]);
    bench.wake();
    assert_eq!(bench.operation("charge/1").attempt.first_sent_at, Some(crate::bench::START));
}
