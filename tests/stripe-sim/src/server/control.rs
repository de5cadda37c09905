//! The control API under `/_sim/`.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use stripe_sim::Refusal;

use crate::counts;
use crate::faults::Faults;
use crate::plan::{Plan, Scripted};
use crate::settings::Change;
use crate::shared::{Inner, Shared};

/// A reply of the control API: the status and the JSON.
pub(crate) type Reply = (u16, Value);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    advance_ms: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Age {
    ms: i64,
    /// The one payment to age; all of them without it.
    payment_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settle {
    succeed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettleRefund {
    status: String,
}

/// Answers one request of the control API; `path` is what follows `/_sim`.
pub(crate) fn answer(shared: &Shared, method: &str, path: &str, query: &str, body: &[u8]) -> Reply {
    shared
        .with(|inner, now_ms| route(inner, now_ms, method, path, query, body))
        .unwrap_or_else(|(status, message)| (status, json!({ "error": message })))
}

fn route(
    inner: &mut Inner,
    now_ms: i64,
    method: &str,
    path: &str,
    query: &str,
    body: &[u8],
) -> Result<Reply, (u16, String)> {
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    match (method, parts.as_slice()) {
        ("GET", ["health"]) => Ok((200, json!({ "status": "ok" }))),
        ("GET", ["counts"]) => Ok((200, counts::render(inner))),
        ("GET", ["requests"]) => Ok((200, json!({ "requests": inner.log.render(limit(query)?) }))),
        ("GET", ["intents"]) => Ok((200, json!({ "intents": counts::intents(inner) }))),
        ("GET", ["refunds"]) => Ok((200, json!({ "refunds": counts::refunds(inner) }))),
        ("GET", ["clock"]) => Ok((200, clock(inner, now_ms))),
        ("GET", ["faults"]) => Ok((200, json!({ "scripted_left": inner.faults.scripted_left() }))),
        ("PUT", ["faults"]) => {
            inner.faults = Faults::new(parse::<Plan>(body)?);
            Ok((200, json!({ "scripted_left": inner.faults.scripted_left() })))
        }
        ("POST", ["faults"]) => {
            inner.faults.add(parse::<Vec<Scripted>>(body)?);
            Ok((200, json!({ "scripted_left": inner.faults.scripted_left() })))
        }
        ("PUT", ["settings"]) => {
            parse::<Change>(body)?.apply(&mut inner.sim.settings);
            Ok((200, json!({})))
        }
        ("POST", ["clock"]) => {
            let advance_ms = parse::<Advance>(body)?.advance_ms;
            inner.offset_ms += advance_ms;
            Ok((200, clock(inner, now_ms + advance_ms)))
        }
        ("POST", ["age"]) => {
            match parse::<Age>(body)? {
                Age { ms, payment_id: None } => inner.sim.age(ms),
                Age { ms, payment_id: Some(id) } => inner.sim.age_payment(&id, ms),
            }
            Ok((200, json!({})))
        }
        ("POST", ["intents", id, "settle"]) => {
            let succeed = parse::<Settle>(body)?.succeed;
            let settled = inner.sim.settle_processing(now_ms, id, succeed);
            reply(settled, rendered(inner, id))
        }
        ("POST", ["intents", id, "pay"]) => {
            let paid = inner.sim.customer_pays(now_ms, id);
            reply(paid, rendered(inner, id))
        }
        ("POST", ["refunds", id, "settle"]) => {
            let name = parse::<SettleRefund>(body)?.status;
            let status = counts::refund_status(&name).ok_or((400, format!("not a status: {name}")))?;
            let settled = inner.sim.settle_refund(now_ms, id, status);
            reply(settled, inner.sim.refund(id).map(counts::refund))
        }
        ("POST", ["reset"]) => {
            inner.reset();
            Ok((200, json!({})))
        }
        _ => Err((404, format!("there is no {method} /_sim{path}"))),
    }
}

fn rendered(inner: &Inner, id: &str) -> Option<Value> {
    inner.sim.intent(id).map(|intent| counts::intent(inner, intent))
}

/// Answers what an actor did with the object that it acted on.
fn reply(acted: Result<(), Refusal>, object: Option<Value>) -> Result<Reply, (u16, String)> {
    match (acted, object) {
        (Ok(()), Some(object)) => Ok((200, object)),
        (Ok(()), None) | (Err(Refusal::Missing), _) => Err((404, Refusal::Missing.to_string())),
        (Err(refusal @ (Refusal::Status(_) | Refusal::RefundStatus(_))), _) => {
            Err((409, refusal.to_string()))
        }
    }
}

fn clock(inner: &Inner, now_ms: i64) -> Value {
    json!({ "now_ms": now_ms, "offset_ms": inner.offset_ms })
}

fn limit(query: &str) -> Result<usize, (u16, String)> {
    match query.strip_prefix("limit=") {
        Some(limit) => limit.parse().map_err(|_| (400, format!("not a limit: {limit}"))),
        None => Ok(usize::MAX),
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, (u16, String)> {
    serde_json::from_slice(body).map_err(|error| (400, error.to_string()))
}
