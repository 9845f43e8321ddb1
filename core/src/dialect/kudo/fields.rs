//! The fields of documents of KUDO that have a meaning here.

use crate::object::fields::{Field, Fields, Shape};

pub const VERSION: Fields = Fields::some(&[
    Field::new("appVersion", Shape::Text),
    Field::new("connectionString", Shape::Text),
    Field::new("installPlan", Shape::Anything),
    Field::new("operator", Shape::Map),
    Field::new("operatorVersion", Shape::Text),
    Field::new("parameters", Shape::Anything),
    Field::new("plans", Shape::Map),
    Field::new("tasks", Shape::List(&Shape::Fields(&TASK))),
    Field::new("templates", Shape::Map),
    Field::new("upgradableFrom", Shape::Anything),
    Field::new("version", Shape::Text),
]);

pub const INSTANCE: Fields = Fields::some(&[
    Field::new("operatorVersion", Shape::Map),
    Field::new("parameters", Shape::Map),
    Field::new("planExecution", Shape::Map),
]);

const TASK: Fields = Fields::some(&[
    Field::new("kind", Shape::Text),
    Field::new("name", Shape::Text),
    Field::new("spec", Shape::Fields(&TASK_SPEC)),
]);

const TASK_SPEC: Fields = Fields::some(&[Field::new("resources", Shape::List(&Shape::Text))]);
