//! The stack's functions: invoking them, and killing the processes that run them.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::Stack;

/// A function of `template.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The one executor.
    Settle,
    /// Puts what is due back on the queue.
    Sweep,
    /// Announces outcomes.
    Publish,
    /// Turns asynchronous invokes into commands.
    Enqueue,
    /// The HTTP API.
    Intake,
}

impl Function {
    /// The name of its folder, package and binary.
    pub fn name(self) -> &'static str {
        match self {
            Self::Settle => "settle",
            Self::Sweep => "sweep",
            Self::Publish => "publish",
            Self::Enqueue => "enqueue",
            Self::Intake => "intake",
        }
    }
}

/// What a synchronous invoke gave back.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    /// What the function returned, or the error's description.
    pub payload: Value,
    /// How it failed, if it did: `Unhandled`, a crash and a timeout included.
    pub error: Option<String>,
}

impl Stack {
    /// The deployed name of a function.
    pub fn function_name(&self, function: Function) -> String {
        format!("{}-{}", self.name(), function.name())
    }

    /// Invokes a function and waits for what it returns.
    pub async fn invoke(&self, function: Function, event: &Value) -> Result<Invocation> {
        let reply = self.post(function, "RequestResponse", event).await?;
        let error = reply.headers().get("x-amz-function-error");
        let error = error.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let body = reply.bytes().await?;
        let payload = serde_json::from_slice(&body)
            .with_context(|| format!("{function:?} gave no JSON: {}", String::from_utf8_lossy(&body)))?;
        Ok(Invocation { payload, error })
    }

    /// Hands a function an event for later, as EventBridge and other callers do; Lambda retries it by itself.
    pub async fn invoke_async(&self, function: Function, event: &Value) -> Result<()> {
        self.post(function, "Event", event).await?;
        Ok(())
    }

    async fn post(&self, function: Function, kind: &str, event: &Value) -> Result<reqwest::Response> {
        let name = self.function_name(function);
        let url = format!("{}/2015-03-31/functions/{name}/invocations", self.endpoint());
        let request = reqwest::Client::new()
            .post(url)
            .header("x-amz-invocation-type", kind)
            .header("content-type", "application/json")
            .body(serde_json::to_vec(event)?);
        let reply = request.send().await?;
        if !reply.status().is_success() {
            bail!("{name} was not invoked: {} {}", reply.status(), reply.text().await?);
        }
        Ok(reply)
    }

    /// The ids of the processes that run a function at this moment, idle ones included.
    pub fn processes(&self, function: Function) -> Result<Vec<i32>> {
        let (name, port) = (self.function_name(function), self.port());
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc")? {
            let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let variables = environment(pid);
            let is = |key: &str, value: &str| variables.get(key).is_some_and(|found| found == value);
            if is("AWS_LAMBDA_FUNCTION_NAME", &name) && is("GATEWAY_PORT", port) {
                found.push(pid);
            }
        }
        Ok(found)
    }

    /// Kills every process of a function with SIGKILL, and says how many there were.
    pub fn kill(&self, function: Function) -> Result<usize> {
        let mut killed = 0;
        for pid in self.processes(function)? {
            let pid = Pid::from_raw(pid).context("no process has the id 0")?;
            // One that ended in between is none to count.
            killed += usize::from(kill_process(pid, Signal::KILL).is_ok());
        }
        Ok(killed)
    }

    fn port(&self) -> &str {
        self.endpoint().rsplit(':').next().unwrap_or_default()
    }
}

/// The environment a process was started with; empty when it is gone.
fn environment(pid: i32) -> HashMap<String, String> {
    let raw = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let items = raw.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    items
        .filter_map(|item| item.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())))
        .collect()
}
