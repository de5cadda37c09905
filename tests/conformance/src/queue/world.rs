//! The world's queue.

use std::time::Duration;

use anyhow::{Result, bail};
use world::Outside;

use super::{QueueSubject, Received};

/// The world's queue.
#[derive(Default)]
pub struct WorldQueue(Outside);

fn received(messages: Vec<world::Received>) -> Vec<Received<world::Received>> {
    let read = |message: world::Received| Received {
        group: message.group().to_owned(),
        body: message.body().to_owned(),
        receives: message.receives(),
        receipt: message,
    };
    messages.into_iter().map(read).collect()
}

impl QueueSubject for WorldQueue {
    type Receipt = world::Received;
    type Port = Outside;
    type Aside = Outside;

    fn port(&self) -> &Outside {
        &self.0
    }

    fn aside(&self) -> &Outside {
        &self.0
    }

    fn max_receives(&self) -> u32 {
        Outside::MAX_RECEIVE_COUNT
    }

    async fn receive(&self, most: usize) -> Result<Vec<Received<world::Received>>> {
        Ok(received(self.0.receive(most)))
    }

    async fn delete(&self, receipt: &world::Received) -> Result<bool> {
        Ok(self.0.delete(receipt))
    }

    async fn show_after(&self, _receipt: &world::Received, _after: Duration) -> Result<()> {
        bail!("the world has no ChangeMessageVisibility")
    }

    async fn expire(&self) -> Result<()> {
        self.0.pass(Outside::VISIBILITY_MS);
        Ok(())
    }

    async fn dead(&self) -> Result<Vec<Received<world::Received>>> {
        Ok(received(self.0.dead()))
    }

    async fn reasons(&self) -> Result<Vec<String>> {
        Ok(self.0.set_aside_reasons())
    }
}
