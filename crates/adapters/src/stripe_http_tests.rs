//! Tests of the one-request rule, over a server that counts what arrives on raw connections.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use effect::Time;

use super::*;
use crate::{
    SystemClock,
    test_http::{Reply, Scripted, read_request},
};

struct OneSecret;

impl SecretStore for OneSecret {
    async fn read(&self, _name: &str) -> Result<String, &'static str> {
        Ok(r#"{"api_key": "sk_test_1", "account": "acct_1", "livemode": false}"#.to_owned())
    }
}

/// What the server does with a connection.
#[derive(Debug, Clone, Copy)]
enum Moment {
    CloseAfterAccept,
    CloseAfterFirstByte,
    CloseAfterRequest,
    ResetAfterRequest,
    CloseInReply,
    NeverReply,
    Reply(&'static str),
    /// Replies, keeps the connection open, and closes it when the test says so or after a while.
    ReplyThenClose,
    ReplyTooLong,
}

struct Server {
    url: String,
    connections: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
    heads: Arc<std::sync::Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    async fn start(moment: Moment) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (connections, requests) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let heads = Arc::<std::sync::Mutex<Vec<String>>>::default();
        let counters = (Arc::clone(&connections), Arc::clone(&requests), Arc::clone(&heads));
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                counters.0.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, moment, Arc::clone(&counters.1), Arc::clone(&counters.2)));
            }
        });
        Self { url, connections, requests, heads, task }
    }

    fn counted(&self) -> (usize, usize) {
        (self.connections.load(Ordering::SeqCst), self.requests.load(Ordering::SeqCst))
    }

    fn stripe(&self) -> StripeHttp<OneSecret, SystemClock> {
        let secret = StripeSecret::new(OneSecret, SystemClock, "ikkai/stripe".to_owned());
        let timeouts = StripeTimeouts::within(Duration::from_millis(500));
        StripeHttp::new(self.url.clone(), timeouts, secret, Metrics::of("test")).unwrap()
    }
}

async fn serve(
    mut stream: TcpStream,
    moment: Moment,
    requests: Arc<AtomicUsize>,
    heads: Arc<std::sync::Mutex<Vec<String>>>,
) {
    if matches!(moment, Moment::CloseAfterAccept) {
        return;
    }
    loop {
        let mut first = [0];
        match stream.peek(&mut first).await {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        requests.fetch_add(1, Ordering::SeqCst);
        if matches!(moment, Moment::CloseAfterFirstByte) {
            return;
        }
        let head = read_request(&mut stream).await;
        heads.lock().unwrap().push(head);
        match moment {
            Moment::CloseAfterAccept | Moment::CloseAfterFirstByte | Moment::CloseAfterRequest => return,
            Moment::ResetAfterRequest => {
                stream.set_zero_linger().unwrap();
                return;
            }
            Moment::CloseInReply => {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"id\":").await;
                return;
            }
            Moment::NeverReply => tokio::time::sleep(Duration::from_secs(60)).await,
            Moment::Reply(reply) => stream.write_all(reply.as_bytes()).await.unwrap(),
            Moment::ReplyThenClose => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
                tokio::time::sleep(Duration::from_millis(20)).await;
                return;
            }
            Moment::ReplyTooLong => {
                let length = 3 * MAX_REPLY_BYTES;
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
                let _ = stream.write_all(head.as_bytes()).await;
                let _ = stream.write_all(&vec![b' '; length]).await;
            }
        }
    }
}

fn create() -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        path: "/v1/payment_intents".to_owned(),
        query: String::new(),
        idempotency_key: Some("k".repeat(64)),
        api_version: "2025-09-30.clover".to_owned(),
        body: "amount=100&currency=eur".to_owned(),
    }
}

async fn call_once(moment: Moment) -> (Result<HttpReply, TransportError>, (usize, usize)) {
    let server = Server::start(moment).await;
    let reply = server.stripe().call(&create()).await;
    // A second request would be on its way by now.
    tokio::time::sleep(Duration::from_millis(200)).await;
    (reply, server.counted())
}

#[tokio::test]
async fn one_call_is_one_request_at_every_nasty_moment() {
    let (reply, counted) = call_once(Moment::CloseAfterAccept).await;
    assert_eq!((reply, counted), (Err(TransportError::Broken), (1, 0)));
    for moment in [
        Moment::CloseAfterFirstByte,
        Moment::CloseAfterRequest,
        Moment::ResetAfterRequest,
        Moment::CloseInReply,
    ] {
        let (reply, counted) = call_once(moment).await;
        assert_eq!((reply, counted), (Err(TransportError::Broken), (1, 1)), "{moment:?}");
    }
    let (reply, counted) = call_once(Moment::NeverReply).await;
    assert_eq!((reply, counted), (Err(TransportError::TimedOut), (1, 1)));
}

#[tokio::test]
async fn no_connection_outlives_its_call() {
    for wait in [0, 1, 19, 20, 21, 50] {
        let server = Server::start(Moment::ReplyThenClose).await;
        let stripe = server.stripe();
        for _ in 0..3 {
            assert_eq!(stripe.call(&create()).await.unwrap().body, b"{}");
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
        assert_eq!(server.counted(), (3, 3), "each call has a connection of its own");
    }
}

#[tokio::test]
async fn a_redirect_a_refusal_and_a_busy_server_are_replies_and_nothing_is_repeated() {
    for (reply, status) in [
        ("HTTP/1.1 307 Temporary Redirect\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n", 307),
        ("HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n", 503),
        ("HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n", 429),
        ("HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", 408),
    ] {
        let (answer, counted) = call_once(Moment::Reply(reply)).await;
        assert_eq!((answer.unwrap().status, counted), (status, (1, 1)));
    }
}

#[tokio::test]
async fn a_refused_connection_is_broken_and_sends_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let secret = StripeSecret::new(OneSecret, SystemClock, "ikkai/stripe".to_owned());
    let timeouts = StripeTimeouts::within(Duration::from_millis(500));
    let stripe = StripeHttp::new(url, timeouts, secret, Metrics::of("test")).unwrap();
    assert_eq!(stripe.call(&create()).await, Err(TransportError::Broken));
}

#[tokio::test]
async fn a_request_carries_what_stripe_needs() {
    let server = Server::start(Moment::Reply(
        "HTTP/1.1 402 Payment Required\r\nIdempotent-Replayed: true\r\nStripe-Should-Retry: false\r\n\
         content-length: 2\r\n\r\n{}",
    ))
    .await;
    let stripe = server.stripe();
    let reply = stripe.call(&create()).await.unwrap();
    assert_eq!(
        reply,
        HttpReply { status: 402, replayed: true, should_retry: Some(false), body: b"{}".to_vec() }
    );
    let look = HttpRequest {
        method: Method::Get,
        path: "/v1/payment_intents".to_owned(),
        query: "customer=cus_1&created%5Bgte%5D=1".to_owned(),
        idempotency_key: None,
        body: String::new(),
        ..create()
    };
    stripe.call(&look).await.unwrap();
    let heads = server.heads.lock().unwrap().clone();
    let (post, get) = (&heads[0], &heads[1]);
    assert!(post.starts_with("POST /v1/payment_intents HTTP/1.1"), "{post}");
    for line in [
        "authorization: Bearer sk_test_1",
        "stripe-version: 2025-09-30.clover",
        &format!("idempotency-key: {}", "k".repeat(64)),
        "content-type: application/x-www-form-urlencoded",
    ] {
        assert!(post.lines().any(|sent| sent == line), "{line} is missing in {post}");
    }
    assert!(get.starts_with("GET /v1/payment_intents?customer=cus_1&created%5Bgte%5D=1 HTTP/1.1"), "{get}");
    assert!(!get.contains("idempotency-key") && !get.contains("content-type"), "{get}");
}

#[tokio::test]
async fn a_reply_that_is_too_long_is_cut() {
    let (reply, counted) = call_once(Moment::ReplyTooLong).await;
    assert_eq!((reply.unwrap().body.len(), counted), (MAX_REPLY_BYTES, (1, 1)));
}

#[tokio::test]
async fn the_account_is_the_secrets() {
    let server = Server::start(Moment::CloseAfterAccept).await;
    let account = server.stripe().account().await.unwrap();
    assert_eq!(account, Account { id: "acct_1".to_owned(), live: false });
    assert_eq!(server.counted(), (0, 0));
}

#[tokio::test]
async fn a_key_that_stripe_refuses_is_read_again() {
    /// A clock that runs ten seconds at each reading, and a store that gives another key at each.
    #[derive(Clone, Default)]
    struct Fast(std::rc::Rc<std::cell::Cell<i64>>);

    impl Clock for Fast {
        fn now(&self) -> Time {
            self.0.set(self.0.get() + 10_000);
            Time(self.0.get())
        }
    }

    impl SecretStore for Fast {
        async fn read(&self, _name: &str) -> Result<String, &'static str> {
            Ok(format!(r#"{{"api_key": "sk_{}", "account": "acct_1", "livemode": false}}"#, self.0.get()))
        }
    }

    let server =
        Scripted::start(vec![Reply::With(401, "{}".to_owned()), Reply::With(200, "{}".to_owned())]).await;
    let fast = Fast::default();
    let secret = StripeSecret::new(fast.clone(), fast, "ikkai/stripe".to_owned());
    let timeouts = StripeTimeouts::within(Duration::from_millis(500));
    let stripe = StripeHttp::new(server.url.clone(), timeouts, secret, Metrics::of("test")).unwrap();
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(stripe.call(&create()).await.unwrap().status);
    }
    assert_eq!(statuses, [401, 200, 200]);
    let keys: Vec<bool> = server.asked().iter().map(|request| request.contains("Bearer sk_10000")).collect();
    assert_eq!(keys, [true, false, false]);
}
