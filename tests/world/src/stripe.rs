//! The simulated Stripe as a transport: below `stripe-wire`, with a network that loses, delays and breaks.

use effect::KEY_WINDOW_MS;
use payment::{Account, ports::NoCredentials};
use stripe_sim::{Fault, Request, Response};
use stripe_wire::{HttpReply, HttpRequest, Method, Transport, TransportError};

use crate::{
    options::{Breakage, PROVIDER_TIMEOUT_MS, StripeFault},
    ports::Worker,
    state::{Begun, Event, State, Wake},
};

impl Transport for Worker {
    async fn account(&self) -> Result<Account, NoCredentials> {
        Ok(Account { id: "acct_sim".to_owned(), live: false })
    }

    async fn call(&self, request: &HttpRequest) -> Result<HttpReply, TransportError> {
        self.pause("stripe").await;
        let pause = self.with(|state| {
            let pause = state.pause(self.task, "stripe reply");
            let timeout = state.now + PROVIDER_TIMEOUT_MS;
            state.schedule(timeout, Event::Resume(pause, Wake::TimedOut));
            state.carry(request, pause, state.now + self.skew_ms);
            pause
        });
        let (wake, reply) = self.wait_for(pause).await;
        match (wake, reply) {
            (Wake::Reply, Some(reply)) => Ok(reply),
            (Wake::TimedOut, _) => {
                self.with(|state| state.stats.late_replies += 1);
                Err(TransportError::TimedOut)
            }
            (Wake::Go | Wake::Broken | Wake::Reply, _) => Err(TransportError::Broken),
        }
    }
}

impl State {
    /// Carries one request to Stripe; its reply, if any, resumes the pause.
    fn carry(&mut self, request: &HttpRequest, pause: u64, worker_now: i64) {
        self.requests += 1;
        self.check_request(request, worker_now);
        let fault = self.draw_fault();
        if self.is_within(self.options.outage) {
            self.stats.resets += 1;
            self.note(|| format!("stripe unreachable: {} {}", request.path, request.query));
            if self.rng.chance(500) {
                let at = self.now + 5;
                self.schedule(at, Event::Resume(pause, Wake::Broken));
            }
            return;
        }
        if fault == StripeFault::ResetBefore {
            self.stats.resets += 1;
            self.note(|| format!("reset before: {}", request.path));
            let at = self.now + 5;
            self.schedule(at, Event::Resume(pause, Wake::Broken));
            return;
        }
        let endpoint_fault = match fault {
            StripeFault::At(fault) => {
                self.stats.stripe_faults += 1;
                fault
            }
            StripeFault::None | StripeFault::ResetBefore | StripeFault::LoseReply | StripeFault::Slow(_) => {
                Fault::None
            }
        };
        self.note(|| format!("stripe <- {} {} {fault:?}", request.path, request.query));
        match self.stripe.begin(self.now, &to_sim(request, self), endpoint_fault) {
            stripe_sim::Begun::Done(response) => self.reply(pause, response, fault),
            stripe_sim::Begun::Running(ticket) => {
                let takes = match fault {
                    StripeFault::Slow(ms) => ms,
                    StripeFault::None
                    | StripeFault::At(_)
                    | StripeFault::ResetBefore
                    | StripeFault::LoseReply => self.rng.between(20, 800),
                };
                let number = self.requests;
                self.begun.insert(number, Begun { ticket, pause, fault });
                let at = self.now + takes;
                self.schedule(at, Event::StripeFinish { request: number });
            }
        }
    }

    /// Carries out a request that has begun: its effect happens now.
    pub(crate) fn finish_request(&mut self, number: u64) {
        let Some(begun) = self.begun.remove(&number) else { return };
        let response = self.stripe.finish(self.now, begun.ticket);
        self.plan_actors();
        self.reply(begun.pause, response, begun.fault);
    }

    fn reply(&mut self, pause: u64, response: Response, fault: StripeFault) {
        self.stats.replays += u64::from(response.is_replayed());
        self.note(|| format!("stripe -> {} replayed={}", response.status, response.is_replayed()));
        if fault == StripeFault::LoseReply {
            self.stats.lost_replies += 1;
            self.note(|| "the reply is lost".to_owned());
            let at = self.now + 5;
            self.schedule(at, Event::Resume(pause, Wake::Broken));
            return;
        }
        let at = self.now + self.rng.between(1, 50);
        if let Some(waiting) = self.pauses.get_mut(&pause) {
            waiting.reply = Some(to_wire(response));
            self.schedule(at, Event::Resume(pause, Wake::Reply));
        }
    }

    fn draw_fault(&mut self) -> StripeFault {
        if !self.options.script.is_empty() {
            return self.options.script.remove(0);
        }
        if !self.strikes(self.options.stripe_fault) {
            return StripeFault::None;
        }
        let slow = if self.rng.chance(800) {
            self.rng.between(1_000, 45_000)
        } else {
            self.rng.between(45_000, effect::minutes(10) - 1)
        };
        *self.rng.pick(&[
            StripeFault::LoseReply,
            StripeFault::LoseReply,
            StripeFault::ResetBefore,
            StripeFault::Slow(slow),
            StripeFault::At(Fault::Error500Before),
            StripeFault::At(Fault::Error500After),
            StripeFault::At(Fault::Error500BetweenCreateAndConfirm),
            StripeFault::At(Fault::RateLimit429),
            StripeFault::At(Fault::LockTimeout429),
            StripeFault::At(Fault::Unavailable503Before),
        ])
    }

    /// Every send must be on record, frozen as it goes out, and no create may start after its window.
    fn check_request(&mut self, request: &HttpRequest, worker_now: i64) {
        if request.method == Method::Get {
            if request.path.ends_with("/search") {
                self.stats.window_lookups += 1;
            }
            return;
        }
        let Some(key) = &request.idempotency_key else {
            return self.violate(format!("a POST without a key: {}", request.path));
        };
        let Some(on_record) = self.frozen.get(key) else {
            return self.violate(format!("a send that is not on record: {}", request.path));
        };
        if on_record.path != request.path || on_record.body != request.body {
            return self.violate(format!("a send that differs from its record: {}", request.path));
        }
        let first = on_record.first_sent_at;
        if request.path == "/v1/payment_intents" && worker_now - first >= KEY_WINDOW_MS {
            self.violate("a create started 23 h or more after its first send".to_owned());
        }
    }

    /// Lets the world act on new intents: payments in `processing` end, and some customers pay after a decline.
    fn plan_actors(&mut self) {
        let Some(intent) =
            self.stripe.intents().iter().max_by_key(|intent| intent.history().last().map(|(at, _)| *at))
        else {
            return;
        };
        let (id, status) = (intent.id.clone(), intent.status());
        match status {
            stripe_sim::Status::Processing => {
                let at = self.now + self.rng.between(1_000, effect::hours(100));
                let succeed = self.rng.chance(500);
                self.schedule(at, Event::SettleProcessing { id, succeed });
            }
            stripe_sim::Status::RequiresPaymentMethod if self.strikes(self.options.customer_pays) => {
                let soon = *self.rng.pick(&[5_000, 600_000, 7_200_000]);
                let at = self.now + self.rng.between(0, soon);
                self.schedule(at, Event::CustomerPays { id });
            }
            stripe_sim::Status::RequiresPaymentMethod
            | stripe_sim::Status::RequiresConfirmation
            | stripe_sim::Status::RequiresAction
            | stripe_sim::Status::RequiresCapture
            | stripe_sim::Status::Succeeded
            | stripe_sim::Status::Canceled => {}
        }
    }
}

fn to_sim(request: &HttpRequest, state: &State) -> Request {
    let key = request.idempotency_key.clone().map(|key| match state.options.breakage {
        Some(Breakage::NewKeyPerSend) => format!("{key}-{}", state.requests),
        Some(Breakage::EffectBeforeRecord | Breakage::UnconditionalWrite) | None => key,
    });
    Request {
        method: match request.method {
            Method::Get => stripe_sim::Method::Get,
            Method::Post => stripe_sim::Method::Post,
        },
        path: request.path.clone(),
        query: request.query.clone(),
        authorization: Some("Bearer sk_test_sim".to_owned()),
        idempotency_key: key,
        stripe_version: Some(request.api_version.clone()),
        body: request.body.clone().into_bytes(),
    }
}

fn to_wire(response: Response) -> HttpReply {
    HttpReply {
        status: response.status,
        replayed: response.is_replayed(),
        should_retry: response.header("Stripe-Should-Retry").map(|value| value == "true"),
        body: response.body,
    }
}
