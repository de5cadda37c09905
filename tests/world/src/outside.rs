//! The world's outside by itself: its table, queue, bus and Stripe, each call run to its end, for the suite that holds
//! them against the real ones. No function runs, and no fault strikes that was not asked for.

use std::{
    cell::RefCell,
    future::Future,
    pin::pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use effect::Time;
use payment::{
    Account, PaymentId, Record,
    ports::{
        Bus, BusEntry, Clock, DeadLetter, DeadLetters, Due, DueIndex, Ledger, LoadError, Message,
        NoCredentials, Queue, QueueDepth, SaveError, SendError,
    },
};
use stripe_wire::{HttpReply, HttpRequest, Transport, TransportError};

use crate::{
    kinds::Kind,
    options::{MAX_RECEIVE_COUNT, Options, StripeFault, VISIBILITY_MS},
    ports::Worker,
    queue,
    rng::Rng,
    state::{Event, Shared, State, Wake},
};

/// Long enough after the start that nobody gets there: faults strike only before a run is calm.
const NEVER_MS: i64 = i64::MAX / 2;

/// How long after the first of two overlapping requests the second one starts.
const OVERLAP_MS: i64 = 100;

/// A table, a queue, a bus and a Stripe, as the functions of a run meet them. A clone is the same outside.
#[derive(Clone)]
pub struct Outside(Worker);

/// A message as it was received from the queue.
#[derive(Debug, Clone)]
pub struct Received(queue::Message);

impl Received {
    /// Returns its group.
    #[must_use]
    pub fn group(&self) -> &str {
        &self.0.group
    }

    /// Returns its body.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.0.body
    }

    /// Returns how often it was received, this time included.
    #[must_use]
    pub const fn receives(&self) -> u32 {
        self.0.received
    }
}

impl Default for Outside {
    fn default() -> Self {
        let options = Options { calm_at: NEVER_MS, search_lag_ms: 0, ..Options::calm(Vec::new()) };
        let state = State::new(options, Rng::new(1), false);
        let started_at = state.now;
        let shared = Shared(Rc::new(RefCell::new(state)));
        Self(Worker { shared, task: 0, skew_ms: 0, build: 0, started_at })
    }
}

impl Outside {
    /// How long a received message stays invisible, in milliseconds.
    pub const VISIBILITY_MS: i64 = VISIBILITY_MS;

    /// After how many receives a message is set aside.
    pub const MAX_RECEIVE_COUNT: u32 = MAX_RECEIVE_COUNT;

    /// Makes a kind of fault strike wherever it can, or no longer.
    pub fn strike(&self, kind: Kind, always: bool) {
        self.0.with(|state| state.options.rates.set(kind, if always { 1_000 } else { 0 }));
    }

    /// Says what happens to the next request to Stripe that no earlier fault is kept for.
    pub fn script(&self, fault: StripeFault) {
        self.0.with(|state| state.options.script.push(fault));
    }

    /// Makes Stripe refuse the key, or accept it again.
    pub fn refuse_credentials(&self, refuse: bool) {
        self.0.with(|state| state.options.secret_rolled = refuse.then_some((0, NEVER_MS)));
    }

    /// Sets how far Stripe's search lags behind.
    pub fn set_search_lag(&self, ms: i64) {
        self.0.with(|state| state.stripe.settings.search_lag_ms = ms);
    }

    /// Lets time pass, and what is to happen in it happen.
    pub fn pass(&self, ms: i64) {
        self.complete(self.after(ms));
    }

    /// Carries two requests, the second one while the first is under way.
    pub fn call_while_running(
        &self,
        first: &HttpRequest,
        second: &HttpRequest,
    ) -> [Result<HttpReply, TransportError>; 2] {
        self.script(StripeFault::Slow(10 * OVERLAP_MS));
        let late = async {
            self.after(OVERLAP_MS).await;
            self.0.call(second).await
        };
        let (mut first, mut late) = (pin!(self.0.call(first)), pin!(late));
        let mut replies = [None, None];
        loop {
            let mut context = Context::from_waker(Waker::noop());
            if replies[0].is_none()
                && let Poll::Ready(reply) = first.as_mut().poll(&mut context)
            {
                replies[0] = Some(reply);
            }
            if replies[1].is_none()
                && let Poll::Ready(reply) = late.as_mut().poll(&mut context)
            {
                replies[1] = Some(reply);
            }
            if let [Some(first), Some(late)] = &replies {
                return [first.clone(), late.clone()];
            }
            self.step();
        }
    }

    /// Receives at most `most` messages from the queue.
    #[must_use]
    pub fn receive(&self, most: usize) -> Vec<Received> {
        let received = self.0.with(|state| state.queue.receive(state.now, most, true, || most));
        received.into_iter().map(Received).collect()
    }

    /// Deletes a message by the receipt of this receive; tells whether the receipt was still good.
    #[must_use]
    pub fn delete(&self, message: &Received) -> bool {
        self.0.with(|state| state.queue.delete(state.now, &message.0))
    }

    /// Returns what the queue has moved to its dead-letter queue.
    #[must_use]
    pub fn dead(&self) -> Vec<Received> {
        self.0.with(|state| state.queue.dead.iter().cloned().map(Received).collect())
    }

    /// Returns the reasons of what was set aside.
    #[must_use]
    pub fn set_aside_reasons(&self) -> Vec<String> {
        self.0.with(|state| state.set_aside.clone())
    }

    /// Returns the details of the events that the bus took.
    #[must_use]
    pub fn bus_details(&self) -> Vec<String> {
        self.0.with(|state| state.bus.values().cloned().collect())
    }

    async fn after(&self, ms: i64) {
        let id = self.0.with(|state| {
            let id = state.pause(self.0.task, "time passes");
            state.schedule(state.now + ms, Event::Resume(id, Wake::Go));
            id
        });
        self.0.wait_for(id).await;
    }

    /// Runs a call to its end.
    fn complete<F: Future>(&self, call: F) -> F::Output {
        let mut call = pin!(call);
        loop {
            if let Poll::Ready(output) = call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return output;
            }
            self.step();
        }
    }

    /// Lets the next thing happen.
    ///
    /// # Panics
    /// If there is none: every call has something of its own to come.
    fn step(&self) {
        self.0.with(|state| match state.next_event().expect("a call waits for something to come") {
            Event::Resume(pause, wake) => {
                if let Some(waiting) = state.pauses.get_mut(&pause) {
                    waiting.woken.get_or_insert(wake);
                }
            }
            Event::StripeFinish { request } => state.finish_request(request),
            // What functions and other people do.
            Event::Receive
            | Event::Sweep
            | Event::Publish
            | Event::Kill(_)
            | Event::Command(_)
            | Event::SettleProcessing { .. }
            | Event::CustomerPays { .. }
            | Event::CancelOutside { .. }
            | Event::CaptureOutside { .. }
            | Event::TimePasses { .. }
            | Event::Webhook { .. }
            | Event::Redrive => {}
        });
    }
}

impl Clock for Outside {
    fn now(&self) -> Time {
        self.0.now()
    }
}

impl Ledger for Outside {
    async fn load(&self, id: &PaymentId) -> Result<Option<Record>, LoadError> {
        self.complete(self.0.load(id))
    }

    async fn save(&self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        self.complete(self.0.save(expected, next))
    }
}

impl DueIndex for Outside {
    async fn due(&self, shard: u8, now: Time, limit: u32) -> Result<Vec<Due>, LoadError> {
        self.complete(self.0.due(shard, now, limit))
    }

    async fn lease(&self, due: &Due, until: Time) -> Result<bool, LoadError> {
        self.complete(self.0.lease(due, until))
    }
}

impl Queue for Outside {
    async fn send(&self, message: &Message) -> Result<(), SendError> {
        self.complete(self.0.send(message))
    }
}

impl QueueDepth for Outside {
    async fn waiting(&self) -> Result<u64, SendError> {
        self.complete(self.0.waiting())
    }
}

impl DeadLetters for Outside {
    async fn set_aside(&self, letter: &DeadLetter) -> Result<(), SendError> {
        self.complete(self.0.set_aside(letter))
    }
}

impl Bus for Outside {
    async fn put(&self, entries: &[BusEntry]) -> Result<Vec<bool>, SendError> {
        self.complete(self.0.put(entries))
    }
}

impl Transport for Outside {
    async fn account(&self) -> Result<Account, NoCredentials> {
        self.0.account().await
    }

    async fn call(&self, request: &HttpRequest) -> Result<HttpReply, TransportError> {
        self.complete(self.0.call(request))
    }
}
