//! Notes: what this turn learned about its own call. They count for this turn's record only.

use crate::{
    attempt::{Attempt, ReviewReason, Standing, Status},
    laws::Found,
    policy::Keyed,
    rules::Rules,
    time::Time,
};

/// What one port call told the worker that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The effect may or may not have happened. `resend` tells whether sending again at once is worth it: after a
    /// reset, a lost reply or a fresh 5xx, but not after a timeout or while the provider still runs the request.
    Ambiguous {
        /// Whether one more same-key send in this invocation may help.
        resend: bool,
    },
    /// The provider answered, and the answer cannot be read: look it up.
    Undecodable,
    /// The provider replayed an error that it had saved: this key can teach nothing more.
    SavedError,
    /// This send was certainly not carried out (rate limit, lock, credentials).
    NotDone,
    /// The provider refused the request as such, with its code.
    Refused(String),
    /// The provider saw other parameters under this key.
    KeyReused,
    /// The provider's object was not in the state that the request needs: look at it.
    UnexpectedState,
    /// The object exists and is not final.
    Status(Status),
    /// A list or search answered: candidates yet to be checked, and where its next page starts.
    Hits {
        /// Ids of the objects that claim to be ours.
        candidates: Vec<String>,
        /// Cursor of the next page, if there is one.
        more: Option<String>,
    },
    /// The candidate just fetched is not this operation's, or has now been taken in as a fact.
    Checked,
    /// A look-up failed: no information.
    NotTold,
    /// The credentials in force belong to another account or mode than the one this was sent to.
    AccountChanged,
}

/// One invocation's own state about the operation it works on. It is never stored.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    /// The worker's clock, read anew before each decision.
    pub now: Time,
    /// A random number from 0 to 1000, drawn for this invocation.
    pub jitter_per_mille: u16,
    /// The stored record holds the intent to send, under this worker's claim.
    pub armed: bool,
    /// The armed intent is the one that set `first_sent_at`.
    pub fresh: bool,
    /// Sends made under the armed intent.
    pub sends: u8,
    /// An outcome of this turn was ambiguous.
    pub ambiguous: bool,
    /// One more send under the armed intent may help.
    pub resend: bool,
    /// This turn has been counted in the attempt's `tries`.
    pub counted: bool,
    /// Go on at once, although the next look is due later.
    pub look_now: bool,
    /// No further step in this turn: a look-up failed.
    pub halted: bool,
    /// The object was retrieved.
    pub retrieved: bool,
    /// The status just retrieved, if it is not final.
    pub status: Option<Status>,
    /// The list was read to its end.
    pub listed: bool,
    /// The search was read to its end.
    pub searched: bool,
    /// The provider offers no search of objects of this kind: its list is all that can be asked.
    pub unsearchable: bool,
    /// Where the next page of the list or search starts.
    pub cursor: Option<String>,
    /// Objects yet to be fetched and checked.
    pub candidates: Vec<String>,
}

impl Turn {
    /// Forgets all that was learned, and keeps what the invocation itself is.
    #[must_use]
    pub fn renewed(&self) -> Self {
        Self { now: self.now, jitter_per_mille: self.jitter_per_mille, ..Self::default() }
    }
}

/// Applies a note to the attempt that this turn read, and to the turn.
pub fn conclude(attempt: &mut Attempt, note: Note, turn: &mut Turn, rules: &Rules) {
    // An ended operation learns nothing more from its own calls; the objects still to be checked are facts to come.
    let is_about_candidates = matches!(note, Note::Hits { .. } | Note::Checked);
    if attempt.standing.is_ended() && !is_about_candidates {
        turn.resend = false;
        return;
    }
    let found = Found::before(attempt);
    match note {
        Note::Hits { candidates, more } => conclude_hits(attempt, candidates, more, turn, rules),
        Note::Checked => {
            turn.candidates.pop();
            conclude_absence(attempt, turn, rules);
        }
        Note::Ambiguous { resend } => conclude_ambiguous(attempt, resend, turn, rules),
        Note::Undecodable => {
            conclude_ambiguous(attempt, false, turn, rules);
            turn.look_now = true;
        }
        Note::SavedError => {
            conclude_ambiguous(attempt, false, turn, rules);
            attempt.barred = true;
            turn.look_now = true;
        }
        Note::NotDone => conclude_not_done(attempt, turn, rules),
        Note::Refused(code) => conclude_refused(attempt, code, turn, rules),
        Note::KeyReused => {
            attempt.raise(Standing::Unknown);
            attempt.require_review(ReviewReason::KeyReused);
        }
        Note::UnexpectedState => {
            conclude_ambiguous(attempt, false, turn, rules);
            turn.look_now = true;
            turn.retrieved = false;
        }
        Note::Status(status) => conclude_status(attempt, status, turn, rules),
        Note::NotTold => {
            turn.halted = true;
            turn.candidates.clear();
            turn.cursor = None;
            look_later(attempt, turn, rules);
        }
        Note::AccountChanged => attempt.require_review(ReviewReason::AccountChanged),
    }
    found.assert_kept_by_note(attempt);
}

fn conclude_ambiguous(attempt: &mut Attempt, resend: bool, turn: &mut Turn, rules: &Rules) {
    attempt.raise(Standing::Unknown);
    turn.ambiguous = true;
    turn.resend = resend;
    look_later(attempt, turn, rules);
}

fn conclude_not_done(attempt: &mut Attempt, turn: &mut Turn, rules: &Rules) {
    turn.resend = false;
    // Only the intent that opened the window may close it again, and only if nothing in its turn was ambiguous.
    if turn.armed && turn.fresh && !turn.ambiguous && attempt.standing == Standing::Pending {
        attempt.first_sent_at = None;
        attempt.last_send_until = None;
        assert!(!attempt.was_sent() && attempt.ids.is_empty(), "what was not sent shows no object");
    }
    look_later(attempt, turn, rules);
}

fn conclude_refused(attempt: &mut Attempt, code: String, turn: &mut Turn, rules: &Rules) {
    turn.resend = false;
    let every_earlier_send_was_definite = turn.fresh && !turn.ambiguous;
    if every_earlier_send_was_definite && attempt.standing == Standing::Pending {
        attempt.raise(Standing::Refused);
        attempt.code = Some(code);
        attempt.seal_if_ended();
        assert_eq!(attempt.standing, Standing::Refused, "a refusal that nothing contradicts stands");
    } else {
        conclude_ambiguous(attempt, false, turn, rules);
    }
}

fn conclude_status(attempt: &mut Attempt, status: Status, turn: &mut Turn, rules: &Rules) {
    attempt.raise(Standing::Unknown);
    attempt.status = Some(status);
    turn.resend = false;
    turn.retrieved = true;
    turn.status = Some(status);
    look_later(attempt, turn, rules);
    match status {
        Status::Processing => attempt.look_at = Some(turn.now.plus_ms(rules.processing_ms)),
        Status::Unconfirmed => {
            // Nothing was attempted under it: it is confirmed as soon as no request of ours can still be running.
            if let Some(until) = attempt.last_send_until {
                let settled = until.plus_ms(rules.longest_execution_ms);
                attempt.look_at = attempt.look_at.max(Some(settled));
            }
        }
        // The hold itself lasts for days; a capture or cancel that finds it unchanged is to be repeated soon.
        Status::RequiresCapture if attempt.standing == Standing::Authorized => {
            let authorized_at = attempt.first_sent_at.unwrap_or(turn.now);
            let before_it_expires = authorized_at.plus_ms(rules.authorization_look_ms);
            let again = turn.now.plus_ms(rules.authorization_again_ms);
            attempt.look_at = Some(if turn.now < before_it_expires { before_it_expires } else { again });
        }
        Status::RequiresCapture | Status::RequiresAction | Status::Declined => {}
    }
}

fn conclude_hits(
    attempt: &mut Attempt,
    mut candidates: Vec<String>,
    more: Option<String>,
    turn: &mut Turn,
    rules: &Rules,
) {
    turn.candidates.append(&mut candidates);
    turn.cursor = more;
    if turn.cursor.is_none() {
        if turn.listed {
            turn.searched = true;
        }
        turn.listed = true;
    }
    assert!(!turn.searched || turn.listed, "the list is read before the search");
    conclude_absence(attempt, turn, rules);
}

/// Draws the one conclusion that absence allows: hand over to a person, once nothing is left to ask.
fn conclude_absence(attempt: &mut Attempt, turn: &mut Turn, rules: &Rules) {
    let all_asked = turn.listed && turn.candidates.is_empty() && turn.cursor.is_none();
    if !all_asked || !attempt.ids.is_empty() || attempt.rests() {
        return;
    }
    if Keyed::is_open(attempt, turn.now) {
        // Inside the window a saved error bars the key; the object may still appear in the list.
        look_later(attempt, turn, rules);
        turn.look_now = false;
    } else if turn.searched || turn.unsearchable {
        assert!(attempt.first_sent_at.is_some(), "absence means something only of what was sent");
        attempt.require_review(ReviewReason::WindowOver);
    }
}

fn look_later(attempt: &mut Attempt, turn: &mut Turn, rules: &Rules) {
    let again = rules.look_again(
        turn.now,
        attempt.tries.saturating_sub(u32::from(turn.counted)),
        turn.jitter_per_mille,
    );
    attempt.look_at = Some(again);
    assert!(!attempt.standing.is_ended(), "what has ended is not looked at again");
    if !turn.counted {
        turn.counted = true;
        attempt.tries = attempt.tries.saturating_add(1);
    }
}
