//! The queue: a FIFO queue as `template.yaml` makes it, sent to through the port. Receiving is no port of ours, since
//! Lambda's mapping does it: the suite receives by SQS's own API. And the queue where dead letters are set aside.

mod content;
mod flight;
mod order;
mod sqs;
mod world;

use std::{future::Future, time::Duration};

use anyhow::{Result, bail};
use payment::{
    PaymentId,
    ports::{DeadLetters, Message, Queue, QueueDepth},
};

pub use sqs::FifoQueue;
pub use world::WorldQueue;

use crate::case::{Case, check};

/// How long a message that must come is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A message as one receive returned it.
#[derive(Debug, Clone)]
pub struct Received<R> {
    /// Its group.
    pub group: String,
    /// Its body.
    pub body: String,
    /// How often it was received, this time included.
    pub receives: u32,
    /// What names this receive.
    pub receipt: R,
}

/// A queue that the suite tries. Each case has one of its own, empty.
pub trait QueueSubject {
    /// What names a receive.
    type Receipt: Clone;
    /// What our functions send to.
    type Port: Queue + QueueDepth;
    /// Where our functions set aside.
    type Aside: DeadLetters;

    /// Returns the port.
    fn port(&self) -> &Self::Port;

    /// Returns the port for dead letters.
    fn aside(&self) -> &Self::Aside;

    /// After how many receives a message is moved to the dead-letter queue.
    fn max_receives(&self) -> u32;

    /// Receives at most `most` messages of those that can be received now.
    fn receive(&self, most: usize) -> impl Future<Output = Result<Vec<Received<Self::Receipt>>>>;

    /// Deletes a message by its receipt; tells whether the queue accepted that.
    fn delete(&self, receipt: &Self::Receipt) -> impl Future<Output = Result<bool>>;

    /// Makes a received message visible again after this long.
    fn show_after(&self, receipt: &Self::Receipt, after: Duration) -> impl Future<Output = Result<()>>;

    /// Lets time pass until what has been received by now is visible again.
    fn expire(&self) -> impl Future<Output = Result<()>>;

    /// Returns what has been moved to the dead-letter queue.
    fn dead(&self) -> impl Future<Output = Result<Vec<Received<Self::Receipt>>>>;

    /// Returns the reasons of what was set aside.
    fn reasons(&self) -> impl Future<Output = Result<Vec<String>>>;
}

/// Returns the suite.
#[must_use]
pub fn cases<S: QueueSubject>() -> Vec<Case<S>> {
    let mut cases = order::cases();
    cases.extend(flight::cases());
    cases.extend(content::cases());
    cases
}

/// Returns the group of an order.
#[expect(clippy::expect_used, reason = "the suite's own words are valid names")]
fn group(order: &str) -> PaymentId {
    PaymentId::of(&"shop".parse().expect("a tenant"), &order.parse().expect("an order"))
}

/// Returns a message of an order's group, its body its deduplication id.
fn message(order: &str, body: &str) -> Message {
    Message { group: group(order), deduplication_id: body.to_owned(), body: body.to_owned() }
}

/// Sends messages, each named by its order's letter and its number, in their order.
async fn send<S: QueueSubject>(queue: &S, bodies: &[&str]) -> Result<()> {
    for body in bodies {
        queue.port().send(&message(&body[..1], body)).await?;
    }
    Ok(())
}

/// Receives until something comes.
async fn next<S: QueueSubject>(queue: &S, most: usize) -> Result<Vec<Received<S::Receipt>>> {
    let receiving = async {
        loop {
            let received = queue.receive(most).await?;
            if !received.is_empty() {
                return Ok(received);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    match tokio::time::timeout(PATIENCE, receiving).await {
        Ok(received) => received,
        Err(_) => bail!("nothing came"),
    }
}

/// Receives until `count` messages have come, deleting none.
async fn gather<S: QueueSubject>(queue: &S, count: usize) -> Result<Vec<Received<S::Receipt>>> {
    let mut gathered = Vec::new();
    while gathered.len() < count {
        gathered.extend(next(queue, 10).await?);
    }
    Ok(gathered)
}

/// Deletes what was received; the queue must accept it.
async fn delete<S: QueueSubject>(queue: &S, received: &Received<S::Receipt>) -> Result<()> {
    check(queue.delete(&received.receipt).await?, "a delete with a good receipt was refused")
}

fn bodies<R>(received: &[Received<R>]) -> Vec<&str> {
    received.iter().map(|message| message.body.as_str()).collect()
}
