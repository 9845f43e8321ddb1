//! `GET /v1/updates`: server-sent events. One at once with the revision that is served, and one for every other after it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use fleetfold_core::Value;
use futures::stream::unfold;

use super::App;

/// How often a line is sent that says nothing: what stands between may end a silent connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub async fn updates(State(app): State<Arc<App>>) -> Response {
    let begin = (app.shown.subscribe(), app.stopped.clone(), true);
    let events = unfold(begin, |(mut shown, mut stopped, is_first)| async move {
        if !is_first {
            tokio::select! {
                changed = shown.changed() => changed.ok()?,
                // An open stream would hold a server that was asked to stop.
                _ = stopped.wait_for(|it| *it) => return None,
            }
        }
        let revision = Value::map([("revision", shown.borrow_and_update().revision.as_str())]);
        let event = Event::default().event("fleet").data(revision.to_canonical());
        Some((Ok::<_, Infallible>(event), (shown, stopped, false)))
    });
    let stream = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    ([(header::CACHE_CONTROL, "no-store")], stream).into_response()
}
