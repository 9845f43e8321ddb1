//! The page, the engine behind it and the fleet that both show, over HTTP.
//!
//! 1. [`guard`] keeps other sites out, and whoever has no [`token`] where one is needed.
//! 2. [`site`] is the page, as the web build left it.
//! 3. [`edition`] is the fleet as it is at a moment. `GET /v1/fleet` answers it, and `GET /v1/updates` tells when another
//!    one took its place ([`updates`]).
//! 4. [`call`]: `POST /v1/call` puts a request to the engine, which holds the same edition.
//! 5. [`veil`] stands in for what Secrets hold, so that it never leaves.
//!
//! Nothing here writes anywhere. Where a fleet is served, the only way to another one is another edition.

mod call;
pub mod edition;
mod guard;
pub mod site;
pub mod token;
mod updates;
pub mod veil;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::IncomingStream;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::answer;
use crate::engine::{Engine, error_answer};
use crate::guest::{Guest, Limits, Module};
use edition::{Edition, Shown};
use guard::Guard;
use site::{Behind, Site};
use token::Token;

/// How long calls may go on, and connections stay open, after the process was asked to stop.
const PATIENCE: Duration = Duration::from_secs(3);

/// Who may come in.
#[derive(Debug, Default)]
pub struct Door {
    /// Names of this machine beside its loopback names and the address that a connection came to.
    pub names: Vec<String>,
    /// What everybody must know, where it is not everybody's.
    pub token: Option<Token>,
}

/// Serves `module` on `listener` until the process is asked to stop (SIGINT, SIGTERM), then finishes what runs. The
/// workspace holds the latest of `editions`; without them it begins empty and is the callers' to fill.
pub fn serve(
    listener: TcpListener,
    module: Module,
    limits: Limits,
    door: Door,
    editions: Option<watch::Receiver<Edition>>,
) -> io::Result<()> {
    let guard = Guard::new(listener.local_addr()?, door);
    let (stop, stopped) = watch::channel(false);
    let app = Arc::new(App::new(module, limits, editions.as_ref(), stopped.clone())?);
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        if let Some(editions) = editions {
            tokio::spawn(follow(Arc::clone(&app), editions));
        }
        let service = router(guard, app).into_make_service_with_connect_info::<Here>();
        let mut stopped = stopped;
        let server = axum::serve(listener, service).with_graceful_shutdown(async move {
            // An error means that the other end is gone, which is a reason to stop as well.
            let _ = stopped.wait_for(|it| *it).await;
        });
        let server = tokio::spawn(server.into_future());
        asked_to_stop(interrupt, terminate).await;
        stop.send_replace(true);
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

/// Takes in one edition after the other, while the one before is served.
async fn follow(app: Arc<App>, mut editions: watch::Receiver<Edition>) {
    while editions.changed().await.is_ok() {
        let edition = editions.borrow_and_update().clone();
        let app = Arc::clone(&app);
        // One that cannot be taken in leaves the one before; there is nobody here to tell but the pages.
        let _ = tokio::task::spawn_blocking(move || app.take(edition)).await;
    }
}

fn router(guard: Guard, app: Arc<App>) -> Router {
    Router::new()
        .route("/v1/fleet", get(fleet))
        .route("/v1/updates", get(updates::updates))
        .route("/v1/call", post(call::call).route_layer(from_fn(guard::json_only)))
        .fallback(page)
        .layer(from_fn_with_state(Arc::new(guard), guard::admit))
        // Whoever watches over processes knows neither names nor tokens, and learns nothing.
        .route("/healthz", get(|| async { "ok\n" }))
        .layer(from_fn(guard::mark))
        .with_state(app)
}

/// The address that a connection came to.
#[derive(Clone, Copy, Debug)]
struct Here(Option<SocketAddr>);

impl Connected<IncomingStream<'_, tokio::net::TcpListener>> for Here {
    fn connect_info(stream: IncomingStream<'_, tokio::net::TcpListener>) -> Here {
        Here(stream.io().local_addr().ok())
    }
}

struct App {
    module: Module,
    limits: Limits,
    site: Site,
    guest: Mutex<Guest>,
    /// Apart from the guest: a call that takes long holds up nobody who only looks.
    shown: watch::Sender<Arc<Shown>>,
    /// Whether there is a fleet, which calls must leave as it is.
    has_fleet: bool,
    stopped: watch::Receiver<bool>,
}

impl App {
    fn new(
        module: Module,
        limits: Limits,
        editions: Option<&watch::Receiver<Edition>>,
        stopped: watch::Receiver<bool>,
    ) -> io::Result<App> {
        let first = editions.map(|it| it.borrow().clone());
        let has_fleet = first.is_some();
        let site = Site::built_in(if has_fleet { Behind::Fleet } else { Behind::Calls });
        let shown = Shown::new(first.unwrap_or_default());
        let guest = filled(&module, limits, &shown).map_err(io::Error::other)?;
        let (shown, _) = watch::channel(Arc::new(shown));
        Ok(App { module, limits, site, guest: Mutex::new(guest), shown, has_fleet, stopped })
    }

    /// Shows another edition. One that the engine does not take leaves the one before, with what was wrong.
    fn take(&self, edition: Edition) {
        let shown = Shown::new(edition);
        let shown = match filled(&self.module, self.limits, &shown) {
            Ok(guest) => {
                *self.guest.lock().unwrap_or_else(PoisonError::into_inner) = guest;
                shown
            }
            Err(problem) => self.shown.borrow().with_problem(&problem),
        };
        self.shown.send_if_modified(|before| {
            let is_news = before.revision != shown.revision;
            *before = Arc::new(shown);
            is_news
        });
    }
}

/// An engine that holds an edition.
fn filled(module: &Module, limits: Limits, shown: &Shown) -> Result<Guest, String> {
    let mut guest = Guest::new(module, limits).map_err(|error| error.to_string())?;
    for request in &shown.requests {
        let answer = answer::read(&Engine::call(&mut guest, request.as_bytes()))?;
        // A document that cannot be read is a diagnostic; an error is about the request as a whole.
        if let Some(error) = answer.get("error") {
            return Err(answer::text(error, "message").to_owned());
        }
    }
    Ok(guest)
}

async fn fleet(State(app): State<Arc<App>>) -> Response {
    let body = app.shown.borrow().body.clone();
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

async fn page(State(app): State<Arc<App>>, request: Request) -> Response {
    app.site.answer(&request)
}

fn json(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn refusal(status: StatusCode, code: &str, message: &str, hint: &str) -> Response {
    json(status, error_answer(code, message, hint))
}
