//! A deterministic world that tries to charge twice.
//!
//! The real handlers of `settle`, `sweep` and `publish` run over simulated ports: a FIFO queue, a table with
//! conditions and a stream, an event bus, a schedule, and Stripe below its wire shapes. One thread, virtual time, one
//! seed. Every port call pauses before its effect and between its effect and its reply; a worker that dies there is a
//! dropped future. Then faults stop, and everything must settle.

mod actors;
mod asked;
mod breakage;
mod broken;
mod draw;
mod driver;
mod exhaustive;
mod hunt;
mod invariants;
mod kept;
mod kinds;
mod life;
mod options;
mod outside;
mod panics;
mod pauses;
mod ports;
mod queue;
mod rng;
mod run;
mod settled;
mod state;
mod stats;
mod stripe;
mod table;
mod workers;

pub use asked::command_of;
pub use breakage::Breakage;
pub use draw::Drawing;
pub use exhaustive::{Exhausted, Flow, exhaust, flows};
pub use hunt::{Hunted, hunt, hunt_drawn};
pub use kept::{keep_seed, kept_seeds};
pub use kinds::{Kind, Struck};
pub use options::{Ask, Options, Order, Rates, StripeFault, rules};
pub use outside::{Outside, Received};
pub use rng::Rng;
pub use run::{Report, run, run_drawn, run_seed};
pub use stats::Stats;
pub use stripe::{to_sim, to_wire};
