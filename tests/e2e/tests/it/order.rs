//! One order under test: what is asked for it, what Stripe saw of it, what is on record and what was announced.

use std::{cell::RefCell, time::Duration};

use anyhow::{Context, Result};
use aws_sdk_dynamodb::types::AttributeValue;
use e2e::{Function, Stack, eventually};
use payment::{Cancel, Capture, Charge, Command, IfCaptured, Operation, Record, Refund};
use serde::Deserialize;
use serde_json::{Value, json};

/// How long anything may take that no visibility timeout delays: below that of the queue, so that nothing is right
/// only because it came again.
pub(crate) const LIMIT: Duration = Duration::from_secs(45);

/// An order of one test alone, on a stack that other tests use too.
pub(crate) struct Order {
    stack: &'static Stack,
    /// The charge that its first attempt asks for.
    pub(crate) charge: Charge,
    capture_url: String,
    events: RefCell<Vec<Event>>,
}

/// An event of this order, as it was on the bus.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) detail: Value,
}

/// A request about this order, as stripe-sim noted it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Request {
    pub(crate) at_ms: i64,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) operation_id: String,
    pub(crate) body_hex: String,
    /// What the provider answered, whether or not anybody saw it; absent while it runs.
    pub(crate) status: Option<u16>,
    pub(crate) replayed: bool,
}

impl Order {
    /// Names the order, which no other test may name, and listens to the bus.
    pub(crate) async fn new(stack: &'static Stack, name: &str) -> Result<Self> {
        let charge = Charge {
            tenant: "shop".parse()?,
            order: name.parse()?,
            reference: "1".parse()?,
            amount: 4_200.try_into()?,
            currency: "jpy".parse()?,
            // Lists go by customer.
            customer: format!("cus_{}", name.replace('-', "_")).parse()?,
            payment_method: "pm_card_visa".parse()?,
            capture: payment::CaptureMethod::Automatic,
            causation_id: None,
            traceparent: None,
        };
        let capture_url = stack.capture(&format!("events-{name}")).await?;
        Ok(Self { stack, charge, capture_url, events: RefCell::default() })
    }

    pub(crate) fn payment_id(&self) -> String {
        self.charge.payment_id().to_string()
    }

    // --- What is asked ---

    /// Puts a charge on the queue, as the order service does.
    pub(crate) async fn send(&self, charge: &Charge) -> Result<()> {
        self.send_as(&Command::Charge(charge.clone()).deduplication_id(), charge).await
    }

    /// Puts a charge on the queue under a deduplication id that the queue has not seen.
    pub(crate) async fn send_as(&self, deduplication_id: &str, charge: &Charge) -> Result<()> {
        self.ask_as(deduplication_id, &Command::Charge(charge.clone())).await
    }

    /// Asks for a capture of a part of what is held.
    pub(crate) fn capture(&self, part: u64) -> Result<Command> {
        let Charge { tenant, order, .. } = self.charge.clone();
        let (reference, amount) = ("shipped".parse()?, Some(part.try_into()?));
        Ok(Command::Capture(Capture {
            tenant,
            order,
            reference,
            amount,
            causation_id: None,
            traceparent: None,
        }))
    }

    /// Asks for a cancel.
    pub(crate) fn cancel(&self) -> Result<Command> {
        let Charge { tenant, order, .. } = self.charge.clone();
        let (reference, if_captured) = ("withdrawn".parse()?, IfCaptured::Refuse);
        Ok(Command::Cancel(Cancel {
            tenant,
            order,
            reference,
            if_captured,
            causation_id: None,
            traceparent: None,
        }))
    }

    /// Asks for a refund of a part of what was taken.
    pub(crate) fn refund(&self, reference: &str, part: u64) -> Result<Command> {
        let Charge { tenant, order, .. } = self.charge.clone();
        let (reference, amount) = (reference.parse()?, Some(part.try_into()?));
        Ok(Command::Refund(Refund {
            tenant,
            order,
            reference,
            amount,
            causation_id: None,
            traceparent: None,
        }))
    }

    /// Puts a command on the queue.
    pub(crate) async fn ask(&self, command: &Command) -> Result<()> {
        self.ask_as(&command.deduplication_id(), command).await
    }

    /// Puts a command on the queue under a deduplication id that the queue has not seen.
    pub(crate) async fn ask_as(&self, deduplication_id: &str, command: &Command) -> Result<()> {
        self.stack.send(&self.payment_id(), deduplication_id, &command.to_body()).await
    }

    /// The first charge with another amount: another request under the same operation id.
    pub(crate) fn differing(&self) -> Result<Charge> {
        Ok(Charge { amount: (self.charge.amount.minor() + 1).try_into()?, ..self.charge.clone() })
    }

    /// Waits until all that was sent before is handled and announced.
    ///
    /// A group is in order and so is a payment's stream: the refusal of a differing charge, sent now, comes last.
    pub(crate) async fn fence(&self) -> Result<()> {
        self.send(&self.differing()?).await?;
        self.fenced().await
    }

    /// Waits for the refusal of [`Self::differing`], however it was sent.
    pub(crate) async fn fenced(&self) -> Result<()> {
        let refusal = self.announced("OperationRefused").await?;
        assert_eq!(refusal.detail["data"]["reason"], "parameters_differ");
        Ok(())
    }

    // --- What Stripe does, and saw ---

    /// Scripts a fault for requests about this payment.
    pub(crate) async fn script(&self, mut fault: Value) -> Result<()> {
        fault["operation_id"] = json!(self.payment_id());
        self.stack.stripe_post("/_sim/faults", &json!([fault])).await?;
        Ok(())
    }

    /// Every request about this payment, oldest first, look-ups included.
    pub(crate) async fn requests(&self) -> Result<Vec<Request>> {
        let log = self.stack.stripe_get("/_sim/requests").await?;
        let all: Vec<Request> = serde_json::from_value(log["requests"].clone())?;
        let (id, customer) = (self.payment_id(), format!("customer={}&", self.charge.customer));
        let is_ours = |request: &Request| {
            request.operation_id.split('/').next() == Some(id.as_str())
                || request.query.contains(&id)
                || request.query.contains(&customer)
        };
        Ok(all.into_iter().filter(is_ours).collect())
    }

    /// The requests that may have moved money, oldest first.
    pub(crate) async fn posts(&self) -> Result<Vec<Request>> {
        Ok(self.requests().await?.into_iter().filter(|request| request.method == "POST").collect())
    }

    /// The requests to a path that ends like this, which may have moved money, oldest first.
    pub(crate) async fn posts_to(&self, end: &str) -> Result<Vec<Request>> {
        Ok(self.posts().await?.into_iter().filter(|post| post.path.ends_with(end)).collect())
    }

    /// Something that stripe-sim counted of this payment, e.g. `intents_created`.
    pub(crate) async fn counted(&self, name: &str) -> Result<u64> {
        let counts = self.stack.stripe_get("/_sim/counts").await?;
        Ok(counts["payments"][self.payment_id()][name].as_u64().unwrap_or(0))
    }

    /// Asserts that every send of the first charge was the same request, and that it made one intent.
    pub(crate) async fn assert_one_request_made_one_intent(&self, sends: usize) -> Result<()> {
        let posts = self.posts().await?;
        assert_eq!(posts.len(), sends, "{posts:#?}");
        assert!(posts[0].idempotency_key.is_some());
        for post in &posts {
            assert_eq!(post.path, "/v1/payment_intents");
            assert_eq!(post.idempotency_key, posts[0].idempotency_key);
            assert_eq!(post.body_hex, posts[0].body_hex);
        }
        assert_eq!(self.counted("intents_created").await?, 1);
        assert_eq!(self.counted("intents_succeeded").await?, 1);
        assert_eq!(self.counted("amount_paid").await?, self.charge.amount.minor());
        Ok(())
    }

    // --- What is on record ---

    /// The payment's record as it stands.
    pub(crate) async fn record(&self) -> Result<Option<Record>> {
        let item = self.stack.item(&self.payment_id()).await?;
        item.map(serde_dynamo::from_item).transpose().context("the item is no record")
    }

    /// Waits for a record of some kind.
    pub(crate) async fn recorded(
        &self,
        what: &str,
        limit: Duration,
        is_it: impl Fn(&Record) -> bool,
    ) -> Result<Record> {
        eventually(what, limit, || async { Ok(self.record().await?.filter(&is_it)) }).await
    }

    /// The first charge of a record.
    pub(crate) fn operation<'a>(&self, record: &'a Record) -> Result<&'a Operation> {
        record.payment.operations.get(&self.charge.key()).context("the charge is not on record")
    }

    /// Lets time pass for this payment alone, on record and at Stripe: the binaries read the real clock.
    ///
    /// The charge must be unsettled: then every one of the times moved is there.
    pub(crate) async fn age(&self, ms: i64) -> Result<()> {
        let times = ["first_sent_at", "last_send_until", "look_at", "accepted_at"];
        let moved = times.map(|time| format!("operations.#charge.{time} = operations.#charge.{time} - :ms"));
        let update = format!("SET due_at = due_at - :ms, {}", moved.join(", "));
        let age = || async {
            let write = self.stack.dynamodb().update_item().table_name(&self.stack.outputs().table_name);
            let written = write
                .key("pk", AttributeValue::S(self.payment_id()))
                .update_expression(&update)
                .condition_expression("attribute_not_exists(claim)")
                .expression_attribute_names("#charge", self.charge.key().to_string())
                .expression_attribute_values(":ms", AttributeValue::N(ms.to_string()))
                .send()
                .await;
            match written {
                Ok(_) => Ok(Some(())),
                // A wake, from the schedule's own sweep, is at it.
                Err(error)
                    if error
                        .as_service_error()
                        .is_some_and(|error| error.is_conditional_check_failed_exception()) =>
                {
                    Ok(None)
                }
                Err(error) => Err(error.into()),
            }
        };
        eventually("the record is aged", LIMIT, age).await?;
        let body = json!({ "ms": ms, "payment_id": self.payment_id() });
        self.stack.stripe_post("/_sim/age", &body).await?;
        Ok(())
    }

    /// Invokes the sweep again and again, as the schedule does, until a record of some kind is there.
    pub(crate) async fn swept_until(&self, what: &str, is_it: impl Fn(&Record) -> bool) -> Result<Record> {
        let probe = || async {
            let found = self.record().await?.filter(&is_it);
            if found.is_none() {
                self.sweep().await?;
            }
            Ok(found)
        };
        eventually(what, LIMIT, probe).await
    }

    /// Invokes the sweep once.
    pub(crate) async fn sweep(&self) -> Result<()> {
        let swept = self.stack.invoke(Function::Sweep, &json!({})).await?;
        assert_eq!(swept.error, None, "{}", swept.payload);
        Ok(())
    }

    // --- What was announced ---

    /// Every event of this payment so far, repeats included.
    pub(crate) async fn events(&self) -> Result<Vec<Event>> {
        let id = self.payment_id();
        for event in self.stack.captured(&self.capture_url).await? {
            let text = |value: &Value| value.as_str().map(str::to_owned).context("an event without a name");
            if event["detail"]["data"]["payment_id"] == id {
                let (kind, id) = (text(&event["detail-type"])?, text(&event["detail"]["metadata"]["id"])?);
                self.events.borrow_mut().push(Event { kind, id, detail: event["detail"].clone() });
            }
        }
        Ok(self.events.borrow().clone())
    }

    /// Waits for an event of a kind, and gives the first.
    pub(crate) async fn announced(&self, kind: &str) -> Result<Event> {
        let probe = || async { Ok(self.events().await?.into_iter().find(|event| event.kind == kind)) };
        eventually(&format!("{kind} is announced"), LIMIT, probe).await
    }

    /// The kinds of this payment's events in the order they came, repeats included.
    pub(crate) async fn kinds(&self) -> Result<Vec<String>> {
        Ok(self.events().await?.into_iter().map(|event| event.kind).collect())
    }
}
