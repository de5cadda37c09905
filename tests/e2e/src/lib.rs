//! A whole Ikkai on this machine, for end-to-end tests and the demo: `template.yaml` deployed to the emulator, the
//! real binaries as its functions, and the simulated Stripe behind them.
//!
//! ```no_run
//! # async fn run() -> anyhow::Result<()> {
//! use e2e::{Function, Stack};
//! let stack = Stack::shared();
//! stack.invoke(Function::Sweep, &serde_json::json!({})).await?;
//! stack.kill(Function::Settle)?;
//! # Ok(()) }
//! ```
//!
//! Nothing here is skipped when a part is missing: starting fails, and says which `make` target makes the part.

mod api;
mod aws;
mod functions;
mod stack;
mod stripe;
mod wait;

pub use api::{ApiReply, ApiRequest};
pub use functions::{Function, Invocation};
pub use stack::{Options, Outputs, Stack};
pub use wait::eventually;
