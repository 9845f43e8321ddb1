//! Which clusters a federated object goes to.
//!
//! | clusters | clusterSelector | picks |
//! |---|---|---|
//! | absent or null | absent or null | none |
//! | absent or null | a selector | those it accepts; an empty one accepts all |
//! | a list | whatever | those listed; of an empty list none |
//!
//! Sets and placements of Open Cluster Management can be named too (`clusterSets`, `placementRef`), and add their
//! clusters. A namespaced object goes only where its namespace goes.
//!
//! A list that names a cluster which is not in the fleet is an error: what was meant is unknown, so no copy is deleted
//! because the list lacks a cluster. The listed clusters that are known get the object. KubeFed passes over unknown
//! names.

use super::control_plane::{self as plane, FEDERATED_NAMESPACE, TYPES};
use super::fields::FEDERATED;
use crate::diagnostic::decode::Fields;
use crate::diagnostic::{Code, Diagnostic, Error, Mode, Severity};
use crate::engine::select::Selector;
use crate::object::document::{Document, Identity};
use crate::object::fields::scope_error;
use crate::value::JsonPath;
use crate::value::suggest::Hints;
use crate::value::{Text, Value};
use crate::workspace::cluster_groups::GroupMembers;
use crate::workspace::store::{Scope, View};
use crate::workspace::subject::Dependency;
use crate::workspace::targets::ClusterFilter;

/// How a placement picks, and what it was read from.
#[derive(Debug)]
pub struct Placement {
    pub picks: ClusterFilter,
    pub depends: Vec<Dependency>,
    /// Whether the object's namespace is federated, or need not be.
    pub has_namespace: bool,
}

/// The placement of an object, within that of its namespace.
///
/// # Errors
///
/// A placement that cannot be read, reported at its place. It never means "no clusters".
pub fn placement(
    view: View,
    document: &Document,
    scope: &Scope,
    is_namespaced: bool,
    out: &mut Vec<Diagnostic>,
) -> Result<Placement, Error> {
    let mut placement = placement_of(view, document)?;
    warn(document, out);
    if !is_namespaced || plane::is_limited(view, scope) {
        return Ok(placement);
    }
    let identity = namespace_of(&document.identity);
    placement.depends.push(Dependency::Document(identity.clone()));
    let around = match view.store.document(&identity) {
        Some(namespace) => {
            let mistake = scope_error(&namespace.value, &FEDERATED, &JsonPath::ROOT);
            let around = mistake.map_or_else(|| placement_of(view, namespace), Err).map_err(|error| {
                let message = format!("the placement of `{identity}` cannot be read: {}", error.message);
                Error { message, at: None, ..error }
            })?;
            placement.depends.extend(around.depends);
            ClusterFilter::OfNamespace(Box::new(around.picks))
        }
        None => {
            placement.has_namespace = false;
            let message =
                format!("the namespace `{}` is not federated, so this goes to no cluster", identity.namespace);
            let hint = format!("add a FederatedNamespace `{}` in the namespace of that name", identity.name);
            let finding = Diagnostic::warning(Code::NamespaceNotFederated, message).hint(hint);
            out.push(finding.of(&document.identity).at(JsonPath::ROOT.key("spec").key("placement").pointer()));
            members("a federated namespace", GroupMembers::default())
        }
    };
    placement.picks = ClusterFilter::AllOf(vec![placement.picks, around]);
    Ok(placement)
}

/// The FederatedNamespace that places a namespace.
pub fn namespace_of(federated: &Identity) -> Identity {
    Identity {
        kind: FEDERATED_NAMESPACE.into(),
        group: TYPES.into(),
        namespace: federated.namespace.clone(),
        name: federated.namespace.clone(),
    }
}

const FIELDS: &[&str] = &["clusterSelector", "clusterSets", "clusters", "placementRef"];

/// The placement of an object by itself.
fn placement_of(view: View, document: &Document) -> Result<Placement, Error> {
    let spec = JsonPath::ROOT.key("spec");
    let path = spec.key("placement");
    let mut placement =
        Placement { picks: ClusterFilter::Selector(Selector::Nothing), depends: Vec::new(), has_namespace: true };
    let written = match document.value.at(&["spec", "placement"]) {
        None | Some(Value::Null) => return Ok(placement),
        Some(written) => written,
    };
    let mut fields = Fields::of(written.clone(), &path, FIELDS)?;
    let sets: Option<Vec<Text>> = fields.take("clusterSets")?;
    let mut any = Vec::new();
    let is_given =
        |it: &Value| crate::seeded!(EmptyClusterListIsNone, !it.is_null(), !it.is_empty() || it.as_map().is_some());
    let given = |key: &&str| written.get(key).is_some_and(is_given);
    let picked = ["clusters", "clusterSelector"]
        .into_iter()
        .filter(given)
        .filter_map(|key| Some((key, written.get(key)?.clone())));
    let picked = Value::map(picked);
    if !picked.is_empty() {
        any.push(match Selector::parse(&picked, view.settings.mode, None, &path)? {
            // Found by name: a long list is not walked for every cluster.
            Selector::Listed(names) => {
                let names = names.into_iter().collect();
                members("the list of clusters", GroupMembers { names, ..GroupMembers::default() })
            }
            selector => ClusterFilter::Selector(selector),
        });
    }
    if let Some(sets) = sets {
        let path = path.key("clusterSets");
        if let Some(unknown) = view.cluster_groups().unknown_sets(view, &sets).first() {
            let index = sets.iter().position(|it| it == unknown).unwrap_or_default();
            let message = format!("the cluster set `{unknown}` is not loaded, or cannot be read");
            return Err(Error::new(Code::UnknownDocument, message).at(path.index(index)));
        }
        let of = match sets.as_slice() {
            [set] => format!("the cluster set `{set}`"),
            sets => format!("one of the cluster sets `{}`", sets.join("`, `")),
        };
        any.push(members(of, view.cluster_groups().set_members(view, &sets)));
        placement.depends.extend(view.cluster_groups().set_dependencies());
    }
    if let Some(named) = written.get("placementRef").filter(|it| !it.is_null()) {
        let path = path.key("placementRef");
        Fields::of(named.clone(), &path, &["name", "namespace"])?;
        let name = named.text_at(&["name"]);
        let namespace = Some(named.text_at(&["namespace"])).filter(|it| !it.is_empty());
        let namespace = namespace.unwrap_or(&document.identity.namespace);
        let chosen = view.cluster_groups().placement_members(view, namespace, name).ok_or_else(|| {
            Error::new(
                Code::UnknownDocument,
                format!("the Placement `{namespace}/{name}` is not loaded, is quarantined or cannot be decided"),
            )
            .at(path)
        })?;
        any.push(members(format!("the placement `{namespace}/{name}`"), chosen));
        placement.depends.extend(view.cluster_groups().placement_dependencies(namespace, name));
    }
    placement.picks = match any.len() {
        0 => ClusterFilter::Selector(Selector::Nothing),
        1 => any.pop().unwrap_or(ClusterFilter::Selector(Selector::Nothing)),
        _ => ClusterFilter::AnyOf(any),
    };
    Ok(placement)
}

fn members(of: impl Into<String>, GroupMembers { names, unknown }: GroupMembers) -> ClusterFilter {
    ClusterFilter::Members { of: of.into(), names, unknown }
}

/// The placements that are seldom meant as they are written.
fn warn(document: &Document, out: &mut Vec<Diagnostic>) {
    let spec = JsonPath::ROOT.key("spec");
    let path = spec.key("placement");
    let written = document.value.at(&["spec", "placement"]);
    let given = |key: &str| written.and_then(|it| it.get(key)).filter(|it| !it.is_null());
    let mut report = |finding: Diagnostic, path: &JsonPath, hint: &str| {
        out.push(finding.of(&document.identity).at(path.pointer()).hint(hint));
    };
    match (given("clusters"), given("clusterSelector")) {
        (Some(_), Some(_)) => {
            let message = "the list of clusters wins, so the selector has no effect";
            let finding = Diagnostic::warning(Code::IgnoredSelector, message);
            report(finding, &path.key("clusterSelector"), "remove one of the two");
        }
        (Some(list), None) if list.is_empty() => {
            let finding = Diagnostic::info(Code::PlacesNothing, "the list of clusters is empty, which places nothing");
            report(finding, &path.key("clusters"), "remove the list to place by `clusterSelector`");
        }
        (None, Some(selector)) if says_nothing(selector) => {
            let finding = Diagnostic::info(Code::PlacesEverywhere, "the selector is empty, which picks every cluster");
            report(finding, &path.key("clusterSelector"), "name labels, or use `clusters: []` for none");
        }
        (None, None) if given("clusterSets").is_none() && given("placementRef").is_none() => {
            let message = "without clusters and without a selector, nothing is placed";
            let finding = Diagnostic::warning(Code::PlacesNothing, message);
            report(finding, &path, "use `clusterSelector: {}` for every cluster");
        }
        _ => {}
    }
}

fn says_nothing(selector: &Value) -> bool {
    selector.as_map().is_some_and(|map| map.iter().all(|(_, value)| value.is_empty()))
}

/// In a larger fleet, comparing a name with all others would take too long for a hint.
const COMPARED: usize = 1_000;

/// Every object has a plan of its own, so a plan compares less: the first names of a placement, in a small fleet.
const PLANNED: usize = 100;
const HINTS: usize = 3;

/// Whether a placement lists a cluster that is not in the fleet.
pub fn has_unknown_clusters(view: View, document: &Document, scope: &Scope) -> bool {
    let fleet = view.store.fleet(scope);
    listed(document).iter().any(|(_, name)| fleet.is_none_or(|it| it.get(name).is_none()))
}

/// The clusters that a placement lists and that are not in the fleet, each with its finding; of all documents.
pub fn unknown_clusters(view: View, document: &Document, scope: &Scope, hints: &mut Hints) -> Vec<Diagnostic> {
    unknown_among(view, document, scope, hints, COMPARED)
}

/// The same for the plan of one object.
pub fn unknown_in_plan(view: View, document: &Document, scope: &Scope) -> Vec<Diagnostic> {
    unknown_among(view, document, scope, &mut Hints::first(HINTS), PLANNED)
}

fn unknown_among(view: View, document: &Document, scope: &Scope, hints: &mut Hints, most: usize) -> Vec<Diagnostic> {
    let fleet = view.store.fleet(scope);
    let is_unknown = |(_, name): &(usize, Text)| fleet.is_none_or(|it| it.get(name).is_none());
    let compared = fleet.filter(|it| it.len() <= most);
    let spec = JsonPath::ROOT.key("spec");
    let placement = spec.key("placement");
    let list = placement.key("clusters");
    let finding = |(index, name): (usize, Text)| {
        let at = list.index(index);
        let is_strict = view.settings.mode == Mode::Strict;
        let (severity, keeps) = match is_strict {
            true => (Severity::Error, ", so no copy is deleted elsewhere"),
            false => (Severity::Warning, ""),
        };
        let message = format!("there is no cluster `{name}`{keeps}");
        let finding = Diagnostic::new(severity, Code::UnknownCluster, message);
        let mut finding = finding.of(&document.identity).at(at.key("name").pointer());
        let known = compared.into_iter().flat_map(|it| it.clusters()).map(|it| it.name.as_str());
        finding.hint = hints
            .did_you_mean(&name, known)
            .or_else(|| is_strict.then(|| "register the cluster, or remove it from the list".to_owned()));
        finding
    };
    listed(document).into_iter().filter(is_unknown).map(finding).collect()
}

/// The FederatedNamespace of a namespaced object.
pub fn namespace_document<'s>(view: View<'s>, subject: &Identity) -> Option<&'s Document> {
    view.store.document(&namespace_of(subject))
}

/// The clusters that a placement lists, each with its place.
pub fn listed(document: &Document) -> Vec<(usize, Text)> {
    let clusters = document.value.at(&["spec", "placement", "clusters"]).and_then(Value::as_list);
    let name = |(index, it): (usize, &Value)| Some((index, Text::from(it.get("name")?.as_text()?)));
    clusters.into_iter().flatten().enumerate().filter_map(name).collect()
}
