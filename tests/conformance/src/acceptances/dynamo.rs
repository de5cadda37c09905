//! The adapter's acceptances: its ledger's table, with the keys in it.

use anyhow::Result;
use effect::Time;
use payment::ports::{AcceptError, Acceptances, Change, KeyId, KeyRecord, LoadError};

use super::AcceptanceSubject;
use crate::table::{DynamoPort, DynamoTable, TableSubject};

impl Acceptances for DynamoPort {
    async fn load_key(&self, id: &KeyId) -> Result<Option<KeyRecord>, LoadError> {
        self.ledger.load_key(id).await
    }

    async fn accept(
        &self,
        change: Option<Change<'_>>,
        key: &KeyRecord,
        now: Time,
    ) -> Result<(), AcceptError> {
        self.ledger.accept(change, key, now).await
    }
}

impl AcceptanceSubject for DynamoTable {
    type Port = DynamoPort;

    fn port(&self) -> &DynamoPort {
        TableSubject::port(self)
    }

    async fn lossy(&self) -> Result<DynamoPort> {
        TableSubject::lossy(self).await
    }
}
