//! The caller's idempotency key, and what is derived from it.

use effect::digest_hex;
use payment::{Command, InvalidName, PaymentId, Ref, Tenant};

use crate::{
    problem::{Problem, ProblemKind},
    request::Request,
};

/// The longest key, in bytes.
const MAX_KEY_BYTES: usize = 255;

/// A caller's key: as it stands between its quotation marks, if it has any. It is never stored and never logged.
pub(crate) struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Reads the one `Idempotency-Key` header of a request.
    ///
    /// # Errors
    /// Returns a problem if there is none, more than one, or one that is no key. HTTP APIs join the values of a
    /// repeated header by a comma, so no key may hold one.
    pub(crate) fn read(request: &Request) -> Result<Self, Problem> {
        let mut values = request.header("idempotency-key");
        let value = match (values.next(), values.next()) {
            (Some(value), None) => value.trim(),
            (None, _) => return Err(invalid("is missing")),
            (Some(_), Some(_)) => return Err(invalid("is given more than once")),
        };
        let quoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let key = quoted.unwrap_or(value);
        if key.trim().is_empty() {
            return Err(invalid("is blank"));
        }
        if key.len() > MAX_KEY_BYTES {
            return Err(invalid("has more than 255 bytes"));
        }
        if !key.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b',' | b'"' | b'\\')) {
            return Err(invalid(
                "must be printable ASCII characters without commas, quotation marks and backslashes inside",
            ));
        }
        Ok(Self(key.to_owned()))
    }

    /// Returns the key as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of an operation that the caller did not name: the same for the same payment, caller and key.
    ///
    /// It is 32 letters: hexadecimal digits could look like a card number, which no name may.
    pub(crate) fn default_ref(&self, payment: &PaymentId, tenant: &Tenant) -> Result<Ref, InvalidName> {
        let digest = digest_hex(&[payment.as_str(), tenant.as_str(), &self.0]);
        let letter = |digit: u8| {
            char::from(b'a' + if digit.is_ascii_digit() { digit - b'0' } else { digit - b'a' + 10 })
        };
        Ref::try_from(digest.bytes().take(32).map(letter).collect::<String>())
    }
}

/// Returns the digest of a request as it was understood: the order of fields, blanks and defaults left out make no
/// difference, all that changes the effect does.
pub(crate) fn fingerprint(command: &Command) -> String {
    let asked = command.asked();
    let (operation, digest) =
        asked.map_or_else(Default::default, |asked| (asked.key.to_string(), asked.digest));
    digest_hex(&[command.payment_id().as_str(), &operation, &digest])
}

fn invalid(what: &str) -> Problem {
    Problem::new(ProblemKind::InvalidIdempotencyKey, format!("the header Idempotency-Key {what}"))
}
