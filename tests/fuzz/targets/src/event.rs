//! Fuzzes `fuzz::event`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::event(bytes));
