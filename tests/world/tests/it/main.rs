//! The simulation's own tests: it finds nothing in the protocol, and it notices when the protocol is broken.

mod exhaustive;
mod notices;
mod seeds;
