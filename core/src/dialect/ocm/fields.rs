//! The fields of documents of Open Cluster Management. A Placement is checked where it is read, and so is the selector
//! of a ManagedClusterSet.
//!
//! Without its taints, placements would choose a cluster that they must not choose: a mistake in one is a mistake in
//! what selects the cluster.

use crate::object::fields::{Field, Fields, Shape};

pub const CLUSTER: Fields = Fields::all(&[
    Field::new("hubAcceptsClient", Shape::Boolean),
    Field::new("leaseDurationSeconds", Shape::Anything),
    Field::new("managedClusterClientConfigs", Shape::List(&Shape::Map)),
    Field::scope("taints", Shape::List(&Shape::Fields(&TAINT))),
]);

const TAINT: Fields = Fields::all(&[
    Field::scope("effect", Shape::OneOf(&["NoSelect", "NoSelectIfNew", "PreferNoSelect"])),
    Field::scope("key", Shape::Text),
    Field::scope("timeAdded", Shape::Text),
    Field::scope("value", Shape::Text),
]);

pub const BINDING: Fields = Fields::all_used(&[Field::scope("clusterSet", Shape::Text)]);

/// The status of an AddOnPlacementScore, which has no `spec`.
pub const SCORE: Fields = Fields::all(&[
    Field::new("conditions", Shape::Anything),
    Field::new("scores", Shape::List(&Shape::Fields(&SCORE_ITEM))),
    Field::new("validUntil", Shape::Text),
]);

const SCORE_ITEM: Fields = Fields::all(&[Field::new("name", Shape::Text), Field::new("value", Shape::Anything)]);
