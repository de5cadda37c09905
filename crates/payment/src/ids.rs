//! Validated names: of payments, operations, tenants and orders.

use std::{fmt, str::FromStr};

use effect::digest_hex;
use serde::{Deserialize, Serialize};

/// What a value must look like to be accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {rule}")]
pub struct InvalidName {
    /// The field that was wrong.
    pub field: &'static str,
    /// What it must be.
    pub rule: &'static str,
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $field:literal, $rule:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            /// Returns the name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $type {
            type Error = InvalidName;

            fn try_from(text: String) -> Result<Self, InvalidName> {
                let check: fn(&str) -> bool = $check;
                if check(&text) { Ok(Self(text)) } else { Err(InvalidName { field: $field, rule: $rule }) }
            }
        }

        impl FromStr for $type {
            type Err = InvalidName;

            fn from_str(text: &str) -> Result<Self, InvalidName> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> Self {
                name.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

fn is_plain(text: &str, longest: usize, also: &[u8]) -> bool {
    (1..=longest).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || also.contains(&b))
}

/// The shortest number that a card of any issuer bears.
const FEWEST_CARD_DIGITS: usize = 13;

/// Tells whether a text holds what looks like a card number. Such a text must never be stored.
///
/// It does if it holds a run of digits, unbroken or grouped as on a card, that has an issuer's prefix and that issuer's
/// length and passes the Luhn check. A plain number that happens to be all that is refused too: one in ten of those
/// with a card's prefix and length.
#[must_use]
pub fn looks_like_a_card_number(text: &str) -> bool {
    // Most names hold too few digits for any card: they are passed without a closer look.
    if text.bytes().filter(u8::is_ascii_digit).count() < FEWEST_CARD_DIGITS {
        return false;
    }
    let is_part = |c: char| c.is_ascii_digit() || c == ' ' || c == '-';
    text.split(|c: char| !is_part(c)).any(|run| {
        let groups: Vec<&str> = run.split([' ', '-']).filter(|group| !group.is_empty()).collect();
        let whole = groups.iter().any(|group| is_card_number(group));
        let grouped = (0..groups.len()).any(|first| {
            (first + 3..=groups.len().min(first + 5)).any(|end| {
                is_grouped_as_on_a_card(&groups[first..end]) && is_card_number(&groups[first..end].concat())
            })
        });
        whole || grouped
    })
}

fn is_grouped_as_on_a_card(groups: &[&str]) -> bool {
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    matches!(lengths.as_slice(), [4, 4, 4, 4] | [4, 4, 4, 4, 3] | [4, 6, 5] | [4, 6, 4])
}

fn is_card_number(digits: &str) -> bool {
    let prefix = |n: usize| digits.get(..n).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
    let has_an_issuers_form = match digits.len() {
        13 => prefix(1) == 4,
        14 => matches!(prefix(2), 36 | 38 | 39) || matches!(prefix(3), 300..=305),
        15 => matches!(prefix(2), 34 | 37),
        16 => {
            prefix(1) == 4
                || matches!(prefix(2), 51..=55 | 62 | 65)
                || matches!(prefix(3), 644..=649)
                || matches!(prefix(4), 2221..=2720 | 3528..=3589 | 6011)
        }
        17 | 18 => prefix(2) == 62,
        19 => prefix(1) == 4 || matches!(prefix(2), 62 | 65) || matches!(prefix(4), 3528..=3589 | 6011),
        _ => false,
    };
    let digits: Vec<u8> = digits.bytes().map(|byte| byte.wrapping_sub(b'0')).collect();
    has_an_issuers_form && passes_luhn(&digits)
}

fn passes_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let doubled = u32::from(*digit) * (1 + (place as u32 % 2));
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10)
}

name!(
    /// Whose payment it is.
    Tenant, "tenant", "1 to 64 of A-Z a-z 0-9 _ - . and no card number",
    |t| is_plain(t, 64, b"_-.") && !looks_like_a_card_number(t)
);
name!(
    /// The order that the payment pays, unique within its tenant.
    OrderId, "order", "1 to 128 of A-Z a-z 0-9 _ - . : and no card number",
    |t| is_plain(t, 128, b"_-.:") && !looks_like_a_card_number(t)
);
name!(
    /// The caller's name for one operation of a payment.
    Ref, "ref", "1 to 64 of A-Z a-z 0-9 _ - and no card number",
    |t| is_plain(t, 64, b"_-") && !looks_like_a_card_number(t)
);
name!(
    /// The provider's id of a customer.
    CustomerId, "customer", "a customer id: cus_ and 1 to 60 of A-Z a-z 0-9 _, and no card number",
    |t| t.starts_with("cus_") && is_plain(t, 64, b"_") && t.len() > 4 && !looks_like_a_card_number(t)
);
name!(
    /// The provider's id of a stored payment method; never a card number.
    PaymentMethodId, "payment_method",
    "a payment method id: pm_ or card_ and at least 1 of A-Z a-z 0-9 _, 64 in all, and no card number",
    |t| {
        let rest = t.strip_prefix("pm_").or_else(|| t.strip_prefix("card_"));
        rest.is_some_and(|rest| !rest.is_empty()) && is_plain(t, 64, b"_") && !looks_like_a_card_number(t)
    }
);
name!(
    /// The identity of a payment: `pay_` and 32 hexadecimal digits, a digest of (tenant, order).
    PaymentId, "payment_id", "pay_ and 32 lower-case hexadecimal digits",
    |t| t.len() == 36 && t.starts_with("pay_") && t[4..].bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
);

impl PaymentId {
    /// Derives the identity of the one payment of an order.
    #[must_use]
    pub fn of(tenant: &Tenant, order: &OrderId) -> Self {
        let digest = digest_hex(&[tenant.as_str(), order.as_str()]);
        Self(format!("pay_{}", &digest[..32]))
    }

    /// Returns the shard of the due and review indexes that this payment belongs to: below [`SHARDS`].
    #[must_use]
    pub fn shard(&self) -> u8 {
        let last = self.0.as_bytes().last().copied().unwrap_or(b'0');
        (if last.is_ascii_digit() { last - b'0' } else { last - b'a' + 10 }) % SHARDS
    }
}

/// How many shards the due and review indexes are spread over.
pub const SHARDS: u8 = 8;

/// The kind of side effect an operation makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Takes the customer's money.
    Charge,
    /// Takes the money that an authorization holds.
    Capture,
    /// Ends a payment before its money is taken.
    Cancel,
    /// Gives money back.
    Refund,
    /// Our own: cancels the intent that a failed charge left behind, so that nothing can pay it later.
    Void,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Charge, Self::Capture, Self::Cancel, Self::Refund, Self::Void];

    /// Returns the word used in operation ids.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Charge => "charge",
            Self::Capture => "capture",
            Self::Cancel => "cancel",
            Self::Refund => "refund",
            Self::Void => "void",
        }
    }
}

/// What the ref of our own cancel of an unanswered charge begins with; no caller's may.
const TIMEOUT_PREFIX: &str = "timeout-";

/// What the ref of the refund that a cancel asked for begins with; no caller's may.
const CANCEL_PREFIX: &str = "cancel-";

/// What the ref of a refund made outside begins with: the provider's own id. No caller's may.
const OUTSIDE_PREFIX: &str = "re_";

impl Ref {
    // A ref that is too long for its prefix is replaced by its digest: the same one gives the same name for ever.
    fn derived(prefix: &str, from: &Self) -> Self {
        let whole = format!("{prefix}{from}");
        if whole.len() <= 64 {
            return Self(whole);
        }
        Self(format!("{prefix}{}", &digest_hex(&[from.as_str()])[..32]))
    }
}

/// The name of an operation within its payment, written `<kind>/<ref>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OperationKey {
    /// What it does.
    pub kind: Kind,
    /// The caller's name for it; for a void, that of the charge it voids.
    pub reference: Ref,
}

impl OperationKey {
    /// Names a charge.
    #[must_use]
    pub const fn charge(reference: Ref) -> Self {
        Self { kind: Kind::Charge, reference }
    }

    /// Names the void that belongs to a charge.
    #[must_use]
    pub fn void_of(charge: &Self) -> Self {
        Self { kind: Kind::Void, reference: charge.reference.clone() }
    }

    /// Names a capture.
    #[must_use]
    pub const fn capture(reference: Ref) -> Self {
        Self { kind: Kind::Capture, reference }
    }

    /// Names a cancel.
    #[must_use]
    pub const fn cancel(reference: Ref) -> Self {
        Self { kind: Kind::Cancel, reference }
    }

    /// Names a refund.
    #[must_use]
    pub const fn refund(reference: Ref) -> Self {
        Self { kind: Kind::Refund, reference }
    }

    /// Names our own cancel of a charge whose customer never answered.
    #[must_use]
    pub fn timeout_of(charge: &Self) -> Self {
        Self::cancel(Ref::derived(TIMEOUT_PREFIX, &charge.reference))
    }

    /// Names the refund that a cancel asked for, should the money be taken by then.
    #[must_use]
    pub fn refund_of(cancel: &Self) -> Self {
        Self::refund(Ref::derived(CANCEL_PREFIX, &cancel.reference))
    }

    /// Tells whether no caller may use this name, because Ikkai or the provider gives it.
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        let name = self.reference.as_str();
        match self.kind {
            Kind::Charge | Kind::Capture => false,
            Kind::Cancel => name.starts_with(TIMEOUT_PREFIX),
            Kind::Refund => name.starts_with(CANCEL_PREFIX) || name.starts_with(OUTSIDE_PREFIX),
            Kind::Void => true,
        }
    }

    /// Returns the durable identity `<payment_id>/<kind>/<ref>`.
    #[must_use]
    pub fn id(&self, payment: &PaymentId) -> String {
        format!("{payment}/{self}")
    }
}

impl fmt::Display for OperationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.as_str(), self.reference)
    }
}

impl From<OperationKey> for String {
    fn from(key: OperationKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for OperationKey {
    type Error = InvalidName;

    fn try_from(text: String) -> Result<Self, InvalidName> {
        let invalid = InvalidName { field: "operation", rule: "<kind>/<ref>, e.g. charge/1" };
        let (kind, reference) = text.split_once('/').ok_or_else(|| invalid.clone())?;
        let kind = Kind::ALL.into_iter().find(|known| known.as_str() == kind).ok_or(invalid)?;
        Ok(Self { kind, reference: reference.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_order_of_one_tenant_is_one_payment() {
        let id = |tenant: &str, order: &str| PaymentId::of(&tenant.parse().unwrap(), &order.parse().unwrap());
        assert_eq!(id("shop", "o-1"), id("shop", "o-1"));
        assert_ne!(id("shop", "o-1"), id("shop", "o-2"));
        assert_ne!(id("shopo", "-1"), id("shop", "o-1"));
        let text = id("shop", "o-1").to_string();
        assert_eq!(text.parse::<PaymentId>().unwrap().to_string(), text);
        assert!(id("shop", "o-1").shard() < SHARDS);
    }

    #[test]
    fn what_looks_like_a_card_number_is_never_a_name() {
        let cards = [
            "4242424242424242",
            "4242-4242-4242-4242",
            "order-4242424242424242-x",
            "5555555555554444",
            "3782-822463-10005",
            "378282246310005",
            "6011111111111117",
            "36227206271667",
            "3566002020360505",
            "6200000000000005",
            "1-4242-4242-4242-4242-9",
        ];
        for card in cards {
            assert!(card.parse::<OrderId>().is_err(), "{card}");
            assert!(card.parse::<Ref>().is_err(), "{card}");
        }
        assert!("cus_4242424242424242".parse::<CustomerId>().is_err());
        assert!("card_4242424242424242".parse::<PaymentMethodId>().is_err());
        assert!("4242424242424242".parse::<Tenant>().is_err());
        let refusal = "4242424242424242".parse::<OrderId>().unwrap_err().to_string();
        assert!(!refusal.contains("4242"), "a refusal never repeats the input: {refusal}");
    }

    #[test]
    fn ordinary_ids_are_no_card_numbers() {
        let ids = [
            "2024112900001",
            "018f2d6a-7b3c-7def-8a11-42424242f242",
            "42424242-4242-4242-4242-424242424242",
            "900000000000000018",
            "1800000000000000",
        ];
        for id in ids {
            assert!(id.parse::<OrderId>().is_ok(), "{id}");
        }
    }

    #[test]
    fn derived_names_fit_and_belong_to_nobody_else() {
        let long = OperationKey::charge("x".repeat(64).parse().unwrap());
        for charge in [OperationKey::charge("1".parse().unwrap()), long] {
            let timeout = OperationKey::timeout_of(&charge);
            let refund = OperationKey::refund_of(&OperationKey::cancel(charge.reference.clone()));
            for derived in [timeout, refund] {
                assert!(derived.is_reserved());
                assert_eq!(OperationKey::try_from(derived.to_string()).unwrap(), derived);
            }
            assert!(!charge.is_reserved());
        }
    }

    #[test]
    fn names_outside_their_alphabet_are_refused_with_the_rule() {
        assert_eq!("".parse::<Ref>().unwrap_err().field, "ref");
        assert!("a/b".parse::<Ref>().is_err());
        assert!("x".repeat(65).parse::<Ref>().is_err());
        assert!("pm_".parse::<PaymentMethodId>().is_err());
        assert!("tok_visa".parse::<PaymentMethodId>().is_err());
        assert!(OperationKey::try_from("bribe/1".to_owned()).is_err());
        assert_eq!(OperationKey::try_from("void/1".to_owned()).unwrap().to_string(), "void/1");
    }
}
