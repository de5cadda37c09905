//! `sweep`: puts what is due back on the command queue. It leases each due payment first, so that one value of
//! `due_at` causes one wake at the most, and it never scans.

use effect::Time;
use payment::{
    Command, SHARDS,
    ports::{Clock, Due, DueIndex, LoadError, Message, Queue, QueueDepth},
};

/// How much one run may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepSettings {
    /// How long a due payment is left alone after its wake, in milliseconds.
    pub lease_ms: i64,
    /// The most wakes one run sends, and the most messages that may wait in the queue before none is sent.
    pub wakes: u32,
    /// Time kept for one lease and one send, in milliseconds.
    pub margin_ms: i64,
}

/// The sweep, over its ports.
#[derive(Debug, Clone)]
pub struct Sweep<I, Q, C> {
    /// Finds and leases what is due.
    pub index: I,
    /// The command queue.
    pub queue: Q,
    /// Reads the time.
    pub clock: C,
    /// How much one run may do.
    pub settings: SweepSettings,
}

/// What one run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Payments found due, at most the shards' limits together.
    pub due: u32,
    /// Wakes sent.
    pub wakes: u32,
    /// Payments that another run leased first, or that were written in between.
    pub lost: u32,
    /// Leases and sends that failed; each payment is due again when its lease ends.
    pub failed: u32,
    /// The run sent nothing because the queue is full enough.
    pub held_back: bool,
}

/// Why a run could not look at what is due.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the due index could not be read: {0}")]
pub struct SweepError(#[from] LoadError);

impl<I: DueIndex, Q: Queue + QueueDepth, C: Clock> Sweep<I, Q, C> {
    /// Runs once, to be done by `deadline`.
    ///
    /// # Errors
    /// Returns [`SweepError`] if a shard of the index cannot be read; the shards read before it have been served.
    pub async fn handle(&self, deadline: Time) -> Result<Swept, SweepError> {
        // Wakes are deduplicated and idempotent: not knowing the depth is no reason to leave payments waiting.
        let waiting = self.queue.waiting().await.unwrap_or(0);
        let mut swept = Swept { held_back: waiting > u64::from(self.settings.wakes), ..Swept::default() };
        let mut all_due = Vec::new();
        let mut unread = None;
        for shard in 0..SHARDS {
            match self.index.due(shard, self.clock.now(), self.settings.wakes).await {
                Ok(due) => all_due.extend(due),
                Err(error) => unread = Some(error),
            }
        }
        all_due.sort_unstable();
        swept.due = u32::try_from(all_due.len()).unwrap_or(u32::MAX);
        let served = if swept.held_back { 0 } else { self.settings.wakes as usize };
        for due in all_due.iter().take(served) {
            let now = self.clock.now();
            if now.plus_ms(self.settings.margin_ms) > deadline {
                break;
            }
            self.wake(due, now, &mut swept).await;
        }
        unread.map_or(Ok(swept), |error| Err(error.into()))
    }

    async fn wake(&self, due: &Due, now: Time, swept: &mut Swept) {
        match self.index.lease(due, now.plus_ms(self.settings.lease_ms)).await {
            Ok(true) => {}
            Ok(false) => {
                swept.lost += 1;
                return;
            }
            Err(error) => {
                tracing::warn!(payment_id = %due.payment_id, %error, "not leased");
                swept.failed += 1;
                return;
            }
        }
        let command = Command::Wake { payment_id: due.payment_id.clone(), due_at: due.due_at };
        let message = Message {
            group: due.payment_id.clone(),
            deduplication_id: command.deduplication_id(),
            body: command.to_body(),
        };
        match self.queue.send(&message).await {
            Ok(()) => swept.wakes += 1,
            Err(error) => {
                tracing::warn!(payment_id = %due.payment_id, %error, "not woken: due again when the lease ends");
                swept.failed += 1;
            }
        }
    }
}
