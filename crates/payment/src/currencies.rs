//! What the provider's currency page says of amounts, checked before anything is recorded or sent.
//!
//! The rules are data, a row per currency in [`table`], each with its source. Everything is whole numbers of minor
//! units; no check rounds.

mod table;

use crate::money::{Amount, Currency};

/// The rules for amounts of one currency. All amounts are in its minor unit, as Stripe's API counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurrencyRules {
    /// The three-letter code in lower case.
    pub code: &'static str,
    /// How many decimals the API's amount has: 10 to its power minor units are one unit. Not always ISO 4217's.
    pub exponent: u8,
    /// Amounts must be multiples of this many minor units.
    pub step: u64,
    /// The least amount of a charge, if the page lists one; it binds no capture and no refund.
    pub minimum: Option<u64>,
    /// The largest amount.
    pub maximum: u64,
}

/// Why an amount or a currency is refused: the field, the rule, and so what to send instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMoney {
    /// Stripe does not charge in the currency.
    #[error("currency must be one that Stripe takes, and {0} is not; see https://docs.stripe.com/currencies")]
    UnknownCurrency(Currency),
    /// The amount has a fraction that the currency does not have.
    #[error("amount in {} must be a multiple of {} minor units ({})", .0.code, .0.step, .0.in_units(.0.step))]
    Step(&'static CurrencyRules),
    /// The amount is below the least charge.
    #[error(
        "amount in {} must be at least {minimum} minor units ({}) to charge",
        .rules.code, .rules.in_units(*.minimum)
    )]
    TooSmall {
        /// The currency's rules.
        rules: &'static CurrencyRules,
        /// The least charge, in minor units.
        minimum: u64,
    },
    /// The amount has too many digits.
    #[error("amount in {} must be at most {} minor units ({})", .0.code, .0.maximum, .0.in_units(.0.maximum))]
    TooLarge(&'static CurrencyRules),
}

impl InvalidMoney {
    /// Returns the name of the field that was wrong.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        match self {
            Self::UnknownCurrency(_) => "currency",
            Self::Step(_) | Self::TooSmall { .. } | Self::TooLarge(_) => "amount",
        }
    }
}

impl CurrencyRules {
    /// Writes an amount of minor units in units of the currency, exactly: 50 of `usd` is `0.50 usd`.
    #[must_use]
    pub fn in_units(&self, minor: u64) -> String {
        let places = usize::from(self.exponent);
        if places == 0 {
            return format!("{minor} {}", self.code);
        }
        let unit = 10_u64.pow(u32::from(self.exponent));
        format!("{}.{:0places$} {}", minor / unit, minor % unit, self.code)
    }
}

impl Currency {
    /// Returns the currency's rules, or `None` if Stripe does not charge in it.
    #[must_use]
    pub fn rules(self) -> Option<&'static CurrencyRules> {
        let found = table::TABLE.binary_search_by(|row| row.code.cmp(self.as_str())).ok()?;
        table::TABLE.get(found)
    }

    /// Returns the rules of every currency that Stripe charges in, sorted by code.
    #[must_use]
    pub const fn all_rules() -> &'static [CurrencyRules] {
        table::TABLE
    }
}

impl Amount {
    /// Checks that the amount is one to charge in the currency.
    ///
    /// # Errors
    /// Returns the rule broken: an unknown currency, not a multiple of the step, below the minimum, above the maximum.
    pub fn check_charge(self, currency: Currency) -> Result<(), InvalidMoney> {
        self.check_part(currency)?;
        let rules = currency.rules().ok_or(InvalidMoney::UnknownCurrency(currency))?;
        match rules.minimum {
            Some(minimum) if self.minor() < minimum => Err(InvalidMoney::TooSmall { rules, minimum }),
            Some(_) | None => Ok(()),
        }
    }

    /// Checks that the amount is one to capture or refund in the currency: as a charge, but without a minimum.
    ///
    /// # Errors
    /// Returns the rule broken: an unknown currency, not a multiple of the step, above the maximum.
    pub fn check_part(self, currency: Currency) -> Result<(), InvalidMoney> {
        let rules = currency.rules().ok_or(InvalidMoney::UnknownCurrency(currency))?;
        if self.minor() > rules.maximum {
            return Err(InvalidMoney::TooLarge(rules));
        }
        if !self.minor().is_multiple_of(rules.step) {
            return Err(InvalidMoney::Step(rules));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
