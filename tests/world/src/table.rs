//! The simulated table: one conditional write at a time, a stream, an index of what is due; and the queue's intake.

use effect::Time;
use payment::{
    Command, PaymentId, Record,
    ports::{Message, SaveError},
};

use crate::{
    breakage::Breakage,
    invariants,
    kinds::Kind,
    options::SWEEP_EVERY_MS,
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
        next: &Record,
        worker: &Worker,
    ) -> Result<(), SaveError> {
        let who = &worker.name();
        if let Some(deferred) = self.deferred.remove(&next.id) {
            self.put_record(deferred, worker);
        } else if self.options.breakage == Some(Breakage::EffectBeforeRecord) && is_new_intent(expected, next)
        {
            self.deferred.insert(next.id.clone(), next.clone());
            return Ok(());
        }
        let stored = self.table.get(&next.id);
        let holds = match (expected, stored) {
            (None, None) => true,
            (Some(expected), Some(stored)) => {
                let is_lease_kept = next.due_at.is_none()
                    || next.due_at != expected.due_at
                    || stored.due_at == expected.due_at;
                expected.version == stored.version && is_lease_kept
            }
            (None, Some(_)) | (Some(_), None) => false,
        };
        if !holds && self.options.breakage != Some(Breakage::UnconditionalWrite) {
            let current = stored.cloned();
            self.conflicted.insert(worker.task);
            self.struck(Kind::WriteConflict, Some(&next.id));
            self.note(|| format!("{who} save refused: the record has changed"));
            return Err(SaveError::Conflict(current.map(Box::new)));
        }
        self.put_record(next.clone(), worker);
        Ok(())
    }

    fn put_record(&mut self, record: Record, worker: &Worker) {
        let who = worker.name();
        let record = if self.options.second_build_at.is_some() && worker.build == 0 {
            as_an_older_build_writes(record)
        } else {
            record
        };
        self.writes += 1;
        self.note(|| format!("{who} wrote {}", invariants::summary(&record)));
        invariants::check_write(self, self.table.get(&record.id).cloned().as_ref(), &record);
        self.remember_frozen(&record, worker.build);
        if record.announce.is_some() {
            let sequence = self.stream.len() as u64 + 1;
            self.stream.push(Change { sequence, record: record.clone() });
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
        let tick = (due + SWEEP_EVERY_MS - 1) / SWEEP_EVERY_MS * SWEEP_EVERY_MS;
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
