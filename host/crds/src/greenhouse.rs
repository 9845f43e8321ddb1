//! The PluginOverride that Greenhouse proposed and never built.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::derived::{AGE, AnyObject, Anything, Column, DerivedKind, schema_of};

pub(crate) const PLUGIN_OVERRIDE: DerivedKind = DerivedKind {
    group: "greenhouse.sap",
    kind: "PluginOverride",
    short_names: &[],
    columns: &[Column::text("Definitions", ".spec.pluginDefinitionNames"), AGE],
    schema: schema_of::<PluginOverride>,
};

/// Overrides option values of the plugins of an organization, of some clusters, or of some plugin definitions.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct PluginOverride {
    /// The plugins and clusters that the overrides are for, and the overrides.
    pub spec: PluginOverrideSpec,
}

/// The plugins and clusters that the overrides are for, and the overrides.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PluginOverrideSpec {
    /// Applies only to plugins of these definitions. Defaults to all plugins.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub plugin_definition_names: Option<Vec<String>>,
    /// Applies only on the clusters that this selector, or one of this list, selects. Defaults to all clusters.
    pub cluster_selector: Option<Anything>,
    /// The options and their values.
    pub overrides: Vec<OptionOverride>,
}

/// An option and its value.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OptionOverride {
    /// The option.
    pub name: Option<String>,
    /// The option; another name for `name`.
    pub path: Option<String>,
    /// The value.
    pub value: Option<Anything>,
    /// The Secret that holds the value.
    pub value_from: Option<AnyObject>,
    /// A CEL expression that computes the value for each cluster.
    pub expression: Option<String>,
    /// Whether a map is merged into the value of lower layers or replaces it.
    pub merge: Option<Merge>,
}

/// How a map meets the value of lower layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Merge {
    Deep,
    Replace,
}
