//! The fields of documents of KUDO that have a meaning here.

use crate::object::fields::{Field, Fields, Shape};

/// Without its install plan, or a part of it, an OperatorVersion would uninstall what it installed.
pub const VERSION: Fields = Fields::some(&[
    Field::new("appVersion", Shape::Text),
    Field::new("connectionString", Shape::Text),
    Field::scope("installPlan", Shape::Anything),
    Field::new("operator", Shape::Map),
    Field::new("operatorVersion", Shape::Text),
    Field::new("parameters", Shape::Anything),
    Field::scope("plans", Shape::Named(&Shape::Fields(&PLAN))),
    Field::scope("tasks", Shape::List(&Shape::Fields(&TASK))),
    Field::scope("templates", Shape::Named(&Shape::Anything)),
    Field::new("upgradableFrom", Shape::Anything),
    Field::new("version", Shape::Text),
]);

pub const OPERATOR: Fields = Fields::some(&[
    Field::new("description", Shape::Text),
    Field::new("kubernetesVersion", Shape::Text),
    Field::new("kudoVersion", Shape::Text),
    Field::new("maintainers", Shape::Anything),
    Field::new("url", Shape::Text),
]);

pub const INSTANCE: Fields = Fields::some(&[
    Field::new("operatorVersion", Shape::Map),
    Field::new("parameters", Shape::Map),
    Field::new("planExecution", Shape::Map),
]);

const PLAN: Fields =
    Fields::some(&[Field::new("phases", Shape::List(&Shape::Fields(&PHASE))), Field::new("strategy", Shape::Anything)]);

const PHASE: Fields = Fields::some(&[
    Field::new("name", Shape::Text),
    Field::new("steps", Shape::List(&Shape::Fields(&STEP))),
    Field::new("strategy", Shape::Anything),
]);

const STEP: Fields = Fields::some(&[
    Field::new("delete", Shape::Boolean),
    Field::new("name", Shape::Text),
    Field::new("tasks", Shape::List(&Shape::Text)),
]);

const TASK: Fields = Fields::some(&[
    Field::new("kind", Shape::Text),
    Field::new("name", Shape::Text),
    Field::new("spec", Shape::Fields(&TASK_SPEC)),
]);

/// Of all kinds of tasks: `resource` is a field of its own where the kind is `Toggle`.
const TASK_SPEC: Fields = Fields::some(&[
    Field::new("parameter", Shape::Text),
    Field::new("resource", Shape::Text),
    Field::new("resources", Shape::List(&Shape::Text)),
]);
