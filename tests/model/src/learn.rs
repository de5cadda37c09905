//! What a worker concludes from a reply, from silence, and from looking.

use crate::{
    protocol::{Breakage, Protocol},
    provider::{Intent, Reply, Status},
    record::{Fact, INTENTS, Record, Review, Standing, WINDOW},
    worker::{At, Command, Look, Op, Worker},
};

impl Worker {
    /// Starts an invocation from what the table holds.
    #[must_use]
    pub fn started(
        record: &Record,
        command: Command,
        intents: &[Option<Intent>; INTENTS],
        protocol: Protocol,
    ) -> Self {
        let mut worker = Self { at: At::Deciding, command, ..Self::default() };
        worker.read(record, intents, protocol);
        worker
    }

    /// Starts over from the record as it is now: facts are kept, notes are not.
    pub fn read(&mut self, record: &Record, intents: &[Option<Intent>; INTENTS], protocol: Protocol) {
        let ambiguous = self.turn.ambiguous;
        self.at = At::Deciding;
        self.is_stale = false;
        self.view = *record;
        self.turn = crate::worker::Turn { ambiguous, ..crate::worker::Turn::default() };
        match self.command {
            Command::Charge(number) => self.view.charges[usize::from(number)].accepted = true,
            Command::Wake => {}
            Command::Fact(intent, fact) => self.facts[usize::from(intent)] |= bit(fact),
        }
        for (number, intent) in intents.iter().enumerate() {
            for fact in [Fact::Seen, Fact::Declined, Fact::Succeeded, Fact::Canceled] {
                if let Some(intent) = intent.filter(|_| self.facts[number] & bit(fact) != 0) {
                    self.view.absorb(usize::from(intent.charge), number as u8, fact, protocol);
                }
            }
        }
        self.view.plan();
        self.is_dirty = self.view != *record;
    }

    /// Takes in the reply to the request in hand.
    pub fn hear(&mut self, reply: Reply, intents: &[Option<Intent>; INTENTS], protocol: Protocol) {
        self.turn.sends += 1;
        self.turn.resend = false;
        match reply {
            Reply::Is(intent, status) => {
                self.take_in(intent, status, intents, protocol);
                self.turn.done |= matches!(status, Status::Unconfirmed | Status::Processing);
            }
            Reply::Error => self.ambiguous(true, protocol),
            Reply::SavedError => {
                self.ambiguous(false, protocol);
                if let Some(Op::Charge(number)) = self.turn.focus {
                    self.view.charges[usize::from(number)].barred = true;
                }
                self.turn.done = false;
            }
            Reply::InFlight => self.ambiguous(false, protocol),
            Reply::NotDone => self.not_done(protocol),
            Reply::Refused => self.refused(protocol),
            Reply::Unexpected => {
                self.ambiguous(false, protocol);
                self.turn.seen = None;
                self.turn.done = false;
            }
        }
        self.settle_view();
    }

    /// Concludes from silence: the connection broke, or the wait was over.
    pub fn hear_nothing(&mut self, timed_out: bool, protocol: Protocol) {
        self.turn.sends += 1;
        self.ambiguous(!timed_out, protocol);
        if timed_out
            && protocol.breaks(Breakage::TimeoutIsFailure)
            && let Some(Op::Charge(number)) = self.turn.focus
        {
            self.view.charges[usize::from(number)].standing = Standing::Failed;
        }
        self.settle_view();
    }

    /// Takes in the answer to a question: the intents found, one bit each.
    pub fn see(
        &mut self,
        op: Op,
        look: Look,
        found: u8,
        intents: &[Option<Intent>; INTENTS],
        protocol: Protocol,
    ) {
        for (number, intent) in intents.iter().enumerate() {
            if let Some(intent) = intent.filter(|_| found & (1 << number) != 0) {
                self.take_in(number as u8, intent.status, intents, protocol);
                self.turn.seen = (look == Look::ById).then_some(intent.status);
            }
        }
        self.turn.listed |= look == Look::List;
        self.turn.searched |= look == Look::Search;
        let charge = &mut self.view.charges[op.charge()];
        if charge.ids == 0 && look != Look::ById {
            let is_open = charge.sent.is_some_and(|sent| sent.age < WINDOW);
            self.turn.done |= is_open;
            if !is_open && self.turn.searched {
                self.is_dirty = true;
                if protocol.breaks(Breakage::AbsenceIsProof) {
                    charge.standing = Standing::Failed;
                } else {
                    charge.review = Some(Review::WindowOver);
                }
            }
        }
        self.settle_view();
    }

    /// Notes that a question was not answered.
    pub const fn see_nothing(&mut self) {
        self.turn.done = true;
    }

    fn take_in(
        &mut self,
        number: u8,
        status: Status,
        intents: &[Option<Intent>; INTENTS],
        protocol: Protocol,
    ) {
        let Some(intent) = intents[usize::from(number)] else { return };
        let fact = match status {
            Status::Unconfirmed | Status::Processing => Fact::Seen,
            Status::Declined => Fact::Declined,
            Status::Succeeded => Fact::Succeeded,
            Status::Canceled => Fact::Canceled,
        };
        let before = self.view;
        self.view.absorb(usize::from(intent.charge), number, fact, protocol);
        self.view.plan();
        if self.view != before {
            self.is_dirty = true;
            self.facts[usize::from(number)] |= bit(fact);
        }
    }

    fn ambiguous(&mut self, resend: bool, protocol: Protocol) {
        self.turn.ambiguous = true;
        self.turn.resend = resend;
        self.turn.done = true;
        self.is_dirty = true;
        let to =
            if protocol.breaks(Breakage::VoidIsAssumed) { Standing::Succeeded } else { Standing::Unknown };
        match self.turn.focus {
            Some(Op::Charge(number)) => {
                let standing = &mut self.view.charges[usize::from(number)].standing;
                *standing = (*standing).max(Standing::Unknown);
            }
            Some(Op::Void(number)) => {
                if let Some(void) = &mut self.view.charges[usize::from(number)].void {
                    void.standing = void.standing.max(to);
                }
            }
            None => {}
        }
    }

    fn refused(&mut self, protocol: Protocol) {
        let Some(Op::Charge(number)) = self.turn.focus else { return self.ambiguous(false, protocol) };
        let charge = &mut self.view.charges[usize::from(number)];
        let was_first = self.turn.fresh && !self.turn.ambiguous && charge.standing == Standing::Pending;
        if was_first || (protocol.breaks(Breakage::RefusedDespiteAnEarlierSend) && charge.ids == 0) {
            charge.standing = Standing::Refused;
            self.is_dirty = true;
            self.turn.done = true;
        } else {
            self.ambiguous(false, protocol);
        }
    }

    fn settle_view(&mut self) {
        self.view.plan();
        self.at = At::Deciding;
    }
}

const fn bit(fact: Fact) -> u8 {
    match fact {
        Fact::Seen => 1,
        Fact::Declined => 2,
        Fact::Succeeded => 4,
        Fact::Canceled => 8,
    }
}
