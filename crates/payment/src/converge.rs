//! The loop that makes a payment converge: plan, decide, one port call, again.

use effect::{Fact, Note, ProviderKey, Rules, Send, Time, conclude, hours, minutes};

use crate::{
    accept::accept,
    command::{Command, Malformed},
    decide::{Limits, Step, Turn, decide, due},
    ids::{OperationKey, PaymentId},
    laws::assert_may_send,
    plan::plan_in_place,
    ports::{Answer, Clock, Expected, Ledger, Object, Processor, Question, Request, SaveError},
    record::{Account, Claim, Effect, Payment, Record},
    seal::{Guard, seal},
};

/// The deployment's numbers and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Names the deployment in every provider key, so that two stacks never share one.
    pub stack: String,
    /// The protocol's numbers.
    pub rules: Rules,
    /// How long this function's own calls may take.
    pub limits: Limits,
    /// How often a write conflict is answered by deciding again.
    pub conflicts: u32,
}

/// What the caller knows about this invocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// Unique to this invocation and payment; names its claim.
    pub token: String,
    /// When the invocation is killed.
    pub deadline: Time,
    /// A random number from 0 to 1000.
    pub jitter_per_mille: u16,
    /// The command comes from a queue message that is received for the first time.
    pub is_first_receive: bool,
}

/// How a turn ended that recorded what it had to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Converged {
    /// The record holds the command and all that was learned; what is left is due.
    Recorded,
    /// The command can never be recorded: it belongs to the dead-letter queue.
    Rejected(Malformed),
}

/// Why a turn could not record what it had to: the command must come again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRecorded {
    /// Another worker holds the claim, and nothing but this message guards the payment.
    #[error("another worker holds the claim")]
    ClaimedElsewhere,
    /// The table did not take a write or could not be read.
    #[error("the table did not answer: {0}")]
    Table(&'static str),
    /// The stored item cannot be read.
    #[error("the stored item is corrupt: {0}")]
    Corrupt(&'static str),
    /// The record kept changing under this turn.
    #[error("the record kept changing")]
    Contended,
    /// The time left did not cover a write.
    #[error("no time left")]
    NoTime,
}

/// Drives one payment as far as this invocation can.
///
/// # Errors
/// Returns [`NotRecorded`] if the command, or what was learned, could not be recorded; it must then be delivered again.
pub async fn converge<L: Ledger, P: Processor, C: Clock>(
    ledger: &L,
    processor: &P,
    clock: &C,
    settings: &Settings,
    invocation: &Invocation,
    command: &Command,
) -> Result<Converged, NotRecorded> {
    // A charge usually creates its payment: the first write finds out, and reads what is there if it does not.
    let stored = match command {
        Command::Charge(_) => None,
        Command::Capture(_)
        | Command::Cancel(_)
        | Command::Refund(_)
        | Command::Wake { .. }
        | Command::Fact(_) => ledger.load(&command.payment_id()).await.map_err(|error| match error {
            crate::ports::LoadError::Unavailable(why) => NotRecorded::Table(why),
            crate::ports::LoadError::Corrupt(why) => NotRecorded::Corrupt(why),
        })?,
    };
    let turn = Turn { token: invocation.token.clone(), deadline: invocation.deadline, ..Turn::default() };
    let payment = match accept(stored.as_ref().map(|record| &record.payment), command, clock.now()) {
        Ok(payment) => payment,
        Err(malformed) => return Ok(Converged::Rejected(malformed)),
    };
    let mut worker = Worker {
        ledger,
        processor,
        clock,
        settings,
        invocation,
        command,
        id: stored.as_ref().map_or_else(|| payment.id(), |record| record.id.clone()),
        stored,
        payment,
        turn,
        facts: Vec::new(),
        conflicts: 0,
    };
    worker.turn.effect.jitter_per_mille = invocation.jitter_per_mille;
    worker.run().await
}

struct Worker<'a, L, P, C> {
    ledger: &'a L,
    processor: &'a P,
    clock: &'a C,
    settings: &'a Settings,
    invocation: &'a Invocation,
    command: &'a Command,
    /// The payment's identity: a digest, taken once.
    id: PaymentId,
    stored: Option<Record>,
    payment: Payment,
    turn: Turn,
    facts: Vec<(OperationKey, Fact)>,
    conflicts: u32,
}

/// What became of a write.
enum Saved {
    Won,
    DecideAgain,
    Rejected(Malformed),
}

impl<L: Ledger, P: Processor, C: Clock> Worker<'_, L, P, C> {
    async fn run(&mut self) -> Result<Converged, NotRecorded> {
        loop {
            self.turn.effect.now = self.clock.now();
            plan_in_place(&mut self.payment, self.turn.effect.now, &self.settings.rules);
            let step = decide(
                &self.payment,
                self.stored.as_ref(),
                &self.turn,
                self.settings.limits,
                &self.settings.rules,
            );
            tracing::debug!(?step, "decided");
            let saved = match step {
                Step::Arm(key, send) => self.arm(&key, send).await?,
                Step::Claim(key) => self.claim(&key).await?,
                Step::Send(key) => {
                    self.send(&key).await;
                    continue;
                }
                Step::LookUp(key, look) => {
                    self.look_up(&key, look).await;
                    continue;
                }
                Step::Save => self.save_outcome().await?,
                Step::Busy => return self.leave_alone(),
                Step::Stop => return Ok(Converged::Recorded),
            };
            match saved {
                Saved::Won | Saved::DecideAgain => {}
                Saved::Rejected(malformed) => return Ok(Converged::Rejected(malformed)),
            }
        }
    }

    /// Records the intent to send: the request frozen, the window's start, the claim. Only then may it be sent.
    async fn arm(&mut self, key: &OperationKey, send: Send) -> Result<Saved, NotRecorded> {
        self.turn.focus_on(key);
        let Some(account) = self.account(key, Note::NotDone).await else { return Ok(Saved::DecideAgain) };
        let claim = self.turn.claim();
        let Some(operation) = self.payment.operations.get(key) else { return Ok(Saved::DecideAgain) };
        let mut attempt = operation.attempt.clone();
        if send == Send::NextGeneration {
            attempt.generation += 1;
            attempt.frozen = None;
            attempt.barred = false;
        }
        if attempt.frozen.is_none() {
            let operation_id = key.id(&self.id);
            let provider_key = ProviderKey::derive(&self.settings.stack, &operation_id, attempt.generation);
            let Some(request) = self.request(key, attempt.generation) else {
                return Ok(Saved::DecideAgain);
            };
            attempt.frozen = Some(self.processor.prepare(&request, &operation_id, provider_key));
        }
        let fresh = !attempt.was_sent();
        attempt.first_sent_at = attempt.first_sent_at.or(Some(self.turn.effect.now));
        attempt.last_send_until = attempt.last_send_until.max(Some(claim.until));
        assert!(attempt.frozen.is_some(), "only a frozen request is armed");
        assert!(attempt.generation > 0 || !attempt.barred, "a barred key is not armed again");
        assert!(attempt.first_sent_at <= attempt.last_send_until, "no send ends before the first one began");
        self.payment.account = Some(account);
        if let Some(operation) = self.payment.operations.get_mut(key) {
            operation.attempt = attempt;
        }
        let saved = self.save(Some(claim), self.guard()).await?;
        if matches!(saved, Saved::Won) {
            self.turn.claimed = true;
            self.turn.effect = effect::Turn { armed: true, fresh, ..self.turn.renewed_for(key) };
        }
        Ok(saved)
    }

    async fn claim(&mut self, key: &OperationKey) -> Result<Saved, NotRecorded> {
        self.turn.focus_on(key);
        if self.account(key, Note::NotTold).await.is_none() {
            return Ok(Saved::DecideAgain);
        }
        let saved = self.save(Some(self.turn.claim()), self.guard()).await?;
        if matches!(saved, Saved::Won) {
            self.turn.claimed = true;
        }
        Ok(saved)
    }

    /// Returns the account in force, or concludes why it cannot be used.
    async fn account(&mut self, key: &OperationKey, unreadable: Note) -> Option<Account> {
        let note = match self.processor.account().await {
            Ok(account) if self.payment.account.as_ref().is_none_or(|held| *held == account) => {
                return Some(account);
            }
            Ok(_) => {
                tracing::error!(alarm = "account_changed", operation = %key, "the secret belongs to another account");
                Note::AccountChanged
            }
            Err(error) => {
                tracing::error!(alarm = "no_credentials", operation = %key, %error, "the provider cannot be called");
                unreadable
            }
        };
        self.apply(key, Answer { facts: Vec::new(), note: Some(note) });
        None
    }

    async fn send(&mut self, key: &OperationKey) {
        let Some(expected) = self.expected(key) else { return };
        let Some(frozen) = self.payment.operations.get(key).and_then(|op| op.attempt.frozen.clone()) else {
            return;
        };
        assert_may_send(&self.turn, self.stored.as_ref(), key, &frozen);
        self.turn.calls += 1;
        let answer = self.processor.send(&frozen, &expected).await;
        self.turn.effect.sends += 1;
        self.turn.effect.now = self.clock.now();
        self.apply(key, answer);
    }

    async fn look_up(&mut self, key: &OperationKey, look: effect::Look) {
        self.turn.focus_on(key);
        let Some(question) = self.question(key, look) else { return };
        assert!(self.turn.claimed, "the provider is asked under a claim alone");
        assert!(question.from <= question.to, "a question is about a time that has a length");
        self.turn.calls += 1;
        let answer = self.processor.look_up(&question).await;
        self.turn.effect.now = self.clock.now();
        self.apply(key, answer);
    }

    fn apply(&mut self, key: &OperationKey, answer: Answer) {
        let carrier = self.payment.carrier_of(key);
        for fact in answer.facts {
            self.payment.absorb(&carrier, &fact);
            self.facts.push((carrier.clone(), fact));
        }
        if let (Some(note), Some(operation)) = (answer.note, self.payment.operations.get_mut(key)) {
            conclude(&mut operation.attempt, note, &mut self.turn.effect, &self.settings.rules);
        }
    }

    async fn save_outcome(&mut self) -> Result<Saved, NotRecorded> {
        // An intent that this turn recorded and then had no time to send was certainly not sent.
        if self.turn.effect.armed
            && self.turn.effect.sends == 0
            && let Some(key) = self.turn.focus.clone()
        {
            self.apply(&key, Answer { facts: Vec::new(), note: Some(Note::NotDone) });
            self.turn.effect.armed = false;
        }
        let foreign = self
            .stored
            .as_ref()
            .filter(|record| record.is_claimed_by_another(&self.turn.token, self.turn.effect.now))
            .and_then(|record| record.claim.clone());
        let saved = self.save(foreign, Guard::Due).await?;
        if matches!(saved, Saved::Won) {
            self.turn.claimed = false;
            self.turn.focus = None;
            self.turn.effect.armed = false;
        }
        Ok(saved)
    }

    fn leave_alone(&self) -> Result<Converged, NotRecorded> {
        let guarded = self.stored.as_ref().is_some_and(|record| record.due_at.is_some());
        let nothing_left = due(&self.payment, None, &self.settings.rules).is_none();
        if guarded || nothing_left { Ok(Converged::Recorded) } else { Err(NotRecorded::ClaimedElsewhere) }
    }

    const fn guard(&self) -> Guard {
        if self.invocation.is_first_receive { Guard::Redelivery } else { Guard::Due }
    }

    async fn save(&mut self, claim: Option<Claim>, guard: Guard) -> Result<Saved, NotRecorded> {
        let now = self.turn.effect.now;
        if now.plus_ms(self.settings.limits.write_margin_ms) > self.turn.deadline && !self.turn.claimed {
            return Err(NotRecorded::NoTime);
        }
        let next = seal(self.payment.clone(), self.stored.as_ref(), claim, guard, now, &self.settings.rules);
        match self.ledger.save(self.stored.as_ref(), &next).await {
            Ok(()) => {
                self.adopt(next);
                Ok(Saved::Won)
            }
            // The write whose reply was lost, retried below us, fails on its own result: it was ours, and it won.
            Err(SaveError::Conflict(Some(current))) if is_own_write(&current, &next) => {
                self.adopt(*current);
                Ok(Saved::Won)
            }
            Err(SaveError::Conflict(current)) => self.decide_again(current.map(|record| *record)),
            Err(SaveError::NotDone(why) | SaveError::Unknown(why)) => Err(NotRecorded::Table(why)),
            Err(SaveError::Corrupt(why)) => Err(NotRecorded::Corrupt(why)),
        }
    }

    fn adopt(&mut self, record: Record) {
        assert_eq!(record.id, self.id, "a turn works on one payment");
        self.payment = record.payment.clone();
        self.stored = Some(record);
    }

    /// Starts over from the record as it stands now. Facts are taken along; notes are not.
    fn decide_again(&mut self, current: Option<Record>) -> Result<Saved, NotRecorded> {
        assert!(self.conflicts <= self.settings.conflicts, "conflicts are counted up to the setting");
        self.conflicts += 1;
        if self.conflicts > self.settings.conflicts {
            return Err(NotRecorded::Contended);
        }
        let now = self.clock.now();
        let mut payment = match accept(current.as_ref().map(|record| &record.payment), self.command, now) {
            Ok(payment) => payment,
            Err(malformed) => return Ok(Saved::Rejected(malformed)),
        };
        for (charge, fact) in &self.facts {
            payment.absorb(charge, fact);
        }
        self.turn.claimed = current
            .as_ref()
            .and_then(|record| record.claim.as_ref())
            .is_some_and(|claim| claim.token == self.turn.token);
        self.turn.focus = None;
        self.turn.effect = self.turn.effect.renewed();
        self.payment = payment;
        self.stored = current;
        Ok(Saved::DecideAgain)
    }

    fn request(&self, key: &OperationKey, generation: u32) -> Option<Request> {
        let id = || self.payment.provider_id(&self.payment.charge_of(key)).map(str::to_owned);
        match &self.payment.operations.get(key)?.effect {
            Effect::Charge { amount, currency, customer, payment_method, capture } if generation == 0 => {
                Some(Request::CreateIntent {
                    amount: *amount,
                    currency: *currency,
                    customer: customer.clone(),
                    payment_method: payment_method.clone(),
                    capture: *capture,
                })
            }
            Effect::Charge { payment_method, .. } => {
                Some(Request::ConfirmIntent { id: id()?, payment_method: payment_method.clone() })
            }
            Effect::Capture { amount, .. } => Some(Request::CaptureIntent { id: id()?, amount: (*amount)? }),
            Effect::Cancel { .. } | Effect::Void { .. } => Some(Request::CancelIntent { id: id()? }),
            Effect::Refund { amount, .. } => {
                Some(Request::CreateRefund { intent: id()?, amount: (*amount)? })
            }
        }
    }

    fn expected(&self, key: &OperationKey) -> Option<Expected> {
        let charge_key = self.payment.charge_of(key);
        let charge = self.payment.operations.get(&charge_key)?;
        let Effect::Charge { amount, currency, customer, .. } = &charge.effect else { return None };
        let (amount, object) = match &self.payment.operations.get(key)?.effect {
            Effect::Refund { amount, .. } => {
                let intent = self.payment.provider_id(&charge_key)?.to_owned();
                ((*amount)?, Object::Refund { intent })
            }
            Effect::Charge { .. } | Effect::Capture { .. } | Effect::Cancel { .. } | Effect::Void { .. } => {
                (*amount, Object::Intent { customer: customer.clone() })
            }
        };
        Some(Expected {
            kind: key.kind,
            operation_id: self.payment.carrier_of(key).id(&self.id),
            amount,
            currency: *currency,
            object,
        })
    }

    fn question(&self, key: &OperationKey, look: effect::Look) -> Option<Question> {
        let carrier = self.payment.operations.get(&self.payment.carrier_of(key))?;
        let sent = carrier.attempt.first_sent_at.unwrap_or(carrier.accepted_at);
        let until = carrier.attempt.last_send_until.unwrap_or(sent);
        Some(Question {
            look,
            id: self.payment.provider_id(key).map(str::to_owned),
            // The provider's clock may differ from ours, and its request may outlive our wait for it.
            from: sent.plus_ms(-minutes(10)),
            to: until.plus_ms(hours(1)),
            cursor: self.turn.effect.cursor.clone(),
            expected: self.expected(key)?,
        })
    }
}

fn is_own_write(current: &Record, attempted: &Record) -> bool {
    let as_leased = Record { due_at: attempted.due_at, woken_for: attempted.woken_for, ..current.clone() };
    as_leased == *attempted
}
