//! What a run is made of: sizes, latencies and fault rates, drawn from the seed and printed with a failure.

use effect::{Rules, hours, minutes, seconds};

use crate::rng::Rng;

/// A deliberate breakage of the protocol, which the simulation must notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Breakage {
    /// Every send carries a key of its own.
    NewKeyPerSend,
    /// The intent is written only after the effect.
    EffectBeforeRecord,
    /// The table takes every write, whatever its condition.
    UnconditionalWrite,
}

/// What happens to one request to Stripe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StripeFault {
    /// Nothing.
    None,
    /// A fault of the endpoint itself.
    At(stripe_sim::Fault),
    /// The connection breaks before the request arrives.
    ResetBefore,
    /// The effect happens, and the reply is lost.
    LoseReply,
    /// The endpoint takes this long, in milliseconds.
    Slow(i64),
}

/// One command that somebody sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Which of the run's payments it is for.
    pub payment: usize,
    /// Its ref.
    pub reference: &'static str,
    /// The payment method, which decides the outcome.
    pub payment_method: &'static str,
    /// Amount in minor units.
    pub amount: u64,
    /// When it is sent, in milliseconds after the start.
    pub at: i64,
}

/// Everything that a run depends on besides its seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The commands sent.
    pub orders: Vec<Order>,
    /// Latency of a port call, in milliseconds, at the most.
    pub latency_ms: i64,
    /// How often a call takes up to the function's whole timeout, per mille.
    pub stall: u32,
    /// How often a worker dies at a pause point, per mille.
    pub crash: u32,
    /// How often a table call is throttled, per mille.
    pub throttle: u32,
    /// How often a write's reply is lost, per mille.
    pub lose_write_reply: u32,
    /// How often a Stripe request meets a fault, per mille.
    pub stripe_fault: u32,
    /// How often a message is delivered to two workers at once, per mille.
    pub duplicate_delivery: u32,
    /// How often a publish is answered with a failed entry, or a stream batch comes again, per mille.
    pub bus_fault: u32,
    /// How often a send to a queue fails, half of the time after its effect, per mille.
    pub send_fault: u32,
    /// The largest difference of a worker's clock from true time, in milliseconds.
    pub skew_ms: i64,
    /// How far search lags behind at Stripe, in milliseconds; below an hour.
    pub search_lag_ms: i64,
    /// How far the list lags behind at Stripe, in milliseconds.
    pub list_lag_ms: i64,
    /// When Stripe cannot be reached: start and length in milliseconds.
    pub outage: Option<(i64, i64)>,
    /// When the table cannot be reached: start and length in milliseconds.
    pub table_outage: Option<(i64, i64)>,
    /// When dead-lettered messages are redriven, in milliseconds after the start.
    pub redrive_at: Option<i64>,
    /// How often a customer pays a declined intent, per mille.
    pub customer_pays: u32,
    /// Stripe faults of the first requests, before chance decides.
    pub script: Vec<StripeFault>,
    /// Pause points at which the worker dies, counted from 0; for exhaustive runs.
    pub crash_at: Vec<u64>,
    /// When faults stop, in milliseconds after the start.
    pub calm_at: i64,
    /// A deliberate breakage.
    pub breakage: Option<Breakage>,
}

/// The numbers of the AWS stage, which the world runs with.
pub(crate) const FUNCTION_TIMEOUT_MS: i64 = seconds(60);
pub(crate) const PROVIDER_TIMEOUT_MS: i64 = seconds(20);
pub(crate) const WRITE_MARGIN_MS: i64 = seconds(3);
pub(crate) const VISIBILITY_MS: i64 = seconds(360);
pub(crate) const MAX_RECEIVE_COUNT: u32 = 10;
pub(crate) const DEDUPLICATION_MS: i64 = minutes(5);
pub(crate) const SWEEP_EVERY_MS: i64 = minutes(1);
pub(crate) const SWEEP_LEASE_MS: i64 = minutes(15);

/// Returns the protocol's numbers in the world.
#[must_use]
pub fn rules() -> Rules {
    Rules::production()
}

const CARDS: [&str; 10] = [
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_chargeDeclined",
    "pm_card_chargeDeclined",
    "pm_card_chargeDeclinedInsufficientFunds",
    "pm_card_authenticationRequired",
    "pm_sim_processing",
];

impl Options {
    /// Returns a run without any fault.
    #[must_use]
    pub fn calm(orders: Vec<Order>) -> Self {
        Self {
            orders,
            latency_ms: 10,
            stall: 0,
            crash: 0,
            throttle: 0,
            lose_write_reply: 0,
            stripe_fault: 0,
            duplicate_delivery: 0,
            bus_fault: 0,
            send_fault: 0,
            skew_ms: 0,
            search_lag_ms: minutes(1),
            list_lag_ms: 0,
            outage: None,
            table_outage: None,
            redrive_at: None,
            customer_pays: 0,
            script: Vec::new(),
            crash_at: Vec::new(),
            calm_at: 0,
            breakage: None,
        }
    }

    /// Draws a hostile run.
    #[must_use]
    pub fn draw(rng: &mut Rng) -> Self {
        let orders = draw_orders(rng);
        let mut options = Self::calm(orders);
        options.latency_ms = *rng.pick(&[5, 50, 2_000]);
        options.calm_at = *rng.pick(&[minutes(10), hours(2), hours(30), hours(110)]);
        // Each kind of fault is off in some runs, so that a rare one is not drowned by a common one.
        let mut rate = |most: u64| if rng.chance(400) { 0 } else { rng.below(most) as u32 };
        options.stall = rate(60);
        options.crash = rate(120);
        options.throttle = rate(100);
        options.lose_write_reply = rate(100);
        options.stripe_fault = rate(700);
        options.duplicate_delivery = rate(400);
        options.bus_fault = rate(300);
        options.send_fault = rate(200);
        options.customer_pays = rate(500);
        options.skew_ms = *rng.pick(&[0, seconds(2), seconds(30), minutes(2) + seconds(30)]);
        options.search_lag_ms = *rng.pick(&[seconds(5), minutes(1), minutes(59)]);
        options.list_lag_ms = *rng.pick(&[0, 0, seconds(2), seconds(30)]);
        if rng.chance(250) {
            options.outage = Some((rng.between(0, minutes(10)), rng.between(minutes(1), hours(30))));
            options.calm_at = options.calm_at.max(hours(31));
        }
        if rng.chance(100) {
            options.table_outage = Some((rng.between(0, minutes(10)), rng.between(minutes(1), hours(2))));
        }
        if rng.chance(500) {
            options.redrive_at = Some(rng.between(hours(1), hours(100)));
        }
        options
    }
}

fn draw_orders(rng: &mut Rng) -> Vec<Order> {
    let mut orders = Vec::new();
    let payments = 3 + rng.below(2) as usize;
    for payment in 0..payments {
        let amount = 100 + rng.below(9_000);
        let card = CARDS[rng.below(10) as usize];
        let first =
            Order { payment, reference: "1", payment_method: card, amount, at: rng.between(0, minutes(1)) };
        let mut repeats: Vec<Order> = vec![first.clone()];
        for _ in 0..rng.below(3) {
            let later = *rng.pick(&[5, seconds(10), minutes(6), hours(25), hours(90)]);
            repeats.push(Order { at: first.at + rng.between(0, later), ..first.clone() });
        }
        if rng.chance(400) {
            let soon = *rng.pick(&[seconds(5), minutes(10), hours(26)]);
            let at = first.at + rng.between(0, soon);
            let card = CARDS[rng.below(10) as usize];
            repeats.push(Order { reference: "2", payment_method: card, at, ..first.clone() });
        }
        if rng.chance(150) {
            let at = first.at + rng.between(0, minutes(30));
            repeats.push(Order { reference: "3", payment_method: "pm_card_visa", at, ..first.clone() });
        }
        if rng.chance(100) {
            // The same operation with another amount: refused, announced, and no effect.
            let at = first.at + rng.between(1, minutes(10));
            repeats.push(Order { amount: amount + 1, at, ..first.clone() });
        }
        orders.append(&mut repeats);
    }
    orders
}
