//! Serves the page, the engine and the fleet over HTTP.
//!
//! 1. [`auth`] rejects requests of other sites, and those without the [`token`] where one is required.
//! 2. [`site`] is the page, as the web build made it.
//! 3. [`fleet_snapshot`] is the fleet at a moment. `GET /v1/fleet` returns it, and `GET /v1/updates` reports every new
//!    one ([`updates`]).
//! 4. [`call`]: `POST /v1/call` sends a request to the engine, which has the same snapshot loaded.
//! 5. [`redaction`] replaces Secret data by pseudonyms before it is served.
//!
//! Nothing here writes. A served fleet changes only with the next snapshot.

mod auth;
mod call;
pub mod fleet_snapshot;
mod pool;
mod quarantine;
pub mod redaction;
pub mod site;
pub mod token;
mod updates;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::engine::{error_answer, refusal};
use crate::guest::{Guest, Limits, Module};
use crate::http_server::{self, HttpLimits};
use auth::Auth;
use fleet_snapshot::{FleetSnapshot, Published};
use pool::Pool;
use site::{Behind, Site};
use token::Token;

/// How long calls may run and connections stay open after a stop signal.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);

/// Which requests are accepted.
#[derive(Debug, Default)]
pub struct AccessPolicy {
    /// Host names beside the loopback names and the address of the connection.
    pub names: Vec<String>,
    /// The token that requests need, if any.
    pub token: Option<Token>,
}

/// Serves `module` on `listener` until SIGINT or SIGTERM, then finishes the running calls. The workspace has the latest
/// of `snapshots` loaded; without them it starts empty, and callers fill it.
pub fn serve(
    listener: TcpListener,
    module: Module,
    limits: Limits,
    policy: AccessPolicy,
    snapshots: Option<watch::Receiver<FleetSnapshot>>,
) -> io::Result<()> {
    let auth = Auth::new(listener.local_addr()?, policy);
    let (stop, stopped) = watch::channel(false);
    let app = Arc::new(App::new(module, limits, snapshots.as_ref(), stopped.clone())?);
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        if let Some(snapshots) = snapshots {
            tokio::spawn(publish_all(Arc::clone(&app), snapshots));
        }
        let server = tokio::spawn(http_server::serve(listener, router(auth, app), HttpLimits::default(), stopped));
        stop_signal(interrupt, terminate).await;
        stop.send_replace(true);
        // An idle connection would keep the server running.
        let _ = tokio::time::timeout(SHUTDOWN_GRACE, server).await;
        Ok(())
    });
    // Does not wait for a running call; dropping the runtime would.
    runtime.shutdown_background();
    served
}

async fn stop_signal(mut interrupt: Signal, mut terminate: Signal) {
    std::future::poll_fn(|context| {
        let received = interrupt.poll_recv(context).is_ready() | terminate.poll_recv(context).is_ready();
        if received { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Publishes each new snapshot; the previous one is served meanwhile.
async fn publish_all(app: Arc<App>, mut snapshots: watch::Receiver<FleetSnapshot>) {
    while snapshots.changed().await.is_ok() {
        let snapshot = snapshots.borrow_and_update().clone();
        let app = Arc::clone(&app);
        // A panic leaves the previous snapshot.
        let _ = tokio::task::spawn_blocking(move || app.publish(snapshot)).await;
    }
}

fn router(auth: Auth, app: Arc<App>) -> Router {
    Router::new()
        .route("/v1/fleet", get(fleet))
        .route("/v1/updates", get(updates::updates))
        .route("/v1/call", post(call::call).route_layer(from_fn(auth::json_only)))
        .fallback(page)
        .layer(from_fn_with_state(Arc::new(auth), auth::authorize))
        // Health checks have neither host name nor token, and reveal nothing.
        .route("/healthz", get(|| async { "ok\n" }))
        .layer(from_fn(auth::add_headers))
        .with_state(app)
}

struct App {
    module: Module,
    limits: Limits,
    site: Site,
    pool: Pool,
    /// Separate from the engines, so that reading the fleet does not wait for a call.
    published: watch::Sender<Arc<Published>>,
    /// Whether a fleet is served, which calls must not change.
    has_fleet: bool,
    stopped: watch::Receiver<bool>,
}

impl App {
    fn new(
        module: Module,
        limits: Limits,
        snapshots: Option<&watch::Receiver<FleetSnapshot>>,
        stopped: watch::Receiver<bool>,
    ) -> io::Result<App> {
        let first = snapshots.map(|it| it.borrow().clone());
        let has_fleet = first.is_some();
        let site = Site::built_in(if has_fleet { Behind::Fleet } else { Behind::Calls });
        let (published, guest) =
            quarantine::load(&module, limits, first.unwrap_or_default()).map_err(io::Error::other)?;
        let (published, _) = watch::channel(Arc::new(published));
        Ok(App { module, limits, site, pool: Pool::new(guest, has_fleet), published, has_fleet, stopped })
    }

    /// Publishes a snapshot. If the engine cannot load it, the previous one stays, with the problem added.
    fn publish(&self, snapshot: FleetSnapshot) {
        let (published, guest) = match quarantine::load(&self.module, self.limits, snapshot) {
            Ok((published, guest)) => (published, Some(guest)),
            Err(problem) => (self.published.borrow().with_problem(&problem), None),
        };
        self.published.send_if_modified(|before| {
            let has_changed = before.revision != published.revision;
            *before = Arc::new(published);
            has_changed
        });
        // Afterwards, so that engines that are loaded from now on have this snapshot.
        if let Some(guest) = guest {
            self.pool.replace(guest);
        }
    }
}

/// An engine with a snapshot loaded.
fn load_guest(module: &Module, limits: Limits, published: &Published) -> Result<Guest, String> {
    let mut guest = Guest::new(module, limits).map_err(|error| error.to_string())?;
    published.load(&mut guest)?;
    Ok(guest)
}

async fn fleet(State(app): State<Arc<App>>) -> Response {
    let body = app.published.borrow().body.clone();
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

async fn page(State(app): State<Arc<App>>, request: Request) -> Response {
    app.site.answer(&request)
}

fn json(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn error_response(status: StatusCode, code: &'static str, message: &str, hint: &str) -> Response {
    json(status, error_answer(&refusal(code, message, hint)))
}
