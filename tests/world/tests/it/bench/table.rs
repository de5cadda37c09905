//! The bench's table: conditional writes, counted, each with its scripted fault.

use std::{
    collections::{BTreeMap, VecDeque},
    future::pending,
};

use effect::Time;
use payment::{
    PaymentId, Record, announced,
    ports::{Due, DueIndex, Ledger, LoadError, SaveError},
};

use super::{Bench, Meanwhile, next_of};

/// What becomes of one write.
pub(crate) enum Write {
    Works,
    /// It is certainly, or possibly, not made; it is not made.
    Fails(SaveError),
    /// It is made; its reply is lost, and the SDK's own retry then fails on the condition.
    LosesReply,
    /// It is made; its reply is lost, and the SDK gives up.
    GivesUp,
    /// The worker dies before it.
    Kills,
    /// The worker dies after it.
    KillsAfter,
    /// The code under it panics.
    Panics,
}

#[derive(Default)]
pub(super) struct Table {
    records: BTreeMap<PaymentId, Record>,
    stream: Vec<Record>,
    script: VecDeque<Write>,
    load_script: VecDeque<Option<LoadError>>,
    before_write: Option<Meanwhile>,
    tally: Tally,
}

/// What the table was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) writes: u32,
    pub(crate) refused: u32,
    pub(crate) loads: u32,
}

impl Bench {
    /// Scripts the writes to come; those beyond the script work.
    pub(crate) fn script_writes(&self, writes: impl IntoIterator<Item = Write>) {
        self.with(|outside| outside.table.script.extend(writes));
    }

    /// Scripts the reads to come.
    pub(crate) fn script_loads(&self, loads: impl IntoIterator<Item = Option<LoadError>>) {
        self.with(|outside| outside.table.load_script.extend(loads));
    }

    /// Runs a closure while the next write is on its way to the table.
    pub(crate) fn before_the_next_write(&self, meanwhile: impl FnOnce(&Bench) + 'static) {
        self.with(|outside| outside.table.before_write = Some(Box::new(meanwhile)));
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        self.with(|outside| outside.table.records.values().cloned().collect())
    }

    /// Returns what the table was asked for since the last time.
    pub(crate) fn take_tally(&self) -> Tally {
        self.with(|outside| std::mem::take(&mut outside.table.tally))
    }

    /// Returns every record written so far, in order: the table's stream.
    pub(crate) fn stream(&self) -> Vec<Record> {
        self.with(|outside| outside.table.stream.clone())
    }

    /// Returns every event announced so far, in order, as `<type> <operation>`.
    pub(crate) fn announced(&self) -> Vec<String> {
        let name = |event: payment::Event| {
            let operation = event.detail["data"]["operation"].as_str().unwrap_or_default().to_owned();
            format!("{} {operation}", event.kind.as_str())
        };
        self.stream().iter().flat_map(announced).map(name).collect()
    }
}

impl Table {
    fn put(&mut self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        let stored = self.records.get(&next.id);
        let holds = match (expected, stored) {
            (None, None) => true,
            (Some(expected), Some(stored)) => {
                expected.version == stored.version && stored.due_at == expected.due_at
            }
            (None, Some(_)) | (Some(_), None) => false,
        };
        if !holds {
            self.tally.refused += 1;
            return Err(SaveError::Conflict(stored.cloned().map(Box::new)));
        }
        self.tally.writes += 1;
        self.records.insert(next.id.clone(), next.clone());
        self.stream.push(next.clone());
        Ok(())
    }

    fn put_again(&mut self, next: &Record) -> SaveError {
        self.tally.refused += 1;
        SaveError::Conflict(self.records.get(&next.id).cloned().map(Box::new))
    }
}

impl Ledger for Bench {
    async fn load(&self, id: &PaymentId) -> Result<Option<Record>, LoadError> {
        self.with(|outside| {
            outside.table.tally.loads += 1;
            match outside.table.load_script.pop_front().flatten() {
                Some(error) => Err(error),
                None => Ok(outside.table.records.get(id).cloned()),
            }
        })
    }

    async fn save(&self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        let (write, meanwhile) = self.with(|outside| {
            (next_of(&mut outside.table.script, Write::Works), outside.table.before_write.take())
        });
        if let Some(meanwhile) = meanwhile {
            meanwhile(self);
        }
        let put = || self.with(|outside| outside.table.put(expected, next));
        match write {
            Write::Works => put(),
            Write::Fails(error) => Err(error),
            Write::LosesReply => {
                put()?;
                Err(self.with(|outside| outside.table.put_again(next)))
            }
            Write::GivesUp => {
                put()?;
                Err(SaveError::Unknown("reply lost"))
            }
            Write::Kills => pending().await,
            Write::KillsAfter => {
                put()?;
                pending().await
            }
            Write::Panics => panic!("the write panics, as the script says"),
        }
    }
}

impl DueIndex for Bench {
    async fn due(&self, shard: u8, now: Time, limit: u32) -> Result<Vec<Due>, LoadError> {
        let mut found: Vec<Due> = self
            .records()
            .into_iter()
            .filter(|record| record.id.shard() == shard)
            .filter_map(|record| {
                let due_at = record.due_at.filter(|at| *at <= now)?;
                Some(Due { due_at, payment_id: record.id })
            })
            .collect();
        found.sort_unstable();
        found.truncate(limit as usize);
        Ok(found)
    }

    async fn lease(&self, due: &Due, until: Time) -> Result<bool, LoadError> {
        self.with(|outside| match outside.table.records.get_mut(&due.payment_id) {
            Some(record) if record.due_at == Some(due.due_at) => {
                (record.due_at, record.woken_for) = (Some(until), Some(due.due_at));
                Ok(true)
            }
            Some(_) | None => Ok(false),
        })
    }
}
