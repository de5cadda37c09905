//! Tests of the wire from outside: the bytes that go out, and what every reply means.

mod bytes;
mod properties;
mod replies;
mod sample;
