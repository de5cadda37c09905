//! Tests of the wire from outside: the bytes that go out, and what every reply means.

mod bytes;
mod captures;
mod properties;
mod refunds;
mod replies;
mod sample;
