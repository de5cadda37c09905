//! `ikkai watch`.

use std::cell::{Cell, RefCell};

use effect::{Outcome, seconds};
use ikkai::{
    ids::from_lines,
    watch::{Verdict, Watch},
};
use payment::{PaymentId, Record, ports::LoadError};

use crate::{NOW, Table, TestClock, ended, in_review, sent};

/// Watches for at most ten rounds; returns the verdict, the summary and how many were at rest after each round.
async fn watch(table: &Table, ids: &[PaymentId]) -> (Verdict, String, Vec<usize>) {
    let clock = TestClock(Cell::new(NOW));
    let mut watch = Watch::new(ids.iter().cloned());
    let rounds = RefCell::new(Vec::new());
    let verdict = watch
        .run(
            table,
            &clock,
            NOW.plus_ms(seconds(9)),
            async || clock.tick(),
            |watch| {
                rounds.borrow_mut().push(watch.at_rest());
            },
        )
        .await;
    (verdict, watch.to_string(), rounds.into_inner())
}

fn captured(order: &str) -> Record {
    ended(order, Outcome::Succeeded)
}

#[tokio::test]
async fn all_settled_ends_the_watch_with_success() {
    let (one, two) = (captured("o-1"), captured("o-2"));
    let table = Table::with(&one);
    table.then(&two.id, Ok(sent("o-2", None)));
    table.then(&two.id, Ok(sent("o-2", None)));
    table.then(&two.id, Ok(two.clone()));
    let (verdict, summary, rounds) = watch(&table, &[one.id.clone(), two.id, one.id]).await;
    assert_eq!((verdict, verdict.exit_code()), (Verdict::Settled, 0));
    assert_eq!(rounds, [1, 1, 2]);
    assert_eq!(summary, "payments 2: captured 2");
}

#[tokio::test]
async fn a_payment_in_review_ends_the_watch_with_another_code_and_is_named() {
    let (one, two) = (captured("o-1"), in_review("o-2"));
    let table = Table::with(&one);
    table.then(&two.id, Ok(two.clone()));
    let (verdict, summary, _) = watch(&table, &[one.id, two.id.clone()]).await;
    assert_eq!((verdict, verdict.exit_code()), (Verdict::NeedsPerson, 3));
    assert!(summary.contains(&format!("review {}", two.id)), "{summary}");
}

#[tokio::test]
async fn a_payment_that_never_comes_ends_the_watch_by_its_time() {
    let (one, two) = (captured("o-1"), captured("o-2"));
    let (verdict, summary, rounds) = watch(&Table::with(&one), &[one.id, two.id.clone()]).await;
    assert_eq!((verdict, verdict.exit_code()), (Verdict::TimedOut, 4));
    assert_eq!(rounds.len(), 10);
    assert!(summary.contains(&format!("waiting {}", two.id)), "{summary}");
}

#[tokio::test]
async fn a_failed_charge_waits_for_its_void() {
    let failed = ended("o-1", Outcome::Declined("card_declined".to_owned()));
    let (verdict, summary, _) = watch(&Table::with(&failed), std::slice::from_ref(&failed.id)).await;
    assert_eq!(verdict, Verdict::TimedOut, "{summary}");
}

#[tokio::test]
async fn a_read_that_fails_is_made_again_and_told() {
    let one = captured("o-1");
    let table = Table::default();
    table.then(&one.id, Err(LoadError::Unavailable("the table is busy")));
    table.then(&one.id, Ok(one.clone()));
    let (verdict, summary, rounds) = watch(&table, &[one.id]).await;
    assert_eq!((verdict, rounds), (Verdict::Settled, vec![0, 1]));
    assert!(summary.contains("1 reads failed"), "{summary}");
}

#[tokio::test]
async fn an_item_that_cannot_be_read_needs_a_person() {
    let one = captured("o-1");
    let table = Table::default();
    table.then(&one.id, Err(LoadError::Corrupt("no schema")));
    let (verdict, summary, _) = watch(&table, &[one.id]).await;
    assert_eq!(verdict, Verdict::NeedsPerson);
    assert!(summary.contains("unreadable 1"), "{summary}");
}

#[test]
fn ids_are_read_one_a_line_and_a_line_that_is_none_is_told_by_its_number() {
    let id = captured("o-1").id;
    let lines = format!("{id}\n\n {id} \nmore");
    assert_eq!(from_lines(lines.as_bytes(), Some(2)).unwrap().len(), 2);
    let error = from_lines(lines.as_bytes(), None).unwrap_err();
    assert!(error.to_string().contains("line 4"), "{error}");
    assert!(from_lines(lines.as_bytes(), Some(9)).is_err());
    assert!(from_lines("".as_bytes(), None).is_err());
    assert!(
        from_lines(format!("{id}\n").as_bytes(), Some(2)).unwrap_err().to_string().contains("1 payment ids")
    );
}
