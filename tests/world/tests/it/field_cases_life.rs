//! Field cases C8, D1, D3, D4 and D5: what follows a charge.

use effect::{Outcome, Standing, hours};
use payment::{
    ALREADY_CAPTURED, AMOUNT_ABOVE_REFUNDABLE, AUTHORIZATION_ENDED, CaptureMethod, Command, IfCaptured,
    NOT_CAPTURED, OperationKey, PaymentState,
};
use stripe_sim::RefundStatus;

use crate::bench::{ACTION, Bench, Call, PROCESSING, cancel, capture, charge, charge_of_10_000, refund};

fn captured_10_000() -> Bench {
    let bench = Bench::new();
    bench.ask(&charge_of_10_000(CaptureMethod::Automatic));
    bench.take_calls();
    bench
}

fn held_10_000() -> Bench {
    let bench = Bench::new();
    bench.ask(&charge_of_10_000(CaptureMethod::Manual));
    assert_eq!(state(&bench), PaymentState::Authorized);
    bench.take_calls();
    bench
}

fn state(bench: &Bench) -> PaymentState {
    bench.record().payment.state()
}

fn code(bench: &Bench, name: &str) -> Option<String> {
    bench.operation(name).attempt.code
}

#[test]
fn c8_a_charge_that_waits_for_its_customer_is_announced_once_and_canceled_in_the_end() {
    let bench = Bench::new();
    let waiting = Command::Charge(charge("1", ACTION));
    for _ in 0..4 {
        bench.ask(&waiting);
    }
    assert_eq!((bench.intents(), bench.standing("charge/1")), (1, Standing::Unknown));
    assert!(bench.operation("charge/1").outcomes.contains_key("action_required"));
    bench.wake_until_it_rests();
    assert!(bench.now_is_after(hours(24)));
    assert_eq!((state(&bench), bench.effects().cancels), (PaymentState::Canceled, 1));
    assert_eq!(bench.standing("cancel/timeout-1"), Standing::Succeeded);
    assert!(!bench.operation("cancel/timeout-1").outcomes.contains_key("succeeded"), "it is our own affair");
}

#[test]
fn c8_a_charge_in_processing_is_paid_by_the_webhook_days_later_and_announced_once() {
    for (paid, end) in [(true, PaymentState::Captured), (false, PaymentState::Failed)] {
        let bench = Bench::new();
        bench.ask(&Command::Charge(charge("1", PROCESSING)));
        assert_eq!(state(&bench), PaymentState::Authorizing, "and nothing is said of it");
        assert!(bench.operation("charge/1").outcomes.is_empty());
        bench.pass(hours(96));
        bench.stripe(|sim, now| sim.settle_processing(now, "pi_000001", paid).unwrap());
        let outcome =
            if paid { Outcome::Succeeded } else { Outcome::Declined("insufficient_funds".to_owned()) };
        for _ in 0..2 {
            bench.report(&charge("1", PROCESSING), "pi_000001", outcome.clone());
        }
        assert_eq!((state(&bench), bench.intents()), (end, 1));
        assert_eq!(bench.operation("charge/1").outcomes.len(), 1);
    }
}

#[test]
fn d1_a_refund_whose_reply_is_lost_is_one_refund_however_often_it_is_asked_for() {
    let bench = captured_10_000();
    bench.script_calls([Call::TimesOut]);
    bench.ask(&refund("r-1", Some(3_000)));
    assert_eq!(bench.standing("refund/r-1"), Standing::Unknown);
    bench.ask(&refund("r-1", Some(3_000)));
    bench.wake_until_it_rests();
    bench.ask(&refund("r-1", Some(3_000)));
    let effects = bench.effects();
    assert_eq!((effects.refunds, effects.amount_refunded), (1, 3_000));
    assert_eq!(bench.operation("refund/r-1").attempt.ids.len(), 1);
    let distinct: std::collections::BTreeSet<String> =
        bench.requests("refund").iter().map(|request| format!("{request:?}")).collect();
    assert_eq!(distinct.len(), 1, "each send was the same to the byte, key included");
    assert_eq!(state(&bench), PaymentState::PartiallyRefunded);
}

#[test]
fn d1_a_refund_past_its_key_window_is_looked_up_and_never_sent() {
    for carried_out in [true, false] {
        let bench = captured_10_000();
        bench.script_calls([if carried_out { Call::TimesOut } else { Call::Resets }, Call::Resets]);
        bench.ask(&refund("r-1", Some(3_000)));
        bench.end_script();
        bench.take_calls();
        bench.pass_to(hours(25));
        bench.wake();
        let calls = bench.take_calls();
        assert!(!calls.contains(&"refund") && calls.contains(&"list refunds"), "{calls:?}");
        assert_eq!(bench.effects().refunds, u64::from(carried_out));
        let settled = bench.standing("refund/r-1") == Standing::Succeeded;
        assert_eq!((settled, bench.review("refund/r-1").is_some()), (carried_out, !carried_out));
    }
}

#[test]
fn d3_two_refunds_of_more_than_there_is_are_one_refund_and_one_refusal_without_a_call() {
    let bench = captured_10_000();
    // The second one comes while the first is in flight.
    bench.while_in_flight(|bench| bench.ask(&refund("r-2", Some(7_000))));
    bench.ask(&refund("r-1", Some(7_000)));
    bench.wake_until_it_rests();
    assert_eq!((bench.effects().refunds, bench.effects().amount_refunded), (1, 7_000));
    assert_eq!(bench.requests("refund").len(), 1);
    assert_eq!(code(&bench, "refund/r-2").as_deref(), Some(AMOUNT_ABOVE_REFUNDABLE));
}

#[test]
fn d3_a_reservation_is_kept_while_unknown_and_released_by_a_failure() {
    let bench = captured_10_000();
    bench.script_calls([Call::Resets, Call::Resets]);
    bench.ask(&refund("r-1", Some(7_000)));
    bench.ask(&refund("r-2", Some(7_000)));
    assert_eq!(bench.standing("refund/r-1"), Standing::Unknown);
    assert_eq!(bench.standing("refund/r-2"), Standing::Refused, "what is unknown may have happened");
    bench.wake_until_it_rests();
    bench.stripe(|sim, now| sim.settle_refund(now, "re_000001", RefundStatus::Failed).unwrap());
    let key = OperationKey::refund("r-1".parse().unwrap());
    for _ in 0..2 {
        bench.report_of(&key, "re_000001", Outcome::Declined("lost_or_stolen_card".to_owned()));
    }
    bench.ask(&refund("r-3", Some(10_000)));
    assert_eq!(bench.standing("refund/r-3"), Standing::Succeeded, "all of it is there again, once");
    assert_eq!(bench.effects().amount_refunded, 10_000);
}

#[test]
fn d4_the_wrong_verb_for_the_state_is_refused_without_a_call() {
    let bench = held_10_000();
    bench.ask(&refund("r-1", None));
    assert_eq!(code(&bench, "refund/r-1").as_deref(), Some(NOT_CAPTURED));
    let bench = captured_10_000();
    bench.ask(&cancel("x-1", IfCaptured::Refuse));
    assert_eq!(code(&bench, "cancel/x-1").as_deref(), Some(ALREADY_CAPTURED));
    bench.ask(&capture("c-1", None));
    assert_eq!(code(&bench, "capture/c-1").as_deref(), Some(ALREADY_CAPTURED));
    assert!(bench.take_calls().is_empty());
}

#[test]
fn d4_what_another_did_meanwhile_is_looked_at_and_adopted() {
    // Somebody captured it at the dashboard.
    let bench = held_10_000();
    bench.stripe(|sim, now| {
        let request =
            stripe_sim::Request::post("/v1/payment_intents/pi_000001/capture", "", "sk_test_sim", "k1");
        assert_eq!(sim.handle(now, &request, stripe_sim::Fault::None).status, 200);
    });
    bench.ask(&capture("c-1", None));
    assert_eq!((state(&bench), bench.standing("capture/c-1")), (PaymentState::Captured, Standing::Succeeded));
    // The authorization ended before the capture came.
    let bench = held_10_000();
    bench.pass(hours(24 * 8));
    bench.ask(&capture("c-1", None));
    assert_eq!((state(&bench), bench.standing("capture/c-1")), (PaymentState::Canceled, Standing::Refused));
    assert_eq!(code(&bench, "capture/c-1").as_deref(), Some(AUTHORIZATION_ENDED));
    // A cancel again, and a capture again, are known.
    let bench = held_10_000();
    for _ in 0..2 {
        bench.ask(&cancel("x-1", IfCaptured::Refuse));
    }
    assert_eq!((bench.take_calls(), state(&bench)), (vec!["cancel"], PaymentState::Canceled));
}

#[test]
fn d5_a_refund_that_pends_and_fails_leaves_the_payment_captured_and_can_be_made_again() {
    for end in [RefundStatus::Failed, RefundStatus::Canceled] {
        let bench = Bench::new();
        let card = if end == RefundStatus::Failed {
            "pm_sim_refund_pending_fails"
        } else {
            "pm_sim_refund_pending_canceled"
        };
        bench.ask(&Command::Charge(charge("1", card)));
        bench.ask(&refund("r-1", None));
        assert_eq!(state(&bench), PaymentState::Refunding);
        bench.ask(&refund("r-2", None));
        assert_eq!(bench.standing("refund/r-2"), Standing::Refused, "what pends is held");
        bench.pass(hours(72));
        bench.stripe(|sim, now| sim.settle_refund(now, "re_000001", end).unwrap());
        bench.wake_until_it_rests();
        assert_eq!(state(&bench), PaymentState::Captured);
        assert_eq!(bench.operation("refund/r-1").outcomes.len(), 1, "one event");
        bench.ask(&refund("r-3", None));
        assert_eq!(bench.effects().refunds, 2);
        assert_eq!(bench.operation("refund/r-3").attempt.ids.len(), 1);
    }
}

#[test]
fn an_authorization_is_looked_at_before_it_ends_and_its_end_is_adopted() {
    let bench = held_10_000();
    let due_at = bench.record().due_at.unwrap();
    assert!(
        due_at.since_ms(crate::bench::START) < hours(5 * 24),
        "the shortest authorization lasts five days"
    );
    bench.wake_until_it_rests();
    assert_eq!(state(&bench), PaymentState::Canceled);
    assert!(bench.operation("charge/1").outcomes.contains_key("canceled"));
}

#[test]
fn a_cancel_that_comes_too_late_gives_the_money_back_if_it_says_so() {
    let bench = captured_10_000();
    bench.ask(&cancel("x-1", IfCaptured::Refund));
    bench.ask(&cancel("x-1", IfCaptured::Refund));
    assert_eq!((state(&bench), bench.take_calls()), (PaymentState::Refunded, vec!["refund"]));
    assert_eq!(bench.standing("refund/cancel-x-1"), Standing::Succeeded);
}

#[test]
fn a_capture_is_one_read_two_writes_and_one_call() {
    let bench = held_10_000();
    bench.take_tally();
    bench.ask(&capture("c-1", Some(4_000)));
    assert_eq!(bench.take_tally(), crate::bench::Tally { writes: 2, refused: 0, loads: 1 });
    assert_eq!(bench.take_calls(), ["capture"]);
    assert_eq!(bench.effects().amount_captured, 4_000);
}
