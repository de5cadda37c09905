//! Hunting: many seeds on several threads, until one breaks an invariant.

use std::{
    num::NonZero,
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use crate::{breakage::Breakage, draw::Drawing, run::run_drawn, stats::Stats};

/// How many seeds a thread takes at once.
const BLOCK: u64 = 250;

/// Every how many seeds one is run twice, to see that it does the same.
const TWICE_EVERY: u64 = 1_000;

/// What a hunt found. It is the same however many threads took part, unless a seed broke something: then the
/// counters also hold what the other threads ran until they heard of it.
#[derive(Debug, Default)]
pub struct Hunted {
    /// What all runs met.
    pub stats: Stats,
    /// The lowest seed that broke an invariant, and the first thing that it broke.
    pub broken: Option<(u64, String)>,
}

/// Runs every seed of a range under a drawing.
#[must_use]
pub fn hunt_drawn(drawing: Drawing, seeds: Range<u64>, jobs: NonZero<usize>) -> Hunted {
    hunt(drawing, seeds, jobs, None, |_| {})
}

/// Runs every seed of a range on `jobs` threads. `progress` hears of the seeds done, block by block.
pub fn hunt(
    drawing: Drawing,
    seeds: Range<u64>,
    jobs: NonZero<usize>,
    breakage: Option<Breakage>,
    progress: impl Fn(u64) + Sync,
) -> Hunted {
    let next = AtomicU64::new(seeds.start);
    let lowest_broken = AtomicU64::new(u64::MAX);
    let work = || {
        let mut mine = Hunted::default();
        loop {
            let from = next.fetch_add(BLOCK, Ordering::Relaxed);
            // Lower seeds are hunted to their end even so: the lowest broken one is what is reported.
            if from >= seeds.end || from > lowest_broken.load(Ordering::Relaxed) {
                return mine;
            }
            let block = from..seeds.end.min(from + BLOCK);
            let length = block.end - block.start;
            if let Some((seed, what)) = run_block(drawing, block, breakage, &mut mine.stats) {
                lowest_broken.fetch_min(seed, Ordering::Relaxed);
                mine.broken = Some((seed, what));
                return mine;
            }
            progress(length);
        }
    };
    let mut total = Hunted::default();
    for one in on_threads(jobs, work) {
        total.stats.add(&one.stats);
        total.broken = total.broken.into_iter().chain(one.broken).min();
    }
    total
}

/// Does the same work on `jobs` threads.
pub(crate) fn on_threads<T: Send>(jobs: NonZero<usize>, work: impl Fn() -> T + Sync) -> Vec<T> {
    let all = thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.get()).map(|_| scope.spawn(&work)).collect();
        threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
    });
    // The world itself is at fault, not the code under test, whose panics are heard.
    all.into_iter().map(|one| one.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
}

/// Runs a block in order; returns the first seed that broke something, and what.
fn run_block(
    drawing: Drawing,
    block: Range<u64>,
    breakage: Option<Breakage>,
    stats: &mut Stats,
) -> Option<(u64, String)> {
    for seed in block {
        let run = || run_drawn(drawing, seed, |options| options.breakage = breakage, false);
        let report = run();
        stats.add(&report.stats);
        if let Some(what) = report.violations.into_iter().next() {
            return Some((seed, what));
        }
        if seed % TWICE_EVERY == 0 && run().hash != report.hash {
            return Some((seed, "two runs of it differ: the world is not deterministic".to_owned()));
        }
    }
    None
}
