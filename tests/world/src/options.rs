//! What a run is made of: sizes, latencies and fault rates, drawn from the seed and printed with a failure.

use effect::{Rules, hours, minutes, seconds};

use crate::{breakage::Breakage, kinds::Kind, rng::Rng};

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
    /// How often each kind of fault strikes where it can, per mille.
    pub rates: Rates,
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
    /// When the queue's mapping is switched off: start and length in milliseconds.
    pub queue_paused: Option<(i64, i64)>,
    /// When Stripe refuses the key: start and length in milliseconds.
    pub secret_rolled: Option<(i64, i64)>,
    /// When another build of our code takes over, in milliseconds after the start.
    pub second_build_at: Option<i64>,
    /// Stripe faults of the first requests, before chance decides.
    pub script: Vec<StripeFault>,
    /// Pause points at which the worker dies, counted from 0; for exhaustive runs.
    pub crash_at: Vec<u64>,
    /// When faults stop, in milliseconds after the start.
    pub calm_at: i64,
    /// A deliberate breakage.
    pub breakage: Option<Breakage>,
}

/// A rate for each kind of fault, per mille.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rates([u32; Kind::ALL.len()]);

impl Default for Rates {
    fn default() -> Self {
        Self([0; Kind::ALL.len()])
    }
}

impl Rates {
    /// Returns how often a kind strikes.
    #[must_use]
    pub const fn of(&self, kind: Kind) -> u32 {
        self.0[kind as usize]
    }

    /// Sets how often a kind strikes.
    pub const fn set(&mut self, kind: Kind, per_mille: u32) {
        self.0[kind as usize] = per_mille;
    }
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
            rates: Rates::default(),
            skew_ms: 0,
            search_lag_ms: minutes(1),
            list_lag_ms: 0,
            outage: None,
            table_outage: None,
            redrive_at: None,
            queue_paused: None,
            secret_rolled: None,
            second_build_at: None,
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
        options.calm_at = *rng.pick(&[minutes(10), minutes(10), hours(2), hours(2), hours(30), hours(110)]);
        for kind in Kind::ALL {
            // Each kind is off in some runs, so that a rare one is not drowned by a common one.
            if !rng.chance(400) {
                options.rates.set(*kind, rng.below(most(*kind)) as u32);
            }
        }
        options.skew_ms = *rng.pick(&[0, seconds(2), seconds(30), minutes(2) + seconds(30)]);
        options.search_lag_ms = *rng.pick(&[seconds(5), minutes(1), minutes(59)]);
        options.list_lag_ms = *rng.pick(&[0, 0, seconds(2), seconds(30), minutes(3)]);
        if rng.chance(250) {
            // Some outages end just where the key window does.
            let length = match rng.below(4) {
                0 => hours(23) - rng.between(0, minutes(3)),
                1 => rng.between(hours(20), hours(30)),
                _ => rng.between(minutes(1), hours(4)),
            };
            options.outage = Some((rng.between(0, minutes(10)), length));
            options.calm_at = options.calm_at.max(hours(31));
        }
        if rng.chance(100) {
            options.table_outage = Some((rng.between(0, minutes(10)), rng.between(minutes(1), hours(2))));
        }
        if rng.chance(80) {
            // The mapping comes back just where the key window ends, with operations left unknown before.
            let from = minutes(2);
            options.queue_paused = Some((from, hours(23) + rng.between(-minutes(1), minutes(1)) - from));
            options.rates.set(Kind::LateReply, 500);
            options.rates.set(Kind::Delay, 200);
            options.calm_at = options.calm_at.max(hours(24));
        }
        if rng.chance(100) {
            options.secret_rolled = Some((rng.between(0, minutes(10)), rng.between(minutes(1), hours(3))));
        }
        if rng.chance(200) {
            options.second_build_at = Some(rng.between(0, minutes(20)));
        }
        if rng.chance(500) {
            options.redrive_at = Some(rng.between(hours(1), hours(100)));
        }
        options
    }
}

/// How often each kind strikes at the most, per mille; 0 for what is not drawn at its point but follows from others.
const fn most(kind: Kind) -> u64 {
    match kind {
        Kind::Crash => 120,
        Kind::LostReply | Kind::ResetBefore => 300,
        Kind::LateReply | Kind::Error500After => 150,
        Kind::Error500Before
        | Kind::Error500Between
        | Kind::RateLimit
        | Kind::LockTimeout
        | Kind::Unavailable => 100,
        Kind::Throttle | Kind::LostWriteReply => 100,
        Kind::TransactionConflict => 60,
        Kind::DuplicateDelivery => 400,
        Kind::Delay => 60,
        Kind::StreamRepeat | Kind::BusPartial | Kind::BusDown => 200,
        Kind::FailedSend => 200,
        Kind::WebhookBefore | Kind::WebhookAfter | Kind::WebhookTwice => 500,
        Kind::CustomerPays => 500,
        Kind::FunctionTimeout
        | Kind::InFlight
        | Kind::WriteConflict
        | Kind::Reordering
        | Kind::StaleWorker
        | Kind::ClockSkew
        | Kind::KeyExpiry
        | Kind::SearchLag
        | Kind::ListLag
        | Kind::LateRedrive
        | Kind::CanceledOutside
        | Kind::LongOutage
        | Kind::SecretRolled
        | Kind::TwoBuilds => 1,
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
            // A repeat just where the key window ends is the one that a careless clock would send.
            let after =
                if rng.chance(80) { hours(23) - rng.between(0, minutes(2)) } else { rng.between(0, later) };
            repeats.push(Order { at: first.at + after, ..first.clone() });
        }
        if rng.chance(400) {
            let soon = *rng.pick(&[seconds(5), minutes(10), hours(26)]);
            let at = if rng.chance(150) { first.at / 2 } else { first.at + rng.between(0, soon) };
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
