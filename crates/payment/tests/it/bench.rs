//! A bench for the loop: ports that do what a test tells them, and a log of what was asked of them.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use effect::{Fact, Frozen, Note, Outcome, ProviderKey, Rules, Status, Time, seconds};
use payment::{
    Account, Command, Converged, Invocation, Limits, NotRecorded, Operation, OperationKey, PaymentId, Record,
    Settings, converge,
    ports::{
        Answer, Clock, Expected, Ledger, LoadError, NoCredentials, Object, Processor, Question, Request,
        SaveError,
    },
};

use crate::{
    histories::NOW,
    payments::{account, charge, key},
};

/// More readings of the clock than any turn needs: what goes on is going round in circles.
const MOST_READINGS: u32 = 500;

/// What the next write meets.
pub(crate) enum Fate {
    /// Nothing unusual.
    Taken,
    /// Another writer was there first, and left this.
    Overtaken(Box<Option<Record>>),
    /// It was taken, its reply was lost, and the retry below us met its own result; a sweep may have leased it since.
    TakenUnseen { leased_until: Option<Time> },
    /// It failed otherwise.
    Fails(SaveError),
}

/// Another writer is first, and leaves this.
pub(crate) fn overtaken(by: Option<Record>) -> Fate {
    Fate::Overtaken(Box::new(by))
}

/// The world around one payment.
pub(crate) struct Bench {
    pub(crate) now: Cell<Time>,
    pub(crate) write_ms: Cell<i64>,
    pub(crate) call_ms: Cell<i64>,
    pub(crate) stored: RefCell<Option<Record>>,
    pub(crate) load_error: RefCell<Option<LoadError>>,
    pub(crate) account: RefCell<Result<Account, NoCredentials>>,
    pub(crate) answers: RefCell<VecDeque<Answer>>,
    pub(crate) fates: RefCell<VecDeque<Fate>>,
    pub(crate) writes: RefCell<Vec<Record>>,
    pub(crate) sends: RefCell<Vec<(Frozen, Expected)>>,
    pub(crate) questions: RefCell<Vec<Question>>,
    pub(crate) settings: Settings,
    pub(crate) invocation: Invocation,
    readings: Cell<u32>,
}

/// A bench with nothing stored and the deployment's usual numbers.
pub(crate) fn bench() -> Bench {
    Bench {
        now: Cell::new(NOW),
        write_ms: Cell::new(0),
        call_ms: Cell::new(0),
        stored: RefCell::new(None),
        load_error: RefCell::new(None),
        account: RefCell::new(Ok(account())),
        answers: RefCell::default(),
        fates: RefCell::default(),
        writes: RefCell::default(),
        sends: RefCell::default(),
        questions: RefCell::default(),
        settings: Settings {
            stack: "prod".to_owned(),
            rules: Rules::production(),
            limits: Limits { provider_timeout_ms: seconds(20), write_margin_ms: seconds(3) },
            conflicts: 5,
        },
        invocation: Invocation {
            token: "w-1".to_owned(),
            deadline: NOW.plus_ms(seconds(60)),
            jitter_per_mille: 0,
            is_first_receive: true,
        },
        readings: Cell::new(0),
    }
}

/// The command that asks for the n-th charge.
pub(crate) fn asked(n: usize) -> Command {
    Command::Charge(charge(n, 500))
}

pub(crate) fn wake() -> Command {
    Command::Wake { payment_id: payment_id(), due_at: NOW }
}

pub(crate) fn payment_id() -> PaymentId {
    charge(0, 500).payment_id()
}

/// What the object of the first charge must be, for an operation that acts on it.
pub(crate) fn expects(key: &OperationKey) -> Expected {
    let charge = charge(0, 500);
    Expected {
        kind: key.kind,
        operation_id: crate::payments::key(0).id(&payment_id()),
        amount: charge.amount,
        currency: charge.currency,
        object: Object::Intent { customer: charge.customer },
    }
}

pub(crate) fn fact(id: &str, outcome: Option<Outcome>) -> Fact {
    Fact { id: id.to_owned(), outcome }
}

pub(crate) fn shows(id: &str, outcome: Option<Outcome>) -> Answer {
    Answer { facts: vec![fact(id, outcome)], note: None }
}

/// The object exists, in a state that is not final.
pub(crate) fn is_in(id: &str, status: Status) -> Answer {
    Answer { note: Some(Note::Status(status)), ..shows(id, None) }
}

/// A candidate is ours, and in this state.
pub(crate) fn is_ours(id: &str, outcome: Option<Outcome>) -> Answer {
    Answer { note: Some(Note::Checked), ..shows(id, outcome) }
}

pub(crate) fn paid() -> Answer {
    shows("pi_1", Some(Outcome::Succeeded))
}

pub(crate) fn declined() -> Outcome {
    Outcome::Declined("card_declined".to_owned())
}

pub(crate) fn teaches(note: Note) -> Answer {
    Answer { facts: Vec::new(), note: Some(note) }
}

pub(crate) fn page(candidates: &[&str], more: Option<&str>) -> Answer {
    let candidates = candidates.iter().map(|id| (*id).to_owned()).collect();
    teaches(Note::Hits { candidates, more: more.map(str::to_owned) })
}

impl Bench {
    /// Runs one turn; `answers` are what the provider says, one a call.
    pub(crate) fn turn(
        &self,
        command: &Command,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Result<Converged, NotRecorded> {
        self.answers.borrow_mut().extend(answers);
        self.readings.set(0);
        let turn = converge(self, self, self, &self.settings, &self.invocation, command);
        let ended = at_once(turn);
        assert_eq!(self.answers.borrow().len(), 0, "an answer was never asked for");
        ended
    }

    /// The record as it stands.
    pub(crate) fn record(&self) -> Record {
        self.stored.borrow().clone().unwrap()
    }

    pub(crate) fn operation(&self, key: &OperationKey) -> Operation {
        self.record().payment.operations[key].clone()
    }

    pub(crate) fn first(&self) -> Operation {
        self.operation(&key(0))
    }

    /// Begins a new invocation, so much later than the start of the bench.
    pub(crate) fn later(&mut self, token: &str, ms: i64) {
        self.now.set(NOW.plus_ms(ms));
        self.invocation.token = token.to_owned();
        self.invocation.deadline = self.now.get().plus_ms(seconds(60));
        self.invocation.is_first_receive = false;
    }

    /// How often the table was written and the provider was sent to and asked.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        (self.writes.borrow().len(), self.sends.borrow().len(), self.questions.borrow().len())
    }

    fn pass(&self, ms: i64) {
        self.now.set(self.now.get().plus_ms(ms));
    }
}

/// Runs a future that never waits.
fn at_once<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the ports of the bench never wait"),
    }
}

impl Clock for Bench {
    fn now(&self) -> Time {
        self.readings.set(self.readings.get() + 1);
        assert!(self.readings.get() < MOST_READINGS, "the loop does not end");
        self.now.get()
    }
}

impl Ledger for Bench {
    async fn load(&self, id: &PaymentId) -> Result<Option<Record>, LoadError> {
        assert_eq!(*id, payment_id());
        self.load_error.borrow().clone().map_or_else(|| Ok(self.stored.borrow().clone()), Err)
    }

    async fn save(&self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        self.pass(self.write_ms.get());
        match self.fates.borrow_mut().pop_front().unwrap_or(Fate::Taken) {
            Fate::Taken => {}
            Fate::Overtaken(by) => *self.stored.borrow_mut() = *by,
            Fate::TakenUnseen { leased_until } => {
                let mut current = next.clone();
                if let Some(until) = leased_until {
                    (current.due_at, current.woken_for) = (Some(until), Some(until.plus_ms(-1)));
                }
                *self.stored.borrow_mut() = Some(current);
            }
            Fate::Fails(error) => return Err(error),
        }
        let mut stored = self.stored.borrow_mut();
        if stored.as_ref() != expected {
            return Err(SaveError::Conflict(stored.clone().map(Box::new)));
        }
        self.writes.borrow_mut().push(next.clone());
        *stored = Some(next.clone());
        Ok(())
    }
}

impl Processor for Bench {
    async fn account(&self) -> Result<Account, NoCredentials> {
        self.account.borrow().clone()
    }

    fn prepare(&self, request: &Request, operation_id: &str, key: ProviderKey) -> Frozen {
        let path = operation_id.to_owned();
        Frozen { key, path, body: format!("{request:?}"), api_version: "2025-01-01".to_owned() }
    }

    async fn send(&self, frozen: &Frozen, expected: &Expected) -> Answer {
        self.pass(self.call_ms.get());
        self.sends.borrow_mut().push((frozen.clone(), expected.clone()));
        self.answers.borrow_mut().pop_front().unwrap_or_else(|| panic!("unexpected send: {frozen:?}"))
    }

    async fn look_up(&self, question: &Question) -> Answer {
        self.pass(self.call_ms.get());
        self.questions.borrow_mut().push(question.clone());
        self.answers.borrow_mut().pop_front().unwrap_or_else(|| panic!("unexpected question: {question:?}"))
    }
}
