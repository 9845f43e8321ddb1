//! `POST /v1/call`: one engine request, one answer. All calls share one workspace, one after the other.
//!
//! 1. Over a served fleet, requests that change the workspace are rejected: every page uses the same one.
//! 2. Requests for unredacted Secret data are rejected.
//! 3. After a call that was stopped, the snapshot is loaded again.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use fleetfold_core::diagnostic::read;
use fleetfold_core::value::json as reader;
use fleetfold_core::value::{MaybeAbsent, Value};
use serde::Deserialize;

use super::{App, error_response, json, load_guest};
use crate::engine::{Engine, error_answer, refusal};
use crate::session::changes;

/// The largest request, as for a Kubernetes API server, and how long it may take to arrive.
const BODY_LIMIT: usize = 3 << 20;
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

pub async fn call(State(app): State<Arc<App>>, body: Body) -> Response {
    let request = match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, BODY_LIMIT)).await {
        Ok(Ok(request)) => request,
        Ok(Err(_)) => {
            let message = format!("the request is longer than {BODY_LIMIT} bytes, or broke off");
            return error_response(
                StatusCode::PAYLOAD_TOO_LARGE,
                "request-too-large",
                &message,
                "use `fleetfold call` for more",
            );
        }
        Err(_) => {
            let hint = "send it as a whole";
            return error_response(StatusCode::REQUEST_TIMEOUT, "request-too-slow", "the request did not arrive", hint);
        }
    };
    match tokio::task::spawn_blocking(move || app.answer(&request)).await {
        Ok(answer) => json(StatusCode::OK, answer),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

impl App {
    fn answer(&self, request: &Bytes) -> String {
        if let Some(rejected) = self.rejection(request) {
            return rejected;
        }
        // A failed call drops its instance, so the guest is consistent even after a panic.
        let mut guest = self.guest.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = Engine::call(&mut *guest, request);
        if guest.is_fresh() {
            let published = Arc::clone(&self.published.borrow());
            // Loading succeeded before. If it fails now, the next call finds an empty workspace and tries again.
            if let Ok(loaded) = load_guest(&self.module, self.limits, &published) {
                *guest = loaded;
            }
        }
        answer
    }

    /// The error for a request that is not passed to the engine. Malformed JSON is left to the engine, which uses the
    /// same parser.
    fn rejection(&self, request: &[u8]) -> Option<String> {
        let request = reader::parse(std::str::from_utf8(request).ok()?).ok()?;
        let Asked { op, reveal } = read::from_value_ignoring_unknown(request).ok()?;
        let op = op.0.as_ref().and_then(Value::as_text).unwrap_or_default();
        if self.has_fleet && changes(op) {
            let message = format!("`{op}` would change the fleet that is served");
            let hint = "ask with `whatIf`, or use `fleetfold call`, which has a workspace of its own";
            return Some(error_answer(&refusal("read-only", &message, hint)));
        }
        if reveal.0.is_some_and(|it| it != Value::Bool(false)) {
            let hint = "leave `reveal` out; it is for who writes objects, as the runner does";
            return Some(error_answer(&refusal("reveal-not-allowed", "what Secrets hold is not told here", hint)));
        }
        None
    }
}

/// What decides whether a request is passed on. The engine checks the types of the fields.
#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    op: MaybeAbsent<Value>,
    #[serde(default)]
    reveal: MaybeAbsent<Value>,
}
