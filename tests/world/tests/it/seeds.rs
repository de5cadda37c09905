//! Seeds: hostile runs in which nothing may break, and in which nothing may stay untried.

use world::{Stats, run_seed};

#[test]
fn no_invariant_breaks_and_every_kind_of_fault_strikes() {
    let mut total = Stats::default();
    for seed in 0..1_500 {
        let report = run_seed(seed, |_| {}, false);
        assert!(report.violations.is_empty(), "make sim SEED={seed}: {:?}", report.violations);
        total.add(&report.stats);
    }
    assert_eq!(total.never_struck(), [], "blind: never struck in {} seeds", total.seeds);
    for (outcome, count) in [
        ("succeeded", total.succeeded),
        ("failed", total.failed),
        ("refused", total.refused),
        ("review", total.reviews),
    ] {
        assert!(count > 0, "blind: no charge ended {outcome}");
    }
}

#[test]
fn a_seed_runs_the_same_every_time() {
    for seed in [1, 58, 216, 425, 7_232] {
        let (first, second) = (run_seed(seed, |_| {}, false), run_seed(seed, |_| {}, true));
        assert_eq!(first.hash, second.hash, "seed {seed}");
        assert_eq!(first.stats, second.stats, "seed {seed}");
    }
}
