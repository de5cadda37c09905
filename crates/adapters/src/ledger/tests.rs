//! Tests of the item: what goes in comes out, what is not ours is refused, and what a happy charge costs.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use effect::{Attempt, Frozen, ProviderKey, ReviewReason, Rules, Standing, Status, minutes};
use payment::{
    Account, Announced, CaptureMethod, Claim, Command, Converged, Effect, Invocation, Limits, Operation,
    OperationKey, Payment, Settings, converge,
    ports::{Clock, NoCredentials, Randomness},
};
use stripe_wire::{HttpReply, HttpRequest, Stripe, Transport, TransportError};

use super::*;
use crate::OsRandomness;

const CHARGE: &str = r#"{
    "schema": "ikkai.command/1", "type": "charge", "tenant": "shop-eu-1", "order": "order-2026-000123456",
    "amount": 129900, "currency": "eur", "customer": "cus_QXg1V2o3p4S5t6", "payment_method": "pm_1PgafmB7WZ01zgkWTmhbxKPx",
    "causation_id": "6f2f6c0e-2e4e-4d5c-9f3c-0c1d2e3f4a5b",
    "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
}"#;

/// A record with every optional field set.
fn full() -> Record {
    let charge = Operation {
        seq: 1,
        effect: Effect::Charge {
            amount: serde_json::from_str("129900").unwrap(),
            currency: serde_json::from_str("\"eur\"").unwrap(),
            customer: "cus_1".parse().unwrap(),
            payment_method: "pm_123".parse().unwrap(),
            capture: CaptureMethod::Manual,
        },
        digest: "d".repeat(64),
        accepted_at: Time(1_700_000_000_000),
        attempt: Attempt {
            standing: Standing::Failed,
            review: Some(ReviewReason::TwoIds),
            frozen: Some(Frozen {
                key: ProviderKey::derive("ikkai", "pay/charge/1", 3),
                path: "/v1/payment_intents".to_owned(),
                body: "amount=129900".to_owned(),
                api_version: "2025-09-30.clover".to_owned(),
            }),
            generation: 3,
            first_sent_at: Some(Time(1)),
            last_send_until: Some(Time(2)),
            tries: 4,
            look_at: Some(Time(-5)),
            barred: true,
            ids: ["pi_1".to_owned(), "pi_2".to_owned()].into(),
            status: Some(Status::Declined),
            code: Some("card_declined".to_owned()),
            moved: Some(100),
        },
        differing: ["e".repeat(64)].into(),
        outcomes: [("failed".to_owned(), Announced { version: u64::MAX, time: Time(i64::MAX) })].into(),
        causation_id: Some("cause".to_owned()),
        traceparent: Some("00-1-2-01".to_owned()),
    };
    let void = Operation {
        seq: 2,
        effect: Effect::Void { charge: "1".parse().unwrap() },
        attempt: Attempt::default(),
        differing: [].into(),
        outcomes: [].into(),
        causation_id: None,
        traceparent: None,
        ..charge.clone()
    };
    let key = OperationKey::charge("1".parse().unwrap());
    let mut payment = Payment::empty("shop".parse().unwrap(), "o-1".parse().unwrap());
    payment.operations.insert(OperationKey::void_of(&key), void);
    payment.operations.insert(key, charge);
    payment.account = Some(Account { id: "acct_1".to_owned(), live: true });
    Record {
        id: payment.id(),
        version: u64::MAX,
        updated_at: Time(1_700_000_000_001),
        payment,
        claim: Some(Claim { token: "t".to_owned(), until: Time(3) }),
        due_at: Some(Time(4)),
        woken_for: Some(Time(3)),
        review_at: Some(Time(5)),
        announce: Some("a b".to_owned()),
    }
}

fn bare() -> Record {
    let payment = Payment::empty("shop".parse().unwrap(), "o-2".parse().unwrap());
    Record {
        id: payment.id(),
        version: 1,
        updated_at: Time(0),
        payment,
        claim: None,
        due_at: None,
        woken_for: None,
        review_at: None,
        announce: None,
    }
}

#[test]
fn a_record_comes_out_as_it_went_in() {
    for record in [full(), bare()] {
        assert_eq!(from_item(to_item(&record).unwrap()), Ok(record));
    }
}

#[test]
fn the_key_and_the_index_attributes_are_plain() {
    let record = full();
    let item = to_item(&record).unwrap();
    assert_eq!(item["pk"], AttributeValue::S(record.id.to_string()));
    assert_eq!(item["schema"], AttributeValue::N("1".to_owned()));
    assert_eq!(item["due_at"], time(Time(4)));
    assert_eq!(item["due_shard"], item::due_shard(record.id.shard()));
    assert_eq!(item["review_shard"], item::review_shard(record.id.shard()));
    assert_eq!(item["announce"], AttributeValue::S("a b".to_owned()));
    assert!(!item.contains_key("id"));
}

#[test]
fn what_is_not_due_is_in_no_index() {
    let item = to_item(&bare()).unwrap();
    for absent in ["due_at", "due_shard", "review_at", "review_shard", "announce", "claim", "expires_at"] {
        assert!(!item.contains_key(absent), "{absent}");
    }
}

#[test]
fn attributes_of_a_newer_version_are_ignored() {
    let mut item = to_item(&full()).unwrap();
    item.insert("novelty".to_owned(), AttributeValue::Bool(true));
    for operation in operations(&mut item).values_mut() {
        let AttributeValue::M(operation) = operation else { panic!("an operation is a map") };
        operation.insert("novelty".to_owned(), AttributeValue::L(vec![AttributeValue::Null(true)]));
    }
    assert_eq!(from_item(item), Ok(full()));
}

#[test]
fn attributes_that_an_older_version_left_out_are_absent() {
    let mut item = to_item(&full()).unwrap();
    for absent in ["claim", "due_at", "due_shard", "review_at", "review_shard", "announce", "account"] {
        item.remove(absent);
    }
    let record = from_item(item).unwrap();
    assert_eq!((record.claim, record.due_at, record.payment.account), (None, None, None));
}

#[test]
fn an_item_of_no_or_another_schema_is_corrupt() {
    let mut item = to_item(&full()).unwrap();
    item.insert("schema".to_owned(), AttributeValue::N("2".to_owned()));
    assert_eq!(from_item(item.clone()), Err("its schema is not one this version reads"));
    item.insert("schema".to_owned(), AttributeValue::S("1".to_owned()));
    assert!(from_item(item.clone()).is_err());
    item.remove("schema");
    assert_eq!(from_item(item), Err("it has no schema"));
}

#[test]
fn an_item_that_holds_something_else_is_corrupt_and_never_quoted() {
    let mut item = to_item(&full()).unwrap();
    item.insert("tenant".to_owned(), AttributeValue::S("not a tenant!".to_owned()));
    assert_eq!(from_item(item), Err("its attributes are not those of a payment"));
}

#[test]
fn an_items_size_follows_the_tables_own_rules() {
    let size = |name: &str, value| size_bytes(&Item::from([(name.to_owned(), value)]));
    assert_eq!(size("pk", AttributeValue::S("é".to_owned())), 4);
    assert_eq!(size("n", AttributeValue::N("12345".to_owned())), 1 + 4);
    assert_eq!(size("n", AttributeValue::N("-12".to_owned())), 1 + 3);
    let list = AttributeValue::L(vec![AttributeValue::S("ab".to_owned()), AttributeValue::Bool(true)]);
    assert_eq!(size("l", list.clone()), 1 + 3 + (1 + 2) + (1 + 1));
    let map = AttributeValue::M(Item::from([("k".to_owned(), list)]));
    assert_eq!(size("m", map), 1 + 3 + (1 + 1 + 8));
}

#[tokio::test]
async fn a_happy_charge_writes_twice_and_each_write_is_one_unit() {
    let table = Table::default();
    let command = Command::parse(CHARGE).unwrap();
    let settings = Settings {
        stack: "ikkai".to_owned(),
        rules: Rules::production(),
        limits: Limits { provider_timeout_ms: 20_000, write_margin_ms: 3_000 },
        conflicts: 5,
    };
    let invocation = Invocation {
        token: OsRandomness.token(),
        deadline: NOW.plus_ms(minutes(1)),
        jitter_per_mille: 0,
        is_first_receive: true,
    };
    let turn = converge(&table, &Stripe::new(Happy), &At, &settings, &invocation, &command).await.unwrap();
    assert_eq!(turn, Converged::Recorded);
    let written = table.written.take();
    let sizes: Vec<usize> = written.iter().map(size_bytes).collect();
    for item in &written {
        println!("{}", breakdown(item));
    }
    assert_eq!(sizes.len(), 2);
    assert!(sizes.iter().all(|size| *size <= 1_024), "{sizes:?}");
    assert!(written.iter().all(|item| !item.contains_key("due_at")), "no index is touched");
}

const NOW: Time = Time(1_790_000_000_123);

struct At;

impl Clock for At {
    fn now(&self) -> Time {
        NOW
    }
}

/// A table of one item that keeps every write.
#[derive(Default)]
struct Table {
    written: Rc<RefCell<Vec<Item>>>,
    version: Cell<u64>,
}

impl Ledger for Table {
    async fn load(&self, _id: &PaymentId) -> Result<Option<Record>, LoadError> {
        Ok(None)
    }

    async fn save(&self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        assert_eq!(expected.map_or(0, |record| record.version), self.version.get());
        self.version.set(next.version);
        self.written.borrow_mut().push(to_item(next).unwrap());
        Ok(())
    }
}

/// A Stripe where every charge succeeds.
struct Happy;

impl Transport for Happy {
    async fn account(&self) -> Result<Account, NoCredentials> {
        Ok(Account { id: "acct_1032D82eZvKYlo2C".to_owned(), live: true })
    }

    async fn call(&self, request: &HttpRequest) -> Result<HttpReply, TransportError> {
        let operation_id =
            request.body.split("metadata%5Boperation_id%5D=").nth(1).unwrap().replace("%2F", "/");
        let body = serde_json::json!({
            "id": "pi_3MtwBwLkdIwHu7ix28a3tqPa", "object": "payment_intent", "amount": 129_900, "currency": "eur",
            "status": "succeeded", "latest_charge": "ch_3MtwBwLkdIwHu7ix2x8Xo1ab",
            "metadata": { "operation_id": operation_id },
        });
        Ok(HttpReply {
            status: 200,
            replayed: false,
            should_retry: None,
            body: body.to_string().into_bytes(),
        })
    }
}

fn operations(item: &mut Item) -> &mut Item {
    let Some(AttributeValue::M(operations)) = item.get_mut("operations") else {
        panic!("operations are a map")
    };
    operations
}

/// Lists an item's attributes with their sizes, the largest first.
fn breakdown(item: &Item) -> String {
    let mut lines = Vec::new();
    measure("", item, &mut lines);
    lines.sort_unstable_by(|a, b| b.cmp(a));
    let lines: Vec<String> = lines.into_iter().map(|(bytes, path)| format!("{bytes:5} {path}")).collect();
    format!("{} bytes\n{}", size_bytes(item), lines.join("\n"))
}

fn measure(prefix: &str, item: &Item, lines: &mut Vec<(usize, String)>) {
    for (name, value) in item {
        let path = format!("{prefix}{name}");
        lines.push((size_bytes(&Item::from([(name.clone(), value.clone())])), path.clone()));
        if let AttributeValue::M(map) = value {
            measure(&format!("{path}."), map, lines);
        }
    }
}
