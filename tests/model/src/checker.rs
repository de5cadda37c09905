//! The checker: breadth first over every reachable state, kept whole, so that a counterexample is a shortest one.

use std::{
    fmt::Debug,
    hash::{Hash, Hasher},
    ops::Range,
    panic::resume_unwind,
    thread,
};

/// A system to be explored.
pub trait Model: Sync {
    /// Everything that distinguishes one moment from another.
    type State: Clone + Eq + Hash + Send + Sync;
    /// One thing that may happen next.
    type Action: Copy + Debug + Send;

    /// Returns the state everything starts from.
    fn initial(&self) -> Self::State;

    /// Lists everything that may happen in `state`.
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);

    /// Returns the state that `action` leads to.
    fn next(&self, state: &Self::State, action: Self::Action) -> Self::State;

    /// Returns one line about a state, for traces.
    fn describe(&self, state: &Self::State) -> String;
}

/// A statement about one step of a model: the state before it, what happened, the state after it.
pub type Statement<M> = fn(&M, &<M as Model>::State, <M as Model>::Action, &<M as Model>::State) -> bool;

/// A named statement: either it must hold for every step, or some step must show it.
pub struct Property<M: Model> {
    /// What it says, as a sentence.
    pub name: &'static str,
    /// Whether it speaks of the state after the step only: then one step to each state is enough.
    pub is_of_state: bool,
    /// Whether it holds.
    pub holds: Statement<M>,
}

/// A shortest way to a broken property.
#[derive(Debug)]
pub struct Counterexample {
    /// The broken property.
    pub property: &'static str,
    /// One line a step: what happened, and what came of it.
    pub trace: Vec<String>,
}

/// What an exploration saw.
#[derive(Debug)]
pub struct Report {
    /// Distinct states.
    pub states: usize,
    /// Steps between them.
    pub steps: u64,
    /// Steps from the start to the farthest state.
    pub depth: usize,
    /// The first property found broken; the exploration ends there.
    pub broken: Option<Counterexample>,
    /// The properties of `sometimes` that no step showed.
    pub never_seen: Vec<&'static str>,
}

const THREADS: usize = 2;
const BATCH: usize = 1 << 15;
const ROOT: u32 = u32::MAX;

/// Explores all of `model`, or as far as the first step that breaks a property of `always`.
///
/// # Panics
/// Panics if the model has more states than fit, 4 294 967 294.
pub fn explore<M: Model>(model: &M, always: &[Property<M>], sometimes: &[Property<M>]) -> Report {
    let mut store = Store::new(model.initial());
    let mut report = Report { states: 0, steps: 0, depth: 0, broken: None, never_seen: Vec::new() };
    let mut seen = 0_u64;
    let mut level = 0..1;
    while !level.is_empty() && report.broken.is_none() {
        let mut from = level.start;
        while from < level.end && report.broken.is_none() {
            let until = level.end.min(from + BATCH);
            for found in expand_in_parallel(model, &store, from..until, always, sometimes) {
                report.steps += found.steps;
                seen |= found.seen;
                for (hash, parent, state) in found.states {
                    store.insert(hash, parent, state);
                }
                report.broken =
                    report.broken.or_else(|| found.broken.map(|step| step.explain(model, &store)));
            }
            from = until;
        }
        level = level.end..store.states.len();
        report.depth += usize::from(!level.is_empty());
    }
    report.states = store.states.len();
    let is_unseen = |&(i, _): &(usize, &Property<M>)| seen & (1 << i) == 0;
    report.never_seen = sometimes.iter().enumerate().filter(is_unseen).map(|(_, p)| p.name).collect();
    report
}

/// What one thread found in its share of a batch.
struct Found<M: Model> {
    states: Vec<(u64, u32, M::State)>,
    steps: u64,
    seen: u64,
    broken: Option<BrokenStep<M>>,
}

struct BrokenStep<M: Model> {
    property: &'static str,
    from: usize,
    action: M::Action,
    to: M::State,
}

fn expand_in_parallel<M: Model>(
    model: &M,
    store: &Store<M::State>,
    batch: Range<usize>,
    always: &[Property<M>],
    sometimes: &[Property<M>],
) -> Vec<Found<M>> {
    let share = batch.len().div_ceil(THREADS).max(1);
    thread::scope(|scope| {
        let threads: Vec<_> = batch
            .clone()
            .step_by(share)
            .map(|from| {
                let part = from..batch.end.min(from + share);
                scope.spawn(move || expand(model, store, part, always, sometimes))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

fn expand<M: Model>(
    model: &M,
    store: &Store<M::State>,
    part: Range<usize>,
    always: &[Property<M>],
    sometimes: &[Property<M>],
) -> Found<M> {
    let mut found = Found { states: Vec::new(), steps: 0, seen: 0, broken: None };
    let mut actions = Vec::new();
    for from in part {
        let before = &store.states[from];
        actions.clear();
        model.actions(before, &mut actions);
        for &action in &actions {
            let after = model.next(before, action);
            found.steps += 1;
            for (i, property) in sometimes.iter().enumerate() {
                if found.seen & (1 << i) == 0 && (property.holds)(model, before, action, &after) {
                    found.seen |= 1 << i;
                }
            }
            let hash = hash_of(&after);
            let is_new = !store.contains(hash, &after);
            let breaks = |property: &&Property<M>| {
                (is_new || !property.is_of_state) && !(property.holds)(model, before, action, &after)
            };
            if let Some(property) = always.iter().find(breaks) {
                found.broken = Some(BrokenStep { property: property.name, from, action, to: after });
                return found;
            }
            if is_new {
                found.states.push((hash, u32::try_from(from).unwrap_or(ROOT), after));
            }
        }
    }
    found
}

impl<M: Model> BrokenStep<M> {
    fn explain(self, model: &M, store: &Store<M::State>) -> Counterexample {
        let mut path = vec![self.from];
        while let Some(parent) = path.last().and_then(|&state| store.parent(state)) {
            path.push(parent);
        }
        path.reverse();
        let mut trace = vec![format!("start\n      {}", model.describe(&store.states[path[0]]))];
        for pair in path.windows(2) {
            let (before, after) = (&store.states[pair[0]], &store.states[pair[1]]);
            let mut actions = Vec::new();
            model.actions(before, &mut actions);
            let taken = actions.into_iter().find(|&action| model.next(before, action) == *after);
            trace.push(format!("{taken:?}\n      {}", model.describe(after)));
        }
        trace.push(format!("{:?}\n      {}", Some(self.action), model.describe(&self.to)));
        Counterexample { property: self.property, trace }
    }
}

/// Every state reached, in the order of reaching it, with the one it was first reached from; and a table of them.
struct Store<S> {
    states: Vec<S>,
    parents: Vec<u32>,
    /// Open addressing: one more than a state's index, or 0; always at most half full.
    slots: Vec<u32>,
}

impl<S: Eq + Hash> Store<S> {
    fn new(initial: S) -> Self {
        let mut store = Self { states: Vec::new(), parents: Vec::new(), slots: vec![0; 1 << 16] };
        store.insert(hash_of(&initial), ROOT, initial);
        store
    }

    fn parent(&self, state: usize) -> Option<usize> {
        Some(self.parents[state]).filter(|&parent| parent != ROOT).map(|parent| parent as usize)
    }

    fn contains(&self, hash: u64, state: &S) -> bool {
        self.slots[self.slot_of(hash, state)] != 0
    }

    fn slot_of(&self, hash: u64, state: &S) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 && self.states[self.slots[slot] as usize - 1] != *state {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn insert(&mut self, hash: u64, parent: u32, state: S) {
        let slot = self.slot_of(hash, &state);
        if self.slots[slot] != 0 {
            return;
        }
        self.states.push(state);
        self.parents.push(parent);
        let number = u32::try_from(self.states.len()).ok().filter(|&n| n != ROOT);
        self.slots[slot] = number.expect("more states than an index can name");
        if self.states.len() * 2 > self.slots.len() {
            self.slots = vec![0; self.slots.len() * 2];
            for index in 0..self.states.len() {
                let slot = self.slot_of(hash_of(&self.states[index]), &self.states[index]);
                self.slots[slot] = index as u32 + 1;
            }
        }
    }
}

fn hash_of<S: Hash>(state: &S) -> u64 {
    let mut hasher = Mixer(0);
    state.hash(&mut hasher);
    hasher.finish()
}

/// A fast hasher. Its quality decides the speed only: states are compared whole.
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }

    fn finish(&self) -> u64 {
        (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8
    }
}
