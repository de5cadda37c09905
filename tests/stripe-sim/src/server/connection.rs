//! Sockets: one task a connection, one task a request, so that an effect outlives its client.

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited, combinators::BoxBody};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_LENGTH, HeaderMap};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use stripe_sim::{Begun, Method, Request, Response};
use tokio::net::{TcpListener, TcpStream};

use crate::control;
use crate::faults::Strike;
use crate::hostile::Hostile;
use crate::operation::operation_id;
use crate::plan::Kind;
use crate::shared::{Inner, Shared};

type HttpResponse = hyper::Response<BoxBody<Bytes, Infallible>>;

const LARGEST_BODY: usize = 1 << 20;

/// Tells hyper to end the connection without a reply.
#[derive(Debug)]
struct Dropped;

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection was dropped on purpose")
    }
}

impl Error for Dropped {}

/// A body that promises more than it gives.
struct Short {
    bytes: Option<Bytes>,
    flushed: bool,
}

impl Body for Short {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(bytes) = self.bytes.take() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        // hyper writes out what it has when a body is pending; an end that comes too early discards it.
        if !self.flushed {
            self.flushed = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(None)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// Accepts connections until the listener fails.
pub(crate) async fn accept(listener: TcpListener, shared: Shared) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve(stream, shared.clone()));
    }
}

/// Serves one connection; ends it with a reset where a reply was dropped.
async fn serve(stream: TcpStream, shared: Shared) {
    let service = service_fn(move |request| Box::pin(answer(shared.clone(), request)));
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let ended = poll_fn(|context| connection.poll_without_shutdown(context)).await;
    // A body cut off on purpose ends in order instead: a reset would take back the bytes that were sent.
    if ended.is_err_and(|error| error.source().is_some_and(|source| source.is::<Dropped>())) {
        let stream = connection.into_parts().io.into_inner();
        // Without the option the peer sees an orderly end instead of a reset: as good for a lost reply.
        let _best_effort = stream.set_zero_linger();
    }
}

async fn answer(shared: Shared, request: hyper::Request<Incoming>) -> Result<HttpResponse, Dropped> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, LARGEST_BODY).collect().await.map_err(|_| Dropped)?.to_bytes();
    let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
    if let Some(path) = path.strip_prefix("/_sim") {
        let (status, value) = control::answer(&shared, head.method.as_str(), path, query, &body);
        return reply(status, &[("Content-Type", "application/json".to_owned())], whole(value.to_string()));
    }
    let method = match head.method {
        hyper::Method::GET => Method::Get,
        hyper::Method::POST => Method::Post,
        _ => return reply(405, &[], whole(String::new())),
    };
    let request = Request {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        authorization: text(&head.headers, "authorization"),
        idempotency_key: text(&head.headers, "idempotency-key"),
        stripe_version: text(&head.headers, "stripe-version"),
        body: body.to_vec(),
    };
    let task = tokio::spawn(execute(shared, request));
    let Ok(Some((strike, response))) = task.await else { return Err(Dropped) };
    match strike.kind {
        Kind::HostileBody => spoilt(&response, strike.hostile),
        Kind::None
        | Kind::ResetBefore
        | Kind::LoseReplyAfterEffect
        | Kind::Error500Before
        | Kind::Error500After
        | Kind::Error500Between
        | Kind::RateLimit
        | Kind::LockTimeout
        | Kind::Unavailable503 => reply(response.status, &response.headers, whole(response.body)),
    }
}

/// Runs a request to its end; returns nothing where the client is to see no reply.
async fn execute(shared: Shared, request: Request) -> Option<(Strike, Response)> {
    let (strike, number, begun) = shared.with(|inner, now_ms| begin(inner, now_ms, request));
    let response = match begun? {
        Begun::Done(response) => {
            pause(strike.delay_ms).await;
            response
        }
        Begun::Running(ticket) => {
            pause(strike.delay_ms).await;
            shared.with(|inner, now_ms| {
                inner.sim.is_running(ticket).then(|| inner.sim.finish(now_ms, ticket))
            })?
        }
    };
    shared.with(|inner, _| {
        inner.log.response(number, &response);
        match strike.kind {
            Kind::LoseReplyAfterEffect | Kind::HostileBody => inner.count(strike.kind.as_str()),
            Kind::None
            | Kind::ResetBefore
            | Kind::Error500Before
            | Kind::Error500After
            | Kind::Error500Between
            | Kind::RateLimit
            | Kind::LockTimeout
            | Kind::Unavailable503 => {}
        }
    });
    pause(strike.delay_reply_ms).await;
    (strike.kind != Kind::LoseReplyAfterEffect).then_some((strike, response))
}

fn begin(inner: &mut Inner, now_ms: i64, request: Request) -> (Strike, u64, Option<Begun>) {
    let operation_id = operation_id(&inner.sim, &request);
    let strike = inner.faults.strike(&request, &operation_id);
    let reset = strike.kind == Kind::ResetBefore;
    let begun = (!reset).then(|| inner.sim.begin(now_ms, &request, strike.kind.of_provider()));
    if reset {
        inner.count(strike.kind.as_str());
    }
    if strike.delay_ms > 0 || strike.delay_reply_ms > 0 {
        inner.count("delay");
    }
    let number = inner.log.request(now_ms, request, operation_id, strike.kind, strike.delay_ms);
    (strike, number, begun)
}

async fn pause(ms: u64) {
    if ms > 0 {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
}

fn spoilt(response: &Response, hostile: Hostile) -> Result<HttpResponse, Dropped> {
    let bytes = Bytes::from(hostile.spoil(&response.body));
    let mut http = match hostile {
        Hostile::CutOff => reply(
            response.status,
            &response.headers,
            BoxBody::new(Short { bytes: Some(bytes), flushed: false }),
        )?,
        Hostile::Empty
        | Hostile::Html
        | Hostile::Truncated
        | Hostile::NotUtf8
        | Hostile::WrongType
        | Hostile::Deep
        | Hostile::Huge => return reply(response.status, &response.headers, whole(bytes)),
    };
    http.headers_mut().insert(CONTENT_LENGTH, response.body.len().into());
    Ok(http)
}

fn whole(bytes: impl Into<Bytes>) -> BoxBody<Bytes, Infallible> {
    BoxBody::new(Full::new(bytes.into()))
}

/// Builds a reply; a header value that HTTP cannot carry (a key echoed from a hostile client) drops the connection.
fn reply(
    status: u16,
    headers: &[(&'static str, String)],
    body: BoxBody<Bytes, Infallible>,
) -> Result<HttpResponse, Dropped> {
    let mut builder = hyper::Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(*name, value);
    }
    builder.body(body).map_err(|_| Dropped)
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
