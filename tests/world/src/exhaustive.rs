//! Exhaustive runs: for each flow, workers die at every pause point, and at every pair of them.

use stripe_sim::Fault;

use crate::{
    options::{Options, Order, StripeFault},
    rng::Rng,
    run::{Report, run},
};

/// A way through the system without chance.
#[derive(Debug, Clone)]
pub struct Flow {
    /// What it shows.
    pub name: &'static str,
    /// The commands sent.
    pub orders: Vec<Order>,
    /// What happens to the requests to Stripe, in order.
    pub script: Vec<StripeFault>,
}

/// Returns the charge's flows.
#[must_use]
pub fn flows() -> Vec<Flow> {
    let charge = |payment_method| Order { payment: 0, reference: "1", payment_method, amount: 500, at: 0 };
    let visa = charge("pm_card_visa");
    let declined = charge("pm_card_chargeDeclined");
    let second = Order { reference: "2", at: 2_000, ..visa.clone() };
    let flow = |name, orders: &[&Order], script: &[StripeFault]| Flow {
        name,
        orders: orders.iter().map(|order| (*order).clone()).collect(),
        script: script.to_vec(),
    };
    let repeat = Order { at: 100, ..visa.clone() };
    let late = Order { at: 600_000, ..visa.clone() };
    vec![
        flow("a charge", &[&visa], &[]),
        flow("a charge sent twice", &[&visa, &repeat, &late], &[]),
        flow("a lost reply", &[&visa], &[StripeFault::LoseReply]),
        flow("two lost replies", &[&visa], &[StripeFault::LoseReply, StripeFault::LoseReply]),
        flow("a reply too late", &[&visa], &[StripeFault::Slow(30_000)]),
        flow("a saved error after the effect", &[&visa], &[StripeFault::At(Fault::Error500After)]),
        flow("a saved error before the effect", &[&visa], &[StripeFault::At(Fault::Error500Before)]),
        flow(
            "a saved error between create and confirm",
            &[&visa],
            &[StripeFault::At(Fault::Error500BetweenCreateAndConfirm)],
        ),
        flow("a rate limit", &[&visa], &[StripeFault::At(Fault::RateLimit429)]),
        flow("a decline", &[&declined], &[]),
        flow("a decline and a second attempt", &[&declined, &second], &[]),
        flow(
            "a decline, its void's reply lost, and a second attempt",
            &[&declined, &second],
            &[StripeFault::None, StripeFault::LoseReply],
        ),
        flow("a payment in processing", &[&charge("pm_sim_processing")], &[]),
    ]
}

/// What exhausting some flows showed.
#[derive(Debug, Clone, Default)]
pub struct Exhausted {
    /// Flows run.
    pub flows: u64,
    /// Pause points of the flows without a crash, together.
    pub points: u64,
    /// Runs.
    pub runs: u64,
    /// Runs that broke an invariant, with their trace: the flow, the points at which workers died, the report.
    pub broken: Vec<(&'static str, Vec<u64>, Report)>,
}

/// Runs every flow with up to `depth` crashes: at every pause point, at every pair of them, and so on. The points of
/// a run with one crash are counted anew for the second, since the crash itself makes new ones.
#[must_use]
pub fn exhaust(flows: &[Flow], depth: usize) -> Exhausted {
    let mut result = Exhausted::default();
    for flow in flows {
        result.flows += 1;
        let clean = run_with(flow, &[], false);
        result.points += clean.points;
        go_deeper(flow, &mut Vec::new(), clean, depth, &mut result);
    }
    result
}

fn go_deeper(flow: &Flow, crashes: &mut Vec<u64>, report: Report, depth: usize, result: &mut Exhausted) {
    result.runs += 1;
    if !report.violations.is_empty() {
        result.broken.push((flow.name, crashes.clone(), run_with(flow, crashes, true)));
        return;
    }
    if depth == 0 {
        return;
    }
    let next = crashes.last().map_or(0, |last| last + 1);
    for point in next..report.points {
        crashes.push(point);
        let deeper = run_with(flow, crashes, false);
        go_deeper(flow, crashes, deeper, depth - 1, result);
        crashes.pop();
    }
}

fn run_with(flow: &Flow, crash_at: &[u64], traced: bool) -> Report {
    let options = Options {
        script: flow.script.clone(),
        crash_at: crash_at.to_vec(),
        ..Options::calm(flow.orders.clone())
    };
    run(options, Rng::new(1), traced)
}
