//! A server on a raw socket for tests: it plays a script and keeps what it was asked.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// What the server does with one request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Answers with a status and a body.
    With(u16, String),
    /// Closes the connection without an answer.
    Nothing,
}

/// A server that answers request after request by its script, and repeats the script's last line for ever.
pub(crate) struct Scripted {
    /// Where it listens.
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Scripted {
    /// Starts the server.
    pub(crate) async fn start(script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                let line = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(request);
                    script[(seen.len() - 1).min(script.len() - 1)].clone()
                };
                if let Reply::With(status, body) = line {
                    let reply = format!(
                        "HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                        body.len()
                    );
                    let _ = stream.write_all(reply.as_bytes()).await;
                }
            }
        });
        Self { url, asked, task }
    }

    /// Returns the requests so far, heads and bodies.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Reads one request to its end; what has come, if it ends early.
pub(crate) async fn read_request(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |n| n.parse().unwrap()) {
                return text;
            }
        }
        let mut more = [0; 4_096];
        match stream.read(&mut more).await {
            Ok(n @ 1..) => read.extend_from_slice(&more[..n]),
            Ok(0) | Err(_) => return text,
        }
    }
}
