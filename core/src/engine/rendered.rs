//! What one cluster gets from one subject.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Severity};
use crate::engine::fold::Folded;
use crate::engine::patch::Operation;
use crate::engine::retain::Retention;
use crate::engine::retain::local::LocalChange;
use crate::engine::select::Selector;
use crate::object::concealed::Concealed;
use crate::object::document::Identity;
use crate::object::kinds::upstreams::kubefed;
use crate::value::path::Pointer;
use crate::value::{Map, Text, Value};

/// Shared by all clusters that get the same.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// Of a dialect that gives options.
    pub options: Option<Folded>,
    /// Of a dialect that gives objects.
    pub objects: Vec<RenderedObject>,
    /// Of a placement.
    pub group: Option<DecisionGroup>,
    /// What others set on the live objects, and desired objects do not have.
    pub local: Vec<LocalField>,
    /// Whether the clusters keep what they have, because the subject does nothing. A finding says why.
    pub keeps: bool,
    /// Findings about the result.
    pub diagnostics: Vec<Diagnostic>,
    /// Values of it that answers must not show.
    pub concealed: Arc<Concealed>,
}

impl Rendered {
    /// The first error among the findings. While there is one, nothing is planned: the cluster keeps its last state.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|it| it.severity == Severity::Error)
    }
}

/// A field of a live object that the desired object does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalField {
    pub object: Arc<Identity>,
    pub change: LocalChange,
    pub fate: Fate,
}

/// What the next update does to a local change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// No rule retains it, so it is removed.
    Overwritten,
    /// The settings keep local changes.
    KeptBySetting,
    /// The live object has no `managedFields`, so it is unknown who set the field.
    UnknownManager,
}

impl Fate {
    /// Why, for people.
    pub fn text(self) -> &'static str {
        match self {
            Fate::Overwritten => "no retention rule covers it, so the next update removes it",
            Fate::KeptBySetting => kubefed::KEPT_BY_SETTING,
            Fate::UnknownManager => "the live object has no `managedFields`, so it is unknown who set it",
        }
    }
}

/// Where a placement puts a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionGroup {
    /// Empty for the clusters that no declared group takes.
    pub name: Text,
    pub index: i64,
}

impl DecisionGroup {
    /// The JSON form.
    pub fn to_value(&self) -> Value {
        let mut shown = Map::from_iter([("index", self.index)]);
        if !self.name.is_empty() {
            shown.insert("name", self.name.clone());
        }
        shown.into()
    }
}

/// One object that a cluster should have.
#[derive(Clone, Debug)]
pub struct RenderedObject {
    pub object: Value,
    /// Where the object is written, before layers.
    pub base: Origin,
    /// What layers and retention touched, by place, winner first and the base's own value last. Everything else is the
    /// base's.
    pub origins: Vec<(Pointer, Chain)>,
    pub retained: Vec<Retention>,
    pub wave: i64,
}

/// A place in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub document: Arc<Identity>,
    pub path: Pointer,
}

/// Who set a place, winner first. Like results share most of their chains.
pub type Chain = Arc<Vec<FieldOrigin>>;

/// The value that one layer gives to a path of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldOrigin {
    pub layer: Text,
    /// None if the value comes from the live object.
    pub origin: Option<Origin>,
    /// None if the layer removes the value.
    pub value: Option<Value>,
}

/// A layer that patches objects.
#[derive(Clone, Debug)]
pub struct PatchLayer {
    pub name: Text,
    pub document: Arc<Identity>,
    /// For which clusters; without it, for all.
    pub when: Option<Selector>,
    /// Each with its place in the document.
    pub operations: Vec<(Operation, Pointer)>,
}
