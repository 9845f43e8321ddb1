//! The port with `/metrics`, `/healthz`, `/readyz` and `POST /reconcile`.
//!
//! `POST /reconcile` makes the runner read everything again, which costs every API server of the fleet something. So:
//!
//! 1. with a token, it requires `Authorization: Bearer` with it;
//! 2. without a token, it is available on a loopback address only, to requests that name one in `Host` and that no page
//!    of a browser sent;
//! 3. at most [`BURST`] requests are answered at once, and then one in [`REFILL`].

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::watch;

use super::Resyncer;
use super::metrics::Metrics;
use crate::http_server::{self, HttpLimits, only};
use crate::serve::token::Token;

/// How many resyncs may be requested at once.
const BURST: u32 = 60;

/// How long it takes until another one may be requested.
const REFILL: Duration = Duration::from_secs(1);

/// The runner behind `POST /reconcile`, and who may use it.
#[derive(Debug)]
pub struct ReconcileAccess {
    pub resyncer: Resyncer,
    pub token: Option<Token>,
}

#[derive(Clone, Debug)]
struct App {
    metrics: Arc<Metrics>,
    reconcile: Option<Arc<ReconcileEndpoint>>,
}

#[derive(Debug)]
struct ReconcileEndpoint {
    resyncer: Resyncer,
    policy: ResyncPolicy,
}

/// Decides which requests for a resync are accepted.
#[derive(Debug)]
struct ResyncPolicy {
    token: Option<Token>,
    address: SocketAddr,
    pace: Mutex<Pace>,
}

/// A token bucket: what is left of the burst, and since when.
#[derive(Debug)]
struct Pace {
    left: u32,
    since: Instant,
}

/// Serves the metrics as long as the program runs.
///
/// # Errors
///
/// The listener cannot be used.
pub fn listen(listener: TcpListener, metrics: Arc<Metrics>, reconcile: Option<ReconcileAccess>) -> io::Result<()> {
    let address = listener.local_addr()?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let reconcile = reconcile.map(|ReconcileAccess { resyncer, token }| {
        Arc::new(ReconcileEndpoint {
            resyncer,
            policy: ResyncPolicy { token, address, pace: Mutex::new(Pace::full()) },
        })
    });
    let routes = Router::new()
        .route("/metrics", get(metrics_text))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(readiness))
        .route("/reconcile", post(request_resync))
        .with_state(App { metrics, reconcile });
    // Dropping the sender would stop the server.
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        http_server::serve(listener, routes, HttpLimits::default(), stopped).await;
        drop(stop);
    });
    Ok(())
}

async fn metrics_text(State(app): State<App>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text()).into_response()
}

async fn readiness(State(app): State<App>) -> Response {
    match app.metrics.is_ready() {
        true => "ok\n".into_response(),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not ready: the initial lists are not complete\n").into_response(),
    }
}

async fn request_resync(State(app): State<App>, headers: HeaderMap) -> Response {
    let Some(reconcile) = app.reconcile else { return StatusCode::NOT_FOUND.into_response() };
    if let Err((status, message)) = reconcile.policy.check(&headers) {
        let is_paced = status == StatusCode::TOO_MANY_REQUESTS;
        let wait = is_paced.then(|| [(header::RETRY_AFTER, REFILL.as_secs().to_string())]);
        return (status, wait, message).into_response();
    }
    reconcile.resyncer.resync().await;
    "done\n".into_response()
}

impl ResyncPolicy {
    /// The rules above.
    fn check(&self, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        match &self.token {
            Some(token) if !token.is_bearer(headers) => {
                return Err((StatusCode::UNAUTHORIZED, "send `Authorization: Bearer` with the token of the runner\n"));
            }
            Some(_) => {}
            None if !self.address.ip().is_loopback() => {
                let message =
                    "POST /reconcile is off on this address; start the runner with `--reconcile-token-file`\n";
                return Err((StatusCode::FORBIDDEN, message));
            }
            None if !self.is_local(headers) => {
                return Err((StatusCode::FORBIDDEN, "only programs on this machine may send this request\n"));
            }
            None => {}
        }
        match self.pace.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now()) {
            true => Ok(()),
            false => Err((StatusCode::TOO_MANY_REQUESTS, "too many requests; try again in a second\n")),
        }
    }

    /// Whether `Host` is a loopback name with this port, and no browser marks the request as that of a page.
    fn is_local(&self, headers: &HeaderMap) -> bool {
        let host = only(headers, &header::HOST).unwrap_or_default().to_ascii_lowercase();
        let port = self.address.port();
        let names = ["localhost", "127.0.0.1", "[::1]"].map(|it| format!("{it}:{port}"));
        let is_of_page = [header::ORIGIN, HeaderName::from_static("sec-fetch-site")];
        (names.contains(&host) || host == self.address.to_string())
            && !is_of_page.iter().any(|it| headers.contains_key(it))
    }
}

impl Pace {
    fn full() -> Pace {
        Pace { left: BURST, since: Instant::now() }
    }

    /// Takes one of what is left, if anything is.
    fn take(&mut self, now: Instant) -> bool {
        let refilled = now.saturating_duration_since(self.since).as_secs() / REFILL.as_secs();
        if refilled > 0 {
            self.left = self.left.saturating_add(u32::try_from(refilled).unwrap_or(u32::MAX)).min(BURST);
            self.since = now;
        }
        let is_allowed = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "a-token-of-some-length";

    fn policy(address: &str, token: Option<&str>) -> ResyncPolicy {
        let token = token.map(|it| Token::read(it).unwrap());
        ResyncPolicy { token, address: address.parse().unwrap(), pace: Mutex::new(Pace::full()) }
    }

    #[track_caller]
    fn check(policy: &ResyncPolicy, headers: &[(&'static str, &str)], want: u16) {
        let headers: HeaderMap =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect();
        let status = policy.check(&headers).map_or_else(|(status, _)| status.as_u16(), |()| 200);
        assert_eq!(status, want, "{headers:?}");
    }

    #[test]
    fn without_a_token_only_local_programs_may_request_a_resync() {
        let policy = policy("127.0.0.1:8080", None);
        check(&policy, &[("host", "127.0.0.1:8080")], 200);
        check(&policy, &[("host", "LOCALHOST:8080")], 200);
        for host in ["evil.example:8080", "127.0.0.1", "127.0.0.1:8081", "localhost.evil:8080", ""] {
            check(&policy, &[("host", host)], 403);
        }
        check(&policy, &[], 403);
        check(&policy, &[("host", "127.0.0.1:8080"), ("origin", "http://127.0.0.1:8080")], 403);
        check(&policy, &[("host", "127.0.0.1:8080"), ("sec-fetch-site", "cross-site")], 403);
    }

    #[test]
    fn on_other_addresses_a_resync_needs_the_token() {
        let off = policy("0.0.0.0:8080", None);
        check(&off, &[("host", "127.0.0.1:8080")], 403);
        let on = policy("0.0.0.0:8080", Some(TOKEN));
        check(&on, &[("host", "127.0.0.1:8080")], 401);
        check(&on, &[("authorization", "Bearer another-token-of-some-length")], 401);
        check(&on, &[("authorization", &format!("Basic {TOKEN}"))], 401);
        check(&on, &[("host", "runner.example"), ("authorization", &format!("Bearer {TOKEN}"))], 200);
        // A token that is configured counts on loopback, too.
        check(&policy("127.0.0.1:8080", Some(TOKEN)), &[("host", "127.0.0.1:8080")], 401);
    }

    #[test]
    fn a_flood_of_requests_is_paced() {
        let policy = policy("127.0.0.1:8080", None);
        for _ in 0..BURST {
            check(&policy, &[("host", "127.0.0.1:8080")], 200);
        }
        check(&policy, &[("host", "127.0.0.1:8080")], 429);
        let mut pace = Pace { left: 0, since: Instant::now() };
        assert!(!pace.take(pace.since + REFILL / 2));
        assert!(pace.take(pace.since + REFILL));
        assert!(!pace.take(pace.since));
        assert!(pace.take(pace.since + Duration::from_secs(3600)));
        assert_eq!(pace.left, BURST - 1);
    }
}
