//! ManagedClusters: a label moves a cluster between sets, so that who sets it needs a permission.

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, Location, Severity};
use crate::engine::authorize::rbac::User;
use crate::engine::authorize::{Change, Check, Permission, Question, authorize, is_guarded};
use crate::engine::select::cluster_set::{self, ClusterSet, Stage};
use crate::object::document::Document;
use crate::value::collections::SortedSet;
use crate::value::path::Pointer;
use crate::value::{Map, Text, Value};
use crate::workspace::Workspace;
use crate::workspace::admit::request::AdmissionRequest;
use crate::workspace::admit::words::series;
use crate::workspace::admit::{Permissions, ReviewOptions, Rule, Verdict};
use crate::workspace::settings::Settings;
use crate::workspace::store::cluster_labels;
use crate::workspace::subject::Dialect;

/// How many guarded labels one change may put on and take off: each of them is several questions to the API server.
const MOST: usize = 64;

/// # Errors
///
/// Invalid labels or taints, too many changed labels at once, or a request without a user.
pub fn judge(
    workspace: &mut Workspace,
    request: &AdmissionRequest,
    _: &Rule,
    means: &ReviewOptions,
) -> Result<Verdict, Error> {
    let store = &workspace.store;
    let Settings { stage, mode, .. } = store.settings;
    let (old, new) = (request.old.as_ref().map(|it| &it.value), &request.new.value);
    let mistake = |it: &Document| cluster_labels(&it.value).err().or_else(|| super::super::Ocm.cluster_error(it));
    let mut known = Verdict::default();
    if let Some(error) = mistake(&request.new) {
        // One that was there before does not keep the cluster from being repaired step by step.
        if request.old.as_ref().and_then(mistake).as_ref() != Some(&error) {
            return Err(error);
        }
        known.warn(&error.into_diagnostic(Severity::Error));
    }
    let changed = guarded_changes(old, new, mode);
    if changed > MOST {
        let message = format!("{changed} guarded labels change at once, and more than {MOST} are not checked");
        return Err(Error::new(Code::TooLarge, message)
            .at(["metadata", "labels"])
            .hint("change them in several steps"));
    }
    let sets = store.of_kind(cluster_set::GROUP, cluster_set::KIND, None).map(|it| &it.value);
    let documents: Vec<Value> = sets.chain(means.roles(store)).cloned().collect();
    let nobody = User::default();
    let user = request.requester.as_ref().map_or(&nobody, |it| &it.user);
    let roles = means.permissions == Permissions::Roles;
    let question =
        Question { user, old, new: Some(new), documents: &documents, reviews: means.reviews, roles, stage, mode };
    let mut found = Vec::new();
    let decided = authorize(&question, &mut found).map_err(in_object)?;
    let mut verdict = Verdict { joins: decided.joins, leaves: decided.leaves, ..known };
    if !decided.checks.is_empty() {
        let requester = request.requester.as_ref().map_err(Error::clone)?;
        verdict.needs = decided.needs.iter().map(|it| requester.access_review(it)).collect();
    }
    if verdict.needs.is_empty() {
        let sets = store.cluster_sets(&mut Vec::new());
        for check in &decided.checks {
            match check.granted {
                false => {
                    verdict.deny(&denial(check, user, &moved(check, &decided.checks, &verdict, &sets), &store.settings))
                }
                true => deprecated(check, &store.settings).iter().for_each(|it| verdict.warn(it)),
            }
        }
        // The errors of its sets are not reported to the user who labels a cluster.
        let unguarded = found.iter().filter(|it| it.code == Code::UnguardedLabel);
        unguarded.for_each(|it| verdict.warn(&Diagnostic { at: Location::default(), ..it.clone() }));
        found.iter().filter(|it| it.code == Code::NamespacedGrant).for_each(|it| verdict.warn_of(it));
    }
    Ok(verdict)
}

fn guarded_changes(old: Option<&Value>, new: &Value, mode: Mode) -> usize {
    let none = Map::new();
    let before = old.and_then(labels_of).unwrap_or(&none);
    let after = labels_of(new).unwrap_or(&none);
    let differs = |(key, value): &(&Text, &Value), other: &Map| is_guarded(key, mode) && other.get(key) != Some(*value);
    let removed = before.iter().filter(|it| differs(it, after)).count();
    removed.saturating_add(after.iter().filter(|it| differs(it, before)).count())
}

fn labels_of(cluster: &Value) -> Option<&Map> {
    cluster.at(&["metadata", "labels"]).and_then(Value::as_map)
}

/// An error in the object under review, which is `new` to those who authorize.
fn in_object(error: Error) -> Error {
    let place = error.pointer();
    let is_inside = place.segments().next().is_some_and(|first| first == "new" || first == "old");
    let place = Pointer::of(place.segments().skip(usize::from(is_inside)).cloned());
    Error { at: None, ..error }.at(place)
}

/// Says of a label that only the deprecated permission grants it.
fn deprecated(check: &Check, settings: &Settings) -> Option<Diagnostic> {
    let grant = check.required.last().filter(|it| it.is_join() && !joins_count(settings))?;
    let hint = format!("grant create on {} instead", Permission::label(check.label.clone()));
    Some(Diagnostic::warning(Code::DeprecatedJoin, format!("{grant} is deprecated")).hint(hint))
}

/// Whether `join` is a permission that one should have.
fn joins_count(settings: &Settings) -> bool {
    settings.stage == Stage::Transitional || settings.mode == Mode::Compat
}

/// What a label does: which sets the cluster would join and leave by it, in words.
///
/// Of another value of one key, the old one taken off leaves and the new one put on joins.
fn moved(check: &Check, checks: &[Check], verdict: &Verdict, sets: &[ClusterSet]) -> Vec<String> {
    let key = key_of(check);
    let is_alone = !checks.iter().any(|it| key_of(it) == key && it.change != check.change);
    let by_key = |names: &[Text]| -> Vec<String> {
        let names: SortedSet<&Text> = names.iter().collect();
        let decides = |set: &&ClusterSet| names.contains(set.name()) && set.keys().any(|it| it == key);
        sets.iter().filter(decides).map(|set| set.name().to_string()).collect()
    };
    let moves = [("join", Change::Add, &verdict.joins), ("leave", Change::Remove, &verdict.leaves)];
    let moves = moves.into_iter().filter(|(_, change, _)| is_alone || *change == check.change);
    let words = moves.filter_map(|(verb, _, names)| match by_key(names).as_slice() {
        [] => None,
        [set] => Some(format!("{verb} the cluster set {set}")),
        sets => Some(format!("{verb} the cluster sets {}", series(sets, "and"))),
    });
    words.collect()
}

fn key_of(check: &Check) -> &str {
    check.label.split_once(':').map_or(check.label.as_str(), |(key, _)| key)
}

fn denial(check: &Check, user: &User, moves: &[String], settings: &Settings) -> Diagnostic {
    let does = match check.change {
        Change::Add => "put on",
        Change::Remove => "take off",
    };
    let by = match moves {
        [] => String::new(),
        moves => format!(", by which the cluster would {}", series(moves, "and")),
    };
    let message = format!("{} may not {does} the label {}{by}", user.name, check.label);
    Diagnostic::error(Code::NotGranted, message).hint(grants(check, settings))
}

/// The permissions that would allow it. Deprecated ones are not suggested.
fn grants(check: &Check, settings: &Settings) -> String {
    let request: Vec<_> = check.required.iter().filter(|it| joins_count(settings) || !it.is_join()).collect();
    let of_one_kind = request.chunk_by(|a, b| a.subresource == b.subresource).filter_map(|chunk| {
        let first = chunk.first()?;
        let names: Vec<String> = chunk.iter().map(|it| format!("\"{}\"", it.name)).collect();
        let names = series(&names, "or");
        Some(format!("create on {}/{} with the resourceName {names}", first.resource, first.subresource))
    });
    format!("grant {}", of_one_kind.collect::<Vec<_>>().join(", or "))
}
