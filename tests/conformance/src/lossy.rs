//! A proxy that loses a reply: what it carries is carried out, and the caller never learns of it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use anyhow::{Context, Result};
use tokio::{
    io::copy,
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A way to an endpoint on which the first reply gets lost.
#[derive(Debug)]
pub struct Lossy {
    /// Where the way begins.
    pub endpoint: String,
    task: JoinHandle<()>,
}

impl Drop for Lossy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Lossy {
    /// Opens a way to `endpoint`, an `http` URL.
    ///
    /// # Errors
    /// Returns an error if no port can be had.
    pub async fn to(endpoint: &str) -> Result<Self> {
        let target = endpoint.strip_prefix("http://").context("an http URL")?.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let own = format!("http://{}", listener.local_addr()?);
        let task = tokio::spawn(async move {
            let is_to_lose = Arc::new(AtomicBool::new(true));
            while let Ok((client, _)) = listener.accept().await {
                let (target, is_to_lose) = (target.clone(), Arc::clone(&is_to_lose));
                // A connection that ends, ends: the caller sees it.
                tokio::spawn(async move { drop(carry(client, &target, &is_to_lose).await) });
            }
        });
        Ok(Self { endpoint: own, task })
    }
}

async fn carry(mut client: TcpStream, target: &str, is_to_lose: &AtomicBool) -> std::io::Result<()> {
    let mut server = TcpStream::connect(target).await?;
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let replies = async {
        // The reply has begun: its request has been carried out.
        if from_server.peek(&mut [0]).await? > 0 && is_to_lose.swap(false, Ordering::SeqCst) {
            return Ok(0);
        }
        copy(&mut from_server, &mut to_client).await
    };
    tokio::select! {
        ended = replies => ended.map(drop),
        ended = copy(&mut from_client, &mut to_server) => ended.map(drop),
    }
}
