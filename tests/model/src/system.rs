//! The whole: the table, two workers, the provider, the network between them, and time.

use crate::{
    checker::Model,
    protocol::{Breakage, Protocol},
    provider::{KEY_LIFE, Key, Provider, Reply, Request, Serve, Served, Stage, Status},
    record::{CHARGES, Fact, Record, WINDOW},
    worker::{At, Command, Look, Step, Worker, Write},
};

/// Workers that may run at once.
pub const WORKERS: usize = 2;
/// Requests that may be under way at once.
pub const REQUESTS: usize = 6;

/// One payment's world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct System {
    /// The rules that workers follow.
    pub protocol: Protocol,
    /// Whether webhooks tell facts as well, late and repeatedly.
    pub with_webhooks: bool,
    /// Whether the reply to a write may be lost, so that the SDK below the worker writes again.
    pub with_lost_writes: bool,
    /// Whether an intent can be `processing` before its end.
    pub with_processing: bool,
    /// Whether anything can happen between a worker's reading of the record and its first write.
    pub with_old_readings: bool,
    /// Whether the caller never asks for a further attempt.
    pub without_further_attempt: bool,
}

/// One moment. Workers and requests are kept in order, so that their numbers make no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// The table's item.
    pub record: Record,
    /// The workers.
    pub workers: [Worker; WORKERS],
    /// The provider.
    pub provider: Provider,
    /// Requests under way.
    pub requests: [Option<Request>; REQUESTS],
}

/// One thing that may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A message reaches a worker, for the first time or again, and it reads the record. Unless readings can be old it
    /// makes its first write in the same step: had that been refused, it would have read again.
    Start(u8, Command),
    /// The same, and the reply to that write is lost.
    StartUnsure(u8, Command),
    /// A worker takes its next step: a write, or a send.
    Step(u8),
    /// A worker's write is made and its reply lost: the SDK below it writes again.
    WriteUnsure(u8),
    /// A worker's question is answered with these intents, one bit each.
    See(u8, u8),
    /// A worker's question is not answered.
    SeeNothing(u8),
    /// A worker's connection breaks: no reply, and a resend may help.
    Break(u8),
    /// A worker waits no longer.
    TimeOut(u8),
    /// A worker dies.
    Crash(u8),
    /// Something happens to a request. If a reply comes of it, it is lost.
    Serve(u8, Serve),
    /// Something happens to a request, and the reply that comes of it reaches its worker.
    Hear(u8, Serve),
    /// Time passes.
    Tick,
    /// The provider forgets a charge's key.
    Forget(u8),
    /// The customer pays a declined intent.
    Pay(u8),
    /// A processing intent comes to its end.
    Settle(u8, Status),
}

impl System {
    /// Returns what a worker does next, if it is about to do something.
    #[must_use]
    pub fn step_of(&self, state: &State, worker: u8) -> Option<Step> {
        let it = &state.workers[usize::from(worker)];
        match it.at {
            At::Deciding => Some(it.decide(worker, self.protocol)),
            At::Idle | At::Unsure | At::Waiting => None,
        }
    }

    /// Returns the worker that a command would start, if it would do anything.
    #[must_use]
    pub fn started(&self, state: &State, me: u8, command: Command) -> Option<Worker> {
        let worker = Worker::started(&state.record, command, &state.provider.intents, self.protocol);
        (worker.decide(me, self.protocol) != Step::Stop).then_some(worker)
    }

    fn commands(&self, state: &State) -> Vec<Command> {
        let mut commands = vec![Command::Wake];
        let attempts = if self.without_further_attempt { 1 } else { CHARGES };
        let next = state.record.charges[..attempts].iter().position(|charge| !charge.accepted);
        commands.extend(next.map(|charge| Command::Charge(charge as u8)));
        for (number, intent) in state.provider.intents.iter().enumerate().filter(|_| self.with_webhooks) {
            let facts: &[Fact] = match intent.map(|intent| intent.status) {
                None => &[],
                Some(Status::Unconfirmed | Status::Processing) => &[Fact::Seen],
                Some(Status::Declined) => &[Fact::Declined],
                Some(Status::Succeeded) => &[Fact::Declined, Fact::Succeeded],
                Some(Status::Canceled) => &[Fact::Declined, Fact::Canceled],
            };
            commands.extend(facts.iter().map(|&fact| Command::Fact(number as u8, fact)));
        }
        commands
    }

    fn worker_actions(&self, state: &State, me: u8, actions: &mut Vec<Action>) {
        let worker = &state.workers[usize::from(me)];
        match worker.at {
            At::Idle => {
                let commands = self.commands(state).into_iter();
                for command in commands {
                    let Some(worker) = self.started(state, me, command) else { continue };
                    actions.push(Action::Start(me, command));
                    let may_lose =
                        !self.with_old_readings && self.may_lose(&worker.decide(me, self.protocol));
                    actions.extend(may_lose.then_some(Action::StartUnsure(me, command)));
                }
                return;
            }
            // Unless another wrote meanwhile, writing again leads where a reply would have led.
            At::Unsure => actions.extend(worker.is_stale.then_some(Action::Step(me))),
            At::Waiting => actions.extend([Action::Break(me), Action::TimeOut(me)]),
            At::Deciding => match worker.decide(me, self.protocol) {
                step @ Step::Write(_) => {
                    actions.push(Action::Step(me));
                    let may_lose = self.may_lose(&step) && !worker.is_stale;
                    actions.extend(may_lose.then_some(Action::WriteUnsure(me)));
                }
                Step::Send(_) if state.requests.iter().all(Option::is_some) => {}
                Step::Send(_) | Step::Stop => actions.push(Action::Step(me)),
                Step::Look(op, look) => {
                    actions.push(Action::SeeNothing(me));
                    let there = match look {
                        Look::ById => worker.view.charges[op.charge()].ids,
                        Look::List | Look::Search => state.provider.intents_of(op.charge()),
                    };
                    let shown = (0..=there).filter(|found| found & !there == 0);
                    let told = shown.filter(|&found| look != Look::ById || found == there);
                    actions.extend(told.map(|found| Action::See(me, found)));
                }
            },
        }
        actions.push(Action::Crash(me));
    }

    /// Whether a lost reply to the write makes a difference: after the last write of an invocation it only starts the
    /// worker anew.
    fn may_lose(&self, step: &Step) -> bool {
        self.with_lost_writes && matches!(step, Step::Write(Write::Arm(_) | Write::Claim(_)))
    }

    fn step(&self, state: &mut State, me: u8, is_unsure: bool) {
        let at = usize::from(me);
        let intents = state.provider.intents;
        match state.workers[at].at {
            At::Unsure if state.workers[at].is_stale => {
                state.workers[at].read(&state.record.clone(), &intents, self.protocol);
            }
            At::Deciding => match state.workers[at].decide(me, self.protocol) {
                Step::Write(Write::Arm(op)) if self.protocol.breaks(Breakage::EffectBeforeRecord) => {
                    state.workers[at].prepare(Write::Arm(op), me, self.protocol);
                    state.workers[at].view.claim = state.record.claim;
                    state.workers[at].is_dirty = true;
                }
                Step::Write(write) => {
                    let is_stale = state.workers[at].is_stale;
                    if is_stale && !self.protocol.breaks(Breakage::UnconditionalWrite) {
                        state.workers[at].read(&state.record.clone(), &intents, self.protocol);
                        return;
                    }
                    state.workers[at].prepare(write, me, self.protocol);
                    state.write(me);
                    if is_unsure { state.workers[at].at = At::Unsure } else { state.won(me, write) }
                }
                Step::Send(ask) => {
                    state.send(Request { ask, from: Some(me), stage: Stage::Travelling, late: false });
                    state.workers[at].at = At::Waiting;
                }
                Step::Stop => state.end(me),
                Step::Look(_, _) => {}
            },
            At::Idle | At::Waiting | At::Unsure => {}
        }
    }

    /// Whether a tick may pass: no request outlives two.
    fn may_tick(state: &State) -> bool {
        state.requests.iter().flatten().all(|request| !request.late)
    }
}

impl Model for System {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        State::default()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for me in 0..WORKERS as u8 {
            self.worker_actions(state, me, actions);
        }
        let mut options = Vec::new();
        for (number, request) in state.requests.iter().enumerate() {
            options.clear();
            let Some(request) = request else { continue };
            state.provider.options(request, self.with_processing, &mut options);
            for &option in &options {
                actions.push(Action::Serve(number as u8, option));
                actions.extend(request.from.map(|_| Action::Hear(number as u8, option)));
            }
        }
        actions.extend(Self::may_tick(state).then_some(Action::Tick));
        let life = if self.protocol.breaks(Breakage::NoMarginBehindTheWindow) { WINDOW } else { KEY_LIFE };
        for charge in 0..CHARGES {
            if matches!(state.provider.keys[charge], Some(Key::Saved { age, .. }) if age >= life) {
                actions.push(Action::Forget(charge as u8));
            }
        }
        for (number, intent) in state.provider.intents.iter().enumerate() {
            match intent.map(|intent| intent.status) {
                Some(Status::Declined) => actions.push(Action::Pay(number as u8)),
                Some(Status::Processing) => actions.extend(
                    [Status::Succeeded, Status::Declined].map(|end| Action::Settle(number as u8, end)),
                ),
                None | Some(Status::Unconfirmed | Status::Succeeded | Status::Canceled) => {}
            }
        }
    }

    fn next(&self, state: &State, action: Action) -> State {
        let mut next = *state;
        let intents = state.provider.intents;
        match action {
            Action::Start(me, command) | Action::StartUnsure(me, command) => {
                if let Some(worker) = self.started(state, me, command) {
                    next.workers[usize::from(me)] = worker;
                    if !self.with_old_readings {
                        self.step(&mut next, me, matches!(action, Action::StartUnsure(_, _)));
                    }
                }
            }
            Action::Step(me) => self.step(&mut next, me, false),
            Action::WriteUnsure(me) => self.step(&mut next, me, true),
            Action::See(me, found) => {
                if let Some(Step::Look(op, look)) = self.step_of(state, me) {
                    next.workers[usize::from(me)].see(op, look, found, &intents, self.protocol);
                }
            }
            Action::SeeNothing(me) => next.workers[usize::from(me)].see_nothing(),
            Action::Break(me) | Action::TimeOut(me) => {
                next.hang_up(me);
                let timed_out = matches!(action, Action::TimeOut(_));
                next.workers[usize::from(me)].hear_nothing(timed_out, self.protocol);
            }
            Action::Crash(me) => next.end(me),
            Action::Serve(number, serve) => _ = self.serve(&mut next, usize::from(number), serve),
            Action::Hear(number, serve) => {
                if let Some((me, reply)) = self.serve(&mut next, usize::from(number), serve) {
                    next.workers[usize::from(me)].hear(reply, &next.provider.intents, self.protocol);
                }
            }
            Action::Tick => next.tick(),
            Action::Forget(charge) => next.provider.keys[usize::from(charge)] = None,
            Action::Pay(intent) => next.provider.set(intent, Status::Succeeded),
            Action::Settle(intent, end) => next.provider.set(intent, end),
        }
        next.in_order()
    }

    fn describe(&self, state: &State) -> String {
        state.describe()
    }
}

impl System {
    /// Does one thing with a request; returns the reply and the worker that waits for it, if one comes of it.
    fn serve(&self, state: &mut State, number: usize, serve: Serve) -> Option<(u8, Reply)> {
        let request = state.requests[number]?;
        let without_keys = self.protocol.breaks(Breakage::NewKeyPerSend);
        match state.provider.serve(&request, serve, without_keys) {
            Served::Reached(stage) => {
                state.requests[number] = Some(Request { stage, ..request });
                None
            }
            Served::Over(reply) => {
                state.requests[number] = None;
                request.from.map(|me| (me, reply))
            }
            Served::Lost => {
                state.requests[number] = None;
                None
            }
        }
    }
}
