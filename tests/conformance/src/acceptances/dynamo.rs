//! The adapter's acceptances: its ledger's table, with the keys in it.

use anyhow::Result;
use payment::ports::{Acceptances, Ledger};

use super::AcceptanceSubject;
use crate::{
    lossy::Lossy,
    table::{DynamoTable, TableSubject},
};

impl AcceptanceSubject for DynamoTable {
    fn port(&self) -> impl Acceptances + Ledger {
        TableSubject::port(self).clone()
    }

    async fn lossy(&self) -> Result<(impl Acceptances + Ledger, Option<Lossy>)> {
        TableSubject::lossy(self).await
    }
}
