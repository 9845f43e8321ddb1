//! `POST /v1/call`: one engine request, one answer. Over a served fleet, several workspaces answer calls at the same
//! time ([`super::pool`]); without one, all calls share a workspace, one after the other.
//!
//! 1. Over a served fleet, requests that change the workspace are rejected: every page uses the same one.
//! 2. Requests for unredacted Secret data are rejected.
//! 3. After a call that was stopped, the snapshot is loaded into another workspace for the next one.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use fleetfold_core::diagnostic::read;
use fleetfold_core::value::json as reader;
use fleetfold_core::value::{MaybeAbsent, Value};
use serde::Deserialize;

use super::{App, error_response, json, load_guest};
use crate::engine::{error_answer, refusal};
use crate::http_server::{BODY_TIMEOUT, BodyError, read_body};
use crate::session::changes;

/// The largest request, as for a Kubernetes API server.
const BODY_LIMIT: usize = 3 << 20;

pub async fn call(State(app): State<Arc<App>>, body: Body) -> Response {
    let request = match read_body(body, BODY_LIMIT, BODY_TIMEOUT).await {
        Ok(request) => request,
        Err(BodyError::TooLarge) => {
            let message = format!("the request is longer than {BODY_LIMIT} bytes, or broke off");
            return error_response(
                StatusCode::PAYLOAD_TOO_LARGE,
                "request-too-large",
                &message,
                "use `fleetfold call` for more",
            );
        }
        Err(BodyError::TooSlow) => {
            let hint = "send the body without pauses";
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
        let head = request_head(request);
        if let Some(rejected) = self.rejection(head.as_ref()) {
            return rejected;
        }
        let load = || load_guest(&self.module, self.limits, &Arc::clone(&self.published.borrow()));
        let op = head.as_ref().map(RequestHead::op).unwrap_or_default();
        self.pool.call(op, request, load).unwrap_or_else(|problem| {
            let hint = "raise `--timeout` and `--memory`";
            error_answer(&refusal("fleet-not-loaded", &format!("the fleet cannot be loaded: {problem}"), hint))
        })
    }

    /// The error for a request that is not passed to the engine. Malformed JSON is left to the engine, which uses the
    /// same parser.
    fn rejection(&self, head: Option<&RequestHead>) -> Option<String> {
        let (op, reveal) = (head?.op(), &head?.reveal);
        if self.has_fleet && changes(op) {
            let message = format!("`{op}` would change the fleet that is served");
            let hint = "preview the change with `whatIf`, or use `fleetfold call`, which has its own workspace";
            return Some(error_answer(&refusal("read-only", &message, hint)));
        }
        if reveal.0.as_ref().is_some_and(|it| *it != Value::Bool(false)) {
            let hint = "leave out `reveal`: it is for clients that write objects";
            return Some(error_answer(&refusal(
                "reveal-not-allowed",
                "this server does not reveal the contents of Secrets",
                hint,
            )));
        }
        None
    }
}

/// What decides whether a request is passed on. The engine checks the types of the fields.
#[derive(Deserialize)]
struct RequestHead {
    #[serde(default)]
    op: MaybeAbsent<Value>,
    #[serde(default)]
    reveal: MaybeAbsent<Value>,
}

impl RequestHead {
    fn op(&self) -> &str {
        self.op.0.as_ref().and_then(Value::as_text).unwrap_or_default()
    }
}

/// The fields of a request; nothing if it is malformed.
fn request_head(request: &[u8]) -> Option<RequestHead> {
    let request = reader::parse(std::str::from_utf8(request).ok()?).ok()?;
    read::from_value_ignoring_unknown(request).ok()
}
