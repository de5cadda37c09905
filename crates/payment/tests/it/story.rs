//! Stories: what befalls one payment step by step, told with names, planned and sealed as the loop does it.

use effect::{Fact, Note, Outcome, ReviewReason, Rules, Send, Standing, Status, Time, seconds};
use payment::{
    CaptureMethod, Command, Event, Guard, Kind, Limits, OperationKey, Payment, PaymentState, Record,
    Step as Next, Turn, announced, decide, seal,
};

use crate::{
    asking::{charge, key},
    histories::{NOW, Step, learn, planned, take},
};

pub(crate) const CHARGE: (Kind, usize) = (Kind::Charge, 0);
pub(crate) const CAPTURE: (Kind, usize) = (Kind::Capture, 0);
pub(crate) const CANCEL: (Kind, usize) = (Kind::Cancel, 0);
pub(crate) const REFUND: (Kind, usize) = (Kind::Refund, 0);

/// A payment on its way, with all that it announced and each change of its state.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    pub(crate) now: Time,
    pub(crate) record: Record,
    /// `<event type> <operation>`, in the order of announcement.
    pub(crate) events: Vec<String>,
    pub(crate) told: Vec<Event>,
    pub(crate) changes: Vec<(PaymentState, PaymentState)>,
}

pub(crate) fn named(name: (Kind, usize)) -> OperationKey {
    key(name.0, name.1)
}

/// The provider's object of a charge or refund.
pub(crate) fn id_of(key: &OperationKey) -> String {
    format!(
        "{}_{}",
        if key.kind == Kind::Refund { "re" } else { "pi" },
        key.reference.as_str().replace('-', "_")
    )
}

impl Story {
    /// Begins with a charge of 10,000 yen, not sent yet.
    pub(crate) fn begins(method: CaptureMethod) -> Self {
        let payment = take(None, &Step::IsAskedFor(charge(0, 10_000, method)), NOW);
        let record = seal(planned(payment, NOW), None, None, Guard::Due, NOW, &Rules::production());
        Self { now: NOW, record, events: Vec::new(), told: Vec::new(), changes: Vec::new() }
    }

    pub(crate) fn captured() -> Self {
        Self::begins(CaptureMethod::Automatic).sends(CHARGE).shows(CHARGE, Some(Outcome::Succeeded))
    }

    pub(crate) fn authorized() -> Self {
        Self::begins(CaptureMethod::Manual).sends(CHARGE).shows(CHARGE, Some(Outcome::Authorized))
    }

    /// The charge's intent is known and waits for its customer.
    pub(crate) fn unanswered() -> Self {
        let story = Self::begins(CaptureMethod::Automatic).sends(CHARGE).shows(CHARGE, None);
        story.notes(CHARGE, Note::Status(Status::RequiresAction))
    }

    pub(crate) fn asks(self, command: Command) -> Self {
        self.takes(&Step::IsAskedFor(command))
    }

    pub(crate) fn waits_ms(mut self, ms: i64) -> Self {
        self.now = self.now.plus_ms(ms);
        let payment = self.record.payment.clone();
        self.writes(payment)
    }

    /// Sends an operation, which must be what the decision says; the reply is lost until it is told.
    pub(crate) fn sends(self, name: (Kind, usize)) -> Self {
        self.sends_key(&named(name))
    }

    pub(crate) fn sends_key(self, key: &OperationKey) -> Self {
        assert_eq!(self.next(), Next::Arm(key.clone(), Send::Same), "{:#?}", self.record.payment);
        self.takes(&Step::IsSent(key.clone(), None))
    }

    pub(crate) fn shows(self, name: (Kind, usize), outcome: Option<Outcome>) -> Self {
        self.shows_key(&named(name), outcome)
    }

    pub(crate) fn shows_key(self, key: &OperationKey, outcome: Option<Outcome>) -> Self {
        self.takes(&Step::ShowsAFact(key.clone(), Fact { id: id_of(key), outcome }))
    }

    /// What the turn of the latest send, its first, learned of it.
    pub(crate) fn notes(self, name: (Kind, usize), note: Note) -> Self {
        let mut payment = self.record.payment.clone();
        learn(&mut payment, &named(name), &note, true, self.now);
        self.writes(payment)
    }

    pub(crate) fn refuses(self, name: (Kind, usize)) -> Self {
        self.notes(name, Note::Refused("parameter_invalid".to_owned()))
    }

    pub(crate) fn needs_a_person(self, name: (Kind, usize), reason: ReviewReason) -> Self {
        let mut payment = self.record.payment.clone();
        payment.operations.get_mut(&named(name)).unwrap().attempt.require_review(reason);
        self.writes(payment)
    }

    fn takes(self, step: &Step) -> Self {
        let payment = take(Some(self.record.payment.clone()), step, self.now);
        self.writes(payment)
    }

    fn writes(mut self, taken: Payment) -> Self {
        let before = self.record.payment.state();
        let planned = planned(taken.clone(), self.now);
        for pair in [before, taken.state(), planned.state()].windows(2) {
            if pair[0] != pair[1] {
                self.changes.push((pair[0], pair[1]));
            }
        }
        self.record = seal(planned, Some(&self.record), None, Guard::Due, self.now, &Rules::production());
        let told = announced(&self.record);
        self.events.extend(told.iter().map(|event| {
            format!("{} {}", event.kind.as_str(), event.detail["data"]["operation"].as_str().unwrap())
        }));
        self.told.extend(told);
        self
    }

    /// What the decision says about the record as it is.
    pub(crate) fn next(&self) -> Next {
        let effect = effect::Turn { now: self.now, ..effect::Turn::default() };
        let turn = Turn {
            token: "w-1".to_owned(),
            deadline: self.now.plus_ms(seconds(60)),
            effect,
            ..Turn::default()
        };
        let limits = Limits { provider_timeout_ms: seconds(20), write_margin_ms: seconds(3) };
        decide(&self.record.payment, Some(&self.record), &turn, limits, &Rules::production())
    }

    pub(crate) fn state(&self) -> PaymentState {
        self.record.payment.state()
    }

    pub(crate) fn standing(&self, name: (Kind, usize)) -> Standing {
        self.record.payment.operations[&named(name)].attempt.standing
    }

    /// How an operation ended without effect: its standing and code.
    pub(crate) fn end(&self, name: (Kind, usize)) -> (Standing, Option<&str>) {
        let attempt = &self.record.payment.operations[&named(name)].attempt;
        (attempt.standing, attempt.code.as_deref())
    }

    /// Tells whether it was decided what an operation acts on.
    pub(crate) fn is_decided(&self, name: (Kind, usize)) -> bool {
        self.record.payment.operations[&named(name)].effect.target().is_some()
    }

    pub(crate) fn refundable(&self) -> u64 {
        self.record.payment.totals().refundable()
    }

    pub(crate) fn event_count(&self, event: &str) -> usize {
        self.events.iter().filter(|held| *held == event).count()
    }
}
