//! Statuses: the overrides of a Plugin, and the states of a preset's clusters.

use super::inject::INJECTED;
use crate::diagnostic::ReasonCode;
use crate::engine::diff::{Edit, edits};
use crate::engine::fold::{Layer, Setting};
use crate::engine::matching::{Difference, DifferenceKind};
use crate::engine::patch::Verb;
use crate::object::document::Identity;
use crate::object::timestamp::Timestamp;
use crate::value::collections::SortedSet;
use crate::value::path::OptionStep;
use crate::value::sorting::sort;
use crate::value::{Map, Text, Value};
use crate::workspace::plan::{Reason, StatusTerms};

/// Greenhouse keeps conditions one level deeper than others.
pub const TERMS: StatusTerms = StatusTerms {
    conditions: &[&["statusConditions", "conditions"]],
    bad: &[
        ("AllPluginsReady", "False"),
        ("ClusterListEmpty", "True"),
        ("PluginDefinitionNotFound", "True"),
        ("PluginFailed", "True"),
        ("PluginSkipped", "True"),
    ],
    word: None,
};

/// The state of a cluster of a preset.
#[derive(Clone, Debug)]
pub enum PluginState<'v> {
    /// Its Plugin is not there yet.
    Waiting,
    /// A Plugin of its name is there that the preset did not make.
    Skipped,
    /// Its Plugin cannot be written, and why.
    Failed(String),
    /// Its Plugin exists, with its condition `Ready`, if there is one.
    Made(Option<&'v Value>),
}

impl<'v> PluginState<'v> {
    pub fn of(plugin: &'v Value) -> PluginState<'v> {
        PluginState::Made(condition_of(plugin, "Ready"))
    }

    fn as_str(&self) -> &'static str {
        match self {
            PluginState::Waiting => "waiting",
            PluginState::Skipped => "skipped",
            PluginState::Failed(_) => "failed",
            PluginState::Made(None) => "unknown",
            PluginState::Made(Some(ready)) if is_true(ready) => "ready",
            PluginState::Made(Some(_)) => "not-ready",
        }
    }
}

fn is_true(condition: &Value) -> bool {
    condition.text_at(&["status"]) == "True"
}

fn condition_of<'v>(object: &'v Value, wanted: &str) -> Option<&'v Value> {
    let conditions = object.at(&["status", "statusConditions", "conditions"])?.as_list()?;
    conditions.iter().find(|it| it.text_at(&["type"]) == wanted)
}

/// What was found out about a preset.
#[derive(Debug)]
pub struct Found<'a> {
    pub name: &'a str,
    /// The version of the definition; nothing while it is not loaded.
    pub version: Option<&'a Text>,
    pub wanted: &'a str,
    pub plugin_states: Vec<(&'a Text, PluginState<'a>)>,
}

/// The status of a preset. `plugins` are those that it made, also for clusters that it no longer picks.
pub fn of_preset(preset: &Value, found: &Found, plugins: &[&Value], now: Option<Timestamp>) -> Value {
    let ready = |it: &&Value| condition_of(it, "Ready").cloned();
    let statuses: Vec<(Text, Value)> =
        plugins.iter().filter_map(|it| Some((Text::from(it.text_at(&["metadata", "name"])), ready(it)?))).collect();
    let known = statuses.len();
    let ready = statuses.iter().filter(|(_, it)| is_true(it)).count();
    let total = plugins.len().max(found.plugin_states.len());
    // A number that is nought is left out, as Greenhouse does.
    let number = |count: usize| if count == 0 { Value::Null } else { count.into() };
    let conditions = conditions(found, total, ready);
    let clusters = found.plugin_states.iter().map(|(name, plugin_state)| {
        Value::map([("name", Value::Text((*name).clone())), ("state", plugin_state.as_str().into())])
    });
    let statuses = statuses
        .into_iter()
        .map(|(name, ready)| Value::map([("pluginName", Value::Text(name)), ("readyCondition", ready)]));
    let given = |value: Value| if value.is_empty() { Value::Null } else { value };
    Value::map([
        ("clusters", given(Value::list(clusters))),
        ("failedPlugins", number(known.saturating_sub(ready))),
        ("pluginDefinitionVersion", given(found.version.cloned().unwrap_or_default().into())),
        ("pluginStatuses", given(Value::list(statuses))),
        ("readyPlugins", number(ready)),
        ("statusConditions", merged(preset, conditions, now)),
        ("totalPlugins", number(plugins.len())),
    ])
}

/// One condition: its type, whether it holds, the reason and the message.
type Condition = (&'static str, bool, &'static str, String);

/// The conditions of a preset. It is ready unless another condition prevents it; the first one that does is the reason.
fn conditions(found: &Found, total: usize, ready: usize) -> Vec<Condition> {
    let Found { name, version, wanted, plugin_states } = found;
    let mut failed = Vec::new();
    let mut skipped = Vec::new();
    for (cluster, plugin_state) in plugin_states {
        match plugin_state {
            PluginState::Failed(why) => failed.push(format!("{name}-{cluster}: {why}")),
            PluginState::Skipped => skipped.push(format!("{name}-{cluster}")),
            _ => {}
        }
    }
    let missing = version.is_none().then(|| format!("the definition `{wanted}` is not there"));
    let empty = plugin_states.is_empty().then(|| "the selector picks no cluster".to_string());
    let all = total > 0 && ready == total;
    let says = |failed: &[String]| (!failed.is_empty()).then(|| failed.join("; "));
    let count = format!("{ready} of {total} plugins are ready");
    let against = says(&failed)
        .map(|_| "not every plugin can be written".to_string())
        .or_else(|| missing.clone())
        .or_else(|| empty.clone())
        .or_else(|| (!all).then(|| count.clone()));
    let row = |name, says: Option<String>, reason| match says {
        Some(message) => (name, true, reason, message),
        None => (name, false, "", String::new()),
    };
    vec![
        row("PluginSkipped", says(&skipped), ""),
        row("PluginFailed", says(&failed), "PluginReconcileFailed"),
        row("PluginDefinitionNotFound", missing, "PluginDefinitionNotFound"),
        row("ClusterListEmpty", empty, ""),
        ("AllPluginsReady", all, "", if all { "all plugins are ready".into() } else { count }),
        ("Ready", against.is_none(), "", against.unwrap_or_else(|| "ready".into())),
    ]
}

/// The conditions of the live status with these in their places. A condition keeps its time while its status does; one
/// without a time gets it as soon as a time is known.
fn merged(preset: &Value, conditions: Vec<Condition>, now: Option<Timestamp>) -> Value {
    let live = preset.at(&["status", "statusConditions", "conditions"]).and_then(Value::as_list);
    let mut list = live.cloned().unwrap_or_default();
    for (name, holds, reason, message) in conditions {
        let status = if holds { "True" } else { "False" };
        let place = list.iter().position(|it| it.text_at(&["type"]) == name);
        let before = place.and_then(|at| list.get(at));
        let since = before.filter(|it| it.text_at(&["status"]) == status).map(|it| it.text_at(&["lastTransitionTime"]));
        let since = match since.unwrap_or_default() {
            "" => now.map(|it| timestamp(&it)).unwrap_or_default(),
            since => since.to_string(),
        };
        let fields = [("lastTransitionTime", since.as_str()), ("message", &message), ("reason", reason)];
        let mut condition: Map = [("status", status), ("type", name)].into_iter().collect();
        for (field, text) in fields.into_iter().filter(|(_, text)| !text.is_empty()) {
            condition.insert(field, text);
        }
        match place.and_then(|at| list.get_mut(at)) {
            Some(place) => *place = condition.into(),
            None => list.push(condition.into()),
        }
    }
    Value::map([("conditions", list)])
}

/// A time as Kubernetes writes it.
fn timestamp(moment: &Timestamp) -> String {
    let label = moment.label();
    match label.split_once('T') {
        Some((day, time)) => format!("{day}T{}", time.replace('-', ":")),
        None => label,
    }
}

/// The part of a Plugin's status that lists the overrides it has: `appliedOverrides`, lowest first, each with its
/// `document` and the `options` that it decides.
pub fn applied(layers: &[&Layer]) -> Value {
    let mut overrides = Vec::new();
    // What higher layers set: the options themselves, and the places that may be parents of others.
    let (mut paths, mut places): (SortedSet<&Text>, SortedSet<&[OptionStep]>) = (SortedSet::new(), SortedSet::new());
    for layer in layers.iter().rev() {
        if is_override(layer) {
            let is_replaced = |setting: &Setting| {
                let steps = setting.place.steps();
                let mut parents = (1..steps.len()).filter_map(|depth| steps.get(..depth));
                paths.contains(&setting.path) || parents.any(|it| places.contains(it))
            };
            let decided = layer.set.iter().filter(|it| !is_replaced(it));
            let mut decided: Vec<&Text> = decided.map(|it| &it.path).collect();
            sort(&mut decided);
            decided.dedup();
            let document = layer.document.as_deref().map(Identity::to_string).unwrap_or_default();
            overrides.push(Value::map([
                ("document", Value::from(document)),
                ("options", Value::list(decided.into_iter().cloned())),
            ]));
        }
        let replacing = layer.set.iter().filter(|it| !it.deep);
        for setting in replacing {
            paths.insert(&setting.path);
            places.insert(setting.place.steps());
        }
    }
    overrides.reverse();
    let overrides = if overrides.is_empty() { Value::Null } else { overrides.into() };
    Value::map([("appliedOverrides", overrides)])
}

/// Whether a layer is an override, rather than a value of the plugin itself or one that Greenhouse gives.
pub fn is_override(layer: &Layer) -> bool {
    layer.name.ends_with("-override") && layer.name != INJECTED
}

/// Why a live Plugin is changed: the options that differ, and every place.
pub fn difference(live: &Value, desired: &Value) -> Reason {
    let differences = edits(live, desired).into_iter().map(|Edit { verb, path, .. }| {
        let kind = match verb {
            Verb::Add => DifferenceKind::Missing,
            Verb::Remove => DifferenceKind::Extra,
            _ => DifferenceKind::Changed,
        };
        let (desired, live) = (path.get(desired).cloned(), path.get(live).cloned());
        Difference { path, kind, desired, live }
    });
    let differences: Vec<Difference> = differences.collect();
    let named = |object: &Value| {
        let list = object.at(&["spec", "optionValues"]).and_then(Value::as_list).cloned().unwrap_or_default();
        list.into_iter().map(|it| (Text::from(it.text_at(&["name"])), it)).collect::<Map>()
    };
    let (before, after) = (named(live), named(desired));
    let mut options: Vec<&Text> = before.keys().chain(after.keys()).collect();
    sort(&mut options);
    options.dedup();
    options.retain(|name| before.get(name) != after.get(name));
    let options = options.into_iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let text = match options.is_empty() {
        true => "the live Plugin differs".to_string(),
        false => format!("the live Plugin differs in {options}"),
    };
    Reason { code: ReasonCode::Differs, text, differences }
}
