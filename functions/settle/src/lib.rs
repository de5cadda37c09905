//! `settle`, the one executor: takes batches of the FIFO command queue and drives each payment to convergence.
//!
//! A batch's groups run concurrently, each group in order. A message is reported as failed only if what it asked, or
//! what was learned, could not be recorded; the rest of its group is then reported with it, and the other groups are
//! not affected. Retrying is not the queue's business: what is unsettled is due in the record.

use std::{cell::Cell, panic::AssertUnwindSafe};

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use effect::Time;
use futures_util::{FutureExt, future::join_all};
use payment::{
    Command, Converged, Invocation, Malformed, NotRecorded, Settings, converge,
    ports::{Clock, DeadLetter, DeadLetters, Ledger, Processor, Randomness},
};

/// The executor, over its ports.
#[derive(Debug, Clone)]
pub struct Settle<L, P, D, C, R> {
    /// Stores payments.
    pub ledger: L,
    /// The payment provider.
    pub processor: P,
    /// Where malformed messages go.
    pub dead_letters: D,
    /// Reads the time.
    pub clock: C,
    /// Draws jitter and tokens.
    pub randomness: R,
    /// The deployment's numbers.
    pub settings: Settings,
}

/// Why no partial response can say what failed: the whole batch must come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a message that must come again has no messageId: only a failed invocation returns it to the queue")]
pub struct Unreportable;

/// Why a message was not done.
#[derive(Debug, thiserror::Error)]
enum NotDone {
    #[error(transparent)]
    NotRecorded(#[from] NotRecorded),
    #[error("the dead-letter queue did not take it")]
    NotSetAside,
}

impl<L: Ledger, P: Processor, D: DeadLetters, C: Clock, R: Randomness> Settle<L, P, D, C, R> {
    /// Handles one batch, to be done by `deadline`.
    ///
    /// # Errors
    /// Returns [`Unreportable`] if a message to be reported cannot be named.
    pub async fn handle(&self, event: SqsEvent, deadline: Time) -> Result<SqsBatchResponse, Unreportable> {
        let mut groups: Vec<(String, Vec<SqsMessage>)> = Vec::new();
        let mut failed: Vec<SqsMessage> = Vec::new();
        for message in event.records {
            match message.attributes.get("MessageGroupId").cloned() {
                Some(group) => match groups.iter_mut().find(|(name, _)| *name == group) {
                    Some((_, messages)) => messages.push(message),
                    None => groups.push((group, vec![message])),
                },
                // Without its group its order is unknown: it must not be taken for a group of its own.
                None => {
                    tracing::error!(message_id = message.message_id, "no MessageGroupId: is the queue FIFO?");
                    failed.push(message);
                }
            }
        }
        let results = join_all(
            groups.into_iter().map(|(group, messages)| self.handle_group(group, messages, deadline)),
        );
        failed.extend(results.await.into_iter().flatten());
        report(&failed)
    }

    /// Handles a group in order; returns what must come again.
    async fn handle_group(
        &self,
        group: String,
        messages: Vec<SqsMessage>,
        deadline: Time,
    ) -> Vec<SqsMessage> {
        let done = Cell::new(0);
        let work = async {
            for message in &messages {
                if let Err(error) = self.handle_message(&group, message, deadline).await {
                    tracing::warn!(%group, message_id = message.message_id, %error, "message comes again");
                    return;
                }
                done.set(done.get() + 1);
            }
        };
        if AssertUnwindSafe(work).catch_unwind().await.is_err() {
            tracing::error!(alarm = "panic", %group, "a panic stopped the group");
        }
        messages.into_iter().skip(done.get()).collect()
    }

    async fn handle_message(&self, group: &str, message: &SqsMessage, deadline: Time) -> Result<(), NotDone> {
        let body = message.body.as_deref().unwrap_or_default();
        let command = match Command::parse(body).and_then(|command| in_its_group(command, group)) {
            Ok(command) => command,
            Err(malformed) => return self.set_aside(group, message, &malformed).await,
        };
        let invocation = Invocation {
            token: self.randomness.token(),
            deadline,
            jitter_per_mille: self.randomness.jitter_per_mille(),
            is_first_receive: message.attributes.get("ApproximateReceiveCount").is_some_and(|n| n == "1"),
        };
        let turn =
            converge(&self.ledger, &self.processor, &self.clock, &self.settings, &invocation, &command)
                .await?;
        match turn {
            Converged::Recorded => Ok(()),
            Converged::Rejected(malformed) => self.set_aside(group, message, &malformed).await,
        }
    }

    async fn set_aside(&self, group: &str, message: &SqsMessage, why: &Malformed) -> Result<(), NotDone> {
        let source_id = message.message_id.clone().unwrap_or_else(|| "unknown".to_owned());
        tracing::error!(alarm = "dead_letter", %group, message_id = source_id, reason = %why, "set aside");
        let letter = DeadLetter {
            group: group.to_owned(),
            source_id,
            reason: why.to_string(),
            body: message.body.clone().unwrap_or_default(),
        };
        self.dead_letters.set_aside(&letter).await.map_err(|_| NotDone::NotSetAside)
    }
}

fn in_its_group(command: Command, group: &str) -> Result<Command, Malformed> {
    let expected = command.payment_id();
    if expected.as_str() == group { Ok(command) } else { Err(Malformed::Group { expected }) }
}

fn report(failed: &[SqsMessage]) -> Result<SqsBatchResponse, Unreportable> {
    let mut response = SqsBatchResponse::default();
    for message in failed {
        let id = message.message_id.clone().filter(|id| !id.is_empty()).ok_or(Unreportable)?;
        let mut failure = BatchItemFailure::default();
        failure.item_identifier = id;
        if !response.batch_item_failures.contains(&failure) {
            response.batch_item_failures.push(failure);
        }
    }
    Ok(response)
}
