//! The fields of documents of KubeFed: those of its definitions, and those that have a meaning here alone.

use crate::object::fields::{Field, Fields, Shape};

/// Of every federated kind. Without one of them, clusters would lose their copies, or values of these.
pub const FEDERATED: Fields = Fields::all_used(&[
    Field::scope("overrides", Shape::List(&Shape::Map)),
    Field::scope("placement", Shape::Fields(&PLACEMENT)),
    Field::scope("retainReplicas", Shape::Anything),
    Field::scope("retention", Shape::Anything),
    Field::scope("template", Shape::Map),
]);

const PLACEMENT: Fields = Fields::all(&[
    Field::scope("clusterSelector", Shape::Anything),
    Field::scope("clusterSets", Shape::Anything),
    Field::scope("clusters", Shape::List(&Shape::Fields(&LISTED))),
    Field::scope("placementRef", Shape::Anything),
]);

const LISTED: Fields = Fields::all(&[Field::scope("name", Shape::Text)]);

pub const TYPE_CONFIG: Fields = Fields::all(&[
    Field::scope("federatedType", Shape::Fields(&API_RESOURCE)),
    Field::scope("propagation", Shape::Anything),
    Field::scope("retention", Shape::Anything),
    Field::new("statusCollection", Shape::Anything),
    Field::new("statusType", Shape::Fields(&API_RESOURCE)),
    Field::scope("targetType", Shape::Fields(&API_RESOURCE)),
]);

/// Names a kind and how an API server serves it.
const API_RESOURCE: Fields = Fields::all(&[
    Field::scope("group", Shape::Text),
    Field::scope("kind", Shape::Text),
    Field::new("pluralName", Shape::Text),
    Field::scope("scope", Shape::OneOf(&["", "Cluster", "Namespaced"])),
    Field::scope("version", Shape::Text),
]);

pub const CLUSTER: Fields = Fields::all(&[
    Field::new("apiEndpoint", Shape::Text),
    Field::new("caBundle", Shape::Text),
    Field::new("disabledTLSValidations", Shape::List(&Shape::Text)),
    Field::new("proxyURL", Shape::Text),
    Field::new("secretRef", Shape::Fields(&SECRET_REF)),
]);

const SECRET_REF: Fields = Fields::all(&[Field::new("name", Shape::Text)]);

pub const CONFIG: Fields = Fields::all(&[
    Field::new("clusterHealthCheck", Shape::Map),
    Field::new("controllerDuration", Shape::Map),
    Field::new("featureGates", Shape::Anything),
    Field::new("leaderElect", Shape::Map),
    Field::scope("scope", Shape::OneOf(&["", "Cluster", "Namespaced"])),
    Field::new("statusController", Shape::Map),
    Field::scope("syncController", Shape::Fields(&SYNC)),
]);

const SYNC: Fields = Fields::all(&[
    Field::scope("adoptResources", Shape::OneOf(&["", "Disabled", "Enabled"])),
    Field::new("maxConcurrentReconciles", Shape::Anything),
]);
