//! `POST`: accepts an operation, once for its key and once for its name.
//!
//! What is on record decides. The key's record and the payment's are read, and what follows is written in one
//! transaction under the condition that neither has changed; if one has, the same is decided again.

use effect::{Standing, Time};
use payment::{
    Command, Kind, OperationKey, OrderId, PaymentId, Record, Ref, Tenant,
    ports::{
        AcceptError, Acceptances, Change, Clock, KEY_LIFE_S, KeyId, KeyRecord, Ledger, Message, Pause, Queue,
    },
};

use crate::{
    Intake,
    ask::Ask,
    corrupt,
    key::{IdempotencyKey, fingerprint},
    of_load,
    problem::{Problem, ProblemKind},
    read::{not_found, owned},
    reply::Reply,
    request::Request,
    unavailable, view,
    weigh::{Weighed, weigh},
};

/// How often a request whose payment changes under it is decided again.
const ROUNDS: u32 = 5;

/// The longest that one round may take, in milliseconds: two reads and a write, each with its repeats.
const ROUND_MS: i64 = 19_000;

/// What is to be accepted: the request without what only the payment's record tells.
struct Wanted {
    ask: Ask,
    reference: Option<Ref>,
    payment_id: PaymentId,
    /// The order, if the request may create its payment.
    creates: Option<OrderId>,
}

impl<T: Ledger + Acceptances, Q: Queue, C: Clock + Pause> Intake<T, Q, C> {
    /// Accepts a payment with its first charge.
    pub(crate) async fn create(
        &self,
        request: &Request,
        tenant: &Tenant,
        deadline: Time,
    ) -> Result<Reply, Problem> {
        let key = IdempotencyKey::read(request)?;
        let (order, reference, ask) = Ask::read_payment(request.json()?.as_deref())?;
        let payment_id = PaymentId::of(tenant, &order);
        let wanted = Wanted { ask, reference, payment_id, creates: Some(order) };
        self.accept(request, tenant, &key, wanted, deadline).await
    }

    /// Accepts one more operation on a payment.
    pub(crate) async fn add(
        &self,
        request: &Request,
        tenant: &Tenant,
        kind: Kind,
        id: Option<PaymentId>,
        deadline: Time,
    ) -> Result<Reply, Problem> {
        let key = IdempotencyKey::read(request)?;
        let (reference, ask) = Ask::read_operation(kind, request.json()?.as_deref())?;
        let payment_id = id.ok_or_else(not_found)?;
        let wanted = Wanted { ask, reference, payment_id, creates: None };
        self.accept(request, tenant, &key, wanted, deadline).await
    }

    async fn accept(
        &self,
        request: &Request,
        tenant: &Tenant,
        key: &IdempotencyKey,
        wanted: Wanted,
        deadline: Time,
    ) -> Result<Reply, Problem> {
        let id = KeyId::of(tenant, &request.method, &request.path, key.as_str());
        let mut is_unknown = false;
        for round in 0..ROUNDS {
            // What is written must also be answered.
            if round > 0 && deadline.since_ms(self.clock.now()) < ROUND_MS {
                break;
            }
            // The key first: what a live key stands for is on record before any later read.
            let held = self.table.load_key(&id).await.map_err(|error| of_load(&error))?;
            let record = self.table.load(&wanted.payment_id).await.map_err(|error| of_load(&error))?;
            let now = self.clock.now();
            let held = held.filter(|held| held.is_live(now));
            let command = match command(request, tenant, key, &wanted, record.as_ref()) {
                Ok(command) => command,
                Err(_) if held.is_some() && record.is_none() => return Err(missing(&wanted.payment_id)),
                Err(problem) => return Err(problem),
            };
            if let Some(held) = held {
                return self.replay(&held, record.as_ref(), &command).await;
            }
            let weighed = weigh(wanted.creates.is_some(), record.as_ref(), &command, now, &self.rules)?;
            let next = match &weighed {
                Weighed::Next(next) => Some(&**next),
                Weighed::OnRecord => record.as_ref(),
            };
            let (Some(next), Some(asked)) = (next, command.asked()) else { return Err(not_found()) };
            let key = KeyRecord {
                id: id.clone(),
                fingerprint: fingerprint(&command),
                payment_id: next.id.clone(),
                body: view::payment(next, Some(&asked.key), now),
                operation: asked.key,
                expires_at: now.epoch_seconds() + KEY_LIFE_S,
            };
            let change = match &weighed {
                Weighed::Next(next) => Some(Change { expected: record.as_ref(), next }),
                Weighed::OnRecord => None,
            };
            match self.table.accept(change, &key, now).await {
                Ok(()) => {
                    let is_open = match &weighed {
                        Weighed::Next(next) => next.due_at.is_some(),
                        Weighed::OnRecord => is_untouched(next, &key.operation),
                    };
                    if is_open {
                        self.send(&command).await;
                    }
                    return Ok(accepted(&key));
                }
                Err(AcceptError::KeyTaken(_) | AcceptError::Changed(_)) => {}
                // The key's record, read again, tells whether it was written.
                Err(AcceptError::Unknown(_)) => is_unknown = true,
                Err(AcceptError::Contended) if !is_unknown => return Err(busy()),
                Err(AcceptError::Contended) => return Err(unavailable("other transactions hold the items")),
                Err(AcceptError::NotDone(why)) => return Err(unavailable(why)),
                Err(AcceptError::Corrupt(why)) => return Err(corrupt(why)),
            }
        }
        Err(if is_unknown { unavailable("the write's outcome is unknown") } else { busy() })
    }

    /// Answers a key that is known as it was answered first.
    async fn replay(
        &self,
        held: &KeyRecord,
        record: Option<&Record>,
        command: &Command,
    ) -> Result<Reply, Problem> {
        if held.fingerprint != fingerprint(command) {
            let detail = "the key was used for this path with another body";
            return Err(Problem::new(ProblemKind::KeyReused, detail).of_payment(&held.payment_id));
        }
        let record = record.filter(|record| record.payment.operations.contains_key(&held.operation));
        let record = record.ok_or_else(|| missing(&held.payment_id))?;
        // Nobody has looked at it yet: the first send may have failed.
        if is_untouched(record, &held.operation) {
            self.send(command).await;
        }
        Ok(accepted(held).with("idempotent-replayed", "true"))
    }

    // The record is due: if this fails, the sweep wakes the payment.
    async fn send(&self, command: &Command) {
        let message = Message {
            group: command.payment_id(),
            deduplication_id: command.deduplication_id(),
            body: command.to_body(),
        };
        if let Err(error) = self.queue.send(&message).await {
            tracing::warn!(payment_id = %message.group, %error, "not sent: the sweep will wake it");
        }
    }
}

/// Returns the command that a request means, given the record of its payment.
fn command(
    request: &Request,
    tenant: &Tenant,
    key: &IdempotencyKey,
    wanted: &Wanted,
    record: Option<&Record>,
) -> Result<Command, Problem> {
    let (order, reference) = if let Some(order) = &wanted.creates {
        (order.clone(), wanted.reference.clone().map_or_else(|| "1".parse(), Ok))
    } else {
        let record = owned(record.cloned(), tenant)?;
        wanted.ask.check_part(record.payment.currency())?;
        let default = || key.default_ref(&record.id, tenant);
        (record.payment.order, wanted.reference.clone().map_or_else(default, Ok))
    };
    let reference = reference.map_err(|_| corrupt("a derived ref is none"))?;
    wanted.ask.command(tenant.clone(), order, reference, traceparent(request))
}

/// Tells whether an operation waits for its first look: no outcome, no send.
fn is_untouched(record: &Record, key: &OperationKey) -> bool {
    record.payment.operations.get(key).is_some_and(|held| {
        held.attempt.standing == Standing::Pending
            && !held.attempt.was_sent()
            && held.attempt.review.is_none()
    })
}

fn accepted(key: &KeyRecord) -> Reply {
    Reply::new(202, "application/json", key.body.clone())
        .with("location", format!("/v1/payments/{}", key.payment_id))
}

fn missing(id: &PaymentId) -> Problem {
    tracing::error!(alarm = "payment_missing", payment_id = %id, "a key is live and its payment is gone");
    let detail = "the key was accepted, and its payment is not on record any more";
    Problem::new(ProblemKind::PaymentMissing, detail).of_payment(id)
}

fn busy() -> Problem {
    Problem::new(ProblemKind::Busy, "other requests were faster; repeat the request with the same key")
}

// W3C trace context: carried into events if it is one, and refusing nothing if it is none.
fn traceparent(request: &Request) -> Option<String> {
    let is_hex = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    request
        .header("traceparent")
        .next()
        .filter(|text| {
            let parts: Vec<&str> = text.split('-').collect();
            matches!(parts.as_slice(), [version, trace, span, flags]
            if is_hex(version, 2) && is_hex(trace, 32) && is_hex(span, 16) && is_hex(flags, 2))
        })
        .map(str::to_owned)
}
