//! What all connections share: the engine, the clock, the fault plan and the log.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stripe_sim::{Settings, Sim};

use crate::faults::Faults;
use crate::log::Log;

/// The mutable part, behind one lock.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) sim: Sim,
    pub(crate) faults: Faults,
    pub(crate) log: Log,
    /// Faults of the network that were injected, by name.
    pub(crate) injected: BTreeMap<&'static str, u64>,
    /// How far the clock is ahead of the real one.
    pub(crate) offset_ms: i64,
}

impl Inner {
    pub(crate) fn count(&mut self, fault: &'static str) {
        *self.injected.entry(fault).or_default() += 1;
    }

    pub(crate) fn reset(&mut self) {
        self.sim.reset();
        self.faults = Faults::default();
        self.log = Log::default();
        self.injected.clear();
        self.offset_ms = 0;
    }
}

/// The engine and everything around it, shared by all connections.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    inner: Arc<Mutex<Inner>>,
    wall_ms: fn() -> i64,
}

impl Shared {
    pub(crate) fn new(settings: Settings, wall_ms: fn() -> i64) -> Self {
        let inner = Inner {
            sim: Sim::new(settings),
            faults: Faults::default(),
            log: Log::default(),
            injected: BTreeMap::new(),
            offset_ms: 0,
        };
        Shared { inner: Arc::new(Mutex::new(inner)), wall_ms }
    }

    /// Runs `act` at the current time of the settable clock.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Inner, i64) -> T) -> T {
        let mut inner = self.lock();
        let now_ms = (self.wall_ms)() + inner.offset_ms;
        inner.sim.pass_time(now_ms);
        act(&mut inner, now_ms)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
