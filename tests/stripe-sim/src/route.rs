//! Which endpoint a path names.

use crate::http::Method;

/// An endpoint of the simulated API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// `POST /v1/payment_intents`
    CreateIntent,
    /// `POST /v1/payment_intents/{id}/confirm`
    ConfirmIntent,
    /// `POST /v1/payment_intents/{id}/capture`
    CaptureIntent,
    /// `POST /v1/payment_intents/{id}/cancel`
    CancelIntent,
    /// `GET /v1/payment_intents/{id}`
    RetrieveIntent,
    /// `GET /v1/payment_intents`
    ListIntents,
    /// `GET /v1/payment_intents/search`
    SearchIntents,
    /// `POST /v1/refunds`
    CreateRefund,
    /// `POST /v1/refunds/{id}/cancel`
    CancelRefund,
    /// `GET /v1/refunds/{id}`
    RetrieveRefund,
    /// `GET /v1/refunds`
    ListRefunds,
    /// `GET /v1/account`
    RetrieveAccount,
    /// Anything else; answers 404.
    Unknown,
}

impl Route {
    /// Returns a short stable name for counts.
    pub fn as_str(self) -> &'static str {
        match self {
            Route::CreateIntent => "create",
            Route::ConfirmIntent => "confirm",
            Route::CaptureIntent => "capture",
            Route::CancelIntent => "cancel",
            Route::RetrieveIntent => "retrieve",
            Route::ListIntents => "list",
            Route::SearchIntents => "search",
            Route::CreateRefund => "refund",
            Route::CancelRefund => "refund_cancel",
            Route::RetrieveRefund => "refund_retrieve",
            Route::ListRefunds => "refund_list",
            Route::RetrieveAccount => "account",
            Route::Unknown => "unknown",
        }
    }
}

/// Returns the endpoint and the object id in the path (empty where there is none).
pub(crate) fn route(method: Method, path: &str) -> (Route, &str) {
    if path == "/v1/account" && method == Method::Get {
        return (Route::RetrieveAccount, "");
    }
    if let Some(rest) = path.strip_prefix("/v1/refunds") {
        return refund_route(method, rest);
    }
    let Some(rest) = path.strip_prefix("/v1/payment_intents") else {
        return (Route::Unknown, "");
    };
    let mut parts = rest.split('/').skip(1);
    match (method, parts.next(), parts.next(), parts.next()) {
        (Method::Post, None, None, None) if rest.is_empty() => (Route::CreateIntent, ""),
        (Method::Get, None, None, None) if rest.is_empty() => (Route::ListIntents, ""),
        (Method::Get, Some("search"), None, None) => (Route::SearchIntents, ""),
        (Method::Get, Some(id), None, None) if !id.is_empty() => (Route::RetrieveIntent, id),
        (Method::Post, Some(id), Some("confirm"), None) => (Route::ConfirmIntent, id),
        (Method::Post, Some(id), Some("capture"), None) => (Route::CaptureIntent, id),
        (Method::Post, Some(id), Some("cancel"), None) => (Route::CancelIntent, id),
        _ => (Route::Unknown, ""),
    }
}

fn refund_route(method: Method, rest: &str) -> (Route, &str) {
    let mut parts = rest.split('/').skip(1);
    match (method, parts.next(), parts.next(), parts.next()) {
        (Method::Post, None, None, None) if rest.is_empty() => (Route::CreateRefund, ""),
        (Method::Get, None, None, None) if rest.is_empty() => (Route::ListRefunds, ""),
        (Method::Get, Some(id), None, None) if !id.is_empty() => (Route::RetrieveRefund, id),
        (Method::Post, Some(id), Some("cancel"), None) => (Route::CancelRefund, id),
        _ => (Route::Unknown, ""),
    }
}
