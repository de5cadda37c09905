//! The simulation notices: each deliberate breakage of the protocol is caught, and soon.

use world::{Breakage, run_seed};

fn seeds_until_noticed(breakage: Breakage, within: u64) -> u64 {
    for seed in 0..within {
        let report = run_seed(seed, |options| options.breakage = Some(breakage), false);
        if let Some(violation) = report.violations.first() {
            println!("{breakage:?}: seed {seed}: {violation}");
            return seed + 1;
        }
    }
    panic!("{breakage:?} was not noticed in {within} seeds");
}

#[test]
fn notices_a_new_key_for_every_send() {
    assert!(seeds_until_noticed(Breakage::NewKeyPerSend, 500) > 0);
}

#[test]
fn notices_an_effect_before_its_record() {
    assert!(seeds_until_noticed(Breakage::EffectBeforeRecord, 500) > 0);
}

#[test]
fn notices_an_unconditional_write() {
    assert!(seeds_until_noticed(Breakage::UnconditionalWrite, 500) > 0);
}
