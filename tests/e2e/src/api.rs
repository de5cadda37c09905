//! The HTTP API, as its callers reach it.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use reqwest::Method;
use serde_json::Value;

use crate::Stack;

/// One request of the HTTP API.
#[derive(Debug, Clone)]
pub struct ApiRequest {
    /// The IAM user who makes it, `shop` or `stall`; none if nobody signs it.
    pub caller: Option<&'static str>,
    /// Its method.
    pub method: Method,
    /// Its path, from `/v1` on.
    pub path: String,
    /// Its headers, the signature aside.
    pub headers: Vec<(&'static str, String)>,
    /// Its body.
    pub body: Option<String>,
}

/// What the HTTP API answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiReply {
    /// The status.
    pub status: u16,
    /// The headers, their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body, byte for byte.
    pub body: String,
}

impl ApiRequest {
    /// A POST of `shop` under a key.
    pub fn post(path: impl Into<String>, key: &str, body: &Value) -> Self {
        let headers =
            vec![("idempotency-key", key.to_owned()), ("content-type", "application/json".to_owned())];
        let body = Some(body.to_string());
        Self { caller: Some("shop"), method: Method::POST, path: path.into(), headers, body }
    }

    /// A GET of `shop`.
    pub fn get(path: impl Into<String>) -> Self {
        Self { caller: Some("shop"), method: Method::GET, path: path.into(), headers: Vec::new(), body: None }
    }

    /// The same by another caller.
    #[must_use]
    pub fn by(mut self, caller: &'static str) -> Self {
        self.caller = Some(caller);
        self
    }

    /// The same with a header more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

impl ApiReply {
    /// The body as JSON.
    pub fn json(&self) -> Result<Value> {
        serde_json::from_str(&self.body).with_context(|| format!("{} {}", self.status, self.body))
    }
}

impl Stack {
    /// Makes one request of the HTTP API.
    ///
    /// The emulator does not check signatures: what stands for one names the caller's access key, from which it tells
    /// the function the caller's identity as API Gateway does. `make openapi` signs in earnest.
    pub async fn api(&self, request: &ApiRequest) -> Result<ApiReply> {
        let url = format!("{}{}", self.api_url(), request.path);
        let mut call = reqwest::Client::new().request(request.method.clone(), url);
        if let Some(caller) = request.caller {
            let key = self.access_key_id(caller).with_context(|| format!("no caller {caller}"))?;
            let scope = format!("{key}/20300101/us-east-1/execute-api/aws4_request");
            let signature = format!("AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0");
            call = call.header("authorization", signature);
        }
        for (name, value) in &request.headers {
            call = call.header(*name, value);
        }
        if let Some(body) = &request.body {
            call = call.body(body.clone());
        }
        let reply = call.send().await?;
        let status = reply.status().as_u16();
        let text =
            |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = reply.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        Ok(ApiReply { status, headers, body: reply.text().await? })
    }
}
