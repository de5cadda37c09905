//! The request and response of the engine: HTTP without a socket.

/// A method the simulated API knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Reads; never passes the key layer.
    Get,
    /// Acts; passes the key layer when it carries a key.
    Post,
}

impl Method {
    /// Returns the method's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
        }
    }
}

/// A request as the API sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path without the query, for example `/v1/payment_intents`.
    pub path: String,
    /// The query string without `?`, percent-encoded.
    pub query: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The `Idempotency-Key` header.
    pub idempotency_key: Option<String>,
    /// The `Stripe-Version` header.
    pub stripe_version: Option<String>,
    /// The form-encoded body.
    pub body: Vec<u8>,
}

impl Request {
    /// Builds a GET with a bearer key.
    pub fn get(path: &str, query: &str, api_key: &str) -> Self {
        Request {
            method: Method::Get,
            path: path.to_owned(),
            query: query.to_owned(),
            authorization: Some(format!("Bearer {api_key}")),
            idempotency_key: None,
            stripe_version: None,
            body: Vec::new(),
        }
    }

    /// Builds a POST with a bearer key and an idempotency key.
    pub fn post(path: &str, body: &str, api_key: &str, idempotency_key: &str) -> Self {
        Request {
            method: Method::Post,
            idempotency_key: Some(idempotency_key.to_owned()),
            body: body.as_bytes().to_vec(),
            ..Request::get(path, "", api_key)
        }
    }
}

/// A response as the API gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The headers, in a fixed order.
    pub headers: Vec<(&'static str, String)>,
    /// The JSON body.
    pub body: Vec<u8>,
}

impl Response {
    /// Returns a header's value, ignoring the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Tells whether the key layer replayed a saved result.
    pub fn is_replayed(&self) -> bool {
        self.header("Idempotent-Replayed") == Some("true")
    }
}
