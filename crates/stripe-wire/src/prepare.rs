//! From a request to bytes.

use effect::{Frozen, Look, ProviderKey};
use form_urlencoded::Serializer;
use payment::{
    CaptureMethod,
    ports::{Object, Question, Request},
};

use crate::http::{HttpRequest, Method};

/// The API version that every request names, so that an account's upgrade changes no reply.
pub const API_VERSION: &str = "2025-09-30.clover";

/// Freezes a request: the same request, operation and key give the same bytes for ever.
#[must_use]
pub fn prepare(request: &Request, operation_id: &str, key: ProviderKey) -> Frozen {
    let mut form = Serializer::new(String::new());
    let path = match request {
        Request::CreateIntent { amount, currency, customer, payment_method, capture } => {
            form.append_pair("amount", &amount.minor().to_string());
            form.append_pair("currency", currency.as_str());
            form.append_pair("customer", customer.as_str());
            form.append_pair("payment_method", payment_method.as_str());
            form.append_pair("confirm", "true");
            form.append_pair("off_session", "true");
            match capture {
                CaptureMethod::Automatic => {}
                CaptureMethod::Manual => {
                    form.append_pair("capture_method", "manual");
                }
            }
            form.append_pair("metadata[operation_id]", operation_id);
            "/v1/payment_intents".to_owned()
        }
        Request::ConfirmIntent { id, payment_method } => {
            form.append_pair("payment_method", payment_method.as_str());
            form.append_pair("off_session", "true");
            format!("/v1/payment_intents/{id}/confirm")
        }
        Request::CaptureIntent { id, amount } => {
            form.append_pair("amount_to_capture", &amount.minor().to_string());
            format!("/v1/payment_intents/{id}/capture")
        }
        Request::CancelIntent { id } => format!("/v1/payment_intents/{id}/cancel"),
        Request::CreateRefund { intent, amount } => {
            form.append_pair("payment_intent", intent);
            form.append_pair("amount", &amount.minor().to_string());
            form.append_pair("metadata[operation_id]", operation_id);
            "/v1/refunds".to_owned()
        }
    };
    Frozen { key, path, body: form.finish(), api_version: API_VERSION.to_owned() }
}

/// Returns the HTTP request of a frozen one.
#[must_use]
pub fn prepare_send(frozen: &Frozen) -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        path: frozen.path.clone(),
        query: String::new(),
        idempotency_key: Some(frozen.key.as_str().to_owned()),
        api_version: frozen.api_version.clone(),
        body: frozen.body.clone(),
    }
}

/// Returns the HTTP request of a question; `None` for a retrieve without an id, and for a search of refunds, which the
/// provider does not offer.
#[must_use]
pub fn prepare_look(question: &Question) -> Option<HttpRequest> {
    let mut query = Serializer::new(String::new());
    let object = &question.expected.object;
    let collection = match object {
        Object::Intent { .. } => "/v1/payment_intents",
        Object::Refund { .. } => "/v1/refunds",
    };
    let path = match (&question.look, object) {
        (Look::ById, _) => format!("{collection}/{}", question.id.as_deref()?),
        (Look::Check(id), _) => format!("{collection}/{id}"),
        (Look::List, object) => {
            match object {
                Object::Intent { customer } => {
                    query.append_pair("customer", customer.as_str());
                    query.append_pair("created[gte]", &question.from.epoch_seconds().to_string());
                    query.append_pair("created[lte]", &question.to.epoch_seconds().to_string());
                }
                // All of an intent's refunds are few: no time to get wrong.
                Object::Refund { intent } => {
                    query.append_pair("payment_intent", intent);
                }
            }
            query.append_pair("limit", "100");
            if let Some(cursor) = &question.cursor {
                query.append_pair("starting_after", cursor);
            }
            collection.to_owned()
        }
        (Look::Search, Object::Intent { .. }) => {
            query.append_pair(
                "query",
                &format!("metadata['operation_id']:'{}'", question.expected.operation_id),
            );
            query.append_pair("limit", "100");
            if let Some(cursor) = &question.cursor {
                query.append_pair("page", cursor);
            }
            format!("{collection}/search")
        }
        (Look::Search, Object::Refund { .. }) => return None,
    };
    Some(HttpRequest {
        method: Method::Get,
        path,
        query: query.finish(),
        idempotency_key: None,
        api_version: API_VERSION.to_owned(),
        body: String::new(),
    })
}
