//! Problem documents (RFC 9457): what went wrong, what to do, and never what was sent.

use payment::PaymentId;
use serde::Serialize;

use crate::reply::Reply;

/// Every kind of problem. Its `type` is `/problems/<name>`, where this API explains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// A POST without an `Idempotency-Key`, or with one that is none.
    InvalidIdempotencyKey,
    /// The body is no request.
    InvalidBody,
    /// The body holds what looks like a card number.
    CardNumber,
    /// The authorizer names no tenant.
    NoTenant,
    /// The caller has no such payment.
    PaymentNotFound,
    /// Nothing is at this path.
    NoSuchPath,
    /// The path takes another method.
    MethodNotAllowed,
    /// The payment's settled state forbids the operation.
    OperationNotAllowed,
    /// The order, or the ref, is on record with other parameters.
    ParametersDiffer,
    /// The payment holds as many operations as it may.
    TooManyOperations,
    /// The key was accepted, and the payment it was accepted for is gone.
    PaymentMissing,
    /// Requests race for the payment.
    Busy,
    /// The body is too large.
    BodyTooLarge,
    /// The body is not said to be JSON.
    UnsupportedMediaType,
    /// The key was used for another request.
    KeyReused,
    /// Something stored cannot be read.
    Internal,
    /// Something needed does not answer.
    Unavailable,
}

impl ProblemKind {
    /// Every kind.
    pub const ALL: [Self; 17] = [
        Self::InvalidIdempotencyKey,
        Self::InvalidBody,
        Self::CardNumber,
        Self::NoTenant,
        Self::PaymentNotFound,
        Self::NoSuchPath,
        Self::MethodNotAllowed,
        Self::OperationNotAllowed,
        Self::ParametersDiffer,
        Self::TooManyOperations,
        Self::PaymentMissing,
        Self::Busy,
        Self::BodyTooLarge,
        Self::UnsupportedMediaType,
        Self::KeyReused,
        Self::Internal,
        Self::Unavailable,
    ];

    /// Returns its name in its `type`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.about().0
    }

    /// Returns its HTTP status.
    #[must_use]
    pub const fn status(self) -> u16 {
        self.about().1
    }

    /// Returns its title.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.about().2
    }

    /// Returns its explanation: what it means and what to do.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        self.about().3
    }

    /// Returns after how many seconds the same request may succeed; none if repeating it does not help.
    #[must_use]
    pub const fn retry_after_s(self) -> Option<u32> {
        match self {
            Self::Busy => Some(1),
            Self::Unavailable => Some(5),
            Self::InvalidIdempotencyKey
            | Self::InvalidBody
            | Self::CardNumber
            | Self::NoTenant
            | Self::PaymentNotFound
            | Self::NoSuchPath
            | Self::MethodNotAllowed
            | Self::OperationNotAllowed
            | Self::ParametersDiffer
            | Self::TooManyOperations
            | Self::PaymentMissing
            | Self::BodyTooLarge
            | Self::UnsupportedMediaType
            | Self::KeyReused
            | Self::Internal => None,
        }
    }

    #[rustfmt::skip]
    const fn about(self) -> (&'static str, u16, &'static str, &'static str) {
        match self {
            Self::InvalidIdempotencyKey => ("invalid-idempotency-key", 400, "Invalid idempotency key",
                "Every POST needs one header Idempotency-Key: 1 to 255 printable ASCII characters, not all blank, without commas, quotation marks and backslashes inside, bare or in quotation marks. Make one for each thing you want done, keep it, and send it with every repeat. Nothing was recorded."),
            Self::InvalidBody => ("invalid-body", 400, "Invalid body",
                "The body is not the JSON that this path takes; the detail names the field and its rule. Amounts are whole numbers of the currency's minor unit. Unknown and repeated fields are refused. Nothing was recorded."),
            Self::CardNumber => ("card-number", 400, "Card number",
                "The body holds what looks like a card number. Ikkai takes the ids of stored customers and payment methods only. Nothing was recorded or logged."),
            Self::NoTenant => ("no-tenant", 401, "No tenant",
                "The credentials are valid, and name no tenant: neither a Lambda authorizer's context nor a token's claim `tenant`, nor an IAM user or an assumed role whose name is 1 to 64 of A-Z a-z 0-9 _ - and the full stop."),
            Self::PaymentNotFound => ("payment-not-found", 404, "No such payment",
                "You have no payment with this id. A payment of somebody else looks the same."),
            Self::NoSuchPath => ("no-such-path", 404, "No such path",
                "Nothing is at this path; see the OpenAPI document."),
            Self::MethodNotAllowed => ("method-not-allowed", 405, "Method not allowed",
                "The path takes the method that the header Allow names."),
            Self::OperationNotAllowed => ("operation-not-allowed", 409, "The payment's state forbids it",
                "The payment is in a settled state in which this operation has no effect; `code` says which. Nothing was recorded, and the key is still free: if the state changes, the same request may succeed."),
            Self::ParametersDiffer => ("parameters-differ", 409, "On record with other parameters",
                "The order or the ref is on record, for another amount, currency, customer, payment method or capture. One order is one payment: read it at `payment_id`, and ask for a further attempt at its charges, under another ref."),
            Self::TooManyOperations => ("too-many-operations", 409, "Too many operations",
                "A payment holds at most 100 operations. Nothing was recorded."),
            Self::PaymentMissing => ("payment-missing", 409, "The payment is gone",
                "The key was accepted within the last 24 hours, and the payment it was accepted for is not on record any more. Nothing is charged again. A person must look into it."),
            Self::Busy => ("busy", 409, "Busy",
                "Other requests for the same payment or key were faster, several times over. Nothing was recorded. Repeat the request with the same key after the time in Retry-After."),
            Self::BodyTooLarge => ("body-too-large", 413, "Body too large",
                "A body has at most 16384 bytes. Nothing was recorded."),
            Self::UnsupportedMediaType => ("unsupported-media-type", 415, "Unsupported media type",
                "A body must come with the header Content-Type: application/json. Nothing was recorded."),
            Self::KeyReused => ("key-reused", 422, "Key used for another request",
                "The key was used within the last 24 hours for this path with another body. That one stands, and this one was not recorded. Give each thing you want done a key of its own."),
            Self::Internal => ("internal", 500, "Internal error",
                "Something on record cannot be read. A person is told. It is not known to be your fault."),
            Self::Unavailable => ("unavailable", 503, "Unavailable",
                "Something needed did not answer. Whether the request was recorded is not known: repeat it with the same key after the time in Retry-After."),
        }
    }
}

/// One problem, for the caller's eyes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    kind: ProblemKind,
    detail: String,
    code: Option<String>,
    field: Option<String>,
    payment_id: Option<PaymentId>,
    allow: Option<&'static str>,
}

#[derive(Serialize)]
struct Document<'a> {
    r#type: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_id: Option<&'a PaymentId>,
}

impl Problem {
    /// Describes a problem. The detail repeats nothing that was sent, names of known fields aside.
    pub(crate) fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), code: None, field: None, payment_id: None, allow: None }
    }

    /// Names the field that it is about.
    pub(crate) fn of_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Gives a code that is finer than the kind.
    pub(crate) fn coded(mut self, code: String) -> Self {
        self.code = Some(code);
        self
    }

    /// Names the payment that it is about.
    pub(crate) fn of_payment(mut self, id: &PaymentId) -> Self {
        self.payment_id = Some(id.clone());
        self
    }

    /// Names the method that the path takes.
    pub(crate) const fn allowing(mut self, method: &'static str) -> Self {
        self.allow = Some(method);
        self
    }

    /// Returns the reply.
    pub(crate) fn reply(&self) -> Reply {
        let document = Document {
            r#type: format!("/problems/{}", self.kind.name()),
            title: self.kind.title(),
            status: self.kind.status(),
            detail: &self.detail,
            code: self.code.clone().unwrap_or_else(|| self.kind.name().replace('-', "_")),
            field: self.field.as_deref(),
            payment_id: self.payment_id.as_ref(),
        };
        // It holds only texts and a number: writing it cannot fail.
        let body = serde_json::to_string(&document).unwrap_or_default();
        let mut reply = Reply::new(self.kind.status(), "application/problem+json", body);
        if let Some(seconds) = self.kind.retry_after_s() {
            reply = reply.with("retry-after", seconds.to_string());
        }
        if let Some(method) = self.allow {
            reply = reply.with("allow", method);
        }
        reply
    }

    /// Returns its kind.
    pub(crate) const fn kind(&self) -> ProblemKind {
        self.kind
    }
}

/// Returns what a problem's `type` leads to; none if there is no such problem.
pub(crate) fn explain(name: &str) -> Option<Reply> {
    let kind = ProblemKind::ALL.into_iter().find(|kind| kind.name() == name)?;
    let text = format!("# {} ({})\n\n{}\n", kind.title(), kind.status(), kind.explanation());
    Some(Reply::new(200, "text/markdown; charset=utf-8", text))
}
