//! HTTP as far as the protocol needs it, and the port that carries it.

use std::future::Future;

use payment::{Account, ports::NoCredentials};

/// A request method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Asks; changes nothing.
    Get,
    /// Makes a side effect.
    Post,
}

/// One HTTP request, without the credentials: the transport adds those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// Method.
    pub method: Method,
    /// Path, beginning with a slash.
    pub path: String,
    /// Query, without the question mark; empty if there is none.
    pub query: String,
    /// Value of `Idempotency-Key`; only with a POST.
    pub idempotency_key: Option<String>,
    /// Value of `Stripe-Version`.
    pub api_version: String,
    /// Form-encoded body; empty with a GET.
    pub body: String,
}

/// One HTTP reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    /// Status code.
    pub status: u16,
    /// Whether `Idempotent-Replayed: true` was set: the reply is the saved one of an earlier request.
    pub replayed: bool,
    /// Value of `Stripe-Should-Retry`, if it was set.
    pub should_retry: Option<bool>,
    /// Body, as received.
    pub body: Vec<u8>,
}

/// Why there is no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The credentials cannot be read: nothing was sent.
    #[error("no credentials")]
    NoCredentials,
    /// The connection failed or broke: the request may have been carried out.
    #[error("the connection broke")]
    Broken,
    /// No reply came in time: the request may have been carried out, or still be running.
    #[error("no reply in time")]
    TimedOut,
}

/// Carries one request to Stripe and its reply back. It never sends a request twice and follows no redirect.
pub trait Transport {
    /// Returns the account that the credentials in force belong to.
    fn account(&self) -> impl Future<Output = Result<Account, NoCredentials>>;

    /// Carries one request.
    fn call(&self, request: &HttpRequest) -> impl Future<Output = Result<HttpReply, TransportError>>;
}
