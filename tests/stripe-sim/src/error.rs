//! The errors of the API, before they are rendered.

use crate::cards::Decline;
use crate::intent::{Capture, Intent, Status};
use crate::limits::display;

/// The declined attempt an error reports.
#[derive(Clone, Debug)]
pub(crate) struct DeclinedAttempt {
    pub(crate) decline: Decline,
    pub(crate) payment_method: String,
    pub(crate) charge: String,
}

/// An error reply; `intent` is the index of the intent it carries in full.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) code: Option<&'static str>,
    pub(crate) message: String,
    pub(crate) param: Option<String>,
    pub(crate) intent: Option<usize>,
    pub(crate) declined: Option<Box<DeclinedAttempt>>,
    pub(crate) should_retry: Option<bool>,
}

impl ApiError {
    fn new(status: u16, code: Option<&'static str>, message: impl Into<String>) -> Self {
        ApiError {
            status,
            kind: "invalid_request_error",
            code,
            message: message.into(),
            param: None,
            intent: None,
            declined: None,
            should_retry: Some(false),
        }
    }

    fn with_param(mut self, param: &str) -> Self {
        self.param = Some(param.to_owned());
        self
    }

    pub(crate) fn invalid(code: Option<&'static str>, param: &str, message: impl Into<String>) -> Self {
        ApiError::new(400, code, message).with_param(param)
    }

    pub(crate) fn missing(param: &str) -> Self {
        ApiError::invalid(Some("parameter_missing"), param, format!("Missing required param: {param}."))
    }

    pub(crate) fn unknown_param(param: &str) -> Self {
        ApiError::invalid(Some("parameter_unknown"), param, format!("Received unknown parameter: {param}"))
    }

    /// A referenced object in a parameter does not exist: 400, unlike an id in the path.
    pub(crate) fn no_such_param(kind: &str, param: &str, id: &str) -> Self {
        ApiError::invalid(Some("resource_missing"), param, format!("No such {kind}: '{id}'"))
    }

    pub(crate) fn no_such_intent(id: &str) -> Self {
        let message = format!("No such payment_intent: '{id}'");
        ApiError::new(404, Some("resource_missing"), message).with_param("intent")
    }

    pub(crate) fn unrecognized(method: &str, path: &str) -> Self {
        let message = format!("Unrecognized request URL ({method}: {path}).");
        ApiError::new(404, None, message)
    }

    pub(crate) fn unauthorized(given: Option<&str>) -> Self {
        let message = match given {
            Some(key) => {
                let shown: String = key.chars().take(8).collect();
                format!("Invalid API Key provided: {shown}****")
            }
            None => "You did not provide an API key.".to_owned(),
        };
        ApiError::new(401, None, message)
    }

    pub(crate) fn forbidden(account_id: &str) -> Self {
        let message = format!(
            "The provided key does not have the required permissions for this endpoint on account '{account_id}'."
        );
        ApiError::new(403, None, message)
    }

    pub(crate) fn rate_limited() -> Self {
        let message = "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.";
        ApiError { should_retry: None, ..ApiError::new(429, Some("rate_limit"), message) }
    }

    pub(crate) fn lock_timeout() -> Self {
        let message = "This object cannot be accessed right now because another API request or Stripe process is \
                       currently accessing it. If you see this error intermittently, retry the request.";
        ApiError { should_retry: Some(true), ..ApiError::new(429, Some("lock_timeout"), message) }
    }

    pub(crate) fn unavailable() -> Self {
        let message = "The service is temporarily unavailable. Please try again later.";
        ApiError { kind: "api_error", should_retry: None, ..ApiError::new(503, None, message) }
    }

    pub(crate) fn internal() -> Self {
        let message = "An unknown error occurred.";
        ApiError { kind: "api_error", should_retry: None, ..ApiError::new(500, None, message) }
    }

    pub(crate) fn key_in_use(key: &str) -> Self {
        let message = format!(
            "There is currently another in-progress request using this Idempotent Key (that probably means you \
             submitted twice, and the other request is still going through): {key}. Please try again later."
        );
        ApiError { should_retry: Some(true), ..ApiError::new(409, Some("idempotency_key_in_use"), message) }
    }

    pub(crate) fn key_reused(key: &str) -> Self {
        let message = format!(
            "Keys for idempotent requests can only be used with the same parameters they were first used with. \
             Try using a key other than '{key}' if you meant to execute a different request."
        );
        ApiError { kind: "idempotency_error", ..ApiError::new(400, None, message) }
    }

    pub(crate) fn key_reused_elsewhere(key: &str, first_path: &str) -> Self {
        let message = format!(
            "Keys for idempotent requests can only be used for the same endpoint they were first used for \
             ('{first_path}'). Try using a key other than '{key}' if you meant to execute a different request."
        );
        ApiError { kind: "idempotency_error", ..ApiError::new(400, None, message) }
    }

    pub(crate) fn key_too_long(length: usize) -> Self {
        let message = format!("Idempotency-Key may be at most 255 characters long, it has {length}.");
        ApiError::new(400, None, message)
    }

    pub(crate) fn unexpected_state(index: usize, message: String) -> Self {
        ApiError {
            intent: Some(index),
            ..ApiError::new(400, Some("payment_intent_unexpected_state"), message)
        }
    }

    pub(crate) fn cannot_confirm(index: usize, intent: &Intent) -> Self {
        let message = match intent.status() {
            Status::Succeeded => {
                "You cannot confirm this PaymentIntent because it has already succeeded after \
                                  being previously confirmed."
                    .to_owned()
            }
            Status::RequiresPaymentMethod
            | Status::RequiresConfirmation
            | Status::RequiresAction
            | Status::Processing
            | Status::RequiresCapture
            | Status::Canceled => format!(
                "You cannot confirm this PaymentIntent because it has a status of {}. Only a PaymentIntent with \
                 one of the following statuses may be confirmed: requires_confirmation, requires_payment_method, \
                 requires_action.",
                intent.status().as_str()
            ),
        };
        ApiError::unexpected_state(index, message)
    }

    pub(crate) fn cannot_cancel(index: usize, intent: &Intent) -> Self {
        let message = format!(
            "You cannot cancel this PaymentIntent because it has a status of {}. Only a PaymentIntent with one of \
             the following statuses may be canceled: requires_payment_method, requires_capture, \
             requires_reauthorization, requires_confirmation, requires_action, expired, processing.",
            intent.status().as_str()
        );
        ApiError::unexpected_state(index, message)
    }

    /// The recorded messages: what is left of a captured authorization was released; a charge that was captured at
    /// once has nothing left; any other status is named.
    pub(crate) fn cannot_capture(index: usize, intent: &Intent) -> Self {
        let message = match (intent.status(), intent.capture) {
            (Status::Succeeded, Capture::Manual) => {
                "The remaining amount on this PaymentIntent could not be captured because the remainder of the \
                 authorized amount has been released."
                    .to_owned()
            }
            (Status::Succeeded, Capture::Automatic | Capture::AutomaticAsync) => {
                "This PaymentIntent could not be captured because it has already been captured.".to_owned()
            }
            (status, _) => format!(
                "This PaymentIntent could not be captured because it has a status of {}. Only a PaymentIntent with \
                 one of the following statuses may be captured: requires_capture.",
                status.as_str()
            ),
        };
        ApiError::unexpected_state(index, message)
    }

    pub(crate) fn capture_out_of_range(index: usize, amount: i64) -> Self {
        let error = if amount < 0 {
            ApiError::invalid(None, "amount_to_capture", "Invalid non-negative integer")
        } else {
            let message = "This value must be greater than or equal to 1.";
            ApiError::invalid(Some("parameter_invalid_integer"), "amount", message)
        };
        ApiError { intent: Some(index), ..error }
    }

    pub(crate) fn capture_too_large(index: usize) -> Self {
        let message = "The payment could not be captured because the requested capture amount is greater than the \
                       amount you can capture for this charge. Contact us via https://support.stripe.com/contact/ \
                       for help.";
        ApiError { intent: Some(index), ..ApiError::new(400, Some("amount_too_large"), message) }
    }

    pub(crate) fn no_such_refund(id: &str) -> Self {
        let message = format!("No such refund: '{id}'");
        ApiError::new(404, Some("resource_missing"), message).with_param("refund")
    }

    pub(crate) fn nothing_to_refund() -> Self {
        let message =
            "One of the following params should be provided for this request: payment_intent or charge.";
        ApiError::new(400, None, message)
    }

    pub(crate) fn uncaptured_charge(intent: &str) -> Self {
        let message = format!(
            "This uncaptured Charge was created by a PaymentIntent ({intent}). You must cancel the PaymentIntent to \
             reverse the authorization instead of refunding the Charge directly."
        );
        ApiError::new(400, None, message)
    }

    pub(crate) fn no_charge_to_refund(intent: &str) -> Self {
        let message = format!("This PaymentIntent ({intent}) does not have a successful charge to refund.");
        ApiError::new(400, None, message)
    }

    pub(crate) fn already_refunded(charge: &str) -> Self {
        let message = format!("Charge {charge} has already been refunded.");
        ApiError::new(400, Some("charge_already_refunded"), message)
    }

    pub(crate) fn refund_too_large(amount: i64, left: i64, currency: &str) -> Self {
        let (amount, left) = (display(amount, currency), display(left, currency));
        let message =
            format!("Refund amount ({amount}) is greater than unrefunded amount on charge ({left})");
        ApiError::invalid(None, "amount", message)
    }

    pub(crate) fn cannot_cancel_refund() -> Self {
        ApiError::new(400, None, "Canceling this refund is unsupported.")
    }

    pub(crate) fn declined(index: usize, attempt: DeclinedAttempt) -> Self {
        ApiError {
            kind: "card_error",
            intent: Some(index),
            ..ApiError::new(402, Some(attempt.decline.code()), attempt.decline.message())
        }
        .with_attempt(attempt)
    }

    fn with_attempt(mut self, attempt: DeclinedAttempt) -> Self {
        self.declined = Some(Box::new(attempt));
        self
    }
}
