//! What a write stores: the version, when it is due, since when a person is asked, and what it announces.

use effect::{Outcome, ReviewReason, Standing, minutes};
use payment::{Announced, Charge, Claim, Command, Guard, Payment, PaymentState, Record, accept, seal};

use crate::{
    histories::NOW,
    payments::{asked_for, charge, declined_first, ended, key, operation, rules, seen, sent, with},
};

fn sealed(payment: Payment, stored: Option<&Record>) -> Record {
    seal(payment, stored, None, Guard::Due, NOW, &rules())
}

/// The names announced by a write, without the payment's id.
fn names(record: &Record) -> Vec<String> {
    let prefix = format!("{}/", record.id);
    let all = record.announce.as_deref().unwrap_or_default();
    all.split_whitespace().map(|id| id.strip_prefix(&prefix).unwrap().to_owned()).collect()
}

fn reviewed(payment: &Payment, review: Option<ReviewReason>) -> Payment {
    with(payment.clone(), &key(0), |attempt| attempt.review = review)
}

#[test]
fn each_write_counts_one_version_and_keeps_the_identity() {
    let first = sealed(asked_for(1), None);
    assert_eq!((first.version, first.id.clone(), first.updated_at), (1, asked_for(1).id(), NOW));
    let eighth = Record { version: 7, ..first };
    let next = seal(asked_for(1), Some(&eighth), None, Guard::Due, NOW.plus_ms(5), &rules());
    assert_eq!((next.version, next.id, next.updated_at), (8, eighth.id, NOW.plus_ms(5)));
}

#[test]
fn a_record_is_due_unless_redelivery_guards_it_and_it_was_not_due_before() {
    let claim = Claim { token: "w-1".to_owned(), until: NOW.plus_ms(minutes(1)) };
    let due_at = |stored: Option<&Record>, claim: Option<&Claim>, guard| {
        seal(asked_for(1), stored, claim.cloned(), guard, NOW, &rules()).due_at
    };
    let held = Record { due_at: Some(NOW.plus_ms(-9)), ..sealed(asked_for(1), None) };
    let not_due = Record { due_at: None, ..held.clone() };
    assert_eq!(due_at(None, Some(&claim), Guard::Redelivery), None);
    assert_eq!(due_at(Some(&not_due), Some(&claim), Guard::Redelivery), None);
    assert_eq!(due_at(Some(&held), Some(&claim), Guard::Redelivery), Some(claim.until));
    for stored in [None, Some(&held), Some(&not_due)] {
        assert_eq!(due_at(stored, Some(&claim), Guard::Due), Some(claim.until));
        assert_eq!(due_at(stored, None, Guard::Due), Some(NOW));
    }
}

#[test]
fn what_was_due_in_the_past_is_due_now() {
    let later = NOW.plus_ms(minutes(3));
    assert_eq!(seal(asked_for(1), None, None, Guard::Due, later, &rules()).due_at, Some(later));
}

#[test]
fn a_due_time_that_a_sweep_answered_is_not_written_again() {
    let lease = NOW.plus_ms(minutes(15));
    let first = seal(asked_for(1), None, None, Guard::Due, NOW, &rules());
    assert_eq!((first.due_at, first.woken_for), (Some(NOW), None));
    let leased = Record { due_at: Some(lease), woken_for: Some(NOW), ..first.clone() };
    let again = |stored: &Record, ms, claim: Option<&Claim>| {
        let at = NOW.plus_ms(ms);
        let next = seal(stored.payment.clone(), Some(stored), claim.cloned(), Guard::Due, at, &rules());
        assert_eq!(next.woken_for, stored.woken_for, "only a sweep answers");
        next.due_at
    };
    assert_eq!(again(&leased, 0, None), Some(lease), "the wake for it is on its way");
    assert_eq!(again(&leased, -1, None), Some(lease), "by a clock that is behind");
    assert_eq!(again(&leased, 1, None), Some(NOW.plus_ms(1)), "another time is answered by another wake");
    assert_eq!(again(&first, 0, None), Some(NOW), "nobody leased it");
    // A write in between took the lease away, and the claim of a slow clock still ends at the time answered.
    let late = Claim { token: "w-1".to_owned(), until: NOW };
    for due_at in [None, Some(NOW), Some(NOW.plus_ms(-9))] {
        let stored = Record { due_at, ..leased.clone() };
        for claim in [None, Some(&late)] {
            assert_eq!(again(&stored, -3, claim), Some(NOW.plus_ms(1)), "{due_at:?} {claim:?}");
        }
    }
}

#[test]
fn a_refused_charge_that_holds_money_after_all_leaves_the_payment_captured() {
    let paid = ended(ended(asked_for(2), &key(0), Standing::Refused), &key(1), Standing::Succeeded);
    let held = sealed(paid, None);
    let next = sealed(seen(held.payment.clone(), 0, "pi_1", Some(Outcome::Authorized)), Some(&held));
    assert_eq!(
        (held.payment.state(), next.payment.state()),
        (PaymentState::Captured, PaymentState::Captured)
    );
}

#[test]
fn a_review_is_kept_by_its_first_moment_and_ends_with_it() {
    let payment = sent(asked_for(1), &key(0));
    let open = sealed(reviewed(&payment, Some(ReviewReason::WindowOver)), None);
    assert_eq!((open.review_at, open.due_at), (Some(NOW), None));
    let later = |payment| seal(payment, Some(&open), None, Guard::Due, NOW.plus_ms(9), &rules());
    let still = later(reviewed(&open.payment, Some(ReviewReason::TwoIds)));
    assert_eq!((still.review_at, still.announce), (Some(NOW), None));
    assert_eq!(later(reviewed(&open.payment, None)).review_at, None);
    assert!(open.payment.needs_review() && !payment.needs_review());
}

#[test]
fn each_end_of_a_charge_is_announced_once_under_its_name() {
    let ends = [
        (Standing::Refused, "charge/1:refused"),
        (Standing::Failed, "charge/1:failed"),
        (Standing::Succeeded, "charge/1:succeeded"),
        (Standing::Canceled, "charge/1:canceled"),
    ];
    for (end, name) in ends {
        let record = sealed(ended(asked_for(1), &key(0), end), None);
        assert_eq!(names(&record), [name]);
        let at = Announced { version: 1, time: NOW };
        let outcomes: Vec<_> = record.payment.operations[&key(0)].outcomes.clone().into_iter().collect();
        assert_eq!(outcomes, [(name.split(':').nth(1).unwrap().to_owned(), at)]);
        assert_eq!(sealed(record.payment.clone(), Some(&record)).announce, None);
    }
    for open in
        [asked_for(1), sent(asked_for(1), &key(0)), seen(sent(asked_for(1), &key(0)), 0, "pi_1", None)]
    {
        assert_eq!(sealed(open, None).announce, None);
    }
}

#[test]
fn the_end_of_a_void_is_announced_by_nobody() {
    for end in [Standing::Refused, Standing::Failed, Standing::Succeeded] {
        let record = sealed(ended(declined_first(), &crate::payments::void(0), end), None);
        assert_eq!(names(&record), ["charge/1:failed"]);
    }
}

#[test]
fn reviews_are_counted_as_they_open_and_resolve() {
    let mut record = sealed(sent(asked_for(1), &key(0)), None);
    let steps = [
        (Some(ReviewReason::WindowOver), vec!["charge/1:review"]),
        (Some(ReviewReason::TwoIds), vec![]),
        (None, vec!["charge/1:resolved"]),
        (None, vec![]),
        (Some(ReviewReason::WindowOver), vec!["charge/1:review#2"]),
        (None, vec!["charge/1:resolved#2"]),
        (Some(ReviewReason::KeyReused), vec!["charge/1:review#3"]),
        (Some(ReviewReason::KeyReused), vec![]),
        (None, vec!["charge/1:resolved#3"]),
    ];
    for (n, (review, announced)) in steps.into_iter().enumerate() {
        record = sealed(reviewed(&record.payment, review), Some(&record));
        assert_eq!(names(&record), announced, "step {n}");
    }
    let mut other_names = asked_for(1);
    let at = Announced { version: 1, time: NOW };
    for name in ["reviewer", "resolvedly", "review-2"] {
        operation(&mut other_names, &key(0)).outcomes.insert(name.to_owned(), at);
    }
    let open = reviewed(&other_names, Some(ReviewReason::TwoIds));
    assert_eq!(names(&sealed(open, None)), ["charge/1:review"], "only whole names count");
}

#[test]
fn several_things_are_announced_by_one_write() {
    let differing = |amount| Command::Charge(Charge { amount, ..charge(0, 500) });
    let other = differing(501.try_into().unwrap());
    let payment = accept(Some(&sent(asked_for(2), &key(0))), &other, NOW).unwrap();
    let digest = charge(0, 501).effect_digest();
    let both = seen(seen(payment, 0, "pi_1", Some(Outcome::Succeeded)), 0, "pi_1", Some(Outcome::Canceled));
    let record = sealed(ended(both, &key(1), Standing::Refused), None);
    let differs = format!("charge/1:differs-{digest}");
    assert_eq!(names(&record), ["charge/1:succeeded", &differs, "charge/1:review", "charge/2:refused"]);
    assert_eq!(sealed(record.payment.clone(), Some(&record)).announce, None);
}
