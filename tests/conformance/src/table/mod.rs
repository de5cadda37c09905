//! The table: the ledger, one conditional write a step, and the index of what is due.

mod dynamo;
mod index;
mod ledger;
mod records;
mod world;

use std::future::Future;

use anyhow::Result;
use payment::{
    Record,
    ports::{DueIndex, Ledger},
};

pub use dynamo::DynamoTable;
pub(crate) use records::{NOW, due, next, record};
pub use world::WorldTable;

use crate::{case::Case, lossy::Lossy};

/// A table that the suite tries. Each case has one of its own, empty.
pub trait TableSubject {
    /// What our functions call.
    type Port: Ledger + DueIndex;

    /// Returns the port.
    fn port(&self) -> &Self::Port;

    /// Returns the port on a way where the first reply gets lost after its write was made, and the way, to be held as
    /// long, if it is one of its own.
    fn lossy(&self) -> impl Future<Output = Result<(Self::Port, Option<Lossy>)>>;

    /// Writes to a stored record's item for a while, amid transactions on it; returns how many of the writes were
    /// refused because a transaction held the item.
    fn transaction_conflicts(&self, stored: &Record) -> impl Future<Output = Result<u32>>;
}

/// Returns the suite.
#[must_use]
pub fn cases<S: TableSubject>() -> Vec<Case<S>> {
    let mut cases = ledger::cases();
    cases.extend(index::cases());
    cases
}
