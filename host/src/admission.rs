//! Admission: what an API server asks before a change is made, put to the engine, with the access reviews that it needs.
//!
//! One loop owns the engine and the documents of the hub, as the runner's does. A review that comes before all documents
//! were read is not answered, so that the server does what its failure policy says.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use fleetfold_core::Value;
use tokio::sync::{mpsc, oneshot, watch};

use crate::answer::{list, text, texts};
use crate::cluster::{Cluster, Fault};
use crate::reconcile::documents::{self, Changes, Documents};
use crate::reconcile::inbox::{Message, Outbox};
use crate::reconcile::metrics::Metrics;
use crate::session::{Answer, Refusal, Session};

/// What an API server sends at most.
const BODY_LIMIT: usize = 6 << 20;

/// How often the engine may ask for further access reviews about one change.
const ROUNDS: usize = 4;

/// How often the hub is asked for kinds that it did not have.
const SURVEY: Duration = Duration::from_secs(5);

/// A question to the engine, and where its answer goes.
struct Question {
    request: Value,
    reply: oneshot::Sender<Result<Answer, Unanswered>>,
}

/// Why a change is not judged.
#[derive(Debug)]
enum Unanswered {
    /// Not all documents were read yet.
    NotReady,
    Refused(Refusal),
}

/// The loop around the engine.
#[derive(Debug)]
pub struct Admission {
    session: Session,
    settings: Value,
    /// What one change may do, as the engine takes it.
    limits: Option<Value>,
    wanted: Vec<String>,
    documents: Documents,
    inbox: mpsc::UnboundedReceiver<Message>,
    questions: mpsc::Receiver<Question>,
    asks: mpsc::Sender<Question>,
    metrics: Arc<Metrics>,
    surveyed_at: Instant,
}

impl Admission {
    pub fn new(session: Session, hub: &Cluster, settings: Value, metrics: &Arc<Metrics>) -> Admission {
        let (outbox, inbox) = Outbox::new();
        let (asks, questions) = mpsc::channel(64);
        let documents = Documents::new(hub, &outbox);
        let (metrics, surveyed_at) = (Arc::clone(metrics), Instant::now());
        let (limits, wanted) = (None, Vec::new());
        Admission { session, settings, limits, wanted, documents, inbox, questions, asks, metrics, surveyed_at }
    }

    /// The same with limits on what one change may do.
    #[must_use]
    pub fn limited(self, limits: Option<Value>) -> Admission {
        Admission { limits, ..self }
    }

    /// The port's side of it: `POST /admit`, and `/healthz` and `/readyz`.
    pub fn routes(&self, hub: &Cluster) -> Router {
        let (asks, limits) = (self.asks.clone(), self.limits.clone());
        let app = App { asks, limits, hub: hub.clone(), metrics: Arc::clone(&self.metrics) };
        Router::new()
            .route("/admit", post(admit))
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/readyz", get(ready))
            .with_state(app)
    }

    /// Runs until it is asked to stop, or the engine loses its workspace.
    ///
    /// # Errors
    ///
    /// The workspace was lost: everything must be loaded again.
    pub async fn run(&mut self, mut stop: watch::Receiver<bool>) -> Result<(), Refusal> {
        let settings = self.session.ask("configure", self.settings.clone())?;
        self.wanted = texts(&settings.ok, "dialects").into_iter().map(str::to_owned).collect();
        self.ask_kinds()?;
        self.survey();
        loop {
            let next = tokio::time::Instant::from_std(self.surveyed_at + SURVEY);
            tokio::select! {
                biased;
                _ = stop.wait_for(|it| *it) => return Ok(()),
                Some(message) = self.inbox.recv() => self.take(message)?,
                Some(question) = self.questions.recv() => self.judge(question)?,
                () = tokio::time::sleep_until(next) => self.survey(),
            }
            self.metrics.ready(self.is_ready());
        }
    }

    /// Begins again with nothing, after the engine lost its workspace.
    pub fn begin_again(&mut self, hub: &Cluster) {
        let (outbox, inbox) = Outbox::new();
        (self.documents, self.inbox) = (Documents::new(hub, &outbox), inbox);
        self.metrics.ready(false);
    }

    fn is_ready(&self) -> bool {
        self.documents.readable(&self.wanted).len() == self.wanted.len()
    }

    fn survey(&mut self) {
        self.surveyed_at = Instant::now();
        self.documents.survey();
    }

    fn ask_kinds(&mut self) -> Result<(), Refusal> {
        let kinds = self.session.ask("kinds", Value::map([] as [(&str, Value); 0]))?;
        if self.documents.want(&kinds.ok) {
            self.survey();
        }
        Ok(())
    }

    fn take(&mut self, message: Message) -> Result<(), Refusal> {
        match message {
            Message::Surveyed(found) => {
                let gone = self.documents.surveyed(found).unload;
                documents::unload(&mut self.session, &gone)?;
            }
            Message::Document(kind, sighting) => {
                let Changes { load, unload } = self.documents.take(&kind, sighting);
                documents::unload(&mut self.session, &unload)?;
                documents::load(&mut self.session, &load)?;
                if !load.is_empty() || !unload.is_empty() {
                    self.ask_kinds()?;
                }
                for (what, fault) in self.documents.faults() {
                    tracing::warn!(code = fault.code(), hint = fault.hint(), "{what} cannot be read: {fault}");
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn judge(&mut self, question: Question) -> Result<(), Refusal> {
        let answer = match self.is_ready() {
            true => self.session.ask("admit", question.request),
            false => {
                // Whoever asked may have given up.
                let _ = question.reply.send(Err(Unanswered::NotReady));
                return Ok(());
            }
        };
        let lost = answer.as_ref().err().filter(|it| it.is_lost).cloned();
        let _ = question.reply.send(answer.map_err(Unanswered::Refused));
        lost.map_or(Ok(()), Err)
    }
}

#[derive(Clone, Debug)]
struct App {
    asks: mpsc::Sender<Question>,
    limits: Option<Value>,
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
    let review = match std::str::from_utf8(&body).map_err(|error| error.to_string()).and_then(crate::answer::read) {
        Ok(review) => review,
        Err(problem) => return refused(StatusCode::BAD_REQUEST, format!("the review cannot be read: {problem}")),
    };
    let Some(request) = review.get("request") else {
        return refused(StatusCode::BAD_REQUEST, "the review has no request".to_owned());
    };
    match app.judge(request).await {
        Ok(verdict) => {
            app.metrics.reviewed(verdict.get("allowed").and_then(Value::as_bool).unwrap_or(false));
            let answer = respond(request, &verdict).to_canonical();
            ([(header::CONTENT_TYPE, "application/json")], answer).into_response()
        }
        Err(problem) => {
            tracing::error!("a change cannot be judged: {problem}");
            refused(StatusCode::SERVICE_UNAVAILABLE, problem)
        }
    }
}

impl App {
    /// The engine's verdict, after every access review that it needs.
    async fn judge(&self, request: &Value) -> Result<Value, String> {
        let mut reviews: Vec<Value> = Vec::new();
        for _ in 0..ROUNDS {
            let fields = [("request", request.clone()), ("reviews", Value::list(reviews.clone()))];
            let limits = self.limits.clone().map(|it| ("limits", it));
            let verdict = self.ask(Value::map(fields.into_iter().chain(limits))).await?;
            let needs = list(&verdict, "needs");
            if needs.is_empty() {
                self.log(request, &verdict);
                return Ok(verdict);
            }
            for need in needs {
                reviews.push(self.review(need).await.map_err(|fault| format!("an access review failed: {fault}"))?);
            }
        }
        Err("the engine asks for one access review after the other".to_owned())
    }

    async fn ask(&self, request: Value) -> Result<Value, String> {
        let (reply, waits) = oneshot::channel();
        let gone = || "the engine is being started again".to_owned();
        self.asks.send(Question { request, reply }).await.map_err(|_| gone())?;
        match waits.await.map_err(|_| gone())? {
            Ok(answer) => Ok(answer.ok),
            Err(Unanswered::NotReady) => Err("not everything was read yet".to_owned()),
            Err(Unanswered::Refused(refusal)) => Err(refusal.to_string()),
        }
    }

    /// Asks the API server, and puts its answer as the engine takes it.
    async fn review(&self, need: &Value) -> Result<Value, Fault> {
        let allowed = self.hub.review(need).await?;
        let attributes = need.at(&["spec", "resourceAttributes"]).cloned().unwrap_or_default();
        let part = |key| (key, Value::text(text(&attributes, key)));
        Ok(Value::map([part("resource"), part("subresource"), part("name"), part("verb"), ("allowed", allowed.into())]))
    }

    fn log(&self, request: &Value, verdict: &Value) {
        let (user, name) = (request.text_at(&["userInfo", "username"]), text(request, "name"));
        let (kind, code) = (request.text_at(&["kind", "kind"]), text(verdict, "code"));
        match verdict.get("allowed").and_then(Value::as_bool) {
            Some(true) => tracing::debug!(user, kind, name, "allowed"),
            _ => tracing::info!(user, kind, name, code, "denied: {}", text(verdict, "message")),
        }
    }
}

/// The verdict as an API server takes it.
fn respond(request: &Value, verdict: &Value) -> Value {
    let allowed = verdict.get("allowed").and_then(Value::as_bool).unwrap_or(false);
    let mut response = vec![("uid", Value::text(text(request, "uid"))), ("allowed", allowed.into())];
    if !allowed {
        let status = [
            ("code", Value::from(403_i64)),
            ("reason", "Forbidden".into()),
            ("message", text(verdict, "message").into()),
        ];
        response.push(("status", Value::map(status)));
    }
    let warnings = list(verdict, "warnings");
    if !warnings.is_empty() {
        response.push(("warnings", Value::list(warnings.to_vec())));
    }
    Value::map([
        ("apiVersion", Value::text("admission.k8s.io/v1")),
        ("kind", "AdmissionReview".into()),
        ("response", Value::map(response)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_says_why() {
        let request = Value::map([("uid", "u1")]);
        let verdict = Value::map([("allowed", Value::from(false)), ("message", "no".into())]);
        let want = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":false,"status":{"code":403,"message":"no","reason":"Forbidden"},"uid":"u1"}}"#;
        assert_eq!(respond(&request, &verdict).to_canonical(), want);
    }
}
