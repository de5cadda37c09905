//! A worker: what it read, what it learned in this turn, and the one step it takes next.

use crate::{
    protocol::{Breakage, Protocol},
    provider::{Ask, Status},
    record::{Claim, Fact, INTENTS, Record, Standing, WINDOW},
};

/// Ticks from a worker's start to the end of its claim: it is killed at the second tick.
pub const LIFE: u8 = 2;

/// An operation of the payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// A charge attempt.
    Charge(u8),
    /// The void of a charge attempt.
    Void(u8),
}

impl Op {
    /// The charge it is, or whose intent it voids.
    #[must_use]
    pub fn charge(self) -> usize {
        match self {
            Self::Charge(charge) | Self::Void(charge) => usize::from(charge),
        }
    }
}

/// What starts a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Command {
    /// Make this charge attempt.
    Charge(u8),
    /// Look whether something is to be done.
    #[default]
    Wake,
    /// An intent is, or was, this: a webhook.
    Fact(u8, Fact),
}

/// What a worker writes, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Write {
    /// The intent to send, under a claim.
    Arm(Op),
    /// A claim, to be allowed to look.
    Claim(Op),
    /// What is known, without a claim of its own.
    Save,
}

/// A question to the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Look {
    /// What is the intent with the known id?
    ById,
    /// Which intents are there?
    List,
    /// Which intents carry this operation's id?
    Search,
}

/// The one thing a worker does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Write the record.
    Write(Write),
    /// Send what was armed.
    Send(Ask),
    /// Ask the provider.
    Look(Op, Look),
    /// End the invocation.
    Stop,
}

/// Where a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum At {
    /// Not running.
    #[default]
    Idle,
    /// About to take its next step.
    Deciding,
    /// Its write was made, and the reply was lost: about to write the same again.
    Unsure,
    /// Waiting for the provider's reply.
    Waiting,
}

/// What a worker learned about the operation it works on. Never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Turn {
    /// The operation.
    pub focus: Option<Op>,
    /// The request whose intent to send is on record.
    pub armed: Option<Ask>,
    /// That intent was the first ever.
    pub fresh: bool,
    /// Sends under that intent.
    pub sends: u8,
    /// Some outcome was ambiguous.
    pub ambiguous: bool,
    /// One more send may help.
    pub resend: bool,
    /// The intent was retrieved, and is this.
    pub seen: Option<Status>,
    /// The list was read.
    pub listed: bool,
    /// The search was read.
    pub searched: bool,
    /// Nothing more is to be done in this turn.
    pub done: bool,
}

/// A worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Worker {
    /// Where it is.
    pub at: At,
    /// A tick has passed since it started.
    pub is_old: bool,
    /// The table holds another version than the one it read.
    pub is_stale: bool,
    /// It knows something that the version it read does not hold.
    pub is_dirty: bool,
    /// What started it, until it is on record.
    pub command: Command,
    /// The record as it knows it.
    pub view: Record,
    /// Facts it learned and has not recorded, one bit for each kind, by intent.
    pub facts: [u8; INTENTS],
    /// This turn.
    pub turn: Turn,
}

enum Next {
    Nothing,
    Send(Ask),
    Arm,
    Look(Look),
}

impl Worker {
    /// The claim it makes.
    #[must_use]
    pub fn claim(&self, me: u8) -> Claim {
        Claim { owner: Some(me), left: LIFE - u8::from(self.is_old) }
    }

    /// Decides what to do next. The worker's clock is read here, so directly before a send.
    #[must_use]
    pub fn decide(&self, me: u8, protocol: Protocol) -> Step {
        let has_claim = self.view.claim.is_some_and(|claim| claim.owner == Some(me));
        if self.view.claim.is_some() && !has_claim {
            return if self.is_dirty { Step::Write(Write::Save) } else { Step::Stop };
        }
        // What is armed is sent before anything else is looked at.
        let armed = self.turn.focus.filter(|_| self.turn.due_send().is_some());
        for op in armed.into_iter().chain([Op::Charge(0), Op::Void(0), Op::Charge(1), Op::Void(1)]) {
            let turn = if self.turn.focus == Some(op) { self.turn } else { Turn::default() };
            let next = match op {
                Op::Charge(charge) if self.view.may_begin(op.charge(), protocol) => {
                    self.next_of_charge(charge, &turn, protocol)
                }
                Op::Charge(_) => Next::Nothing,
                Op::Void(charge) => self.next_of_void(charge, &turn),
            };
            match next {
                Next::Nothing => {}
                Next::Send(ask) => return Step::Send(ask),
                Next::Arm => return Step::Write(Write::Arm(op)),
                Next::Look(look) if has_claim || protocol.breaks(Breakage::EffectBeforeRecord) => {
                    return Step::Look(op, look);
                }
                Next::Look(_) => return Step::Write(Write::Claim(op)),
            }
        }
        if self.is_dirty || has_claim { Step::Write(Write::Save) } else { Step::Stop }
    }

    fn next_of_charge(&self, number: u8, turn: &Turn, protocol: Protocol) -> Next {
        let charge = &self.view.charges[usize::from(number)];
        if !charge.accepted || charge.review.is_some() || charge.standing.is_ended() {
            return Next::Nothing;
        }
        let is_open =
            charge.sent.is_none_or(|sent| sent.age < WINDOW) || protocol.breaks(Breakage::WindowIgnored);
        if let Some(ask) = turn.due_send() {
            let create = matches!(ask, Ask::Create(_));
            if !create || is_open || protocol.breaks(Breakage::WindowJudgedAtTheSaveOnly) {
                return Next::Send(ask);
            }
        }
        if turn.done {
            return Next::Nothing;
        }
        let is_quiet = charge.sent.is_none_or(|sent| sent.until < 0);
        if charge.ids != 0 {
            return match turn.seen {
                None => Next::Look(Look::ById),
                Some(Status::Unconfirmed) if is_quiet && turn.armed.is_none() => Next::Arm,
                Some(_) => Next::Nothing,
            };
        }
        match (is_open, charge.barred) {
            (true, false) if turn.armed.is_none() => Next::Arm,
            (true, true) if !turn.listed => Next::Look(Look::List),
            (true, false | true) => Next::Nothing,
            (false, _) if !is_quiet => Next::Nothing,
            (false, _) if !turn.listed => Next::Look(Look::List),
            (false, _) if !turn.searched => Next::Look(Look::Search),
            (false, _) => Next::Nothing,
        }
    }

    fn next_of_void(&self, number: u8, turn: &Turn) -> Next {
        let charge = &self.view.charges[usize::from(number)];
        let Some(void) = charge.void.filter(|void| !void.standing.is_ended()) else { return Next::Nothing };
        if charge.only_id().is_none() {
            return Next::Nothing;
        }
        if let Some(ask) = turn.due_send() {
            return Next::Send(ask);
        }
        match turn.seen {
            _ if turn.done => Next::Nothing,
            _ if !void.sent => Next::Arm,
            None => Next::Look(Look::ById),
            Some(_) if turn.armed.is_none() => Next::Arm,
            Some(_) => Next::Nothing,
        }
    }

    /// Brings what it knows into the form in which it is written.
    pub fn prepare(&mut self, write: Write, me: u8, protocol: Protocol) {
        match write {
            Write::Arm(op) => self.arm(op, me),
            Write::Claim(op) => {
                self.focus_on(op);
                self.view.claim = Some(self.claim(me));
            }
            Write::Save => {
                if self.turn.armed.is_some() && self.turn.sends == 0 {
                    self.not_done(protocol);
                }
                self.view.claim = self.view.claim.filter(|claim| claim.owner != Some(me));
            }
        }
    }

    fn arm(&mut self, op: Op, me: u8) {
        self.focus_on(op);
        let claim = self.claim(me);
        let until = claim.left.cast_signed();
        let charge = &mut self.view.charges[op.charge()];
        let (ask, fresh) = match (op, charge.only_id()) {
            (Op::Charge(number), None) => (Ask::Create(number), charge.sent.is_none()),
            (Op::Charge(_), Some(id)) => (Ask::Confirm(id), charge.sent.is_none()),
            (Op::Void(_), id) => {
                let void = charge.void.get_or_insert_default();
                let fresh = !void.sent;
                void.sent = true;
                (Ask::Cancel(id.unwrap_or(0)), fresh)
            }
        };
        if matches!(op, Op::Charge(_)) {
            let sent = charge.sent.get_or_insert(crate::record::Sent { age: 0, until });
            sent.until = sent.until.max(until);
        }
        self.view.claim = Some(claim);
        self.turn = Turn { focus: Some(op), armed: Some(ask), fresh, ..Turn::default() };
    }

    fn focus_on(&mut self, op: Op) {
        if self.turn.focus != Some(op) {
            self.turn = Turn { focus: Some(op), ..Turn::default() };
        }
    }

    /// Notes that the send in hand was certainly not carried out.
    pub fn not_done(&mut self, protocol: Protocol) {
        let is_first = self.turn.fresh && !self.turn.ambiguous;
        let forgets = protocol.breaks(Breakage::NotDoneForgetsTheFirstSend);
        match self.turn.focus {
            Some(Op::Charge(number)) => {
                let charge = &mut self.view.charges[usize::from(number)];
                if forgets || (is_first && charge.standing == Standing::Pending) {
                    charge.sent = None;
                }
            }
            Some(Op::Void(number)) => {
                if let Some(void) = &mut self.view.charges[usize::from(number)].void
                    && is_first
                    && void.standing == Standing::Pending
                {
                    void.sent = false;
                }
            }
            None => {}
        }
        self.is_dirty = true;
        self.turn.resend = false;
        self.turn.done = true;
    }
}

impl Turn {
    /// Drops what no decision of this turn can depend on any more.
    pub fn forget_what_is_over(&mut self) {
        let has_send_left = self.armed.is_some() && (self.sends == 0 || self.due_send().is_some());
        if self.done && !has_send_left {
            *self = Self { focus: self.focus, ambiguous: self.ambiguous, done: true, ..Self::default() };
        }
    }

    fn due_send(&self) -> Option<Ask> {
        self.armed.filter(|_| self.sends == 0 || (self.resend && self.sends == 1))
    }
}
