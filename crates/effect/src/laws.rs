//! What no change of an attempt may do, whatever was learned. Checked after every fact and every note, in release too.
//!
//! Each law relates what a change left to what it found. No stored item and no reply can break one by itself, only a
//! fault of this crate can; and then stopping is right, since a write would make the fault durable.

use crate::{
    attempt::{Attempt, ReviewReason, Standing, is_digest},
    time::Time,
};

/// What a change found.
pub(crate) struct Found {
    standing: Standing,
    review: Option<ReviewReason>,
    ids: usize,
    generation: u32,
    first_sent_at: Option<Time>,
    last_send_until: Option<Time>,
    tries: u32,
    barred: bool,
    was_frozen: bool,
    moved: Option<u64>,
}

impl Found {
    /// Remembers an attempt before a change.
    pub(crate) fn before(attempt: &Attempt) -> Self {
        Self {
            standing: attempt.standing,
            review: attempt.review,
            ids: attempt.ids.len(),
            generation: attempt.generation,
            first_sent_at: attempt.first_sent_at,
            last_send_until: attempt.last_send_until,
            tries: attempt.tries,
            barred: attempt.barred,
            was_frozen: attempt.frozen.is_some(),
            moved: attempt.moved,
        }
    }

    /// Asserts what holds after any change.
    fn assert_kept_by(&self, left: &Attempt, rank: fn(Standing) -> u8) {
        assert!(rank(left.standing) >= rank(self.standing), "nothing moves down its rank");
        let moves_less = self.moved.is_none_or(|held| left.moved.is_some_and(|moved| moved <= held));
        assert!(moves_less, "of two amounts the smaller one is believed");
        assert!(left.ids.len() >= self.ids, "no provider id is forgotten");
        assert_eq!(left.generation, self.generation, "only an intent to send starts a generation");
        assert_eq!(left.frozen.is_some(), self.was_frozen, "only an intent to send freezes a request");
        assert!(left.barred || !self.barred, "a barred key stays barred");
        assert!(left.tries >= self.tries, "no turn is uncounted");
        assert!(left.tries <= self.tries.saturating_add(1), "a turn is counted once");
        let keeps_review = self.review.is_none_or(ReviewReason::is_cleared_by_a_fact);
        assert!(
            left.review.is_some() || keeps_review,
            "only what a fact can settle is settled without a person"
        );
        let has_just_ended = left.standing.is_ended() && !self.standing.is_ended();
        assert!(!has_just_ended || left.look_at.is_none(), "what has ended is not looked at again");
        let body = left.frozen.as_ref().map(|frozen| frozen.body.as_str());
        assert!(!has_just_ended || body.is_none_or(is_digest), "what has ended keeps a digest of its body");
    }

    /// Asserts what holds after a fact, besides.
    pub(crate) fn assert_kept_by_fact(&self, left: &Attempt, id: &str, rank: fn(Standing) -> u8) {
        self.assert_kept_by(left, rank);
        assert!(left.ids.contains(id), "a fact's id is kept");
        assert!(left.standing != Standing::Pending, "what exists was sent");
        assert!(left.ids.len() < 2 || left.review.is_some(), "two objects of one effect need a person");
        assert_eq!(left.first_sent_at, self.first_sent_at, "a fact does not move the window");
        assert_eq!(left.last_send_until, self.last_send_until, "a fact says nothing about our own sends");
        assert_eq!(left.tries, self.tries, "a fact is no try");
    }

    /// Asserts what holds after a note, besides: a note says what a turn learned of its call, never where money is.
    pub(crate) fn assert_kept_by_note(&self, left: &Attempt) {
        self.assert_kept_by(left, Standing::rank);
        let by_a_note = matches!(left.standing, Standing::Unknown | Standing::Refused);
        assert!(by_a_note || left.standing == self.standing, "no note is an end of money");
        assert_eq!(left.ids.len(), self.ids, "only a fact names an object");
        assert_eq!(left.moved, self.moved, "only a fact moves money");
        let is_window_kept = left.first_sent_at == self.first_sent_at;
        let is_closed = left.first_sent_at.is_none() && left.last_send_until.is_none();
        assert!(is_window_kept || is_closed, "the window is kept, or closed whole");
        assert!(
            is_window_kept || left.standing == Standing::Pending,
            "only a certain not-done closes the window"
        );
    }
}
