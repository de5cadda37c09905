//! Stripe over HTTP: each call puts one request on the wire, and never a second one.
//!
//! Three things could repeat a request below this module, and all are switched off: redirects, reqwest's retries of
//! refused requests, and the pool's second try when a kept connection turns out to be closed. The last has no switch
//! of its own in reqwest, so no connection is kept at all. That costs a TCP and a TLS handshake for each call, two
//! round trips beside a request that takes Stripe several hundred milliseconds. It also removes the commonest lost
//! reply: a sandbox that thaws with a connection that its peer has long closed.

use std::{sync::Arc, time::Duration};

use payment::{
    Account,
    ports::{Clock, NoCredentials},
};
use reqwest::{
    Client, RequestBuilder, Response, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
    redirect,
};
use stripe_wire::{HttpReply, HttpRequest, Method, Transport, TransportError};

use crate::{
    Metrics,
    secrets::{SecretStore, StripeKey, StripeSecret},
    tls,
};

/// The most bytes read of a reply; what is longer is cut, and then cannot be read as a reply.
pub const MAX_REPLY_BYTES: usize = 1024 * 1024;

/// The metric of calls that Stripe's credentials, or their absence, prevented.
const UNAUTHORIZED: &str = "ProviderUnauthorized";

/// How long a connection may take, at the most.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long one call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StripeTimeouts {
    /// Until the connection stands, TLS included.
    pub connect: Duration,
    /// Until the whole reply is read.
    pub total: Duration,
}

impl StripeTimeouts {
    /// Returns the timeouts of calls that may take `total`.
    #[must_use]
    pub fn within(total: Duration) -> Self {
        Self { connect: CONNECT_TIMEOUT.min(total), total }
    }
}

/// Why the HTTP client cannot be built.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client cannot be built")]
pub struct NoClient(#[source] Box<dyn std::error::Error + Send + Sync>);

/// Carries requests to Stripe over HTTP.
#[derive(Debug)]
pub struct StripeHttp<S, C> {
    client: Client,
    base_url: String,
    secret: StripeSecret<S, C>,
    metrics: Metrics,
}

impl<S: SecretStore, C: Clock> StripeHttp<S, C> {
    /// Reaches Stripe at `base_url` (a scheme and a host) with the key that `secret` holds.
    ///
    /// # Errors
    /// Returns [`NoClient`] if TLS cannot be set up.
    pub fn new(
        base_url: String,
        timeouts: StripeTimeouts,
        secret: StripeSecret<S, C>,
        metrics: Metrics,
    ) -> Result<Self, NoClient> {
        let tls = tls::client_config().map_err(|error| NoClient(error.into()))?;
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .http1_only()
            .pool_max_idle_per_host(0)
            .retry(reqwest::retry::never())
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .user_agent(concat!("ikkai/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(timeouts.connect)
            .timeout(timeouts.total)
            .build();
        Ok(Self { client: client.map_err(|error| NoClient(error.into()))?, base_url, secret, metrics })
    }

    async fn key(&self) -> Result<Arc<StripeKey>, NoCredentials> {
        self.secret.key().await.inspect_err(|_| self.metrics.count(UNAUTHORIZED, 1))
    }

    fn request(&self, request: &HttpRequest, key: &StripeKey) -> Option<RequestBuilder> {
        let question_mark = if request.query.is_empty() { "" } else { "?" };
        let url = format!("{}{}{question_mark}{}", self.base_url, request.path, request.query);
        let mut authorization = HeaderValue::try_from(format!("Bearer {}", key.expose())).ok()?;
        authorization.set_sensitive(true);
        let builder = match request.method {
            Method::Get => self.client.get(url),
            Method::Post => self
                .client
                .post(url)
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(request.body.clone()),
        };
        let builder =
            builder.header(AUTHORIZATION, authorization).header("Stripe-Version", &request.api_version);
        Some(match &request.idempotency_key {
            Some(idempotency_key) => builder.header("Idempotency-Key", idempotency_key),
            None => builder,
        })
    }
}

impl<S: SecretStore, C: Clock> Transport for StripeHttp<S, C> {
    async fn account(&self) -> Result<Account, NoCredentials> {
        Ok(self.key().await?.account().clone())
    }

    async fn call(&self, request: &HttpRequest) -> Result<HttpReply, TransportError> {
        let key: Arc<StripeKey> = self.key().await.map_err(|_| TransportError::NoCredentials)?;
        let prepared = self.request(request, &key).ok_or(TransportError::NoCredentials)?;
        let response = prepared.send().await.map_err(|error| broken(&error))?;
        if matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            self.metrics.count(UNAUTHORIZED, 1);
        }
        if response.status() == StatusCode::UNAUTHORIZED {
            self.secret.refused(&key).await;
        }
        read(response).await
    }
}

async fn read(mut response: Response) -> Result<HttpReply, TransportError> {
    let status = response.status().as_u16();
    let replayed = flag(response.headers(), "idempotent-replayed") == Some(true);
    let should_retry = flag(response.headers(), "stripe-should-retry");
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| broken(&error))? {
        let room = MAX_REPLY_BYTES - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            break;
        }
    }
    Ok(HttpReply { status, replayed, should_retry, body })
}

fn flag(headers: &HeaderMap, name: &str) -> Option<bool> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

fn broken(error: &reqwest::Error) -> TransportError {
    // A connection that never stood is broken, however long it took: trying again soon may help.
    if error.is_timeout() && !error.is_connect() { TransportError::TimedOut } else { TransportError::Broken }
}

#[cfg(test)]
#[path = "stripe_http_tests.rs"]
mod tests;
