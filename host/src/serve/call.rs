//! `POST /v1/call`: one request of the contract, one answer. All calls share one workspace, one after the other.
//!
//! 1. Over a fleet that is served, what would change the workspace is refused: every page sees the same one.
//! 2. What Secrets hold is never asked for here.
//! 3. After a call that had to be stopped, the workspace is filled anew.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use fleetfold_core::Value;
use fleetfold_core::value::json as reader;

use super::{App, filled, json, refusal};
use crate::engine::{Engine, error_answer};
use crate::session::changes;

/// What an API server of Kubernetes takes in one request, and how long it may take to arrive.
const BODY_LIMIT: usize = 3 << 20;
const PATIENCE: Duration = Duration::from_secs(30);

pub async fn call(State(app): State<Arc<App>>, body: Body) -> Response {
    let request = match tokio::time::timeout(PATIENCE, to_bytes(body, BODY_LIMIT)).await {
        Ok(Ok(request)) => request,
        Ok(Err(_)) => {
            let message = format!("the request is longer than {BODY_LIMIT} bytes, or broke off");
            return refusal(
                StatusCode::PAYLOAD_TOO_LARGE,
                "request-too-large",
                &message,
                "use `fleetfold call` for more",
            );
        }
        Err(_) => {
            let hint = "send it as a whole";
            return refusal(StatusCode::REQUEST_TIMEOUT, "request-too-slow", "the request did not arrive", hint);
        }
    };
    match tokio::task::spawn_blocking(move || app.answer(&request)).await {
        Ok(answer) => json(StatusCode::OK, answer),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

impl App {
    fn answer(&self, request: &Bytes) -> String {
        if let Some(refused) = self.refused(request) {
            return refused;
        }
        // A call that went wrong has thrown its instance away: what it held is whole.
        let mut guest = self.guest.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = Engine::call(&mut *guest, request);
        if guest.is_fresh() {
            let shown = Arc::clone(&self.shown.borrow());
            // It could be filled before. If not now, the next call finds it empty and tries again.
            if let Ok(filled) = filled(&self.module, self.limits, &shown) {
                *guest = filled;
            }
        }
        answer
    }

    /// Why a request is not put to the engine. One that is no JSON the engine refuses itself, as it reads with the same
    /// code.
    fn refused(&self, request: &[u8]) -> Option<String> {
        let request = reader::parse(std::str::from_utf8(request).ok()?).ok()?;
        let op = request.text_at(&["op"]);
        if self.has_fleet && changes(op) {
            let message = format!("`{op}` would change the fleet that is served");
            let hint = "ask with `whatIf`, or use `fleetfold call`, which has a workspace of its own";
            return Some(error_answer("read-only", &message, hint));
        }
        if request.get("reveal").is_some_and(|it| *it != Value::Bool(false)) {
            let hint = "leave `reveal` out; it is for who writes objects, as the runner does";
            return Some(error_answer("reveal-not-allowed", "what Secrets hold is not told here", hint));
        }
        None
    }
}
