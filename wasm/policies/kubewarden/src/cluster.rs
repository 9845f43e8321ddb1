//! Calls to the host: documents of the cluster, and access reviews.

use fleetfold_core::api::kinds::{KindAnswer, Kinds};
use fleetfold_core::api::load::Load;
use fleetfold_core::{Value, Workspace};

use crate::engine::{ANSWER, ask, line, read_json};
use crate::response::Rejection;
use crate::settings::Context;

/// Calls the host in its namespace `kubernetes`: takes an operation and its request, returns the answer or the reason
/// for the failure.
pub type Host<'a> = dyn Fn(&str, &[u8]) -> Result<Vec<u8>, String> + 'a;

/// How often loaded documents may add kinds to read.
const ROUNDS: usize = 4;

/// Loads the documents of the cluster into the workspace. They replace documents of the settings.
///
/// # Errors
///
/// A kind cannot be listed: unknown is not absent.
pub fn load(context: &Context, workspace: &mut Workspace, host: &Host) -> Result<(), Rejection> {
    let mut done: Vec<KindAnswer> = Vec::new();
    for _ in 0..ROUNDS {
        let kinds = ask(workspace, Kinds::default()).map_err(Rejection::unanswered)?.answer.kinds;
        // A host cannot list kinds by the beginning of their name. Other documents define such kinds by name.
        let is_one = |kind: &KindAnswer| !kind.kind.ends_with('*');
        let next: Vec<KindAnswer> =
            kinds.into_iter().filter(|it| is_one(it) && context.has(it) && !done.contains(it)).collect();
        if next.is_empty() {
            return Ok(());
        }
        for kind in next {
            let documents = Some(listed(&kind, host)?);
            ask(workspace, Load { documents, ..Load::default() }).map_err(Rejection::unanswered)?;
            done.push(kind);
        }
    }
    Err(Rejection::unanswered("the documents of the cluster keep adding kinds to list"))
}

/// The documents of a kind, in the best version that the host can list.
fn listed(kind: &KindAnswer, host: &Host) -> Result<Vec<Value>, Rejection> {
    let KindAnswer { group, kind: name, label_selector, .. } = kind;
    let mut refused = None;
    for version in &kind.versions {
        let api_version = if group.is_empty() { version.to_string() } else { format!("{group}/{version}") };
        match list_all(&api_version, name, label_selector.as_deref(), host) {
            Ok(items) => return Ok(items),
            Err(problem) => refused = refused.or(Some((api_version, problem))),
        }
    }
    let (api_version, problem) = refused.unwrap_or_default();
    let hint = "let `context` name the kinds that the cluster serves, or `dialects` the systems that it has, \
                and let the policy have `contextAwareResources`";
    Err(Rejection::unanswered(format!("the host does not list {name} of {api_version}: {problem}; {hint}")))
}

fn list_all(api_version: &str, kind: &str, selector: Option<&str>, host: &Host) -> Result<Vec<Value>, String> {
    let request = Value::map([
        ("api_version", api_version.into()),
        ("kind", kind.into()),
        ("label_selector", selector.map_or(Value::Null, Value::from)),
        ("field_selector", Value::Null),
        ("field_masks", Value::Null),
    ]);
    let answer = called("list_resources_all", &request, host)?;
    let items = answer.get("items").and_then(Value::as_list).ok_or("its list has no `items`")?;
    if !answer.text_at(&["metadata", "continue"]).is_empty() {
        return Err("its list is incomplete".to_owned());
    }
    // The items of a list have no kind of their own.
    let named = |item: &Value| {
        let mut item = item.clone();
        if let Some(fields) = item.as_map_mut() {
            fields.entry_or("apiVersion", || api_version.into());
            fields.entry_or("kind", || kind.into());
        }
        item
    };
    Ok(items.iter().map(named).collect())
}

/// Calls the host.
fn called(operation: &str, request: &Value, host: &Host) -> Result<Value, String> {
    /// The message of a host may have any length.
    const MOST: usize = 1_000;
    let answer = host(operation, request.to_canonical().as_bytes()).map_err(|problem| line(&problem, MOST))?;
    read_json(&answer, ANSWER).map_err(|problem| format!("its answer cannot be read: {problem}"))
}

/// Performs an access review.
///
/// # Errors
///
/// The host does not answer, so nothing is granted.
pub fn is_allowed(need: &Value, host: &Host) -> Result<bool, Rejection> {
    let spec = need.get("spec").cloned().unwrap_or_default();
    let attributes = spec.get("resourceAttributes").cloned().unwrap_or_default();
    let answer = called("can_i", &question(&spec, &attributes), host);
    let allowed = answer
        .and_then(|it| it.get("allowed").and_then(Value::as_bool).ok_or("its answer has no `allowed`".to_owned()));
    allowed.map_err(|problem| {
        let hint = "where the host has no `can_i`, set `permissions: roles` and give roles and bindings in `documents`";
        Rejection::unanswered(format!("an access review failed: {problem}; {hint}"))
    })
}

/// The review in the format of hosts. Their cache is not used, because a permission may just have been withdrawn. Hosts
/// read the name and groups of the user; one that also reads uid and extra fields finds them there.
fn question(spec: &Value, attributes: &Value) -> Value {
    const ATTRIBUTES: [&str; 7] = ["group", "name", "namespace", "resource", "subresource", "verb", "version"];
    let given = |key: &'static str| Some((key, attributes.get(key)?.clone()));
    let mut review: Vec<(&str, Value)> =
        ["user", "groups", "uid", "extra"].into_iter().filter_map(|key| Some((key, spec.get(key)?.clone()))).collect();
    review.push(("resource_attributes", Value::map(ATTRIBUTES.into_iter().filter_map(given))));
    Value::map([("subject_access_review", Value::map(review)), ("disable_cache", true.into())])
}
