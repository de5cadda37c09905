//! Replies, in the one form that all payload formats take.

use serde_json::{Value, json};

/// One HTTP reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Reply {
    /// Builds a reply that nobody may keep.
    pub(crate) fn new(status: u16, content_type: &str, body: String) -> Self {
        let headers =
            vec![("content-type", content_type.to_owned()), ("cache-control", "no-store".to_owned())];
        Self { status, headers, body }
    }

    /// Adds a header; its name is in lower case.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Returns its status.
    pub(crate) const fn status(&self) -> u16 {
        self.status
    }

    /// Returns what the function answers to its caller.
    pub(crate) fn to_event(&self) -> Value {
        let headers: serde_json::Map<String, Value> =
            self.headers.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        json!({ "statusCode": self.status, "headers": headers, "body": self.body, "isBase64Encoded": false })
    }
}
