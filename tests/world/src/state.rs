//! The world's state: virtual time, the events to come, and everything outside the functions.

use std::{
    cell::RefCell,
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    rc::Rc,
};

use payment::{PaymentId, Record};
use stripe_wire::HttpRequest;

use crate::{
    asked::Asked,
    breakage::Breakage,
    kinds::Kind,
    options::{Options, StripeFault},
    pauses::Pauses,
    queue::Queue,
    rng::Rng,
    stats::Stats,
};

pub(crate) type TaskId = u32;
pub(crate) type PauseId = u64;

/// Something that happens at a point of virtual time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// A paused port call goes on.
    Resume(PauseId, Wake),
    /// Stripe carries out the request that it has begun.
    StripeFinish { request: u64 },
    /// The queue's mapping looks for messages.
    Receive,
    /// The schedule invokes the sweep.
    Sweep,
    /// The stream's mapping invokes the publisher.
    Publish,
    /// An invocation reaches its timeout.
    Kill(TaskId),
    /// Somebody sends a command.
    Command(usize),
    /// A payment in `processing` ends.
    SettleProcessing { id: String, succeed: bool },
    /// A customer pays an intent that was declined.
    CustomerPays { id: String },
    /// Somebody cancels an intent at Stripe, not through us.
    CancelOutside { id: String },
    /// Somebody captures an authorization at Stripe, not through us.
    CaptureOutside { id: String },
    /// What time alone does to an intent or refund.
    TimePasses { id: String },
    /// A webhook's fact arrives on the queue.
    Webhook { id: String },
    /// An operator redrives the dead-letter queue.
    Redrive,
}

/// How a paused call goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Wake {
    /// Normally.
    Go,
    /// The reply has arrived.
    Reply,
    /// The connection broke.
    Broken,
    /// Nothing arrived in time.
    TimedOut,
}

/// A request that Stripe has begun.
pub(crate) struct Begun {
    pub(crate) ticket: stripe_sim::Ticket,
    pub(crate) pause: PauseId,
    pub(crate) fault: StripeFault,
    pub(crate) request: HttpRequest,
}

/// A request that was on record before it could be sent.
pub(crate) struct OnRecord {
    pub(crate) path: String,
    pub(crate) body: String,
    pub(crate) payment: PaymentId,
    pub(crate) build: u8,
}

/// One announcing write, as the stream carries it.
pub(crate) struct Change {
    pub(crate) sequence: u64,
    pub(crate) record: Rc<Record>,
}

pub(crate) struct State {
    pub(crate) now: i64,
    pub(crate) rng: Rng,
    pub(crate) options: Options,
    /// What somebody sends, one for each of the orders.
    pub(crate) asked: Rc<[Asked]>,
    events: BinaryHeap<Reverse<(i64, u64, Event)>>,
    next_event: u64,
    pub(crate) pauses: Pauses,
    /// Pause points passed so far.
    pub(crate) points: u64,
    /// The records, each shared with the stream that carries it.
    pub(crate) table: BTreeMap<PaymentId, Rc<Record>>,
    /// The write that a broken protocol puts off until after the effect.
    pub(crate) deferred: BTreeMap<PaymentId, Record>,
    /// When a create under a key was first sent and not surely refused, by the sender's clock, and by which request.
    pub(crate) first_sent: BTreeMap<String, (i64, u64)>,
    /// Requests that the port was asked for, against those that reach Stripe.
    pub(crate) port_calls: u64,
    /// What a broken protocol keeps in mind between an answer and its write.
    pub(crate) absent: bool,
    pub(crate) lowered: bool,
    pub(crate) conflicted: BTreeSet<TaskId>,
    /// Groups whose messages were redriven.
    pub(crate) redriven: Vec<String>,
    /// When each operation's command was first taken by the queue, as a running number.
    pub(crate) taken: BTreeMap<String, u64>,
    /// Every frozen request that was ever written, by its key.
    pub(crate) frozen: BTreeMap<String, OnRecord>,
    pub(crate) stream: Vec<Change>,
    pub(crate) published_to: usize,
    pub(crate) writes: u64,
    pub(crate) queue: Queue,
    pub(crate) set_aside: Vec<String>,
    pub(crate) stripe: stripe_sim::Sim,
    pub(crate) begun: BTreeMap<u64, Begun>,
    /// Intents that somebody else captured.
    pub(crate) captured_outside: BTreeSet<String>,
    pub(crate) requests: u64,
    pub(crate) bus: BTreeMap<String, String>,
    pub(crate) wakes: BTreeMap<(PaymentId, i64), u32>,
    pub(crate) tokens: u64,
    pub(crate) sweep_planned: Option<i64>,
    pub(crate) publish_planned: bool,
    pub(crate) resume_planned: bool,
    pub(crate) stats: Stats,
    pub(crate) violations: Vec<String>,
    pub(crate) trace: Option<Vec<String>>,
    pub(crate) steps: u64,
}

/// The state, shared between the driver and the ports of every worker. One thread, never borrowed across a poll.
#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Rc<RefCell<State>>);

impl State {
    pub(crate) fn new(options: Options, rng: Rng, traced: bool) -> Self {
        let stripe = stripe_sim::Sim::new(stripe_sim::Settings {
            search_lag_ms: options.search_lag_ms,
            list_lag_ms: options.list_lag_ms,
            refund_delay_ms: Some(options.refund_delay_ms),
            key_ttl_ms: if options.breakage == Some(Breakage::ForgetfulProvider) {
                effect::minutes(1)
            } else {
                effect::hours(24)
            },
            ..stripe_sim::Settings::default()
        });
        Self {
            now: START_MS,
            rng,
            asked: options.orders.iter().map(Asked::by).collect(),
            options,
            events: BinaryHeap::new(),
            next_event: 0,
            pauses: Pauses::default(),
            points: 0,
            table: BTreeMap::new(),
            deferred: BTreeMap::new(),
            first_sent: BTreeMap::new(),
            port_calls: 0,
            absent: false,
            lowered: false,
            conflicted: BTreeSet::new(),
            redriven: Vec::new(),
            taken: BTreeMap::new(),
            frozen: BTreeMap::new(),
            stream: Vec::new(),
            published_to: 0,
            writes: 0,
            queue: Queue::default(),
            set_aside: Vec::new(),
            stripe,
            begun: BTreeMap::new(),
            captured_outside: BTreeSet::new(),
            requests: 0,
            bus: BTreeMap::new(),
            wakes: BTreeMap::new(),
            tokens: 0,
            sweep_planned: None,
            publish_planned: false,
            resume_planned: false,
            stats: Stats::default(),
            violations: Vec::new(),
            trace: traced.then(Vec::new),
            steps: 0,
        }
    }

    /// Tells whether the protocol is broken in this way.
    pub(crate) fn is_broken(&self, breakage: Breakage) -> bool {
        self.options.breakage == Some(breakage)
    }

    /// Tells whether faults have stopped.
    pub(crate) fn is_calm(&self) -> bool {
        self.now - START_MS >= self.options.calm_at
    }

    /// Draws whether a fault strikes now, and counts it if it does.
    pub(crate) fn strikes(&mut self, kind: Kind, payment: Option<&PaymentId>) -> bool {
        let strikes = !self.is_calm() && self.rng.chance(self.options.rates.of(kind));
        if strikes {
            self.struck(kind, payment);
        }
        strikes
    }

    /// Counts a fault, and the state of the payment that it hit.
    pub(crate) fn struck(&mut self, kind: Kind, payment: Option<&PaymentId>) {
        self.stats.struck.count(kind);
        if let Some(record) = payment.and_then(|id| self.table.get(id)) {
            self.stats.struck.hit(kind, record.payment.state());
        }
        self.note(|| format!("fault: {}", kind.name()));
    }

    pub(crate) fn is_within(&self, span: Option<(i64, i64)>) -> bool {
        let at = self.now - START_MS;
        span.is_some_and(|(from, length)| at >= from && at < from + length)
    }

    /// Draws how long a port call takes.
    pub(crate) fn latency(&mut self) -> i64 {
        if self.strikes(Kind::Delay, None) {
            return self.rng.between(0, crate::options::FUNCTION_TIMEOUT_MS);
        }
        let most = if self.is_calm() { 10 } else { self.options.latency_ms };
        self.rng.between(1, most)
    }

    pub(crate) fn schedule(&mut self, at: i64, event: Event) {
        self.next_event += 1;
        self.events.push(Reverse((at.max(self.now), self.next_event, event)));
    }

    pub(crate) fn next_event(&mut self) -> Option<Event> {
        let Reverse((at, _, event)) = self.events.pop()?;
        self.now = self.now.max(at);
        Some(event)
    }

    pub(crate) fn pause(&mut self, task: TaskId, point: &'static str) -> PauseId {
        self.pauses.hold(task, point)
    }

    pub(crate) fn violate(&mut self, what: String) {
        self.note(|| format!("VIOLATION {what}"));
        if self.violations.len() < 20 {
            self.violations.push(what);
        }
    }

    pub(crate) fn note(&mut self, line: impl FnOnce() -> String) {
        let now = self.now;
        if let Some(trace) = &mut self.trace {
            let at = now - START_MS;
            let (h, m, s, ms) = (at / 3_600_000, at / 60_000 % 60, at / 1_000 % 60, at % 1_000);
            trace.push(format!("{h:3}:{m:02}:{s:02}.{ms:03} {}", line()));
        }
    }

    /// Plans a run of the sweep, unless an earlier one is planned.
    pub(crate) fn plan_sweep(&mut self, at: i64) {
        if self.is_broken(Breakage::NoSweep) {
            return;
        }
        if self.sweep_planned.is_none_or(|planned| at < planned) {
            self.sweep_planned = Some(at);
            self.schedule(at, Event::Sweep);
        }
    }

    /// Plans a run of the publisher, unless one is planned or under way.
    pub(crate) fn plan_publish(&mut self, after_ms: i64) {
        if !self.publish_planned && self.published_to < self.stream.len() {
            self.publish_planned = true;
            self.schedule(self.now + after_ms, Event::Publish);
        }
    }
}

/// Where virtual time starts: any day will do.
pub(crate) const START_MS: i64 = 1_800_000_000_000;
