//! The engine on a loopback port: `POST /v1/call`, a page to try requests on, and `GET /healthz`.
//!
//! All calls share one workspace, one after the other: what one loads, the next one finds. It begins with what it is given,
//! and does so again after a call that had to be stopped. [`guard`] keeps other sites in the same browser out.

mod guard;

use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::engine::{Engine, error_answer};
use crate::guest::{Guest, Limits, Module};

/// What an API server of Kubernetes takes in one request.
const BODY_LIMIT: usize = 3 << 20;

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// How long calls may go on, and connections stay open, after the process was asked to stop.
const PATIENCE: Duration = Duration::from_secs(3);

/// Serves `module` on `listener` until the process is asked to stop (SIGINT, SIGTERM), then finishes what runs. The workspace
/// begins with the answers to `loaded`.
pub fn serve(listener: TcpListener, module: Module, limits: Limits, loaded: Vec<String>) -> io::Result<()> {
    let port = listener.local_addr()?.port();
    let guest = Guest::new(&module, limits).map_err(io::Error::other)?;
    let app = App { guest: Mutex::new(guest), loaded };
    app.load(&mut app.guest.lock().unwrap_or_else(PoisonError::into_inner));
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let (stop, stopped) = oneshot::channel::<()>();
        let server = axum::serve(listener, router(port, app)).with_graceful_shutdown(async {
            // An error means that the other end is gone, which is a reason to stop as well.
            let _ = stopped.await;
        });
        let server = tokio::spawn(server.into_future());
        asked_to_stop(interrupt, terminate).await;
        let _ = stop.send(());
        // A connection that says nothing would hold the server for ever.
        let _ = tokio::time::timeout(PATIENCE, server).await;
        Ok(())
    });
    // Not waiting for a call that is still running: dropping the runtime would.
    runtime.shutdown_background();
    served
}

async fn asked_to_stop(mut interrupt: Signal, mut terminate: Signal) {
    std::future::poll_fn(|context| {
        let asked = interrupt.poll_recv(context).is_ready() | terminate.poll_recv(context).is_ready();
        if asked { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

fn router(port: u16, app: App) -> Router {
    Router::new()
        .route("/", get(|| asset("text/html; charset=utf-8", include_str!("../page/index.html"))))
        .route("/page.css", get(|| asset("text/css; charset=utf-8", include_str!("../page/page.css"))))
        .route("/page.js", get(|| asset(JAVASCRIPT, include_str!("../page/page.js"))))
        .route("/pretty.js", get(|| asset(JAVASCRIPT, include_str!("../page/pretty.js"))))
        .route("/examples.json", get(|| asset("application/json", include_str!("../page/examples.json"))))
        .route("/healthz", get(|| asset("text/plain; charset=utf-8", "ok\n")))
        .route("/v1/call", post(call).route_layer(axum::middleware::from_fn(guard::json_only)))
        .fallback(|| async { refusal(StatusCode::NOT_FOUND, "not-found", "there is nothing here", "see `GET /`") })
        .layer(from_fn_with_state(port, guard::same_site))
        .with_state(Arc::new(app))
}

struct App {
    guest: Mutex<Guest>,
    loaded: Vec<String>,
}

impl App {
    /// Fills a workspace that is empty with what it begins with.
    fn load(&self, guest: &mut Guest) {
        for request in &self.loaded {
            Engine::call(guest, request.as_bytes());
        }
    }
}

async fn call(State(app): State<Arc<App>>, body: Body) -> Response {
    let Ok(request) = to_bytes(body, BODY_LIMIT).await else {
        let message = format!("the request is longer than {BODY_LIMIT} bytes");
        return refusal(StatusCode::PAYLOAD_TOO_LARGE, "request-too-large", &message, "use `fleetfold call` for more");
    };
    let answer = tokio::task::spawn_blocking(move || {
        // A call that went wrong has thrown its instance away: what it held is whole.
        let mut guest = app.guest.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = Engine::call(&mut *guest, &request);
        if guest.is_fresh() {
            app.load(&mut guest);
        }
        answer
    });
    match answer.await {
        Ok(answer) => json(StatusCode::OK, answer),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn asset(content_type: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, content_type)], text).into_response()
}

fn json(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn refusal(status: StatusCode, code: &str, message: &str, hint: &str) -> Response {
    json(status, error_answer(code, message, hint))
}
