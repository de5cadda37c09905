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
        assert_eq!(left.barred, self.barred, "a fact says nothing about our key");
        let by_a_fact = matches!(left.review, None | Some(ReviewReason::TwoIds | ReviewReason::TwoEnds));
        assert!(
            by_a_fact || left.review == self.review,
            "a fact asks for a person only where two contradict"
        );
    }

    /// Asserts what holds after a note, besides: a note says what a turn learned of its call, never where money is.
    pub(crate) fn assert_kept_by_note(&self, left: &Attempt) {
        self.assert_kept_by(left, Standing::rank);
        let by_a_note = matches!(left.standing, Standing::Unknown | Standing::Refused);
        assert!(by_a_note || left.standing == self.standing, "no note is an end of money");
        assert_eq!(left.ids.len(), self.ids, "only a fact names an object");
        assert_eq!(left.moved, self.moved, "only a fact moves money");
        assert!(left.review.is_some() || self.review.is_none(), "no note settles a review");
        let is_window_kept = left.first_sent_at == self.first_sent_at;
        let is_closed = left.first_sent_at.is_none() && left.last_send_until.is_none();
        assert!(is_window_kept || is_closed, "the window is kept, or closed whole");
        assert!(
            is_window_kept || left.standing == Standing::Pending,
            "only a certain not-done closes the window"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::Frozen;
    use crate::key::ProviderKey;

    type Change = fn(&mut Attempt);

    fn held() -> Attempt {
        Attempt {
            standing: Standing::Unknown,
            review: Some(ReviewReason::KeyReused),
            frozen: Some(Frozen {
                key: ProviderKey::derive("prod", "pay_1/charge/1", 1),
                path: "/v1/payment_intents".to_owned(),
                body: "amount=500".to_owned(),
                api_version: "2025-01-01".to_owned(),
            }),
            generation: 1,
            first_sent_at: Some(Time(1)),
            last_send_until: Some(Time(2)),
            tries: 3,
            barred: true,
            ids: ["pi_1".to_owned()].into(),
            moved: Some(300),
            ..Attempt::default()
        }
    }

    /// What breaks a law of every change.
    const OF_ALL: [(&str, Change); 12] = [
        ("nothing moves down", |left| left.standing = Standing::Pending),
        ("the smaller one is believed", |left| left.moved = Some(301)),
        ("the smaller one is believed", |left| left.moved = None),
        ("no provider id is forgotten", |left| left.ids.clear()),
        ("starts a generation", |left| left.generation = 2),
        ("freezes a request", |left| left.frozen = None),
        ("a barred key stays barred", |left| left.barred = false),
        ("no turn is uncounted", |left| left.tries = 2),
        ("a turn is counted once", |left| left.tries = 5),
        ("settled without a person", |left| left.review = None),
        ("is not looked at again", |left| {
            (left.standing, left.look_at) = (Standing::Refused, Some(Time(9)));
        }),
        ("a digest of its body", |left| left.standing = Standing::Refused),
    ];

    const OF_FACTS: [(&str, Change); 5] = [
        ("a fact's id is kept", |left| left.ids = ["pi_2".to_owned()].into()),
        ("does not move the window", |left| left.first_sent_at = None),
        ("nothing about our own sends", |left| left.last_send_until = None),
        ("a fact is no try", |left| left.tries = 4),
        ("only where two contradict", |left| left.review = Some(ReviewReason::AccountChanged)),
    ];

    const OF_NOTES: [(&str, Change); 6] = [
        ("no note is an end of money", |left| left.standing = Standing::Authorized),
        ("only a fact names an object", |left| left.ids = ["pi_1".to_owned(), "pi_2".to_owned()].into()),
        ("only a fact moves money", |left| left.moved = Some(299)),
        ("kept, or closed whole", |left| left.first_sent_at = Some(Time(2))),
        ("kept, or closed whole", |left| left.first_sent_at = None),
        ("only a certain not-done", |left| (left.first_sent_at, left.last_send_until) = (None, None)),
    ];

    fn by_fact(found: &Attempt, left: &Attempt) {
        Found::before(found).assert_kept_by_fact(left, "pi_1", Standing::rank);
    }

    fn by_note(found: &Attempt, left: &Attempt) {
        Found::before(found).assert_kept_by_note(left);
    }

    #[track_caller]
    fn breaks(law: &str, found: &Attempt, left: &Attempt, check: fn(&Attempt, &Attempt)) {
        let broken = std::panic::catch_unwind(|| check(found, left));
        let told = broken.err().and_then(|told| {
            let text = told.downcast_ref::<&str>().map(|text| (*text).to_owned());
            text.or_else(|| told.downcast_ref::<String>().cloned())
        });
        assert!(told.as_ref().is_some_and(|told| told.contains(law)), "{law}: {told:?}");
    }

    fn changed(change: Change) -> Attempt {
        let mut left = held();
        change(&mut left);
        left
    }

    #[test]
    fn what_changes_nothing_keeps_every_law() {
        by_fact(&held(), &held());
        by_note(&held(), &held());
    }

    #[test]
    fn each_law_of_a_fact_is_asserted() {
        for (law, change) in OF_ALL.into_iter().chain(OF_FACTS) {
            breaks(law, &held(), &changed(change), by_fact);
        }
        let never_seen = Attempt { standing: Standing::Pending, ..held() };
        breaks("what exists was sent", &never_seen, &never_seen, by_fact);
        let two = Attempt { ids: ["pi_1".to_owned(), "pi_2".to_owned()].into(), review: None, ..held() };
        breaks("two objects of one effect", &Attempt { review: None, ..held() }, &two, by_fact);
        breaks("nothing about our key", &Attempt { barred: false, ..held() }, &held(), by_fact);
    }

    #[test]
    fn each_law_of_a_note_is_asserted() {
        for (law, change) in OF_ALL.into_iter().chain(OF_NOTES) {
            breaks(law, &held(), &changed(change), by_note);
        }
        let open = Attempt { review: Some(ReviewReason::NotFinal), ..held() };
        breaks("no note settles a review", &open, &Attempt { review: None, ..held() }, by_note);
    }
}
