//! What follows by itself: voids, their ends, refusals behind a success, and what is handed to a person.

use effect::{Outcome, ReviewReason, Standing, digest_hex};
use payment::{ALREADY_PAID, CHARGE_SUCCEEDED, Effect, OperationKey, Payment};

use crate::{
    histories::NOW,
    payments::{
        asked_for, charge, declined_first, ended, key, planned_at, rules, seen, sent, standing, void, with,
    },
};

fn now_planned(payment: Payment) -> Payment {
    planned_at(payment, NOW.plus_ms(7))
}

fn code<'a>(payment: &'a Payment, key: &OperationKey) -> Option<&'a str> {
    payment.operations[key].attempt.code.as_deref()
}

#[test]
fn an_attempt_that_failed_and_left_an_intent_behind_is_voided_once() {
    let known = |standing| {
        with(ended(asked_for(1), &key(0), standing), &key(0), |attempt| {
            attempt.ids.insert("pi_1".to_owned());
        })
    };
    for standing in [Standing::Failed, Standing::Refused] {
        let payment = now_planned(known(standing));
        let made = &payment.operations[&void(0)];
        assert_eq!((made.seq, made.accepted_at), (2, NOW.plus_ms(7)));
        assert_eq!(made.effect, Effect::Void { charge: charge(0, 500).reference });
        assert_eq!(made.digest, digest_hex(&["void", "1"])[..32]);
        assert_eq!(planned_at(payment.clone(), NOW.plus_ms(9)), payment, "and not a second time");
    }
    let mut unvoided = vec![known(Standing::Succeeded), known(Standing::Canceled)];
    for standing in [Standing::Failed, Standing::Refused] {
        unvoided.push(ended(asked_for(1), &key(0), standing));
        unvoided.push(with(known(standing), &key(0), |attempt| attempt.review = Some(ReviewReason::TwoIds)));
    }
    unvoided.push(seen(sent(asked_for(1), &key(0)), 0, "pi_1", None));
    for payment in unvoided {
        assert_eq!(now_planned(payment.clone()), payment);
    }
}

#[test]
fn a_void_ends_as_its_charge_does() {
    let voids = |is_sent, end| {
        let declined = declined_first();
        let payment = if is_sent { sent(declined, &void(0)) } else { declined };
        let payment = now_planned(with(payment, &key(0), |attempt| attempt.standing = end));
        (standing(&payment, &void(0)), code(&payment, &void(0)).map(str::to_owned))
    };
    let found_paid = Some(CHARGE_SUCCEEDED.to_owned());
    let cases = [
        (true, Standing::Succeeded, (Standing::Failed, found_paid.clone())),
        (false, Standing::Succeeded, (Standing::Refused, found_paid)),
        (true, Standing::Canceled, (Standing::Succeeded, None)),
        (false, Standing::Canceled, (Standing::Succeeded, None)),
        (true, Standing::Failed, (Standing::Pending, None)),
        (true, Standing::Refused, (Standing::Pending, None)),
        (true, Standing::Unknown, (Standing::Pending, None)),
        (true, Standing::Pending, (Standing::Pending, None)),
    ];
    for (is_sent, end, expected) in cases {
        assert_eq!(voids(is_sent, end), expected, "sent {is_sent}, charge {end:?}");
    }
}

#[test]
fn an_ended_void_stays_as_it_ended() {
    let refused = with(declined_first(), &void(0), |attempt| attempt.end(Standing::Refused, Some("gone")));
    let payment = now_planned(seen(refused, 0, "pi_1", Some(Outcome::Succeeded)));
    assert_eq!((standing(&payment, &void(0)), code(&payment, &void(0))), (Standing::Refused, Some("gone")));
}

#[test]
fn charges_never_sent_are_refused_behind_a_success_and_only_then() {
    let paid = now_planned(seen(sent(asked_for(3), &key(0)), 0, "pi_1", Some(Outcome::Succeeded)));
    for n in [1, 2] {
        assert_eq!((standing(&paid, &key(n)), code(&paid, &key(n))), (Standing::Refused, Some(ALREADY_PAID)));
    }
    assert_eq!((standing(&paid, &key(0)), code(&paid, &key(0))), (Standing::Succeeded, None));
    for end in [Standing::Failed, Standing::Canceled, Standing::Refused] {
        let payment = ended(asked_for(2), &key(0), end);
        assert_eq!(now_planned(payment.clone()), payment, "{end:?}");
    }
}

#[test]
fn what_was_sent_or_has_ended_is_not_refused_behind_a_success() {
    let paid = |payment| seen(payment, 0, "pi_1", Some(Outcome::Succeeded));
    let sent_too = now_planned(paid(sent(sent(asked_for(2), &key(0)), &key(1))));
    assert_ne!(standing(&sent_too, &key(1)), Standing::Refused);
    let unknown = with(paid(sent(asked_for(2), &key(0))), &key(1), |a| a.standing = Standing::Unknown);
    assert_eq!(standing(&now_planned(unknown), &key(1)), Standing::Unknown);
    let failed = ended(paid(sent(asked_for(2), &key(0))), &key(1), Standing::Failed);
    assert_eq!(now_planned(failed.clone()), failed);
    // A void is no charge: it ends by its own charge alone.
    let second = sent(declined_first(), &key(1));
    let second_paid = now_planned(with(second, &key(1), |attempt| attempt.standing = Standing::Succeeded));
    assert_eq!(standing(&second_paid, &void(0)), Standing::Pending);
}

#[test]
fn a_sent_attempt_goes_to_a_person_when_an_earlier_one_comes_back() {
    let both = ended(declined_first(), &void(0), Standing::Succeeded);
    let review = |payment: &Payment, n| payment.operations[&key(n)].attempt.review;
    let back = |payment| now_planned(seen(payment, 0, "pi_1", Some(Outcome::Succeeded)));
    let overtaken = back(sent(both.clone(), &key(1)));
    assert_eq!(review(&overtaken, 1), Some(ReviewReason::EarlierCameBack));
    assert_eq!(standing(&overtaken, &key(1)), Standing::Unknown);
    assert_eq!(review(&now_planned(sent(both.clone(), &key(1))), 1), None, "nothing came back");
    for end in [Standing::Failed, Standing::Canceled] {
        assert_eq!(review(&back(ended(both.clone(), &key(1), end)), 1), None, "it has ended: {end:?}");
    }
    let unsent = back(both);
    assert_eq!((review(&unsent, 1), standing(&unsent, &key(1))), (None, Standing::Refused));
    let in_review = with(sent(declined_first(), &key(0)), &key(0), |a| a.review = Some(ReviewReason::TwoIds));
    assert_eq!(review(&now_planned(in_review), 1), None, "it waits, unsent");
}

#[test]
fn a_captured_attempt_goes_to_a_person_when_an_earlier_one_turns_out_paid_too() {
    let refused = ended(asked_for(2), &key(0), Standing::Refused);
    let paid = seen(sent(refused, &key(1)), 1, "pi_2", Some(Outcome::Succeeded));
    assert!(!now_planned(paid.clone()).needs_review());
    let twice = now_planned(seen(paid, 0, "pi_1", Some(Outcome::Succeeded)));
    assert_eq!(twice.operations[&key(1)].attempt.review, Some(ReviewReason::EarlierCameBack));
    assert_eq!(standing(&twice, &key(1)), Standing::Succeeded, "and what happened stays so");
}

#[test]
fn what_the_provider_knows_and_never_ends_goes_to_a_person_after_fifteen_days() {
    let in_time = NOW.plus_ms(rules().not_final_after_ms - 1);
    let too_late = NOW.plus_ms(rules().not_final_after_ms);
    let known = seen(sent(asked_for(1), &key(0)), 0, "pi_1", None);
    let review = |payment: &Payment, key: &OperationKey| payment.operations[key].attempt.review;
    assert_eq!(planned_at(known.clone(), in_time), known);
    assert_eq!(review(&planned_at(known.clone(), too_late), &key(0)), Some(ReviewReason::NotFinal));
    let others = [
        sent(asked_for(1), &key(0)),
        asked_for(1),
        with(asked_for(1), &key(0), |attempt| {
            attempt.ids.insert("pi_1".to_owned());
        }),
        seen(sent(asked_for(1), &key(0)), 0, "pi_1", Some(Outcome::Succeeded)),
        with(known, &key(0), |attempt| attempt.review = Some(ReviewReason::WindowOver)),
    ];
    for payment in others {
        assert_eq!(planned_at(payment.clone(), too_late), payment);
    }
    let unsent_void = planned_at(declined_first(), too_late);
    assert_eq!(review(&unsent_void, &void(0)), None);
    let sent_void = planned_at(sent(declined_first(), &void(0)), too_late);
    assert_eq!(review(&sent_void, &void(0)), Some(ReviewReason::NotFinal));
}
