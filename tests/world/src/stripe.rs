//! The simulated Stripe as a transport: below `stripe-wire`, with a network that loses, delays and breaks.

use effect::{KEY_WINDOW_MS, hours};
use payment::{Account, PaymentId, ports::NoCredentials};
use stripe_sim::{Fault, Request, Response};
use stripe_wire::{HttpReply, HttpRequest, Method, Transport, TransportError};

use crate::{
    breakage::Breakage,
    kinds::Kind,
    options::{PROVIDER_TIMEOUT_MS, StripeFault},
    ports::Worker,
    state::{Begun, Event, PauseId, State, Wake},
};

impl Transport for Worker {
    async fn account(&self) -> Result<Account, NoCredentials> {
        Ok(Account { id: "acct_sim".to_owned(), live: false })
    }

    async fn call(&self, request: &HttpRequest) -> Result<HttpReply, TransportError> {
        // What a call may do is judged when it starts: how long it then takes is what the window's margin is for.
        let called_at = self.with(|state| state.now + self.skew_ms);
        self.pause("stripe").await;
        let pause = self.with(|state| {
            let pause = state.pause(self.task, "stripe reply");
            let timeout = state.now + PROVIDER_TIMEOUT_MS;
            state.schedule(timeout, Event::Resume(pause, Wake::TimedOut));
            state.port_calls += 1;
            state.carry(request, pause, self, called_at);
            pause
        });
        let (wake, reply) = self.wait_for(pause).await;
        match (wake, reply) {
            (Wake::Reply, Some(reply)) => Ok(reply),
            (Wake::TimedOut, _) => {
                self.with(|state| {
                    let payment = state.payment_of(request);
                    state.struck(Kind::LateReply, payment.as_ref());
                });
                Err(TransportError::TimedOut)
            }
            (Wake::Go | Wake::Broken | Wake::Reply, _) => Err(TransportError::Broken),
        }
    }
}

impl State {
    /// Carries one request to Stripe; its reply, if any, resumes the pause.
    fn carry(&mut self, request: &HttpRequest, pause: PauseId, worker: &Worker, called_at: i64) {
        self.requests += 1;
        let payment = self.payment_of(request);
        self.check_request(request, worker, called_at);
        if self.is_within(self.options.outage) {
            if self.options.outage.is_some_and(|(_, length)| length >= hours(20)) {
                self.struck(Kind::LongOutage, payment.as_ref());
            }
            if self.rng.chance(500) {
                self.break_off(pause);
            }
            return;
        }
        let fault = self.draw_fault(request, payment.as_ref());
        if fault == StripeFault::ResetBefore {
            return self.break_off(pause);
        }
        if self.is_broken(Breakage::ClientResends) && fault == StripeFault::LoseReply {
            self.requests += 1;
        }
        let endpoint_fault = match fault {
            StripeFault::At(fault) => fault,
            StripeFault::None | StripeFault::ResetBefore | StripeFault::LoseReply | StripeFault::Slow(_) => {
                Fault::None
            }
        };
        self.note(|| format!("{} -> stripe {} {} {fault:?}", worker.name(), request.path, request.query));
        match self.stripe.begin(self.now, &self.as_it_arrives(request), endpoint_fault) {
            stripe_sim::Begun::Done(response) => {
                self.observe(self.requests, request, &response, payment.as_ref());
                self.reply(pause, response, fault);
            }
            stripe_sim::Begun::Running(ticket) => {
                let takes = match fault {
                    StripeFault::Slow(ms) => ms,
                    StripeFault::None
                    | StripeFault::At(_)
                    | StripeFault::ResetBefore
                    | StripeFault::LoseReply => self.rng.between(20, 800),
                };
                let number = self.requests;
                let begun = Begun { ticket, pause, fault, request: request.clone() };
                self.begun.insert(number, begun);
                let at = self.now + takes;
                self.schedule(at, Event::StripeFinish { request: number });
            }
        }
    }

    fn break_off(&mut self, pause: PauseId) {
        let at = self.now + 5;
        self.schedule(at, Event::Resume(pause, Wake::Broken));
    }

    /// Returns the payment that a request is about, by its key or by the operation id in its query.
    fn payment_of(&self, request: &HttpRequest) -> Option<PaymentId> {
        match &request.idempotency_key {
            Some(key) => self.frozen.get(key).map(|on_record| on_record.payment.clone()),
            None => {
                let at = request.query.find("pay_")?;
                request.query.get(at..at + 36)?.parse().ok()
            }
        }
    }

    /// Carries out a request that has begun: its effect happens now.
    pub(crate) fn finish_request(&mut self, number: u64) {
        let Some(begun) = self.begun.remove(&number) else { return };
        let response = self.stripe.finish(self.now, begun.ticket);
        let payment = self.payment_of(&begun.request);
        self.observe(number, &begun.request, &response, payment.as_ref());
        if begun.request.method == Method::Post {
            self.plan_actors(&begun.request.path);
        }
        self.reply(begun.pause, response, begun.fault);
    }

    /// Counts what a reply shows of the faults that nobody draws.
    fn observe(
        &mut self,
        number: u64,
        request: &HttpRequest,
        response: &Response,
        payment: Option<&PaymentId>,
    ) {
        if matches!(response.status, 401 | 403 | 429)
            && let Some(key) = &request.idempotency_key
            && self.first_sent.get(key).is_some_and(|(_, by)| *by == number)
        {
            self.first_sent.remove(key);
        }
        if response.status == 401 {
            self.struck(Kind::SecretRolled, payment);
        }
        if response.status == 409 {
            self.struck(Kind::InFlight, payment);
        }
        if request.method == Method::Post {
            return;
        }
        let is_empty =
            || response.status == 200 && response.body.windows(9).any(|bytes| bytes == b"\"data\":[]");
        let exists = || payment.is_some_and(|id| self.stripe.intents_of(id.as_str()).next().is_some());
        if request.path.ends_with("/search") {
            let is_missed = is_empty() && exists();
            self.struck(Kind::KeyExpiry, payment);
            if is_missed {
                self.struck(Kind::SearchLag, payment);
            }
        } else if request.path == "/v1/payment_intents" && is_empty() {
            let customer = request.query.split(['=', '&']).nth(1).unwrap_or_default();
            if self.stripe.intents().iter().any(|intent| intent.customer.as_deref() == Some(customer)) {
                self.struck(Kind::ListLag, None);
            }
        }
    }

    fn reply(&mut self, pause: PauseId, response: Response, fault: StripeFault) {
        self.stats.replays += u64::from(response.is_replayed());
        self.note(|| format!("stripe -> {} replayed={}", response.status, response.is_replayed()));
        if fault == StripeFault::LoseReply {
            self.note(|| "the reply is lost".to_owned());
            return self.break_off(pause);
        }
        let at = self.now + self.rng.between(1, 50);
        if let Some(waiting) = self.pauses.get_mut(&pause) {
            waiting.reply = Some(to_wire(response));
            self.schedule(at, Event::Resume(pause, Wake::Reply));
        }
    }

    fn draw_fault(&mut self, request: &HttpRequest, payment: Option<&PaymentId>) -> StripeFault {
        if !self.options.script.is_empty() {
            return self.options.script.remove(0);
        }
        if self.strikes(Kind::LateReply, None) {
            let slow = if self.rng.chance(800) {
                self.rng.between(1_000, 45_000)
            } else {
                self.rng.between(45_000, effect::minutes(10) - 1)
            };
            return StripeFault::Slow(slow);
        }
        let faults = [
            (Kind::LostReply, StripeFault::LoseReply),
            (Kind::ResetBefore, StripeFault::ResetBefore),
            (Kind::Error500Before, StripeFault::At(Fault::Error500Before)),
            (Kind::Error500After, StripeFault::At(Fault::Error500After)),
            (Kind::Error500Between, StripeFault::At(Fault::Error500BetweenCreateAndConfirm)),
            (Kind::RateLimit, StripeFault::At(Fault::RateLimit429)),
            (Kind::LockTimeout, StripeFault::At(Fault::LockTimeout429)),
            (Kind::Unavailable, StripeFault::At(Fault::Unavailable503Before)),
        ];
        for (kind, fault) in faults {
            if kind == Kind::Error500Between && request.path != "/v1/payment_intents" {
                continue;
            }
            if self.strikes(kind, payment) {
                return fault;
            }
        }
        StripeFault::None
    }

    /// Every send must be on record, frozen as it goes out, and no create may start after its window.
    fn check_request(&mut self, request: &HttpRequest, worker: &Worker, called_at: i64) {
        if request.method == Method::Get {
            return;
        }
        let Some(key) = request.idempotency_key.clone() else {
            return self.violate(format!("a POST without a key: {}", request.path));
        };
        let Some(on_record) = self.frozen.get(&key) else {
            return self.violate(format!("a send that is not on record: {}", request.path));
        };
        let (payment, build) = (on_record.payment.clone(), on_record.build);
        if on_record.path != request.path || on_record.body != request.body {
            return self.violate(format!("a send that differs from its record: {}", request.path));
        }
        if build != worker.build {
            self.struck(Kind::TwoBuilds, Some(&payment));
        }
        let holder = self.table.get(&payment).and_then(|record| record.claim.as_ref());
        if holder.is_none_or(|claim| !worker.made(&claim.token)) {
            self.struck(Kind::StaleWorker, Some(&payment));
        }
        if matches!(request.path.as_str(), "/v1/payment_intents" | "/v1/refunds") {
            let number = self.requests;
            let (first, _) = *self.first_sent.entry(key).or_insert((called_at, number));
            if called_at - first >= KEY_WINDOW_MS {
                self.violate(format!("{} started 23 h or more after its first send", request.path));
            }
        }
    }

    /// Returns a request as Stripe sees it, credentials and breakages included.
    fn as_it_arrives(&self, request: &HttpRequest) -> Request {
        let mut arrives = to_sim(request);
        if self.is_broken(Breakage::NewKeyPerSend) {
            arrives.idempotency_key = arrives.idempotency_key.map(|key| format!("{key}-{}", self.requests));
        }
        if self.is_within(self.options.secret_rolled) {
            arrives.authorization = Some("Bearer sk_test_rolled".to_owned());
        }
        arrives
    }
}

/// Returns a wire request as the simulated Stripe takes it, with the key that it accepts.
#[must_use]
pub fn to_sim(request: &HttpRequest) -> Request {
    Request {
        method: match request.method {
            Method::Get => stripe_sim::Method::Get,
            Method::Post => stripe_sim::Method::Post,
        },
        path: request.path.clone(),
        query: request.query.clone(),
        authorization: Some("Bearer sk_test_sim".to_owned()),
        idempotency_key: request.idempotency_key.clone(),
        stripe_version: Some(request.api_version.clone()),
        body: request.body.clone().into_bytes(),
    }
}

/// Returns the simulated Stripe's reply as it crosses the wire.
#[must_use]
pub fn to_wire(response: Response) -> HttpReply {
    HttpReply {
        status: response.status,
        replayed: response.is_replayed(),
        should_retry: response.header("Stripe-Should-Retry").map(|value| value == "true"),
        body: response.body,
    }
}
