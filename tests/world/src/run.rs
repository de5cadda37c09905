//! One run: a seed, its options, and what it showed.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use crate::{
    draw::Drawing,
    driver::Driver,
    options::Options,
    panics::hear,
    rng::Rng,
    state::{Shared, State},
    stats::Stats,
};

/// What a run showed.
#[derive(Debug, Clone)]
pub struct Report {
    /// What it met.
    pub stats: Stats,
    /// Invariants broken, in order.
    pub violations: Vec<String>,
    /// Pause points passed.
    pub points: u64,
    /// Requests to Stripe.
    pub requests: u64,
    /// Writes of the table.
    pub writes: u64,
    /// One line a step, if asked for.
    pub trace: Vec<String>,
    /// Digest of everything that happened.
    pub hash: u64,
}

/// Runs the hostile run of a seed, as it is drawn today.
#[must_use]
pub fn run_seed(seed: u64, alter: impl FnOnce(&mut Options), traced: bool) -> Report {
    run_drawn(Drawing::default(), seed, alter, traced)
}

/// Runs the hostile run of a seed under a drawing.
#[must_use]
pub fn run_drawn(drawing: Drawing, seed: u64, alter: impl FnOnce(&mut Options), traced: bool) -> Report {
    let mut rng = Rng::new(seed);
    let mut options = Options::draw(drawing, &mut rng);
    alter(&mut options);
    run(options, rng, traced)
}

/// Runs given options with a seed for what they leave to chance.
#[must_use]
pub fn run(options: Options, rng: Rng, traced: bool) -> Report {
    let state = State::new(options, rng, traced);
    let mut driver =
        Driver { shared: Shared(Rc::new(RefCell::new(state))), tasks: BTreeMap::new(), next_task: 0 };
    let ((), panics) = hear(|| driver.run());
    drop(driver.tasks);
    let mut state = driver.shared.0.borrow_mut();
    for panic in panics {
        state.violate(format!("the code under test panicked: {panic}"));
    }
    let mut stats = std::mem::take(&mut state.stats);
    stats.seeds = 1;
    stats.steps = state.steps;
    Report {
        stats,
        violations: std::mem::take(&mut state.violations),
        points: state.points,
        requests: state.requests,
        writes: state.writes,
        hash: state.hash(),
        trace: state.trace.take().unwrap_or_default(),
    }
}

impl State {
    fn hash(&self) -> u64 {
        let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
        let mut mix = |value: u64| hash = (hash ^ value).wrapping_mul(0x0000_0100_0000_01B3);
        for value in
            [self.now as u64, self.steps, self.points, self.requests, self.writes, self.rng.clone().next()]
        {
            mix(value);
        }
        for byte in self.bus.keys().flat_map(|id| id.bytes()) {
            mix(u64::from(byte));
        }
        hash
    }
}
