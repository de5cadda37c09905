//! The table that stands in for DynamoDB in intake's own tests: held to what the real one does.

#[expect(dead_code, reason = "intake's tests let more happen than the suite needs")]
#[path = "../../../../functions/intake/tests/it/table.rs"]
mod table;

use anyhow::Result;
use payment::ports::{Acceptances, Ledger};

use self::table::{Fate, Table};
use super::AcceptanceSubject;
use crate::lossy::Lossy;

/// The table of intake's own tests.
#[derive(Default)]
pub struct Double(Table);

impl AcceptanceSubject for Double {
    fn port(&self) -> impl Acceptances + Ledger {
        &self.0
    }

    async fn lossy(&self) -> Result<(impl Acceptances + Ledger, Option<Lossy>)> {
        self.0.script.borrow_mut().push_back(Fate::LosesReply);
        Ok((&self.0, None))
    }
}
