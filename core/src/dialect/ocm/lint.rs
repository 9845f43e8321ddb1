//! Findings about sets, clusters and placements that OCM does not report.

use super::set::{self, DEFAULT, Named};
use super::{BINDING, PLACEMENT, SCORE, hub::Hub};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::authorize::{guarded, is_guarded};
use crate::engine::placement::Why;
use crate::engine::select::cluster_set::{self, CLUSTERSET, ClusterSet, GROUP};
use crate::object::document::Document;
use crate::object::kinds::clusters::MANAGED_CLUSTER;
use crate::object::timestamp::Timestamp;
use crate::value::JsonPath;
use crate::value::Value;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::workspace::store::View;

/// The annotation that stops the hub from maintaining a set.
const AUTOUPDATE: &str = "cluster.open-cluster-management.io/autoupdate";

pub fn lint(view: View, out: &mut Vec<Diagnostic>) {
    for kind in [cluster_set::KIND, BINDING, PLACEMENT, MANAGED_CLUSTER, SCORE] {
        view.store.of_kind(GROUP, kind, None).for_each(|it| lint_document(view, it, out));
    }
    lint_clusters(view, out);
}

pub fn lint_document(view: View, document: &Document, out: &mut Vec<Diagnostic>) {
    if view.settings.quarantine.names(&document.identity) {
        return;
    }
    match document.identity.kind.as_str() {
        cluster_set::KIND => {
            lint_version(document, out);
            lint_set(view, document, out);
        }
        BINDING => lint_version(document, out),
        PLACEMENT => {
            lint_predicates(document, out);
            lint_steadiness(document, out);
            lint_groups(view, document, out);
            lint_bindings(view, document, out);
            let effect = "the placement counts as older than all others";
            lint_time(document, Pointer::of(["metadata", "creationTimestamp"]), effect, out);
        }
        MANAGED_CLUSTER => {
            for index in 0..list(document, &["spec", "taints"]).len() {
                let place = Pointer::of(["spec", "taints", &index.to_string(), "timeAdded"]);
                lint_time(document, place, "the time of a toleration does not begin", out);
            }
        }
        SCORE => lint_time(document, Pointer::of(["status", "validUntil"]), "the scores stay valid", out),
        _ => {}
    }
}

/// A time that decides something, and cannot be read.
fn lint_time(document: &Document, place: Pointer, effect: &str, out: &mut Vec<Diagnostic>) {
    let Some(given) = place.get(&document.value).filter(|it| !it.is_null()) else { return };
    let problem = match given.as_text().map(Timestamp::parse) {
        Some(Ok(_)) => return,
        Some(Err(problem)) => problem,
        None => "it is not a string",
    };
    let shown = given.as_text().map_or_else(|| given.to_canonical(), str::to_string);
    let finding = Diagnostic::warning(Code::BadTime, format!("`{shown}` is not a time: {problem}; {effect}"));
    let hint = "write it as `2026-01-31T10:30:00Z`, or leave it out: the hub sets it";
    out.push(finding.of(&document.identity).at(place).hint(hint));
}

/// A placement chooses among the clusters of sets that are bound in its namespace.
fn lint_bindings(view: View, document: &Document, out: &mut Vec<Diagnostic>) {
    let namespace = &document.identity.namespace;
    if view.store.of_kind(GROUP, BINDING, Some(namespace)).next().is_none() {
        let message =
            format!("no cluster set is bound in the namespace `{namespace}`, so the placement selects nothing");
        let hint = format!("create a {BINDING} in `{namespace}`");
        out.push(
            found(Diagnostic::warning(Code::SetNotBound, message), document, &["metadata", "namespace"]).hint(hint),
        );
    }
}

/// The version that the seed and older repositories write.
fn lint_version(document: &Document, out: &mut Vec<Diagnostic>) {
    if document.value.text_at(&["apiVersion"]).ends_with("/v1beta1") {
        let message = format!("hubs no longer serve v1beta1 of a {}", document.identity.kind);
        let hint = format!("write `{GROUP}/v1beta2`");
        out.push(found(Diagnostic::info(Code::UnservedVersion, message), document, &["apiVersion"]).hint(hint));
    }
}

fn lint_set(view: View, document: &Document, out: &mut Vec<Diagnostic>) {
    const SELECTOR: [&str; 2] = ["spec", "clusterSelector"];
    let (mode, value) = (view.settings.mode, &document.value);
    let Ok(set) = ClusterSet::parse(value, view.settings.stage, mode, &JsonPath::ROOT) else { return };
    let kind = value.text_at(&["spec", "clusterSelector", "selectorType"]);
    let given = |field: &str| value.at(&["spec", "clusterSelector", field]).is_some_and(|it| !it.is_null());
    let by_selector = kind == "LabelSelector";
    if by_selector && !given("labelSelector") {
        let message = "a cluster set without a `labelSelector` picks no cluster";
        let hint = "write `labelSelector: {}` to pick all of them";
        out.push(found(Diagnostic::warning(Code::SetPicksNone, message), document, &SELECTOR).hint(hint));
    }
    for (field, read) in [("labelSelector", by_selector), ("exclusiveLabel", kind == "ExclusiveLabel")] {
        if given(field) && !read {
            let kind = if kind.is_empty() { "ExclusiveClusterSetLabel" } else { kind };
            let message = format!("a cluster set of the type `{kind}` has no use for `{field}`");
            let finding = Diagnostic::warning(Code::IgnoredField, message).of(&document.identity);
            out.push(finding.at(Pointer::of(SELECTOR).child(field)));
        }
    }
    let mut free: Vec<String> = set.keys().filter(|key| !is_guarded(key, mode)).map(|key| format!("`{key}`")).collect();
    free.dedup();
    if !free.is_empty() {
        let message = format!(
            "anyone who can edit a cluster can move it in or out of this cluster set: no label permission protects {}",
            free.join(", ")
        );
        let finding = Diagnostic::warning(Code::UnguardedLabel, message).hint(guarded(mode));
        out.push(found(finding, document, &SELECTOR));
    }
    let kept = value.text_at(&["metadata", "annotations", AUTOUPDATE]) != "false";
    if kept && set::well_known(view, set.name()).is_some_and(|it| it != set) {
        let message =
            format!("the hub keeps the cluster set `{}` as it created it, and reverts this selector", set.name());
        let hint = format!("annotate the cluster set with `{AUTOUPDATE}: \"false\"`");
        out.push(found(Diagnostic::warning(Code::WellKnownSet, message), document, &SELECTOR).hint(hint));
    }
}

/// Labels of clusters that lead nowhere: one finding a label, however many clusters carry it.
fn lint_clusters(view: View, out: &mut Vec<Diagnostic>) {
    let sets = set::all(view);
    let labels = sets.iter().filter_map(ClusterSet::exclusive_label).filter(|(key, _)| *key == CLUSTERSET);
    let selected: Vec<&str> = labels.map(|(_, value)| value.as_str()).collect();
    let mut lost: SortedMap<&str, Vec<&Document>> = SortedMap::new();
    let mut unlabelled = 0_usize;
    for document in view.store.of_kind(GROUP, MANAGED_CLUSTER, None) {
        match document.value.text_at(&["metadata", "labels", CLUSTERSET]) {
            "" => unlabelled = unlabelled.saturating_add(1),
            name if selected.contains(&name) => {}
            name => lost.entry(name).or_default().push(document),
        }
    }
    for (name, documents) in lost {
        let [first, rest @ ..] = documents.as_slice() else { continue };
        let others = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
        let why = match set::named(view, name) {
            // Errors of the set are reported there.
            Named::Broken(_) => continue,
            Named::Set(_) => format!("the cluster set `{name}` selects another label"),
            Named::Missing => format!("there is no cluster set `{name}`"),
        };
        let message = format!("the label puts `{}`{others} into no cluster set: {why}", first.identity.name);
        let place = ["metadata", "labels", CLUSTERSET];
        out.push(found(Diagnostic::warning(Code::UnknownSet, message), first, &place));
    }
    // Only who uses the set `default` cares what the hub puts there.
    let binds = |it: &&Document| it.value.text_at(&["spec", "clusterSet"]) == DEFAULT;
    let user = view.store.of_kind(GROUP, BINDING, None).find(binds);
    let user = user.or_else(|| view.document(&set::identity(DEFAULT)));
    if let Some(user) = user.filter(|_| unlabelled > 0) {
        let message = match unlabelled {
            1 => "1 cluster has no clusterset label: the hub puts it into `default`, and here it is in no such set"
                .into(),
            count => format!(
                "{count} clusters have no clusterset label: the hub puts them into `default`, and here they are in no \
                 such set"
            ),
        };
        let finding =
            Diagnostic::info(Code::WellKnownSet, message).hint("write the label into the documents of the clusters");
        out.push(finding.of(&user.identity));
    }
}

/// An empty predicate holds for every cluster, regardless of the others.
fn lint_predicates(document: &Document, out: &mut Vec<Diagnostic>) {
    for (index, predicate) in list(document, &["spec", "predicates"]).iter().enumerate() {
        let selector = predicate.get("requiredClusterSelector").unwrap_or(&Value::Null);
        let says = |path: &[&str]| selector.at(path).is_some_and(|it| !it.is_empty());
        let conditions = [
            &["labelSelector", "matchLabels"][..],
            &["labelSelector", "matchExpressions"],
            &["claimSelector", "matchExpressions"],
            &["celSelector", "celExpressions"],
        ];
        if !conditions.iter().any(|it| says(it)) {
            let place = Pointer::of(["spec".into(), "predicates".into(), index.to_string()]);
            let message = "the predicate has no conditions, so that every cluster of the cluster sets is meant";
            let hint = "leave `predicates` out to mean all clusters";
            let finding = Diagnostic::warning(Code::PredicatePicksAll, message).of(&document.identity);
            out.push(finding.at(place).hint(hint));
        }
    }
}

fn lint_steadiness(document: &Document, out: &mut Vec<Diagnostic>) {
    for (index, it) in list(document, &["spec", "prioritizerPolicy", "configurations"]).iter().enumerate() {
        let is_steady = it.text_at(&["scoreCoordinate", "builtIn"]) == "Steady";
        if is_steady && it.get("weight").and_then(Value::as_int).is_some_and(|weight| weight < 0) {
            let path = ["spec", "prioritizerPolicy", "configurations", &index.to_string(), "weight"].map(String::from);
            let message = "clusters that were chosen before come last, so that the decisions change every time";
            out.push(
                Diagnostic::warning(Code::UnsteadyPlacement, message).of(&document.identity).at(Pointer::of(path)),
            );
        }
    }
}

/// A declared group without clusters is not created: a rollout that names it waits forever.
fn lint_groups(view: View, document: &Document, out: &mut Vec<Diagnostic>) {
    let path = ["spec", "decisionStrategy", "groupStrategy", "decisionGroups"];
    let declared = list(document, &path);
    if declared.is_empty() {
        return;
    }
    let placed = Hub::of(view).decide(&document.value, Why::Nobody, &mut Vec::new());
    for (index, group) in declared.iter().enumerate() {
        let name = group.text_at(&["groupName"]);
        if !name.is_empty() && !placed.groups.iter().any(|it| it.name == name) {
            let message =
                format!("decision group `{name}` matches none of the selected clusters and will not be created");
            let place = Pointer::of(path).child(index.to_string());
            out.push(Diagnostic::info(Code::EmptyDecisionGroup, message).of(&document.identity).at(place));
        }
    }
}

fn list<'d>(document: &'d Document, path: &[&str]) -> &'d [Value] {
    document.value.at(path).and_then(Value::as_list).map_or(&[][..], Vec::as_slice)
}

fn found(finding: Diagnostic, document: &Document, path: &[&str]) -> Diagnostic {
    finding.of(&document.identity).at(Pointer::of(path.iter().copied()))
}
