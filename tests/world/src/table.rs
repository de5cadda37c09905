//! The simulated table: one conditional write at a time, a stream, an index of what is due; and the queue's intake.

use std::rc::Rc;

use effect::Time;
use payment::{
    Command, PaymentId, Record,
    ports::{Message, SaveError},
};

use crate::{
    breakage::Breakage,
    invariants,
    kinds::Kind,
    ports::Worker,
    state::{Change, Event, OnRecord, START_MS, State},
};

impl State {
    pub(crate) fn table_fails(&mut self, payment: Option<&PaymentId>) -> bool {
        self.is_within(self.options.table_outage) || self.strikes(Kind::Throttle, payment)
    }

    /// One conditional write, and what the table's stream makes of it.
    pub(crate) fn write(
        &mut self,
        expected: Option<&Record>,
        next: Record,
        worker: &Worker,
    ) -> Result<(), SaveError> {
        if let Some(deferred) = self.deferred.remove(&next.id) {
            self.put_record(deferred, worker);
        } else if self.options.breakage == Some(Breakage::EffectBeforeRecord)
            && is_new_intent(expected, &next)
        {
            self.deferred.insert(next.id.clone(), next);
            return Ok(());
        }
        let stored = self.table.get(&next.id);
        let holds = match (expected, stored) {
            (None, None) => true,
            (Some(expected), Some(stored)) => {
                expected.version == stored.version && stored.due_at == expected.due_at
            }
            (None, Some(_)) | (Some(_), None) => false,
        };
        if !holds && self.options.breakage != Some(Breakage::UnconditionalWrite) {
            let current = stored.map(|record| Box::new(Record::clone(record)));
            self.conflicted.insert(worker.task);
            self.struck(Kind::WriteConflict, Some(&next.id));
            self.note(|| format!("{} save refused: the record has changed", worker.name()));
            return Err(SaveError::Conflict(current));
        }
        self.put_record(next, worker);
        Ok(())
    }

    fn put_record(&mut self, record: Record, worker: &Worker) {
        let record = if self.options.second_build_at.is_some() && worker.build == 0 {
            as_an_older_build_writes(record)
        } else {
            record
        };
        self.writes += 1;
        self.note(|| format!("{} wrote {}", worker.name(), invariants::summary(&record)));
        let before = self.table.get(&record.id).cloned();
        invariants::check_write(self, before.as_deref(), &record);
        self.remember_frozen(&record, worker.build);
        let record = Rc::new(record);
        if record.announce.is_some() {
            let sequence = self.stream.len() as u64 + 1;
            self.stream.push(Change { sequence, record: Rc::clone(&record) });
            let after = self.latency();
            self.plan_publish(after);
        }
        if let Some(due_at) = record.due_at {
            self.plan_sweep_for(due_at);
        }
        self.table.insert(record.id.clone(), record);
    }

    fn remember_frozen(&mut self, record: &Record, build: u8) {
        for operation in record.payment.operations.values() {
            let Some(frozen) = &operation.attempt.frozen else { continue };
            if operation.attempt.standing.is_ended() || self.frozen.contains_key(frozen.key.as_str()) {
                continue;
            }
            let on_record = OnRecord {
                path: frozen.path.clone(),
                body: frozen.body.clone(),
                payment: record.id.clone(),
                build,
            };
            self.frozen.insert(frozen.key.as_str().to_owned(), on_record);
        }
    }

    /// Plans the sweep's run at the first tick of its schedule after `due_at`.
    pub(crate) fn plan_sweep_for(&mut self, due_at: Time) {
        let due = due_at.0.max(self.now + 1) - START_MS;
        let every = self.options.sweep_every_ms;
        let tick = (due + every - 1) / every * every;
        self.plan_sweep(START_MS + tick);
    }

    pub(crate) fn take_message(&mut self, message: &Message) {
        let (group, id) = (message.group.as_str(), message.deduplication_id.as_str());
        let taken = self.queue.send(self.now, group, id, &message.body);
        self.note(|| format!("queue {} {}", if taken { "took" } else { "ignored a repeat:" }, message.body));
        if taken && let Ok(Command::Wake { payment_id, due_at }) = Command::parse(&message.body) {
            invariants::check_wake(self, payment_id, due_at);
        }
        let at = self.now + self.rng.between(1, 50);
        self.schedule(at, Event::Receive);
    }
}

fn is_new_intent(expected: Option<&Record>, next: &Record) -> bool {
    let sent = |record: &Record| -> Vec<_> {
        record.payment.operations.values().map(|op| (op.seq, op.attempt.last_send_until)).collect()
    };
    next.claim.is_some()
        && expected.map(&sent).unwrap_or_default() != sent(next)
        && next.payment.operations.values().any(|op| op.attempt.was_sent())
}

/// The older build of a rolling deploy does not know every optional attribute, and leaves it out of what it writes.
fn as_an_older_build_writes(mut record: Record) -> Record {
    for operation in record.payment.operations.values_mut() {
        operation.attempt.status = None;
        operation.traceparent = None;
    }
    record
}
