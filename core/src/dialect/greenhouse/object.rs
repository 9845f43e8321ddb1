//! The Plugin that a preset makes for a cluster.

use super::entries::{entry, expression_of};
use super::inject::{INJECTED, is_tolerated};
use super::overrides::of_cluster;
use super::stack::Stack;
use super::{API_VERSION, PLUGIN, PRESET, PRESET_LABEL, Quirk};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Error};
use crate::engine::fold::{Effective, Entries, Folded, Setting, Source};
use crate::engine::select::Cluster;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::json;
use crate::value::sorting::sort;
use crate::value::{Map, Text, Value};
use crate::workspace::store::View;

/// The name of the Plugin of a preset for a cluster.
pub fn plugin_name(preset: &str, cluster: &str) -> Text {
    format!("{preset}-{cluster}").into()
}

/// Fields of `spec.plugin` that a Plugin takes over, and what becomes of one that is not set.
const CARRIED: &[(&str, Unset)] = &[
    ("deletionPolicy", Unset::Default("Delete")),
    ("displayName", Unset::Stays),
    ("ignoreDifferences", Unset::Goes),
    ("pluginDefinition", Unset::Stays),
];

/// What becomes of a live field that the preset does not set.
#[derive(Clone, Copy)]
enum Unset {
    /// The server fills it in.
    Stays,
    Goes,
    Default(&'static str),
}

/// What a Plugin should be, laid over the live one.
#[derive(Debug)]
pub struct Desired {
    pub object: Value,
    /// Places where the live Plugin cannot be changed any more.
    pub fixed: Vec<&'static str>,
}

/// The option values of a cluster's Plugin: everything but what Greenhouse injects, by name.
pub fn options(stack: &Stack, view: View, cluster: &Cluster, folded: &Folded) -> Vec<Value> {
    let mut per_cluster: SortedMap<Text, Effective> = SortedMap::new();
    for option in stack.per_cluster_options(view, cluster) {
        per_cluster.entry(option.path.clone()).or_insert(option);
    }
    let write = |path: &Text, source: &Source| match per_cluster.get(path) {
        Some(option) if option.from == INJECTED => None,
        Some(option) if expression_of(source).is_some() => Some(entry(path, &option.source)),
        _ => Some(entry(path, source)),
    };
    let declares = stack.definition.as_ref().is_none_or(|it| it.declares);
    if Quirk::Unsorted.is_kept(view.settings.mode) && !declares {
        let its = of_cluster(view, &stack.scope, &cluster.name, &mut Vec::new());
        let mut list: Vec<&Setting> = Vec::new();
        let mut entries: SortedMap<&Text, Entries> = SortedMap::new();
        let applied = stack.applied(cluster, its.as_ref());
        for (rank, layer) in applied.iter().enumerate().filter(|(_, it)| it.name != INJECTED) {
            for setting in &layer.set {
                let entries = entries.entry(&setting.path).or_default();
                match entries.of_earlier(rank).and_then(|at| list.get_mut(at)) {
                    Some(place) => *place = setting,
                    None => {
                        entries.push(list.len());
                        list.push(setting);
                    }
                }
            }
        }
        return list.into_iter().filter_map(|it| write(&it.path, &it.source)).collect();
    }
    let options = folded.options.iter().filter(|it| it.from != INJECTED);
    options.filter_map(|Effective { path, source, .. }| write(path, source)).collect()
}

/// What a Plugin is made from.
#[derive(Debug)]
pub struct Made<'a> {
    pub preset: &'a Value,
    pub cluster: &'a str,
    /// To the definition.
    pub reference: Value,
    pub options: Vec<Value>,
    /// Whether it is deleted with its preset.
    pub owns: bool,
}

/// The Plugin of a preset for a cluster. A live one keeps the fields that others wrote.
///
/// # Errors
///
/// Another controller owns the live Plugin, or it is for another cluster.
pub fn desired(made: Made, live: Option<&Value>, mode: Mode) -> Result<Desired, Error> {
    let Made { preset, cluster, reference: definition, options, owns } = made;
    let name = plugin_name(preset.text_at(&["metadata", "name"]), cluster);
    let fresh = || {
        let namespace = preset.text_at(&["metadata", "namespace"]);
        let metadata = Value::map([("name", name.as_str()), ("namespace", namespace)]);
        Value::map([("apiVersion", API_VERSION.into()), ("kind", PLUGIN.into()), ("metadata", metadata)])
    };
    let mut object = as_map(live.cloned().unwrap_or_else(fresh));
    let (mut metadata, mut spec) = (take(&mut object, "metadata"), take(&mut object, "spec"));
    if owns {
        set_controller(&mut metadata, preset)?;
    } else {
        release(&mut metadata, preset.text_at(&["metadata", "name"]));
    }
    let mut labels = take(&mut metadata, "labels");
    labels.insert(PRESET_LABEL, preset.text_at(&["metadata", "name"]));
    metadata.insert("labels", labels);
    propagate(&mut metadata, preset);
    let mut fixed = Vec::new();
    let template = preset.at(&["spec", "plugin"]).cloned().unwrap_or_default();
    match spec.get("clusterName").and_then(Value::as_text) {
        Some(other) if other != cluster => {
            let message = format!("the Plugin `{name}` is for the cluster `{other}`, which cannot be changed");
            return Err(Error::new(Code::ImmutableDifference, message));
        }
        _ => drop(spec.insert("clusterName", cluster)),
    }
    if template.text_at(&["pluginDefinition"]).is_empty() {
        let mut reference = take(&mut spec, "pluginDefinitionRef");
        for (key, value) in as_map(definition) {
            reference.insert(key, value);
        }
        spec.insert("pluginDefinitionRef", reference);
    }
    for (field, unset) in CARRIED {
        carry(&mut spec, field, template.get(field), *unset);
    }
    carry(&mut spec, "waitFor", preset.at(&["spec", "waitFor"]), Unset::Goes);
    let deployed = live.is_some_and(|it| it.at(&["status", "helmReleaseStatus"]).is_some_and(|it| !it.is_null()));
    let release = if deployed { name.as_str() } else { template.text_at(&["releaseName"]) };
    set_once(&mut spec, "releaseName", release, template.text_at(&["releaseName"]), &mut fixed);
    let namespace = template.text_at(&["releaseNamespace"]);
    set_once(&mut spec, "releaseNamespace", namespace, namespace, &mut fixed);
    let options = with_tolerated(options, spec.get("optionValues"), mode);
    // An empty list means the same as none.
    let is_empty = |it: &Value| it.as_list().is_some_and(Vec::is_empty);
    if !(is_empty(&options) && spec.get("optionValues").is_some_and(is_empty)) {
        carry(&mut spec, "optionValues", Some(&options).filter(|it| !it.is_empty()), Unset::Goes);
    }
    object.insert("metadata", metadata);
    object.insert("spec", spec);
    Ok(Desired { object: object.into(), fixed })
}

/// Makes the preset the controller of its Plugin. Only one that was given a uid can own.
fn set_controller(metadata: &mut Map, preset: &Value) -> Result<(), Error> {
    let (name, uid) = (preset.text_at(&["metadata", "name"]), preset.text_at(&["metadata", "uid"]));
    if uid.is_empty() {
        return Ok(());
    }
    let mut owners = metadata.get("ownerReferences").and_then(Value::as_list).cloned().unwrap_or_default();
    if owners.iter().any(|it| it.text_at(&["uid"]) == uid) {
        return Ok(());
    }
    // A preset that was created again replaces its predecessor.
    owners.retain(|it| !(it.text_at(&["kind"]) == PRESET && it.text_at(&["name"]) == name));
    if let Some(other) = owners.iter().find(|it| it.get("controller").and_then(Value::as_bool) == Some(true)) {
        let (kind, name) = (other.text_at(&["kind"]), other.text_at(&["name"]));
        return Err(Error::new(
            Code::SecondController,
            format!("the Plugin has a controller already, `{kind}/{name}`"),
        ));
    }
    owners.push(Value::map([
        ("apiVersion", API_VERSION.into()),
        ("blockOwnerDeletion", true.into()),
        ("controller", true.into()),
        ("kind", PRESET.into()),
        ("name", name.into()),
        ("uid", Value::from(uid)),
    ]));
    metadata.insert("ownerReferences", owners);
    Ok(())
}

/// The live object without the preset among its owners.
pub fn released(live: &Value, preset: &str) -> Value {
    let mut object = as_map(live.clone());
    let mut metadata = take(&mut object, "metadata");
    release(&mut metadata, preset);
    object.insert("metadata", metadata);
    object.into()
}

fn release(metadata: &mut Map, preset: &str) {
    let mut owners = metadata.get("ownerReferences").and_then(Value::as_list).cloned().unwrap_or_default();
    let before = owners.len();
    owners.retain(|it| !(it.text_at(&["kind"]) == PRESET && it.text_at(&["name"]) == preset));
    if owners.len() == before {
        return;
    }
    if owners.is_empty() {
        metadata.remove("ownerReferences");
    } else {
        metadata.insert("ownerReferences", owners);
    }
}

fn carry(spec: &mut Map, field: &'static str, value: Option<&Value>, unset: Unset) {
    match (value.filter(|it| !it.is_null()), unset) {
        (Some(value), _) => drop(spec.insert(field, value.clone())),
        (None, Unset::Stays) => {}
        (None, Unset::Goes) => drop(spec.remove(field)),
        (None, Unset::Default(default)) => {
            if let Some(live) = spec.get_mut(field) {
                *live = default.into();
            }
        }
    }
}

/// Sets a field that cannot be changed later. `wanted` is the value of the preset, `first` the one for an unset field.
fn set_once(spec: &mut Map, field: &'static str, first: &str, wanted: &str, fixed: &mut Vec<&'static str>) {
    match spec.get(field).and_then(Value::as_text).filter(|it| !it.is_empty()) {
        Some(live) if !wanted.is_empty() && live != wanted => fixed.push(field),
        Some(_) => {}
        None if first.is_empty() => {}
        None => drop(spec.insert(field, first)),
    }
}

/// The wanted options; if the live ones are the same, in their order. Options under `global.greenhouse` that no layer
/// sets may stay.
fn with_tolerated(wanted: Vec<Value>, live: Option<&Value>, mode: Mode) -> Value {
    let live = live.and_then(Value::as_list).map_or(&[][..], Vec::as_slice);
    let names: SortedSet<&str> = wanted.iter().map(|it| it.text_at(&["name"])).collect();
    let named = |item: &Value| names.contains(item.text_at(&["name"]));
    let (tolerated, counted): (Vec<&Value>, Vec<&Value>) =
        live.iter().partition(|it| is_tolerated(it.text_at(&["name"])) && !named(it));
    let same = match mode {
        Mode::Compat => counted.iter().copied().eq(&wanted),
        Mode::Strict => {
            counted.len() == wanted.len() && {
                let mut by_name: SortedMap<&str, Vec<&Value>> = SortedMap::new();
                counted.iter().for_each(|it| by_name.entry(it.text_at(&["name"])).or_default().push(it));
                wanted
                    .iter()
                    .all(|it| by_name.get(it.text_at(&["name"])).is_some_and(|same_name| same_name.contains(&it)))
            }
        }
    };
    if same {
        return Value::list(live.iter().cloned());
    }
    let tolerated: Vec<Value> = tolerated.into_iter().cloned().collect();
    Value::list(wanted.into_iter().chain(tolerated))
}

/// The annotation of a preset that lists which of its labels travel.
pub const PROPAGATE_LABELS: &str = "greenhouse.sap/propagate-labels";

/// The annotation of a Plugin that records what travelled.
const PROPAGATED: &str = "greenhouse.sap/last-applied-propagator";

/// What travels from a preset to its Plugins: the field, the annotation that lists its keys, and how the record calls
/// it.
const TRAVELS: [(&str, &str, &str); 2] = [
    ("labels", PROPAGATE_LABELS, "labelKeys"),
    ("annotations", "greenhouse.sap/propagate-annotations", "annotationKeys"),
];

/// The keys of the preset's labels or annotations that are listed to travel.
pub fn travelling<'p>(preset: &'p Value, field: &str, list: &str) -> Vec<(&'p Text, &'p Value)> {
    let list = preset.text_at(&["metadata", "annotations", list]);
    let wanted: SortedSet<&str> = list.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
    // `team/*` lists every key that starts with `team/`, and no other key.
    let is_under = |key: &str| {
        key.match_indices('/')
            .any(|(slash, _)| key.get(..slash).is_some_and(|prefix| wanted.contains(format!("{prefix}/*").as_str())))
    };
    let is_listed = |key: &str| (wanted.contains(key) && !key.ends_with("/*")) || is_under(key);
    let entries = preset.at(&["metadata", field]).and_then(Value::as_map);
    entries.into_iter().flat_map(Map::iter).filter(|(key, _)| is_listed(key)).collect()
}

/// Copies the listed keys, and removes those that were copied earlier and are no longer listed.
fn propagate(metadata: &mut Map, preset: &Value) {
    let before = metadata.get("annotations").map_or("", |it| it.text_at(&[PROPAGATED]));
    let before = json::parse(before).unwrap_or_default();
    let mut record = Map::new();
    for (field, list, recorded) in TRAVELS {
        let now = travelling(preset, field, list);
        let earlier = before.get(recorded).and_then(Value::as_list).into_iter().flatten().filter_map(Value::as_text);
        let keys: SortedSet<&str> = now.iter().map(|(key, _)| key.as_str()).collect();
        let gone: Vec<&str> = earlier.filter(|key| !keys.contains(key)).collect();
        if now.is_empty() && gone.is_empty() {
            continue;
        }
        let mut entries = take(metadata, field);
        gone.iter().for_each(|key| drop(entries.remove(key)));
        now.iter().for_each(|(key, value)| drop(entries.insert((*key).clone(), (*value).clone())));
        metadata.insert(field, entries);
        if !now.is_empty() {
            record.insert(recorded, Value::list(now.iter().map(|(key, _)| (*key).clone())));
        }
    }
    let same = TRAVELS.iter().all(|(_, _, recorded)| {
        let keys = |value: Option<&Value>| {
            let mut keys: Vec<Text> = value
                .and_then(Value::as_list)
                .into_iter()
                .flatten()
                .filter_map(Value::as_text)
                .map(Text::from)
                .collect();
            sort(&mut keys);
            keys
        };
        keys(before.get(recorded)) == keys(record.get(recorded))
    });
    if !same {
        let mut annotations = take(metadata, "annotations");
        match record.is_empty() {
            true => drop(annotations.remove(PROPAGATED)),
            false => drop(annotations.insert(PROPAGATED, Value::from(record).to_canonical())),
        }
        metadata.insert("annotations", annotations);
    }
    if metadata.get("annotations").is_some_and(Value::is_empty) {
        metadata.remove("annotations");
    }
}

/// Takes a map out of another, to be put back changed; an empty one where there is none.
pub fn take(map: &mut Map, key: &str) -> Map {
    as_map(map.remove(key).unwrap_or_default())
}

pub fn as_map(value: Value) -> Map {
    match value {
        Value::Map(map) => std::sync::Arc::unwrap_or_clone(map),
        _ => Map::new(),
    }
}
