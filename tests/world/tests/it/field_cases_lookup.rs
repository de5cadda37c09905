//! Field case C7: what looking up shows, and what it never proves.

use effect::{ReviewReason, Standing, hours, minutes};
use payment::Charge;
use stripe_sim::Fault;

use crate::bench::{Bench, Call, VISA, charge, operation_id};

fn unknown_after_a_lost_reply() -> Bench {
    let bench = Bench::new();
    bench.script_calls([Call::TimesOut]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.take_calls();
    bench
}

fn error(kind: &str, code: &str) -> String {
    format!(r#"{{"error":{{"type":"{kind}","code":"{code}","message":"…"}}}}"#)
}

/// Creates a further intent that carries an operation's id, as nobody should.
fn create_behind_our_back(bench: &Bench, wanted: &Charge, amount: u64) {
    let body = format!(
        "amount={amount}&currency=jpy&customer=cus_1&payment_method={VISA}&confirm=true&off_session=true\
         &metadata%5Boperation_id%5D={}",
        operation_id(wanted)
    );
    let request =
        stripe_sim::Request::post("/v1/payment_intents", &body, "sk_test_sim", &format!("other-{amount}"));
    assert_eq!(bench.stripe(|sim, now| sim.handle(now, &request, Fault::None)).status, 200);
}

#[test]
fn c7_an_empty_list_inside_the_window_licenses_no_create_and_is_asked_again() {
    let bench = Bench::new();
    bench.stripe(|sim, _| sim.settings.list_lag_ms = minutes(3));
    bench.script_calls([Call::At(Fault::Error500After)]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.take_calls();
    bench.wake();
    assert_eq!(bench.take_calls(), ["create", "list"], "the key only replays a 500, and the list lags");
    assert_eq!((bench.standing("charge/1"), bench.review("charge/1")), (Standing::Unknown, None));
    bench.wake();
    assert_eq!(bench.take_calls(), ["list", "retrieve"]);
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn c7_an_empty_search_past_the_window_licenses_no_create_and_a_later_wake_finds_a_person_asked() {
    let bench = Bench::new();
    bench.script_calls([Call::Resets, Call::Resets]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.take_calls();
    bench.pass_to(hours(25));
    bench.wake();
    assert_eq!(bench.take_calls(), ["list", "search"]);
    bench.redeliver(&charge("1", VISA)).unwrap();
    assert!(bench.take_calls().is_empty());
    assert_eq!(bench.standing("charge/1"), Standing::Unknown);
}

#[test]
fn c7_a_hit_that_is_not_ours_to_the_operation_amount_and_currency_is_ignored() {
    let hit = |id: &str, operation_id: &str, amount: u64, currency: &str| {
        format!(
            r#"{{"id":"{id}","status":"succeeded","amount":{amount},"currency":"{currency}",
            "metadata":{{"operation_id":"{operation_id}"}}}}"#
        )
    };
    let ours = operation_id(&charge("1", VISA));
    let cases = [
        (hit("pi_x", "pay_0/charge/1", 500, "jpy"), hit("pi_x", "pay_0/charge/1", 500, "jpy")),
        (hit("pi_x", &ours, 500, "jpy"), hit("pi_x", &ours, 501, "jpy")),
        (hit("pi_x", &ours, 500, "jpy"), hit("pi_x", &ours, 500, "usd")),
        (hit("pi_x", &ours, 500, "jpy"), hit("pi_x", "pay_0/charge/1", 500, "jpy")),
    ];
    for (listed, fetched) in cases {
        let bench = Bench::new();
        bench.script_calls([Call::Resets, Call::Resets]);
        bench.deliver(&charge("1", VISA)).unwrap();
        bench.pass_to(hours(25));
        let page = format!(r#"{{"object":"list","data":[{listed}],"has_more":false}}"#);
        bench.script_calls([Call::Says(200, page)]);
        let is_fetched = listed.contains(&ours);
        if is_fetched {
            bench.script_calls([Call::Says(200, fetched)]);
        }
        bench.take_calls();
        bench.wake();
        let calls = if is_fetched { vec!["list", "retrieve", "search"] } else { vec!["list", "search"] };
        assert_eq!(bench.take_calls(), calls);
        assert_eq!(bench.review("charge/1"), Some(ReviewReason::WindowOver));
        assert!(bench.operation("charge/1").attempt.ids.is_empty(), "a wrong hit leaves no trace");
    }
}

#[test]
fn c7_two_true_hits_are_for_a_person() {
    let bench = unknown_after_a_lost_reply();
    create_behind_our_back(&bench, &charge("1", VISA), 500);
    bench.pass_to(hours(25));
    bench.wake();
    assert_eq!(bench.take_calls(), ["list", "retrieve", "retrieve"]);
    assert_eq!(bench.review("charge/1"), Some(ReviewReason::TwoIds));
    assert_eq!(bench.operation("charge/1").attempt.ids.len(), 2);
    assert!(bench.announced().contains(&"PaymentReviewRequired charge/1".to_owned()));
}

#[test]
fn c7_a_look_up_that_fails_tells_nothing_and_is_asked_again() {
    let failures = [
        Call::Says(503, String::new()),
        Call::Says(429, error("invalid_request_error", "rate_limit")),
        Call::Says(401, error("invalid_request_error", "")),
        Call::Says(404, error("invalid_request_error", "resource_missing")),
        Call::Says(200, "[]".to_owned()),
        Call::Says(200, r#"{"data":[],"has_more":true}"#.to_owned()),
        Call::Resets,
        Call::TimesOut,
    ];
    for failure in failures {
        for failing in [0, 1] {
            let bench = Bench::new();
            bench.script_calls([Call::Resets, Call::Resets]);
            bench.deliver(&charge("1", VISA)).unwrap();
            bench.take_calls();
            bench.pass_to(hours(25));
            bench.script_calls(std::iter::repeat_n(Call::Works, failing).chain([failure.clone()]));
            bench.wake();
            assert_eq!(bench.take_calls().len(), failing + 1, "it stops at the failure");
            assert_eq!((bench.standing("charge/1"), bench.review("charge/1")), (Standing::Unknown, None));
            bench.wake();
            assert_eq!(bench.take_calls(), ["list", "search"]);
            assert_eq!(bench.review("charge/1"), Some(ReviewReason::WindowOver));
        }
    }
}

#[test]
fn c7_a_hit_on_a_later_page_is_found() {
    let bench = unknown_after_a_lost_reply();
    for n in 0..120 {
        let other = charge(&format!("other-{n}"), VISA);
        create_behind_our_back(&bench, &other, 1_000 + n);
    }
    bench.pass_to(hours(25));
    bench.wake();
    assert_eq!(bench.take_calls(), ["list", "list", "retrieve"]);
    assert_eq!(bench.standing("charge/1"), Standing::Succeeded);
}
