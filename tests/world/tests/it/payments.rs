//! What happens around one charge: its void, further attempts, reported facts, and what a person must see.

use effect::{Outcome, ReviewReason, Standing, hours, seconds};
use payment::{
    ALREADY_PAID, Account, CHARGE_SUCCEEDED, Charge, Converged, Malformed, NotRecorded, PaymentState,
    ports::NoCredentials,
};
use stripe_sim::Fault;

use crate::bench::{Bench, Call, DECLINED, PROCESSING, VISA, charge};

#[test]
fn a_declined_charge_s_intent_is_voided_at_once_and_nobody_hears_of_a_cancellation() {
    let bench = Bench::new();
    bench.deliver(&charge("1", DECLINED)).unwrap();
    assert_eq!(bench.take_calls(), ["create", "cancel"]);
    assert_eq!(
        (bench.standing("charge/1"), bench.standing("void/1")),
        (Standing::Failed, Standing::Succeeded)
    );
    let payment_id = charge("1", DECLINED).payment_id();
    let payable = bench.stripe(|sim, _| sim.paid_or_payable(payment_id.as_str()).count());
    assert_eq!(payable, 0, "nothing can pay it later");
    assert_eq!(bench.announced(), ["PaymentFailed charge/1"]);
    assert_eq!((bench.record().payment.state(), bench.record().due_at), (PaymentState::Failed, None));
}

#[test]
fn a_void_that_meets_a_success_adopts_it() {
    let bench = Bench::new();
    bench.while_in_flight(|bench| bench.stripe(|sim, now| sim.customer_pays(now, "pi_000001").unwrap()));
    bench.deliver(&charge("1", DECLINED)).unwrap();
    assert_eq!(
        (bench.standing("charge/1"), bench.standing("void/1")),
        (Standing::Succeeded, Standing::Failed)
    );
    assert_eq!(bench.operation("void/1").attempt.code.as_deref(), Some(CHARGE_SUCCEEDED));
    assert_eq!(bench.record().payment.state(), PaymentState::Captured);
    assert_eq!(bench.announced(), ["PaymentFailed charge/1", "PaymentCaptured charge/1"]);
    assert_eq!((bench.review("charge/1"), bench.record().due_at), (None, None));
}

#[test]
fn a_void_whose_reply_is_lost_is_retrieved_until_its_target_is_final() {
    let bench = Bench::new();
    bench.script_calls([Call::Works, Call::TimesOut]);
    bench.deliver(&charge("1", DECLINED)).unwrap();
    assert_eq!((bench.standing("charge/1"), bench.standing("void/1")), (Standing::Failed, Standing::Unknown));
    bench.take_calls();
    bench.wake();
    assert_eq!(bench.take_calls(), ["retrieve"]);
    assert_eq!(bench.standing("void/1"), Standing::Succeeded);
    assert_eq!(bench.effects().intents_canceled, 1);
}

#[test]
fn a_void_that_never_arrived_is_sent_again_once_a_retrieve_shows_the_intent_unchanged() {
    let bench = Bench::new();
    bench.script_calls([Call::Works, Call::Resets, Call::Resets]);
    bench.deliver(&charge("1", DECLINED)).unwrap();
    bench.take_calls();
    bench.wake();
    assert_eq!(bench.take_calls(), ["retrieve", "cancel"]);
    assert_eq!(
        (bench.standing("void/1"), bench.operation("void/1").attempt.generation),
        (Standing::Succeeded, 1)
    );
}

#[test]
fn a_further_attempt_is_pending_behind_an_unsettled_one_and_refused_behind_its_success() {
    let bench = Bench::new();
    bench.deliver(&charge("1", PROCESSING)).unwrap();
    bench.deliver(&charge("2", VISA)).unwrap();
    assert_eq!(bench.standing("charge/2"), Standing::Pending);
    assert_eq!(bench.take_calls(), ["create"], "nothing is sent for it");
    bench.stripe(|sim, now| sim.settle_processing(now, "pi_000001", true).unwrap());
    bench.wake();
    assert_eq!(bench.standing("charge/2"), Standing::Refused);
    assert_eq!(bench.operation("charge/2").attempt.code.as_deref(), Some(ALREADY_PAID));
    assert_eq!(bench.announced(), ["PaymentCaptured charge/1", "OperationRefused charge/2"]);
    assert_eq!(bench.intents(), 1);
}

#[test]
fn a_further_attempt_behind_a_success_is_refused_without_a_call() {
    let bench = Bench::new();
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.take_calls();
    bench.deliver(&charge("2", VISA)).unwrap();
    assert_eq!(bench.standing("charge/2"), Standing::Refused);
    assert!(bench.take_calls().is_empty());
}

#[test]
fn a_further_attempt_begins_only_once_the_declined_intent_is_canceled() {
    let bench = Bench::new();
    bench.script_calls([Call::Works, Call::Resets, Call::Resets]);
    bench.deliver(&charge("1", DECLINED)).unwrap();
    bench.deliver(&charge("2", VISA)).unwrap();
    assert_eq!(bench.standing("charge/2"), Standing::Pending, "the first intent can still be paid");
    assert_eq!(bench.intents(), 1);
    bench.take_calls();
    bench.wake();
    assert_eq!(bench.take_calls(), ["retrieve", "cancel", "create"]);
    assert_eq!(
        (bench.standing("void/1"), bench.standing("charge/2")),
        (Standing::Succeeded, Standing::Succeeded)
    );
    assert_eq!((bench.intents(), bench.effects().intents_succeeded), (2, 1));
}

#[test]
fn a_further_attempt_is_refused_if_the_declined_intent_is_paid_before_its_void() {
    let bench = Bench::new();
    bench.script_calls([Call::Works, Call::Resets, Call::Resets]);
    bench.deliver(&charge("1", DECLINED)).unwrap();
    bench.deliver(&charge("2", VISA)).unwrap();
    bench.stripe(|sim, now| sim.customer_pays(now, "pi_000001").unwrap());
    bench.wake_until_it_rests();
    assert_eq!(
        (bench.standing("charge/1"), bench.standing("charge/2")),
        (Standing::Succeeded, Standing::Refused)
    );
    assert_eq!((bench.intents(), bench.effects().intents_succeeded), (1, 1));
}

#[test]
fn a_further_attempt_rests_behind_a_review() {
    let bench = Bench::new();
    bench.script_calls([Call::Resets, Call::Resets]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.deliver(&charge("2", VISA)).unwrap();
    bench.pass_to(hours(25));
    bench.wake_until_it_rests();
    assert_eq!(bench.review("charge/1"), Some(ReviewReason::WindowOver));
    assert_eq!((bench.standing("charge/2"), bench.intents()), (Standing::Pending, 0));
}

#[test]
fn the_same_ref_with_other_parameters_is_refused_announced_once_and_has_no_effect() {
    let bench = Bench::new();
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.take_calls();
    let other = Charge { amount: 501.try_into().unwrap(), ..charge("1", VISA) };
    for _ in 0..3 {
        assert_eq!(bench.deliver(&other), Ok(Converged::Recorded), "it is acknowledged");
    }
    assert_eq!(bench.announced(), ["PaymentCaptured charge/1", "OperationRefused charge/1"]);
    let event = bench.stream().iter().flat_map(payment::announced).last().unwrap();
    assert_eq!(event.detail["data"]["reason"], "parameters_differ");
    assert!(bench.take_calls().is_empty());
    assert_eq!((bench.effects().amount_paid, bench.standing("charge/1")), (500, Standing::Succeeded));
}

#[test]
fn another_account_or_mode_than_the_first_send_s_is_for_a_person_and_is_never_sent_to() {
    for (id, live) in [("acct_other", false), ("acct_sim", true)] {
        let bench = Bench::new();
        bench.script_calls([Call::TimesOut]);
        bench.deliver(&charge("1", VISA)).unwrap();
        bench.take_calls();
        bench.set_account(Ok(Account { id: id.to_owned(), live }));
        bench.wake();
        assert!(bench.take_calls().is_empty(), "neither sent nor looked up there");
        assert_eq!(bench.review("charge/1"), Some(ReviewReason::AccountChanged));
        assert_eq!(bench.announced(), ["PaymentReviewRequired charge/1"]);
    }
}

#[test]
fn an_account_that_changed_before_the_first_send_is_no_change() {
    let bench = Bench::new();
    bench.set_account(Err(NoCredentials("denied")));
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.set_account(Ok(Account { id: "acct_other".to_owned(), live: false }));
    bench.wake();
    assert_eq!(bench.standing("charge/1"), Standing::Succeeded);
}

#[test]
fn a_success_reported_after_the_review_clears_it_and_says_so() {
    let bench = Bench::new();
    bench.script_calls([Call::Resets, Call::Resets]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.pass_to(hours(25));
    bench.wake_until_it_rests();
    assert_eq!(bench.review("charge/1"), Some(ReviewReason::WindowOver));
    bench.report(&charge("1", VISA), "pi_9", Outcome::Succeeded);
    bench.report(&charge("1", VISA), "pi_9", Outcome::Succeeded);
    assert_eq!((bench.standing("charge/1"), bench.review("charge/1")), (Standing::Succeeded, None));
    assert_eq!(
        bench.announced(),
        ["PaymentReviewRequired charge/1", "PaymentCaptured charge/1", "PaymentReviewResolved charge/1"]
    );
}

#[test]
fn a_fact_reported_while_the_call_is_in_flight_is_not_undone_by_the_worker_s_own_timeout() {
    let bench = Bench::new();
    bench.script_calls([Call::TimesOut]);
    bench.while_in_flight(|bench| bench.report(&charge("1", VISA), "pi_000001", Outcome::Succeeded));
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!((bench.standing("charge/1"), bench.record().due_at), (Standing::Succeeded, None));
    assert_eq!(bench.announced(), ["PaymentCaptured charge/1"]);
    assert_eq!(bench.take_calls(), ["create"]);
}

#[test]
fn both_ends_of_one_intent_are_for_a_person_whichever_is_reported_first() {
    let ends = [Outcome::Canceled, Outcome::Succeeded];
    let after = |order: [usize; 2]| {
        let bench = Bench::new();
        bench.script_calls([Call::Works, Call::Resets, Call::Resets]);
        bench.deliver(&charge("1", DECLINED)).unwrap();
        for end in order {
            bench.report(&charge("1", DECLINED), "pi_000001", ends[end].clone());
        }
        assert_eq!(bench.review("charge/1"), Some(ReviewReason::TwoEnds));
        (bench.standing("charge/1"), bench.standing("void/1"))
    };
    assert_eq!(after([0, 1]), (Standing::Succeeded, Standing::Succeeded));
    assert_eq!(after([1, 0]), (Standing::Succeeded, Standing::Succeeded));
}

#[test]
fn what_never_becomes_final_goes_to_a_person_after_15_days() {
    let bench = Bench::new();
    bench.deliver(&charge("1", PROCESSING)).unwrap();
    bench.wake_until_it_rests();
    assert_eq!(bench.review("charge/1"), Some(ReviewReason::NotFinal));
    assert!(bench.now_is_after(hours(15 * 24)) && !bench.now_is_after(hours(15 * 24) + hours(3)));
    assert_eq!(bench.announced(), ["PaymentReviewRequired charge/1"]);
}

#[test]
fn every_charge_that_can_end_ends_whatever_stripe_s_first_fault_was() {
    for fault in [
        Fault::Error500Before,
        Fault::Error500After,
        Fault::Error500BetweenCreateAndConfirm,
        Fault::RateLimit429,
        Fault::LockTimeout429,
        Fault::Unavailable503Before,
    ] {
        for card in [VISA, DECLINED] {
            let bench = Bench::new();
            bench.script_calls([Call::At(fault)]);
            bench.deliver(&charge("1", card)).unwrap();
            bench.wake_until_it_rests();
            let rests = bench.operation("charge/1").attempt.rests();
            assert!(rests && bench.intents() <= 1, "{fault:?} {card}");
            assert_eq!(
                bench.review("charge/1").is_some(),
                fault == Fault::Error500Before,
                "{fault:?} {card}"
            );
        }
    }
}

#[test]
fn a_send_starts_only_if_the_time_left_covers_it_and_both_its_writes() {
    let bench = Bench::new();
    bench.leave_time(seconds(26) - 1);
    assert_eq!(bench.deliver(&charge("1", VISA)), Ok(Converged::Recorded), "recorded, and due");
    assert!(bench.take_calls().is_empty());
    assert!(!bench.operation("charge/1").attempt.was_sent());
    bench.leave_time(seconds(26));
    bench.wake();
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!((bench.take_calls(), bench.standing("charge/1")), (vec!["create"], Standing::Succeeded));
}

#[test]
fn a_worker_without_time_for_one_write_reports_its_message() {
    let bench = Bench::new();
    bench.leave_time(seconds(3) - 1);
    assert_eq!(bench.deliver(&charge("1", VISA)), Err(NotRecorded::NoTime));
    assert!(bench.records().is_empty());
}

#[test]
fn an_intent_whose_write_took_all_the_time_is_not_sent_and_its_window_closes_again() {
    let bench = Bench::new();
    bench.before_the_next_write(|bench| bench.pass(seconds(40)));
    bench.deliver(&charge("1", VISA)).unwrap();
    assert!(bench.take_calls().is_empty());
    assert_eq!(bench.operation("charge/1").attempt.first_sent_at, None);
    bench.pass(hours(30));
    bench.wake();
    assert_eq!((bench.standing("charge/1"), bench.intents()), (Standing::Succeeded, 1));
}

#[test]
fn a_payment_takes_a_hundred_operations_and_no_more() {
    let bench = Bench::new();
    for n in 1..=100 {
        assert_eq!(bench.deliver(&charge(&n.to_string(), VISA)), Ok(Converged::Recorded));
    }
    let refused = bench.deliver(&charge("101", VISA));
    assert_eq!(refused, Ok(Converged::Rejected(Malformed::TooManyOperations(100))));
    assert_eq!((bench.intents(), bench.record().payment.operations.len()), (1, 100));
    let bytes = serde_json::to_vec(&bench.record()).unwrap().len();
    assert!(bytes < 100_000, "{bytes} bytes, far below the table's 400 KB");
}

#[test]
fn a_sent_charge_is_followed_up_or_handed_over_even_when_the_one_before_it_comes_back() {
    let bench = Bench::new();
    bench.deliver(&charge("1", DECLINED)).unwrap();
    bench.script_calls([Call::TimesOut]);
    bench.deliver(&charge("2", VISA)).unwrap();
    assert_eq!((bench.standing("charge/2"), bench.intents()), (Standing::Unknown, 2));
    // The first intent was canceled, and is now reported paid: that one is for a person.
    bench.report(&charge("1", DECLINED), "pi_000001", Outcome::Succeeded);
    assert_eq!(bench.review("charge/1"), Some(ReviewReason::TwoEnds));
    let is_handed_over = bench.review("charge/2").is_some();
    assert!(bench.record().due_at.is_some() || is_handed_over, "its own outcome must not be forgotten");
}
