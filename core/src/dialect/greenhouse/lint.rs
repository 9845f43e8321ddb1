//! Findings about documents of Greenhouse beyond those of translating its subjects: most depend on which clusters and
//! definitions exist.

use super::account;
use super::collisions::collision_message;
use super::definition::{Definition, parts_of_catalog};
use super::entries::Part;
use super::lookups::Lookups;
use super::overrides::{self, Override};
use super::preset::Preset;
use super::unknown::unknown_clusters;
use super::{
    CATALOG, CLUSTER, CLUSTER_DEFINITION, DEFINITION, GROUP, ORGANIZATION, OVERRIDE, PLUGIN, PRESET, preset_of,
    scope_of,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::select::fleet::Fleet;
use crate::engine::select::{LabelSelector, Selector};
use crate::object::document::Document;
use crate::value::JsonPath;
use crate::value::Text;
use crate::value::path::Pointer;
use crate::value::suggest::Hints;
use crate::workspace::store::View;
use crate::workspace::targets::ClusterFilter;

type Check = fn(View, &Document, &mut Lookups, &mut Vec<Diagnostic>);

/// The checks of the documents of each kind.
const CHECKS: &[(&str, Check)] = &[
    (DEFINITION, |_, document, _, out| drop(Definition::read(document, out))),
    (CLUSTER_DEFINITION, |_, document, _, out| drop(Definition::read(document, out))),
    (PRESET, lint_preset),
    (PLUGIN, lint_plugin),
    (OVERRIDE, lint_override),
    (CATALOG, lint_catalog),
    (ORGANIZATION, lint_organization),
    (CLUSTER, lint_cluster),
];

pub fn lint(view: View, out: &mut Vec<Diagnostic>) {
    let mut lookups = Lookups::new();
    for (kind, check) in CHECKS {
        view.store.of_kind(GROUP, kind, None).for_each(|it| check(view, it, &mut lookups, out));
    }
}

pub fn lint_document(view: View, document: &Document, out: &mut Vec<Diagnostic>) {
    let of_kind = CHECKS.iter().filter(|(kind, _)| document.identity.kind == *kind);
    of_kind.for_each(|(_, check)| check(view, document, &mut Lookups::new(), out));
}

fn lint_organization(view: View, document: &Document, lookups: &mut Lookups, out: &mut Vec<Diagnostic>) {
    let name = &document.identity.name;
    if let Some(part) = overrides::of_organization(view, name, out) {
        lookups.overrides(view, name).report_hidden_below(&part, &document.identity, out);
        report_undeclared(view, name, (&[], &part), lookups, out);
    }
}

/// Unknown clusters, selectors that pick none, overrides for clusters that get nothing, and Plugins of one name.
fn lint_preset(view: View, document: &Document, lookups: &mut Lookups, out: &mut Vec<Diagnostic>) {
    let Ok(preset) = Preset::read(view, document, &mut Vec::new()) else { return };
    let scope = scope_of(&document.identity.namespace);
    let fleet = view.store.fleet(&scope);
    let unknown = unknown_clusters(view, document, &scope, &mut lookups.hints);
    let is_lost = account::report_unknown_organization(view, document, lookups, out) || !unknown.is_empty();
    out.extend(unknown);
    if !is_lost && has_clusters(view) && preset.picks_nobody(fleet) {
        let message = "the selector picks no cluster, so the preset makes no Plugin";
        let at = Pointer::of(["spec", "clusterSelector"]);
        let finding = Diagnostic::warning(Code::UnmatchedOverride, message).of(&document.identity).at(at);
        out.push(finding.hint("correct the selector, or label the clusters as it requires"));
    }
    for (name, at) in &preset.overridden {
        let found = fleet.and_then(|fleet| fleet.get(name));
        let finding = match found {
            None => unknown_cluster(fleet, name, &mut lookups.hints),
            Some(cluster) if !preset.picks(cluster) => {
                let message = format!("the preset does not pick the cluster `{name}`, so this override has no effect");
                Diagnostic::warning(Code::UnmatchedOverride, message)
                    .hint("give the cluster the labels that the selector requires, or remove the override")
            }
            Some(_) => continue,
        };
        out.push(finding.of(&document.identity).at(at.child("clusterName")));
    }
    if !preset.collisions.is_empty() {
        let clusters = fleet.into_iter().flat_map(Fleet::clusters).filter(|it| preset.picks(it));
        for cluster in clusters {
            if let Some(other) = preset.colliding_preset(view, &cluster.name) {
                let plugin = super::object::plugin_name(&document.identity.name, &cluster.name);
                let message = format!("{}, so neither is written", collision_message(&plugin, other));
                out.push(
                    Diagnostic::error(Code::NameCollision, message)
                        .of(&document.identity)
                        .at(Pointer::of(["metadata", "name"]))
                        .hint("rename one of the presets"),
                );
            }
        }
    }
}

/// Whether clusters are loaded: presets alone tell nothing about what they pick.
fn has_clusters(view: View) -> bool {
    view.store.of_kind(GROUP, CLUSTER, None).next().is_some()
}

fn lint_plugin(view: View, document: &Document, lookups: &mut Lookups, out: &mut Vec<Diagnostic>) {
    let cluster = document.value.text_at(&["spec", "clusterName"]);
    let fleet = view.store.fleet(&scope_of(&document.identity.namespace));
    let is_known = fleet.is_some_and(|fleet| fleet.get(cluster).is_some());
    // The Plugin of a preset is deleted with its cluster, which is not a mistake.
    if cluster.is_empty() || is_known || preset_of(&document.value).is_some() {
        return;
    }
    let at = Pointer::of(["spec", "clusterName"]);
    out.push(unknown_cluster(fleet, cluster, &mut lookups.hints).of(&document.identity).at(at));
}

fn lint_override(view: View, document: &Document, lookups: &mut Lookups, out: &mut Vec<Diagnostic>) {
    let Override { definitions, part, named, .. } = Override::read(view, document, out);
    let own = &document.identity;
    let spec = JsonPath::ROOT.key("spec");
    account::report_unknown_organization(view, document, lookups, out);
    lookups.overrides(view, &own.namespace).report_hidden(document, out);
    let known = lookups.known(view, &own.namespace);
    for (index, name) in definitions.iter().enumerate() {
        if !known.contains_key(name) {
            let message = format!("there is no definition `{name}`");
            let names = spec.key("pluginDefinitionNames");
            let mut finding =
                Diagnostic::warning(Code::UnknownDefinition, message).of(own).at(names.index(index).pointer());
            finding.hint = lookups.hints.did_you_mean(name, known.keys().map(Text::as_str));
            out.push(finding);
        }
    }
    report_undeclared(view, &own.namespace, (&definitions, &part), lookups, out);
    let Some(selector) = &part.layer.when else { return };
    let (fleet, at) = (view.store.fleet(&scope_of(&own.namespace)), spec.key("clusterSelector").pointer());
    for name in &named {
        if fleet.is_none_or(|fleet| fleet.get(name).is_none()) {
            out.push(unknown_cluster(fleet, name, &mut lookups.hints).of(own).at(at.clone()));
        }
    }
    if selects_all(selector) {
        let message =
            "the selector picks every cluster, and still gives the override the precedence of one for some clusters";
        let finding = Diagnostic::info(Code::EmptySelector, message).of(own).at(at.clone());
        out.push(finding.hint("leave `clusterSelector` out, or name a label that the clusters have"));
    }
    let picks = ClusterFilter::Selector(selector.clone());
    if fleet.is_none_or(|fleet| picks.members(fleet).is_empty()) {
        let message = "the selector picks no cluster, so the override has no effect";
        out.push(Diagnostic::warning(Code::UnmatchedOverride, message).of(own).at(at));
    }
}

/// Whether a selector has no condition.
fn selects_all(selector: &Selector) -> bool {
    let is_empty = |labels: &LabelSelector| labels.requirements().is_empty();
    match selector {
        Selector::Labels(labels) => is_empty(labels),
        Selector::Union { labels: Some(labels), ignored, .. } => is_empty(labels) && ignored.is_empty(),
        Selector::Union { labels: None, names: None, ignored } => ignored.is_empty(),
        _ => false,
    }
}

fn lint_catalog(view: View, document: &Document, lookups: &mut Lookups, out: &mut Vec<Diagnostic>) {
    let namespace = &document.identity.namespace;
    let definitions = lookups.known(view, namespace);
    let wanted = |name: &str| definitions.contains_key(name);
    for (name, part) in parts_of_catalog(document, wanted, view.settings.mode, out) {
        let named = definitions.get(name).into_iter().flatten();
        for definition in named.filter_map(|it| view.store.document(it)) {
            lookups.definition(definition).report_undeclared(&part, out);
        }
    }
}

fn lint_cluster(view: View, document: &Document, lookups: &mut Lookups, out: &mut Vec<Diagnostic>) {
    let own = &document.identity;
    if document.value.text_at(&["spec", "accessMode"]) == "headscale" {
        let message = "the access mode `headscale` was removed; Greenhouse reads it as `direct`";
        let at = Pointer::of(["spec", "accessMode"]);
        out.push(Diagnostic::info(Code::OldForm, message).of(own).at(at).hint("write `direct`"));
    }
    if let Some(part) = overrides::of_cluster(view, &scope_of(&own.namespace), &own.name, out) {
        lookups.overrides(view, &own.namespace).report_hidden_below(&part, own, out);
        report_undeclared(view, &own.namespace, (&[], &part), lookups, out);
    }
}

/// Reports options that no definition declares, of the definitions that an override names, or of all if it names none.
fn report_undeclared(
    view: View,
    namespace: &Text,
    (only, part): (&[Text], &Part),
    lookups: &mut Lookups,
    out: &mut Vec<Diagnostic>,
) {
    let Some(names) = lookups.declared(view, namespace, only) else { return };
    let document = part.layer.document.as_deref();
    let unknown = part.layer.set.iter().filter(|it| !names.contains(&it.path));
    for setting in unknown.filter(|it| !names.is_empty() && !super::inject::is_tolerated(&it.path)) {
        let message = format!("no definition declares an option `{}`", setting.path);
        let mut finding = Diagnostic::warning(Code::UndeclaredOption, message).at(setting.at.clone());
        finding.hint = lookups.hints.did_you_mean(&setting.path, names.iter().map(Text::as_str));
        finding.at.document = document.map(ToString::to_string);
        out.push(finding);
    }
}

/// In a large fleet, comparing the name with all others would take too long for a hint.
const COMPARED: usize = 5_000;

pub fn unknown_cluster(fleet: Option<&Fleet>, name: &str, hints: &mut Hints) -> Diagnostic {
    let message = format!("there is no cluster `{name}` in the organization");
    let mut finding = Diagnostic::warning(Code::UnknownCluster, message);
    let small = fleet.filter(|it| it.len() <= COMPARED).into_iter();
    finding.hint = hints.did_you_mean(name, small.flat_map(Fleet::clusters).map(|it| it.name.as_str()));
    finding
}
