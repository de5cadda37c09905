//! Field cases C: what Stripe says, does not say, and says twice.

use effect::{Frozen, ProviderKey, ReviewReason, Standing, hours, minutes};
use payment::{
    Account, Command,
    ports::{Answer, Expected, NoCredentials, Processor, Question, Request},
};
use stripe_sim::Fault;
use stripe_wire::Stripe;

use crate::bench::{Bench, Call, DECLINED, START, VISA, charge};

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

#[test]
fn c1_every_send_after_an_ambiguous_failure_carries_the_same_key_and_the_same_bytes() {
    let bench = Bench::new();
    bench.script_calls([Call::LosesReply, Call::LosesReply]);
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!(bench.take_calls(), ["create", "create"], "one resend in the same invocation");
    assert_eq!(bench.standing("charge/1"), Standing::Unknown);
    bench.script_calls([Call::LosesReply, Call::LosesReply]);
    bench.wake();
    assert_eq!(bench.standing("charge/1"), Standing::Unknown, "never failed");
    bench.wake();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
    assert_eq!(bench.requests("create").len(), 5);
    bench.assert_every_create_is_the_same();
}

#[test]
fn c1_a_timeout_is_not_followed_by_a_resend_in_the_same_invocation() {
    let bench = unknown_after_a_lost_reply();
    assert_eq!(bench.requests("create").len(), 1, "the first request may still be running");
}

/// A later build of the code, which sends a metadata field more and its parameters in another order.
struct LaterBuild(Stripe<Bench>);

impl Processor for LaterBuild {
    async fn account(&self) -> Result<Account, NoCredentials> {
        self.0.account().await
    }

    fn prepare(&self, request: &Request, operation_id: &str, key: ProviderKey) -> Frozen {
        let frozen = self.0.prepare(request, operation_id, key);
        let mut pairs: Vec<&str> = frozen.body.split('&').rev().collect();
        pairs.push("metadata%5Bbuild%5D=2");
        Frozen { body: pairs.join("&"), api_version: "2099-01-01.later".to_owned(), ..frozen }
    }

    async fn send(&self, frozen: &Frozen, expected: &Expected) -> Answer {
        self.0.send(frozen, expected).await
    }

    async fn look_up(&self, question: &Question) -> Answer {
        self.0.look_up(question).await
    }
}

#[test]
fn c2_a_later_build_resends_what_the_first_build_froze() {
    let bench = unknown_after_a_lost_reply();
    bench.pass(minutes(6));
    let later = LaterBuild(Stripe::new(bench.clone()));
    bench.turn(&later, &Command::Charge(charge("1", VISA)), false).unwrap().unwrap();
    assert_eq!(bench.take_calls(), ["create"]);
    bench.assert_every_create_is_the_same();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn c2_an_idempotency_error_is_unknown_and_for_a_person_and_never_failed_or_rekeyed() {
    let bench = unknown_after_a_lost_reply();
    bench.script_calls([Call::Says(400, error("idempotency_error", "idempotency_key_reused"))]);
    bench.wake();
    assert_eq!(bench.standing("charge/1"), Standing::Unknown);
    assert_eq!(bench.review("charge/1"), Some(ReviewReason::KeyReused));
    bench.pass(hours(30));
    bench.redeliver(&charge("1", VISA)).unwrap();
    bench.assert_every_create_is_the_same();
    assert_eq!((bench.requests("create").len(), bench.record().due_at), (2, None));
}

#[test]
fn c4_the_key_is_used_until_23_hours_after_the_first_send_and_not_a_millisecond_longer() {
    let cases = [
        (hours(23) - minutes(1), vec!["create"]),
        (hours(23) - 1, vec!["create"]),
        (hours(23), vec!["list", "retrieve"]),
        (hours(23) + 1, vec!["list", "retrieve"]),
        (hours(23) + minutes(1), vec!["list", "retrieve"]),
        (hours(25), vec!["list", "retrieve"]),
    ];
    for (age, calls) in cases {
        let bench = unknown_after_a_lost_reply();
        bench.pass_to(age);
        bench.redeliver(&charge("1", VISA)).unwrap();
        assert_eq!(bench.take_calls(), calls, "{age} ms after the first send");
        assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
    }
}

#[test]
fn c4_workers_whose_clocks_are_five_minutes_off_never_create_a_second_intent() {
    for (first_skew, skew) in
        [(-1, 1), (1, -1), (0, 1), (0, -1)].map(|(a, b)| (a * minutes(5), b * minutes(5)))
    {
        for age in [hours(22) + minutes(59), hours(23) + minutes(1), hours(23) + minutes(10), hours(25)] {
            let bench = Bench::new();
            bench.skew(first_skew);
            bench.script_calls([Call::TimesOut]);
            bench.deliver(&charge("1", VISA)).unwrap();
            bench.skew(skew);
            bench.pass_to(age);
            bench.redeliver(&charge("1", VISA)).unwrap();
            assert_eq!(bench.intents(), 1, "skews {first_skew} and {skew}, {age} ms after the first send");
            assert_eq!(bench.standing("charge/1"), Standing::Succeeded);
        }
    }
}

#[test]
fn c4_the_window_starts_at_the_first_send_and_not_at_the_last_one_the_claim_or_the_acceptance() {
    let bench = Bench::new();
    // Accepted, and not sent for two hours.
    bench.set_account(Err(NoCredentials("throttled")));
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.set_account(Ok(Account { id: "acct_sim".to_owned(), live: false }));
    bench.pass_to(hours(2));
    bench.script_calls([Call::Resets, Call::Resets]);
    bench.redeliver(&charge("1", VISA)).unwrap();
    assert_eq!(bench.operation("charge/1").attempt.first_sent_at, Some(START.plus_ms(hours(2))));
    // Sent again late in the window, which does not move its start.
    bench.pass_to(hours(24));
    bench.script_calls([Call::Resets, Call::Resets]);
    bench.redeliver(&charge("1", VISA)).unwrap();
    assert_eq!(bench.operation("charge/1").attempt.first_sent_at, Some(START.plus_ms(hours(2))));
    bench.take_calls();
    bench.pass_to(hours(25));
    bench.redeliver(&charge("1", VISA)).unwrap();
    assert!(bench.take_calls().is_empty(), "search may lag an hour behind the last send: it waits");
    bench.pass_to(hours(25) + minutes(5));
    bench.wake();
    assert_eq!(bench.take_calls(), ["list", "search"]);
    assert_eq!((bench.review("charge/1"), bench.intents()), (Some(ReviewReason::WindowOver), 0));
}

#[test]
fn c4_a_dead_lettered_message_redriven_at_25_hours_is_looked_up_and_not_sent() {
    let bench = Bench::new();
    bench.script_calls([Call::Kills]);
    bench.deliver_and_die(&charge("1", VISA));
    assert_eq!(bench.record().due_at, None, "the message alone guards it");
    bench.take_calls();
    bench.pass_to(hours(25));
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!(bench.take_calls(), ["list", "retrieve"]);
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn c4_a_dead_lettered_message_redriven_before_its_intent_was_ever_sent_is_for_a_person() {
    let bench = Bench::new();
    bench.script_writes([crate::bench::Write::KillsAfter]);
    bench.deliver_and_die(&charge("1", VISA));
    bench.pass_to(hours(25));
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!(
        bench.review("charge/1"),
        Some(ReviewReason::WindowOver),
        "nobody can know that it was not sent"
    );
    assert_eq!((bench.shown("charge/1"), bench.intents()), (Standing::Unknown, 0));
}

#[test]
fn c5a_a_key_still_in_use_is_unknown_and_tried_later_under_the_same_key() {
    let bench = Bench::new();
    bench.script_calls([Call::KeepsRunning]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.wake();
    assert_eq!(bench.take_calls(), ["create", "create"], "409, and no resend at once");
    assert_eq!(bench.standing("charge/1"), Standing::Unknown);
    bench.stripe_finishes();
    bench.wake();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
    bench.assert_every_create_is_the_same();
}

#[test]
fn c5b_and_c5c_a_lock_timeout_and_a_rate_limit_are_tried_later_under_the_same_key() {
    for fault in [Fault::LockTimeout429, Fault::RateLimit429] {
        let bench = Bench::new();
        bench.script_calls([Call::At(fault)]);
        bench.deliver(&charge("1", VISA)).unwrap();
        assert_eq!(bench.take_calls(), ["create"], "not again in the same invocation");
        assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Pending, 0), "{fault:?}");
        bench.wake();
        assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1), "{fault:?}");
        bench.assert_every_create_is_the_same();
    }
}

#[test]
fn c5d_and_c5g_an_idempotency_error_and_a_500_are_unknown() {
    for call in [
        Call::Says(400, error("idempotency_error", "")),
        Call::At(Fault::Error500After),
        Call::At(Fault::Error500Before),
        Call::At(Fault::Unavailable503Before),
    ] {
        let bench = Bench::new();
        bench.script_calls([call.clone(), call]);
        bench.deliver(&charge("1", VISA)).unwrap();
        assert_eq!(bench.standing("charge/1"), Standing::Unknown);
    }
}

#[test]
fn c5e_a_declined_card_is_final_and_a_redelivery_calls_nobody() {
    let bench = Bench::new();
    bench.deliver(&charge("1", DECLINED)).unwrap();
    bench.take_calls();
    bench.redeliver(&charge("1", DECLINED)).unwrap();
    assert!(bench.take_calls().is_empty());
    assert_eq!(bench.standing("charge/1"), Standing::Failed);
}

#[test]
fn c5f_refused_credentials_do_not_burn_the_operation() {
    for break_it in [
        |sim: &mut stripe_sim::Sim, _: i64| sim.settings.api_key = "sk_test_rolled".to_owned(),
        |sim: &mut stripe_sim::Sim, _: i64| sim.settings.restricted_key = Some("sk_test_sim".to_owned()),
    ] {
        let bench = Bench::new();
        bench.stripe(break_it);
        bench.deliver(&charge("1", VISA)).unwrap();
        assert_eq!(bench.standing("charge/1"), Standing::Pending);
        bench.pass(hours(30));
        bench.stripe(|sim, _| sim.settings = stripe_sim::Settings::default());
        bench.wake();
        assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
    }
}

#[test]
fn c5_a_request_that_stripe_refuses_is_refused_if_it_was_the_first_and_unknown_if_it_was_not() {
    for status in [400, 404] {
        let refusal = || Call::Says(status, error("invalid_request_error", "resource_missing"));
        let first = Bench::new();
        first.script_calls([refusal()]);
        first.deliver(&charge("1", VISA)).unwrap();
        assert_eq!(first.standing("charge/1"), Standing::Refused);
        assert_eq!(first.announced(), ["OperationRefused charge/1"]);

        let later = unknown_after_a_lost_reply();
        later.script_calls([refusal()]);
        later.wake();
        assert_eq!(later.standing("charge/1"), Standing::Unknown, "the first send may have taken the money");

        let within = Bench::new();
        within.script_calls([Call::LosesReply, refusal()]);
        within.deliver(&charge("1", VISA)).unwrap();
        assert_eq!(within.standing("charge/1"), Standing::Unknown, "so may the first of two in one turn");
    }
}
