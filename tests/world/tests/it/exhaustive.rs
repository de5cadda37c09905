//! Exhaustive runs: a worker dies at every pause point of every flow, and one charge comes out.

use world::{exhaust, flows};

#[test]
fn every_single_crash_of_every_flow_converges() {
    let (mut points, mut runs) = (0, 0);
    for flow in flows() {
        let (flow_points, flow_runs, broken) = exhaust(&flow);
        points += flow_points;
        runs += flow_runs;
        if let Some((point, report)) = broken.first() {
            println!("{}", report.trace.join("\n"));
            panic!("`{}` with a crash at point {point:?}: {:?}", flow.name, report.violations);
        }
        assert!(flow_points >= 8, "`{}` passes only {flow_points} pause points", flow.name);
    }
    println!("exhaustive: flows={} points={points} runs={runs} violations=0", flows().len());
}
