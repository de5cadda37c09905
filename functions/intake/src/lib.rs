//! `intake`, the HTTP API: records a payment or one more operation on it, and puts the command on the queue.
//!
//! What is accepted is written in one transaction with the caller's idempotency key and the reply, before anything is
//! sent; the record is due from that moment, so what follows happens whether or not the queue was reached. Nothing is
//! executed here: `settle` is the one executor.

mod ask;
mod caller;
mod fields;
mod key;
mod post;
mod problem;
mod read;
mod reply;
mod request;
mod route;
mod view;
mod weigh;

use effect::{Rules, Time};
use payment::ports::{Acceptances, Clock, Ledger, LoadError, Pause, Queue};
use serde_json::Value;

use self::{
    problem::Problem,
    reply::Reply,
    request::Request,
    route::{NoRoute, Route},
};

pub use problem::ProblemKind;
pub use read::MAX_WAIT_S;
pub use request::{MAX_BODY_BYTES, NotHttp};
pub use route::ROUTES;

/// The HTTP API, over its ports.
#[derive(Debug, Clone)]
pub struct Intake<T, Q, C> {
    /// Stores payments and keys.
    pub table: T,
    /// Where commands go.
    pub queue: Q,
    /// Reads the time, and lets it pass.
    pub clock: C,
    /// The protocol's numbers, as `settle` has them.
    pub rules: Rules,
}

impl<T: Ledger + Acceptances, Q: Queue, C: Clock + Pause> Intake<T, Q, C> {
    /// Answers one request, by `deadline`: an event of a REST API, an HTTP API or a function URL.
    ///
    /// # Errors
    /// Returns [`NotHttp`] if the event is none of these. Whatever is wrong with a request is a reply.
    pub async fn handle(&self, event: &Value, deadline: Time) -> Result<Value, NotHttp> {
        let request = Request::read(event)?;
        let reply = match self.answer(&request, deadline).await {
            Ok(reply) => reply,
            Err(problem) => {
                tracing::info!(problem = problem.kind().name(), "refused");
                problem.reply()
            }
        };
        tracing::info!(status = reply.status(), "answered");
        Ok(reply.to_event())
    }

    async fn answer(&self, request: &Request, deadline: Time) -> Result<Reply, Problem> {
        let route = Route::find(&request.method, &request.path).map_err(no_route)?;
        if let Route::Explain(name) = &route {
            return problem::explain(name).ok_or_else(|| no_route(NoRoute::Unknown));
        }
        let Some(tenant) = &request.tenant else {
            let detail = "the request's credentials name no tenant";
            return Err(Problem::new(ProblemKind::NoTenant, detail));
        };
        match route {
            Route::Create => self.create(request, tenant, deadline).await,
            Route::Read(id) => self.read(request, tenant, id.as_ref(), deadline).await,
            Route::Add(kind, id) => self.add(request, tenant, kind, id, deadline).await,
            Route::Explain(_) => Err(no_route(NoRoute::Unknown)),
        }
    }
}

fn no_route(why: NoRoute) -> Problem {
    match why {
        NoRoute::Unknown => Problem::new(ProblemKind::NoSuchPath, "nothing is at this path"),
        NoRoute::Takes(method) => {
            let detail = format!("the path takes {method} only");
            Problem::new(ProblemKind::MethodNotAllowed, detail).allowing(method)
        }
    }
}

fn of_load(error: &LoadError) -> Problem {
    match error {
        LoadError::Unavailable(why) => unavailable(why),
        LoadError::Corrupt(why) => corrupt(why),
    }
}

/// Says that something needed does not answer.
fn unavailable(why: &str) -> Problem {
    tracing::error!(why, "the table did not answer");
    Problem::new(ProblemKind::Unavailable, "the table did not answer; repeat the request with the same key")
}

/// Says that something on record cannot be read, and calls a person.
fn corrupt(why: &str) -> Problem {
    tracing::error!(alarm = "corrupt", why, "an item cannot be read");
    Problem::new(ProblemKind::Internal, "something on record cannot be read")
}
