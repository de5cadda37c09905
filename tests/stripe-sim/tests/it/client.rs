//! A running server and a client that sees what comes over its socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::setup::{INTENTS, KEY, charge};

/// A running binary, killed at the end of its test.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What a client saw.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }

    pub(crate) fn is_replayed(&self) -> bool {
        self.head.to_ascii_lowercase().contains("idempotent-replayed: true")
    }
}

impl Server {
    pub(crate) fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stripe-sim"))
            .args(["--port", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("its first line");
        let address = line.trim().rsplit("http://").next().expect("an address").to_owned();
        Server { child, address }
    }

    /// Sends one request on its own connection and reads to the end.
    pub(crate) fn send(&self, method: &str, path: &str, key: &str, body: &str) -> io::Result<Seen> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: sim\r\nConnection: close\r\nAuthorization: Bearer {KEY}\r\n\
             Idempotency-Key: {key}\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let Some(end) = end else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head[9..12].parse().map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(Seen { status, head, body: bytes[end + 4..].to_vec() })
    }

    pub(crate) fn charge(&self, operation_id: &str) -> io::Result<Seen> {
        self.send("POST", INTENTS, operation_id, &charge(operation_id, "pm_card_visa"))
    }

    pub(crate) fn control(&self, method: &str, path: &str, body: &Value) -> Value {
        let seen = self.send(method, &format!("/_sim{path}"), "", &body.to_string()).expect("a reply");
        assert_eq!(seen.status, 200, "{path}: {}", String::from_utf8_lossy(&seen.body));
        seen.json()
    }

    pub(crate) fn script(&self, script: Value) {
        self.control("PUT", "/faults", &json!({ "script": script }));
    }

    pub(crate) fn counts(&self) -> Value {
        self.control("GET", "/counts", &Value::Null)
    }
}
