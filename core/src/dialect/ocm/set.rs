//! ManagedClusterSets: their members and their status.

use std::sync::Arc;

use super::{BINDING, fleet_scope};
use crate::diagnostic::{Code, Error};
use crate::engine::placement::{Condition, transition};
use crate::engine::rendered::Rendered;
use crate::engine::select::Cluster;
use crate::engine::select::cluster_set::{CLUSTERSET, ClusterSet, GROUP, KIND};
use crate::object::document::{Document, Identity};
use crate::value::JsonPath;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::sorting::sort_by;
use crate::value::{Text, Value};
use crate::workspace::plan::Planner;
use crate::workspace::results::ClusterResults;
use crate::workspace::store::View;
use crate::workspace::subject::{Dependency, Invalidation, ResultCache, Subject};
use crate::workspace::targets::{ClusterFilter, Targets};

/// The set that the hub puts clusters into that are in no other.
pub const DEFAULT: &str = "default";

/// The set of all clusters.
const GLOBAL: &str = "global";

/// Every set that can be read, those that the hub keeps included, by name.
pub fn all(view: View) -> Vec<ClusterSet> {
    let mut sets = view.cluster_sets(&mut Vec::new());
    for name in [DEFAULT, GLOBAL].into_iter().filter(|name| view.document(&identity(name)).is_none()) {
        sets.extend(well_known(view, name));
    }
    sort_by(&mut sets, |a, b| a.name().cmp(b.name()));
    sets
}

/// What the name of a set refers to.
#[derive(Debug)]
pub enum Named {
    Set(ClusterSet),
    /// It exists, and its members are unknown.
    Broken(Error),
    Missing,
}

pub fn named(view: View, name: &str) -> Named {
    match view.document(&identity(name)) {
        Some(document) => parse(view, document).map_or_else(Named::Broken, Named::Set),
        None => well_known(view, name).map_or(Named::Missing, Named::Set),
    }
}

/// The set that the hub creates and maintains under this name, so that it need not be loaded: `default` by the
/// clusterset label, `global` with every cluster.
pub fn well_known(view: View, name: &str) -> Option<ClusterSet> {
    let everything = Value::map([("selectorType", Value::text("LabelSelector")), ("labelSelector", Value::map(NONE))]);
    let selector = match name {
        DEFAULT => Value::map(NONE),
        GLOBAL => everything,
        _ => return None,
    };
    let document = Value::map([
        ("kind", Value::text(KIND)),
        ("metadata", Value::map([("name", name)])),
        ("spec", Value::map([("clusterSelector", selector)])),
    ]);
    ClusterSet::parse(&document, view.settings.stage, view.settings.mode, &JsonPath::ROOT).ok()
}

const NONE: [(&str, &str); 0] = [];

pub fn identity(name: &str) -> Identity {
    Identity { kind: KIND.into(), group: GROUP.into(), namespace: Text::default(), name: name.into() }
}

/// Reads one set. Another one with the same exclusive label breaks it, however many sets there are.
fn parse(view: View, document: &Document) -> Result<ClusterSet, Error> {
    let set = ClusterSet::parse(&document.value, view.settings.stage, view.settings.mode, &JsonPath::ROOT)?;
    match overlapping(view, &document.value, &document.identity).first() {
        Some(other) => {
            let (key, value) = label_of(&document.value).unwrap_or_default();
            let message = format!(
                "the cluster set `{}` shares the exclusive label `{key}:{value}` with `{other}`, and nothing joins it",
                set.name()
            );
            let error = Error::new(Code::SharedExclusiveLabel, message).hint("give each its own value");
            Err(error.at(JsonPath::ROOT.key("spec").key("clusterSelector")))
        }
        None => Ok(set),
    }
}

/// The sets that can be read, by their exclusive label.
type Sharing = SortedMap<(Text, Text), Vec<Identity>>;

fn sharing(view: View) -> Arc<Sharing> {
    view.store.derived("ocm exclusive labels", || {
        let readable = |it: &Document| {
            ClusterSet::parse(&it.value, view.settings.stage, view.settings.mode, &JsonPath::ROOT).is_ok()
        };
        let mut sharing = Sharing::new();
        for document in view.store.of_kind(GROUP, KIND, None).filter(|it| readable(it)) {
            if let Some((key, value)) = label_of(&document.value) {
                sharing.entry((key.into(), value.into())).or_default().push(document.identity.clone());
            }
        }
        sharing
    })
}

/// The other sets that can be read and have the same exclusive label as a set, the first two of them.
fn overlapping(view: View, set: &Value, identity: &Identity) -> Vec<Identity> {
    let Some((key, value)) = label_of(set) else { return Vec::new() };
    let sharing = sharing(view);
    let others = sharing.get(&(Text::from(key), Text::from(value))).into_iter().flatten().filter(|it| *it != identity);
    others.take(2).cloned().collect()
}

/// The exclusive label of a set as written, even if the rest of the set cannot be read.
fn label_of(set: &Value) -> Option<(&str, &str)> {
    let name = set.text_at(&["metadata", "name"]);
    let selector = |path: [&'static str; 2]| match set.at(&["spec", "clusterSelector"]).map(|it| it.text_at(&path)) {
        None | Some("") => None,
        given => given,
    };
    match set.text_at(&["spec", "clusterSelector", "selectorType"]) {
        "LabelSelector" => None,
        "ExclusiveLabel" => {
            let (key, value) = (selector(["exclusiveLabel", "key"]), selector(["exclusiveLabel", "value"]));
            Some((key.unwrap_or(CLUSTERSET), value.unwrap_or(name)))
        }
        _ => Some((CLUSTERSET, name)),
    }
}

/// The sets that changed ones break, and their bindings. Those that they no longer break are read again anyway.
pub fn affected_subjects(view: View, changed: &SortedSet<Identity>) -> Vec<Identity> {
    let sets = changed.iter().filter(|it| it.kind == KIND && it.group == GROUP).filter_map(|it| view.document(it));
    let labels: SortedSet<(&str, &str)> = sets.filter_map(|it| label_of(&it.value)).collect();
    if labels.is_empty() {
        return Vec::new();
    }
    let sharing = sharing(view);
    let shared = labels.into_iter().filter_map(|(key, value)| sharing.get(&(Text::from(key), Text::from(value))));
    // A set that changed and shares its label with no other is read again anyway.
    let is_shared = |it: &&Vec<Identity>| it.len() > 1 || it.iter().any(|it| !changed.contains(it));
    let broken: SortedSet<&Identity> = shared.filter(is_shared).flatten().collect();
    if broken.is_empty() {
        return Vec::new();
    }
    let names: SortedSet<&str> = broken.iter().map(|it| it.name.as_str()).collect();
    let bindings = view.store.of_kind(GROUP, BINDING, None);
    let bound = bindings.filter(|it| names.contains(it.value.text_at(&["spec", "clusterSet"])));
    broken.iter().map(|it| (*it).clone()).chain(bound.map(|it| it.identity.clone())).collect()
}

pub fn read(view: View, document: &Document) -> Result<Box<dyn Subject>, Error> {
    let picks = ClusterFilter::Selector(parse(view, document)?.selector());
    Ok(Box::new(Set { identity: document.identity.clone(), targets: Targets::Fleet(fleet_scope(), picks) }))
}

/// A set that can be read.
#[derive(Debug)]
struct Set {
    identity: Identity,
    targets: Targets,
}

impl Subject for Set {
    fn targets(&self) -> &Targets {
        &self.targets
    }

    fn dependencies(&self) -> &[Dependency] {
        &[]
    }

    fn effective(&self, _: View, _: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        cache.get_or(Vec::new(), |_| Ok(Rendered::default()))
    }

    fn plan(&self, _: View, _: &Text, _: &Rendered, _: &mut Planner) {}

    fn plan_subject(&self, view: View, cluster_results: &ClusterResults, planner: &mut Planner) {
        let (reason, message) = match cluster_results.len() {
            0 => ("NoClusterMatched", "no cluster is in the cluster set".into()),
            1 => ("ClustersSelected", "one cluster is in the cluster set".into()),
            count => ("ClustersSelected", format!("{count} clusters are in the cluster set")),
        };
        let condition = Condition { kind: "ClusterSetEmpty", holds: cluster_results.is_empty(), reason, message };
        report_condition(view, &self.identity, condition, planner);
    }

    fn invalidated_by(&self, _: &Identity) -> Invalidation {
        Invalidation::Nothing
    }
}

/// Plans that the status of a document has a condition.
pub fn report_condition(view: View, document: &Identity, condition: Condition, planner: &mut Planner) {
    let Some(document) = view.store.document(document) else { return };
    let conditions = transition(document.value.at(&["status", "conditions"]), &[condition], view.now);
    planner.status(&document.value, Value::map([("conditions", conditions)]));
}
