//! `GET /v1/updates`: server-sent events. One at once with the current revision, and one for each new revision.

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

/// How often a comment is sent: proxies may close an idle connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub async fn updates(State(app): State<Arc<App>>) -> Response {
    let begin = (app.published.subscribe(), app.stopped.clone(), true);
    let events = unfold(begin, |(mut published, mut stopped, is_first)| async move {
        if !is_first {
            tokio::select! {
                changed = published.changed() => changed.ok()?,
                // An open stream would keep a stopping server running.
                _ = stopped.wait_for(|it| *it) => return None,
            }
        }
        let revision = Value::map([("revision", published.borrow_and_update().revision.as_str())]);
        let event = Event::default().event("fleet").data(revision.to_canonical());
        Some((Ok::<_, Infallible>(event), (published, stopped, false)))
    });
    let stream = Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    ([(header::CACHE_CONTROL, "no-store")], stream).into_response()
}
