//! What becomes of a payment once faults stop: one worker at a time, every request carried out, every reply heard.

use crate::{
    checker::Model,
    provider::{Serve, Status, Verdict},
    record::Standing,
    system::{Action, State, System},
    worker::{At, Command, Look, Step},
};

/// Steps within which a payment must settle.
const ENOUGH: usize = 120;

impl System {
    /// Whether the payment settles when nothing goes wrong any more, and its intents are all found.
    #[must_use]
    pub fn settles(&self, state: &State) -> bool {
        let mut now = *state;
        for _ in 0..ENOUGH {
            if self.is_settled(&now) {
                let is_known = |(before, after): (&crate::record::Charge, &crate::record::Charge)| {
                    before.review.is_some() || after.review.is_none()
                };
                let has_intent = |number: usize| state.provider.intents_of(number) != 0;
                let pairs = state.record.charges.iter().zip(&now.record.charges).enumerate();
                return pairs.filter(|(number, _)| has_intent(*number)).all(|(_, pair)| is_known(pair));
            }
            // A fruitless look is followed by a longer wait, here a tick, and not by another look at once.
            if now.is_quiet() {
                now = self.next(&now, Action::Tick);
            }
            now = self.next(&now, self.smoothly(&now));
        }
        false
    }

    fn is_settled(&self, state: &State) -> bool {
        let mut is_blocked = false;
        state.is_quiet()
            && state.record.charges.iter().all(|charge| {
                let rests = charge.rests() || (is_blocked && charge.standing == Standing::Pending);
                is_blocked |= charge.review.is_some();
                rests
            })
    }

    fn smoothly(&self, state: &State) -> Action {
        for (number, intent) in state.provider.intents.iter().enumerate() {
            if intent.is_some_and(|intent| intent.status == Status::Processing) {
                return Action::Settle(number as u8, Status::Succeeded);
            }
        }
        for (number, request) in state.requests.iter().enumerate() {
            let Some(request) = request else { continue };
            let mut options = Vec::new();
            state.provider.options(request, false, &mut options);
            let good = [Serve::Arrive, Serve::Create, Serve::Confirm(Verdict::Paid), Serve::Cancel];
            if let Some(&serve) = good.iter().find(|serve| options.contains(serve)) {
                return Action::Hear(number as u8, serve);
            }
        }
        for (number, worker) in state.workers.iter().enumerate() {
            let me = number as u8;
            match worker.at {
                At::Idle | At::Unsure => {}
                At::Waiting => return Action::Break(me),
                At::Deciding => {
                    return match self.step_of(state, me) {
                        Some(Step::Look(op, Look::ById)) => {
                            Action::See(me, worker.view.charges[op.charge()].ids)
                        }
                        Some(Step::Look(op, Look::List | Look::Search)) => {
                            Action::See(me, state.provider.intents_of(op.charge()))
                        }
                        Some(Step::Write(_) | Step::Send(_) | Step::Stop) | None => Action::Step(me),
                    };
                }
            }
        }
        if self.started(state, 0, Command::Wake).is_some() {
            Action::Start(0, Command::Wake)
        } else {
            Action::Tick
        }
    }
}
