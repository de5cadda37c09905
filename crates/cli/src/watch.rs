//! `ikkai watch`: reads payments again and again until each is settled or needs a person.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use effect::{Standing, Time};
use futures_util::{StreamExt, stream};
use payment::{
    Operation, PaymentId, PaymentState, Record,
    ports::{Clock, Ledger, LoadError},
};

/// The most reads at one time.
const READS: usize = 16;

/// The most payments named in the summary.
const NAMED: usize = 20;

/// Where a payment is, as far as watching goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// No record yet, or a machine has something left to do.
    Waiting,
    /// Everything asked for has ended; the payment's state.
    Settled(PaymentState),
    /// A person is needed.
    Review,
    /// The stored item cannot be read by this version.
    Unreadable,
}

/// How a watch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All payments are settled.
    Settled,
    /// All have come to rest, and a person is needed for at least one.
    NeedsPerson,
    /// The time is over, and some still wait.
    TimedOut,
}

/// The payments watched, and where each was when last read.
#[derive(Debug, Clone)]
pub struct Watch {
    places: BTreeMap<PaymentId, Place>,
    failed_reads: u64,
    last_failure: Option<&'static str>,
}

impl Verdict {
    /// Returns the process's exit code.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Settled => 0,
            Self::NeedsPerson => 3,
            Self::TimedOut => 4,
        }
    }
}

impl Watch {
    /// Starts to watch; the same id given twice is one payment.
    #[must_use]
    pub fn new(ids: impl IntoIterator<Item = PaymentId>) -> Self {
        let places = ids.into_iter().map(|id| (id, Place::Waiting)).collect();
        Self { places, failed_reads: 0, last_failure: None }
    }

    /// Returns how many payments are watched.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Tells whether there is nothing to watch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns how many have come to rest.
    #[must_use]
    pub fn at_rest(&self) -> usize {
        self.places.values().filter(|place| **place != Place::Waiting).count()
    }

    /// Returns how many are where, in words.
    #[must_use]
    pub fn counts(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for place in self.places.values() {
            *counts.entry(place.word()).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(word, count)| format!("{word} {count}")).collect();
        counts.join(", ")
    }

    /// Reads, every `pause`, those that have not come to rest, until all have or `deadline` has come.
    ///
    /// `progress` is told after each round. A read that fails is made again in the next round.
    pub async fn run(
        &mut self,
        ledger: &impl Ledger,
        clock: &impl Clock,
        deadline: Time,
        pause: impl AsyncFn(),
        progress: impl Fn(&Self),
    ) -> Verdict {
        loop {
            self.look(ledger).await;
            progress(self);
            if self.at_rest() == self.len() {
                let all_settled = self.places.values().all(|place| matches!(place, Place::Settled(_)));
                return if all_settled { Verdict::Settled } else { Verdict::NeedsPerson };
            }
            if clock.now() >= deadline {
                return Verdict::TimedOut;
            }
            pause().await;
        }
    }

    async fn look(&mut self, ledger: &impl Ledger) {
        let waiting: BTreeSet<PaymentId> = self.named(Place::Waiting).cloned().collect();
        let reads = stream::iter(waiting).map(async |id| {
            let read = ledger.load(&id).await;
            (id, read)
        });
        let results: Vec<_> = reads.buffer_unordered(READS).collect().await;
        for (id, read) in results {
            match read {
                Ok(record) => {
                    self.places.insert(id, record.as_ref().map_or(Place::Waiting, place));
                }
                Err(LoadError::Unavailable(reason)) => {
                    self.failed_reads += 1;
                    self.last_failure = Some(reason);
                }
                Err(LoadError::Corrupt(_)) => {
                    self.places.insert(id, Place::Unreadable);
                }
            }
        }
    }

    fn named(&self, wanted: Place) -> impl Iterator<Item = &PaymentId> {
        self.places.iter().filter(move |(_, place)| **place == wanted).map(|(id, _)| id)
    }
}

/// Counts by place, and names those that are not settled.
impl fmt::Display for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "payments {}: {}", self.len(), self.counts())?;
        for unsettled in [Place::Review, Place::Unreadable, Place::Waiting] {
            let mut ids = self.named(unsettled);
            for id in ids.by_ref().take(NAMED) {
                write!(f, "\n  {} {id}", unsettled.word())?;
            }
            let more = ids.count();
            if more > 0 {
                write!(f, "\n  {} and {more} more", unsettled.word())?;
            }
        }
        if let Some(reason) = self.last_failure {
            write!(f, "\n  {} reads failed, the last one: {reason}", self.failed_reads)?;
        }
        Ok(())
    }
}

impl Place {
    const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Review => "review",
            Self::Unreadable => "unreadable",
            Self::Settled(state) => state.as_str(),
        }
    }
}

fn place(record: &Record) -> Place {
    if record.payment.needs_review() {
        return Place::Review;
    }
    // An authorization is what was asked for, and stays until somebody asks for more.
    let has_come_to_rest = |operation: &Operation| {
        operation.attempt.rests() || operation.attempt.standing == Standing::Authorized
    };
    if record.payment.operations.values().all(has_come_to_rest) {
        return Place::Settled(record.payment.state());
    }
    Place::Waiting
}
