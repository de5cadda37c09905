//! Facts, one by one: what each makes of a standing, a code and a review.

use effect::{Attempt, Fact, Outcome, ReviewReason, Standing, Status};

use crate::situations::{frozen, sent_ago};

/// Every reason for a review, the gravest last.
const REASONS: [ReviewReason; 7] = [
    ReviewReason::WindowOver,
    ReviewReason::NotFinal,
    ReviewReason::AccountChanged,
    ReviewReason::KeyReused,
    ReviewReason::EarlierCameBack,
    ReviewReason::TwoIds,
    ReviewReason::TwoEnds,
];

fn fact(outcome: Option<Outcome>) -> Fact {
    Fact { id: "pi_1".to_owned(), outcome }
}

fn declined(code: &str) -> Fact {
    fact(Some(Outcome::Declined(code.to_owned())))
}

fn after(mut attempt: Attempt, facts: &[Fact]) -> Attempt {
    facts.iter().for_each(|fact| attempt.absorb(fact));
    attempt
}

fn refunded(mut attempt: Attempt, facts: &[Fact]) -> Attempt {
    facts.iter().for_each(|fact| attempt.absorb_refund(fact));
    attempt
}

#[test]
fn an_object_that_exists_is_unknown_until_its_end_is_seen() {
    let seen = after(sent_ago(0), &[fact(None)]);
    let known = Attempt { standing: Standing::Unknown, ids: ["pi_1".to_owned()].into(), ..sent_ago(0) };
    assert_eq!(seen, known);
}

#[test]
fn each_end_is_taken_as_the_provider_states_it() {
    let cases = [
        (declined("card_declined"), Standing::Failed, Some("card_declined")),
        (fact(Some(Outcome::Succeeded)), Standing::Succeeded, None),
        (fact(Some(Outcome::Canceled)), Standing::Canceled, None),
    ];
    for (fact, standing, code) in cases {
        let open = Attempt { look_at: sent_ago(0).first_sent_at, ..sent_ago(0) };
        let ended = after(open, std::slice::from_ref(&fact));
        assert_eq!((ended.standing, ended.code.as_deref(), ended.review), (standing, code, None));
        assert_eq!(ended.look_at, None, "an ended operation is not looked at again");
        assert_ne!(ended.frozen, Some(frozen("amount=500")), "its body is kept as a digest only");
    }
}

#[test]
fn of_two_decline_codes_the_smaller_stays_and_an_end_forgets_it() {
    for order in [["a", "b"], ["b", "a"]] {
        let attempt = after(sent_ago(0), &order.map(declined));
        assert_eq!(attempt.code.as_deref(), Some("a"));
        let paid = after(attempt.clone(), &[fact(Some(Outcome::Succeeded))]);
        assert_eq!((paid.standing, paid.code), (Standing::Succeeded, None));
        let late = after(attempt, &[fact(Some(Outcome::Canceled)), declined("0")]);
        assert_eq!((late.standing, late.code), (Standing::Canceled, None));
    }
}

#[test]
fn a_decline_replaces_the_code_of_a_refusal_and_fills_in_a_missing_one() {
    let refused = Attempt { standing: Standing::Refused, code: Some("0".to_owned()), ..sent_ago(0) };
    let failed = Attempt { standing: Standing::Failed, code: None, ..sent_ago(0) };
    for attempt in [refused, failed] {
        let declined = after(attempt, &[declined("card_declined")]);
        assert_eq!((declined.standing, declined.code.as_deref()), (Standing::Failed, Some("card_declined")));
    }
}

#[test]
fn a_hold_forgets_the_decline_before_it_and_changes_no_end() {
    let held = after(sent_ago(0), &[declined("a"), fact(Some(Outcome::Authorized))]);
    assert_eq!((held.standing, held.code), (Standing::Authorized, None));
    let ended = Attempt { standing: Standing::Succeeded, code: Some("a".to_owned()), ..sent_ago(0) };
    let late = after(ended, &[fact(Some(Outcome::Authorized))]);
    assert_eq!((late.standing, late.code.as_deref()), (Standing::Succeeded, Some("a")));
}

#[test]
fn of_two_codes_of_a_failed_refund_the_smaller_stays_and_no_other_standing_keeps_one() {
    for order in [["a", "b"], ["b", "a"]] {
        let failed = refunded(sent_ago(0), &order.map(declined));
        assert_eq!((failed.standing, failed.code.as_deref()), (Standing::Failed, Some("a")));
    }
    let refused = Attempt { standing: Standing::Refused, code: Some("0".to_owned()), ..sent_ago(0) };
    assert_eq!(
        refunded(refused, &[declined("b")]).code.as_deref(),
        Some("b"),
        "a refusal's code is another's"
    );
    let nameless = Attempt { standing: Standing::Failed, code: None, ..sent_ago(0) };
    assert_eq!(refunded(nameless, &[declined("b")]).code.as_deref(), Some("b"));
}

#[test]
fn an_end_forgets_the_status_and_a_decline_keeps_it() {
    let acting = Attempt { status: Some(Status::RequiresAction), ..sent_ago(0) };
    let statuses = [
        (declined("card_declined"), acting.status),
        (fact(Some(Outcome::Succeeded)), None),
        (fact(Some(Outcome::Canceled)), None),
    ];
    for (fact, status) in statuses {
        assert_eq!(after(acting.clone(), &[fact]).status, status);
    }
}

#[test]
fn the_same_end_twice_is_one_end_and_both_ends_need_a_person() {
    let (paid, canceled) = (fact(Some(Outcome::Succeeded)), fact(Some(Outcome::Canceled)));
    for end in [&paid, &canceled] {
        let once = after(sent_ago(0), std::slice::from_ref(end));
        assert_eq!(after(once.clone(), std::slice::from_ref(end)), once);
    }
    for both in [[&paid, &canceled], [&canceled, &paid]] {
        let attempt = after(sent_ago(0), &both.map(Clone::clone));
        assert_eq!((attempt.standing, attempt.review), (Standing::Succeeded, Some(ReviewReason::TwoEnds)));
    }
}

#[test]
fn a_second_object_needs_a_person_whatever_is_said_of_it() {
    let other = Fact { id: "pi_2".to_owned(), outcome: None };
    let one = after(sent_ago(0), &[fact(None), fact(None)]);
    assert_eq!(one.review, None);
    let two = after(one, &[other]);
    assert_eq!((two.standing, two.review), (Standing::Unknown, Some(ReviewReason::TwoIds)));
}

#[test]
fn facts_with_an_end_settle_a_fruitless_search_and_no_graver_question() {
    let open = [ReviewReason::WindowOver, ReviewReason::NotFinal];
    for reason in REASONS {
        let reviewed = Attempt { review: Some(reason), standing: Standing::Unknown, ..sent_ago(0) };
        for end in [declined("a"), fact(Some(Outcome::Succeeded)), fact(Some(Outcome::Canceled))] {
            let left = after(reviewed.clone(), &[end]).review;
            assert_eq!(left, (!open.contains(&reason)).then_some(reason));
        }
        assert_eq!(after(reviewed.clone(), &[fact(None)]).review, Some(reason), "existence settles nothing");
        assert_eq!(reason.is_cleared_by_a_fact(), open.contains(&reason));
    }
}

#[test]
fn the_graver_of_two_reasons_stays_whichever_comes_first() {
    for (n, slight) in REASONS.iter().enumerate() {
        for grave in &REASONS[n..] {
            for order in [[slight, grave], [grave, slight]] {
                let mut attempt = sent_ago(0);
                order.iter().for_each(|reason| attempt.require_review(**reason));
                assert_eq!((attempt.review, attempt.standing), (Some(*grave), Standing::Unknown));
            }
        }
    }
}

#[test]
fn a_review_of_what_was_never_sent_leaves_it_pending() {
    let mut attempt = Attempt::default();
    attempt.require_review(ReviewReason::AccountChanged);
    assert_eq!((attempt.standing, attempt.review), (Standing::Pending, Some(ReviewReason::AccountChanged)));
}
