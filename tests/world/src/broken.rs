//! Deliberate breakages, applied at the ports: the code under test stays as it is, and what it asked for is changed.

use std::borrow::Cow;

use effect::{Fact, Frozen, Note, Outcome, ProviderKey, ReviewReason, Standing, Time};
use payment::{
    Account, Effect, Kind, Record,
    ports::{Answer, Expected, NoCredentials, Processor as ProcessorPort, Question, Request},
};
use publish::Announcement;
use stripe_wire::Stripe;

use crate::{asked::Asked, breakage::Breakage, ports::Worker, state::State};

/// The real processor, run by one build of our code, and broken on request.
#[derive(Clone)]
pub(crate) struct Processor {
    pub(crate) stripe: Stripe<Worker>,
    pub(crate) worker: Worker,
}

impl ProcessorPort for Processor {
    async fn account(&self) -> Result<Account, NoCredentials> {
        self.stripe.account().await
    }

    fn prepare(&self, request: &Request, operation_id: &str, key: ProviderKey) -> Frozen {
        let mut frozen = self.stripe.prepare(request, operation_id, key);
        // The second build of a rolling deploy freezes other bytes for the same request.
        if self.worker.build == 1 && frozen.path == "/v1/payment_intents" {
            frozen.body.push_str("&description=second+build");
        }
        frozen
    }

    async fn send(&self, frozen: &Frozen, expected: &Expected) -> Answer {
        let mut frozen = frozen.clone();
        if self.is_broken(Breakage::BodyPreparedAgain) && frozen.path == "/v1/payment_intents" {
            let plain = frozen.body.trim_end_matches("&description=second+build").to_owned();
            frozen.body =
                if self.worker.build == 1 { format!("{plain}&description=second+build") } else { plain };
        }
        self.distort(self.stripe.send(&frozen, expected).await)
    }

    async fn look_up(&self, question: &Question) -> Answer {
        self.distort(self.stripe.look_up(question).await)
    }
}

impl Processor {
    fn is_broken(&self, breakage: Breakage) -> bool {
        self.worker.with(|state| state.is_broken(breakage))
    }

    fn distort(&self, answer: Answer) -> Answer {
        let breakage = self.worker.with(|state| state.options.breakage);
        let refused = |code: &str| Answer { facts: Vec::new(), note: Some(Note::Refused(code.to_owned())) };
        match (breakage, &answer.note) {
            (Some(Breakage::TimeoutAsFailure), Some(Note::Ambiguous { resend: false })) => refused("timeout"),
            (Some(Breakage::AbsenceAsProof), Some(Note::Hits { candidates, more: None }))
                if candidates.is_empty() =>
            {
                self.worker.with(|state| state.absent = true);
                answer
            }
            (Some(Breakage::ProcessingAsSuccess), Some(Note::Status(effect::Status::Processing))) => Answer {
                facts: answer
                    .facts
                    .iter()
                    .map(|fact| Fact { id: fact.id.clone(), outcome: Some(Outcome::Succeeded) })
                    .collect(),
                note: None,
            },
            (Some(Breakage::ConflictLowersUnknown), Some(Note::Ambiguous { resend: false })) => {
                self.worker.with(|state| state.lowered = true);
                answer
            }
            (_, _) => answer,
        }
    }
}

/// Changes what a broken protocol would write.
#[expect(clippy::wildcard_enum_match_arm, reason = "the breakages not named here change no write")]
pub(crate) fn tamper(state: &mut State, worker: &Worker, expected: Option<&Record>, next: &Record) -> Record {
    let mut record = next.clone();
    let Some(breakage) = state.options.breakage else { return record };
    let (absent, lowered) = (std::mem::take(&mut state.absent), std::mem::take(&mut state.lowered));
    let before = expected.map(|record| &record.payment.operations);
    for (key, operation) in &mut record.payment.operations {
        let attempt = &mut operation.attempt;
        let was = before.and_then(|held| held.get(key)).map(|operation| operation.attempt.standing);
        match breakage {
            Breakage::WindowIgnored if attempt.first_sent_at.is_some() => {
                attempt.first_sent_at = Some(Time(state.now + effect::hours(10_000)));
            }
            Breakage::WindowFromLastAttempt if attempt.first_sent_at.is_some() && record.claim.is_some() => {
                attempt.first_sent_at = Some(Time(state.now + worker.skew_ms));
            }
            Breakage::AbsenceAsProof
                if (absent || attempt.review == Some(ReviewReason::WindowOver))
                    && attempt.standing == Standing::Unknown
                    && attempt.ids.is_empty() =>
            {
                attempt.review = None;
                attempt.standing = Standing::Refused;
            }
            Breakage::ConflictLowersUnknown if lowered && !attempt.standing.is_ended() => {
                attempt.standing = Standing::Pending;
                attempt.first_sent_at = None;
                attempt.last_send_until = None;
            }
            Breakage::FailedStaysFailed if was == Some(Standing::Failed) => {
                attempt.standing = Standing::Failed
            }
            Breakage::RankIgnored if was == Some(Standing::Succeeded) => attempt.standing = Standing::Unknown,
            Breakage::FurtherAttemptWithoutVoid if is_void(&operation.effect) => {
                attempt.standing = Standing::Succeeded;
            }
            Breakage::CapIgnored if attempt.code.as_deref() == Some(payment::AMOUNT_ABOVE_REFUNDABLE) => {
                if let Effect::Refund { charge, amount: Some(_) } = &mut operation.effect {
                    *charge = "1".parse().ok();
                    (attempt.standing, attempt.code) = (Standing::Pending, None);
                }
            }
            Breakage::AnnouncedEarly if attempt.was_sent() && was.is_none() => {
                record.announce = Some(format!("{}:succeeded", key.id(&record.id)));
                let at = payment::Announced { version: record.version, time: record.updated_at };
                operation.outcomes.insert("succeeded".to_owned(), at);
            }
            _ => {}
        }
    }
    if breakage == Breakage::DueDroppedOnConflict && state.conflicted.remove(&worker.task) {
        record.due_at = None;
    }
    record
}

/// Changes what a broken executor would report as failed.
pub(crate) fn misreport(state: &State, mut failed: Vec<String>) -> Vec<String> {
    match state.options.breakage {
        Some(Breakage::AcknowledgedOnLiveClaim) => failed.clear(),
        Some(Breakage::PartialBatchMisreported) => failed.truncate(1),
        Some(_) | None => {}
    }
    failed
}

/// Changes the ids that a broken publisher would give.
pub(crate) fn rename_events(state: &State, mut announcements: Vec<Announcement>) -> Vec<Announcement> {
    if state.is_broken(Breakage::EventIdByVersion) {
        for announcement in &mut announcements {
            for entry in announcement.entries.iter_mut().flatten() {
                let operation = entry.id.rsplit_once(':').map_or("", |(operation, _)| operation).to_owned();
                entry.id = format!("{operation}:v{}", announcement.sequence_number);
            }
        }
    }
    announcements
}

/// Returns the deduplication id and body under which a broken caller would send a command.
pub(crate) fn renamed<'a>(state: &State, asked: &'a Asked, index: usize) -> (Cow<'a, str>, Cow<'a, str>) {
    if state.is_broken(Breakage::RefundNamedPerRequest) && asked.key.kind == Kind::Refund {
        let own = format!("\"ref\":\"{}-{index}\"", asked.key.reference);
        let body = asked.body.replace(&format!("\"ref\":\"{}\"", asked.key.reference), &own);
        return (Cow::Owned(format!("{}-{index}", asked.deduplication_id)), Cow::Owned(body));
    }
    (Cow::Borrowed(&asked.deduplication_id), Cow::Borrowed(&asked.body))
}

fn is_void(effect: &Effect) -> bool {
    matches!(effect, Effect::Void { .. })
}
