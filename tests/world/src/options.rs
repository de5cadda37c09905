//! What a run is made of: sizes, latencies and fault rates, drawn from the seed and printed with a failure.

use effect::{Rules, hours, minutes, seconds};

use crate::{breakage::Breakage, kinds::Kind};

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
    /// How often the sweep runs while anything is due, in milliseconds.
    pub sweep_every_ms: i64,
    /// How long a payment in `processing` takes at the most, in milliseconds.
    pub processing_ms: i64,
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
pub(crate) const SWEEP_LEASE_MS: i64 = minutes(15);

/// Returns the protocol's numbers in the world.
#[must_use]
pub fn rules() -> Rules {
    Rules::production()
}

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
            sweep_every_ms: minutes(1),
            processing_ms: hours(100),
            second_build_at: None,
            script: Vec::new(),
            crash_at: Vec::new(),
            calm_at: 0,
            breakage: None,
        }
    }
}
