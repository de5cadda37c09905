//! The fault plan as the control API takes it.

use serde::Deserialize;
use stripe_sim::Fault;

use crate::hostile::Hostile;

/// One kind of fault; at most one strikes a request, besides a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    None,
    /// Closes the connection without reading the request's effect into being.
    ResetBefore,
    /// Closes the connection after the effect, without a byte of the reply.
    LoseReplyAfterEffect,
    #[serde(rename = "error_500_before")]
    Error500Before,
    #[serde(rename = "error_500_after")]
    Error500After,
    #[serde(rename = "error_500_between")]
    Error500Between,
    RateLimit,
    LockTimeout,
    #[serde(rename = "unavailable_503")]
    Unavailable503,
    /// Replaces the reply's body.
    HostileBody,
}

impl Kind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Kind::ResetBefore => "reset_before",
            Kind::LoseReplyAfterEffect => "lose_reply_after_effect",
            Kind::HostileBody => "hostile_body",
            Kind::None
            | Kind::Error500Before
            | Kind::Error500After
            | Kind::Error500Between
            | Kind::RateLimit
            | Kind::LockTimeout
            | Kind::Unavailable503 => self.of_provider().as_str(),
        }
    }

    /// Returns the part of the fault that the engine makes.
    pub(crate) fn of_provider(self) -> Fault {
        match self {
            Kind::None | Kind::ResetBefore | Kind::LoseReplyAfterEffect | Kind::HostileBody => Fault::None,
            Kind::Error500Before => Fault::Error500Before,
            Kind::Error500After => Fault::Error500After,
            Kind::Error500Between => Fault::Error500BetweenCreateAndConfirm,
            Kind::RateLimit => Fault::RateLimit429,
            Kind::LockTimeout => Fault::LockTimeout429,
            Kind::Unavailable503 => Fault::Unavailable503Before,
        }
    }
}

/// Probabilities of each kind, in thousandths of the requests.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PerMille {
    pub(crate) reset_before: u32,
    pub(crate) lose_reply_after_effect: u32,
    pub(crate) error_500_before: u32,
    pub(crate) error_500_after: u32,
    pub(crate) error_500_between: u32,
    pub(crate) rate_limit: u32,
    pub(crate) lock_timeout: u32,
    pub(crate) unavailable_503: u32,
    pub(crate) hostile_body: u32,
    pub(crate) delay: u32,
}

/// A fault that strikes the first request it matches, once or as often as it says: one of the plan's script, and of the
/// list in the body of `POST /_sim/faults`, which adds to it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scripted {
    pub(crate) fault: Kind,
    #[serde(default)]
    pub(crate) method: Option<String>,
    #[serde(default)]
    pub(crate) path_prefix: Option<String>,
    /// An operation id, or a payment id in front of the first `/`.
    #[serde(default)]
    pub(crate) operation_id: Option<String>,
    #[serde(default)]
    pub(crate) hostile: Option<Hostile>,
    /// How long the request stays in flight before its effect.
    #[serde(default)]
    pub(crate) delay_ms: u64,
    /// How long the reply waits after the effect.
    #[serde(default)]
    pub(crate) delay_reply_ms: u64,
    #[serde(default = "once")]
    pub(crate) times: u32,
}

fn once() -> u32 {
    1
}

/// The body of `PUT /_sim/faults`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) per_mille: PerMille,
    /// The shortest and the longest delay.
    pub(crate) delay_ms: (u64, u64),
    pub(crate) script: Vec<Scripted>,
}
