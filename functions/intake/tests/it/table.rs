//! A table that remembers, with failures by script.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, VecDeque},
};

use effect::Time;
use payment::{
    PaymentId, Record,
    ports::{AcceptError, Acceptances, Change, KeyId, KeyRecord, Ledger, LoadError, SaveError},
};

/// What another request or worker does to the table.
pub(crate) type Other = Box<dyn FnOnce(&Table)>;

/// What becomes of one acceptance.
pub(crate) enum Fate {
    /// It fails so, and nothing is written.
    Fails(AcceptError),
    /// It is written, and its reply lost.
    LosesReply,
    /// Just before it, this happens.
    After(Other),
}

#[derive(Default)]
pub(crate) struct Table {
    pub(crate) records: RefCell<BTreeMap<PaymentId, Record>>,
    pub(crate) keys: RefCell<BTreeMap<KeyId, KeyRecord>>,
    pub(crate) script: RefCell<VecDeque<Fate>>,
    pub(crate) unreadable: RefCell<Option<LoadError>>,
    /// What happens right after the next read of a payment.
    pub(crate) after_load: RefCell<Option<Other>>,
    /// Transactions and single writes of a key, done.
    pub(crate) writes: Cell<(u32, u32)>,
    pub(crate) reads: Cell<u32>,
}

impl Ledger for &Table {
    async fn load(&self, id: &PaymentId) -> Result<Option<Record>, LoadError> {
        self.reads.set(self.reads.get() + 1);
        match self.unreadable.borrow().clone() {
            Some(error) => Err(error),
            None => {
                let found = self.records.borrow().get(id).cloned();
                let other = self.after_load.borrow_mut().take();
                if let Some(other) = other {
                    other(self);
                }
                Ok(found)
            }
        }
    }

    async fn save(&self, _expected: Option<&Record>, _next: &Record) -> Result<(), SaveError> {
        panic!("intake writes acceptances only")
    }
}

impl Acceptances for &Table {
    async fn load_key(&self, id: &KeyId) -> Result<Option<KeyRecord>, LoadError> {
        self.reads.set(self.reads.get() + 1);
        Ok(self.keys.borrow().get(id).cloned())
    }

    async fn accept(
        &self,
        change: Option<Change<'_>>,
        key: &KeyRecord,
        now: Time,
    ) -> Result<(), AcceptError> {
        let fate = self.script.borrow_mut().pop_front();
        let loses_reply = match fate {
            Some(Fate::Fails(error)) => return Err(error),
            Some(Fate::LosesReply) => true,
            Some(Fate::After(other)) => {
                other(self);
                false
            }
            None => false,
        };
        if let Some(held) = self.keys.borrow().get(&key.id).filter(|held| held.is_live(now)) {
            return Err(AcceptError::KeyTaken(Box::new(held.clone())));
        }
        let (transactions, puts) = self.writes.get();
        if let Some(change) = change {
            let mut records = self.records.borrow_mut();
            let stored = records.get(&change.next.id);
            if stored != change.expected {
                return Err(AcceptError::Changed(stored.cloned().map(Box::new)));
            }
            records.insert(change.next.id.clone(), change.next.clone());
            self.writes.set((transactions + 1, puts));
        } else {
            self.writes.set((transactions, puts + 1));
        }
        self.keys.borrow_mut().insert(key.id.clone(), key.clone());
        if loses_reply { Err(AcceptError::Unknown("the reply was lost")) } else { Ok(()) }
    }
}
