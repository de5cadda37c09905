//! What must hold of every parser for any bytes at all. Each function panics when it does not.
//!
//! `targets` hands them to libFuzzer, which needs a C++ compiler; the tests replay what is kept of its inputs, which
//! need nothing.

mod classify;
mod command;
mod event;
mod request;
mod waiting;

pub use classify::classify;
pub use command::command;
pub use event::event;
pub use request::request;

/// What must hold of these bytes.
pub type Property = fn(&[u8]);

/// Every property, by its target's name.
pub const TARGETS: [(&str, Property); 4] =
    [("classify", classify), ("command", command), ("event", event), ("request", request)];
