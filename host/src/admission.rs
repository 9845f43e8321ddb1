//! The validating webhook: passes admission reviews to the engine, with the access reviews that it needs.
//!
//! One loop owns the engine and the documents of the hub, as in the runner. A review that arrives before all documents
//! were read fails, so that the failure policy of the API server applies.

mod review;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use fleetfold_core::Value;
use fleetfold_core::api::admit::{Admit, AdmitAnswer, AdmitLimits};
use fleetfold_core::api::authorize::AuthorizeReview;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::kinds::Kinds;
use fleetfold_core::diagnostic::read::from_value_ignoring_unknown;
use fleetfold_core::value::Text;
use fleetfold_core::value::canonical::to_text_as_declared;
use serde::de::DeserializeOwned;
use tokio::sync::{mpsc, oneshot, watch};

use crate::cluster::{ApiError, Cluster, read_json};
use crate::controller::documents::{self, Changes, DocumentEvent, Documents};
use crate::controller::events::EventQueue;
use crate::controller::metrics::Metrics;
use crate::session::{EngineError, Session};
use review::{RequestHead, Review, ReviewAnswer};

/// The largest review that an API server sends.
const BODY_LIMIT: usize = 6 << 20;

/// How often the engine may request further access reviews about one change.
const MAX_REVIEW_ROUNDS: usize = 4;

/// How often the hub is asked for kinds that it did not serve.
const DISCOVERY_INTERVAL: Duration = Duration::from_secs(5);

/// A review for the engine, and where its verdict goes.
struct PendingReview {
    request: Admit,
    reply: oneshot::Sender<Result<AdmitAnswer, ReviewError>>,
}

/// Why a review has no verdict.
#[derive(Debug)]
enum ReviewError {
    /// Not all documents were read yet.
    NotReady,
    Engine(EngineError),
}

/// The loop around the engine.
#[derive(Debug)]
pub struct Admission {
    session: Session,
    settings: Configure,
    /// The limits on one change.
    limits: Option<AdmitLimits>,
    wanted: Vec<Text>,
    documents: Documents,
    events: mpsc::UnboundedReceiver<DocumentEvent>,
    reviews: mpsc::Receiver<PendingReview>,
    review_sender: mpsc::Sender<PendingReview>,
    metrics: Arc<Metrics>,
    discovered_at: Instant,
}

impl Admission {
    pub fn new(session: Session, hub: &Cluster, settings: Configure, metrics: &Arc<Metrics>) -> Admission {
        let (queue, events) = EventQueue::new();
        let (review_sender, reviews) = mpsc::channel(64);
        let documents = Documents::new(hub, queue.sender());
        let (metrics, discovered_at) = (Arc::clone(metrics), Instant::now());
        let (limits, wanted) = (None, Vec::new());
        Admission {
            session,
            settings,
            limits,
            wanted,
            documents,
            events,
            reviews,
            review_sender,
            metrics,
            discovered_at,
        }
    }

    /// Sets limits on what one change may do.
    #[must_use]
    pub fn limited(self, limits: Option<AdmitLimits>) -> Admission {
        Admission { limits, ..self }
    }

    /// The routes: `POST /admit`, `/healthz` and `/readyz`.
    pub fn routes(&self, hub: &Cluster) -> Router {
        let (reviews, limits) = (self.review_sender.clone(), self.limits.clone());
        let app = App { reviews, limits, hub: hub.clone(), metrics: Arc::clone(&self.metrics) };
        Router::new()
            .route("/admit", post(admit))
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/readyz", get(ready))
            .with_state(app)
    }

    /// Runs until `stop` is set or the engine loses its workspace.
    ///
    /// # Errors
    ///
    /// The workspace was lost: everything must be loaded again.
    pub async fn run(&mut self, mut stop: watch::Receiver<bool>) -> Result<(), EngineError> {
        self.wanted = self.session.change(self.settings.clone())?.answer.dialects;
        self.refresh_kinds()?;
        self.discover();
        loop {
            let next = tokio::time::Instant::from_std(self.discovered_at + DISCOVERY_INTERVAL);
            tokio::select! {
                biased;
                _ = stop.wait_for(|it| *it) => return Ok(()),
                Some(event) = self.events.recv() => self.handle(event)?,
                Some(review) = self.reviews.recv() => self.review(review)?,
                () = tokio::time::sleep_until(next) => self.discover(),
            }
            self.metrics.ready(self.is_ready());
        }
    }

    /// Starts over with no documents, after the engine lost its workspace.
    pub fn restart(&mut self, hub: &Cluster) {
        let (queue, events) = EventQueue::new();
        (self.documents, self.events) = (Documents::new(hub, queue.sender()), events);
        self.metrics.ready(false);
    }

    fn is_ready(&self) -> bool {
        self.documents.readable(&self.wanted).len() == self.wanted.len()
    }

    fn discover(&mut self) {
        self.discovered_at = Instant::now();
        self.documents.discover();
        self.documents.relist_failed();
    }

    fn refresh_kinds(&mut self) -> Result<(), EngineError> {
        let kinds = self.session.call(&Kinds::default())?;
        if self.documents.set_kinds(kinds.answer) {
            self.discover();
        }
        Ok(())
    }

    fn handle(&mut self, event: DocumentEvent) -> Result<(), EngineError> {
        // Documents of a removed kind are only unloaded: the next changed document refreshes the kinds.
        let is_discovery = matches!(event, DocumentEvent::Discovered(_));
        let Changes { load, unload } = self.documents.handle(event);
        documents::unload(&mut self.session, &unload)?;
        let has_changed = !load.is_empty() || !unload.is_empty();
        documents::load(&mut self.session, load)?;
        if is_discovery || !has_changed { Ok(()) } else { self.refresh_kinds() }
    }

    fn review(&mut self, review: PendingReview) -> Result<(), EngineError> {
        let answer = match self.is_ready() {
            true => self.session.call(&review.request),
            false => {
                // The API server may have given up.
                let _ = review.reply.send(Err(ReviewError::NotReady));
                return Ok(());
            }
        };
        let lost = answer.as_ref().err().filter(|it| it.is_lost).cloned();
        let _ = review.reply.send(answer.map(|it| it.answer).map_err(ReviewError::Engine));
        lost.map_or(Ok(()), Err)
    }
}

#[derive(Clone, Debug)]
struct App {
    reviews: mpsc::Sender<PendingReview>,
    limits: Option<AdmitLimits>,
    hub: Cluster,
    metrics: Arc<Metrics>,
}

async fn ready(State(app): State<App>) -> Response {
    match app.metrics.is_ready() {
        true => "ok\n".into_response(),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not everything was read yet\n").into_response(),
    }
}

async fn admit(State(app): State<App>, body: Body) -> Response {
    let refused = |status: StatusCode, message: String| (status, format!("{message}\n")).into_response();
    let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
        return refused(StatusCode::PAYLOAD_TOO_LARGE, format!("a review has at most {BODY_LIMIT} bytes"));
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
    match app.verdict(&request).await {
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
            tracing::error!("a change cannot be judged: {problem}");
            refused(StatusCode::SERVICE_UNAVAILABLE, problem)
        }
    }
}

impl App {
    /// The engine's verdict, after all access reviews that it needs.
    async fn verdict(&self, request: &Value) -> Result<AdmitAnswer, String> {
        let mut reviews: Vec<AuthorizeReview> = Vec::new();
        for _ in 0..MAX_REVIEW_ROUNDS {
            let question = Admit {
                request: request.clone(),
                reviews: Some(reviews.clone()),
                limits: self.limits.clone(),
                ..Admit::default()
            };
            let verdict = self.ask(question).await?;
            let needs = verdict.needs.as_deref().unwrap_or_default();
            if needs.is_empty() {
                return Ok(verdict);
            }
            for need in needs {
                reviews
                    .push(self.access_review(need).await.map_err(|error| format!("an access review failed: {error}"))?);
            }
        }
        Err("the engine asks for one access review after the other".to_owned())
    }

    async fn ask(&self, request: Admit) -> Result<AdmitAnswer, String> {
        let (reply, answer) = oneshot::channel();
        let restarting = || "the engine is being started again".to_owned();
        self.reviews.send(PendingReview { request, reply }).await.map_err(|_| restarting())?;
        answer.await.map_err(|_| restarting())?.map_err(|error| match error {
            ReviewError::NotReady => "not everything was read yet".to_owned(),
            ReviewError::Engine(error) => error.to_string(),
        })
    }

    /// Performs an access review; returns the result as `admit` takes it.
    async fn access_review(&self, need: &Value) -> Result<AuthorizeReview, ApiError> {
        let allowed = self.hub.review(need).await?;
        let attribute = |key| Text::from(need.text_at(&["spec", "resourceAttributes", key]));
        Ok(AuthorizeReview {
            resource: attribute("resource"),
            subresource: attribute("subresource"),
            name: attribute("name"),
            verb: attribute("verb"),
            allowed,
        })
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
