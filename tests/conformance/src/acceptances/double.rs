//! The table that stands in for DynamoDB in intake's own tests: held to what the real one does.

#[expect(dead_code, reason = "intake's tests let more happen than the suite needs")]
#[path = "../../../../functions/intake/tests/it/table.rs"]
mod table;

use std::rc::Rc;

use anyhow::Result;
use effect::Time;
use payment::{
    PaymentId, Record,
    ports::{AcceptError, Acceptances, Change, KeyId, KeyRecord, Ledger, LoadError, SaveError},
};

use self::table::{Fate, Table};
use super::AcceptanceSubject;

/// The table of intake's own tests.
#[derive(Default)]
pub struct Double(Port);

/// What intake's own tests call.
#[derive(Clone, Default)]
pub struct Port(Rc<Table>);

impl Ledger for Port {
    async fn load(&self, id: &PaymentId) -> Result<Option<Record>, LoadError> {
        (&*self.0).load(id).await
    }

    async fn save(&self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        (&*self.0).save(expected, next).await
    }
}

impl Acceptances for Port {
    async fn load_key(&self, id: &KeyId) -> Result<Option<KeyRecord>, LoadError> {
        (&*self.0).load_key(id).await
    }

    async fn accept(
        &self,
        change: Option<Change<'_>>,
        key: &KeyRecord,
        now: Time,
    ) -> Result<(), AcceptError> {
        (&*self.0).accept(change, key, now).await
    }
}

impl AcceptanceSubject for Double {
    type Port = Port;

    fn port(&self) -> &Port {
        &self.0
    }

    async fn lossy(&self) -> Result<Port> {
        self.0.0.script.borrow_mut().push_back(Fate::LosesReply);
        Ok(self.0.clone())
    }
}
