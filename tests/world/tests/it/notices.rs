//! The simulation notices: each deliberate breakage of the protocol or its environment is caught, and soon.

use world::{Breakage, run_seed};

/// Within how many seeds the slowest breakage must be caught.
const WORST: u64 = 10_000;

/// Within how many seeds half of the breakages must be caught.
const MEDIAN: u64 = 100;

fn seeds_until_noticed(breakage: Breakage) -> u64 {
    for seed in 0..WORST {
        let report = run_seed(seed, |options| options.breakage = Some(breakage), false);
        if let Some(violation) = report.violations.first() {
            println!("notices {breakage:?}: seed {seed}: {violation}");
            return seed + 1;
        }
    }
    panic!("{breakage:?} was not noticed in {WORST} seeds");
}

#[test]
fn notices_every_breakage_half_of_them_within_a_hundred_seeds() {
    let mut needed: Vec<u64> = Breakage::ALL.iter().map(|breakage| seeds_until_noticed(*breakage)).collect();
    needed.sort_unstable();
    let median = needed[needed.len() / 2];
    println!("notices: breakages={} median={median} worst={}", needed.len(), needed.last().unwrap());
    assert!(median <= MEDIAN, "the median breakage takes {median} seeds");
}
