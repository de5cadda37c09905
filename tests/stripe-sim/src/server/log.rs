//! The last requests, with their bodies, for tests that compare bytes.

use std::collections::VecDeque;

use serde_json::{Value, json};
use stripe_sim::{Request, Response};

use crate::plan::Kind;

const KEPT: usize = 2_000;

/// One request and what came of it; no response while it is in flight or where it was reset.
#[derive(Debug)]
struct Entry {
    number: u64,
    at_ms: i64,
    request: Request,
    operation_id: String,
    response: Option<Response>,
    fault: Kind,
    delay_ms: u64,
}

/// The last requests, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: VecDeque<Entry>,
    next: u64,
}

impl Log {
    /// Notes a request and returns its number.
    pub(crate) fn request(
        &mut self,
        at_ms: i64,
        request: Request,
        operation_id: String,
        fault: Kind,
        delay_ms: u64,
    ) -> u64 {
        self.next += 1;
        if self.entries.len() == KEPT {
            self.entries.pop_front();
        }
        let number = self.next;
        self.entries.push_back(Entry {
            number,
            at_ms,
            request,
            operation_id,
            response: None,
            fault,
            delay_ms,
        });
        number
    }

    /// Notes the engine's response, whether or not the client will see it.
    pub(crate) fn response(&mut self, number: u64, response: &Response) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.number == number) {
            entry.response = Some(response.clone());
        }
    }

    /// Renders the last `limit` requests, oldest first.
    pub(crate) fn render(&self, limit: usize) -> Value {
        let skipped = self.entries.len().saturating_sub(limit);
        self.entries.iter().skip(skipped).map(Entry::render).collect()
    }
}

impl Entry {
    fn render(&self) -> Value {
        let response = self.response.as_ref();
        json!({
            "number": self.number,
            "at_ms": self.at_ms,
            "method": self.request.method.as_str(),
            "path": self.request.path,
            "query": self.request.query,
            "idempotency_key": self.request.idempotency_key,
            "stripe_version": self.request.stripe_version,
            "operation_id": self.operation_id,
            "body": String::from_utf8_lossy(&self.request.body),
            "body_hex": hex::encode(&self.request.body),
            "status": response.map(|response| response.status),
            "replayed": response.is_some_and(Response::is_replayed),
            "request_id": response.and_then(|response| response.header("Request-Id")),
            "response_body": response.map(|response| String::from_utf8_lossy(&response.body)),
            "fault": self.fault.as_str(),
            "delay_ms": self.delay_ms,
        })
    }
}
