//! Trouble: the queue is down, the table races, loses a reply, or does not answer.

use payment::ports::{AcceptError, LoadError, Message};
use serde_json::json;

use crate::{
    bench::{Bench, Reply, charge_1, payment, posted},
    table::{Fate, Table},
};

const PATH: &str = "/v1/payments";

#[tokio::test]
async fn what_was_recorded_is_accepted_even_if_the_queue_is_down_and_a_repeat_sends_it() {
    let bench = Bench::new();
    bench.sent.is_down.set(true);
    let reply = bench.post(PATH, "k-1", &payment("o-1")).await;
    assert_eq!(reply.status, 202);
    assert!(bench.record(&reply.payment_id()).due_at.is_some(), "the sweep will wake it");
    bench.sent.is_down.set(false);
    assert_eq!(bench.post(PATH, "k-1", &payment("o-1")).await.status, 202);
    let messages: Vec<Message> = bench.sent.messages.borrow().clone();
    assert_eq!(messages.len(), 1);
}

#[tokio::test]
async fn a_lost_reply_is_resolved_by_reading_the_key_again() {
    let bench = Bench::new();
    bench.table.script.borrow_mut().push_back(Fate::LosesReply);
    let reply = bench.post(PATH, "k-1", &payment("o-1")).await;
    assert_eq!(reply.status, 202, "{}", reply.body);
    assert_eq!(bench.table.writes.get(), (1, 0));
    assert_eq!(bench.commands().len(), 1);
}

#[tokio::test]
async fn a_lost_reply_of_a_write_that_was_not_made_is_made_again() {
    let bench = Bench::new();
    bench.table.script.borrow_mut().push_back(Fate::Fails(AcceptError::Unknown("no reply in time")));
    assert_eq!(bench.post(PATH, "k-1", &payment("o-1")).await.status, 202);
    assert_eq!(bench.table.writes.get(), (1, 0));
}

/// What another request with this key leaves in the table, and its reply.
async fn another_request() -> (impl FnOnce(&Table) + 'static, Reply) {
    let other = Bench::new();
    let reply = other.post(PATH, "k-1", &payment("o-1")).await;
    let (records, keys) = (other.table.records.take(), other.table.keys.take());
    let write = |table: &Table| {
        table.records.replace(records);
        table.keys.replace(keys);
    };
    (write, reply)
}

#[tokio::test]
async fn a_racing_request_with_the_same_key_is_answered_the_same() {
    let bench = Bench::new();
    let (write, first) = another_request().await;
    bench.table.script.borrow_mut().push_back(Fate::After(Box::new(write)));
    let second = bench.post(PATH, "k-1", &payment("o-1")).await;
    assert_eq!((second.status, second.body), (202, first.body));
    assert_eq!(second.headers["idempotent-replayed"], "true");
}

// Fifty requests at once found it: a key read after its payment looked as if the payment were gone.
#[tokio::test]
async fn a_racing_request_between_the_two_reads_is_answered_the_same() {
    let bench = Bench::new();
    let (write, first) = another_request().await;
    *bench.table.after_load.borrow_mut() = Some(Box::new(write));
    let second = bench.post(PATH, "k-1", &payment("o-1")).await;
    assert_eq!((second.status, second.body), (202, first.body));
}

#[tokio::test]
async fn a_payment_that_changes_meanwhile_is_decided_on_again() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    bench.change(&id, |payment| {
        payment.operations.get_mut(&charge_1()).unwrap().attempt.standing = effect::Standing::Authorized;
    });
    let captured = id.clone();
    bench.table.script.borrow_mut().push_back(Fate::After(Box::new(move |table| {
        let mut records = table.records.borrow_mut();
        let record = records.get_mut(&captured).unwrap();
        record.version += 1;
        record.payment.operations.get_mut(&charge_1()).unwrap().attempt.standing =
            effect::Standing::Succeeded;
    })));
    let reply = bench.post(&format!("{PATH}/{id}/cancel"), "k-1", &json!({})).await;
    assert_eq!((reply.status, &reply.json()["code"]), (409, &json!("already_captured")));
}

#[tokio::test]
async fn a_payment_that_keeps_changing_is_409_with_retry_after() {
    let bench = Bench::new();
    let id = bench.created("o-1").await;
    for _ in 0..5 {
        let id = id.clone();
        bench.table.script.borrow_mut().push_back(Fate::After(Box::new(move |table| {
            table.records.borrow_mut().get_mut(&id).unwrap().version += 1;
        })));
    }
    let reply = bench.post(&format!("{PATH}/{id}/cancel"), "k-1", &json!({})).await;
    assert_eq!((reply.status, &reply.json()["code"]), (409, &json!("busy")));
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert_eq!(bench.post(&format!("{PATH}/{id}/cancel"), "k-1", &json!({})).await.status, 202);
}

#[tokio::test]
async fn racing_transactions_are_409_with_retry_after_and_nothing_is_recorded() {
    let bench = Bench::new();
    bench.table.script.borrow_mut().push_back(Fate::Fails(AcceptError::Contended));
    let reply = bench.post(PATH, "k-1", &payment("o-1")).await;
    assert_eq!((reply.status, reply.header("retry-after")), (409, Some("1")));
    bench.assert_untouched();
    assert_eq!(bench.post(PATH, "k-1", &payment("o-1")).await.status, 202);
}

#[tokio::test]
async fn a_table_that_does_not_answer_is_503_with_retry_after_and_the_same_key_is_safe() {
    let bench = Bench::new();
    for _ in 0..5 {
        bench.table.script.borrow_mut().push_back(Fate::Fails(AcceptError::Unknown("no reply in time")));
    }
    bench.table.script.borrow_mut().push_back(Fate::Fails(AcceptError::NotDone("the table is busy")));
    for _ in 0..2 {
        let reply = bench.post(PATH, "k-1", &payment("o-1")).await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, Some("5")));
    }
    *bench.table.unreadable.borrow_mut() = Some(LoadError::Unavailable("access denied"));
    let reply = bench.post(PATH, "k-1", &payment("o-1")).await;
    assert!(reply.status == 503 && !reply.body.contains("access"), "{}", reply.body);
    *bench.table.unreadable.borrow_mut() = None;
    assert_eq!(bench.post(PATH, "k-1", &payment("o-1")).await.status, 202);
    assert_eq!(bench.table.writes.get(), (1, 0));
}

#[tokio::test]
async fn nothing_is_begun_again_that_could_not_be_answered_in_time() {
    let bench = Bench::new();
    let event = posted(PATH, "k-1", &payment("o-1").to_string());
    for (left_s, status) in [(18, 503), (20, 202)] {
        bench.table.script.borrow_mut().push_back(Fate::Fails(AcceptError::Unknown("no reply in time")));
        assert_eq!(bench.handle_within(&event, effect::seconds(left_s)).await.status, status);
    }
}

#[tokio::test]
async fn an_item_that_cannot_be_read_is_500_and_never_overwritten() {
    let bench = Bench::new();
    *bench.table.unreadable.borrow_mut() = Some(LoadError::Corrupt("it has no schema"));
    let reply = bench.post(PATH, "k-1", &payment("o-1")).await;
    assert_eq!((reply.status, &reply.json()["code"]), (500, &json!("internal")));
    *bench.table.unreadable.borrow_mut() = None;
    bench.assert_untouched();
}
