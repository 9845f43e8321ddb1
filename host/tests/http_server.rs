//! What a slow, silent or greedy client can hold on to.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use fleetfold::http_server::{BodyError, HttpLimits, read_body, serve};
use futures::stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Short for a test, and long for a busy machine.
const LIMITS: HttpLimits = HttpLimits {
    head: Duration::from_millis(500),
    idle: Duration::from_millis(1000),
    write: Duration::from_millis(500),
    connections: 8,
};

const GOOD: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

async fn start(limits: HttpLimits) -> (SocketAddr, watch::Sender<bool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let routes = Router::new()
        .route("/", get(|| async { "hello" }))
        .route("/body", post(body))
        .route("/large", get(|| async { "x".repeat(64 << 20) }))
        .route("/stream", get(events));
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(serve(listener, routes, limits, stopped));
    (address, stop)
}

async fn body(body: Body) -> Response {
    match read_body(body, 100, Duration::from_millis(500)).await {
        Ok(bytes) => bytes.into_response(),
        Err(BodyError::TooLarge) => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(BodyError::TooSlow) => StatusCode::REQUEST_TIMEOUT.into_response(),
    }
}

/// A line every 200 ms, ten times.
async fn events() -> Response {
    let lines = stream::unfold(0, |count| async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        (count < 10).then(|| (Ok::<_, std::io::Error>(format!("{count}\n")), count + 1))
    });
    Body::from_stream(lines).into_response()
}

async fn connect(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// Everything until the server closes the connection, and how long that took.
async fn rest(mut stream: TcpStream) -> (String, Duration) {
    let (started, mut bytes) = (Instant::now(), Vec::new());
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await;
    match read.expect("the server keeps the connection open") {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
    (String::from_utf8_lossy(&bytes).into_owned(), started.elapsed())
}

/// Reads until the response ends with `hello`.
async fn expect_hello(stream: &mut TcpStream) {
    let mut text = Vec::new();
    while !text.ends_with(b"hello") {
        let mut part = [0; 1024];
        let count = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut part)).await.unwrap().unwrap();
        assert_ne!(count, 0, "closed: {}", String::from_utf8_lossy(&text));
        text.extend_from_slice(&part[..count]);
    }
}

#[tokio::test]
async fn a_head_that_does_not_arrive_is_not_waited_for() {
    let (address, _stop) = start(LIMITS).await;
    for begun in ["", "GET", "GET / HTTP/1.1\r\nhost: x\r\n"] {
        let (text, took) = rest(connect(address, begun).await).await;
        assert!(!text.contains("200"), "{text}");
        assert!(took >= Duration::from_millis(400), "{begun:?} {took:?}");
    }
}

#[tokio::test]
async fn a_head_that_arrives_byte_by_byte_is_cut_off() {
    let (address, _stop) = start(LIMITS).await;
    let mut stream = connect(address, "GET / HTTP/1.1\r\nx: ").await;
    let started = Instant::now();
    while stream.write_all(b"a").await.is_ok() {
        assert!(started.elapsed() < Duration::from_secs(10), "it goes on");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn the_second_head_of_a_connection_has_the_same_limit() {
    let (address, _stop) = start(LIMITS).await;
    let mut stream = connect(address, GOOD).await;
    expect_hello(&mut stream).await;
    stream.write_all(b"GET / HT").await.unwrap();
    let (_, took) = rest(stream).await;
    // Less than an idle connection would have.
    assert!(took < LIMITS.idle + LIMITS.head, "{took:?}");
}

#[tokio::test]
async fn a_connection_is_kept_for_a_while_and_then_closed() {
    let (address, _stop) = start(LIMITS).await;
    let mut stream = connect(address, GOOD).await;
    expect_hello(&mut stream).await;
    for _ in 0..3 {
        // Longer than a head may take: an idle connection is no slow head.
        tokio::time::sleep(Duration::from_millis(700)).await;
        stream.write_all(GOOD.as_bytes()).await.unwrap();
        expect_hello(&mut stream).await;
    }
    let (_, took) = rest(stream).await;
    assert!(took >= LIMITS.idle, "{took:?}");
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_answered_and_closed() {
    let (address, _stop) = start(LIMITS).await;
    for sent in ["content-length: 50\r\n\r\nhalf", "transfer-encoding: chunked\r\n\r\nff\r\nhalf"] {
        let (text, _) = rest(connect(address, &format!("POST /body HTTP/1.1\r\nhost: x\r\n{sent}")).await).await;
        assert!(text.starts_with("HTTP/1.1 408"), "{text}");
    }
    let large = format!("POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 101\r\n\r\n{}", "x".repeat(101));
    assert!(rest(connect(address, &large).await).await.0.starts_with("HTTP/1.1 413"));
}

#[tokio::test]
async fn a_client_that_does_not_read_is_closed() {
    let (address, _stop) = start(HttpLimits { connections: 1, ..LIMITS }).await;
    let _deaf = connect(address, "GET /large HTTP/1.1\r\nhost: x\r\n\r\n").await;
    // The only connection: the next one is answered when the first was closed.
    let mut next = connect(address, GOOD).await;
    expect_hello(&mut next).await;
}

#[tokio::test]
async fn a_stream_goes_on_for_as_long_as_it_is_read() {
    let (address, _stop) = start(LIMITS).await;
    let request = "GET /stream HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let (text, took) = rest(connect(address, request).await).await;
    assert!(text.contains("9\n"), "{text}");
    assert!(took > LIMITS.idle + LIMITS.head, "{took:?}");
}

#[tokio::test]
async fn further_connections_wait_until_others_are_closed() {
    let (address, _stop) = start(LIMITS).await;
    let mut open = Vec::new();
    for _ in 0..LIMITS.connections {
        open.push(connect(address, "GET / HT").await);
    }
    let started = Instant::now();
    let mut next = connect(address, GOOD).await;
    expect_hello(&mut next).await;
    assert!(started.elapsed() >= Duration::from_millis(300), "{:?}", started.elapsed());
}

#[tokio::test]
async fn it_stops_and_finishes_what_runs() {
    let (address, stop) = start(LIMITS).await;
    let mut idle = connect(address, GOOD).await;
    expect_hello(&mut idle).await;
    let running = connect(address, "GET /stream HTTP/1.1\r\nhost: x\r\n\r\n").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    stop.send_replace(true);
    assert!(rest(running).await.0.contains("9\n"));
    assert_eq!(rest(idle).await.0, "");
    assert!(TcpStream::connect(address).await.is_err());
}
