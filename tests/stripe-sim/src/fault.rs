//! Faults that the provider itself makes; the network's belong to the server and to callers.

/// A fault of the provider on one request.
///
/// A fault acts only where the request gets that far: a saved result is replayed and a malformed request is refused
/// whatever 500 or lock timeout was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// Behaves.
    #[default]
    None,
    /// Executes nothing; the 500 is saved under the key, since the endpoint had started.
    Error500Before,
    /// Executes everything; the 500 is saved under the key.
    Error500After,
    /// Creates the intent with its payment method but does not confirm it; the 500 is saved. On a request that is
    /// not a create with `confirm=true` it acts like [`Fault::Error500After`].
    Error500BetweenCreateAndConfirm,
    /// Refuses in front of the key layer; nothing is saved.
    RateLimit429,
    /// Refuses since the object is locked; nothing is saved.
    LockTimeout429,
    /// Refuses in front of everything; nothing is saved.
    Unavailable503Before,
}

impl Fault {
    /// Returns the name used by the control API and the counts.
    pub fn as_str(self) -> &'static str {
        match self {
            Fault::None => "none",
            Fault::Error500Before => "error_500_before",
            Fault::Error500After => "error_500_after",
            Fault::Error500BetweenCreateAndConfirm => "error_500_between",
            Fault::RateLimit429 => "rate_limit",
            Fault::LockTimeout429 => "lock_timeout",
            Fault::Unavailable503Before => "unavailable_503",
        }
    }
}
