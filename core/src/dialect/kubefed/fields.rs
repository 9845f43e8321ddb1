//! The fields of documents of KubeFed that have a meaning here.

use crate::object::fields::{Field, Fields, Shape};

/// Of every federated kind.
pub const FEDERATED: Fields = Fields::some(&[
    Field::new("overrides", Shape::List(&Shape::Map)),
    Field::scope("placement", Shape::Map),
    Field::new("retainReplicas", Shape::Anything),
    Field::new("retention", Shape::Anything),
    Field::new("template", Shape::Map),
]);

pub const TYPE_CONFIG: Fields = Fields::some(&[
    Field::scope("federatedType", Shape::Fields(&API_RESOURCE)),
    Field::scope("propagation", Shape::Anything),
    Field::new("retention", Shape::Anything),
    Field::new("statusCollection", Shape::Anything),
    Field::new("statusType", Shape::Fields(&API_RESOURCE)),
    Field::scope("targetType", Shape::Fields(&API_RESOURCE)),
]);

/// Names a kind and how an API server serves it.
const API_RESOURCE: Fields = Fields::some(&[
    Field::scope("group", Shape::Text),
    Field::scope("kind", Shape::Text),
    Field::new("pluralName", Shape::Text),
    Field::new("scope", Shape::Text),
    Field::scope("version", Shape::Text),
]);

pub const CLUSTER: Fields = Fields::some(&[
    Field::new("apiEndpoint", Shape::Text),
    Field::new("caBundle", Shape::Text),
    Field::new("disabledTLSValidations", Shape::List(&Shape::Text)),
    Field::new("proxyURL", Shape::Text),
    Field::new("secretRef", Shape::Fields(&SECRET_REF)),
]);

const SECRET_REF: Fields = Fields::some(&[Field::new("name", Shape::Text)]);

pub const CONFIG: Fields = Fields::some(&[
    Field::new("clusterHealthCheck", Shape::Map),
    Field::new("controllerDuration", Shape::Map),
    Field::new("featureGates", Shape::Anything),
    Field::new("leaderElect", Shape::Map),
    Field::scope("scope", Shape::OneOf(&["", "Cluster", "Namespaced"])),
    Field::new("statusController", Shape::Map),
    Field::new("syncController", Shape::Fields(&SYNC)),
]);

const SYNC: Fields = Fields::some(&[
    Field::new("adoptResources", Shape::OneOf(&["", "Disabled", "Enabled"])),
    Field::new("maxConcurrentReconciles", Shape::Anything),
]);
