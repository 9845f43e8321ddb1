//! The HTTP server of the page, the webhook and the metrics, with limits on what a client can hold on to.
//!
//! 1. The first request head must be complete within [`HttpLimits::head`] of the connection, every further one within
//!    the same time of its first byte. A head has at most [`MAX_HEAD`] bytes.
//! 2. A connection that is idle between two requests is closed after [`HttpLimits::idle`].
//! 3. A body must be complete within [`BODY_TIMEOUT`]: handlers read it with [`read_body`].
//! 4. A connection that takes nothing of its response for [`HttpLimits::write`] is closed.
//! 5. At most [`HttpLimits::connections`] connections are open; further clients wait in the queue of the kernel.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::serve::Listener;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep, timeout};
use tokio_rustls::server::TlsStream;
use tower_service::Service;

/// The largest request head, and how much of a request is buffered.
const MAX_HEAD: usize = 64 << 10;

/// How long a body may take to arrive.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The limits of one server; see the rules above.
#[derive(Clone, Copy, Debug)]
pub struct HttpLimits {
    pub head: Duration,
    pub idle: Duration,
    pub write: Duration,
    pub connections: usize,
}

impl Default for HttpLimits {
    fn default() -> HttpLimits {
        HttpLimits {
            head: Duration::from_secs(10),
            // Longer than the 90 s after which API servers and Go clients close an idle connection themselves: a
            // request on a connection that the server is just closing would fail.
            idle: Duration::from_secs(120),
            write: Duration::from_secs(30),
            // Half of the files that a process may usually open.
            connections: 512,
        }
    }
}

/// The local address of a connection; an extension of every request.
#[derive(Clone, Copy, Debug)]
pub struct LocalAddress(pub Option<SocketAddr>);

/// A connection that knows its local address.
pub trait Connection {
    fn local_address(&self) -> Option<SocketAddr>;
}

impl Connection for TcpStream {
    fn local_address(&self) -> Option<SocketAddr> {
        self.local_addr().ok()
    }
}

impl Connection for TlsStream<TcpStream> {
    fn local_address(&self) -> Option<SocketAddr> {
        self.get_ref().0.local_addr().ok()
    }
}

/// Serves `routes` until `stop` is set, then finishes the running requests.
pub async fn serve<L>(mut listener: L, routes: Router, limits: HttpLimits, mut stop: watch::Receiver<bool>)
where
    L: Listener,
    L::Io: Connection,
{
    let slots = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            // The semaphore is never closed.
            let slot = Arc::clone(&slots).acquire_owned().await.ok()?;
            Some((listener.accept().await.0, slot))
        };
        let (stream, slot) = tokio::select! {
            biased;
            // An error means that the sender was dropped: stop as well.
            _ = stop.wait_for(|it| *it) => break,
            Some(accepted) = accepted => accepted,
        };
        while connections.try_join_next().is_some() {}
        connections.spawn(serve_connection(stream, routes.clone(), limits, stop.clone(), slot));
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

async fn serve_connection<S>(
    stream: S,
    routes: Router,
    limits: HttpLimits,
    mut stop: watch::Receiver<bool>,
    _slot: OwnedSemaphorePermit,
) where
    S: Connection + AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let local = LocalAddress(stream.local_address());
    let progress = Arc::new(Progress::default());
    let stream = TimedStream::new(stream, limits, Arc::clone(&progress));
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (mut routes, progress) = (routes.clone(), Arc::clone(&progress));
        progress.heads.fetch_add(1, Ordering::Relaxed);
        progress.is_answering.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(local);
        async move {
            // A router is always ready.
            let response = routes.call(request).await;
            progress.is_answering.store(false, Ordering::Relaxed);
            response
        }
    });
    let mut server = http1::Builder::new();
    // The timer of hyper starts as soon as a connection is idle, so that it limits both.
    server.timer(TokioTimer::new()).header_read_timeout(limits.idle + limits.head).max_buf_size(MAX_HEAD);
    let mut connection = std::pin::pin!(server.serve_connection(TokioIo::new(stream), service));
    let stopped = async move { drop(stop.wait_for(|it| *it).await) };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stopped => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// What the requests of a connection tell its stream.
#[derive(Debug, Default)]
struct Progress {
    /// The number of complete request heads.
    heads: AtomicUsize,
    /// A handler runs, which limits the time for the body itself.
    is_answering: AtomicBool,
}

/// A connection that fails when its client is too slow.
struct TimedStream<S> {
    stream: S,
    limits: HttpLimits,
    progress: Arc<Progress>,
    /// The deadline of the head with this number.
    head: Option<(usize, Pin<Box<Sleep>>)>,
    /// Set while the client takes nothing.
    write: Option<Pin<Box<Sleep>>>,
}

impl<S> TimedStream<S> {
    fn new(stream: S, limits: HttpLimits, progress: Arc<Progress>) -> TimedStream<S> {
        // A new connection has a request to send, unlike one that is kept for later.
        let head = Some((0, Box::pin(sleep(limits.head))));
        TimedStream { stream, limits, progress, head, write: None }
    }

    /// Fails if the head that is being read is late. Bytes that arrive between two requests begin a head.
    fn check_head(&mut self, context: &mut Context<'_>, has_bytes: bool) -> io::Result<()> {
        let number = self.progress.heads.load(Ordering::Relaxed);
        if self.head.as_ref().is_some_and(|(of, _)| *of != number) {
            self.head = None;
        }
        if self.head.is_none() && has_bytes && !self.progress.is_answering.load(Ordering::Relaxed) {
            self.head = Some((number, Box::pin(sleep(self.limits.head))));
        }
        let Some((_, deadline)) = &mut self.head else { return Ok(()) };
        match deadline.as_mut().poll(context) {
            Poll::Ready(()) => Err(too_slow("a request head")),
            Poll::Pending => Ok(()),
        }
    }

    /// Fails if the client has taken nothing for too long.
    fn check_write<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write = None;
            return written;
        }
        let limit = self.limits.write;
        ready!(self.write.get_or_insert_with(|| Box::pin(sleep(limit))).as_mut().poll(context));
        Poll::Ready(Err(too_slow("a client that reads its response")))
    }
}

fn too_slow(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("{what} was too slow"))
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.check_head(context, buffer.filled().len() > before)?;
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_write(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.check_write(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.check_write(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check_write(context, closed)
    }
}

/// Why a body cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It is longer than the limit, or the connection broke.
    TooLarge,
    TooSlow,
}

/// Reads a body of at most `limit` bytes, within a time.
///
/// # Errors
///
/// The body is too large, too slow, or broke off.
pub async fn read_body(body: Body, limit: usize, within: Duration) -> Result<Bytes, BodyError> {
    match timeout(within, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(BodyError::TooLarge),
        Err(_) => Err(BodyError::TooSlow),
    }
}

/// Whether the body is declared as JSON, which a browser never sends across sites without a preflight.
pub fn is_json(headers: &HeaderMap) -> bool {
    let content_type = only(headers, &header::CONTENT_TYPE).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// A header that occurs exactly once, as text.
pub fn only<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(first)
}
