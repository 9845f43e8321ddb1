//! The verdict of the engine on one change.

use fleetfold_core::api::admit::{Admit, AdmitAnswer, ReviewRounds};
use fleetfold_core::api::defaults::Defaults;
use fleetfold_core::object::Redacted;
use fleetfold_core::{Value, Workspace};

use crate::cluster::{self, Host};
use crate::engine::{REVIEW, ask, read_json};
use crate::response::{Rejection, Verdict, report};
use crate::settings::Settings;

/// Decides on a review.
///
/// # Errors
///
/// There is no verdict, so the change is rejected.
pub fn judge(payload: &[u8], host: &Host) -> Result<Verdict, Rejection> {
    let unreadable = |problem| Rejection::unreadable(format!("the review cannot be read: {problem}"));
    let payload = read_json(payload, REVIEW).map_err(unreadable)?;
    let request = payload.get("request").ok_or_else(|| Rejection::unreadable("the review has no request"))?;
    let mut workspace = Workspace::default();
    let settings = payload.get("settings").unwrap_or(&Value::Null);
    let settings = Settings::read(settings, &mut workspace).map_err(|problems| {
        Rejection::misconfigured(format!("the settings of the policy are wrong: {}", report(&problems)))
    })?;
    cluster::load(&settings.context, &mut workspace, host)?;
    let mutated = if settings.defaults { defaulted(request, &mut workspace)? } else { None };
    let mut request = request.clone();
    if let (Some(mutated), Some(fields)) = (&mutated, request.as_map_mut()) {
        fields.insert("object", mutated.clone());
    }
    let answer = admit(&request, &settings, &mut workspace, host)?;
    Ok(Verdict { answer, mutated })
}

/// The engine's verdict, after all access reviews that it needs.
fn admit(
    request: &Value,
    settings: &Settings,
    workspace: &mut Workspace,
    host: &Host,
) -> Result<AdmitAnswer, Rejection> {
    let mut rounds = ReviewRounds::new(Admit { request: request.clone(), ..settings.admit.clone() });
    while let Some(request) = rounds.next_request() {
        let verdict = ask(workspace, request).map_err(Rejection::unanswered)?.answer;
        let Some(needs) = &verdict.needs else { return Ok(verdict) };
        for need in needs {
            rounds.answer(need, cluster::is_allowed(need, host)?);
        }
    }
    Err(Rejection::unanswered(ReviewRounds::EXHAUSTED))
}

/// The object with the defaults of its upstream; none if nothing is added.
fn defaulted(request: &Value, workspace: &mut Workspace) -> Result<Option<Value>, Rejection> {
    let unknown = |problem| Rejection::unreadable(format!("cannot work out the defaults of the object: {problem}"));
    let answer = ask(workspace, Defaults { request: request.clone() }).map_err(unknown)?.answer;
    Ok(answer.object.0.filter(|_| answer.added.is_some()).map(Redacted::into_value))
}
