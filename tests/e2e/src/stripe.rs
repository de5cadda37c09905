//! The simulated Stripe's control API: faults, its clock, and what it counted.

use anyhow::{Result, bail};
use reqwest::Method;
use serde_json::Value;

use crate::Stack;

impl Stack {
    /// Reads from the control API: `/_sim/counts`, `/_sim/intents`, `/_sim/requests`, …
    pub async fn stripe_get(&self, path: &str) -> Result<Value> {
        self.stripe(Method::GET, path, None).await
    }

    /// Replaces something through the control API: `/_sim/faults`, `/_sim/settings`.
    pub async fn stripe_put(&self, path: &str, body: &Value) -> Result<Value> {
        self.stripe(Method::PUT, path, Some(body)).await
    }

    /// Does something through the control API: `/_sim/clock`, `/_sim/age`, `/_sim/reset`, …
    pub async fn stripe_post(&self, path: &str, body: &Value) -> Result<Value> {
        self.stripe(Method::POST, path, Some(body)).await
    }

    async fn stripe(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value> {
        let mut request = reqwest::Client::new().request(method, format!("{}{path}", self.stripe_url()));
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(serde_json::to_vec(body)?);
        }
        let reply = request.send().await?;
        let (status, bytes) = (reply.status(), reply.bytes().await?);
        if !status.is_success() {
            bail!("{path}: {status} {}", String::from_utf8_lossy(&bytes));
        }
        Ok(serde_json::from_slice(&bytes)?)
    }
}
