//! A PluginPreset: one Plugin for every cluster that it picks.

use std::sync::Arc;

use super::collisions::{Collisions, collision_message, is_related};
use super::definition::Wanted;
use super::entries::{Part, Reader};
use super::inject::OWNED_BY_LABEL;
use super::object::{self, Desired, Made, plugin_name};
use super::picked::Picked;
use super::stack::{Stack, StackInput};
use super::status::{self, PluginState};
use super::unknown::unknown_clusters;
use super::{CLUSTER, GROUP, PLUGIN, PRESET, Quirk, identity, plugins_in, preset_of, scope_of};
use super::{absent, account};
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode, Severity};
use crate::engine::diff::diff;
use crate::engine::fold::{Effective, Layer};
use crate::engine::rendered::Rendered;
use crate::engine::select::fleet::Fleet;
use crate::engine::select::{Cluster, Selector};
use crate::object::document::{Document, Identity};
use crate::object::identity::is_terminating;
use crate::value::JsonPath;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::suggest::{Hints, suggest};
use crate::value::{Text, Value};
use crate::workspace::compare::Cause;
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::{Need, Planner, Reason, Target};
use crate::workspace::results::ClusterResults;
use crate::workspace::store::View;
use crate::workspace::subject::{Dependency, Invalidation, RemovalCause, ResultCache, Subject, UnusedLayer};
use crate::workspace::targets::{ClusterFilter, Targets};

#[derive(Debug)]
pub struct Preset {
    stack: Stack,
    targets: Targets,
    pub document: Value,
    policy: Policy,
    /// Presets whose Plugins may have the same names as this one's.
    pub collisions: Collisions,
    /// The clusters that are overridden by name, with the place of each entry.
    pub overridden: Vec<(Text, Pointer)>,
}

/// What happens to a Plugin that its preset releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    Delete,
    Retain,
}

impl Preset {
    /// # Errors
    ///
    /// The selector cannot be read, or no definition is named: then the Plugins that there are stay as they are.
    pub fn read(view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Preset, Error> {
        let (value, own) = (&document.value, &document.identity);
        let reader = Reader { document, mode: view.settings.mode };
        let spec = JsonPath::ROOT.key("spec");
        let picked = read_selector(view, document, out)?;
        let template = value.at(&["spec", "plugin"]).unwrap_or(&Value::Null);
        let at = spec.key("plugin");
        let wanted = Wanted::read(document, template, &at, out)?;
        let place = at.key("optionValues");
        let mut values = reader.part("preset", None, template.get("optionValues"), &place, out);
        let (overridden, above) = read_cluster_overrides(&reader, value, out);
        let policy = match value.text_at(&["spec", "deletionPolicy"]) {
            "" | "Delete" => Policy::Delete,
            "Retain" => Policy::Retain,
            other => {
                let message = format!("unknown deletion policy `{other}`");
                let hint = suggest(other, &["Delete", "Retain"], "one of");
                values.refuse(Error::new(Code::UnknownValue, message).at(spec.key("deletionPolicy")).hint(hint), out);
                Policy::Retain
            }
        };
        for error in wait_for_errors(value.at(&["spec", "waitFor"]), &spec) {
            values.refuse(error, out);
        }
        let travelling = object::travelling(value, "labels", object::PROPAGATE_LABELS);
        let owner = travelling.iter().find(|(key, _)| *key == OWNED_BY_LABEL).and_then(|(_, value)| value.as_text());
        let owner = Text::from(owner.unwrap_or_default());
        let made = StackInput { wanted, values, above, owner, place: place.pointer() };
        let mut stack = Stack::new(view, reader, made, out);
        stack.depends.extend(picked.depends);
        Ok(Preset {
            stack,
            targets: Targets::Fleet(scope_of(&own.namespace), ClusterFilter::Selector(picked.selector)),
            document: value.clone(),
            policy,
            collisions: Collisions::of(view, own),
            overridden,
        })
    }

    fn identity(&self) -> &Identity {
        &self.stack.document
    }

    pub fn picks(&self, cluster: &Cluster) -> bool {
        matches!(&self.targets, Targets::Fleet(_, picks) if picks.picks(cluster))
    }

    /// Whether its selector is meant to pick clusters, and there is none that it picks.
    pub fn picks_nobody(&self, fleet: Option<&Fleet>) -> bool {
        let Targets::Fleet(_, picks) = &self.targets else { return false };
        let is_meant = !matches!(picks, ClusterFilter::Selector(Selector::Nothing));
        is_meant && fleet.is_none_or(|fleet| picks.members(fleet).is_empty())
    }

    fn plugin(&self, cluster: &str) -> Identity {
        let Identity { namespace, name, .. } = self.identity();
        identity(PLUGIN, namespace, &plugin_name(name, cluster))
    }

    /// The preset that would make a Plugin of the same name as this one's for a cluster, if there is one.
    pub fn colliding_preset(&self, view: View, cluster: &str) -> Option<&Text> {
        self.collisions.of_plugin(view, &self.stack.scope, &self.plugin(cluster).name)
    }

    /// The colliding preset that stops the Plugin of a cluster.
    fn stopping(&self, view: View, cluster: &str) -> Option<&Text> {
        let first_wins = Quirk::FirstPresetWins.is_kept(view.settings.mode);
        self.colliding_preset(view, cluster).filter(|it| !first_wins || **it < self.identity().name)
    }

    /// The state of one cluster's Plugin, as far as it is known without a new plan.
    fn plugin_state<'v>(
        &self,
        view: View<'v>,
        cluster: &str,
        rendered: &Result<Arc<Rendered>, Arc<Error>>,
    ) -> PluginState<'v> {
        if self.stack.definition.is_none() {
            return PluginState::Waiting;
        }
        let rendered = match rendered {
            Ok(rendered) => rendered,
            Err(error) => return PluginState::Failed(error.message.clone()),
        };
        if let Some(error) = rendered.error() {
            let elsewhere = error.at.document.as_ref().filter(|it| **it != self.identity().to_string());
            return PluginState::Failed(match elsewhere {
                Some(document) => format!("`{document}`: {}", error.message),
                None => error.message.clone(),
            });
        }
        if let Some(other) = self.stopping(view, cluster) {
            return PluginState::Failed(collision_message(&self.plugin(cluster).name, other));
        }
        match view.store.observation(HUB, &self.plugin(cluster)) {
            Observation::Present(live) if preset_of(live) != Some(&self.identity().name) => PluginState::Skipped,
            Observation::Present(live) => PluginState::of(live),
            Observation::Absent | Observation::Unknown => PluginState::Waiting,
        }
    }

    fn is_going(&self, view: View, cluster: &str) -> bool {
        view.store.cluster_document(&self.stack.scope, cluster).is_some_and(|it| is_terminating(&it.value))
    }

    fn update(&self, view: View, cluster: &Cluster, live: &Value, desired: Desired, planner: &mut Planner) {
        for field in desired.fixed {
            let message = format!("`{field}` of `{}` cannot be changed any more", self.plugin(&cluster.name));
            let path = Pointer::of(["spec", "plugin", field]);
            planner.steps.diagnostics.push(
                Diagnostic::warning(Code::ImmutableDifference, message)
                    .of(self.identity())
                    .at(path)
                    .hint("delete the Plugin, and the preset creates it again"),
            );
        }
        let patch = diff(live, &desired.object);
        let reason = status::difference(live, &desired.object);
        planner.patch(HUB, live, patch, 0, reason);
        let its = super::overrides::of_cluster(view, &self.stack.scope, &cluster.name, &mut Vec::new());
        planner.status(live, status::applied(&self.stack.applied(cluster, its.as_ref())));
    }

    /// Whether the Plugins that it releases stay.
    fn retains(&self, view: View, deleting: bool) -> bool {
        self.policy == Policy::Retain && (deleting || !Quirk::DeletesRetained.is_kept(view.settings.mode))
    }

    /// Reports the clusters that the selector names and that are unknown. Returns whether it is unknown which clusters
    /// are meant.
    fn report_unknown(&self, view: View, planner: &mut Planner) -> bool {
        let Some(document) = view.store.document(self.identity()) else { return false };
        let mut unknown = unknown_clusters(view, document, &self.stack.scope, &mut Hints::default());
        unknown.retain(|it| it.severity == Severity::Error);
        let is_vague = !unknown.is_empty();
        planner.steps.diagnostics.extend(unknown);
        is_vague
    }

    /// Releases the Plugins that the preset made and no longer wants.
    fn release_plugins(
        &self,
        view: View,
        plugins: &[(Identity, Value)],
        cluster_results: &ClusterResults,
        planner: &mut Planner,
    ) {
        let deleting = is_terminating(&self.document);
        let is_vague = !deleting && self.report_unknown(view, planner);
        let (since, name) = (planner.steps.actions.len(), &self.identity().name);
        let (mut deleted, mut kept) = (0_usize, Vec::new());
        for (_, live) in plugins.iter().filter(|(_, it)| preset_of(it) == Some(name)) {
            let cluster = live.text_at(&["spec", "clusterName"]);
            if cluster_results.contains_key(cluster) && !deleting {
                continue;
            }
            if has_unreadable_labels(view, self, cluster) {
                let message = format!("the labels of the cluster `{cluster}` cannot be read, so its Plugin stays");
                planner.steps.diagnostics.push(Diagnostic::warning(Code::BadLabelValue, message).of(self.identity()));
                continue;
            }
            let stays = absent::stays_in_plan(view, &self.stack.scope, cluster, planner);
            if let Some(stays) = stays.filter(|_| !deleting) {
                planner.steps.managed = planner.steps.managed.saturating_add(1);
                kept.push((stays, cluster.to_owned()));
                continue;
            }
            if is_vague {
                planner.steps.managed = planner.steps.managed.saturating_add(1);
                continue;
            }
            let retain = self.retains(view, deleting);
            let (code, why) = match deleting {
                true => (ReasonCode::NoLongerWanted, "the preset is being deleted"),
                false => (ReasonCode::NoLongerSelected, "the preset no longer picks the cluster"),
            };
            if retain {
                planner.steps.managed = planner.steps.managed.saturating_add(1);
                let patch = diff(live, &object::released(live, name));
                let text = format!("{why}, and its policy is to retain the Plugin");
                planner.patch(HUB, live, patch, 0, Reason::new(code, text));
            } else {
                deleted = deleted.saturating_add(1);
                planner.delete(HUB, live, 0, Reason::new(code, why));
            }
        }
        absent::report(&kept, self.identity(), planner);
        if deleted > 0 && cluster_results.is_empty() && !deleting && !view.settings.limits.empty_selection {
            let text = "the preset picks no cluster, and all its Plugins would go";
            let hint = "allow it with `limits.emptySelection: true`";
            planner.hold(since, ReasonCode::EmptySelection, text, hint);
        }
    }
}

impl Subject for Preset {
    fn targets(&self) -> &Targets {
        &self.targets
    }

    fn dependencies(&self) -> &[Dependency] {
        &self.stack.depends
    }

    fn is_outdated(&self, view: View) -> bool {
        self.stack.is_outdated(view)
    }

    fn effective(&self, view: View, cluster: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        self.stack.effective(view, cluster, cache)
    }

    fn per_cluster_options(&self, view: View, cluster: &Cluster) -> Vec<Effective> {
        self.stack.per_cluster_options(view, cluster)
    }

    fn plan(&self, view: View, cluster: &Text, rendered: &Rendered, planner: &mut Planner) {
        let (Some(definition), Some(folded)) = (&self.stack.definition, &rendered.options) else { return };
        let Some(cluster) = view.store.fleet(&self.stack.scope).and_then(|fleet| fleet.get(cluster)) else { return };
        let target = self.plugin(&cluster.name);
        let live = match view.store.observation(HUB, &target) {
            Observation::Unknown => {
                // One list for all clusters, not a need for each.
                let query = plugins_in(&target.namespace);
                let target = Target {
                    api_version: query.api_version,
                    kind: query.kind,
                    namespace: query.namespace,
                    name: Text::default(),
                };
                let need = Need { cluster: HUB.into(), target, label_selector: Text::default() };
                planner.steps.needs.push(need);
                return;
            }
            Observation::Absent => None,
            Observation::Present(live) => Some(live),
        };
        let is_ours = live.is_none_or(|it| preset_of(it) == Some(&self.identity().name));
        // Of a preset that is being deleted, its deletes count them.
        if live.is_some() && is_ours && !is_terminating(&self.document) {
            planner.steps.managed = planner.steps.managed.saturating_add(1);
        }
        let has_errors = rendered.error().is_some();
        let is_stopped = self.stopping(view, &cluster.name).is_some();
        let is_going =
            is_terminating(&self.document) || self.is_going(view, &cluster.name) || live.is_some_and(is_terminating);
        if has_errors || is_stopped || is_going || !is_ours {
            return;
        }
        planner.concealed = self.stack.concealed_with(rendered, live);
        let options = object::options(&self.stack, view, cluster, folded);
        let reference = self.stack.wanted.reference(definition);
        let mode = view.settings.mode;
        let owns = self.policy == Policy::Delete || Quirk::OwnsRetained.is_kept(mode);
        let made = Made { preset: &self.document, cluster: &cluster.name, reference, options, owns };
        match (object::desired(made, live, mode), live) {
            (Ok(desired), None) => {
                let text = format!("the preset picks the cluster `{}`", cluster.name);
                planner.create(HUB, desired.object, 0, Reason::new(ReasonCode::Absent, text));
            }
            (Ok(desired), Some(live)) => self.update(view, cluster, live, desired, planner),
            (Err(error), _) => {
                let message = format!("`{target}`: {}", error.message);
                planner.steps.diagnostics.push(Diagnostic::error(error.code, message).of(self.identity()));
            }
        }
    }

    fn plan_subject(&self, view: View, cluster_results: &ClusterResults, planner: &mut Planner) {
        let Some(plugins) = planner.list(HUB, &plugins_in(&self.identity().namespace)) else { return };
        self.release_plugins(view, &plugins, cluster_results, planner);
        if is_terminating(&self.document) {
            return;
        }
        let plugin_states: Vec<(&Text, PluginState)> = cluster_results
            .iter()
            .map(|(name, cluster_result)| (name, self.plugin_state(view, name, &cluster_result.rendered)))
            .collect();
        self.report_failures(&plugin_states, planner);
        if self.stack.definition.is_none() {
            planner.steps.diagnostics.push(self.stack.wanted.missing(view, self.identity()));
        }
        let its: Vec<&Value> =
            plugins.iter().map(|(_, it)| it).filter(|it| preset_of(it) == Some(&self.identity().name)).collect();
        let version = self.stack.definition.as_ref().map(|it| &it.version);
        let found =
            status::Found { name: &self.identity().name, version, wanted: &self.stack.wanted.name, plugin_states };
        planner.status(&self.document, status::of_preset(&self.document, &found, &its, view.now));
    }

    /// A Plugin belongs to the cluster that its name ends with. If the name of one preset begins with the name of the
    /// other, both may make Plugins of the same names.
    fn invalidated_by(&self, object: &Identity) -> Invalidation {
        let own = self.identity();
        let rest =
            |name: &str| name.strip_prefix(own.name.as_str()).and_then(|it| it.strip_prefix('-')).map(Text::from);
        if object.group != GROUP || object.namespace != own.namespace {
            return Invalidation::Nothing;
        }
        match object.kind.as_str() {
            PLUGIN => rest(&object.name).map_or(Invalidation::Conclusion, Invalidation::Cluster),
            PRESET if is_related(&own.name, &object.name) => Invalidation::Subject,
            CLUSTER => self.collisions.invalidated_by(&object.name, rest),
            _ => Invalidation::Nothing,
        }
    }

    fn retains_on(&self, view: View, cause: RemovalCause) -> bool {
        // A cluster whose document goes counts: Greenhouse, where it runs, deletes the Plugin.
        self.retains(view, matches!(cause, RemovalCause::Subject))
    }

    fn unused_layers(&self, view: View) -> Vec<UnusedLayer> {
        account::unused(view, &self.stack.document.namespace, &self.stack.wanted.name)
    }

    fn beats(&self, view: View, higher: &Cause, lower: &Cause) -> Option<String> {
        account::beats(view, higher, lower)
    }

    fn option_layers(&self) -> &[Layer] {
        &self.stack.layers
    }
}

impl Preset {
    /// Reports once why clusters do not get their Plugin.
    fn report_failures(&self, plugin_states: &[(&Text, PluginState)], planner: &mut Planner) {
        let mut failures: Vec<(Code, &str, Vec<&str>)> = Vec::new();
        let mut places: SortedMap<&str, usize> = SortedMap::new();
        for (cluster, plugin_state) in plugin_states {
            let (code, why) = match plugin_state {
                PluginState::Failed(why) => (Code::PluginFailed, why.as_str()),
                PluginState::Skipped => {
                    (Code::PluginSkipped, "there is a Plugin of this name that the preset did not make")
                }
                _ => continue,
            };
            let place = *places.entry(why).or_insert(failures.len());
            match failures.get_mut(place) {
                Some((_, _, clusters)) => clusters.push(cluster),
                None => failures.push((code, why, vec![cluster])),
            }
        }
        for (code, why, clusters) in failures {
            let (shown, more) = (clusters.iter().take(SHOWN), clusters.len().saturating_sub(SHOWN));
            let mut names = shown.map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
            if more > 0 {
                names.push_str(&format!(" and {more} more"));
            }
            let message = format!("nothing is written for {names}: {why}");
            let severity = if code == Code::PluginSkipped { Severity::Warning } else { Severity::Error };
            planner.steps.diagnostics.push(Diagnostic::new(severity, code, message).of(self.identity()));
        }
    }
}

/// How many clusters a message names.
const SHOWN: usize = 3;

pub fn read_selector(view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Picked, Error> {
    let spec = JsonPath::ROOT.key("spec");
    let at = spec.key("clusterSelector");
    let (value, mut problem) = (document.value.at(&["spec", "clusterSelector"]).unwrap_or(&Value::Null), None);
    let picked = Picked::read(view, value, &document.identity.namespace, &at)?;
    if value.is_null() {
        problem = Some(("there is no `clusterSelector`, which picks no cluster", "name the clusters that are meant"));
    } else if value.is_empty() || matches!(&picked.selector, Selector::Labels(it) if it.requirements().is_empty()) {
        problem = Some((
            "the selector is empty, which picks every cluster of the organization",
            "Greenhouse refuses it in a new preset: name a label that all meant clusters have",
        ));
    }
    if let Some((message, hint)) = problem {
        out.push(Diagnostic::warning(Code::EmptySelector, message).of(&document.identity).at(at.pointer()).hint(hint));
    }
    Ok(picked)
}

/// The overrides of single clusters. Of two entries for one cluster the first one counts, as in Greenhouse.
fn read_cluster_overrides(
    reader: &Reader,
    preset: &Value,
    out: &mut Vec<Diagnostic>,
) -> (Vec<(Text, Pointer)>, Vec<Part>) {
    let (mut overridden, mut parts): (Vec<(Text, Pointer)>, Vec<Part>) = (Vec::new(), Vec::new());
    let mut seen = SortedSet::new();
    let spec = JsonPath::ROOT.key("spec");
    let list_at = spec.key("clusterOptionOverrides");
    let list = preset.at(&["spec", "clusterOptionOverrides"]).and_then(Value::as_list);
    for (index, item) in list.into_iter().flatten().enumerate() {
        let at = list_at.index(index);
        let cluster = Text::from(item.text_at(&["clusterName"]));
        let finding = if cluster.is_empty() {
            Diagnostic::error(Code::MissingField, "the override has no `clusterName`, and is for no cluster")
        } else if !seen.insert(cluster.clone()) {
            let message = format!("the cluster `{cluster}` has an entry already; this one is ignored");
            Diagnostic::warning(Code::DuplicateEntry, message).hint("put all its overrides into one entry")
        } else {
            let when = Selector::Listed(vec![cluster.clone()].into());
            let overrides_at = at.key("overrides");
            parts.push(reader.part("cluster-option-override", Some(when), item.get("overrides"), &overrides_at, out));
            overridden.push((cluster, at.pointer()));
            continue;
        };
        out.push(finding.of(&reader.document.identity).at(at.pointer()));
    }
    (overridden, parts)
}

/// What a plugin waits for is a Plugin or a preset, each once.
pub fn wait_for_errors(list: Option<&Value>, spec: &JsonPath) -> Vec<Error> {
    let (list_at, mut seen, mut errors) = (spec.key("waitFor"), SortedSet::new(), Vec::new());
    for (index, item) in list.and_then(Value::as_list).into_iter().flatten().enumerate() {
        let reference = item.get("pluginRef").unwrap_or(&Value::Null);
        let named = ["name", "pluginPreset"].map(|key| reference.text_at(&[key]));
        let wrong = match named {
            ["", ""] => "names neither a `name` nor a `pluginPreset`",
            [name, preset] if !name.is_empty() && !preset.is_empty() => "names both a `name` and a `pluginPreset`",
            _ if !seen.insert(named) => "is named twice",
            _ => continue,
        };
        errors.push(Error::new(Code::BadWaitFor, format!("what is waited for {wrong}")).at(list_at.index(index)));
    }
    errors
}

/// A cluster whose labels cannot be read is not picked, but its Plugin is not released either.
fn has_unreadable_labels(view: View, preset: &Preset, cluster: &str) -> bool {
    let cluster = view.store.fleet(&preset.stack.scope).and_then(|it| it.get(cluster));
    let is_undecided =
        |it: &Cluster| matches!(&preset.targets, Targets::Fleet(_, picks) if picks.decides(it).is_none());
    cluster.is_some_and(|it| it.labels.is_unknown() || is_undecided(it))
}
