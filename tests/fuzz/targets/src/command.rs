//! Fuzzes `fuzz::command`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::command(bytes));
