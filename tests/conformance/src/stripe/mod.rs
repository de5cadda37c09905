//! Stripe, below the reading of its replies: the port is the transport, and a case reads replies as the functions do.

mod holds;
mod http;
mod keys;
mod lookup;
mod refunds;
mod states;
mod world;

use std::future::Future;

use anyhow::{Context, Result, anyhow};
use effect::{Frozen, Look, Note, Outcome, ProviderKey, Time, hours};
use payment::{
    CaptureMethod, Kind,
    ports::{Answer, Expected, Object, Question, Request},
};
use serde_json::Value;
use stripe_wire::{
    HttpReply, HttpRequest, Transport, TransportError, classify, classify_look, prepare, prepare_look,
    prepare_send,
};

pub use http::HttpStripe;
pub use world::WorldStripe;

use crate::case::{Case, expect};

const VISA: &str = "pm_card_visa";
const DECLINED: &str = "pm_card_chargeDeclined";
const PROCESSING: &str = "pm_sim_processing";

/// What happens to the next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It is carried out, and its reply is lost.
    ReplyLost,
    /// The connection breaks before it is carried out.
    Reset,
    /// A 500 instead of its effect.
    ErrorBefore,
    /// A 500 after its effect.
    ErrorAfter,
    /// A 500 after the creation, without the confirmation.
    ErrorBetween,
    /// A 429 for too many requests.
    RateLimited,
    /// A 429 for a locked object.
    Locked,
    /// A 503.
    Unavailable,
    /// It takes longer than the caller waits.
    Slow,
}

/// A Stripe account that the suite tries. Each case finds it empty.
pub trait StripeSubject {
    /// What the functions call, below the reading of replies.
    type Port: Transport;

    /// Returns the port.
    fn port(&self) -> &Self::Port;

    /// Says what happens to the next request.
    fn trouble(&self, trouble: Trouble) -> impl Future<Output = Result<()>>;

    /// Carries two requests, the second one while the first is under way.
    fn call_while_running(
        &self,
        first: &HttpRequest,
        second: &HttpRequest,
    ) -> impl Future<Output = Result<[Result<HttpReply, TransportError>; 2]>>;

    /// Returns Stripe's time.
    fn now(&self) -> impl Future<Output = Result<Time>>;

    /// Lets Stripe's time pass.
    fn pass(&self, ms: i64) -> impl Future<Output = Result<()>>;

    /// Waits until what is under way at Stripe is over.
    fn finish(&self) -> impl Future<Output = Result<()>>;

    /// Sets how far search lags behind.
    fn search_lags(&self, ms: i64) -> impl Future<Output = Result<()>>;

    /// Makes Stripe refuse the key, or accept it again.
    fn refuse_credentials(&self, refuse: bool) -> impl Future<Output = Result<()>>;
}

/// Returns the suite.
#[must_use]
pub fn cases<S: StripeSubject>() -> Vec<Case<S>> {
    let mut cases = keys::cases();
    cases.extend(states::cases());
    cases.extend(holds::cases());
    cases.extend(refunds::cases());
    cases.extend(lookup::cases());
    cases
}

/// One operation, as the functions would record it.
struct Operation {
    frozen: Frozen,
    expected: Expected,
}

/// Returns a charge of 20.00 EUR for an order.
fn charge(order: &str, payment_method: &str) -> Result<Operation> {
    charge_to(CaptureMethod::Automatic, order, payment_method)
}

/// Returns a charge of 20.00 EUR for an order, to be taken at once or captured later.
fn charge_to(capture: CaptureMethod, order: &str, payment_method: &str) -> Result<Operation> {
    let customer = format!("cus_{order}");
    let operation_id = format!("pay_{order}/charge/1");
    let (amount, currency) = (2_000.try_into()?, "eur".parse()?);
    let request = Request::CreateIntent {
        amount,
        currency,
        customer: customer.parse()?,
        payment_method: payment_method.parse()?,
        capture,
    };
    let frozen = prepare(&request, &operation_id, key(&operation_id));
    let object = Object::Intent { customer: customer.parse()? };
    let expected = Expected { kind: Kind::Charge, operation_id, amount, currency, object };
    Ok(Operation { frozen, expected })
}

fn key(of: &str) -> ProviderKey {
    ProviderKey::derive("conformance", of, 0)
}

impl Operation {
    fn request(&self) -> HttpRequest {
        prepare_send(&self.frozen)
    }

    async fn send<S: StripeSubject>(&self, stripe: &S) -> Result<HttpReply, TransportError> {
        stripe.port().call(&self.request()).await
    }

    fn read(&self, reply: &Result<HttpReply, TransportError>) -> Answer {
        classify(reply, &self.expected)
    }

    /// Asks, and reads the answer.
    async fn look<S: StripeSubject>(&self, stripe: &S, look: Look, id: Option<&str>) -> Result<Answer> {
        let now = stripe.now().await?;
        let question = Question {
            look,
            id: id.map(str::to_owned),
            from: now.plus_ms(-hours(48)),
            to: now.plus_ms(hours(1)),
            cursor: None,
            expected: self.expected.clone(),
        };
        let request = prepare_look(&question).context("a question that can be asked")?;
        Ok(classify_look(&stripe.port().call(&request).await, &question))
    }

    /// Returns the ids that the list shows of it.
    async fn listed<S: StripeSubject>(&self, stripe: &S) -> Result<Vec<String>> {
        candidates(self.look(stripe, Look::List, None).await?)
    }

    /// Returns the ids that the search shows of it.
    async fn searched<S: StripeSubject>(&self, stripe: &S) -> Result<Vec<String>> {
        candidates(self.look(stripe, Look::Search, None).await?)
    }

    /// Sends what acts on the charge's intent, under a key of its own.
    async fn act<S: StripeSubject>(
        &self,
        stripe: &S,
        request: &Request,
        name: &str,
    ) -> Result<HttpReply, TransportError> {
        let frozen = prepare(request, &self.expected.operation_id, key(name));
        stripe.port().call(&prepare_send(&frozen)).await
    }
}

fn candidates(answer: Answer) -> Result<Vec<String>> {
    if let Some(Note::Hits { candidates, more: None }) = answer.note {
        return Ok(candidates);
    }
    Err(anyhow!("no single page of hits: {answer:?}"))
}

/// Returns the only outcome that an answer states, with the object's id.
fn outcome(answer: &Answer) -> Option<(String, Outcome)> {
    match answer.facts.as_slice() {
        [fact] => Some((fact.id.clone(), fact.outcome.clone()?)),
        _ => None,
    }
}

/// Checks what a reply means, and that a retrieve means the same.
async fn expect_outcome<S: StripeSubject>(
    stripe: &S,
    operation: &Operation,
    reply: HttpReply,
    due: Outcome,
) -> Result<()> {
    let due = Some((id(&reply)?, due));
    expect("what it means", &outcome(&operation.read(&Ok(reply.clone()))), &due)?;
    let looked = operation.look(stripe, Look::ById, Some(&id(&reply)?)).await?;
    expect("what a retrieve means", &outcome(&looked), &due)
}

/// Checks that a request was refused for the state that the intent is in.
async fn expect_unexpected_state<S: StripeSubject>(
    stripe: &S,
    operation: &Operation,
    refused: HttpReply,
    due: Outcome,
) -> Result<()> {
    expect("the status", &refused.status, &400)?;
    expect("the code", &json(&refused)?["error"]["code"], &"payment_intent_unexpected_state".into())?;
    let note = operation.read(&Ok(refused.clone())).note;
    expect("the note", &note, &Some(Note::UnexpectedState))?;
    expect_outcome(stripe, operation, refused, due).await
}

/// Returns the reply's JSON.
fn json(reply: &HttpReply) -> Result<Value> {
    serde_json::from_slice(&reply.body).context("a body of JSON")
}

/// Returns the intent's id in a reply.
fn id(reply: &HttpReply) -> Result<String> {
    let body = json(reply)?;
    let intent = if reply.status == 200 { &body } else { &body["error"]["payment_intent"] };
    Ok(intent["id"].as_str().context("an intent's id")?.to_owned())
}

/// Checks that the reply is the saved one of an earlier reply, byte for byte.
fn expect_replay(first: &HttpReply, again: &HttpReply) -> Result<()> {
    expect("replayed at first", &first.replayed, &false)?;
    expect("replayed again", &again.replayed, &true)?;
    expect("the status", &again.status, &first.status)?;
    expect("the body", &String::from_utf8_lossy(&again.body), &String::from_utf8_lossy(&first.body))
}
