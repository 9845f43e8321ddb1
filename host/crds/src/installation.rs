//! Products that are installed from bundles: ours, and the CertManagerDeployment of the cert-manager operator.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::condition::Condition;
use crate::derived::{AGE, AnyObject, Column, DerivedKind, GROUP, READY, schema_of};

const INSTALLED_VERSION: Column = Column::text("Version", ".status.version");
const PHASE: Column = Column::text("Phase", ".status.phase");

pub(crate) const BUNDLE: DerivedKind = DerivedKind {
    group: GROUP,
    kind: "Bundle",
    short_names: &[],
    columns: &[Column::text("Product", ".spec.product"), Column::text("Version", ".spec.version"), AGE],
    schema: schema_of::<Bundle>,
};

pub(crate) const INSTALLATION: DerivedKind = DerivedKind {
    group: GROUP,
    kind: "Installation",
    short_names: &[],
    columns: &[Column::text("Product", ".spec.product"), INSTALLED_VERSION, READY, PHASE, AGE],
    schema: schema_of::<Installation>,
};

pub(crate) const CERT_MANAGER_DEPLOYMENT: DerivedKind = DerivedKind {
    group: "operators.opdev.io",
    kind: "CertManagerDeployment",
    short_names: &[],
    columns: &[INSTALLED_VERSION, READY, PHASE, AGE],
    schema: schema_of::<CertManagerDeployment>,
};

/// The objects of one version of a product, ready to install.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct Bundle {
    /// The product, its version and its objects.
    pub spec: BundleSpec,
}

/// The product, its version and its objects.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct BundleSpec {
    /// The name of the product.
    pub product: String,
    /// Its version, as `v1.2.3`.
    pub version: String,
    /// The parts that can be overridden.
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub components: Option<Vec<Component>>,
    /// The flags that each component accepts, by component.
    pub molds: Option<BTreeMap<String, Vec<Flag>>>,
    /// The objects.
    pub manifests: Vec<AnyObject>,
}

/// A part that can be overridden.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Component {
    /// The name that overrides use.
    pub name: String,
    /// The Deployment that runs it.
    pub deployment: String,
    /// Its container. Defaults to the only container of the Deployment.
    pub container: Option<String>,
}

/// A flag that a component accepts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Flag {
    /// The name of the flag, without dashes.
    pub flag: String,
    /// The type of its value.
    #[serde(rename = "type")]
    pub kind: FlagType,
}

/// The type of a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FlagType {
    Bool,
    Int,
    Uint,
    Duration,
    String,
    Strings,
}

/// Installs a version of a product and keeps it as its bundle describes.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct Installation {
    /// The product to install.
    pub spec: InstallationSpec,
    /// The installed version and its health.
    pub status: Option<InstallationStatus>,
}

/// The product to install.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallationSpec {
    /// The name of the product.
    pub product: String,
    /// The version to install. Defaults to the latest version that has a bundle.
    pub version: Option<String>,
    /// Changes that nobody has tested with this version.
    pub danger_zone: Option<DangerZone>,
    /// Whether to own objects that existed before, and so delete them with the installation. Defaults to false.
    pub adopt: Option<bool>,
}

/// The installed version and its health.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallationStatus {
    /// The generation of the spec that the status describes.
    pub observed_generation: Option<i64>,
    #[serde(flatten)]
    pub health: Health,
}

/// Installs a version of cert-manager and keeps it as its bundle describes. Only the object named `cluster` is read.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
pub struct CertManagerDeployment {
    /// The version to install.
    pub spec: Option<CertManagerDeploymentSpec>,
    /// The installed version and its health.
    pub status: Option<Health>,
}

/// The version to install.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CertManagerDeploymentSpec {
    /// The version to install. Defaults to the latest version that has a bundle.
    pub version: Option<String>,
    /// Changes that nobody has tested with this version.
    pub danger_zone: Option<DangerZone>,
}

/// Changes that nobody has tested with this version.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DangerZone {
    /// Images that replace those of the bundle, by component.
    pub image_overrides: Option<BTreeMap<String, String>>,
    /// Arguments that replace all those of the bundle, by component: flags without dashes, and their values.
    pub container_arg_overrides: Option<BTreeMap<String, AnyObject>>,
}

/// The installed version and its health.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// The version that is completely installed.
    pub version: Option<String>,
    /// `Running` once every object is healthy.
    pub phase: Option<Phase>,
    /// The state of the installation.
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Option<Vec<Condition>>,
    /// The conditions of each CustomResourceDefinition.
    pub crd_conditions: Option<Vec<CrdConditions>>,
    /// The conditions of each Deployment.
    pub deployment_conditions: Option<Vec<DeploymentConditions>>,
}

/// The progress of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Phase {
    Pending,
    Running,
}

/// The conditions of one CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct CrdConditions {
    /// The name of the CustomResourceDefinition.
    pub name: String,
    /// The conditions of its status.
    pub conditions: Option<Vec<AnyObject>>,
}

/// The conditions of one Deployment.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentConditions {
    /// The namespace and name of the Deployment.
    pub namespaced_name: String,
    /// The conditions of its status.
    pub conditions: Option<Vec<AnyObject>>,
}
