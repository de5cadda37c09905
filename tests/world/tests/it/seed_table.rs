//! The test table of seed 1, section 6, row by row, with effects counted at the simulated Stripe.

use effect::{Frozen, ReviewReason, Standing, hours, minutes};
use payment::{
    Account, Command, Converged,
    ports::{Answer, Expected, NoCredentials, Processor, Question, Request},
};
use stripe_wire::Stripe;

use crate::bench::{Bench, Call, DECLINED, PROCESSING, VISA, charge};

#[test]
fn row_1_the_same_order_asked_for_twice_is_one_operation() {
    let bench = Bench::new();
    bench.deliver(&charge("1", VISA)).unwrap();
    let first = bench.record();
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!(bench.record(), first);
    assert_eq!((first.payment.operations.len(), bench.intents()), (1, 1));
}

#[test]
fn row_2_a_lost_reply_is_unknown_and_the_same_key_then_shows_the_success() {
    let bench = Bench::new();
    bench.script_calls([Call::TimesOut]);
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Unknown, 1));
    bench.wake();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
    assert_eq!(bench.take_calls(), ["create", "create"]);
    bench.assert_every_create_is_the_same();
}

/// A client that lets its library draw a key for each call, as stripe-python does when none is given.
struct NewKeyPerSend {
    stripe: Stripe<Bench>,
    sends: std::cell::Cell<u32>,
}

impl Processor for NewKeyPerSend {
    async fn account(&self) -> Result<Account, NoCredentials> {
        self.stripe.account().await
    }

    fn prepare(&self, request: &Request, operation_id: &str, key: effect::ProviderKey) -> Frozen {
        self.stripe.prepare(request, operation_id, key)
    }

    async fn send(&self, frozen: &Frozen, expected: &Expected) -> Answer {
        self.sends.set(self.sends.get() + 1);
        let key = effect::ProviderKey::derive("any", &frozen.body, self.sends.get());
        self.stripe.send(&Frozen { key, ..frozen.clone() }, expected).await
    }

    async fn look_up(&self, question: &Question) -> Answer {
        self.stripe.look_up(question).await
    }
}

#[test]
fn row_3_a_new_key_for_every_retry_charges_twice_which_is_the_failure_reproduced() {
    let bench = Bench::new();
    let careless = NewKeyPerSend { stripe: Stripe::new(bench.clone()), sends: std::cell::Cell::new(0) };
    let command = Command::Charge(charge("1", VISA));
    bench.script_calls([Call::TimesOut]);
    bench.turn(&careless, &command, true).unwrap().unwrap();
    bench.pass(minutes(1));
    bench.turn(&careless, &command, true).unwrap().unwrap();
    assert_eq!(bench.effects().intents_succeeded, 2, "the customer pays twice");
    assert_eq!(bench.effects().amount_paid, 1_000);
}

#[test]
fn row_4_an_unknown_past_the_window_whose_key_is_gone_is_settled_by_looking_it_up() {
    let bench = Bench::new();
    bench.script_calls([Call::TimesOut]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.take_calls();
    bench.pass_to(hours(25));
    bench.wake();
    assert_eq!(bench.take_calls(), ["list", "retrieve"], "no create is sent");
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn row_4_the_same_request_sent_past_the_key_s_life_would_have_charged_twice() {
    let bench = Bench::new();
    bench.script_calls([Call::TimesOut]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.pass_to(hours(25));
    let frozen = bench.operation("charge/1").attempt.frozen.unwrap();
    let resend = stripe_sim::Request::post(&frozen.path, &frozen.body, "sk_test_sim", frozen.key.as_str());
    bench.stripe(|sim, now| sim.handle(now, &resend, stripe_sim::Fault::None));
    assert_eq!(bench.intents(), 2, "the key was pruned");
}

#[test]
fn row_5_a_decline_is_failed_and_nothing_more_is_sent_on_redelivery() {
    let bench = Bench::new();
    bench.deliver(&charge("1", DECLINED)).unwrap();
    assert_eq!(bench.standing("charge/1"), Standing::Failed);
    assert_eq!(bench.operation("charge/1").attempt.code.as_deref(), Some("generic_decline"));
    let settled = bench.record();
    bench.take_calls();
    for _ in 0..3 {
        bench.pass(minutes(6));
        bench.redeliver(&charge("1", DECLINED)).unwrap();
    }
    assert!(bench.take_calls().is_empty());
    assert_eq!((bench.record(), bench.intents()), (settled, 1));
}

#[test]
fn row_6_processing_is_unknown_and_a_retrieve_shows_what_became_of_it() {
    let bench = Bench::new();
    bench.deliver(&charge("1", PROCESSING)).unwrap();
    assert_eq!(bench.standing("charge/1"), Standing::Unknown);
    assert!(bench.announced().is_empty(), "nothing is announced as paid");
    bench.stripe(|sim, now| sim.settle_processing(now, "pi_000001", true).unwrap());
    bench.wake();
    assert_eq!(bench.take_calls(), ["create", "retrieve"], "a resend would only replay the first reply");
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn row_7_a_declined_intent_found_past_the_window_is_failed_and_no_success() {
    let bench = Bench::new();
    bench.script_calls([Call::TimesOut]);
    bench.deliver(&charge("1", DECLINED)).unwrap();
    assert_eq!(bench.standing("charge/1"), Standing::Unknown);
    bench.take_calls();
    bench.pass_to(hours(25));
    bench.wake();
    assert_eq!(bench.take_calls(), ["list", "retrieve", "cancel"]);
    let attempt = bench.operation("charge/1").attempt;
    assert_eq!((attempt.standing, attempt.code.as_deref()), (Standing::Failed, Some("generic_decline")));
}

#[test]
fn row_7_an_intent_that_was_never_attempted_is_not_taken_for_a_decline() {
    let bench = Bench::new();
    bench.script_calls([Call::At(stripe_sim::Fault::Error500BetweenCreateAndConfirm)]);
    bench.deliver(&charge("1", DECLINED)).unwrap();
    bench.pass_to(hours(25));
    bench.script_calls([Call::Works, Call::Works, Call::TimesOut]);
    bench.wake();
    assert_eq!(bench.standing("charge/1"), Standing::Unknown, "no last_payment_error: nothing was declined");
}

#[test]
fn row_8_nothing_found_past_the_window_stays_unknown_and_goes_to_a_person() {
    let bench = Bench::new();
    bench.script_calls([Call::Resets, Call::Resets]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.take_calls();
    bench.pass_to(hours(25));
    bench.wake();
    assert_eq!(bench.take_calls(), ["list", "search"]);
    assert_eq!(bench.standing("charge/1"), Standing::Unknown);
    assert_eq!(bench.review("charge/1"), Some(ReviewReason::WindowOver));
    assert_eq!(bench.announced(), ["PaymentReviewRequired charge/1"]);
    assert_eq!((bench.record().due_at, bench.intents()), (None, 0), "and no machine tries again");
}

#[test]
fn row_9_a_charge_accepted_three_days_ago_and_never_sent_is_sent_as_any_other() {
    let bench = Bench::new();
    let unreadable = || Err(NoCredentials("throttled"));
    bench.set_account(unreadable());
    bench.deliver(&charge("1", VISA)).unwrap();
    assert!(!bench.operation("charge/1").attempt.was_sent());
    bench.pass_to(hours(72));
    bench.set_account(Ok(Account { id: "acct_sim".to_owned(), live: false }));
    bench.wake();
    assert_eq!(bench.take_calls(), ["create"], "sent, and not looked up");
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn row_10_while_the_provider_call_is_in_flight_another_writer_can_update_the_payment() {
    let bench = Bench::new();
    bench.while_in_flight(|bench| {
        assert_eq!(bench.deliver(&charge("2", VISA)), Ok(Converged::Recorded));
        assert_eq!(bench.standing("charge/2"), Standing::Pending);
        assert!(bench.record().due_at.is_some(), "recorded, and due once the first worker's claim ends");
        assert_eq!(bench.take_calls(), ["create"], "it makes no call of its own");
    });
    assert_eq!(bench.deliver(&charge("1", VISA)), Ok(Converged::Recorded));
    assert_eq!(bench.standing("charge/1"), Standing::Succeeded, "the other write lost nothing");
    assert_eq!(bench.standing("charge/2"), Standing::Refused);
    assert_eq!(bench.intents(), 1);
}
