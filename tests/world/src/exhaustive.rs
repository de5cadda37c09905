//! Exhaustive runs: for each flow, workers die at every pause point, and at every pair of them.

use std::{
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
};

use payment::IfCaptured;
use stripe_sim::Fault;

use crate::{
    hunt::on_threads,
    options::{Ask, Options, Order, StripeFault},
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

/// Returns the flows of every operation.
#[must_use]
pub fn flows() -> Vec<Flow> {
    let mut flows = flows_of_charges();
    flows.append(&mut flows_after_an_authorization());
    flows.append(&mut flows_of_refunds());
    flows
}

fn flow(name: &'static str, orders: &[&Order], script: &[StripeFault]) -> Flow {
    let orders = orders.iter().map(|order| (*order).clone()).collect();
    Flow { name, orders, script: script.to_vec() }
}

fn flows_after_an_authorization() -> Vec<Flow> {
    let held = Order::charge(0, "1", "pm_card_visa", 500, 0).to_be_captured();
    let capture = held.then(2_000, "c1", Ask::Capture(None));
    let part = held.then(2_000, "c1", Ask::Capture(Some(300)));
    let cancel = held.then(2_000, "x1", Ask::Cancel(IfCaptured::Refuse));
    let late_cancel = held.then(4_000, "x1", Ask::Cancel(IfCaptured::Refund));
    let (fine, lost) = (StripeFault::None, StripeFault::LoseReply);
    vec![
        flow("an authorization that expires", &[&held], &[]),
        flow("a capture", &[&held, &capture], &[]),
        flow("a capture whose reply is lost twice", &[&held, &capture], &[fine, lost, lost]),
        flow(
            "a capture with a saved error before the effect",
            &[&held, &capture],
            &[fine, StripeFault::At(Fault::Error500Before)],
        ),
        flow(
            "a part captured, and a second capture",
            &[&held, &part, &part.then(10, "c2", Ask::Capture(None))],
            &[],
        ),
        flow("a cancel of an authorization, its reply lost", &[&held, &cancel], &[fine, lost]),
        flow("a capture and a cancel behind it that becomes a refund", &[&held, &capture, &late_cancel], &[]),
        flow(
            "a cancel of a charge that waits for its customer",
            &[&Order::charge(0, "1", "pm_sim_requires_action", 500, 0), &cancel],
            &[],
        ),
    ]
}

fn flows_of_refunds() -> Vec<Flow> {
    let paid = Order::charge(0, "1", "pm_card_visa", 10_000, 0);
    let refund = |reference, amount| paid.then(2_000, reference, Ask::Refund(amount));
    let all = refund("r1", None);
    let (most, most_again) = (refund("r1", Some(7_000)), refund("r2", Some(7_000)));
    let fails = paid.clone().paid_by("pm_sim_refund_pending_fails");
    let later = paid.then(effect::hours(2), "r2", Ask::Refund(None));
    let (fine, lost) = (StripeFault::None, StripeFault::LoseReply);
    vec![
        flow("a refund asked for twice", &[&paid, &all, &all], &[]),
        flow("a refund whose reply is lost twice", &[&paid, &all], &[fine, lost, lost]),
        flow(
            "a refund with a saved error after the effect",
            &[&paid, &all],
            &[fine, StripeFault::At(Fault::Error500After)],
        ),
        flow("two refunds of more than there is", &[&paid, &most, &most_again], &[]),
        flow("a refund that pends and fails, and another one after it", &[&fails, &most, &later], &[]),
        flow(
            "a refund behind a charge whose reply is lost",
            &[&paid, &refund("r1", Some(300))],
            &[lost, lost],
        ),
    ]
}

fn flows_of_charges() -> Vec<Flow> {
    let charge = |payment_method| Order::charge(0, "1", payment_method, 500, 0);
    let visa = charge("pm_card_visa");
    let declined = charge("pm_card_chargeDeclined");
    let second = Order { reference: "2", at: 2_000, ..visa.clone() };
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

/// Runs every flow with up to `depth` crashes, on `jobs` threads: at every pause point, at every pair of them, and so
/// on. The points of a run with one crash are counted anew for the second, since the crash itself makes new ones.
/// `progress` hears of each first crash whose runs are done, and of how many there are.
pub fn exhaust(
    flows: &[Flow],
    depth: usize,
    jobs: NonZero<usize>,
    progress: impl Fn(u64, u64) + Sync,
) -> Exhausted {
    let mut total = Exhausted { flows: flows.len() as u64, ..Exhausted::default() };
    let mut first_crashes = Vec::new();
    for flow in flows {
        let clean = run_with(flow, &[], false);
        total.points += clean.points;
        first_crashes.extend((0..clean.points).map(|point| (flow, point)));
        go_deeper(flow, &mut Vec::new(), &clean, 0, &mut total);
    }
    if depth == 0 || !total.broken.is_empty() {
        return total;
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut mine = Exhausted::default();
        loop {
            let taken = next.fetch_add(1, Ordering::Relaxed);
            let Some((flow, point)) = first_crashes.get(taken) else { return mine };
            let mut crashes = vec![*point];
            let report = run_with(flow, &crashes, false);
            go_deeper(flow, &mut crashes, &report, depth - 1, &mut mine);
            progress(taken as u64 + 1, first_crashes.len() as u64);
        }
    };
    for mut mine in on_threads(jobs, work) {
        total.runs += mine.runs;
        total.broken.append(&mut mine.broken);
    }
    total.broken.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
    total
}

fn go_deeper(flow: &Flow, crashes: &mut Vec<u64>, report: &Report, depth: usize, result: &mut Exhausted) {
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
        go_deeper(flow, crashes, &deeper, depth - 1, result);
        crashes.pop();
    }
}

fn run_with(flow: &Flow, crash_at: &[u64], traced: bool) -> Report {
    let options = Options {
        script: flow.script.clone(),
        crash_at: crash_at.to_vec(),
        // What pends for days is looked at so often that the pairs of those looks would be a million.
        refund_delay_ms: effect::minutes(30),
        ..Options::calm(flow.orders.clone())
    };
    run(options, Rng::new(1), traced)
}
