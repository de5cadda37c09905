//! Tests of the effect crate from outside: what it decides in every situation of one side effect.

mod by_state;
mod facts;
mod keyed;
mod look_ups;
mod notes;
mod record;
mod situations;
