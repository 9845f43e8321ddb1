//! One change, judged by the engine.

use fleetfold_core::api::admit::{Admit, AdmitAnswer};
use fleetfold_core::api::defaults::Defaults;
use fleetfold_core::object::Redacted;
use fleetfold_core::{Value, Workspace};

use crate::cluster::{self, Host};
use crate::engine::{REVIEW, ask, read_json};
use crate::response::{Refusal, Verdict, report};
use crate::settings::Settings;

/// How often the engine may ask for further access reviews about one change.
const ROUNDS: usize = 4;

/// Decides over a review.
///
/// # Errors
///
/// Nothing can be decided, which is a rejection too.
pub fn judge(payload: &[u8], host: &Host) -> Result<Verdict, Refusal> {
    let unreadable = |problem| Refusal::unreadable(format!("the review cannot be read: {problem}"));
    let payload = read_json(payload, REVIEW).map_err(unreadable)?;
    let request = payload.get("request").ok_or_else(|| Refusal::unreadable("the review has no request"))?;
    let mut workspace = Workspace::default();
    let settings = payload.get("settings").unwrap_or(&Value::Null);
    let settings = Settings::read(settings, &mut workspace).map_err(|problems| {
        Refusal::misconfigured(format!("the settings of the policy are wrong: {}", report(&problems)))
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

/// The engine's verdict, after every access review that it needs.
fn admit(request: &Value, settings: &Settings, workspace: &mut Workspace, host: &Host) -> Result<AdmitAnswer, Refusal> {
    let mut reviews = Vec::new();
    for _ in 0..ROUNDS {
        let request = Admit { request: request.clone(), reviews: Some(reviews.clone()), ..settings.admit.clone() };
        let verdict = ask(workspace, request).map_err(Refusal::unanswered)?.answer;
        let Some(needs) = &verdict.needs else { return Ok(verdict) };
        for need in needs {
            reviews.push(cluster::review(need, host)?);
        }
    }
    Err(Refusal::unanswered("the engine keeps requesting access reviews"))
}

/// The object with what its system would add to it; nothing where that is nothing.
fn defaulted(request: &Value, workspace: &mut Workspace) -> Result<Option<Value>, Refusal> {
    let unknown = |problem| Refusal::unreadable(format!("cannot work out the defaults of the object: {problem}"));
    let answer = ask(workspace, Defaults { request: request.clone() }).map_err(unknown)?.answer;
    Ok(answer.object.0.filter(|_| answer.added.is_some()).map(Redacted::into_value))
}
