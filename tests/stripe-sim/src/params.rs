//! The parameters of the POST endpoints, parsed and validated before anything executes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::ApiError;
use crate::form::pairs;
use crate::intent::Capture;
use crate::limits::{amount, boolean, check, currency, integer};

/// What a confirmation is told, within a create or on its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Confirmation {
    pub(crate) payment_method: Option<String>,
    pub(crate) off_session: bool,
    pub(crate) error_on_requires_action: bool,
    pub(crate) return_url: Option<String>,
}

/// The parameters of a create.
#[derive(Clone, Debug)]
pub(crate) struct CreateIntent {
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) customer: Option<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) capture: Capture,
    pub(crate) payment_method_types: Vec<String>,
    pub(crate) automatic_payment_methods: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) receipt_email: Option<String>,
    pub(crate) setup_future_usage: Option<String>,
    pub(crate) statement_descriptor: Option<String>,
    pub(crate) statement_descriptor_suffix: Option<String>,
    pub(crate) confirm: bool,
    pub(crate) confirmation: Confirmation,
}

/// The parameters of a capture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CaptureIntent {
    /// What to take; all of the authorization without it.
    pub(crate) amount: Option<i64>,
}

/// The parameters of a refund.
#[derive(Clone, Debug, Default)]
pub(crate) struct CreateRefund {
    pub(crate) payment_intent: String,
    /// What to refund; all that is left without it.
    pub(crate) amount: Option<i64>,
    pub(crate) reason: Option<String>,
    pub(crate) metadata: BTreeMap<String, String>,
}

/// Parses the body of a create.
pub(crate) fn create(body: &[u8]) -> Result<CreateIntent, ApiError> {
    let mut parsed = CreateIntent {
        amount: 0,
        currency: String::new(),
        customer: None,
        metadata: BTreeMap::new(),
        capture: Capture::Automatic,
        payment_method_types: Vec::new(),
        automatic_payment_methods: None,
        description: None,
        receipt_email: None,
        setup_future_usage: None,
        statement_descriptor: None,
        statement_descriptor_suffix: None,
        confirm: false,
        confirmation: Confirmation::default(),
    };
    let mut only_with_confirm = None;
    for (name, value) in pairs(body) {
        if confirmation_pair(&mut parsed.confirmation, &name, &value)? {
            if matches!(&*name, "off_session" | "error_on_requires_action" | "return_url") {
                only_with_confirm = Some(name);
            }
        } else {
            create_pair(&mut parsed, &name, value)?;
        }
    }
    if parsed.amount == 0 {
        return Err(ApiError::missing("amount"));
    }
    if parsed.currency.is_empty() {
        return Err(ApiError::missing("currency"));
    }
    check(parsed.amount, &parsed.currency)?;
    if let (false, Some(param)) = (parsed.confirm, only_with_confirm) {
        let message = format!("You cannot set `{param}` unless you also set `confirm` to true.");
        return Err(ApiError::invalid(None, &param, message));
    }
    if parsed.confirm && parsed.confirmation.payment_method.is_none() {
        return Err(ApiError::missing("payment_method"));
    }
    if parsed.automatic_payment_methods.is_some() && !parsed.payment_method_types.is_empty() {
        let message = "You may only specify one of these parameters: automatic_payment_methods, \
                       payment_method_types.";
        return Err(ApiError::invalid(None, "payment_method_types", message));
    }
    Ok(parsed)
}

fn create_pair(parsed: &mut CreateIntent, name: &str, value: Cow<'_, str>) -> Result<(), ApiError> {
    match name {
        "amount" => parsed.amount = amount(&value)?,
        "currency" => parsed.currency = currency(&value)?,
        "customer" => parsed.customer = Some(prefixed("customer", "customer", "cus_", value)?),
        "confirm" => parsed.confirm = boolean(name, &value)?,
        "capture_method" => parsed.capture = capture_method(&value)?,
        "confirmation_method" => {
            one_of(name, &value, &["automatic", "manual"])?;
        }
        "setup_future_usage" => {
            parsed.setup_future_usage = Some(one_of(name, &value, &["off_session", "on_session"])?);
        }
        "description" => parsed.description = text(value),
        "receipt_email" => parsed.receipt_email = text(value),
        "statement_descriptor" => parsed.statement_descriptor = descriptor(name, value)?,
        "statement_descriptor_suffix" => parsed.statement_descriptor_suffix = descriptor(name, value)?,
        "automatic_payment_methods[enabled]" => {
            if boolean(name, &value)? && parsed.automatic_payment_methods.is_none() {
                parsed.automatic_payment_methods = Some("always".to_owned());
            }
        }
        "automatic_payment_methods[allow_redirects]" => {
            parsed.automatic_payment_methods = Some(one_of(name, &value, &["always", "never"])?);
        }
        _ => {
            if let Some(key) = bracketed(name, "metadata") {
                metadata(&mut parsed.metadata, name, key, value)?;
            } else if bracketed(name, "payment_method_types").is_some() {
                parsed.payment_method_types.push(value.into_owned());
            } else if bracketed(name, "expand").is_none() {
                return Err(ApiError::unknown_param(name));
            }
        }
    }
    Ok(())
}

/// Parses the body of a confirm.
pub(crate) fn confirm(body: &[u8]) -> Result<Confirmation, ApiError> {
    let mut parsed = Confirmation::default();
    for (name, value) in pairs(body) {
        if !confirmation_pair(&mut parsed, &name, &value)? && bracketed(&name, "expand").is_none() {
            return Err(ApiError::unknown_param(&name));
        }
    }
    Ok(parsed)
}

/// Parses the body of a cancel; returns its reason.
pub(crate) fn cancel(body: &[u8]) -> Result<Option<String>, ApiError> {
    const REASONS: [&str; 4] = ["duplicate", "fraudulent", "requested_by_customer", "abandoned"];
    let mut reason = None;
    for (name, value) in pairs(body) {
        if name == "cancellation_reason" {
            reason = Some(one_of(&name, &value, &REASONS)?);
        } else if bracketed(&name, "expand").is_none() {
            return Err(ApiError::unknown_param(&name));
        }
    }
    Ok(reason)
}

/// Parses the body of a capture.
pub(crate) fn capture(body: &[u8]) -> Result<CaptureIntent, ApiError> {
    let mut parsed = CaptureIntent { amount: None };
    for (name, value) in pairs(body) {
        match &*name {
            "amount_to_capture" => parsed.amount = Some(integer(&name, &value)?),
            "final_capture" if !boolean(&name, &value)? => {
                let message = "You cannot set `final_capture` to false: multicapture is not available for this \
                               PaymentIntent.";
                return Err(ApiError::invalid(None, &name, message));
            }
            "final_capture" => {}
            _ if bracketed(&name, "expand").is_some() => {}
            _ => return Err(ApiError::unknown_param(&name)),
        }
    }
    Ok(parsed)
}

/// Parses the body of a refund.
pub(crate) fn refund(body: &[u8]) -> Result<CreateRefund, ApiError> {
    const REASONS: [&str; 3] = ["duplicate", "fraudulent", "requested_by_customer"];
    let mut parsed = CreateRefund::default();
    for (name, value) in pairs(body) {
        match &*name {
            "payment_intent" => parsed.payment_intent = value.into_owned(),
            "amount" => parsed.amount = Some(amount(&value)?),
            "reason" => parsed.reason = Some(one_of(&name, &value, &REASONS)?),
            _ => {
                if let Some(key) = bracketed(&name, "metadata") {
                    metadata(&mut parsed.metadata, &name, key, value)?;
                } else if bracketed(&name, "expand").is_none() {
                    return Err(ApiError::unknown_param(&name));
                }
            }
        }
    }
    if parsed.payment_intent.is_empty() { Err(ApiError::nothing_to_refund()) } else { Ok(parsed) }
}

/// Checks the body of an endpoint that takes no parameters of its own.
pub(crate) fn nothing(body: &[u8]) -> Result<(), ApiError> {
    match pairs(body).find(|(name, _)| bracketed(name, "expand").is_none()) {
        Some((name, _)) => Err(ApiError::unknown_param(&name)),
        None => Ok(()),
    }
}

fn confirmation_pair(parsed: &mut Confirmation, name: &str, value: &str) -> Result<bool, ApiError> {
    match name {
        "payment_method" => {
            parsed.payment_method = Some(prefixed("PaymentMethod", name, "pm_", Cow::Borrowed(value))?);
        }
        "off_session" => {
            parsed.off_session = value == "one_off" || value == "recurring" || boolean(name, value)?
        }
        "error_on_requires_action" => parsed.error_on_requires_action = boolean(name, value)?,
        "return_url" => parsed.return_url = Some(value.to_owned()),
        "use_stripe_sdk" => {
            boolean(name, value)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn metadata(
    map: &mut BTreeMap<String, String>,
    name: &str,
    key: &str,
    value: Cow<'_, str>,
) -> Result<(), ApiError> {
    let message = if key.is_empty() || key.chars().count() > 40 {
        "Metadata keys must be 1 to 40 characters long."
    } else if value.chars().count() > 500 {
        "Metadata values can have up to 500 characters."
    } else if map.len() >= 50 {
        "You can only specify up to 50 metadata keys."
    } else {
        if !value.is_empty() {
            map.insert(key.to_owned(), value.into_owned());
        }
        return Ok(());
    };
    Err(ApiError::invalid(None, name, message))
}

fn capture_method(value: &str) -> Result<Capture, ApiError> {
    match value {
        "automatic" => Ok(Capture::Automatic),
        "automatic_async" => Ok(Capture::AutomaticAsync),
        "manual" => Ok(Capture::Manual),
        _ => {
            let message =
                "Invalid capture_method: must be one of automatic, automatic_async, or manual".to_owned();
            Err(ApiError::invalid(None, "capture_method", message))
        }
    }
}

fn prefixed(kind: &str, param: &str, prefix: &str, value: Cow<'_, str>) -> Result<String, ApiError> {
    let known = value.len() > prefix.len() && value.starts_with(prefix);
    if known { Ok(value.into_owned()) } else { Err(ApiError::no_such_param(kind, param, &value)) }
}

fn one_of(param: &str, value: &str, allowed: &[&str]) -> Result<String, ApiError> {
    if allowed.contains(&value) {
        Ok(value.to_owned())
    } else {
        let (last, others) = allowed.split_last().unwrap_or((&"", &[]));
        let comma = if others.len() > 1 { "," } else { "" };
        let message = format!("Invalid {param}: must be one of {}{comma} or {last}", others.join(", "));
        Err(ApiError::invalid(None, param, message))
    }
}

fn text(value: Cow<'_, str>) -> Option<String> {
    if value.is_empty() { None } else { Some(value.into_owned()) }
}

fn descriptor(param: &str, value: Cow<'_, str>) -> Result<Option<String>, ApiError> {
    if value.chars().count() > 22 {
        return Err(ApiError::invalid(None, param, format!("The {param} must be at most 22 characters.")));
    }
    Ok(text(value))
}

/// Returns `x` of `name[x]`.
pub(crate) fn bracketed<'a>(given: &'a str, name: &str) -> Option<&'a str> {
    given.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')
}
