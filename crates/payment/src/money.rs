//! Money: whole minor units of one currency. No floats anywhere.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::ids::InvalidName;

/// The largest amount the provider takes in any currency: twelve digits of the minor unit. Each currency has its own
/// largest, mostly eight digits: see [`crate::CurrencyRules`].
pub const MAX_AMOUNT_MINOR: u64 = 999_999_999_999;

/// An amount in the currency's minor unit (cents for `usd`, yen for `jpy`): 1 to [`MAX_AMOUNT_MINOR`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Amount(u64);

impl Amount {
    /// Returns the amount in minor units.
    #[must_use]
    pub const fn minor(self) -> u64 {
        self.0
    }
}

impl TryFrom<u64> for Amount {
    type Error = InvalidName;

    fn try_from(minor: u64) -> Result<Self, InvalidName> {
        if (1..=MAX_AMOUNT_MINOR).contains(&minor) {
            return Ok(Self(minor));
        }
        Err(InvalidName { field: "amount", rule: "a whole number of minor units from 1 to 999999999999" })
    }
}

impl From<Amount> for u64 {
    fn from(amount: Amount) -> Self {
        amount.0
    }
}

/// A three-letter ISO 4217 currency code, lower-cased once, on the way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    /// Returns the code in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("xxx")
    }
}

impl TryFrom<String> for Currency {
    type Error = InvalidName;

    fn try_from(text: String) -> Result<Self, InvalidName> {
        let invalid = InvalidName { field: "currency", rule: "a three-letter currency code, e.g. jpy" };
        let code: [u8; 3] = text.as_bytes().try_into().map_err(|_| invalid.clone())?;
        if !code.iter().all(u8::is_ascii_alphabetic) {
            return Err(invalid);
        }
        Ok(Self(code.map(|b| b.to_ascii_lowercase())))
    }
}

impl FromStr for Currency {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        Self::try_from(text.to_owned())
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.as_str().to_owned()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_whole_positive_and_bounded() {
        for text in ["0", "-1", "19.99", "1e3", "\"1000\"", "9007199254740993", "1000000000000", "null"] {
            assert!(serde_json::from_str::<Amount>(text).is_err(), "{text}");
        }
        assert_eq!(serde_json::from_str::<Amount>("500").unwrap().minor(), 500);
    }

    #[test]
    fn a_currency_is_lower_cased_once() {
        assert_eq!(serde_json::from_str::<Currency>("\"USD\"").unwrap().as_str(), "usd");
        for text in ["\"us\"", "\"usdx\"", "\"us1\"", "\"é1\"", "5"] {
            assert!(serde_json::from_str::<Currency>(text).is_err(), "{text}");
        }
    }
}
