//! Fuzzes `fuzz::classify`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::classify(bytes));
