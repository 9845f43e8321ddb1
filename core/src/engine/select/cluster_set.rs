//! Cluster sets of Open Cluster Management (seed 001): which clusters are in a ManagedClusterSet.

use crate::choice;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::select::{LabelSelector, Requirement, Selector, Test};
use crate::object::fields::{Field, Fields, Shape, scope_error};
use crate::object::identity::{ObjectName, is_in_group};
use crate::object::labels::{Labels, not_text};
use crate::value::JsonPath;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::suggest::suggest;
use crate::value::{Text, Value};

pub use crate::object::kinds::upstreams::ocm::{CLUSTERSET, GROUP, SET as KIND};

const VERSIONS: &[&str] = &["v1beta1", "v1beta2"];

/// The fields of its spec. Any other one may be meant to decide which clusters are in the set.
pub const FIELDS: Fields = Fields::all(&[
    Field::scope("clusterSelector", Shape::Fields(&SELECTOR)),
    Field::scope("managedNamespaces", Shape::List(&Shape::Map)),
]);

const SELECTOR: Fields = Fields::all(&[
    Field::scope("selectorType", Shape::Anything),
    Field::scope("labelSelector", Shape::Anything),
    Field::scope("exclusiveLabel", Shape::Fields(&EXCLUSIVE_LABEL)),
]);

const EXCLUSIVE_LABEL: Fields =
    Fields::all(&[Field::scope("key", Shape::Anything), Field::scope("value", Shape::Anything)]);

/// What to do about a set that the transitional stage does not know.
const FULL: &str = "use the stage `full`";

choice! {
    /// The stage of the hub's migration to sets by any label. `transitional`: sets by the clusterset label alone, and
    /// `join` and `label` both permit it. `full`: sets by any label, and `join` is deprecated.
    #[derive(Default)]
    pub enum Stage {
        Transitional = "transitional",
        #[default]
        Full = "full",
    }
}

/// A set that could be read: what it picks, it picks without fail.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterSet {
    name: Text,
    /// As written.
    selector_type: Text,
    /// The key and value of an exclusive set: sets that share the key exclude each other.
    exclusive: Option<(Text, Text)>,
    /// Nothing where the selector was left out, which picks no cluster.
    labels: Option<LabelSelector>,
}

/// Whether a document is a ManagedClusterSet.
pub(crate) fn is_cluster_set(document: &Value) -> bool {
    document.text_at(&["kind"]) == KIND && is_in_group(document, GROUP)
}

impl ClusterSet {
    /// Reads a ManagedClusterSet of `v1beta1` or `v1beta2`.
    ///
    /// | `selectorType` | picks |
    /// |---|---|
    /// | `""`, `ExclusiveClusterSetLabel`, `LegacyClusterSetLabel` | clusters with the set's name as clusterset label |
    /// | `ExclusiveLabel` | clusters with the label; by default the clusterset label with the set's name |
    /// | `LabelSelector` | the clusters of the selector; absent: no cluster; empty: every cluster |
    ///
    /// At the transitional stage `ExclusiveLabel` allows only the clusterset label and the set's name, and
    /// `LabelSelector` does not exist. Compat mode follows released OCM, which has no `ExclusiveLabel`, and whose
    /// versions name the clusterset label type differently.
    ///
    /// # Errors
    ///
    /// Any other content, at its location. An invalid set never means "no clusters".
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::engine::select::cluster_set::{CLUSTERSET, ClusterSet, Stage};
    /// use fleetfold_core::{diagnostic::Mode, value::{JsonPath, json}};
    ///
    /// let dev = json::parse(r#"{"apiVersion":"cluster.open-cluster-management.io/v1beta2","kind":"ManagedClusterSet",
    ///     "metadata":{"name":"dev"}}"#)?;
    /// let set = ClusterSet::parse(&dev, Stage::Full, Mode::Strict, &JsonPath::ROOT)?;
    /// assert!(set.accepts(&[(CLUSTERSET, "dev")].into_iter().collect()));
    /// assert_eq!(set.exclusive_label().unwrap().1, "dev");
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn parse(document: &Value, stage: Stage, mode: Mode, at: &JsonPath) -> Result<ClusterSet, Error> {
        if !is_cluster_set(document) {
            return Err(Error::new(Code::WrongKind, "this is not a ManagedClusterSet").at(at.key("kind")));
        }
        let version = known_version(document, at)?;
        let name = match document.at(&["metadata", "name"]) {
            Some(Value::Text(name)) if !name.is_empty() => name.clone(),
            _ => return Err(bad("the cluster set has no name").at(at.key("metadata").key("name"))),
        };
        if mode == Mode::Strict
            && let Some(error) = scope_error(document, &FIELDS, at)
        {
            return Err(error);
        }
        let spec = &at.key("spec");
        let path = &spec.key("clusterSelector");
        let selector = map_or_null(document.get("spec"), spec)?;
        let selector = map_or_null(selector.get("clusterSelector"), path)?;
        let selector_type = selector_type(selector, known_types(version, mode), path)?;
        let (exclusive, labels) = match selector_type {
            "LabelSelector" => (None, label_selector(selector, stage, mode, path)?),
            "ExclusiveLabel" => {
                let (key, value) = exclusive_label(selector, &name, stage, &path.key("exclusiveLabel"))?;
                let labels = one_label(&key, &value).map_err(|error| error.at(path.key("exclusiveLabel")))?;
                (Some((key, value)), Some(labels))
            }
            _ => {
                // A set's name may be longer than a label value: then no cluster can be in it, which OCM does not
                // report.
                let labels = match one_label(&CLUSTERSET.into(), &name) {
                    Err(error) if mode == Mode::Strict => return Err(error.at(at.key("metadata").key("name"))),
                    labels => labels.ok(),
                };
                (Some((CLUSTERSET.into(), name.clone())), labels)
            }
        };
        Ok(ClusterSet { name, selector_type: selector_type.into(), exclusive, labels })
    }

    /// The name of the set.
    pub fn name(&self) -> &Text {
        &self.name
    }

    /// The `selectorType` as written, which may be empty.
    pub fn selector_type(&self) -> &Text {
        &self.selector_type
    }

    /// Whether consumers that group clusters by set may use it, such as `multicloud-operators-foundation`: its members
    /// are in no other set, because the clusterset label puts them there.
    pub fn is_resource_group(&self) -> bool {
        self.exclusive.as_ref().is_some_and(|(key, _)| key == CLUSTERSET)
    }

    /// Whether consumers that also find the set by the value of the label may use it, such as `submariner-addon`: the
    /// value is the name of the set.
    pub fn is_network_group(&self) -> bool {
        self.is_resource_group() && self.exclusive.as_ref().is_some_and(|(_, value)| *value == self.name)
    }

    /// The key and value of the one label that puts a cluster into the set, where it is exclusive.
    pub fn exclusive_label(&self) -> Option<(&Text, &Text)> {
        self.exclusive.as_ref().map(|(key, value)| (key, value))
    }

    /// Whether a cluster with these labels is in the set.
    pub fn accepts(&self, labels: &Labels) -> bool {
        self.labels.as_ref().is_some_and(|it| it.accepts(labels))
    }

    /// The set as a selector, which can also explain its decision.
    pub fn selector(&self) -> Selector {
        self.labels.clone().map_or(Selector::Nothing, Selector::Labels)
    }

    /// The keys of the labels that decide who is in the set.
    pub fn keys(&self) -> impl Iterator<Item = &Text> {
        self.labels.iter().flat_map(LabelSelector::requirements).map(Requirement::key)
    }
}

/// The version of the API; empty if the document has none.
fn known_version<'d>(document: &'d Value, at: &JsonPath) -> Result<&'d str, Error> {
    let version = document.text_at(&["apiVersion"]).split_once('/').map_or("", |(_, version)| version);
    if !version.is_empty() && !VERSIONS.contains(&version) {
        let message = format!("there is no version `{version}` of a ManagedClusterSet");
        return Err(bad(message).at(at.key("apiVersion")).hint(format!("one of: {}", VERSIONS.join(", "))));
    }
    Ok(version)
}

/// A map that may be left out.
fn map_or_null<'v>(value: Option<&'v Value>, at: &JsonPath) -> Result<&'v Value, Error> {
    match value {
        None => Ok(&Value::Null),
        Some(value @ (Value::Null | Value::Map(_))) => Ok(value),
        Some(other) => Err(at.wrong_type("a map", other)),
    }
}

fn selector_type<'v>(selector: &'v Value, known: &[&str], at: &JsonPath) -> Result<&'v str, Error> {
    let kind = match selector.get("selectorType") {
        None | Some(Value::Null) => "",
        Some(Value::Text(kind)) => kind,
        Some(other) => return Err(at.key("selectorType").wrong_type("a string", other)),
    };
    if !known.contains(&kind) {
        let message = format!("`{kind}` is not a type of selector");
        return Err(bad(message).at(at.key("selectorType")).hint(type_hint(kind, known)));
    }
    Ok(kind)
}

/// The type that was probably meant, or all of them; the empty one is written with quotes.
fn type_hint(kind: &str, known: &[&str]) -> String {
    let quoted: Vec<&str> = known.iter().map(|it| if it.is_empty() { "`\"\"`" } else { *it }).collect();
    suggest(kind, &quoted, "one of")
}

/// The selector types. OCM never had `ExclusiveLabel`, and renamed the legacy type in v1beta2.
fn known_types(version: &str, mode: Mode) -> &'static [&'static str] {
    match (mode, version) {
        (Mode::Strict, _) => {
            &["", "ExclusiveClusterSetLabel", "LegacyClusterSetLabel", "ExclusiveLabel", "LabelSelector"]
        }
        (Mode::Compat, "v1beta1") => &["", "LegacyClusterSetLabel", "LabelSelector"],
        (Mode::Compat, _) => &["", "ExclusiveClusterSetLabel", "LabelSelector"],
    }
}

fn label_selector(selector: &Value, stage: Stage, mode: Mode, at: &JsonPath) -> Result<Option<LabelSelector>, Error> {
    if stage == Stage::Transitional && mode == Mode::Strict {
        let message = "there is no `LabelSelector` at the transitional stage";
        return Err(bad(message).at(at.key("selectorType")).hint(FULL));
    }
    match selector.get("labelSelector") {
        None | Some(Value::Null) => Ok(None),
        Some(selector) => LabelSelector::parse_object(selector, &at.key("labelSelector")).map(Some),
    }
}

fn exclusive_label(selector: &Value, name: &Text, stage: Stage, at: &JsonPath) -> Result<(Text, Text), Error> {
    let label = map_or_null(selector.get("exclusiveLabel"), at)?;
    let text = |field: &'static str| match label.get(field) {
        None | Some(Value::Null) => Ok(Text::default()),
        Some(Value::Text(text)) => Ok(text.clone()),
        Some(other) => Err(not_text(label.text_at(&["key"]), other).at(at.key(field))),
    };
    let (key, value) = (text("key")?, text("value")?);
    let fixed = key.is_empty() || key == CLUSTERSET;
    if stage == Stage::Transitional && !fixed {
        let message = format!("the key `{key}` is not the clusterset label, the only one at the transitional stage");
        return Err(bad(message).at(at.key("key")).hint(FULL));
    }
    if stage == Stage::Transitional && !value.is_empty() && value != *name {
        let message =
            format!("the value `{value}` is not the cluster set's name, the only one at the transitional stage");
        return Err(bad(message).at(at.key("value")).hint(FULL));
    }
    if !fixed && value.is_empty() {
        return Err(bad(format!("the exclusive label `{key}` has no value")).at(at.key("value")));
    }
    let key = if fixed { CLUSTERSET.into() } else { key };
    let value = if value.is_empty() { name.clone() } else { value };
    Ok((key, value))
}

fn one_label(key: &Text, value: &Text) -> Result<LabelSelector, Error> {
    let requirement = Requirement::new(key.clone(), Test::In(vec![value.clone()]))?;
    Ok(LabelSelector::of(vec![requirement]))
}

fn bad(message: impl Into<String>) -> Error {
    Error::new(Code::BadClusterSet, message)
}

/// Reads the ManagedClusterSets among `documents`, sorted by name.
///
/// A set that cannot be read, that is given twice with different contents, or that shares its exclusive label with
/// another one is reported and left out: nothing joins it. The others are as they would be without it.
pub fn read<'d>(
    documents: impl IntoIterator<Item = &'d Value>,
    stage: Stage,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Vec<ClusterSet> {
    let mut given: SortedMap<&str, Vec<&Value>> = SortedMap::new();
    for document in documents.into_iter().filter(|it| is_cluster_set(it)) {
        given.entry(document.text_at(&["metadata", "name"])).or_default().push(document);
    }
    let mut sets = Vec::new();
    for (name, documents) in given {
        let [document, rest @ ..] = documents.as_slice() else { continue };
        let set = match rest.iter().all(|it| it == document) {
            true => ClusterSet::parse(document, stage, mode, &JsonPath::ROOT),
            false => Err(bad("the cluster set is given twice with different contents")),
        };
        match set {
            Ok(set) => sets.push(set),
            Err(error) => {
                let message = format!("nothing joins this set: {}", error.message);
                let finding = Error { code: Code::BadClusterSet, message, ..error }.into_diagnostic(Severity::Error);
                out.push(finding.of(reference(name)));
            }
        }
    }
    refuse_shared(sets, out)
}

/// The object name of the set.
pub fn reference(name: impl Into<Text>) -> ObjectName {
    ObjectName { kind: KIND.into(), namespace: Text::default(), name: name.into() }
}

/// Takes out the sets that would hold the same clusters though each promises to exclude the other.
fn refuse_shared(sets: Vec<ClusterSet>, out: &mut Vec<Diagnostic>) -> Vec<ClusterSet> {
    let mut holders: SortedMap<(Text, Text), Vec<Text>> = SortedMap::new();
    for set in &sets {
        if let Some(label) = &set.exclusive {
            holders.entry(label.clone()).or_default().push(set.name.clone());
        }
    }
    holders.retain(|_, names| names.len() > 1);
    for ((key, value), names) in &holders {
        let listed = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        let message =
            format!("the cluster sets {listed} share the exclusive label `{key}:{value}`, and nothing joins them");
        let document = reference(names.first().cloned().unwrap_or_default());
        let place = Pointer::of(["spec", "clusterSelector"]);
        out.push(
            Diagnostic::error(Code::SharedExclusiveLabel, message)
                .of(document)
                .at(place)
                .hint("give each its own value"),
        );
    }
    let shared: SortedSet<&Text> = holders.values().flatten().collect();
    sets.into_iter().filter(|set| !shared.contains(&set.name)).collect()
}

/// The sets that a cluster with these labels is in, in the order of the sets.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::select::cluster_set::{CLUSTERSET, Stage, read, sets_of};
/// use fleetfold_core::{diagnostic::Mode, value::json};
///
/// let documents = json::parse(r#"[
///   {"apiVersion":"cluster.open-cluster-management.io/v1beta2","kind":"ManagedClusterSet","metadata":{"name":"dev"}},
///   {"apiVersion":"cluster.open-cluster-management.io/v1beta2","kind":"ManagedClusterSet","metadata":{"name":"qa"}}
/// ]"#)?;
/// let sets = read(documents.as_list().unwrap(), Stage::Full, Mode::Strict, &mut Vec::new());
/// let joined = sets_of(&[(CLUSTERSET, "qa")].into_iter().collect(), &sets);
/// assert_eq!(joined.iter().map(|set| set.name().as_str()).collect::<Vec<_>>(), ["qa"]);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn sets_of<'s>(labels: &Labels, sets: &'s [ClusterSet]) -> Vec<&'s ClusterSet> {
    sets.iter().filter(|set| set.accepts(labels)).collect()
}

#[cfg(test)]
mod tests;
