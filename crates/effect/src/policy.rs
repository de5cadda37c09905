//! Policies: what may be done next for one side effect, each as a type.

use crate::{
    attempt::{Attempt, Standing, Status},
    conclude::Turn,
    rules::{KEY_WINDOW_MS, Rules},
    time::Time,
};

/// What a side effect wants next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Nothing, ever, by a machine.
    Stop,
    /// Nothing in this turn.
    Wait,
    /// A request to the provider.
    Send(Send),
    /// A question to the provider, which changes nothing there.
    LookUp(Look),
}

/// Which request is to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Send {
    /// The request of the current generation, under its one key.
    Same,
    /// The request of the next generation, under a new key. Only for what is idempotent by state.
    NextGeneration,
}

/// Which question is to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// Retrieve the object with the known id.
    ById,
    /// Read one page of the provider's list.
    List,
    /// Read one page of the provider's search.
    Search,
    /// Fetch a candidate and check that it is this operation's.
    Check(String),
}

/// How one kind of side effect is made to happen once.
pub trait Policy {
    /// Returns the next step. `id` is the provider's id of the object that carries the effect, if it is known.
    fn next(attempt: &Attempt, id: Option<&str>, turn: &Turn, rules: &Rules) -> Next;

    /// Returns when to look again; `None` if no machine ever will. `accepted_at` is when the operation came.
    fn due(attempt: &Attempt, id: Option<&str>, accepted_at: Time, rules: &Rules) -> Option<Time>;
}

/// The provider deduplicates by key for a time: resend under the same key inside the window, look up after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyed {}

/// The provider's object carries the state: look at it, and repeat the request if it is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByState {}

impl Keyed {
    /// Tells whether the create may still be sent under its key, as far as time goes.
    #[must_use]
    pub fn is_open(attempt: &Attempt, now: Time) -> bool {
        attempt.is_inside_window(now, KEY_WINDOW_MS)
    }
}

impl Policy for Keyed {
    fn next(attempt: &Attempt, id: Option<&str>, turn: &Turn, rules: &Rules) -> Next {
        if let Some(candidate) = turn.candidates.last() {
            return if turn.halted { Next::Wait } else { Next::LookUp(Look::Check(candidate.clone())) };
        }
        if attempt.rests() {
            return Next::Stop;
        }
        let is_create = attempt.generation == 0;
        if turn.wants_armed_send() && (!is_create || Self::is_open(attempt, turn.now)) {
            return Next::Send(Send::Same);
        }
        if turn.must_wait(attempt) || Self::is_held_for_now(attempt, turn.now, rules) {
            return Next::Wait;
        }
        match id {
            Some(_) => Self::next_by_id(attempt, turn, rules),
            None => Self::next_without_id(attempt, turn, rules),
        }
    }

    fn due(attempt: &Attempt, id: Option<&str>, accepted_at: Time, rules: &Rules) -> Option<Time> {
        if attempt.rests() {
            return None;
        }
        if attempt.standing == Standing::Authorized {
            let authorized_at = attempt.first_sent_at.unwrap_or(accepted_at);
            return Some(attempt.look_at.unwrap_or(authorized_at.plus_ms(rules.authorization_look_ms)));
        }
        let next = attempt.look_at.unwrap_or(accepted_at);
        let quiet = match (id, attempt.first_sent_at, attempt.last_send_until) {
            (None, Some(first), Some(until)) => {
                let window_end = first.plus_ms(KEY_WINDOW_MS);
                let searchable = until.plus_ms(rules.search_lag_ms);
                if next < window_end { next } else { next.max(searchable) }
            }
            (Some(_), _, _) | (None, None, _) | (None, _, None) => next,
        };
        Some(quiet)
    }
}

impl Keyed {
    // An authorization that nobody has looked at yet, told by a fact alone, cannot have expired before its time.
    fn is_held_for_now(attempt: &Attempt, now: Time, rules: &Rules) -> bool {
        attempt.standing == Standing::Authorized
            && attempt.look_at.is_none()
            && attempt.first_sent_at.is_some_and(|at| now < at.plus_ms(rules.authorization_look_ms))
    }

    fn next_by_id(attempt: &Attempt, turn: &Turn, rules: &Rules) -> Next {
        if !turn.retrieved {
            return Next::LookUp(Look::ById);
        }
        let nothing_of_ours_runs =
            attempt.last_send_until.is_none_or(|until| turn.now >= until.plus_ms(rules.longest_execution_ms));
        if turn.status == Some(Status::Unconfirmed) && nothing_of_ours_runs && !turn.armed {
            assert!(!attempt.rests(), "nothing is sent for what rests");
            return Next::Send(Send::NextGeneration);
        }
        Next::Wait
    }

    fn next_without_id(attempt: &Attempt, turn: &Turn, rules: &Rules) -> Next {
        assert!(!attempt.rests(), "nothing is sent for what rests");
        let Some(until) = attempt.last_send_until else { return Next::Send(Send::Same) };
        let open = Self::is_open(attempt, turn.now);
        if open && !attempt.barred {
            return if turn.armed { Next::Wait } else { Next::Send(Send::Same) };
        }
        if open {
            return if turn.listed { Next::Wait } else { Next::LookUp(Look::List) };
        }
        if turn.now < until.plus_ms(rules.search_lag_ms) {
            return Next::Wait;
        }
        match (turn.listed, turn.searched || turn.unsearchable) {
            (false, _) => Next::LookUp(Look::List),
            (true, false) => Next::LookUp(Look::Search),
            (true, true) => Next::Wait,
        }
    }
}

impl Policy for ByState {
    fn next(attempt: &Attempt, id: Option<&str>, turn: &Turn, _rules: &Rules) -> Next {
        if attempt.rests() {
            return Next::Stop;
        }
        if id.is_none() {
            return Next::Wait;
        }
        if turn.wants_armed_send() {
            return Next::Send(Send::Same);
        }
        if turn.must_wait(attempt) {
            return Next::Wait;
        }
        if !attempt.was_sent() {
            return Next::Send(Send::Same);
        }
        match (turn.retrieved, turn.status) {
            (false, _) => Next::LookUp(Look::ById),
            // What the provider is working on cannot be changed before it is done.
            (true, Some(Status::Processing) | None) => Next::Wait,
            (
                true,
                Some(
                    Status::RequiresAction | Status::RequiresCapture | Status::Unconfirmed | Status::Declined,
                ),
            ) => {
                if turn.armed {
                    Next::Wait
                } else {
                    Next::Send(Send::NextGeneration)
                }
            }
        }
    }

    fn due(attempt: &Attempt, id: Option<&str>, accepted_at: Time, _rules: &Rules) -> Option<Time> {
        if attempt.rests() || id.is_none() {
            return None;
        }
        Some(attempt.look_at.unwrap_or(accepted_at))
    }
}

impl Turn {
    fn wants_armed_send(&self) -> bool {
        self.armed && (self.sends == 0 || (self.resend && self.sends == 1))
    }

    fn must_wait(&self, attempt: &Attempt) -> bool {
        let not_yet = attempt.look_at.is_some_and(|at| self.now < at);
        let mid_look = self.listed || self.cursor.is_some() || self.status.is_some();
        self.halted || (not_yet && !self.look_now && !mid_look)
    }
}
