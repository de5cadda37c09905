//! What a payment method does when it is charged.

/// The outcome of one confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The payment succeeds.
    Succeed,
    /// The payment is declined with 402.
    Decline(Decline),
    /// Declined with `authentication_required` off session, `requires_action` on session.
    Authenticate,
    /// The intent answers 200 with `requires_action`, on and off session.
    RequireAction,
    /// The intent rests in `processing` until [`crate::Sim::settle_processing`].
    Process,
}

/// The reason of a decline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decline {
    /// `card_declined` / `generic_decline`.
    Generic,
    /// `card_declined` / `insufficient_funds`.
    InsufficientFunds,
    /// `card_declined` / `lost_card`.
    LostCard,
    /// `card_declined` / `stolen_card`.
    StolenCard,
    /// `expired_card`.
    ExpiredCard,
    /// `incorrect_cvc`.
    IncorrectCvc,
    /// `processing_error`.
    ProcessingError,
    /// `authentication_required`.
    AuthenticationRequired,
}

impl Decline {
    /// Returns the error's `code`.
    pub fn code(self) -> &'static str {
        match self {
            Decline::Generic | Decline::InsufficientFunds | Decline::LostCard | Decline::StolenCard => {
                "card_declined"
            }
            Decline::ExpiredCard => "expired_card",
            Decline::IncorrectCvc => "incorrect_cvc",
            Decline::ProcessingError => "processing_error",
            Decline::AuthenticationRequired => "authentication_required",
        }
    }

    /// Returns the error's `decline_code`.
    pub fn decline_code(self) -> &'static str {
        match self {
            Decline::Generic => "generic_decline",
            Decline::InsufficientFunds => "insufficient_funds",
            Decline::LostCard => "lost_card",
            Decline::StolenCard => "stolen_card",
            Decline::ExpiredCard => "expired_card",
            Decline::IncorrectCvc => "incorrect_cvc",
            Decline::ProcessingError => "processing_error",
            Decline::AuthenticationRequired => "authentication_required",
        }
    }

    /// Returns the error's message.
    pub fn message(self) -> &'static str {
        match self {
            Decline::Generic | Decline::LostCard | Decline::StolenCard => "Your card was declined.",
            Decline::InsufficientFunds => "Your card has insufficient funds.",
            Decline::ExpiredCard => "Your card has expired.",
            Decline::IncorrectCvc => "Your card's security code is incorrect.",
            Decline::ProcessingError => {
                "An error occurred while processing your card. Try again in a little bit."
            }
            Decline::AuthenticationRequired => {
                "Your card was declined. This transaction requires authentication."
            }
        }
    }

    /// Returns the page the error's `doc_url` names.
    pub(crate) fn doc_url(self) -> &'static str {
        match self {
            Decline::Generic | Decline::InsufficientFunds | Decline::LostCard | Decline::StolenCard => {
                "https://stripe.com/docs/error-codes/card-declined"
            }
            Decline::ExpiredCard => "https://stripe.com/docs/error-codes/expired-card",
            Decline::IncorrectCvc => "https://stripe.com/docs/error-codes/incorrect-cvc",
            Decline::ProcessingError => "https://stripe.com/docs/error-codes/processing-error",
            Decline::AuthenticationRequired => "https://stripe.com/docs/error-codes/authentication-required",
        }
    }
}

/// Returns what the named payment method does; one without a special name succeeds.
pub(crate) fn built_in_outcome(payment_method: &str) -> Outcome {
    match payment_method {
        "pm_card_chargeDeclined" | "pm_card_visa_chargeDeclined" => Outcome::Decline(Decline::Generic),
        "pm_card_chargeDeclinedInsufficientFunds" | "pm_card_visa_chargeDeclinedInsufficientFunds" => {
            Outcome::Decline(Decline::InsufficientFunds)
        }
        "pm_card_visa_chargeDeclinedLostCard" => Outcome::Decline(Decline::LostCard),
        "pm_card_visa_chargeDeclinedStolenCard" => Outcome::Decline(Decline::StolenCard),
        "pm_card_chargeDeclinedExpiredCard" => Outcome::Decline(Decline::ExpiredCard),
        "pm_card_chargeDeclinedIncorrectCvc" => Outcome::Decline(Decline::IncorrectCvc),
        "pm_card_chargeDeclinedProcessingError" => Outcome::Decline(Decline::ProcessingError),
        "pm_card_authenticationRequired" => Outcome::Authenticate,
        "pm_sim_requires_action" => Outcome::RequireAction,
        "pm_sim_processing" => Outcome::Process,
        _ => Outcome::Succeed,
    }
}
