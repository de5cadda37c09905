//! What an acceptance costs, in the table's write units: one a started KB, twice that in a transaction, and one for each
//! index touched.

use adapters::ledger::{Item, size_bytes, to_item, to_key_item};
use effect::{Fact, Outcome};
use serde_json::json;

use crate::bench::{Bench, charge_1};

fn units(item: &Item) -> usize {
    size_bytes(item).div_ceil(1_024)
}

/// A payment as long as they come: its order, customer and payment method.
fn long() -> serde_json::Value {
    json!({
        "order": "order-2026-000123456", "amount": 129_900, "currency": "eur", "customer": "cus_QXg1V2o3p4S5t6",
        "payment_method": "pm_1PgafmB7WZ01zgkWTmhbxKPx",
    })
}

#[tokio::test]
async fn a_payment_is_accepted_for_two_reads_and_five_write_units() {
    let bench = Bench::new();
    let id = bench.post("/v1/payments", "k-1", &long()).await.payment_id();
    let payment = to_item(&bench.record(&id)).unwrap();
    let key = to_key_item(bench.table.keys.borrow().values().next().unwrap()).unwrap();
    assert_eq!(
        (units(&payment), units(&key)),
        (1, 1),
        "{} and {} bytes",
        size_bytes(&payment),
        size_bytes(&key)
    );
    let index = usize::from(payment.contains_key("due_shard"));
    assert_eq!(2 * units(&payment) + 2 * units(&key) + index, 5);
    assert_eq!((bench.table.writes.get(), bench.table.reads.get()), ((1, 0), 2));
}

#[tokio::test]
async fn a_replay_writes_nothing_and_another_key_for_the_same_is_one_unit() {
    let bench = Bench::new();
    bench.post("/v1/payments", "k-1", &long()).await;
    bench.post("/v1/payments", "k-1", &long()).await;
    assert_eq!(bench.table.writes.get(), (1, 0));
    bench.post("/v1/payments", "k-2", &long()).await;
    assert_eq!(bench.table.writes.get(), (1, 1));
    assert!(bench.table.keys.borrow().values().all(|key| units(&to_key_item(key).unwrap()) == 1));
}

#[tokio::test]
async fn a_refund_is_accepted_in_one_transaction_too() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    bench.change(&id, |payment| {
        payment.absorb(&charge_1(), &Fact { id: "pi_1".to_owned(), outcome: Some(Outcome::Succeeded) });
    });
    bench.post(&format!("/v1/payments/{id}/refunds"), "k-1", &json!({ "amount": 5 })).await;
    assert_eq!(bench.table.writes.get(), (2, 0));
    assert!(units(&to_item(&bench.record(&id)).unwrap()) <= 2);
}
