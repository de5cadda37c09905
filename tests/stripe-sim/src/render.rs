//! The JSON of the API: intents, pages and errors in Stripe's shape and field order.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::ApiError;
use crate::intent::{AttemptError, Intent, State, Status};
use crate::settings::Settings;

#[derive(Serialize)]
struct Empty {}

#[derive(Serialize)]
struct Tip {
    tip: Empty,
}

#[derive(Serialize)]
struct Automatic<'a> {
    allow_redirects: &'a str,
    enabled: bool,
}

#[derive(Serialize)]
struct Card<'a> {
    brand: &'a str,
    country: &'a str,
    exp_month: u8,
    exp_year: u16,
    fingerprint: Option<&'a str>,
    funding: &'a str,
    last4: &'a str,
}

#[derive(Serialize)]
struct PaymentMethod<'a> {
    id: &'a str,
    object: &'a str,
    allow_redisplay: &'a str,
    card: Card<'a>,
    customer: Option<&'a str>,
    livemode: bool,
    metadata: Empty,
    r#type: &'a str,
}

impl<'a> PaymentMethod<'a> {
    fn of(id: &'a str, customer: Option<&'a str>, livemode: bool) -> Self {
        let card = Card {
            brand: "visa",
            country: "US",
            exp_month: 12,
            exp_year: 2034,
            fingerprint: None,
            funding: "credit",
            last4: "4242",
        };
        let allow_redisplay = "unspecified";
        PaymentMethod {
            id,
            object: "payment_method",
            allow_redisplay,
            card,
            customer,
            livemode,
            metadata: Empty {},
            r#type: "card",
        }
    }
}

#[derive(Serialize)]
struct LastError<'a> {
    charge: &'a str,
    code: &'a str,
    decline_code: &'a str,
    doc_url: &'a str,
    message: &'a str,
    payment_method: PaymentMethod<'a>,
    r#type: &'a str,
}

impl<'a> LastError<'a> {
    fn of(error: &'a AttemptError, customer: Option<&'a str>, livemode: bool) -> Self {
        LastError {
            charge: &error.charge,
            code: error.decline.code(),
            decline_code: error.decline.decline_code(),
            doc_url: error.decline.doc_url(),
            message: error.decline.message(),
            payment_method: PaymentMethod::of(&error.payment_method, customer, livemode),
            r#type: "card_error",
        }
    }
}

#[derive(Serialize)]
struct NextAction<'a> {
    r#type: &'a str,
    use_stripe_sdk: Empty,
}

#[derive(Serialize)]
pub(crate) struct IntentObject<'a> {
    id: &'a str,
    object: &'a str,
    amount: i64,
    amount_capturable: i64,
    amount_details: Tip,
    amount_received: i64,
    application: Option<&'a str>,
    application_fee_amount: Option<i64>,
    automatic_payment_methods: Option<Automatic<'a>>,
    canceled_at: Option<i64>,
    cancellation_reason: Option<&'a str>,
    capture_method: &'a str,
    client_secret: String,
    confirmation_method: &'a str,
    created: i64,
    currency: &'a str,
    customer: Option<&'a str>,
    description: Option<&'a str>,
    last_payment_error: Option<LastError<'a>>,
    latest_charge: Option<&'a str>,
    livemode: bool,
    metadata: &'a BTreeMap<String, String>,
    next_action: Option<NextAction<'a>>,
    on_behalf_of: Option<&'a str>,
    payment_method: Option<&'a str>,
    payment_method_configuration_details: Option<&'a str>,
    payment_method_options: Empty,
    payment_method_types: &'a [String],
    processing: Option<Empty>,
    receipt_email: Option<&'a str>,
    review: Option<&'a str>,
    setup_future_usage: Option<&'a str>,
    shipping: Option<Empty>,
    source: Option<&'a str>,
    statement_descriptor: Option<&'a str>,
    statement_descriptor_suffix: Option<&'a str>,
    status: &'a str,
    transfer_data: Option<Empty>,
    transfer_group: Option<&'a str>,
}

impl<'a> IntentObject<'a> {
    pub(crate) fn of(intent: &'a Intent, state: &'a State, livemode: bool) -> Self {
        let customer = intent.customer.as_deref();
        let sdk = || NextAction { r#type: "use_stripe_sdk", use_stripe_sdk: Empty {} };
        let capturable = if state.status == Status::RequiresCapture { intent.amount } else { 0 };
        let automatic = intent.automatic_payment_methods.as_deref();
        IntentObject {
            id: &intent.id,
            object: "payment_intent",
            amount: intent.amount,
            amount_capturable: capturable,
            amount_details: Tip { tip: Empty {} },
            amount_received: state.amount_received,
            application: None,
            application_fee_amount: None,
            automatic_payment_methods: automatic
                .map(|allow_redirects| Automatic { allow_redirects, enabled: true }),
            canceled_at: state.canceled_at_ms.map(seconds),
            cancellation_reason: state.cancellation_reason.as_deref(),
            capture_method: intent.capture.as_str(),
            client_secret: format!("{}_secret_sim", intent.id),
            confirmation_method: "automatic",
            created: seconds(intent.created_ms),
            currency: &intent.currency,
            customer,
            description: intent.description.as_deref(),
            last_payment_error: state.last_error.as_ref().map(|e| LastError::of(e, customer, livemode)),
            latest_charge: state.latest_charge.as_deref(),
            livemode,
            metadata: &intent.metadata,
            next_action: (state.status == Status::RequiresAction).then(sdk),
            on_behalf_of: None,
            payment_method: state.payment_method.as_deref(),
            payment_method_configuration_details: None,
            payment_method_options: Empty {},
            payment_method_types: &intent.payment_method_types,
            processing: None,
            receipt_email: intent.receipt_email.as_deref(),
            review: None,
            setup_future_usage: intent.setup_future_usage.as_deref(),
            shipping: None,
            source: None,
            statement_descriptor: intent.statement_descriptor.as_deref(),
            statement_descriptor_suffix: intent.statement_descriptor_suffix.as_deref(),
            status: state.status.as_str(),
            transfer_data: None,
            transfer_group: None,
        }
    }
}

/// Turns milliseconds into the API's seconds.
pub(crate) fn seconds(ms: i64) -> i64 {
    ms.div_euclid(1000)
}

#[derive(Serialize)]
pub(crate) struct ListPage<'a, T: Serialize> {
    pub(crate) object: &'a str,
    pub(crate) data: Vec<T>,
    pub(crate) has_more: bool,
    pub(crate) url: &'a str,
}

#[derive(Serialize)]
pub(crate) struct SearchPage<'a> {
    pub(crate) object: &'a str,
    pub(crate) data: Vec<IntentObject<'a>>,
    pub(crate) has_more: bool,
    pub(crate) next_page: Option<String>,
    pub(crate) url: &'a str,
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    error: ErrorObject<'a>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    charge: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decline_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc_url: Option<String>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    param: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_intent: Option<IntentObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_method: Option<PaymentMethod<'a>>,
    r#type: &'a str,
}

/// Renders an error, with the intent it carries.
pub(crate) fn error(error: &ApiError, intents: &[Intent], settings: &Settings) -> Vec<u8> {
    let intent = error.intent.and_then(|index| intents.get(index));
    let customer = intent.and_then(|intent| intent.customer.as_deref());
    let declined = error.declined.as_ref();
    let code_page =
        || error.code.map(|code| format!("https://stripe.com/docs/error-codes/{}", code.replace('_', "-")));
    json(&ErrorBody {
        error: ErrorObject {
            charge: declined.map(|attempt| attempt.charge.as_str()),
            code: error.code,
            decline_code: declined.map(|attempt| attempt.decline.decline_code()),
            doc_url: declined.map(|attempt| attempt.decline.doc_url().to_owned()).or_else(code_page),
            message: &error.message,
            param: error.param.as_deref(),
            payment_intent: intent.map(|it| IntentObject::of(it, it.state(), settings.livemode)),
            payment_method: declined
                .map(|attempt| PaymentMethod::of(&attempt.payment_method, customer, settings.livemode)),
            r#type: error.kind,
        },
    })
}

/// Renders a body; these types cannot fail to serialize.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1536);
    if serde_json::to_writer(&mut bytes, value).is_err() {
        bytes.clear();
    }
    bytes
}
