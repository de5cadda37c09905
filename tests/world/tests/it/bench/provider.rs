//! The bench's Stripe: the simulated one below the real wire reading, each request with its scripted fault.

use std::{
    collections::{BTreeSet, VecDeque},
    future::pending,
};

use payment::{Account, ports::NoCredentials};
use stripe_sim::{Begun, Fault, OperationCount, Settings, Sim};
use stripe_wire::{HttpReply, HttpRequest, Method, Transport, TransportError};
use world::{to_sim, to_wire};

use super::{Bench, Meanwhile, next_of};

/// What becomes of one request.
#[derive(Clone)]
pub(crate) enum Call {
    Works,
    /// A fault of the endpoint itself.
    At(Fault),
    /// The connection breaks before the request arrives.
    Resets,
    /// It is carried out, and the connection breaks before the reply arrives.
    LosesReply,
    /// It is carried out, and no reply arrives in time.
    TimesOut,
    /// It has begun and is carried out later, by [`Bench::stripe_finishes`]; no reply arrives in time.
    KeepsRunning,
    /// It is carried out, and the worker dies before the reply arrives.
    Kills,
    /// It is not carried out, and this is the reply.
    Says(u16, String),
    /// It is carried out, and its reply is changed on the way.
    Garbles(fn(&mut HttpReply)),
}

pub(super) struct Provider {
    sim: Sim,
    account: Result<Account, NoCredentials>,
    script: VecDeque<Call>,
    meanwhile: Option<Meanwhile>,
    requests: Vec<HttpRequest>,
    told: usize,
}

impl Provider {
    pub(super) fn new() -> Self {
        Self {
            sim: Sim::new(Settings::default()),
            account: Ok(Account { id: "acct_sim".to_owned(), live: false }),
            script: VecDeque::new(),
            meanwhile: None,
            requests: Vec::new(),
            told: 0,
        }
    }
}

impl Bench {
    /// Scripts the requests to come; those beyond the script work.
    pub(crate) fn script_calls(&self, calls: impl IntoIterator<Item = Call>) {
        self.with(|outside| outside.provider.script.extend(calls));
    }

    /// Forgets what is left of the script.
    pub(crate) fn end_script(&self) {
        self.with(|outside| outside.provider.script.clear());
    }

    /// Runs a closure while the next request is in flight: after its effect, before its reply.
    pub(crate) fn while_in_flight(&self, meanwhile: impl FnOnce(&Bench) + 'static) {
        self.with(|outside| outside.provider.meanwhile = Some(Box::new(meanwhile)));
    }

    pub(crate) fn set_account(&self, account: Result<Account, NoCredentials>) {
        self.with(|outside| outside.provider.account = account);
    }

    /// Acts on the simulated Stripe itself.
    pub(crate) fn stripe<T>(&self, act: impl FnOnce(&mut Sim, i64) -> T) -> T {
        self.with(|outside| act(&mut outside.provider.sim, outside.now.0))
    }

    /// Carries out every request that is still running.
    pub(crate) fn stripe_finishes(&self) {
        self.stripe(|sim, now| {
            let running: Vec<_> = sim.running().collect();
            for ticket in running {
                let _unheard = sim.finish(now, ticket);
            }
        });
    }

    /// Returns the requests made since the last time, by name.
    pub(crate) fn take_calls(&self) -> Vec<&'static str> {
        self.with(|outside| {
            let told = std::mem::replace(&mut outside.provider.told, outside.provider.requests.len());
            outside.provider.requests[told..].iter().map(name_of).collect()
        })
    }

    /// Returns every request of one name made so far.
    pub(crate) fn requests(&self, name: &str) -> Vec<HttpRequest> {
        self.with(|outside| {
            outside.provider.requests.iter().filter(|request| name_of(request) == name).cloned().collect()
        })
    }

    /// Checks that every create was the same to the byte, key included.
    pub(crate) fn assert_every_create_is_the_same(&self) {
        let creates = self.requests("create");
        let distinct: BTreeSet<String> = creates.iter().map(|create| format!("{create:?}")).collect();
        assert_eq!(distinct.len(), 1, "{distinct:#?}");
    }

    /// Returns how many intents exist at Stripe.
    pub(crate) fn intents(&self) -> u64 {
        self.effects().intents_created
    }

    /// Returns what was done at Stripe, all operations together.
    pub(crate) fn effects(&self) -> OperationCount {
        self.stripe(|sim, _| sim.effects().sum())
    }
}

fn name_of(request: &HttpRequest) -> &'static str {
    let path = request.path.as_str();
    match request.method {
        Method::Post if path.ends_with("/confirm") => "confirm",
        Method::Post if path.ends_with("/cancel") => "cancel",
        Method::Post if path.ends_with("/capture") => "capture",
        Method::Post if path == "/v1/refunds" => "refund",
        Method::Post => "create",
        Method::Get if path.ends_with("/search") => "search",
        Method::Get if path.contains("/pi_") => "retrieve",
        Method::Get if path.contains("/re_") => "retrieve refund",
        Method::Get if path == "/v1/refunds" => "list refunds",
        Method::Get => "list",
    }
}

impl Transport for Bench {
    async fn account(&self) -> Result<Account, NoCredentials> {
        self.with(|outside| outside.provider.account.clone())
    }

    async fn call(&self, request: &HttpRequest) -> Result<HttpReply, TransportError> {
        let (call, meanwhile) = self.with(|outside| {
            outside.provider.requests.push(request.clone());
            (next_of(&mut outside.provider.script, Call::Works), outside.provider.meanwhile.take())
        });
        let reply = match &call {
            Call::Resets => None,
            Call::Says(status, body) => Some(HttpReply {
                status: *status,
                replayed: false,
                should_retry: None,
                body: body.clone().into_bytes(),
            }),
            Call::KeepsRunning => self.begin(request, Fault::None).err(),
            Call::At(fault) => Some(self.carry_out(request, *fault)),
            Call::Works | Call::LosesReply | Call::TimesOut | Call::Kills | Call::Garbles(_) => {
                Some(self.carry_out(request, Fault::None))
            }
        };
        if let Some(meanwhile) = meanwhile {
            meanwhile(self);
        }
        match (call, reply) {
            (Call::Works | Call::At(_) | Call::Says(..), Some(reply)) => Ok(reply),
            (Call::KeepsRunning, Some(refused)) => Ok(refused),
            (Call::Garbles(garble), Some(mut reply)) => {
                garble(&mut reply);
                Ok(reply)
            }
            (Call::TimesOut | Call::KeepsRunning, _) => Err(TransportError::TimedOut),
            (Call::Kills, _) => pending().await,
            (Call::Resets | Call::LosesReply, _) | (_, None) => Err(TransportError::Broken),
        }
    }
}

impl Bench {
    /// Lets a request begin; what it was refused with, if it was.
    fn begin(&self, request: &HttpRequest, fault: Fault) -> Result<stripe_sim::Ticket, HttpReply> {
        match self.stripe(|sim, now| sim.begin(now, &to_sim(request), fault)) {
            Begun::Running(ticket) => Ok(ticket),
            Begun::Done(response) => Err(to_wire(response)),
        }
    }

    fn carry_out(&self, request: &HttpRequest, fault: Fault) -> HttpReply {
        match self.begin(request, fault) {
            Ok(ticket) => to_wire(self.stripe(|sim, now| sim.finish(now, ticket))),
            Err(refused) => refused,
        }
    }
}
