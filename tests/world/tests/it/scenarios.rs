//! Two schedules that a payment system is known by, each under every fault, many times over.

use world::{Drawing, hunt_drawn};

use crate::JOBS;

/// How many schedules of each are tried in a test; `sim --drawing NAME --seeds N` tries more.
const SCHEDULES: u64 = 5_000;

#[test]
fn of_two_refunds_of_more_than_there_is_one_is_made_and_one_refused_before_any_call() {
    let hunted = hunt_drawn(Drawing::TwoRefunds, 0..SCHEDULES, JOBS);
    assert_eq!(hunted.broken, None);
    assert!(hunted.stats.refunds_refused >= SCHEDULES / 2, "only {} refused", hunted.stats.refunds_refused);
}

#[test]
fn a_decline_and_a_second_card_make_one_payment_begun_only_when_the_first_can_take_none() {
    let hunted = hunt_drawn(Drawing::SecondCard, 0..SCHEDULES, JOBS);
    assert_eq!(hunted.broken, None);
    assert!(hunted.stats.succeeded >= SCHEDULES / 2, "only {} succeeded", hunted.stats.succeeded);
    assert!(hunted.stats.failed >= SCHEDULES / 2, "only {} failed", hunted.stats.failed);
}
