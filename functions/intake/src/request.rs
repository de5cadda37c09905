//! The request in an event: of a REST API (payload format 1.0), of an HTTP API or of a function URL (2.0).

use base64::{Engine as _, prelude::BASE64_STANDARD};
use payment::{Tenant, looks_like_a_card_number};
use serde_json::Value;

use crate::{
    caller,
    problem::{Problem, ProblemKind},
};

/// The longest body taken, in bytes.
pub const MAX_BODY_BYTES: usize = 16 * 1024;

/// The event is no HTTP request of a kind that this function reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the event is no HTTP request: it has neither `requestContext.http` nor `httpMethod`")]
pub struct NotHttp;

/// One HTTP request. What may be absent or null in an event is empty here.
#[derive(Debug)]
pub(crate) struct Request {
    /// The method, in capitals.
    pub(crate) method: String,
    /// The path below the stage.
    pub(crate) path: String,
    /// Whose request it is, as the authorizer says; none if it does not.
    pub(crate) tenant: Option<Tenant>,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    body: String,
    is_base64: bool,
}

impl Request {
    /// Reads the event.
    ///
    /// # Errors
    /// Returns [`NotHttp`] if the event names no method.
    pub(crate) fn read(event: &Value) -> Result<Self, NotHttp> {
        let context = &event["requestContext"];
        let (method, path) = match (context["http"]["method"].as_str(), event["httpMethod"].as_str()) {
            (Some(method), _) => {
                (method, below_stage(event["rawPath"].as_str().unwrap_or("/"), context["stage"].as_str()))
            }
            (None, Some(method)) => (method, event["path"].as_str().unwrap_or("/")),
            (None, None) => return Err(NotHttp),
        };
        Ok(Self {
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            tenant: caller::tenant(context),
            headers: headers(event),
            body: event["body"].as_str().unwrap_or_default().to_owned(),
            is_base64: event["isBase64Encoded"].as_bool().unwrap_or(false),
        })
    }

    /// Returns every value of a header, whatever the case of its name.
    pub(crate) fn header<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(held, _)| held == name).map(|(_, value)| value.as_str())
    }

    /// Returns the JSON text of the body; none if there is no body.
    ///
    /// # Errors
    /// Returns a problem if it is too large, is not said to be JSON, is no text, or holds what looks like a card
    /// number.
    pub(crate) fn json(&self) -> Result<Option<String>, Problem> {
        // Four characters of base64 stand for three bytes.
        let longest = if self.is_base64 { MAX_BODY_BYTES / 3 * 4 + 4 } else { MAX_BODY_BYTES };
        if self.body.len() > longest {
            return Err(too_large());
        }
        let text = if self.is_base64 {
            let bytes = BASE64_STANDARD.decode(&self.body).ok();
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            text.ok_or_else(|| Problem::new(ProblemKind::InvalidBody, "the body must be JSON in UTF-8"))?
        } else {
            self.body.clone()
        };
        if text.len() > MAX_BODY_BYTES {
            return Err(too_large());
        }
        if text.trim().is_empty() {
            return Ok(None);
        }
        if !self.is_json() {
            let detail = "the header Content-Type must be application/json";
            return Err(Problem::new(ProblemKind::UnsupportedMediaType, detail));
        }
        if looks_like_a_card_number(&text) {
            let detail =
                "the body holds what looks like a card number; send the id of a stored payment method";
            return Err(Problem::new(ProblemKind::CardNumber, detail));
        }
        Ok(Some(text))
    }

    fn is_json(&self) -> bool {
        let mut types = self.header("content-type");
        let (Some(value), None) = (types.next(), types.next()) else { return false };
        let essence = value.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("application/json")
    }
}

fn too_large() -> Problem {
    Problem::new(ProblemKind::BodyTooLarge, "the body may have at most 16384 bytes")
}

// An HTTP API with a named stage puts it in front of the path; a REST API does not.
fn below_stage<'a>(path: &'a str, stage: Option<&str>) -> &'a str {
    let below = stage.and_then(|stage| path.strip_prefix('/')?.strip_prefix(stage));
    below.filter(|rest| rest.starts_with('/')).unwrap_or(path)
}

// A REST API gives every value of a repeated header in `multiValueHeaders`, and only the last one in `headers`.
fn headers(event: &Value) -> Vec<(String, String)> {
    let mut read = Vec::new();
    if let Some(several) = event["multiValueHeaders"].as_object() {
        for (name, values) in several {
            for value in values.as_array().into_iter().flatten().filter_map(Value::as_str) {
                read.push((name.to_ascii_lowercase(), value.to_owned()));
            }
        }
    }
    if read.is_empty() {
        for (name, value) in event["headers"].as_object().into_iter().flatten() {
            if let Some(value) = value.as_str() {
                read.push((name.to_ascii_lowercase(), value.to_owned()));
            }
        }
    }
    read
}
