//! What must hold always, and what must be seen sometimes.

use crate::{
    checker::Property,
    provider::{Ask, Intent, Key, Serve, Status},
    record::{Charge, Standing, WINDOW},
    system::{Action, State, System},
    worker::{At, Step},
};

fn property(name: &'static str, holds: crate::checker::Statement<System>) -> Property<System> {
    Property { name, is_of_state: false, holds }
}

fn of_state(name: &'static str, holds: crate::checker::Statement<System>) -> Property<System> {
    Property { name, is_of_state: true, holds }
}

/// What must hold for every step.
#[must_use]
pub fn always() -> Vec<Property<System>> {
    vec![
        of_state("at most one intent is paid", |_, _, _, after| count(after, is_paid) <= 1),
        of_state("at most one intent is paid or can be paid", |_, _, _, after| {
            count(after, can_take_money) <= 1
        }),
        of_state("no charge has two intents", |_, _, _, after| {
            (0..2).all(|charge| after.provider.intents_of(charge).count_ones() <= 1)
        }),
        of_state("there is room for every request and intent", |_, _, _, after| {
            after.requests.iter().any(Option::is_none) && after.provider.intents.iter().any(Option::is_none)
        }),
        property("no create is sent when the window is over", no_create_after_the_window),
        property("nothing is sent that is not on record", nothing_unrecorded_is_sent),
        property("no standing moves down", no_standing_moves_down),
        of_state("what is recorded as ended is so", |_, _, _, after| ends_are_true(after)),
        of_state("without faults everything settles", |system, _, _, after| {
            !after.is_quiet() || system.settles(after)
        }),
    ]
}

fn no_create_after_the_window(system: &System, before: &State, action: Action, _: &State) -> bool {
    let Action::Step(me) = action else { return true };
    let Some(Step::Send(ask)) = system.step_of(before, me) else { return true };
    let worker = &before.workers[usize::from(me)];
    let sent = worker.turn.focus.and_then(|op| worker.view.charges[op.charge()].sent);
    !ask.is_create() || sent.is_some_and(|sent| sent.age < WINDOW)
}

fn nothing_unrecorded_is_sent(system: &System, before: &State, action: Action, _: &State) -> bool {
    let Action::Step(me) = action else { return true };
    let Some(Step::Send(ask)) = system.step_of(before, me) else { return true };
    let Some(op) = before.workers[usize::from(me)].turn.focus else { return false };
    let charge = &before.record.charges[op.charge()];
    !ask.is_create() || charge.sent.is_some() || charge.standing.is_ended()
}

fn no_standing_moves_down(_: &System, before: &State, _: Action, after: &State) -> bool {
    before.record.charges.iter().zip(&after.record.charges).all(|(before, after)| {
        let void = |charge: &Charge| charge.void.map_or(0, |void| void.standing.rank() + 1);
        before.standing.rank() <= after.standing.rank() && void(before) <= void(after)
    })
}

fn ends_are_true(state: &State) -> bool {
    state.record.charges.iter().enumerate().all(|(number, charge)| {
        let has = |wanted: Status| {
            let mut its =
                state.provider.intents.iter().flatten().filter(|it| usize::from(it.charge) == number);
            its.any(|it| it.status == wanted)
        };
        let voided = charge.void.is_some_and(|void| void.standing == Standing::Succeeded);
        let is_void_true = !voided || has(Status::Canceled);
        let is_charge_true = match charge.standing {
            Standing::Pending | Standing::Unknown => true,
            Standing::Succeeded => has(Status::Succeeded),
            Standing::Canceled => has(Status::Canceled),
            // A decline is history: until the void has ended, the customer may still have paid.
            Standing::Failed => charge.ids != 0 && (!charge.rests() || !has(Status::Succeeded)),
            Standing::Refused => {
                state.provider.intents_of(number) == 0
                    && !state
                        .requests
                        .iter()
                        .flatten()
                        .any(|request| request.ask == Ask::Create(number as u8))
            }
        };
        is_void_true && is_charge_true
    })
}

/// What some step must show when everything that can be switched on is, lest the exploration be blind.
#[must_use]
pub fn sometimes() -> Vec<Property<System>> {
    vec![
        of_state("a charge succeeds", |_, _, _, after| any(after, |it| it.standing == Standing::Succeeded)),
        of_state("a charge fails and its intent is voided", |_, _, _, after| {
            any(after, |it| it.standing == Standing::Failed && it.void_is(Standing::Succeeded))
        }),
        of_state("a void meets a success", |_, _, _, after| any(after, |it| it.void_is(Standing::Failed))),
        of_state("a request is refused", |_, _, _, after| {
            after.record.charges[0].standing == Standing::Refused
        }),
        of_state("a further attempt succeeds", |_, _, _, after| {
            after.record.charges[1].standing == Standing::Succeeded
        }),
        of_state("a further attempt is refused behind a success", |_, _, _, after| {
            let [first, further] = &after.record.charges;
            first.standing == Standing::Succeeded && further.standing == Standing::Refused
        }),
        of_state("a person is asked", |_, _, _, after| any(after, |it| it.review.is_some())),
        property("a fact answers what a person was asked", |_, before, _, after| {
            any(before, |it| it.review.is_some()) && !any(after, |it| it.review.is_some())
        }),
        property("a create is sent again", a_create_is_sent_again),
        property("a saved result is replayed", |_, before, action, _| {
            matches!(action, Action::Hear(_, Serve::Arrive))
                && before.provider.keys.iter().flatten().any(|key| matches!(key, Key::Saved { .. }))
        }),
        of_state("a saved error bars a key", |_, _, _, after| any(after, |it| it.barred)),
        property("a key is forgotten", |_, _, action, _| matches!(action, Action::Forget(_))),
        property("a look-up after the window finds the intent", |_, before, action, _| {
            looks_after_the_window(before, action).is_some_and(|found| found != 0)
        }),
        property("a look-up after the window misses the intent", |_, before, action, _| {
            looks_after_the_window(before, action) == Some(0) && count(before, can_take_money) == 1
        }),
        property("an intent that was never confirmed is confirmed", |_, before, _, after| {
            let asked =
                before.requests.iter().flatten().any(|request| matches!(request.ask, Ask::Confirm(_)));
            asked && count(before, is_paid) == 0 && count(after, is_paid) == 1
        }),
        property("the customer pays an attempt on record as failed", |_, before, action, _| {
            matches!(action, Action::Pay(_)) && any(before, |it| it.standing == Standing::Failed)
        }),
        property("a create is carried out after its worker's claim", |_, before, action, after| {
            let is_carried_out = matches!(action, Action::Serve(_, Serve::Create));
            is_carried_out
                && before.record.claim.is_none()
                && after.workers.iter().all(|it| it.at == At::Idle)
        }),
        of_state("two workers run at once", |_, _, _, after| {
            after.workers.iter().all(|it| it.at != At::Idle)
        }),
        property("a write is refused because another came first", |system, before, action, _| {
            let Action::Step(me) = action else { return false };
            let writes = matches!(system.step_of(before, me), Some(Step::Write(_)));
            writes && before.workers[usize::from(me)].is_stale
        }),
        property(
            "a write is refused because it was made before and overwritten",
            |_, before, action, _| matches!(action, Action::Step(me) if before.workers[usize::from(me)].at == At::Unsure),
        ),
    ]
}

fn a_create_is_sent_again(system: &System, before: &State, action: Action, _: &State) -> bool {
    let Action::Step(me) = action else { return false };
    let worker = &before.workers[usize::from(me)];
    let creates = matches!(system.step_of(before, me), Some(Step::Send(Ask::Create(_))));
    creates && (worker.turn.sends > 0 || !worker.turn.fresh)
}

fn looks_after_the_window(before: &State, action: Action) -> Option<u8> {
    let Action::See(me, found) = action else { return None };
    let worker = &before.workers[usize::from(me)];
    let charge = &worker.view.charges[worker.turn.focus?.charge()];
    (charge.ids == 0 && charge.sent?.age >= WINDOW).then_some(found)
}

impl Charge {
    fn void_is(&self, standing: Standing) -> bool {
        self.void.is_some_and(|void| void.standing == standing)
    }
}

fn any(state: &State, is: fn(&Charge) -> bool) -> bool {
    state.record.charges.iter().any(is)
}

fn count(state: &State, is: fn(&Intent) -> bool) -> usize {
    state.provider.intents.iter().flatten().filter(|intent| is(intent)).count()
}

const fn is_paid(intent: &Intent) -> bool {
    matches!(intent.status, Status::Succeeded)
}

const fn can_take_money(intent: &Intent) -> bool {
    !matches!(intent.status, Status::Canceled)
}
