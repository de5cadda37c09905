//! The body of a queue message.

use payment::{Command, looks_like_a_card_number};

/// A command reads and writes to itself, under one name; a refusal repeats no card number.
pub fn command(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Command::parse(text) {
        Ok(command) => assert_sound(&command),
        Err(refusal) => assert!(!looks_like_a_card_number(&refusal.to_string()), "{refusal}"),
    }
}

/// Asserts what holds of every command that was parsed.
pub(crate) fn assert_sound(command: &Command) {
    let body = command.to_body();
    let again = Command::parse(&body);
    assert_eq!(again.as_ref(), Ok(command), "{body}");
    let name = command.deduplication_id();
    assert!((1..=128).contains(&name.len()), "the queue takes no such deduplication id: {name}");
    // A wake and a fact hold times and digests, which may look like anything.
    if let Some(asked) = command.asked() {
        // A trace context is 48 random digits, and some of them are those of a card.
        let named = asked.traceparent.map_or_else(|| body.clone(), |trace| body.replace(trace.as_str(), ""));
        assert!(!looks_like_a_card_number(&named), "{body}");
        assert!(!asked.key.is_reserved(), "{}", asked.key);
    }
}
