//! The kinds of fault, each one counted, and the cells of payment state by fault that a run must have met.

use payment::PaymentState;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident => $name:literal),* $(,)?) => {
        /// A kind of fault.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind { $($(#[$doc])* $kind),* }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns its name for a person.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name),* }
            }
        }
    };
}

kinds! {
    /// A worker dies at a pause point.
    Crash => "crash at a pause point",
    /// A worker is killed at its timeout.
    FunctionTimeout => "function timeout",
    /// The effect happens and its reply is lost.
    LostReply => "lost reply",
    /// The connection breaks before the request arrives.
    ResetBefore => "reset before the effect",
    /// The reply comes after the worker stopped waiting.
    LateReply => "reply too late",
    /// Stripe saves a 500 and does nothing.
    Error500Before => "500 before",
    /// Stripe does it and saves a 500.
    Error500After => "500 after",
    /// Stripe creates the intent, does not confirm it, and saves a 500.
    Error500Between => "500 between create and confirm",
    /// Stripe limits the rate.
    RateLimit => "429 rate limit",
    /// Stripe could not take the object's lock.
    LockTimeout => "429 lock timeout",
    /// Stripe is unavailable; nothing is saved.
    Unavailable => "503",
    /// A request under the same key is still running.
    InFlight => "409 in flight",
    /// The table throttles.
    Throttle => "table throttle",
    /// A transaction held the item.
    TransactionConflict => "transaction conflict",
    /// The table's reply is lost, and the SDK's second try meets the first one's write.
    LostWriteReply => "lost write reply",
    /// A write was refused since the record had changed.
    WriteConflict => "write conflict",
    /// A message is delivered to two workers at once.
    DuplicateDelivery => "duplicate delivery",
    /// A call takes long.
    Delay => "delay",
    /// Commands of one payment arrive in another order than they were meant.
    Reordering => "reordering",
    /// A worker goes on after its claim ran out and another took over.
    StaleWorker => "stale worker after its claim",
    /// A worker's clock is off by a second or more.
    ClockSkew => "clock skew between workers",
    /// An operation is unsettled when Stripe may forget its key.
    KeyExpiry => "key expiry",
    /// A search misses an intent that exists.
    SearchLag => "search lag",
    /// A list misses an intent that exists.
    ListLag => "list before a create is visible",
    /// A batch of the stream comes again although it went well.
    StreamRepeat => "stream redelivery",
    /// The bus takes a part of the entries.
    BusPartial => "bus partial failure",
    /// The bus takes nothing, or its reply is lost.
    BusDown => "bus failure",
    /// A send to a queue fails, or its reply is lost.
    FailedSend => "failed send",
    /// A dead-lettered message comes back days later.
    LateRedrive => "DLQ redrive days later",
    /// A webhook arrives before the reply of the request that caused it.
    WebhookBefore => "webhook before the reply",
    /// A webhook arrives late.
    WebhookAfter => "webhook after",
    /// A webhook arrives twice.
    WebhookTwice => "webhook twice",
    /// The customer pays an intent that was declined.
    CustomerPays => "customer paying after a decline",
    /// Somebody cancels an intent at Stripe, not through us.
    CanceledOutside => "intent canceled at Stripe by another",
    /// Stripe cannot be reached for 20 h or more.
    LongOutage => "long outage",
    /// Stripe refuses the key until the secret is put right.
    SecretRolled => "secret rolled",
    /// Another build of our code, which freezes other bytes, takes over.
    TwoBuilds => "two versions at once",
    /// Nobody captures an authorization before it ends.
    Expired => "authorization expired",
    /// Somebody captures an authorization at Stripe, not through us.
    CapturedOutside => "captured at Stripe by another",
    /// The customer never acts.
    CustomerAbsent => "customer never acts",
    /// A refund is not final at once.
    RefundPending => "refund pending",
    /// A refund fails or is canceled, some after they had succeeded.
    RefundFailed => "refund failed",
}

impl Kind {
    /// How many kinds there were when there were only charges: the drawings of that time draw a rate for each.
    pub(crate) const OF_CHARGES: usize = Self::TwoBuilds as usize + 1;
}

/// How often each kind struck, and in which states of the payment it struck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Struck {
    kinds: [u64; Kind::ALL.len()],
    cells: [[u64; PaymentState::ALL.len()]; Kind::ALL.len()],
}

impl Default for Struck {
    fn default() -> Self {
        Self { kinds: [0; Kind::ALL.len()], cells: [[0; PaymentState::ALL.len()]; Kind::ALL.len()] }
    }
}

impl Struck {
    /// Counts a strike that hit no payment in particular.
    pub const fn count(&mut self, kind: Kind) {
        self.kinds[kind as usize] += 1;
    }

    /// Counts the state of a payment that a strike hit.
    pub const fn hit(&mut self, kind: Kind, state: PaymentState) {
        self.cells[kind as usize][state as usize] += 1;
    }

    /// Returns how often a kind struck.
    #[must_use]
    pub const fn of(&self, kind: Kind) -> u64 {
        self.kinds[kind as usize]
    }

    /// Returns how often a kind struck a payment in a state.
    #[must_use]
    pub const fn cell(&self, kind: Kind, state: PaymentState) -> u64 {
        self.cells[kind as usize][state as usize]
    }

    /// Adds another run's counts.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.kinds.iter_mut().zip(other.kinds) {
            *mine += theirs;
        }
        for (mine, theirs) in self.cells.iter_mut().flatten().zip(other.cells.iter().flatten()) {
            *mine += theirs;
        }
    }
}
