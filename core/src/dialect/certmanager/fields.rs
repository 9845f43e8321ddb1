//! The fields of deployments and bundles. Fields that decide what is installed, and how, are fields of the scope:
//! without one of them another version would be installed, or other images and arguments.

use crate::object::fields::{Field, Fields, Shape};

/// Of a CertManagerDeployment.
pub const DEPLOYMENT: Fields = Fields::all_used(&[
    Field::scope("dangerZone", Shape::Fields(&DANGER_ZONE)),
    Field::scope("version", Shape::Anything),
]);

pub const INSTALLATION: Fields = Fields::all_used(&[
    Field::scope("adopt", Shape::Anything),
    Field::scope("dangerZone", Shape::Fields(&DANGER_ZONE)),
    Field::scope("product", Shape::Anything),
    Field::scope("version", Shape::Anything),
]);

const DANGER_ZONE: Fields = Fields::all(&[
    Field::scope("containerArgOverrides", Shape::Anything),
    Field::scope("imageOverrides", Shape::Anything),
]);

/// Of OpenShift's CertManager.
pub const OPENSHIFT: Fields = Fields::all(&[
    Field::scope("cainjectorConfig", Shape::Fields(&CONFIG)),
    Field::scope("controllerConfig", Shape::Fields(&CONFIG)),
    Field::new("defaultNetworkPolicy", Shape::Anything),
    Field::scope("logLevel", Shape::Anything),
    Field::scope("managementState", Shape::Anything),
    Field::new("networkPolicies", Shape::Anything),
    Field::new("observedConfig", Shape::Anything),
    Field::new("operatorLogLevel", Shape::Anything),
    Field::scope("unsupportedConfigOverrides", Shape::Fields(&UNSUPPORTED)),
    Field::scope("webhookConfig", Shape::Fields(&CONFIG)),
]);

const CONFIG: Fields = Fields::all(&[
    Field::scope("overrideArgs", Shape::Anything),
    Field::scope("overrideEnv", Shape::Anything),
    Field::scope("overrideLabels", Shape::Anything),
    Field::scope("overrideReplicas", Shape::Anything),
    Field::scope("overrideResources", Shape::Fields(&RESOURCES)),
    Field::scope("overrideScheduling", Shape::Fields(&SCHEDULING)),
]);

const RESOURCES: Fields = Fields::all(&[Field::scope("limits", Shape::Map), Field::scope("requests", Shape::Map)]);

const SCHEDULING: Fields =
    Fields::all(&[Field::scope("nodeSelector", Shape::Map), Field::scope("tolerations", Shape::List(&Shape::Map))]);

const UNSUPPORTED: Fields = Fields::all(&[
    Field::scope("cainjector", Shape::Fields(&ARGUMENTS)),
    Field::scope("controller", Shape::Fields(&ARGUMENTS)),
    Field::scope("webhook", Shape::Fields(&ARGUMENTS)),
]);

const ARGUMENTS: Fields = Fields::all(&[Field::scope("args", Shape::List(&Shape::Text))]);

/// A kind of ours: every other field is a mistake.
pub const BUNDLE: Fields = Fields::all(&[
    Field::new("components", Shape::List(&Shape::Fields(&COMPONENT))),
    Field::new("manifests", Shape::List(&Shape::Map)),
    Field::new("molds", Shape::Named(&Shape::List(&Shape::Fields(&FLAG)))),
    Field::new("product", Shape::Text),
    Field::new("version", Shape::Text),
]);

const COMPONENT: Fields = Fields::all(&[
    Field::new("container", Shape::Text),
    Field::new("deployment", Shape::Text),
    Field::new("name", Shape::Text),
]);

const FLAG: Fields = Fields::all(&[Field::new("flag", Shape::Text), Field::new("type", Shape::Text)]);
