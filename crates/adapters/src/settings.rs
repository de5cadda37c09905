//! Settings: each function's environment variables, parsed once at the start.

use std::{collections::BTreeMap, str::FromStr, time::Duration};

use effect::{MAX_FUNCTION_TIMEOUT_MS, MAX_PROVIDER_EXECUTION_MS, MAX_PROVIDER_TIMEOUT_MS, Rules, seconds};
use payment::{Limits, Settings};

/// How often a write conflict is answered by deciding again.
const CONFLICTS: u32 = 5;

/// Why a function cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A variable is not set, or empty.
    #[error("the environment variable {0} is not set")]
    Missing(&'static str),
    /// A variable's value cannot be used. The value is not repeated.
    #[error("the environment variable {name} must be {rule}")]
    Invalid {
        /// The variable.
        name: &'static str,
        /// What it must be.
        rule: &'static str,
    },
}

/// A set of environment variables. It holds credentials, and so is never printed.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Takes the process's own variables.
    #[must_use]
    pub fn of_process() -> Self {
        let is_text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self(std::env::vars_os().filter_map(is_text).collect())
    }

    /// Returns a variable; `None` if it is not set or empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns a variable that must be set.
    ///
    /// # Errors
    /// Returns [`SettingsError::Missing`] if it is not set or empty.
    pub fn require(&self, name: &'static str) -> Result<String, SettingsError> {
        self.get(name).map(str::to_owned).ok_or(SettingsError::Missing(name))
    }

    fn number<N: FromStr>(&self, name: &'static str, rule: &'static str) -> Result<N, SettingsError> {
        self.require(name)?.trim().parse().map_err(|_| SettingsError::Invalid { name, rule })
    }

    fn positive(&self, name: &'static str, most: i64, rule: &'static str) -> Result<i64, SettingsError> {
        let value: i64 = self.number(name, rule)?;
        if (1..=most).contains(&value) { Ok(value) } else { Err(SettingsError::Invalid { name, rule }) }
    }

    fn positive_seconds(&self, name: &'static str) -> Result<i64, SettingsError> {
        Ok(seconds(self.positive(name, MAX_SECONDS, "a whole number of seconds, from 1 to 31536000")?))
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}

const MAX_SECONDS: i64 = 365 * 24 * 60 * 60;

/// What `settle` is told by its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettleSettings {
    /// Name of the payments table.
    pub table: String,
    /// URL of the queue for what cannot be processed.
    pub dead_letter_url: String,
    /// Name of the secret that holds the Stripe key.
    pub stripe_secret_id: String,
    /// Where Stripe's API is reached, without a final slash.
    pub stripe_base_url: String,
    /// The longest one request to Stripe is waited for.
    pub provider_timeout: Duration,
    /// The protocol's numbers, and the deployment's name.
    pub converge: Settings,
}

impl SettleSettings {
    /// Reads the variables.
    ///
    /// # Errors
    /// Returns [`SettingsError`] for the first variable that is missing or outside its limits.
    pub fn read(env: &Environment) -> Result<Self, SettingsError> {
        let rule = "a whole number of milliseconds, from 1 to 80000";
        let provider_timeout_ms = env.positive("PROVIDER_TIMEOUT_MS", MAX_PROVIDER_TIMEOUT_MS, rule)?;
        let rule = "a whole number of seconds, from 1 to 900";
        let function_timeout_ms =
            seconds(env.positive("FUNCTION_TIMEOUT_S", MAX_FUNCTION_TIMEOUT_MS / 1_000, rule)?);
        let rule = "a whole number of milliseconds that leaves time for a request: together with \
                    PROVIDER_TIMEOUT_MS less than FUNCTION_TIMEOUT_S";
        let most = function_timeout_ms - provider_timeout_ms - 1;
        let write_margin_ms = env.positive("WRITE_MARGIN_MS", most, rule)?;
        let rules = rules(env)?;
        Ok(Self {
            table: env.require("TABLE_NAME")?,
            dead_letter_url: env.require("DEAD_LETTER_URL")?,
            stripe_secret_id: env.require("STRIPE_SECRET_ID")?,
            stripe_base_url: base_url(env)?,
            provider_timeout: Duration::from_millis(provider_timeout_ms.unsigned_abs()),
            converge: Settings {
                stack: env.require("STACK")?,
                rules,
                limits: Limits { provider_timeout_ms, write_margin_ms },
                conflicts: CONFLICTS,
            },
        })
    }
}

/// What `intake` is told by its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeSettings {
    /// Name of the payments table.
    pub table: String,
    /// URL of the command queue.
    pub queue_url: String,
    /// The protocol's numbers, those that `settle` has.
    pub rules: Rules,
}

impl IntakeSettings {
    /// Reads the variables.
    ///
    /// # Errors
    /// Returns [`SettingsError`] for the first variable that is missing or outside its limits.
    pub fn read(env: &Environment) -> Result<Self, SettingsError> {
        Ok(Self {
            table: env.require("TABLE_NAME")?,
            queue_url: env.require("QUEUE_URL")?,
            rules: rules(env)?,
        })
    }
}

/// What `sweep` is told by its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepSettings {
    /// Name of the payments table.
    pub table: String,
    /// URL of the command queue.
    pub queue_url: String,
    /// Names the deployment in its metrics.
    pub stack: String,
    /// How long a due payment is left alone after its wake, in milliseconds.
    pub lease_ms: i64,
    /// The most wakes one run sends.
    pub wakes: u32,
}

impl SweepSettings {
    /// Reads the variables.
    ///
    /// # Errors
    /// Returns [`SettingsError`] for the first variable that is missing or outside its limits.
    pub fn read(env: &Environment) -> Result<Self, SettingsError> {
        let rule = "a whole number from 1 to 100000";
        let wakes = env.positive("SWEEP_WAKES", 100_000, rule)?;
        Ok(Self {
            table: env.require("TABLE_NAME")?,
            queue_url: env.require("QUEUE_URL")?,
            stack: env.require("STACK")?,
            lease_ms: env.positive_seconds("SWEEP_LEASE_S")?,
            wakes: u32::try_from(wakes).map_err(|_| SettingsError::Invalid { name: "SWEEP_WAKES", rule })?,
        })
    }
}

/// What `publish` is told by its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishSettings {
    /// Name or ARN of the event bus.
    pub bus: String,
    /// Source of every event.
    pub source: String,
    /// URL of the queue for what can never be published.
    pub quarantine_url: String,
}

impl PublishSettings {
    /// Reads the variables.
    ///
    /// # Errors
    /// Returns [`SettingsError`] for the first variable that is missing.
    pub fn read(env: &Environment) -> Result<Self, SettingsError> {
        Ok(Self {
            bus: env.require("BUS_NAME")?,
            source: env.require("EVENT_SOURCE")?,
            quarantine_url: env.require("QUARANTINE_URL")?,
        })
    }
}

/// What `enqueue` is told by its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnqueueSettings {
    /// URL of the command queue.
    pub queue_url: String,
}

impl EnqueueSettings {
    /// Reads the variables.
    ///
    /// # Errors
    /// Returns [`SettingsError`] if the variable is missing.
    pub fn read(env: &Environment) -> Result<Self, SettingsError> {
        Ok(Self { queue_url: env.require("QUEUE_URL")? })
    }
}

fn rules(env: &Environment) -> Result<Rules, SettingsError> {
    let rule = "a whole number of seconds, from 1 to 600";
    let longest = env.positive("LONGEST_EXECUTION_S", MAX_PROVIDER_EXECUTION_MS / 1_000, rule)?;
    Ok(Rules {
        schedule_ms: schedule(env)?,
        longest_execution_ms: seconds(longest),
        search_lag_ms: env.positive_seconds("SEARCH_LAG_S")?,
        ..Rules::production()
    })
}

fn schedule(env: &Environment) -> Result<Vec<i64>, SettingsError> {
    let name = "RESEND_SCHEDULE_S";
    let invalid = SettingsError::Invalid { name, rule: "whole seconds from 1 to 31536000, by commas" };
    let delay = |text: &str| match text.trim().parse() {
        Ok(delay @ 1..=MAX_SECONDS) => Ok(seconds(delay)),
        Ok(_) | Err(_) => Err(invalid.clone()),
    };
    env.require(name)?.split(',').map(delay).collect()
}

fn base_url(env: &Environment) -> Result<String, SettingsError> {
    let name = "STRIPE_BASE_URL";
    let url = env.require(name)?;
    let url = url.trim_end_matches('/');
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    if host.is_empty() || host.contains(['/', '?', '#', '@']) {
        return Err(SettingsError::Invalid { name, rule: "http:// or https:// and a host, without a path" });
    }
    Ok(url.to_owned())
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
