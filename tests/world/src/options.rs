//! What a run is made of: sizes, latencies and fault rates, drawn from the seed and printed with a failure.

use effect::{Rules, hours, minutes, seconds};
use payment::{CaptureMethod, IfCaptured};

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
    /// What it asks for.
    pub ask: Ask,
    /// When it is sent, in milliseconds after the start.
    pub at: i64,
}

/// What a command asks for. Amounts are in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// A charge of this amount.
    Charge {
        /// The payment method, which decides the outcome.
        payment_method: &'static str,
        /// Amount.
        amount: u64,
        /// When the money is taken.
        capture: CaptureMethod,
    },
    /// A capture of this amount, or of all.
    Capture(Option<u64>),
    /// A cancel.
    Cancel(IfCaptured),
    /// A refund of this amount, or of all that is left.
    Refund(Option<u64>),
}

impl Order {
    /// Returns a charge whose money is taken at once.
    #[must_use]
    pub const fn charge(
        payment: usize,
        reference: &'static str,
        payment_method: &'static str,
        amount: u64,
        at: i64,
    ) -> Self {
        let ask = Ask::Charge { payment_method, amount, capture: CaptureMethod::Automatic };
        Self { payment, reference, ask, at }
    }

    /// Returns the charge with another payment method.
    #[must_use]
    pub const fn paid_by(mut self, card: &'static str) -> Self {
        if let Ask::Charge { payment_method, .. } = &mut self.ask {
            *payment_method = card;
        }
        self
    }

    /// Returns the charge with its amount one higher.
    #[must_use]
    pub const fn of_one_more(mut self) -> Self {
        if let Ask::Charge { amount, .. } = &mut self.ask {
            *amount += 1;
        }
        self
    }

    /// Returns the charge, to be captured.
    #[must_use]
    pub const fn to_be_captured(mut self) -> Self {
        if let Ask::Charge { capture, .. } = &mut self.ask {
            *capture = CaptureMethod::Manual;
        }
        self
    }

    /// Returns another command about the same payment, this long after.
    #[must_use]
    pub const fn then(&self, after_ms: i64, reference: &'static str, ask: Ask) -> Self {
        Self { payment: self.payment, reference, ask, at: self.at + after_ms }
    }
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
    /// How long a refund that is not final at once takes, in milliseconds.
    pub refund_delay_ms: i64,
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
            refund_delay_ms: hours(72),
            second_build_at: None,
            script: Vec::new(),
            crash_at: Vec::new(),
            calm_at: 0,
            breakage: None,
        }
    }
}
