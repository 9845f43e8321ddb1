//! The validating webhook: passes admission reviews to the engine, with the access reviews that it needs.
//!
//! One loop owns the documents of the hub, as in the runner, and several engines answer reviews ([`pool`]). A review
//! that arrives before all documents were read fails, so that the failure policy of the API server applies.

pub mod certificate;
pub mod pool;
mod review;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use fleetfold_core::Value;
use fleetfold_core::api::admit::{Admit, AdmitAnswer, AdmitLimits, ReviewRounds};
use fleetfold_core::api::configure::Configure;
use fleetfold_core::diagnostic::read::from_value_ignoring_unknown;
use fleetfold_core::value::Text;
use fleetfold_core::value::canonical::to_text_as_declared;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, oneshot, watch};

use crate::cluster::{Cluster, read_json};
use crate::controller::documents::{Changes, DocumentEvent, Documents};
use crate::controller::events::EventQueue;
use crate::controller::metrics::Metrics;
use crate::guest::GuestError;
use crate::http_server::{BODY_TIMEOUT, BodyError, is_json, read_body};
use crate::session::{EngineError, Session};
use pool::{PendingReview, Pool, Report, StartEngine};
use review::{RequestHead, Review, ReviewAnswer};

/// The largest review that an API server sends.
const BODY_LIMIT: usize = 6 << 20;

/// How often the hub is asked for kinds that it did not serve.
const DISCOVERY_INTERVAL: Duration = Duration::from_secs(5);

/// What the loop handles.
#[derive(Debug)]
enum Event {
    Documents(DocumentEvent),
    Pool(Report),
}

impl From<DocumentEvent> for Event {
    fn from(event: DocumentEvent) -> Event {
        Event::Documents(event)
    }
}

impl From<Report> for Event {
    fn from(report: Report) -> Event {
        Event::Pool(report)
    }
}

/// The loop around the documents.
#[derive(Debug)]
pub struct Admission {
    pool: Arc<Pool>,
    /// The limits on one change.
    limits: Option<AdmitLimits>,
    wanted: Vec<Text>,
    documents: Documents,
    events: mpsc::UnboundedReceiver<Event>,
    metrics: Arc<Metrics>,
    discovered_at: Instant,
    /// The kinds to watch are known.
    has_kinds: bool,
    /// The update with which all documents were read; nothing until then.
    ready: watch::Sender<Option<u64>>,
}

impl Admission {
    /// Starts the engines.
    ///
    /// # Errors
    ///
    /// An engine cannot be started, or rejects the settings.
    pub fn new(
        engine: &StartEngine,
        hub: &Cluster,
        settings: &Configure,
        metrics: &Arc<Metrics>,
    ) -> Result<Admission, EngineError> {
        let (queue, events) = EventQueue::new();
        let start = |error: GuestError| EngineError { refusal: Box::new(error.to_refusal()), is_lost: false };
        let wanted = Session::new(engine().map_err(start)?).change(settings.clone())?.answer.dialects;
        let reports = queue.sender::<Report>();
        let pool = Pool::start(engine, settings, move |report| reports.send(report)).map_err(start)?;
        Ok(Admission {
            pool: Arc::new(pool),
            limits: None,
            wanted,
            documents: Documents::new(hub, queue.sender()),
            events,
            metrics: Arc::clone(metrics),
            discovered_at: Instant::now(),
            has_kinds: false,
            ready: watch::channel(None).0,
        })
    }

    /// Sets limits on what one change may do.
    #[must_use]
    pub fn limited(self, limits: Option<AdmitLimits>) -> Admission {
        Admission { limits, ..self }
    }

    /// The routes: `POST /admit`, `/healthz` and `/readyz`.
    pub fn routes(&self, hub: &Cluster) -> Router {
        let (pool, ready, limits) = (Arc::clone(&self.pool), self.ready.subscribe(), self.limits.clone());
        let app = App { pool, ready, limits, hub: hub.clone(), metrics: Arc::clone(&self.metrics) };
        Router::new()
            .route("/admit", post(admit))
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/readyz", get(ready_state))
            .with_state(app)
    }

    /// Runs until `stop` is set.
    pub async fn run(&mut self, mut stop: watch::Receiver<bool>) {
        loop {
            let next = tokio::time::Instant::from_std(self.discovered_at + DISCOVERY_INTERVAL);
            tokio::select! {
                biased;
                _ = stop.wait_for(|it| *it) => return,
                Some(event) = self.events.recv() => self.handle(event),
                () = tokio::time::sleep_until(next) => self.discover(),
            }
            self.refresh_readiness();
        }
    }

    /// Reviews are answered from the update on with which everything was read.
    fn refresh_readiness(&self) {
        let is_ready = self.has_kinds && self.documents.readable(&self.wanted).len() == self.wanted.len();
        self.ready.send_if_modified(|ready| {
            let has_changed = ready.is_some() != is_ready;
            if has_changed {
                *ready = is_ready.then(|| self.pool.last_update());
            }
            has_changed
        });
        self.metrics.ready(is_ready);
    }

    fn discover(&mut self) {
        self.discovered_at = Instant::now();
        if self.has_kinds {
            self.documents.discover();
            self.documents.relist_failed();
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Documents(event) => {
                let Changes { load, unload } = self.documents.handle(event);
                if !load.is_empty() || !unload.is_empty() {
                    self.pool.update(load, unload);
                }
            }
            Event::Pool(Report::Quarantined(count)) => self.metrics.quarantined(count),
            Event::Pool(Report::Kinds(kinds)) => {
                self.has_kinds = true;
                if self.documents.set_kinds(kinds) {
                    self.discover();
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
struct App {
    pool: Arc<Pool>,
    ready: watch::Receiver<Option<u64>>,
    limits: Option<AdmitLimits>,
    hub: Cluster,
    metrics: Arc<Metrics>,
}

async fn ready_state(State(app): State<App>) -> Response {
    match app.metrics.is_ready() {
        true => "ok\n".into_response(),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not ready: the initial lists are not complete\n").into_response(),
    }
}

async fn admit(State(app): State<App>, headers: HeaderMap, body: Body) -> Response {
    let refused = |status: StatusCode, message: String| (status, format!("{message}\n")).into_response();
    if !is_json(&headers) {
        return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a review is sent as `application/json`".to_owned());
    }
    let body = match read_body(body, BODY_LIMIT, BODY_TIMEOUT).await {
        Ok(body) => body,
        Err(BodyError::TooLarge) => {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, format!("a review has at most {BODY_LIMIT} bytes"));
        }
        Err(BodyError::TooSlow) => {
            return refused(StatusCode::REQUEST_TIMEOUT, "the review did not arrive in time".to_owned());
        }
    };
    let unreadable =
        |problem: String| refused(StatusCode::BAD_REQUEST, format!("the review cannot be read: {problem}"));
    let text = std::str::from_utf8(&body).map_err(|error| error.to_string());
    let review = match text.and_then(read_json).and_then(read_part::<Review>) {
        Ok(review) => review,
        Err(problem) => return unreadable(problem),
    };
    let Review { request: Some(request) } = review else {
        return refused(StatusCode::BAD_REQUEST, "the review has no request".to_owned());
    };
    let head = match read_part::<RequestHead>(request.clone()) {
        Ok(head) => head,
        Err(problem) => return unreadable(problem),
    };
    match app.verdict(&request, head.user()).await {
        Ok(verdict) => {
            app.metrics.reviewed(verdict.allowed);
            log(&head, &verdict);
            let answer = ReviewAnswer::new(head.uid.unwrap_or_default(), verdict);
            match to_text_as_declared(&answer) {
                Ok(text) => ([(header::CONTENT_TYPE, "application/json")], text).into_response(),
                Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
            }
        }
        Err(problem) => {
            tracing::error!("cannot review a change: {problem}");
            refused(StatusCode::SERVICE_UNAVAILABLE, problem)
        }
    }
}

impl App {
    /// The engine's verdict, after all access reviews that it needs.
    async fn verdict(&self, request: &Value, user: &str) -> Result<AdmitAnswer, String> {
        let request = Admit { request: request.clone(), limits: self.limits.clone(), ..Admit::default() };
        let mut rounds = ReviewRounds::new(request);
        while let Some(request) = rounds.next_request() {
            let verdict = self.ask(request, user).await?;
            let Some(needs) = &verdict.needs else { return Ok(verdict) };
            for need in needs {
                let allowed = self.hub.review(need).await;
                rounds.answer(need, allowed.map_err(|error| format!("an access review failed: {error}"))?);
            }
        }
        Err(ReviewRounds::EXHAUSTED.to_owned())
    }

    async fn ask(&self, request: Admit, user: &str) -> Result<AdmitAnswer, String> {
        let Some(after) = *self.ready.borrow() else {
            return Err("not ready: the initial lists are not complete".to_owned());
        };
        let (reply, answer) = oneshot::channel();
        self.pool.review(PendingReview { request, user: user.to_owned(), after, reply });
        answer.await.map_err(|_| "the engine is being stopped".to_owned())?.map_err(|error| error.to_string())
    }
}

/// The fields of a part of a review.
fn read_part<T: DeserializeOwned>(part: Value) -> Result<T, String> {
    from_value_ignoring_unknown(part).map_err(|error| error.to_string())
}

fn log(request: &RequestHead, verdict: &AdmitAnswer) {
    let (user, kind, name) = (request.user(), request.kind(), request.name());
    let code = verdict.code.as_deref().unwrap_or_default();
    match verdict.allowed {
        true => tracing::debug!(user, kind, name, "allowed"),
        false => tracing::info!(user, kind, name, code, "denied: {}", verdict.message.as_deref().unwrap_or_default()),
    }
}
