//! One intake over ports that remember, and requests to it.

use std::cell::{Cell, RefCell};

use effect::{Rules, Time, seconds};
use intake::Intake;
use payment::{
    Command, OperationKey, Payment, PaymentId, Record,
    ports::{Clock, Message, Pause, Queue, SendError},
};
use serde_json::{Value, json};

use crate::{openapi::assert_documented, table::Table};

pub(crate) const NOW: Time = Time(1_796_030_103_204);

/// A queue that takes every message, or none.
#[derive(Default)]
pub(crate) struct Sent {
    pub(crate) messages: RefCell<Vec<Message>>,
    pub(crate) is_down: Cell<bool>,
}

impl Queue for &Sent {
    async fn send(&self, message: &Message) -> Result<(), SendError> {
        if self.is_down.get() {
            return Err(SendError("the test's queue is down"));
        }
        self.messages.borrow_mut().push(message.clone());
        Ok(())
    }
}

/// A clock that moves when somebody waits.
pub(crate) struct Hands(pub(crate) Cell<Time>);

impl Clock for &Hands {
    fn now(&self) -> Time {
        self.0.get()
    }
}

impl Pause for &Hands {
    async fn pause(&self, ms: u64) {
        self.0.set(self.0.get().plus_ms(ms.cast_signed()));
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: u64,
    pub(crate) headers: serde_json::Map<String, Value>,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(Value::as_str)
    }

    /// The payment's id, in whatever the reply is.
    pub(crate) fn payment_id(&self) -> PaymentId {
        let body = self.json();
        let id = body.get("payment_id").or_else(|| body.get("id")).and_then(Value::as_str).unwrap();
        id.parse().unwrap()
    }
}

pub(crate) struct Bench {
    pub(crate) table: Table,
    pub(crate) sent: Sent,
    pub(crate) clock: Hands,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { table: Table::default(), sent: Sent::default(), clock: Hands(Cell::new(NOW)) }
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, ms: i64) {
        self.clock.0.set(self.clock.0.get().plus_ms(ms));
    }

    /// Handles an event as it is.
    pub(crate) async fn handle(&self, event: &Value) -> Reply {
        self.handle_within(event, seconds(28)).await
    }

    /// Handles an event with so much time left.
    pub(crate) async fn handle_within(&self, event: &Value, left_ms: i64) -> Reply {
        let intake =
            Intake { table: &self.table, queue: &self.sent, clock: &self.clock, rules: Rules::production() };
        let deadline = self.clock.0.get().plus_ms(left_ms);
        let answer = intake.handle(event, deadline).await.unwrap();
        assert_eq!(answer["isBase64Encoded"], false);
        let reply = Reply {
            status: answer["statusCode"].as_u64().unwrap(),
            headers: answer["headers"].as_object().unwrap().clone(),
            body: answer["body"].as_str().unwrap().to_owned(),
        };
        assert_documented(event, &reply);
        reply
    }

    /// Posts a body under a key, as `shop`.
    pub(crate) async fn post(&self, path: &str, key: &str, body: &Value) -> Reply {
        self.handle(&posted(path, key, &body.to_string())).await
    }

    /// Reads, as `shop`.
    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.handle(&request("GET", path, "shop")).await
    }

    /// Creates the payment of an order and returns its id.
    pub(crate) async fn created(&self, order: &str) -> PaymentId {
        let reply = self.post("/v1/payments", &format!("key-{order}"), &payment(order)).await;
        assert_eq!(reply.status, 202, "{}", reply.body);
        reply.payment_id()
    }

    /// Changes a payment on record, as a worker's write does.
    pub(crate) fn change(&self, id: &PaymentId, change: impl FnOnce(&mut Payment)) {
        let mut records = self.table.records.borrow_mut();
        let record = records.get_mut(id).unwrap();
        change(&mut record.payment);
        record.version += 1;
    }

    pub(crate) fn record(&self, id: &PaymentId) -> Record {
        self.table.records.borrow()[id].clone()
    }

    /// The commands sent so far.
    pub(crate) fn commands(&self) -> Vec<Command> {
        self.sent.messages.borrow().iter().map(|message| Command::parse(&message.body).unwrap()).collect()
    }

    /// Asserts that nothing is on record and nothing was sent.
    pub(crate) fn assert_untouched(&self) {
        assert!(self.table.records.borrow().is_empty() && self.table.keys.borrow().is_empty());
        assert!(self.sent.messages.borrow().is_empty());
    }
}

pub(crate) fn charge_1() -> OperationKey {
    OperationKey::charge("1".parse().unwrap())
}

/// The body of a request for a payment.
pub(crate) fn payment(order: &str) -> Value {
    json!({
        "order": order, "amount": 4_200, "currency": "jpy", "customer": "cus_1", "payment_method": "pm_card_visa",
    })
}

/// A request without a body, signed by the IAM user of that name, as an HTTP API hands it on.
pub(crate) fn request(method: &str, path: &str, user: &str) -> Value {
    json!({
        "version": "2.0", "routeKey": "$default", "rawPath": path, "rawQueryString": "",
        "headers": { "accept": "*/*" },
        "requestContext": {
            "stage": "$default",
            "http": { "method": method, "path": path },
            "authorizer": { "iam": { "userArn": format!("arn:aws:iam::123456789012:user/{user}") } },
        },
        "isBase64Encoded": false,
    })
}

/// A POST of `shop`.
pub(crate) fn posted(path: &str, key: &str, body: &str) -> Value {
    let mut event = request("POST", path, "shop");
    event["headers"]["idempotency-key"] = json!(key);
    event["headers"]["content-type"] = json!("application/json");
    event["body"] = json!(body);
    event
}
