//! The fields of documents of Greenhouse that have a meaning here.

use crate::object::fields::{Field, Fields, Shape};

const ANY_LIST: Shape = Shape::List(&Shape::Anything);

pub const OVERRIDE: Fields = Fields::all(&[
    Field::scope("clusterSelector", Shape::Anything),
    Field::scope("pluginDefinitionNames", Shape::List(&Shape::Text)),
    Field::required("overrides", ANY_LIST),
]);

pub const PRESET: Fields = Fields::all(&[
    Field::scope("clusterSelector", Shape::Anything),
    Field::new("clusterOptionOverrides", Shape::List(&Shape::Fields(&CLUSTER_OPTIONS))),
    Field::scope("deletionPolicy", Shape::Text),
    Field::new("plugin", Shape::Fields(&PLUGIN)),
    Field::new("waitFor", ANY_LIST),
]);

const CLUSTER_OPTIONS: Fields =
    Fields::all(&[Field::scope("clusterName", Shape::Text), Field::required("overrides", ANY_LIST)]);

pub const PLUGIN: Fields = Fields::all(&[
    Field::scope("clusterName", Shape::Text),
    Field::scope("deletionPolicy", Shape::OneOf(&["", "Delete", "Retain"])),
    Field::scope("disabled", Shape::Boolean),
    Field::new("displayName", Shape::Text),
    Field::new("ignoreDifferences", ANY_LIST),
    Field::new("optionValues", ANY_LIST),
    Field::new("pluginDefinition", Shape::Text),
    Field::new("pluginDefinitionRef", Shape::Fields(&DEFINITION_REF)),
    Field::new("releaseName", Shape::Text),
    Field::new("releaseNamespace", Shape::Text),
    Field::new("waitFor", ANY_LIST),
]);

const DEFINITION_REF: Fields = Fields::all(&[Field::new("kind", Shape::Text), Field::new("name", Shape::Text)]);

/// Of an Organization and of a Cluster.
pub const OVERRIDING: Fields = Fields::some(&[Field::new("pluginOverrides", ANY_LIST)]);

pub const DEFINITION: Fields = Fields::some(&[
    Field::new("helmChart", Shape::Map),
    Field::new("options", Shape::List(&Shape::Fields(&OPTION))),
    Field::new("uiApplication", Shape::Map),
    Field::new("version", Shape::Text),
]);

/// A catalog: the definitions that it brings, and what it changes in them.
pub const CATALOG: Fields = Fields::some(&[Field::new("sources", Shape::List(&Shape::Fields(&SOURCE)))]);

const SOURCE: Fields = Fields::some(&[
    Field::new("overrides", Shape::List(&Shape::Fields(&DEFINITION_OVERRIDE))),
    Field::new("ref", Shape::Map),
    Field::new("repository", Shape::Text),
    Field::new("resources", Shape::List(&Shape::Text)),
]);

const DEFINITION_OVERRIDE: Fields = Fields::some(&[
    Field::new("alias", Shape::Text),
    Field::new("name", Shape::Text),
    Field::new("optionsOverride", Shape::List(&Shape::Fields(&OPTION_OVERRIDE))),
]);

const OPTION_OVERRIDE: Fields = Fields::some(&[Field::new("name", Shape::Text), Field::new("value", Shape::Anything)]);

const OPTION: Fields = Fields::some(&[
    Field::new("default", Shape::Anything),
    Field::new("description", Shape::Text),
    Field::new("displayName", Shape::Text),
    Field::new("name", Shape::Text),
    Field::new("regex", Shape::Text),
    Field::new("required", Shape::Boolean),
    Field::new("type", Shape::Text),
]);
