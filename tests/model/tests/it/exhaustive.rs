//! The protocol as designed: every state is reached, and every property holds in all of them.

use std::io::{Write, stderr};

use model::{Report, System, always, explore, sometimes};

/// Explores everything, prints what was seen, and asks for no fewer states and for all of `sometimes` but `unseen`.
fn holds(name: &str, system: System, at_least: usize, unseen: &[&str]) {
    let report = explore(&system, &always(), &sometimes());
    let Report { states, steps, depth, .. } = report;
    // Past the test harness, which keeps what a passing test prints to itself.
    let line = format!("model: {name}: states={states} steps={steps} depth={depth}\n");
    stderr().write_all(line.as_bytes()).expect("standard error is open");
    if let Some(broken) = &report.broken {
        panic!("{}\n{}", broken.property, broken.trace.join("\n"));
    }
    assert_eq!(report.never_seen, unseen, "the exploration is blind for something else than expected");
    assert!(
        report.states >= at_least,
        "only {} states: something no longer happens in the model",
        report.states
    );
}

#[test]
fn it_holds_under_every_fault() {
    let system =
        System { with_webhooks: true, with_lost_writes: true, with_processing: true, ..System::default() };
    holds("every fault", system, 600_000, &["two workers run at once"]);
}

#[test]
fn it_holds_between_workers_that_read_before_each_other_writes() {
    let system = System { with_old_readings: true, without_further_attempt: true, ..System::default() };
    let unseen = [
        "a further attempt succeeds",
        "a further attempt is refused behind a success",
        "a fact answers what a person was asked",
        "a write is refused because it was made before and overwritten",
    ];
    holds("old readings", system, 390_000, &unseen);
}
