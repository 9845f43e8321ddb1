//! The fields of documents of KUDO: those of its definitions, and those that have a meaning here alone.

use crate::object::fields::{Field, Fields, Shape};

/// Without its install plan, or a part of it, an OperatorVersion would uninstall what it installed.
pub const VERSION: Fields = Fields::all(&[
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

pub const OPERATOR: Fields = Fields::all(&[
    Field::new("description", Shape::Text),
    Field::new("kubernetesVersion", Shape::Text),
    Field::new("kudoVersion", Shape::Text),
    Field::new("maintainers", Shape::Anything),
    Field::new("namespaceManifest", Shape::Text),
    Field::new("url", Shape::Text),
]);

pub const INSTANCE: Fields = Fields::all(&[
    Field::new("operatorVersion", Shape::Map),
    Field::new("parameters", Shape::Map),
    Field::new("planExecution", Shape::Map),
]);

const PLAN: Fields =
    Fields::all(&[Field::new("phases", Shape::List(&Shape::Fields(&PHASE))), Field::new("strategy", Shape::Anything)]);

const PHASE: Fields = Fields::all(&[
    Field::new("name", Shape::Text),
    Field::new("steps", Shape::List(&Shape::Fields(&STEP))),
    Field::new("strategy", Shape::Anything),
]);

const STEP: Fields = Fields::all(&[
    Field::new("delete", Shape::Boolean),
    Field::new("name", Shape::Text),
    Field::new("tasks", Shape::List(&Shape::Text)),
]);

const TASK: Fields = Fields::all(&[
    Field::new("kind", Shape::Text),
    Field::new("name", Shape::Text),
    Field::new("spec", Shape::Fields(&TASK_SPEC)),
]);

/// Of all kinds of tasks: `resource` is a field of its own where the kind is `Toggle`.
const TASK_SPEC: Fields = Fields::all(&[
    Field::new("appVersion", Shape::Text),
    Field::new("done", Shape::Boolean),
    Field::new("fatal", Shape::Boolean),
    Field::new("instanceName", Shape::Text),
    Field::new("operatorVersion", Shape::Text),
    Field::new("package", Shape::Text),
    Field::new("parameter", Shape::Text),
    Field::new("parameterFile", Shape::Text),
    Field::new("pipe", Shape::Anything),
    Field::new("pod", Shape::Text),
    Field::new("resource", Shape::Text),
    Field::new("resources", Shape::List(&Shape::Text)),
    Field::new("wantErr", Shape::Boolean),
]);
