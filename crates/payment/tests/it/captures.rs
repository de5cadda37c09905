//! The life of a payment up to its money: automatic and manual charges, captures, authorizations that end.

use effect::{Look, Note, Outcome, ReviewReason, Rules, Send, Standing, Status, hours, seconds};
use payment::{
    ALREADY_CAPTURED, AMOUNT_ABOVE_AUTHORIZED, AUTHORIZATION_ENDED, CAPTURED_OTHERWISE, CaptureMethod, Kind,
    NOT_AUTHORIZED, PaymentState, Step as Next,
};

use crate::{
    asking::{capture, charge, refund},
    story::{CAPTURE, CHARGE, REFUND, Story, named},
};

#[test]
fn an_automatic_charge_is_captured_by_its_own_success() {
    let story = Story::begins(CaptureMethod::Automatic);
    assert_eq!(story.state(), PaymentState::Created);
    let story = story.sends(CHARGE);
    assert_eq!(story.state(), PaymentState::Authorizing);
    let story = story.shows(CHARGE, Some(Outcome::Succeeded));
    assert_eq!((story.state(), story.next()), (PaymentState::Captured, Next::Stop));
    assert_eq!(story.events, ["PaymentCaptured charge/1"]);
}

#[test]
fn a_manual_charge_is_held_and_then_captured_in_full() {
    let story = Story::authorized();
    assert_eq!((story.state(), story.next()), (PaymentState::Authorized, Next::Stop));
    let story = story.asks(capture(0, None));
    assert_eq!(story.state(), PaymentState::Capturing);
    let story = story.sends(CAPTURE).shows(CHARGE, Some(Outcome::Succeeded));
    assert_eq!((story.state(), story.standing(CAPTURE)), (PaymentState::Captured, Standing::Succeeded));
    assert_eq!(story.events, ["PaymentAuthorized charge/1", "PaymentCaptured charge/1"]);
    assert_eq!((story.refundable(), story.next()), (10_000, Next::Stop));
}

#[test]
fn a_capture_of_a_part_takes_that_part_and_no_more_can_be_refunded() {
    let story = Story::authorized().asks(capture(0, Some(3_000))).sends(CAPTURE);
    let story = story.shows(CHARGE, Some(Outcome::Partly(3_000)));
    assert_eq!((story.standing(CAPTURE), story.refundable()), (Standing::Succeeded, 3_000));
}

#[test]
fn a_capture_of_more_than_is_held_is_refused_before_any_call() {
    let story = Story::authorized().asks(capture(0, Some(10_001)));
    assert_eq!(story.end(CAPTURE), (Standing::Refused, Some(AMOUNT_ABOVE_AUTHORIZED)));
    assert_eq!((story.state(), story.next()), (PaymentState::Authorized, Next::Stop));
}

#[test]
fn of_two_captures_the_second_waits_and_finds_the_money_taken() {
    let second = (Kind::Capture, 1);
    let story = Story::authorized().asks(capture(0, Some(3_000))).asks(capture(1, Some(3_000)));
    assert!(story.is_decided(CAPTURE) && !story.is_decided(second));
    let story = story.sends(CAPTURE).shows(CHARGE, Some(Outcome::Partly(3_000)));
    assert_eq!(story.end(second), (Standing::Refused, Some(ALREADY_CAPTURED)));
}

#[test]
fn a_second_capture_runs_after_the_first_was_refused() {
    let second = (Kind::Capture, 1);
    let story = Story::authorized().asks(capture(0, None)).asks(capture(1, None));
    let story = story.sends(CAPTURE).refuses(CAPTURE).sends(second).shows(CHARGE, Some(Outcome::Succeeded));
    assert_eq!((story.standing(CAPTURE), story.standing(second)), (Standing::Refused, Standing::Succeeded));
}

#[test]
fn a_capture_waits_for_an_unknown_charge_and_runs_once_it_is_held() {
    let story = Story::begins(CaptureMethod::Manual).sends(CHARGE).asks(capture(0, None));
    let story = story.notes(CHARGE, Note::Ambiguous { resend: false });
    assert!(!story.is_decided(CAPTURE));
    let story = story.shows(CHARGE, Some(Outcome::Authorized)).sends(CAPTURE);
    assert_eq!(story.state(), PaymentState::Capturing);
}

#[test]
fn a_capture_of_an_automatic_charge_waits_and_is_refused() {
    let story = Story::begins(CaptureMethod::Automatic).sends(CHARGE).asks(capture(0, None));
    let story = story.shows(CHARGE, Some(Outcome::Succeeded));
    assert_eq!(story.end(CAPTURE), (Standing::Refused, Some(ALREADY_CAPTURED)));
    assert_eq!(story.next(), Next::Stop);
}

#[test]
fn a_capture_of_a_charge_that_failed_is_refused() {
    let story = Story::begins(CaptureMethod::Manual).sends(CHARGE).asks(capture(0, None));
    let story = story.shows(CHARGE, Some(Outcome::Declined("card_declined".to_owned())));
    assert_eq!(story.end(CAPTURE), (Standing::Refused, Some(NOT_AUTHORIZED)));
}

#[test]
fn a_capture_that_finds_the_authorization_ended_or_another_amount_taken_failed() {
    let sent = Story::authorized().asks(capture(0, Some(3_000))).sends(CAPTURE);
    let expired = sent.clone().shows(CHARGE, Some(Outcome::Canceled));
    assert_eq!(expired.end(CAPTURE), (Standing::Failed, Some(AUTHORIZATION_ENDED)));
    assert_eq!(expired.state(), PaymentState::Canceled);
    let otherwise = sent.shows(CHARGE, Some(Outcome::Partly(2_000)));
    assert_eq!(otherwise.end(CAPTURE), (Standing::Failed, Some(CAPTURED_OTHERWISE)));
    assert_eq!((otherwise.state(), otherwise.refundable()), (PaymentState::Captured, 2_000));
}

#[test]
fn a_capture_whose_reply_was_lost_is_looked_at_soon_though_the_money_is_held_for_days() {
    let story = Story::authorized().asks(capture(0, None)).sends(CAPTURE);
    // A retrieve shows it unchanged, and no time is left to send again.
    let story = story.notes(CAPTURE, Note::Status(Status::RequiresCapture));
    let due = story.record.due_at.unwrap();
    assert!(due.since_ms(story.now) <= hours(2), "{}", due.since_ms(story.now));
}

#[test]
fn an_authorization_is_looked_at_before_it_expires_and_an_expired_one_shows_as_canceled() {
    let rules = Rules::production();
    let story = Story::authorized();
    let due = story.record.due_at.unwrap();
    assert_eq!(due, story.now.plus_ms(rules.authorization_look_ms));
    let early = story.clone().waits_ms(rules.authorization_look_ms - seconds(1));
    assert_eq!(early.next(), Next::Stop);
    let story = story.waits_ms(rules.authorization_look_ms);
    assert_eq!(story.next(), Next::Claim(named(CHARGE)));
    let still = story.clone().notes(CHARGE, Note::Status(Status::RequiresCapture));
    assert_eq!(still.record.due_at, Some(story.now.plus_ms(rules.authorization_again_ms)));
    let story = story.shows(CHARGE, Some(Outcome::Canceled));
    assert_eq!((story.state(), story.next()), (PaymentState::Canceled, Next::Stop));
    assert_eq!(story.events.last().unwrap(), "PaymentCanceled charge/1");
}

#[test]
fn a_further_charge_is_refused_while_money_is_held_and_after_it_is_taken() {
    let second = (Kind::Charge, 1);
    for (story, code) in
        [(Story::authorized(), payment::ALREADY_AUTHORIZED), (Story::captured(), payment::ALREADY_PAID)]
    {
        let story = story.asks(charge(1, 10_000, CaptureMethod::Automatic));
        assert_eq!(story.end(second), (Standing::Refused, Some(code)));
        assert_eq!(story.next(), Next::Stop);
    }
}

#[test]
fn what_waits_behind_a_review_rests() {
    let story = Story::begins(CaptureMethod::Manual).sends(CHARGE);
    let story =
        story.needs_a_person(CHARGE, ReviewReason::WindowOver).asks(capture(0, None)).asks(refund(0, None));
    assert_eq!((story.standing(CAPTURE), story.standing(REFUND)), (Standing::Pending, Standing::Pending));
    assert_eq!((story.next(), story.record.due_at), (Next::Stop, None));
    let story = story.shows(CHARGE, Some(Outcome::Authorized));
    assert_eq!(story.next(), Next::Arm(named(CAPTURE), Send::Same), "the fact clears the review");
}

#[test]
fn a_review_of_an_operation_that_its_charge_settles_is_resolved() {
    let story = Story::authorized().asks(capture(0, None)).sends(CAPTURE);
    let story = story.needs_a_person(CAPTURE, ReviewReason::NotFinal).shows(CHARGE, Some(Outcome::Succeeded));
    assert_eq!((story.standing(CAPTURE), story.record.payment.needs_review()), (Standing::Succeeded, false));
    assert_eq!(story.event_count("PaymentReviewResolved capture/1"), 1);
    let story = story.asks(refund(0, None));
    assert!(story.is_decided(REFUND), "nothing holds it up");
}

#[test]
fn a_capture_is_looked_at_before_it_is_repeated() {
    let story = Story::authorized().asks(capture(0, None)).sends(CAPTURE);
    let story = story.notes(CAPTURE, Note::Ambiguous { resend: false }).waits_ms(hours(1));
    assert_eq!(story.next(), Next::Claim(named(CAPTURE)), "to ask {:?}", Look::ById);
}

#[test]
fn a_capture_that_was_never_sent_and_finds_its_money_taken_is_refused() {
    let story = Story::authorized().asks(capture(0, Some(4_000)));
    for taken in [Outcome::Succeeded, Outcome::Partly(4_000)] {
        let taken = story.clone().shows(CHARGE, Some(taken));
        assert_eq!(taken.end(CAPTURE), (Standing::Refused, Some(ALREADY_CAPTURED)));
    }
}

#[test]
fn what_comes_behind_a_failed_charge_that_a_person_is_asked_about_waits_for_the_person() {
    let story = Story::begins(CaptureMethod::Automatic).sends(CHARGE);
    let declined = story.shows(CHARGE, Some(Outcome::Declined("card_declined".to_owned())));
    let refused = declined.clone().asks(refund(0, None));
    assert_eq!(refused.end(REFUND), (Standing::Refused, Some(payment::NOT_CAPTURED)));
    let waiting = declined.needs_a_person(CHARGE, ReviewReason::TwoIds).asks(refund(0, None));
    assert_eq!(waiting.end(REFUND), (Standing::Pending, None));
}
