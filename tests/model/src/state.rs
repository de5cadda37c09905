//! How one moment changes into the next.

use crate::{
    provider::{Ask, Request, Stage},
    record::{CHARGES, Record},
    system::{REQUESTS, State, WORKERS},
    worker::{At, Command, Worker, Write},
};

impl State {
    /// Writes what a worker prepared: every other worker's reading is old from now on.
    pub(crate) fn write(&mut self, me: u8) {
        self.record = self.workers[usize::from(me)].view;
        for (number, worker) in self.workers.iter_mut().enumerate() {
            worker.is_stale = worker.at != At::Idle && number != usize::from(me);
        }
    }

    /// Lets a worker know that its write was made.
    pub(crate) fn won(&mut self, me: u8, write: Write) {
        let worker = &mut self.workers[usize::from(me)];
        match write {
            Write::Save => self.end(me),
            Write::Arm(_) | Write::Claim(_) => {
                worker.at = At::Deciding;
                worker.is_dirty = false;
                worker.command = Command::Wake;
                worker.facts = Worker::default().facts;
            }
        }
    }

    pub(crate) fn send(&mut self, request: Request) {
        if let Some(free) = self.requests.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(request);
        }
    }

    /// Ends a worker's waiting; what it sent goes on without it.
    pub(crate) fn hang_up(&mut self, me: u8) {
        let its = self.requests.iter_mut().flatten().filter(|request| request.from == Some(me));
        its.for_each(|request| request.from = None);
    }

    /// Ends a worker's invocation, whether it is finished, killed or dead.
    pub(crate) fn end(&mut self, me: u8) {
        self.hang_up(me);
        self.record.orphan_claim(me);
        self.workers.iter_mut().for_each(|worker| worker.view.orphan_claim(me));
        self.workers[usize::from(me)] = Worker::default();
    }

    /// Lets time pass: clocks go on, and workers that have run for two ticks are killed.
    pub(crate) fn tick(&mut self) {
        self.record.tick();
        self.provider.keys.iter_mut().flatten().for_each(crate::provider::Key::tick);
        self.requests.iter_mut().flatten().for_each(|request| request.late = true);
        for me in 0..WORKERS {
            self.workers[me].view.tick();
            match (self.workers[me].at, self.workers[me].is_old) {
                (At::Idle, _) => {}
                (At::Deciding | At::Unsure | At::Waiting, true) => self.end(me as u8),
                (At::Deciding | At::Unsure | At::Waiting, false) => self.workers[me].is_old = true,
            }
        }
    }

    /// Brings the moment into one form of all those that make no difference: workers and requests in order,
    /// nothing kept of a key that nobody can use again, and of requests that nobody waits for only those that can do
    /// what no other can: of two equal ones the one that has more time left, and none whose intent is final.
    pub(crate) fn in_order(mut self) -> Self {
        self.workers.iter_mut().for_each(|worker| worker.turn.forget_what_is_over());
        for charge in 0..CHARGES {
            let is_over = |record: &Record| record.charges[charge].standing.is_ended();
            let asks = self.requests.iter().flatten().any(|request| request.ask == Ask::Create(charge as u8));
            let is_told = self.workers.iter().all(|worker| worker.at == At::Idle || is_over(&worker.view));
            if is_over(&self.record) && is_told && !asks {
                self.provider.keys[charge] = None;
            }
        }
        if self.workers[0] > self.workers[1] {
            self.workers.swap(0, 1);
            let flip = |number: &mut Option<u8>| *number = number.map(|number| 1 - number);
            let records = self.workers.iter_mut().map(|worker| &mut worker.view);
            for record in records.chain([&mut self.record]) {
                record.claim.iter_mut().for_each(|claim| flip(&mut claim.owner));
            }
            self.requests.iter_mut().flatten().for_each(|request| flip(&mut request.from));
        }
        for number in 0..REQUESTS {
            let Some(request) = self.requests[number].filter(|it| it.from.is_none()) else { continue };
            let is_echo = self.requests.iter().enumerate().any(|(other, it)| {
                let is_alike = it
                    .is_some_and(|it| (it.ask, it.from, it.stage) == (request.ask, None, Stage::Travelling));
                let outlives = it.is_some_and(|it| (it.late, other) < (request.late, number));
                is_alike && outlives
            });
            if request.stage == Stage::Travelling && (is_echo || self.provider.is_void_of_effect(request.ask))
            {
                self.requests[number] = None;
            }
        }
        self.requests.sort_unstable();
        self
    }

    /// Whether nobody acts and nothing is under way.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.workers.iter().all(|worker| worker.at == At::Idle) && self.requests == [None; REQUESTS]
    }

    /// Returns the moment in one line.
    #[must_use]
    pub fn describe(&self) -> String {
        let Record { charges, claim } = &self.record;
        let charges: Vec<String> = charges
            .iter()
            .filter(|charge| charge.accepted)
            .map(|charge| {
                let void = charge.void.map(|void| format!(" void {:?}", void.standing)).unwrap_or_default();
                let review = charge.review.map(|review| format!(" review {review:?}")).unwrap_or_default();
                let age = charge.sent.map(|sent| format!(" sent {} ago", sent.age)).unwrap_or_default();
                format!("{:?}{age}{void}{review}", charge.standing)
            })
            .collect();
        let at: Vec<String> = self.workers.iter().map(|worker| format!("{:?}", worker.at)).collect();
        let intents: Vec<String> =
            self.provider.intents.iter().flatten().map(|it| format!("{:?}", it.status)).collect();
        let requests: Vec<String> =
            self.requests.iter().flatten().map(|it| format!("{:?}@{:?}", it.ask, it.stage)).collect();
        format!(
            "record {charges:?} claim {:?} | workers {at:?} | intents {intents:?} | requests {requests:?}",
            claim.map(|claim| claim.left),
        )
        .replace('"', "")
    }
}
