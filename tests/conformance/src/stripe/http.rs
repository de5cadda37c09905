//! The adapter's Stripe: HTTP to the simulated account's server, whose control API makes the trouble.

use std::time::Duration;

use adapters::{Metrics, SecretStore, StripeHttp, StripeSecret, StripeTimeouts, SystemClock};
use anyhow::{Result, bail};
use effect::Time;
use futures_util::future::join;
use reqwest::{Client, Method};
use serde_json::{Value, json};
use stripe_wire::{HttpReply, HttpRequest, Transport, TransportError};

use super::{StripeSubject, Trouble};

/// How long the adapter waits for a reply.
const TIMEOUT: Duration = Duration::from_millis(2_500);

/// How long a request takes that is too slow for it.
const SLOW_MS: u64 = 4_000;

/// How long a request takes that another one is to meet, and when that one starts.
const RUNNING_MS: u64 = 1_200;
const MEANWHILE: Duration = Duration::from_millis(300);

const KEY: &str = "sk_test_sim";

/// The simulated account's server. There is one, so that cases must come one after the other.
pub struct HttpStripe {
    url: String,
    control: Client,
    port: StripeHttp<OneSecret, SystemClock>,
}

/// A store of one secret.
pub struct OneSecret;

impl SecretStore for OneSecret {
    async fn read(&self, _name: &str) -> Result<String, &'static str> {
        Ok(json!({ "api_key": KEY, "account": "acct_sim", "livemode": false }).to_string())
    }
}

impl HttpStripe {
    /// Empties the account at `url`.
    ///
    /// # Errors
    /// Returns an error if the server does not answer.
    pub async fn new(url: &str) -> Result<Self> {
        let secret = StripeSecret::new(OneSecret, SystemClock, "ikkai/stripe".to_owned());
        let timeouts = StripeTimeouts::within(TIMEOUT);
        let port = StripeHttp::new(url.to_owned(), timeouts, secret, Metrics::of("conformance"))?;
        let stripe = Self { url: url.to_owned(), control: Client::new(), port };
        stripe.control(Method::POST, "reset", &json!({})).await?;
        let usual = json!({ "api_key": KEY, "search_lag_ms": 0 });
        stripe.control(Method::PUT, "settings", &usual).await?;
        Ok(stripe)
    }

    async fn control(&self, method: Method, what: &str, body: &Value) -> Result<Value> {
        let request = self.control.request(method, format!("{}/_sim/{what}", self.url));
        let request = request.header("content-type", "application/json").body(serde_json::to_vec(body)?);
        let reply = request.send().await?;
        let (status, bytes) = (reply.status(), reply.bytes().await?);
        if !status.is_success() {
            bail!("{what}: {status} {}", String::from_utf8_lossy(&bytes));
        }
        Ok(serde_json::from_slice(&bytes)?)
    }

    async fn script(&self, fault: &Value) -> Result<()> {
        self.control(Method::POST, "faults", &json!([fault])).await.map(drop)
    }
}

impl StripeSubject for HttpStripe {
    type Port = StripeHttp<OneSecret, SystemClock>;

    fn port(&self) -> &Self::Port {
        &self.port
    }

    async fn trouble(&self, trouble: Trouble) -> Result<()> {
        let fault = match trouble {
            Trouble::ReplyLost => "lose_reply_after_effect",
            Trouble::Reset => "reset_before",
            Trouble::ErrorBefore => "error_500_before",
            Trouble::ErrorAfter => "error_500_after",
            Trouble::ErrorBetween => "error_500_between",
            Trouble::RateLimited => "rate_limit",
            Trouble::Locked => "lock_timeout",
            Trouble::Unavailable => "unavailable_503",
            Trouble::Slow => return self.script(&json!({ "fault": "none", "delay_ms": SLOW_MS })).await,
        };
        self.script(&json!({ "fault": fault })).await
    }

    async fn call_while_running(
        &self,
        first: &HttpRequest,
        second: &HttpRequest,
    ) -> Result<[Result<HttpReply, TransportError>; 2]> {
        self.script(&json!({ "fault": "none", "delay_ms": RUNNING_MS })).await?;
        let late = async {
            tokio::time::sleep(MEANWHILE).await;
            self.port.call(second).await
        };
        let (first, late) = join(self.port.call(first), late).await;
        Ok([first, late])
    }

    async fn now(&self) -> Result<Time> {
        let clock = self.control(Method::GET, "clock", &Value::Null).await?;
        Ok(Time(clock["now_ms"].as_i64().unwrap_or_default()))
    }

    async fn pass(&self, ms: i64) -> Result<()> {
        self.control(Method::POST, "clock", &json!({ "advance_ms": ms })).await.map(drop)
    }

    async fn finish(&self) -> Result<()> {
        while self.control(Method::GET, "counts", &Value::Null).await?["running"] != 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    async fn search_lags(&self, ms: i64) -> Result<()> {
        self.control(Method::PUT, "settings", &json!({ "search_lag_ms": ms })).await.map(drop)
    }

    async fn refuse_credentials(&self, refuse: bool) -> Result<()> {
        let key = if refuse { "sk_test_rolled" } else { KEY };
        self.control(Method::PUT, "settings", &json!({ "api_key": key })).await.map(drop)
    }
}
