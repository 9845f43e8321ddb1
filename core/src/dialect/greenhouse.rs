//! Greenhouse: plugins for the clusters of an organization, and overrides of their options (seed 000).
//!
//! A [`preset`] makes one Plugin for every cluster it picks; a [`plugin`] without a preset is a subject of its own.
//! Both are a [`stack`] of layers, lowest first:
//!
//! | layer | from |
//! |---|---|
//! | `definition-default` | the options of the PluginDefinition or ClusterPluginDefinition |
//! | `catalog` | the `optionsOverride` of a Catalog |
//! | `preset`, `plugin` | the `optionValues` of the PluginPreset or Plugin |
//! | `organization-override` | `spec.pluginOverrides` of the Organization |
//! | `cluster-override` | `spec.pluginOverrides` of the Cluster |
//! | `plugin-override` | PluginOverrides: for all, for clusters, for definitions, for both |
//! | `cluster-option-override` | the preset's `clusterOptionOverrides` |
//! | `injected` | the options that Greenhouse adds under `global.greenhouse` |
//!
//! An expression is evaluated for each cluster after the layers are folded, and replaces its entry.

mod absent;
mod account;
mod collisions;
mod defaults;
mod definition;
mod entries;
mod expression;
mod fields;
mod hidden;
mod inject;
mod lint;
mod lookups;
mod object;
mod overrides;
mod picked;
mod plugin;
mod preset;
mod stack;
mod status;
mod steps;
mod ties;
mod unknown;

pub use overrides::contradictions;

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::object::document::{Document, Identity};
use crate::value::{JsonPath, Text, Value};
use crate::workspace::admit::Rule;
use crate::workspace::admit::defaults::Filled;
use crate::workspace::hub_kind::{HubKind, NAMESPACE};
use crate::workspace::observed::Query;
use crate::workspace::plan::StatusTerms;
use crate::workspace::store::{Scope, View};
use crate::workspace::subject::{Dialect, Subject};

const GROUP: &str = "greenhouse.sap";
const API_VERSION: &str = "greenhouse.sap/v1alpha1";

const PRESET: &str = "PluginPreset";
const PLUGIN: &str = "Plugin";
const CLUSTER: &str = "Cluster";
const ORGANIZATION: &str = "Organization";
const OVERRIDE: &str = "PluginOverride";
const CATALOG: &str = "Catalog";
const DEFINITION: &str = "PluginDefinition";
const CLUSTER_DEFINITION: &str = "ClusterPluginDefinition";

/// The label with the preset of a Plugin. It decides, not the owner reference.
const PRESET_LABEL: &str = "greenhouse.sap/pluginpreset";

const KINDS: &[HubKind] = &[
    namespaced(CATALOG, "catalogs").with_status().with_fields(&fields::CATALOG),
    namespaced(CLUSTER, "clusters").with_status().guarded().with_fields(&fields::OVERRIDING),
    cluster_wide(CLUSTER_DEFINITION, "clusterplugindefinitions").with_status().with_fields(&fields::DEFINITION),
    cluster_wide(ORGANIZATION, "organizations").with_status().guarded().with_fields(&fields::OVERRIDING),
    namespaced(PLUGIN, "plugins").with_status().with_fields(&fields::PLUGIN),
    namespaced(DEFINITION, "plugindefinitions").with_status().with_fields(&fields::DEFINITION),
    namespaced(OVERRIDE, "pluginoverrides").guarded().with_fields(&fields::OVERRIDE),
    namespaced(PRESET, "pluginpresets").with_status().guarded().with_fields(&fields::PRESET),
    NAMESPACE,
];

const fn namespaced(kind: &'static str, plural: &'static str) -> HubKind {
    HubKind::namespaced(GROUP, kind, plural, "v1alpha1")
}

const fn cluster_wide(kind: &'static str, plural: &'static str) -> HubKind {
    HubKind::cluster_wide(GROUP, kind, plural, "v1alpha1")
}

#[derive(Debug)]
pub struct Greenhouse;

impl Dialect for Greenhouse {
    fn name(&self) -> &'static str {
        "greenhouse"
    }

    fn kinds(&self, _: View) -> Vec<HubKind> {
        KINDS.to_vec()
    }

    fn is_subject(&self, view: View, document: &Document) -> bool {
        let Identity { kind, group, namespace, .. } = &document.identity;
        group == GROUP
            && match kind.as_str() {
                PRESET => true,
                PLUGIN => preset_of(&document.value)
                    .is_none_or(|name| view.document(&identity(PRESET, namespace, name)).is_none()),
                _ => false,
            }
    }

    /// The Plugins of a preset are subjects of their own while it is not loaded.
    fn affects_subject_set(&self, identity: &Identity) -> bool {
        identity.group == GROUP && identity.kind == PRESET
    }

    fn is_layer(&self, identity: &Identity) -> bool {
        const LAYERS: [&str; 5] = [CATALOG, CLUSTER_DEFINITION, DEFINITION, ORGANIZATION, OVERRIDE];
        identity.group == GROUP && LAYERS.contains(&identity.kind.as_str())
    }

    fn read(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Box<dyn Subject>, Error> {
        if document.identity.kind == PRESET {
            Ok(Box::new(preset::Preset::read(view, document, out)?))
        } else {
            Ok(Box::new(plugin::Plugin::read(view, document, out)?))
        }
    }

    fn lint(&self, view: View, out: &mut Vec<Diagnostic>) {
        lint::lint(view, out);
    }

    fn lint_document(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) {
        lint::lint_document(view, document, out);
    }

    fn admission(&self, _: View, group: &str, kind: &str) -> Option<&'static Rule> {
        Rule::of_kind(ADMISSION, group, kind)
    }

    fn has_defaults(&self, group: &str, kind: &str) -> bool {
        defaults::has_defaults(group, kind)
    }

    fn fill(
        &self,
        view: View,
        object: Value,
        document: &Document,
        at: &JsonPath,
        out: &mut Vec<Diagnostic>,
    ) -> Result<Filled, Error> {
        defaults::fill(view, object, document, at, out)
    }

    fn status_terms(&self) -> &'static StatusTerms {
        &status::TERMS
    }
}

/// Behaviour of Greenhouse that differs from its documentation or the expectation of its users. Compat mode reproduces
/// it.
///
/// | quirk | compat | strict |
/// |---|---|---|
/// | `RepeatedBase` | an override replaces the first of two equal entries | the last counts, and the override wins |
/// | `Unsorted` | without options in the definition, the list stays as written | always by name, each once |
/// | `DefaultHidesReference` | a default and a reference cancel out, so the Plugin is refused | the reference counts |
/// | `ExpressionFirst` | of an expression and a value in one entry the expression counts | the entry is refused |
/// | `DeletesRetained` | a cluster that is no longer picked loses its Plugin with any policy | `Retain` keeps it |
/// | `OwnsRetained` | with `Retain` too, the preset owns the Plugin | no owner reference |
/// | `DeletesUnknown` | the Plugin of a cluster whose document is absent is deleted | it stays: see `absent` |
/// | `FirstPresetWins` | of two presets that make Plugins of one name, one is skipped | both stop |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quirk {
    RepeatedBase,
    Unsorted,
    DefaultHidesReference,
    ExpressionFirst,
    DeletesRetained,
    OwnsRetained,
    DeletesUnknown,
    FirstPresetWins,
}

impl Quirk {
    /// The rows of the table that a mode keeps.
    const KEPT: &[(Mode, &[Quirk])] = &[
        (Mode::Strict, &[]),
        (
            Mode::Compat,
            &[
                Quirk::RepeatedBase,
                Quirk::Unsorted,
                Quirk::DefaultHidesReference,
                Quirk::ExpressionFirst,
                Quirk::DeletesRetained,
                Quirk::OwnsRetained,
                Quirk::DeletesUnknown,
                Quirk::FirstPresetWins,
            ],
        ),
    ];

    fn is_kept(self, mode: Mode) -> bool {
        Quirk::KEPT.iter().any(|(it, kept)| *it == mode && kept.contains(&self))
    }
}

fn identity(kind: &str, namespace: &str, name: &str) -> Identity {
    Identity { kind: kind.into(), group: GROUP.into(), namespace: namespace.into(), name: name.into() }
}

/// The clusters that presets, overrides and plugins of a namespace see.
fn scope_of(namespace: &Text) -> Scope {
    Scope { kind: CLUSTER.into(), namespace: namespace.clone() }
}

/// The preset that made a Plugin.
fn preset_of(plugin: &Value) -> Option<&str> {
    Some(plugin.text_at(&["metadata", "labels", PRESET_LABEL])).filter(|it| !it.is_empty())
}

/// All Plugins of a namespace.
fn plugins_in(namespace: &Text) -> Query {
    Query { api_version: API_VERSION.into(), kind: PLUGIN.into(), namespace: namespace.clone(), ..Query::default() }
}

const RULE: Rule = Rule::findings(
    &Greenhouse,
    "greenhouse.sap",
    &["PluginOverride", "Plugin", "PluginDefinition", "ClusterPluginDefinition", "Catalog"],
    &[Code::UnknownDocument, Code::MissingOption, Code::ExpressionFailed, Code::ExpressionsOff],
);

/// How changes of Greenhouse's documents are reviewed.
const ADMISSION: &[Rule] = &[
    Rule { kinds: &["PluginPreset"], refused: &[Code::DuplicateEntry], further: contradictions, ..RULE },
    Rule { kinds: &["Organization", "Cluster"], further: contradictions, ..RULE },
    RULE,
];
