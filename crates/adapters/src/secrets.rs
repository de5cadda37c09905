//! The Stripe secret: read by name, kept for a few minutes, read again after Stripe refused it. Never printed.

use std::{fmt, sync::Arc};

use aws_sdk_secretsmanager::{Client, error::ProvideErrorMetadata};
use aws_types::SdkConfig;
use effect::{MAX_FUNCTION_TIMEOUT_MS, Time, minutes, seconds};
use payment::{
    Account,
    ports::{Clock, NoCredentials},
};
use serde::Deserialize;
use tokio::sync::Mutex;

/// How long a secret is used before it is read again.
const KEPT_MS: i64 = minutes(5);

/// The shortest time between two reads, whatever happens.
const PAUSE_MS: i64 = seconds(10);

/// For how long nothing is sent after the secret has come to name another account: the longest that a turn which
/// recorded the account before can still be about to send.
const SETTLING_MS: i64 = MAX_FUNCTION_TIMEOUT_MS;

/// Where secrets are stored.
pub trait SecretStore {
    /// Reads a secret's text.
    fn read(&self, name: &str) -> impl Future<Output = Result<String, &'static str>>;
}

/// AWS Secrets Manager.
#[derive(Debug, Clone)]
pub struct SecretsManager {
    client: Client,
}

impl SecretsManager {
    /// Reads the account's secrets.
    #[must_use]
    pub fn new(aws: &SdkConfig) -> Self {
        Self { client: Client::new(aws) }
    }
}

impl SecretStore for SecretsManager {
    async fn read(&self, name: &str) -> Result<String, &'static str> {
        let read = self.client.get_secret_value().secret_id(name).send().await;
        let value = read.map_err(|error| match error.code() {
            Some("ResourceNotFoundException") => "there is no such secret",
            Some("AccessDeniedException") => "access to the secret is denied",
            Some("DecryptionFailure") => "the secret cannot be decrypted",
            Some(_) => "the secret store refused",
            None => "no usable reply from the secret store",
        })?;
        value.secret_string.ok_or("the secret holds no text")
    }
}

/// A Stripe key and the account it belongs to.
#[derive(Clone, PartialEq, Eq)]
pub struct StripeKey {
    api_key: String,
    account: Account,
}

impl StripeKey {
    /// Returns the key itself.
    pub(crate) fn expose(&self) -> &str {
        &self.api_key
    }

    /// Returns the account it belongs to.
    #[must_use]
    pub const fn account(&self) -> &Account {
        &self.account
    }
}

impl fmt::Debug for StripeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StripeKey").field("account", &self.account).finish_non_exhaustive()
    }
}

/// The named secret, with what was last read of it.
pub struct StripeSecret<S, C> {
    store: S,
    clock: C,
    name: String,
    held: Mutex<Held>,
}

impl<S, C> fmt::Debug for StripeSecret<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StripeSecret").field("name", &self.name).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Held {
    key: Option<Arc<StripeKey>>,
    read_at: Option<Time>,
    /// Stripe refused the key since it was read.
    is_refused: bool,
    /// Another account was read at this time.
    changed: Option<(Account, Time)>,
}

impl<S: SecretStore, C: Clock> StripeSecret<S, C> {
    /// Reads the secret `name` from `store` when it is needed.
    pub fn new(store: S, clock: C, name: String) -> Self {
        Self { store, clock, name, held: Mutex::new(Held::default()) }
    }

    /// Returns the key in force.
    ///
    /// # Errors
    /// Returns [`NoCredentials`] if none can be read, or while a change of account settles.
    pub async fn key(&self) -> Result<Arc<StripeKey>, NoCredentials> {
        let mut held = self.held.lock().await;
        let now = self.clock.now();
        if held.is_to_be_read(now) {
            held.read_at = Some(now);
            match self.read().await {
                Ok(key) => held.adopt(key, now),
                Err(why) => {
                    tracing::error!(alarm = "secret", secret = self.name, why, "{EXPECTED}");
                    // Stripe's own refusal, not a store out of reach, ends the use of a key.
                    if held.key.is_none() {
                        return Err(NoCredentials(why));
                    }
                }
            }
        }
        if held.changed.is_some() {
            tracing::error!(
                alarm = "account_changed",
                secret = self.name,
                "the secret names another account"
            );
            return Err(NoCredentials("the secret names another account; it is taken up 15 minutes after"));
        }
        held.key.clone().ok_or(NoCredentials("the secret could not be read a moment ago"))
    }

    /// Takes note that Stripe refused a key, so that the secret is read again, though not at once after a read.
    pub async fn refused(&self, key: &StripeKey) {
        let mut held = self.held.lock().await;
        if held.key.as_deref() == Some(key) {
            held.is_refused = true;
        }
    }

    async fn read(&self) -> Result<StripeKey, &'static str> {
        parse(&self.store.read(&self.name).await?)
    }
}

impl Held {
    fn is_to_be_read(&self, now: Time) -> bool {
        let Some(read_at) = self.read_at else { return true };
        let is_wanted = self.key.is_none() || self.is_refused || self.changed.is_some();
        now.since_ms(read_at) >= if is_wanted { PAUSE_MS } else { KEPT_MS }
    }

    /// Takes a key up, unless it belongs to another account than the key before: a turn that has recorded the one
    /// account, and is about to send, must not send to the other.
    fn adopt(&mut self, key: StripeKey, now: Time) {
        let is_other = self.key.as_deref().is_some_and(|held| held.account != key.account);
        if is_other {
            match &self.changed {
                Some((account, since)) if *account == key.account && now.since_ms(*since) >= SETTLING_MS => {}
                Some((account, _)) if *account == key.account => return,
                Some(_) | None => {
                    self.changed = Some((key.account, now));
                    return;
                }
            }
        }
        self.changed = None;
        self.is_refused = false;
        self.key = Some(Arc::new(key));
    }
}

const EXPECTED: &str = "the Stripe secret cannot be used; it must be a JSON object with api_key (sk_… or rk_…), \
                        account (acct_…) and livemode (true or false)";

fn parse(text: &str) -> Result<StripeKey, &'static str> {
    #[derive(Deserialize)]
    struct Secret {
        api_key: String,
        account: String,
        livemode: bool,
    }
    // The parser's own error could quote the secret.
    let secret: Secret =
        serde_json::from_str(text).map_err(|_| "the secret is not the JSON object expected")?;
    let is_header_text = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
    if !is_header_text(&secret.api_key) {
        return Err("the secret's api_key is empty or holds a space or a line break");
    }
    if !is_header_text(&secret.account) {
        return Err("the secret's account is empty or holds a space or a line break");
    }
    // A key that says its own mode must not contradict the secret.
    let contradicts = if secret.livemode { "_test_" } else { "_live_" };
    if secret.api_key.contains(contradicts) {
        return Err("the secret's api_key is of the other mode than its livemode");
    }
    let account = Account { id: secret.account, live: secret.livemode };
    Ok(StripeKey { api_key: secret.api_key, account })
}

#[cfg(test)]
#[path = "secrets_tests.rs"]
mod tests;
