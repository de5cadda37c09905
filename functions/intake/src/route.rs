//! The routes: which method and path ask for what.

use payment::{Kind, PaymentId};

/// Every route, as OpenAPI writes it.
pub const ROUTES: [(&str, &str); 7] = [
    ("POST", "/v1/payments"),
    ("GET", "/v1/payments/{id}"),
    ("POST", "/v1/payments/{id}/charges"),
    ("POST", "/v1/payments/{id}/capture"),
    ("POST", "/v1/payments/{id}/cancel"),
    ("POST", "/v1/payments/{id}/refunds"),
    ("GET", "/problems/{name}"),
];

/// What is asked for. A payment id is none if what stands in its place can be no payment's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// A payment with its first charge.
    Create,
    /// A payment as it stands.
    Read(Option<PaymentId>),
    /// One more operation on a payment: a charge, capture, cancel or refund.
    Add(Kind, Option<PaymentId>),
    /// What a problem is, by its name.
    Explain(String),
}

/// Why a request has no route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoRoute {
    /// Nothing is there.
    Unknown,
    /// Something is there, and takes only this method.
    Takes(&'static str),
}

impl Route {
    /// Finds the route of a request.
    pub(crate) fn find(method: &str, path: &str) -> Result<Self, NoRoute> {
        let segments: Vec<&str> = path.split('/').collect();
        let (takes, route) = match segments.as_slice() {
            ["", "v1", "payments"] => ("POST", Self::Create),
            ["", "v1", "payments", id] => ("GET", Self::Read(id.parse().ok())),
            ["", "v1", "payments", id, "charges"] => ("POST", Self::Add(Kind::Charge, id.parse().ok())),
            ["", "v1", "payments", id, "capture"] => ("POST", Self::Add(Kind::Capture, id.parse().ok())),
            ["", "v1", "payments", id, "cancel"] => ("POST", Self::Add(Kind::Cancel, id.parse().ok())),
            ["", "v1", "payments", id, "refunds"] => ("POST", Self::Add(Kind::Refund, id.parse().ok())),
            ["", "problems", name] => ("GET", Self::Explain((*name).to_owned())),
            _ => return Err(NoRoute::Unknown),
        };
        if method == takes { Ok(route) } else { Err(NoRoute::Takes(takes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_is_found_and_takes_no_other_method() {
        let id = "pay_0123456789abcdef0123456789abcdef";
        for (method, template) in ROUTES {
            let path = template.replace("{id}", id).replace("{name}", "busy");
            assert!(Route::find(method, &path).is_ok(), "{method} {path}");
            for other in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] {
                let found = Route::find(other, &path);
                assert_eq!(found.is_ok(), other == method, "{other} {path}");
                assert!(found.is_ok() || found == Err(NoRoute::Takes(method)));
            }
        }
    }

    #[test]
    fn what_is_no_payment_id_is_no_payment() {
        assert_eq!(Route::find("GET", "/v1/payments/pay_1"), Ok(Route::Read(None)));
        assert_eq!(Route::find("POST", "/v1/payments//cancel"), Ok(Route::Add(Kind::Cancel, None)));
    }

    #[test]
    fn nothing_else_is_there() {
        for path in
            ["/", "", "/v1", "/v1/payments/", "/v2/payments", "v1/payments", "/v1/payments/x/y", "/problems"]
        {
            let is_payment = path == "/v1/payments/";
            assert_eq!(Route::find("PUT", path) == Err(NoRoute::Unknown), !is_payment, "{path}");
        }
    }
}
