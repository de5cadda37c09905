//! Turns that ask the provider: under a claim, within bounds, and once.

use effect::{Look, Note, Outcome, ReviewReason, Standing, Status, hours, minutes, seconds};
use payment::{Converged, OperationKey, ports::Question};

use crate::{
    bench::{
        Bench, asked, bench, declined, expects, is_in, is_ours, page, paid, payment_id, shows, teaches, wake,
    },
    histories::NOW,
    payments::key,
};

/// The most provider calls of one turn.
const MOST_CALLS: usize = 32;

/// A charge whose reply was lost, met again so much later.
fn unsettled(later_ms: i64) -> Bench {
    let mut bench = bench();
    bench.turn(&asked(0), [teaches(Note::Ambiguous { resend: false })]).unwrap();
    bench.later("w-2", later_ms);
    bench
}

#[test]
fn a_saved_error_is_followed_by_a_list_in_the_same_turn() {
    let bench = bench();
    bench
        .turn(
            &asked(0),
            [teaches(Note::SavedError), page(&["pi_1"], None), is_ours("pi_1", Some(Outcome::Succeeded))],
        )
        .unwrap();
    assert_eq!(bench.counts(), (2, 1, 2));
    let list = Question {
        look: Look::List,
        id: None,
        from: NOW.plus_ms(-minutes(10)),
        to: NOW.plus_ms(seconds(65) + hours(1)),
        cursor: None,
        expected: expects(&key(0)),
    };
    let check = Question { look: Look::Check("pi_1".to_owned()), ..list.clone() };
    assert_eq!(*bench.questions.borrow(), [list, check]);
    assert_eq!(bench.first().attempt.standing, Standing::Succeeded);
}

#[test]
fn after_the_window_list_and_search_are_read_under_a_claim_and_absence_goes_to_a_person() {
    let bench = unsettled(hours(30));
    bench.turn(&wake(), [page(&[], Some("pi_9")), page(&[], None), page(&[], None)]).unwrap();
    assert_eq!(bench.counts(), (4, 1, 3), "a claim and an outcome, and no send");
    let claimed = bench.writes.borrow()[2].clone();
    assert_eq!(claimed.claim.map(|claim| claim.token).as_deref(), Some("w-2"));
    let asked: Vec<_> = bench.questions.borrow().iter().map(|q| (q.look.clone(), q.cursor.clone())).collect();
    let expected = [(Look::List, None), (Look::List, Some("pi_9".to_owned())), (Look::Search, None)];
    assert_eq!(asked, expected);
    let record = bench.record();
    assert_eq!(bench.first().attempt.review, Some(ReviewReason::WindowOver));
    assert_eq!((record.claim, record.due_at), (None, None));
    assert_eq!(record.review_at, Some(NOW.plus_ms(hours(30))));
}

#[test]
fn a_known_object_is_retrieved_and_what_it_shows_is_adopted() {
    let mut bench = bench();
    bench.turn(&asked(0), [is_in("pi_1", Status::RequiresAction)]).unwrap();
    bench.later("w-2", hours(20));
    bench.turn(&wake(), [paid()]).unwrap();
    let question = bench.questions.borrow()[0].clone();
    assert_eq!((question.look, question.id.as_deref()), (Look::ById, Some("pi_1")));
    assert_eq!(bench.first().attempt.standing, Standing::Succeeded);
}

#[test]
fn a_turn_makes_so_many_calls_and_no_more() {
    let bench = unsettled(hours(30));
    let endless = || (0..MOST_CALLS).map(|n| page(&[], Some(&n.to_string())));
    bench.turn(&wake(), endless()).unwrap();
    assert_eq!(bench.questions.borrow().len(), MOST_CALLS);

    let fresh = crate::bench::bench();
    let calls = std::iter::once(teaches(Note::SavedError)).chain(endless().skip(1));
    fresh.turn(&asked(0), calls).unwrap();
    assert_eq!((fresh.sends.borrow().len(), fresh.questions.borrow().len()), (1, MOST_CALLS - 1));
}

#[test]
fn calls_take_time_and_end_the_turn_before_the_deadline() {
    let bench = unsettled(hours(30));
    bench.call_ms.set(seconds(20));
    let pages = [page(&[], Some("1")), page(&[], Some("2"))];
    assert_eq!(bench.turn(&wake(), pages), Ok(Converged::Recorded));
    assert_eq!(bench.record().updated_at, NOW.plus_ms(hours(30) + seconds(40)));

    let slow = crate::bench::bench();
    slow.call_ms.set(seconds(38));
    slow.turn(&asked(0), [teaches(Note::Ambiguous { resend: true })]).unwrap();
    let look_at = slow.first().attempt.look_at;
    assert_eq!(look_at, Some(NOW.plus_ms(seconds(38) + minutes(1))), "counted from the reply");

    let failing = unsettled(hours(30));
    failing.call_ms.set(seconds(5));
    failing.turn(&wake(), [teaches(Note::NotTold)]).unwrap();
    let look_at = failing.first().attempt.look_at;
    assert_eq!(look_at, Some(NOW.plus_ms(hours(30) + seconds(5) + minutes(5))));
}

#[test]
fn a_void_is_looked_at_through_its_charges_object() {
    let mut bench = bench();
    let lost = teaches(Note::Ambiguous { resend: false });
    bench.turn(&asked(0), [shows("pi_1", Some(declined())), lost]).unwrap();
    bench.later("w-2", hours(1));
    bench.turn(&wake(), [shows("pi_1", Some(Outcome::Canceled))]).unwrap();
    let question = bench.questions.borrow()[0].clone();
    assert_eq!((question.look, question.id.as_deref()), (Look::ById, Some("pi_1")));
    assert_eq!(question.expected.operation_id, key(0).id(&payment_id()));
    let void = OperationKey::void_of(&key(0));
    assert_eq!(bench.operation(&void).attempt.standing, Standing::Succeeded);
    assert_eq!(bench.first().attempt.standing, Standing::Failed);
}
