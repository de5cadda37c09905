//! Two schedules that a payment system is known by, each under every fault, many times over.

use world::{Drawing, hunt_drawn, run_drawn};

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

#[test]
fn a_brief_run_is_three_payments_and_some_hundred_steps_that_settle() {
    let mut steps = Vec::new();
    for seed in 0..1_000 {
        let mut payments = 0;
        let report =
            run_drawn(Drawing::Brief, seed, |options| payments = payments_of(&options.orders), false);
        assert_eq!((report.violations, payments), (Vec::<String>::new(), 3), "seed {seed}");
        steps.push(report.stats.steps);
    }
    steps.sort_unstable();
    println!("brief: steps a seed: least={} median={} most={}", steps[0], steps[500], steps[999]);
    assert!(steps[10] >= 100, "only {} steps at the first hundredth", steps[10]);
}

fn payments_of(orders: &[world::Order]) -> usize {
    orders.iter().map(|order| order.payment).collect::<std::collections::BTreeSet<_>>().len()
}
