//! The simulated ports: every call pauses before its effect, and between its effect and its reply.

use std::{
    future::Future,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use effect::Time;
use payment::{
    PaymentId, Record,
    ports::{
        Bus, BusEntry, Clock, DeadLetter, DeadLetters, Due, DueIndex, Ledger, LoadError, Message, Queue,
        QueueDepth, Randomness, SaveError, SendError,
    },
};
use stripe_wire::HttpReply;

use crate::{
    breakage::Breakage,
    broken, invariants,
    kinds::Kind,
    state::{Event, PauseId, Shared, State, TaskId, Wake},
};

/// The ports of one worker.
#[derive(Clone)]
pub(crate) struct Worker {
    pub(crate) shared: Shared,
    pub(crate) task: TaskId,
    pub(crate) skew_ms: i64,
    /// The build of our code that runs it: 0, or 1 after a deploy.
    pub(crate) build: u8,
    pub(crate) started_at: i64,
}

/// A pause point; dropping it is the crash.
pub(crate) struct Paused {
    shared: Shared,
    id: PauseId,
}

impl Future for Paused {
    type Output = (Wake, Option<HttpReply>);

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.shared.0.borrow_mut();
        match state.pauses.get_mut(&self.id) {
            Some(pause) => match pause.woken {
                Some(wake) => Poll::Ready((wake, pause.reply.take())),
                None => Poll::Pending,
            },
            None => Poll::Pending,
        }
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        self.shared.0.borrow_mut().pauses.remove(&self.id);
    }
}

impl Worker {
    /// Stops at a named point for as long as the network takes.
    pub(crate) fn pause(&self, point: &'static str) -> Paused {
        let id = self.with(|state| {
            let id = state.pause(self.task, point);
            let at = state.now + state.latency();
            state.schedule(at, Event::Resume(id, Wake::Go));
            id
        });
        Paused { shared: self.shared.clone(), id }
    }

    /// Stops until something resumes the pause with this id.
    pub(crate) fn wait_for(&self, id: PauseId) -> Paused {
        Paused { shared: self.shared.clone(), id }
    }

    pub(crate) fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.shared.0.borrow_mut())
    }
}

impl Clock for Worker {
    fn now(&self) -> Time {
        self.with(|state| {
            let stands_still = state.is_broken(Breakage::NowReadBeforeSaveOnly);
            Time(self.skew_ms + if stands_still { self.started_at } else { state.now })
        })
    }
}

impl Randomness for Worker {
    fn jitter_per_mille(&self) -> u16 {
        self.with(|state| state.rng.below(1_001) as u16)
    }

    fn token(&self) -> String {
        self.with(|state| {
            state.tokens += 1;
            format!("w{}-{}", self.task, state.tokens)
        })
    }
}

impl Ledger for Worker {
    async fn load(&self, id: &PaymentId) -> Result<Option<Record>, LoadError> {
        self.pause("load").await;
        let read = self.with(|state| {
            if state.table_fails(None) {
                return Err(LoadError::Unavailable("throttled"));
            }
            Ok(state.table.get(id).map(|record| Record::clone(record)))
        });
        self.pause("load reply").await;
        read
    }

    async fn save(&self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        self.pause("save").await;
        let (result, is_reply_lost) = self.with(|state| {
            if state.is_within(state.options.table_outage) {
                return (Err(SaveError::Unknown("no connection")), false);
            }
            if state.table_fails(Some(&next.id)) {
                return (Err(SaveError::NotDone("throttled")), false);
            }
            if state.strikes(Kind::TransactionConflict, Some(&next.id)) {
                return (Err(SaveError::NotDone("transaction conflict")), false);
            }
            let written = broken::tamper(state, self, expected, next);
            let result = state.write(expected, written, self);
            (result, state.strikes(Kind::LostWriteReply, Some(&next.id)))
        });
        self.pause("save reply").await;
        if !is_reply_lost {
            return result;
        }
        // The SDK sends again, and the condition now fails on what our first request wrote, or later ones; or it
        // gives up.
        self.with(|state| {
            if state.rng.chance(500) {
                return Err(SaveError::Unknown("reply lost"));
            }
            result?;
            Err(SaveError::Conflict(state.table.get(&next.id).map(|record| Box::new(Record::clone(record)))))
        })
    }
}

impl DueIndex for Worker {
    async fn due(&self, shard: u8, now: Time, limit: u32) -> Result<Vec<Due>, LoadError> {
        // Eight queries a run would only repeat one pause point: the first shard's stands for all.
        if shard == 0 {
            self.pause("due").await;
        }
        self.with(|state| {
            if state.table_fails(None) {
                return Err(LoadError::Unavailable("throttled"));
            }
            let mut found: Vec<Due> = state
                .table
                .values()
                .filter(|record| record.id.shard() == shard)
                .filter_map(|record| {
                    let due_at = record.due_at.filter(|at| *at <= now)?;
                    Some(Due { due_at, payment_id: record.id.clone() })
                })
                .collect();
            found.sort_unstable();
            found.truncate(limit as usize);
            Ok(found)
        })
    }

    async fn lease(&self, due: &Due, until: Time) -> Result<bool, LoadError> {
        self.pause("lease").await;
        let (won, is_reply_lost) = self.with(|state| {
            if state.table_fails(None) {
                return (Err(LoadError::Unavailable("throttled")), false);
            }
            if state.is_broken(Breakage::SweepWithoutLease) {
                return (Ok(true), false);
            }
            let won = match state.table.get_mut(&due.payment_id) {
                Some(record) if record.due_at == Some(due.due_at) => {
                    let record = Rc::make_mut(record);
                    (record.due_at, record.woken_for) = (Some(until), Some(due.due_at));
                    true
                }
                Some(_) | None => false,
            };
            state.plan_sweep_for(until);
            (Ok(won), state.strikes(Kind::LostWriteReply, Some(&due.payment_id)))
        });
        self.pause("lease reply").await;
        if is_reply_lost && self.with(|state| state.rng.chance(500)) {
            return Err(LoadError::Unavailable("reply lost"));
        }
        won
    }
}

impl Queue for Worker {
    async fn send(&self, message: &Message) -> Result<(), SendError> {
        self.pause("send").await;
        let result = self.with(|state| {
            if state.strikes(Kind::FailedSend, Some(&message.group)) {
                if state.rng.chance(500) {
                    return Err(SendError("not sent"));
                }
                state.take_message(message);
                return Err(SendError("reply lost"));
            }
            state.take_message(message);
            Ok(())
        });
        self.pause("send reply").await;
        result
    }
}

impl QueueDepth for Worker {
    async fn waiting(&self) -> Result<u64, SendError> {
        self.pause("depth").await;
        self.with(|state| Ok(state.queue.waiting(state.now) as u64))
    }
}

impl DeadLetters for Worker {
    async fn set_aside(&self, letter: &DeadLetter) -> Result<(), SendError> {
        self.pause("set aside").await;
        self.with(|state| {
            state.note(|| format!("set aside {}: {}", letter.source_id, letter.reason));
            state.set_aside.push(letter.reason.clone());
            state.queue.set_aside(state.now, &letter.group, &letter.source_id, &letter.body);
        });
        self.pause("set aside reply").await;
        Ok(())
    }
}

impl Bus for Worker {
    async fn put(&self, entries: &[BusEntry]) -> Result<Vec<bool>, SendError> {
        self.pause("put").await;
        let result = self.with(|state| {
            let is_down = state.strikes(Kind::BusDown, None);
            if is_down && state.rng.chance(500) {
                return Err(SendError("not put"));
            }
            let refused = if state.strikes(Kind::BusPartial, None) {
                Some(state.rng.below(entries.len() as u64) as usize)
            } else {
                None
            };
            let taken: Vec<bool> = (0..entries.len()).map(|index| Some(index) != refused).collect();
            for (entry, taken) in entries.iter().zip(&taken) {
                if *taken {
                    invariants::check_event(state, entry);
                }
            }
            if is_down { Err(SendError("reply lost")) } else { Ok(taken) }
        });
        self.pause("put reply").await;
        result
    }
}

impl Worker {
    /// What the trace calls it.
    pub(crate) fn name(&self) -> String {
        format!("w{}", self.task)
    }

    /// Tells whether a claim's token is one of this worker's.
    pub(crate) fn made(&self, token: &str) -> bool {
        let task = token.strip_prefix('w').and_then(|rest| rest.split_once('-'));
        task.is_some_and(|(task, _)| task.parse() == Ok(self.task))
    }
}
