//! Refunds: the cap, what is kept in reserve, and what a bank sends back.

use effect::{Fact, Note, Outcome, ReviewReason, Standing, Status, hours};
use payment::{
    AMOUNT_ABOVE_REFUNDABLE, CaptureMethod, Command, Kind, NOT_CAPTURED, PaymentState, Step as Next,
    announced,
};

use crate::{
    asking::{capture, charge, refund},
    story::{CAPTURE, CHARGE, REFUND, Story, named},
};

const SECOND: (Kind, usize) = (Kind::Refund, 1);

fn declined() -> Option<Outcome> {
    Some(Outcome::Declined("expired_or_canceled_card".to_owned()))
}

#[test]
fn a_refund_without_an_amount_gives_all_back() {
    let story = Story::captured().asks(refund(0, None)).sends(REFUND);
    assert_eq!((story.state(), story.refundable()), (PaymentState::Refunding, 0));
    let story = story.shows(REFUND, Some(Outcome::Succeeded));
    assert_eq!((story.state(), story.next()), (PaymentState::Refunded, Next::Stop));
    let event = &announced(&story.record)[0];
    assert_eq!((event.kind.as_str(), &event.detail["data"]["amount"]), ("RefundSucceeded", &10_000.into()));
    assert_eq!(event.detail["data"]["provider_ids"], serde_json::json!(["re_1"]));
}

#[test]
fn two_refunds_of_a_part_run_side_by_side() {
    let story = Story::captured().asks(refund(0, Some(3_000))).asks(refund(1, Some(2_000)));
    let story = story.sends(REFUND).notes(REFUND, Note::Ambiguous { resend: false });
    let story = story.sends(SECOND).shows(SECOND, Some(Outcome::Succeeded));
    assert_eq!((story.state(), story.refundable()), (PaymentState::Refunding, 5_000));
    let story = story.shows(REFUND, Some(Outcome::Succeeded));
    assert_eq!((story.state(), story.refundable()), (PaymentState::PartiallyRefunded, 5_000));
}

#[test]
fn of_two_refunds_that_are_too_much_together_the_later_is_refused_before_any_send() {
    let story = Story::captured().asks(refund(0, Some(7_000))).asks(refund(1, Some(7_000)));
    assert_eq!(story.end(SECOND), (Standing::Refused, Some(AMOUNT_ABOVE_REFUNDABLE)));
    let story = story.sends(REFUND).shows(REFUND, Some(Outcome::Succeeded));
    assert_eq!((story.next(), story.refundable()), (Next::Stop, 3_000));
    assert_eq!(story.event_count("OperationRefused refund/2"), 1);
}

#[test]
fn a_refund_when_nothing_is_left_is_refused() {
    let story = Story::captured().asks(refund(0, None)).asks(refund(1, None));
    assert_eq!(story.end(SECOND), (Standing::Refused, Some(AMOUNT_ABOVE_REFUNDABLE)));
}

#[test]
fn what_is_reserved_stays_so_while_the_refund_is_unknown_and_is_free_once_it_ended_without_effect() {
    let sent = Story::captured().asks(refund(0, Some(7_000))).sends(REFUND);
    let unknown = sent.clone().notes(REFUND, Note::Ambiguous { resend: false });
    assert_eq!((unknown.state(), unknown.refundable()), (PaymentState::Refunding, 3_000));
    let reviewed = unknown.clone().needs_a_person(REFUND, ReviewReason::WindowOver);
    assert_eq!(reviewed.refundable(), 3_000, "it may exist");
    let ends = [
        unknown.clone().shows(REFUND, declined()),
        unknown.shows(REFUND, Some(Outcome::Canceled)),
        sent.refuses(REFUND),
    ];
    for story in ends {
        assert_eq!((story.state(), story.refundable()), (PaymentState::Captured, 10_000));
        let story = story.asks(refund(1, None)).sends(SECOND);
        assert_eq!(story.refundable(), 0);
    }
}

#[test]
fn a_pending_refund_that_fails_days_later_is_announced_once_and_free_again_once() {
    let pending = Story::captured().asks(refund(0, Some(3_000))).sends(REFUND).shows(REFUND, None);
    let pending = pending.notes(REFUND, Note::Status(Status::Processing)).waits_ms(hours(72));
    assert_eq!((pending.state(), pending.refundable()), (PaymentState::Refunding, 7_000));
    for end in [declined(), Some(Outcome::Canceled)] {
        let story = pending.clone().shows(REFUND, end.clone()).shows(REFUND, end);
        assert_eq!((story.state(), story.refundable()), (PaymentState::Captured, 10_000));
        assert_eq!(story.events, ["PaymentCaptured charge/1", "RefundFailed refund/1"]);
        let story = story.asks(refund(1, Some(10_000))).sends(SECOND);
        assert_eq!(story.state(), PaymentState::Refunding);
    }
}

#[test]
fn a_refund_that_fails_after_it_succeeded_is_announced_as_both_and_free_again_once() {
    let story = Story::captured().asks(refund(0, None)).sends(REFUND).shows(REFUND, Some(Outcome::Succeeded));
    let story = story.waits_ms(hours(72)).shows(REFUND, declined()).shows(REFUND, declined());
    let story = story.shows(REFUND, Some(Outcome::Succeeded));
    assert_eq!((story.state(), story.refundable()), (PaymentState::Captured, 10_000));
    assert_eq!(story.end(REFUND), (Standing::Failed, Some("expired_or_canceled_card")));
    assert_eq!(
        story.events,
        ["PaymentCaptured charge/1", "RefundSucceeded refund/1", "RefundFailed refund/1"]
    );
    assert!(!story.record.payment.needs_review());
}

#[test]
fn a_refund_repeated_while_its_reply_is_lost_is_the_same_one() {
    let story = Story::captured().asks(refund(0, Some(3_000))).sends(REFUND);
    let again = story.clone().asks(refund(0, Some(3_000)));
    assert_eq!(again.record.payment, story.record.payment);
    let other = story.asks(refund(0, Some(4_000)));
    assert_eq!((other.refundable(), other.event_count("OperationRefused refund/1")), (7_000, 1));
}

#[test]
fn what_an_operation_is_judged_by_leaves_out_itself_and_whatever_came_later() {
    let of = |story: &Story, name, places: u32| {
        let payment = &story.record.payment;
        let seq = payment.operations[&named(name)].seq + places;
        (payment.state_before(seq), payment.totals_before(seq).reserved)
    };
    let story = Story::captured().asks(refund(0, Some(3_000)));
    assert_eq!(of(&story, CHARGE, 0).0, PaymentState::Created);
    assert_eq!(of(&story, REFUND, 0), (PaymentState::Captured, 0));
    assert_eq!(of(&story, REFUND, 1), (PaymentState::Refunding, 3_000));
    let story = story.sends(REFUND);
    assert_eq!(of(&story, REFUND, 0), (PaymentState::Captured, 3_000), "what was sent may have happened");
}

#[test]
fn a_refund_of_money_that_is_only_held_is_refused() {
    let story = Story::authorized().asks(refund(0, None));
    assert_eq!(story.end(REFUND), (Standing::Refused, Some(NOT_CAPTURED)));
    assert_eq!((story.next(), story.state()), (Next::Stop, PaymentState::Authorized));
}

#[test]
fn a_refund_waits_for_the_capture_and_gives_back_what_that_took() {
    let story = Story::authorized().asks(capture(0, Some(3_000))).asks(refund(0, None));
    assert!(!story.is_decided(REFUND));
    let story = story.sends(CAPTURE).shows(CHARGE, Some(Outcome::Partly(3_000))).sends(REFUND);
    let story = story.shows(REFUND, Some(Outcome::Succeeded));
    assert_eq!((story.state(), story.record.payment.totals().refunded), (PaymentState::Refunded, 3_000));
}

#[test]
fn a_refund_waits_for_a_charge_and_runs_when_it_is_captured() {
    let story = Story::begins(CaptureMethod::Automatic).sends(CHARGE).asks(refund(0, None));
    assert!(!story.is_decided(REFUND));
    let story = story.shows(CHARGE, Some(Outcome::Succeeded)).sends(REFUND);
    assert_eq!(story.state(), PaymentState::Refunding);
}

#[test]
fn a_refund_rests_when_nobody_knows_whose_money_it_would_give_back() {
    let story = Story::captured().asks(refund(0, None));
    let mut payment = story.record.payment.clone();
    let other = Fact { id: "pi_other".to_owned(), outcome: Some(Outcome::Succeeded) };
    payment.absorb(&named(CHARGE), &other);
    let two_ids = Story { record: payment::Record { payment, ..story.record.clone() }, ..story }.waits_ms(0);
    assert_eq!((two_ids.next(), two_ids.record.due_at), (Next::Stop, None));
    assert!(two_ids.record.payment.needs_review());
}

#[test]
fn an_event_of_a_refund_speaks_of_the_money_it_gave_back_and_not_of_a_later_request() {
    let Command::Charge(mut dollars) = charge(1, 10_000, CaptureMethod::Automatic) else {
        panic!("a charge")
    };
    dollars.currency = "usd".parse().unwrap();
    let story = Story::captured().asks(Command::Charge(dollars)).asks(refund(0, None)).sends(REFUND);
    let story = story.shows(REFUND, Some(Outcome::Succeeded));
    assert_eq!(announced(&story.record)[0].detail["data"]["currency"], "jpy");
}
