//! Requests to the HTTP API.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use effect::{Rules, Time, seconds};
use intake::{Intake, ProblemKind};
use payment::{
    Command, PaymentId, Record, looks_like_a_card_number,
    ports::{
        AcceptError, Acceptances, Change, Clock, KeyId, KeyRecord, Ledger, LoadError, Message, Pause, Queue,
        SaveError, SendError,
    },
};
use serde_json::{Map, Value, json};

use crate::{command::assert_sound, waiting};

const NOW: Time = Time(1_796_030_103_204);

/// A request that stands on record before the input's own, so that operations find a payment:
/// `pay_82e789642ebc120d3d9b43ba26ae7d80`.
const FIRST: &[u8] = include_bytes!("../corpus/request/create");

/// Everything that `intake` is connected to, in memory.
#[derive(Default)]
struct World {
    records: RefCell<BTreeMap<PaymentId, Record>>,
    keys: RefCell<BTreeMap<KeyId, KeyRecord>>,
    sent: RefCell<Vec<Message>>,
    waited_ms: Cell<u64>,
}

impl Ledger for &World {
    async fn load(&self, id: &PaymentId) -> Result<Option<Record>, LoadError> {
        Ok(self.records.borrow().get(id).cloned())
    }

    async fn save(&self, _expected: Option<&Record>, _next: &Record) -> Result<(), SaveError> {
        panic!("intake writes acceptances only")
    }
}

impl Acceptances for &World {
    async fn load_key(&self, id: &KeyId) -> Result<Option<KeyRecord>, LoadError> {
        Ok(self.keys.borrow().get(id).cloned())
    }

    async fn accept(
        &self,
        change: Option<Change<'_>>,
        key: &KeyRecord,
        _now: Time,
    ) -> Result<(), AcceptError> {
        if let Some(change) = change {
            self.records.borrow_mut().insert(change.next.id.clone(), change.next.clone());
        }
        self.keys.borrow_mut().insert(key.id.clone(), key.clone());
        Ok(())
    }
}

impl Queue for &World {
    async fn send(&self, message: &Message) -> Result<(), SendError> {
        self.sent.borrow_mut().push(message.clone());
        Ok(())
    }
}

impl Clock for &World {
    fn now(&self) -> Time {
        NOW.plus_ms(self.waited_ms.get().cast_signed())
    }
}

impl Pause for &World {
    async fn pause(&self, ms: u64) {
        self.waited_ms.set(self.waited_ms.get() + ms);
    }
}

/// Any event is answered: by a documented problem that repeats no card number and changes nothing, or the same again
/// when it comes again.
pub fn request(bytes: &[u8]) {
    let world = World::default();
    if let Some(first) = read(FIRST) {
        answer(&world, &first);
    }
    let Some(event) = read(bytes) else { return };
    let before = (world.records.borrow().clone(), world.sent.borrow().len());
    let Some(reply) = answer(&world, &event) else { return };
    let body = reply["body"].as_str().unwrap_or_default();
    let status = reply["statusCode"].as_u64().unwrap_or_default();
    match status {
        200 => assert_eq!(before.0, *world.records.borrow(), "a read changes nothing"),
        202 => {
            let again = answer(&world, &event).unwrap_or_default();
            assert_eq!((&again["statusCode"], &again["body"]), (&reply["statusCode"], &reply["body"]));
            assert_eq!(again["headers"]["idempotent-replayed"], "true");
            for message in world.sent.borrow().iter() {
                match Command::parse(&message.body) {
                    Ok(command) => assert_sound(&command),
                    Err(refusal) => panic!("{refusal}: {}", message.body),
                }
            }
        }
        _ => {
            assert_problem(status, body);
            assert_eq!(before, (world.records.borrow().clone(), world.sent.borrow().len()), "{body}");
        }
    }
}

fn answer(world: &World, event: &Value) -> Option<Value> {
    let intake = Intake { table: world, queue: world, clock: world, rules: Rules::production() };
    let deadline = world.now().plus_ms(seconds(28));
    let reply = waiting::now(intake.handle(event, deadline)).ok();
    assert!(world.now() < deadline, "it waits too long");
    reply
}

fn assert_problem(status: u64, body: &str) {
    let problem: Value = serde_json::from_str(body).unwrap_or_default();
    let name = problem["type"].as_str().and_then(|kind| kind.strip_prefix("/problems/"));
    let kind = ProblemKind::ALL.into_iter().find(|kind| Some(kind.name()) == name);
    assert_eq!(kind.map(|kind| u64::from(kind.status())), Some(status), "{body}");
    assert!(!matches!(kind, Some(ProblemKind::Internal | ProblemKind::Unavailable)), "{body}");
    for told in ["detail", "field", "code"] {
        assert!(!looks_like_a_card_number(problem[told].as_str().unwrap_or_default()), "{body}");
    }
}

// `0` and an event as JSON; or a form of event (`1`: REST API, `2`: HTTP API or function URL, `3`: its body in
// base64), a request line, headers, an empty line and a body, as in HTTP.
fn read(bytes: &[u8]) -> Option<Value> {
    let (form, rest) = bytes.split_first()?;
    if *form == b'0' {
        return serde_json::from_slice(rest).ok();
    }
    let text = std::str::from_utf8(rest).ok()?;
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let (method, path) = lines.next()?.trim().split_once(' ')?;
    let mut headers: Map<String, Value> = Map::new();
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        let values = headers.entry(name).or_insert_with(|| json!([]));
        values.as_array_mut()?.push(json!(value));
    }
    let user = "arn:aws:iam::123456789012:user/shop";
    if *form == b'1' {
        let context = json!({ "stage": "prod", "identity": { "userArn": user } });
        return Some(json!({ "httpMethod": method, "path": path, "multiValueHeaders": headers,
            "requestContext": context, "body": body, "isBase64Encoded": false }));
    }
    for values in headers.values_mut() {
        let several: Vec<&str> = values.as_array()?.iter().filter_map(Value::as_str).collect();
        *values = json!(several.join(","));
    }
    let context = json!({ "http": { "method": method }, "stage": "$default",
        "authorizer": { "iam": { "userArn": user } } });
    Some(json!({ "rawPath": path, "headers": headers, "requestContext": context, "body": body,
        "isBase64Encoded": *form == b'3' }))
}
