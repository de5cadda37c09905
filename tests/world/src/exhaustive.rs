//! Exhaustive runs: for each flow, a worker dies at every pause point, one run for each.

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

/// Runs a flow without a crash, then once for each pause point with a crash there. Returns the number of pause
/// points, the number of runs, and the reports that broke an invariant, with the point.
#[must_use]
pub fn exhaust(flow: &Flow) -> (u64, u64, Vec<(Option<u64>, Report)>) {
    let run_with = |crash_at: Vec<u64>, traced: bool| {
        let options = Options { script: flow.script.clone(), crash_at, ..Options::calm(flow.orders.clone()) };
        run(options, Rng::new(1), traced)
    };
    let clean = run_with(Vec::new(), false);
    let points = clean.points;
    let mut broken = Vec::new();
    if !clean.violations.is_empty() {
        broken.push((None, run_with(Vec::new(), true)));
    }
    for point in 0..points {
        if !run_with(vec![point], false).violations.is_empty() {
            broken.push((Some(point), run_with(vec![point], true)));
        }
    }
    (points, points + 1, broken)
}
