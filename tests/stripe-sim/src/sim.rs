//! The simulated Stripe: a request begins, may be held in flight, and finishes.

use std::collections::BTreeMap;

use crate::counts::Effects;
use crate::error::ApiError;
use crate::execute::{Extent, Lock, Operation};
use crate::fault::Fault;
use crate::http::{Method, Request, Response};
use crate::intent::Intent;
use crate::keys::{Keys, LONGEST_KEY, Verdict};
use crate::refund::Refund;
use crate::render;
use crate::route::{Route, route};
use crate::settings::Settings;

/// Names a request that has begun and not finished.
///
/// Dropping it changes nothing: the request keeps its key and its lock until someone finishes it, as at a provider
/// whose client crashed. [`Sim::running`] finds it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(u64);

/// What came of beginning a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Begun {
    /// It was answered in front of the endpoint: refused, or a saved result replayed. Nothing happened.
    Done(Response),
    /// Its endpoint has started; the effect happens in [`Sim::finish`].
    Running(Ticket),
}

#[derive(Clone, Debug)]
struct Running {
    operation: Operation,
    key: Option<String>,
    version: String,
    fault: Fault,
}

/// The headers of one reply that depend on the request.
#[derive(Clone, Copy, Default)]
struct Marks<'a> {
    key: Option<&'a str>,
    original: Option<u64>,
    replayed: bool,
    should_retry: Option<bool>,
}

/// A simulated Stripe account.
#[derive(Clone, Debug, Default)]
pub struct Sim {
    /// The settings, changeable at any time.
    pub settings: Settings,
    pub(crate) intents: Vec<Intent>,
    pub(crate) by_payment: BTreeMap<String, Vec<usize>>,
    pub(crate) refunds: Vec<Refund>,
    /// The intents that may be in `requires_capture`, by index.
    pub(crate) authorized: Vec<usize>,
    /// The refunds that may become something else by themselves, by index.
    pub(crate) unsettled_refunds: Vec<usize>,
    pub(crate) effects: Effects,
    pub(crate) charges: u64,
    pub(crate) keys: Keys,
    running: BTreeMap<u64, Running>,
    requests: u64,
}

impl Sim {
    /// Makes an empty account.
    pub fn new(settings: Settings) -> Self {
        Sim { settings, ..Sim::default() }
    }

    /// Begins and finishes a request at one instant.
    pub fn handle(&mut self, now_ms: i64, request: &Request, fault: Fault) -> Response {
        match self.begin(now_ms, request, fault) {
            Begun::Done(response) => response,
            Begun::Running(ticket) => self.finish(now_ms, ticket),
        }
    }

    /// Begins a request: authorization, rate limit, key layer, validation and lock, in this order.
    ///
    /// A request that gets through takes its key and its lock and is held until [`Sim::finish`].
    pub fn begin(&mut self, now_ms: i64, request: &Request, fault: Fault) -> Begun {
        self.pass_time(now_ms);
        self.requests += 1;
        let number = self.requests;
        let (route, id) = route(request.method, &request.path);
        *self.effects.totals.requests.entry((request.method, route)).or_default() += 1;
        let key = match request.method {
            Method::Post => request.idempotency_key.as_deref(),
            Method::Get => None,
        };
        let version = request.stripe_version.as_deref().unwrap_or(&self.settings.api_version).to_owned();
        let admitted = match self.admit(request, fault, route) {
            Ok(()) => self.pass_key_layer(now_ms, number, &version, key, request),
            Err(error) => Err(self.refuse(number, &version, key, &error)),
        };
        if let Err(response) = admitted {
            return Begun::Done(response);
        }
        let operation = match self.validate(route, id, request, fault) {
            Ok(operation) => operation,
            Err(error) => return Begun::Done(self.refuse(number, &version, key, &error)),
        };
        if let Some(key) = key {
            self.keys.start(now_ms, key, request, number);
        }
        self.running.insert(number, Running { operation, key: key.map(str::to_owned), version, fault });
        Begun::Running(Ticket(number))
    }

    /// Finishes a request: its whole effect happens now, and its result is saved under its key.
    ///
    /// # Panics
    ///
    /// When the ticket was finished before or is another simulation's.
    pub fn finish(&mut self, now_ms: i64, ticket: Ticket) -> Response {
        self.pass_time(now_ms);
        let number = ticket.0;
        let Some(Running { operation, key, version, fault }) = self.running.remove(&number) else {
            panic!(
                "request {number} is not running: a ticket is finished once, at the simulation that gave it"
            );
        };
        let result = self.execute_with(now_ms, operation, fault);
        let (status, body, should_retry) = match &result {
            Ok(_) => (200, Vec::new(), None),
            Err(error) => {
                (error.status, render::error(error, &self.intents, &self.settings), error.should_retry)
            }
        };
        let body = result.unwrap_or(body);
        if status == 500 {
            self.effects.totals.errors_500 += 1;
        }
        let key = key.as_deref();
        if let Some(key) = key {
            self.keys.save(key, status, &body);
        }
        // Stripe advises against repeating a saved 500: the key layer would only replay it.
        let should_retry = should_retry.or((key.is_some() && status == 500).then_some(false));
        let marks = Marks { key, original: None, replayed: false, should_retry };
        respond(number, &version, status, body, marks)
    }

    /// Empties the account, keeping the settings; requests that are running are forgotten.
    ///
    /// Request numbers go on, so that an old ticket never names a new request.
    pub fn reset(&mut self) {
        let settings = std::mem::take(&mut self.settings);
        *self = Sim { settings, requests: self.requests, ..Sim::default() };
    }

    /// Returns the requests that have begun and not finished, oldest first.
    pub fn running(&self) -> impl Iterator<Item = Ticket> + '_ {
        self.running.keys().map(|number| Ticket(*number))
    }

    /// Tells whether the ticket's request is still to be finished.
    pub fn is_running(&self, ticket: Ticket) -> bool {
        self.running.contains_key(&ticket.0)
    }

    pub(crate) fn is_locked(&self, lock: Lock) -> bool {
        self.running.values().any(|running| running.operation.lock() == Some(lock))
    }

    fn admit(&mut self, request: &Request, fault: Fault, route: Route) -> Result<(), ApiError> {
        if fault == Fault::Unavailable503Before {
            self.effects.totals.fault(fault);
            return Err(ApiError::unavailable());
        }
        let given = request.authorization.as_deref().and_then(|value| value.strip_prefix("Bearer "));
        if given.is_some() && given == self.settings.restricted_key.as_deref() {
            return Err(ApiError::forbidden(&self.settings.account_id));
        }
        if given != Some(self.settings.api_key.as_str()) {
            return Err(ApiError::unauthorized(given));
        }
        if fault == Fault::RateLimit429 {
            self.effects.totals.fault(fault);
            return Err(ApiError::rate_limited());
        }
        if route == Route::Unknown {
            return Err(ApiError::unrecognized(request.method.as_str(), &request.path));
        }
        Ok(())
    }

    fn pass_key_layer(
        &mut self,
        now_ms: i64,
        number: u64,
        version: &str,
        key: Option<&str>,
        request: &Request,
    ) -> Result<(), Response> {
        let Some(key) = key else { return Ok(()) };
        let length = key.chars().count();
        if length > LONGEST_KEY {
            return Err(self.refuse(number, version, None, &ApiError::key_too_long(length)));
        }
        let totals = &mut self.effects.totals;
        let error = match self.keys.judge(now_ms, self.settings.key_ttl_ms, key, request) {
            Verdict::Free { pruned } => {
                totals.keys_pruned += u64::from(pruned);
                return Ok(());
            }
            Verdict::Replay(saved, original) => {
                totals.replays += 1;
                let should_retry = (saved.status >= 400).then_some(false);
                let marks = Marks { key: Some(key), original: Some(original), replayed: true, should_retry };
                return Err(respond(number, version, saved.status, saved.body.clone(), marks));
            }
            Verdict::InUse => {
                totals.keys_in_use += 1;
                ApiError::key_in_use(key)
            }
            Verdict::OtherParameters => {
                totals.key_mismatches += 1;
                ApiError::key_reused(key)
            }
            Verdict::OtherEndpoint(first_path) => {
                totals.key_mismatches += 1;
                ApiError::key_reused_elsewhere(key, first_path)
            }
        };
        Err(self.refuse(number, version, Some(key), &error))
    }

    fn execute_with(&mut self, now_ms: i64, operation: Operation, fault: Fault) -> Result<Vec<u8>, ApiError> {
        let extent = match fault {
            Fault::None | Fault::RateLimit429 | Fault::LockTimeout429 | Fault::Unavailable503Before => {
                return self.execute(now_ms, operation, Extent::Whole);
            }
            Fault::Error500Before => None,
            Fault::Error500After => Some(Extent::Whole),
            Fault::Error500BetweenCreateAndConfirm => Some(Extent::WithoutConfirmation),
        };
        self.effects.totals.fault(fault);
        if let Some(extent) = extent {
            // The reply is the 500 whatever the endpoint would have said.
            let _lost = self.execute(now_ms, operation, extent);
        }
        Err(ApiError::internal())
    }

    fn refuse(&self, number: u64, version: &str, key: Option<&str>, error: &ApiError) -> Response {
        let body = render::error(error, &self.intents, &self.settings);
        let marks = Marks { key, original: None, replayed: false, should_retry: error.should_retry };
        respond(number, version, error.status, body, marks)
    }
}

fn respond(number: u64, version: &str, status: u16, body: Vec<u8>, marks: Marks<'_>) -> Response {
    let mut headers = Vec::with_capacity(7);
    headers.push(("Content-Type", "application/json".to_owned()));
    headers.push(("Request-Id", format!("req_{number:06}")));
    headers.push(("Stripe-Version", version.to_owned()));
    if let Some(key) = marks.key {
        headers.push(("Idempotency-Key", key.to_owned()));
        headers.push(("Original-Request", format!("req_{:06}", marks.original.unwrap_or(number))));
    }
    if marks.replayed {
        headers.push(("Idempotent-Replayed", "true".to_owned()));
    }
    if let Some(retry) = marks.should_retry {
        headers.push(("Stripe-Should-Retry", retry.to_string()));
    }
    Response { status, headers, body }
}
