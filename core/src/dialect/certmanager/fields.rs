//! The types of the fields of deployments. The fields themselves are checked where they are read.

use crate::object::fields::{Field, Fields, Shape};

/// Of a CertManagerDeployment and of an Installation.
pub const DEPLOYMENT: Fields = Fields::some(&[
    Field::new("adopt", Shape::Anything),
    Field::new("dangerZone", Shape::Anything),
    Field::new("product", Shape::Anything),
    Field::new("version", Shape::Anything),
]);

/// Of OpenShift's CertManager.
pub const OPENSHIFT: Fields = Fields::some(&[
    Field::new("cainjectorConfig", Shape::Fields(&CONFIG)),
    Field::new("controllerConfig", Shape::Fields(&CONFIG)),
    Field::new("unsupportedConfigOverrides", Shape::Fields(&UNSUPPORTED)),
    Field::new("webhookConfig", Shape::Fields(&CONFIG)),
]);

const CONFIG: Fields = Fields::some(&[
    Field::new("overrideArgs", Shape::Anything),
    Field::new("overrideEnv", Shape::Anything),
    Field::new("overrideLabels", Shape::Anything),
    Field::new("overrideReplicas", Shape::Anything),
    Field::new("overrideResources", Shape::Fields(&RESOURCES)),
    Field::new("overrideScheduling", Shape::Fields(&SCHEDULING)),
]);

const RESOURCES: Fields = Fields::some(&[Field::new("limits", Shape::Map), Field::new("requests", Shape::Map)]);

const SCHEDULING: Fields =
    Fields::some(&[Field::new("nodeSelector", Shape::Map), Field::new("tolerations", Shape::List(&Shape::Map))]);

const UNSUPPORTED: Fields = Fields::some(&[
    Field::new("cainjector", Shape::Fields(&ARGUMENTS)),
    Field::new("controller", Shape::Fields(&ARGUMENTS)),
    Field::new("webhook", Shape::Fields(&ARGUMENTS)),
]);

const ARGUMENTS: Fields = Fields::some(&[Field::new("args", Shape::List(&Shape::Text))]);

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
