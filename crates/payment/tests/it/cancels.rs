//! Cancels, by the caller and by the clock.

use effect::{Note, Outcome, ReviewReason, Rules, Standing, hours};
use payment::{
    ALREADY_CAPTURED, CaptureMethod, Kind, NOT_CAPTURED, NOTHING_TO_CANCEL, OperationKey, PAYMENT_CANCELED,
    Payment, PaymentState, REFUNDED_INSTEAD, Step as Next,
};

use crate::{
    asking::{cancel, capture, charge, refund},
    histories::NOW,
    payments::{planned_at, with},
    story::{CANCEL, CHARGE, REFUND, Story, named},
};

#[test]
fn a_cancel_before_anything_was_sent_needs_no_call() {
    let story = Story::begins(CaptureMethod::Automatic).asks(cancel(0, false));
    assert_eq!((story.standing(CANCEL), story.state()), (Standing::Succeeded, PaymentState::Canceled));
    assert_eq!((story.next(), story.record.due_at), (Next::Stop, None));
    assert_eq!(story.events, ["PaymentCanceled charge/1"]);
}

#[test]
fn a_refund_that_waited_for_a_charge_canceled_so_is_refused_in_the_same_plan() {
    let story = Story::begins(CaptureMethod::Automatic).asks(refund(0, None)).asks(cancel(0, false));
    assert_eq!(story.end(REFUND), (Standing::Refused, Some(NOT_CAPTURED)));
    assert_eq!(story.record.due_at, None);
}

#[test]
fn a_cancel_waits_for_an_unknown_charge() {
    let story = Story::begins(CaptureMethod::Automatic).sends(CHARGE).asks(cancel(0, false));
    let story = story.notes(CHARGE, Note::Ambiguous { resend: false });
    assert!(!story.is_decided(CANCEL));
    let paid = story.clone().shows(CHARGE, Some(Outcome::Succeeded));
    assert_eq!(paid.end(CANCEL), (Standing::Refused, Some(ALREADY_CAPTURED)));
    let held = story.shows(CHARGE, Some(Outcome::Authorized)).sends(CANCEL);
    assert_eq!(held.state(), PaymentState::Authorized, "until the provider says otherwise");
}

#[test]
fn a_cancel_waits_for_a_send_that_was_then_not_carried_out_and_ends_it_without_a_call() {
    let story = Story::begins(CaptureMethod::Automatic).sends(CHARGE).asks(cancel(0, false));
    let story = story.notes(CHARGE, Note::NotDone);
    assert_eq!((story.standing(CANCEL), story.state()), (Standing::Succeeded, PaymentState::Canceled));
}

#[test]
fn a_cancel_of_a_charge_that_waits_for_its_customer_runs_at_once() {
    let story =
        Story::unanswered().asks(cancel(0, false)).sends(CANCEL).shows(CHARGE, Some(Outcome::Canceled));
    assert_eq!((story.standing(CANCEL), story.state()), (Standing::Succeeded, PaymentState::Canceled));
    assert_eq!(story.events, ["PaymentActionRequired charge/1", "PaymentCanceled charge/1"]);
    assert_eq!(story.next(), Next::Stop);
}

#[test]
fn a_cancel_of_an_authorization_releases_it() {
    let story =
        Story::authorized().asks(cancel(0, false)).sends(CANCEL).shows(CHARGE, Some(Outcome::Canceled));
    assert_eq!((story.standing(CANCEL), story.state()), (Standing::Succeeded, PaymentState::Canceled));
}

#[test]
fn a_cancel_waits_for_a_capture_and_comes_too_late() {
    let story = Story::authorized().asks(capture(0, None)).asks(cancel(0, false));
    assert!(!story.is_decided(CANCEL));
    let story = story.sends((Kind::Capture, 0)).shows(CHARGE, Some(Outcome::Succeeded));
    assert_eq!(story.end(CANCEL), (Standing::Refused, Some(ALREADY_CAPTURED)));
}

#[test]
fn a_cancel_of_captured_money_is_refused_unless_it_asked_to_refund() {
    let story = Story::captured().asks(cancel(0, false));
    assert_eq!(story.end(CANCEL), (Standing::Refused, Some(ALREADY_CAPTURED)));
    assert_eq!(story.events.last().unwrap(), "OperationRefused cancel/1");
    assert_eq!((story.state(), story.next()), (PaymentState::Captured, Next::Stop));
}

#[test]
fn a_cancel_that_asked_to_refund_becomes_the_refund_of_all_that_is_left() {
    let story = Story::captured().asks(refund(0, Some(2_000))).asks(cancel(0, true));
    assert_eq!(story.end(CANCEL), (Standing::Refused, Some(REFUNDED_INSTEAD)));
    let derived = OperationKey::refund_of(&named(CANCEL));
    assert_eq!(derived.to_string(), "refund/cancel-1");
    let operation = &story.record.payment.operations[&derived];
    assert_eq!(operation.causation_id.as_deref(), Some("evt-cancel-0"), "the cause is carried");
    assert_eq!(story.refundable(), 0);
    let story = story.sends(REFUND).shows(REFUND, Some(Outcome::Succeeded)).sends_key(&derived);
    let story = story.shows_key(&derived, Some(Outcome::Succeeded));
    assert_eq!(story.state(), PaymentState::Refunded);
    let told = ["PaymentCaptured charge/1", "RefundSucceeded refund/1", "RefundSucceeded refund/cancel-1"];
    assert_eq!(story.events, told, "the cancel itself is not announced as refused");
}

#[test]
fn a_cancel_under_way_that_meets_the_money_refunds_it_if_asked_to() {
    let story = Story::unanswered().asks(cancel(0, true)).sends(CANCEL);
    let story = story.shows(CHARGE, Some(Outcome::Succeeded));
    assert_eq!(story.end(CANCEL), (Standing::Failed, Some(REFUNDED_INSTEAD)));
    let story = story.sends_key(&OperationKey::refund_of(&named(CANCEL)));
    assert_eq!(story.state(), PaymentState::Refunding);
}

#[test]
fn a_cancel_of_a_failed_payment_finds_nothing() {
    let story = Story::begins(CaptureMethod::Automatic).sends(CHARGE);
    let story =
        story.shows(CHARGE, Some(Outcome::Declined("card_declined".to_owned()))).asks(cancel(0, true));
    assert_eq!(story.end(CANCEL), (Standing::Refused, Some(NOTHING_TO_CANCEL)));
}

#[test]
fn a_further_charge_is_refused_after_a_callers_cancel_and_runs_after_any_other() {
    let second = (Kind::Charge, 1);
    let again = || charge(1, 10_000, CaptureMethod::Automatic);
    let by_caller = Story::unanswered().asks(cancel(0, false)).sends(CANCEL);
    let waiting = by_caller.clone().asks(again());
    assert_eq!(waiting.standing(second), Standing::Pending, "the cancel comes first");
    let ended = by_caller.shows(CHARGE, Some(Outcome::Canceled)).asks(again());
    assert_eq!(ended.end(second), (Standing::Refused, Some(PAYMENT_CANCELED)));
    let by_provider = Story::authorized().shows(CHARGE, Some(Outcome::Canceled)).asks(again()).sends(second);
    assert_eq!(by_provider.state(), PaymentState::Authorizing);
}

#[test]
fn a_customer_who_does_not_answer_in_time_is_not_waited_for() {
    let rules = Rules::production();
    let story = Story::unanswered();
    let timeout = OperationKey::timeout_of(&named(CHARGE));
    let early = story.clone().waits_ms(rules.action_timeout_ms - 1);
    assert!(!early.record.payment.operations.contains_key(&timeout));
    let story = story.waits_ms(rules.action_timeout_ms);
    assert_eq!(timeout.to_string(), "cancel/timeout-1");
    let story = story.sends_key(&timeout).shows(CHARGE, Some(Outcome::Canceled));
    assert_eq!((story.state(), story.next()), (PaymentState::Canceled, Next::Stop));
    assert_eq!(story.events, ["PaymentActionRequired charge/1", "PaymentCanceled charge/1"]);
    let story = story.asks(charge(1, 10_000, CaptureMethod::Automatic)).sends((Kind::Charge, 1));
    assert_eq!(story.state(), PaymentState::Authorizing, "nobody asked for the cancel");
}

#[test]
fn an_unanswered_charge_is_due_when_its_customers_time_is_over() {
    let story = Story::unanswered();
    let over = story.now.plus_ms(Rules::production().action_timeout_ms);
    assert!(story.record.due_at.unwrap() <= over);
}

#[test]
fn a_cancel_that_a_person_is_asked_about_is_resolved_by_its_charges_end() {
    let story = Story::unanswered().asks(cancel(0, false)).sends(CANCEL);
    let story = story.needs_a_person(CANCEL, ReviewReason::NotFinal).waits_ms(hours(1));
    assert_eq!(story.next(), Next::Stop);
    let story = story.shows(CHARGE, Some(Outcome::Canceled));
    assert_eq!((story.standing(CANCEL), story.record.payment.needs_review()), (Standing::Succeeded, false));
}

#[test]
fn no_timeout_cancels_what_has_no_one_object_or_is_being_canceled_already() {
    let late = |payment: &Payment| {
        let over = NOW.plus_ms(Rules::production().action_timeout_ms);
        planned_at(payment.clone(), over).operations.contains_key(&OperationKey::timeout_of(&named(CHARGE)))
    };
    let waiting = Story::unanswered().record.payment;
    assert!(late(&waiting));
    for ids in [vec![], vec!["pi_1".to_owned(), "pi_2".to_owned()]] {
        let other = with(waiting.clone(), &named(CHARGE), |attempt| attempt.ids = ids.into_iter().collect());
        assert!(!late(&other));
    }
    assert!(!late(&Story::unanswered().asks(cancel(0, false)).record.payment));
}
