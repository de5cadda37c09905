//! The world's bus.

use anyhow::Result;
use payment::ports::{Bus, BusEntry, SendError};
use world::{Kind, Outside};

use super::BusSubject;
use crate::lossy::Lossy;

/// The world's bus.
#[derive(Default)]
pub struct WorldBus {
    port: WorldPort,
}

/// A way to it, and the fault that strikes there.
#[derive(Default)]
pub struct WorldPort {
    outside: Outside,
    fault: Option<Kind>,
}

impl Bus for WorldPort {
    async fn put(&self, entries: &[BusEntry]) -> Result<Vec<bool>, SendError> {
        if let Some(kind) = self.fault {
            self.outside.strike(kind, true);
        }
        let taken = self.outside.put(entries).await;
        if let Some(kind) = self.fault {
            self.outside.strike(kind, false);
        }
        taken
    }
}

impl WorldBus {
    fn with(&self, fault: Kind) -> WorldPort {
        WorldPort { outside: self.port.outside.clone(), fault: Some(fault) }
    }
}

impl BusSubject for WorldBus {
    type Port = WorldPort;

    fn port(&self) -> &WorldPort {
        &self.port
    }

    async fn refusing(&self) -> Result<WorldPort> {
        Ok(self.with(Kind::BusPartial))
    }

    async fn lossy(&self) -> Result<(WorldPort, Option<Lossy>)> {
        Ok((self.with(Kind::BusDown), None))
    }

    async fn arrived(&self) -> Result<Vec<String>> {
        Ok(self.port.outside.bus_details())
    }
}
