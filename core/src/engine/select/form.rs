//! The forms in which people select clusters, read into one type.

use super::names::Names;
use super::requirement::{LabelSelector, known_fields};
use super::text::parse_text;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Error};
use crate::engine::Upstream;
use crate::engine::select::cluster_set::{ClusterSet, Stage, is_cluster_set};
use crate::value::JsonPath;
use crate::value::collections::SortedSet;
use crate::value::{Map, Text, Value};

/// Which clusters are meant. A selector that could not be read never becomes one of these.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// No selector was given: none.
    Nothing,
    /// A `metav1.LabelSelector` or its text; without requirements, all.
    Labels(LabelSelector),
    /// Any of several.
    AnyOf(Vec<Selector>),
    /// Greenhouse: what the labels pick and the named ones, without the ignored ones.
    Union { labels: Option<LabelSelector>, names: Option<Names>, ignored: Names },
    /// KubeFed, where the list was given: the listed ones.
    Listed(Names),
    /// The members of a cluster set or of a placement, without the ignored ones. No text has this form: it is made
    /// where a selector refers to one.
    Members(Box<Members>),
    /// Karmada: everything that is given must hold.
    Affinity(Box<Affinity>),
}

/// The clusters of something that a selector refers to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Members {
    /// As a reason calls it: "the cluster set `eu`".
    pub of: String,
    pub names: SortedSet<Text>,
    pub ignored: Names,
    /// The clusters of which it is unknown whether they are members.
    pub unknown: SortedSet<Text>,
}

/// Karmada's cluster affinity. As in Karmada, a part that cannot be read accepts no cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Affinity {
    pub excluded: Names,
    pub names: Names,
    pub labels: Option<Result<LabelSelector, Error>>,
    pub fields: Vec<FieldRequirement>,
}

/// A condition on a field of a Karmada cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldRequirement {
    pub key: Text,
    pub operator: Text,
    pub values: Names,
}

const LABELS: &[&str] = &["matchExpressions", "matchLabels"];
const UNION: &[&str] = &["clusterNames", "excludeList", "ignoreClusters", "labelSelector"];
const PLACEMENT: &[&str] = &["clusterSelector", "clusters"];
const AFFINITY: &[&str] = &["clusterNames", "exclude", "fieldSelector", "labelSelector"];

impl Selector {
    /// Reads a selector in any of the forms.
    ///
    /// | given | means |
    /// |---|---|
    /// | null | no cluster |
    /// | `{}` or `""` | every cluster |
    /// | a string | `kubectl -l` |
    /// | a list | any of them |
    /// | `matchLabels`, `matchExpressions` | a label selector |
    /// | `labelSelector`, `clusterNames`, `ignoreClusters` (or `excludeList`) | Greenhouse: labels or names |
    /// | `clusters`, `clusterSelector` | KubeFed placement: the list wins if it is there, also when it is empty |
    /// | a ManagedClusterSet document | the clusters of that set |
    /// | `exclude`, `fieldSelector`, … | Karmada's affinity, in compat mode with that dialect |
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{diagnostic::Mode, engine::select::{Cluster, Selector, selects}, value::{JsonPath, json}};
    ///
    /// let greenhouse = json::parse(r#"{"labelSelector":{"matchLabels":{"tier":"gold"}},"ignoreClusters":["eu-2"]}"#)?;
    /// let selector = Selector::parse(&greenhouse, Mode::Strict, None, &JsonPath::ROOT)?;
    /// let gold = |name: &str| {
    ///     Cluster { name: name.into(), labels: [("tier", "gold")].into_iter().collect(), ..Cluster::default() }
    /// };
    /// assert!(selects(&selector, &gold("eu-1")));
    /// assert!(!selects(&selector, &gold("eu-2")));
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn parse(value: &Value, mode: Mode, dialect: Option<Upstream>, at: &JsonPath) -> Result<Selector, Error> {
        let karmada = mode == Mode::Compat && dialect == Some(Upstream::Karmada);
        match value {
            Value::Null if karmada => Ok(Selector::Affinity(Box::default())),
            Value::Null => Ok(Selector::Nothing),
            Value::Text(text) => parse_text(text).map(Selector::Labels).map_err(|error| {
                let column = error.at.as_ref().map(ToString::to_string).unwrap_or_default();
                let message = format!("{} (at {column} of the selector)", error.message);
                Error { message, ..error }.at(at)
            }),
            Value::List(items) => {
                let parse = |(index, item)| Selector::parse(item, mode, dialect, &at.index(index));
                items.iter().enumerate().map(parse).collect::<Result<_, _>>().map(Selector::AnyOf)
            }
            Value::Map(_) if is_cluster_set(value) => {
                ClusterSet::parse(value, Stage::Full, mode, at).map(|set| set.selector())
            }
            Value::Map(map) if karmada => affinity(map, at).map(|it| Selector::Affinity(Box::new(it))),
            Value::Map(map) => Selector::parse_map(value, map, mode, at),
            other => Err(at.wrong_type("a selector", other)),
        }
    }

    fn parse_map(value: &Value, map: &Map, mode: Mode, at: &JsonPath) -> Result<Selector, Error> {
        let has = |fields: &[&str]| fields.iter().any(|field| map.contains(field));
        match (has(LABELS), has(UNION), has(PLACEMENT)) {
            (_, false, false) => {
                // Every field of every form is offered where none was recognised.
                let known = if has(LABELS) { LABELS.to_vec() } else { [LABELS, UNION, PLACEMENT].concat() };
                known_fields(map.keys(), &known, at)?;
                LabelSelector::parse_object(value, at).map(Selector::Labels)
            }
            (false, true, false) => {
                known_fields(map.keys(), UNION, at)?;
                let labels = label_selector(map, "labelSelector", at)?;
                let mut ignored = names(map, "ignoreClusters", at)?.unwrap_or_default();
                ignored.extend(names(map, "excludeList", at)?.unwrap_or_default());
                let names = names(map, "clusterNames", at)?.map(Names::from);
                Ok(Selector::Union { labels, names, ignored: ignored.into() })
            }
            (false, false, true) => {
                known_fields(map.keys(), PLACEMENT, at)?;
                let listed = listed(map, at)?;
                // An invalid selector is an error even if the list wins; KubeFed does not read it.
                let labels = match (&listed, mode) {
                    (Some(_), Mode::Compat) => None,
                    _ => label_selector(map, "clusterSelector", at)?,
                };
                Ok(match listed {
                    Some(names) => Selector::Listed(names.into()),
                    None => labels.map_or(Selector::Nothing, Selector::Labels),
                })
            }
            _ => {
                let message = "the selector mixes the fields of several forms";
                let hint = "label selector: matchLabels, matchExpressions; Greenhouse: labelSelector, clusterNames, \
                            ignoreClusters; KubeFed: clusters, clusterSelector";
                Err(Error::new(Code::BadSelector, message).at(at).hint(hint))
            }
        }
    }
}

fn affinity(map: &Map, at: &JsonPath) -> Result<Affinity, Error> {
    known_fields(map.keys(), AFFINITY, at)?;
    let labels = map.get("labelSelector").filter(|it| !it.is_null());
    let fields = map.get("fieldSelector").and_then(|it| it.get("matchExpressions"));
    let text = |value: Option<&Value>| value.and_then(Value::as_text).unwrap_or_default().into();
    let values = |field: &Value| field.get("values").and_then(Value::as_list).cloned().into_iter().flatten();
    let requirement = |field: &Value| FieldRequirement {
        key: text(field.get("key")),
        operator: text(field.get("operator")),
        values: values(field).map(|it| text(Some(&it))).collect::<Vec<_>>().into(),
    };
    Ok(Affinity {
        excluded: names(map, "exclude", at)?.unwrap_or_default().into(),
        names: names(map, "clusterNames", at)?.unwrap_or_default().into(),
        labels: labels.map(|labels| LabelSelector::parse_object(labels, &at.key("labelSelector"))),
        fields: fields.and_then(Value::as_list).into_iter().flatten().map(requirement).collect(),
    })
}

fn label_selector(map: &Map, field: &str, at: &JsonPath) -> Result<Option<LabelSelector>, Error> {
    match map.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(selector) => LabelSelector::parse_object(selector, &at.key(field)).map(Some),
    }
}

fn names(map: &Map, field: &str, at: &JsonPath) -> Result<Option<Vec<Text>>, Error> {
    let path = &at.key(field);
    let items = match map.get(field) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::List(items)) => items,
        Some(other) => return Err(path.wrong_type("a list of names", other)),
    };
    let name = |(index, item): (usize, &Value)| match item {
        Value::Text(name) => Ok(name.clone()),
        other => Err(path.index(index).wrong_type("a name", other)),
    };
    items.iter().enumerate().map(name).collect::<Result<_, _>>().map(Some)
}

/// The `clusters` of a KubeFed placement: a list of `{name}`.
fn listed(map: &Map, at: &JsonPath) -> Result<Option<Vec<Text>>, Error> {
    let path = &at.key("clusters");
    let items = match map.get("clusters") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::List(items)) => items,
        Some(other) => return Err(path.wrong_type("a list", other)),
    };
    let name = |(index, item): (usize, &Value)| {
        let path = &path.index(index);
        let Some(entry) = item.as_map() else { return Err(path.wrong_type("a map with a `name`", item)) };
        known_fields(entry.keys(), &["name"], path)?;
        match entry.get("name") {
            Some(Value::Text(name)) => Ok(name.clone()),
            Some(other) => Err(path.key("name").wrong_type("a string", other)),
            None => Err(Error::new(Code::MissingField, "the cluster has no `name`").at(path.key("name"))),
        }
    };
    items.iter().enumerate().map(name).collect::<Result<_, _>>().map(Some)
}
