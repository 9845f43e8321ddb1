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
    Field::scope("federatedType", Shape::Map),
    Field::scope("propagation", Shape::Anything),
    Field::new("retention", Shape::Anything),
    Field::new("statusCollection", Shape::Anything),
    Field::new("statusType", Shape::Map),
    Field::scope("targetType", Shape::Map),
]);
