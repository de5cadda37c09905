//! The world's table.

use anyhow::Result;
use effect::Time;
use payment::{
    PaymentId, Record,
    ports::{Due, DueIndex, Ledger, LoadError, SaveError},
};
use world::{Kind, Outside};

use super::{TableSubject, records::next};
use crate::lossy::Lossy;

/// The world's table.
pub struct WorldTable {
    port: WorldPort,
}

/// A way to it, on which replies may get lost.
pub struct WorldPort {
    outside: Outside,
    loses_replies: bool,
}

impl WorldTable {
    /// Makes an empty one.
    #[must_use]
    pub fn new() -> Self {
        Self { port: WorldPort { outside: Outside::default(), loses_replies: false } }
    }
}

impl Default for WorldTable {
    fn default() -> Self {
        Self::new()
    }
}

impl WorldPort {
    async fn call<T>(&self, call: impl Future<Output = T>) -> T {
        self.outside.strike(Kind::LostWriteReply, self.loses_replies);
        let answer = call.await;
        self.outside.strike(Kind::LostWriteReply, false);
        answer
    }
}

impl Ledger for WorldPort {
    async fn load(&self, id: &PaymentId) -> Result<Option<Record>, LoadError> {
        self.outside.load(id).await
    }

    async fn save(&self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        self.call(self.outside.save(expected, next)).await
    }
}

impl DueIndex for WorldPort {
    async fn due(&self, shard: u8, now: Time, limit: u32) -> Result<Vec<Due>, LoadError> {
        self.outside.due(shard, now, limit).await
    }

    async fn lease(&self, due: &Due, until: Time) -> Result<bool, LoadError> {
        self.call(self.outside.lease(due, until)).await
    }
}

impl TableSubject for WorldTable {
    type Port = WorldPort;

    fn port(&self) -> &WorldPort {
        &self.port
    }

    async fn lossy(&self) -> Result<(WorldPort, Option<Lossy>)> {
        Ok((WorldPort { outside: self.port.outside.clone(), loses_replies: true }, None))
    }

    async fn transaction_conflicts(&self, stored: &Record) -> Result<u32> {
        self.port.outside.strike(Kind::TransactionConflict, true);
        let refused = self.port.save(Some(stored), &next(stored, "w")).await;
        Ok(u32::from(refused == Err(SaveError::NotDone("transaction conflict"))))
    }
}
