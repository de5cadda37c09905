//! Starting the functions: the real handlers, each with the ports of one worker.

use std::{future::Future, pin::Pin};

use aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use effect::Time;
use payment::{Limits, Settings};
use publish::{Publish, announcement};
use settle::Settle;
use stripe_wire::Stripe;
use sweep::{Sweep, SweepSettings};

use crate::{
    broken::{self, Processor},
    driver::{Done, Driver, Task, Work},
    kinds::Kind,
    options::{FUNCTION_TIMEOUT_MS, PROVIDER_TIMEOUT_MS, SWEEP_LEASE_MS, WRITE_MARGIN_MS, rules},
    ports::Worker,
    queue::Message,
    state::{Event, START_MS},
};

impl Driver {
    pub(crate) fn settle(&mut self, messages: Vec<Message>) {
        let worker = self.worker();
        let handler = Settle {
            ledger: worker.clone(),
            processor: Processor { stripe: Stripe::new(worker.clone()), worker: worker.clone() },
            dead_letters: worker.clone(),
            clock: worker.clone(),
            randomness: worker.clone(),
            settings: Settings {
                stack: "world".to_owned(),
                rules: rules(),
                limits: Limits { provider_timeout_ms: PROVIDER_TIMEOUT_MS, write_margin_ms: WRITE_MARGIN_MS },
                conflicts: 5,
            },
        };
        let event = batch(&messages);
        let deadline = self.deadline(&worker);
        let future = Box::pin(async move { Done::Settle(handler.handle(event, deadline).await) });
        self.spawn(&worker, Work::Settle { messages }, future);
    }

    pub(crate) fn sweep(&mut self) {
        self.with(|state| state.sweep_planned = None);
        let worker = self.worker();
        let handler = Sweep {
            index: worker.clone(),
            queue: worker.clone(),
            clock: worker.clone(),
            settings: SweepSettings { lease_ms: SWEEP_LEASE_MS, wakes: 100, margin_ms: WRITE_MARGIN_MS },
        };
        let deadline = self.deadline(&worker);
        let future = Box::pin(async move {
            let _ = handler.handle(deadline).await;
            Done::Sweep
        });
        self.spawn(&worker, Work::Sweep, future);
    }

    pub(crate) fn publish(&mut self) {
        let worker = self.worker();
        let (announcements, to) = self.with(|state| {
            let to = state.stream.len().min(state.published_to + 1 + state.rng.below(12) as usize);
            let changes = &state.stream[state.published_to..to];
            let read =
                |change: &crate::state::Change| announcement(change.sequence.to_string(), &change.record);
            (changes.iter().map(read).collect::<Vec<_>>(), to)
        });
        let handler = Publish { bus: worker.clone(), quarantine: worker.clone() };
        let announcements = self.with(|state| broken::rename_events(state, announcements));
        let future = Box::pin(async move { Done::Publish(handler.publish(&announcements).await) });
        self.spawn(&worker, Work::Publish { to }, future);
    }

    fn worker(&mut self) -> Worker {
        self.next_task += 1;
        let (skew_ms, build, started_at) = self.with(|state| {
            let most = state.options.skew_ms;
            let skew_ms = state.rng.between(-most, most);
            if skew_ms.abs() >= 1_000 {
                state.struck(Kind::ClockSkew, None);
            }
            // A rolling deploy: for some minutes either build may run.
            let since = state.options.second_build_at.map_or(-1, |at| state.now - START_MS - at);
            let is_second = since >= 0 && (since >= effect::minutes(5) || state.rng.chance(500));
            (skew_ms, u8::from(is_second), state.now)
        });
        Worker { shared: self.shared.clone(), task: self.next_task, skew_ms, build, started_at }
    }

    fn deadline(&self, worker: &Worker) -> Time {
        self.with(|state| Time(state.now + worker.skew_ms + FUNCTION_TIMEOUT_MS))
    }

    fn spawn(&mut self, worker: &Worker, work: Work, future: Pin<Box<dyn Future<Output = Done>>>) {
        let id = worker.task;
        self.with(|state| {
            let at = state.now + FUNCTION_TIMEOUT_MS;
            state.schedule(at, Event::Kill(id));
        });
        let payment = match &work {
            Work::Settle { messages } => messages.first().and_then(|message| message.group.parse().ok()),
            Work::Sweep | Work::Publish { .. } => None,
        };
        self.tasks.insert(id, Task { work, payment, future });
        self.poll(id);
    }
}

fn batch(messages: &[Message]) -> SqsEvent {
    let mut event = SqsEvent::default();
    for message in messages {
        let mut record = SqsMessage::default();
        record.message_id = Some(message.id.to_string());
        record.body = Some(message.body.clone());
        record.attributes.insert("MessageGroupId".to_owned(), message.group.clone());
        record.attributes.insert("ApproximateReceiveCount".to_owned(), message.received.to_string());
        event.records.push(record);
    }
    event
}
