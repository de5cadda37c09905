//! Fuzzes `fuzz::request`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::request(bytes));
