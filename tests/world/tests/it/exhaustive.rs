//! Exhaustive runs: a worker dies at every pause point of every flow, and one charge comes out.

use world::{exhaust, flows};

use crate::JOBS;

#[test]
fn every_single_crash_of_every_flow_converges() {
    let flows = flows();
    let result = exhaust(&flows, 1, JOBS, |_, _| {});
    if let Some((flow, crashes, report)) = result.broken.first() {
        println!("{}", report.trace.join("\n"));
        panic!("`{flow}` with crashes at {crashes:?}: {:?}", report.violations);
    }
    assert!(result.points >= 8 * flows.len() as u64, "only {} pause points", result.points);
    assert_eq!(
        result.runs,
        result.points + flows.len() as u64,
        "one run without a crash and one for each point"
    );
}
