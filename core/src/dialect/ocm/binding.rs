//! ManagedClusterSetBindings: which sets a namespace may use.

use std::sync::Arc;

use super::fleet_scope;
use super::set::{self, Named, report_condition};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::placement::Condition;
use crate::engine::rendered::Rendered;
use crate::engine::select::{Cluster, Selector};
use crate::object::document::{Document, Identity};
use crate::object::fields::scope_error;
use crate::value::JsonPath;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::plan::Planner;
use crate::workspace::results::ClusterResults;
use crate::workspace::store::View;
use crate::workspace::subject::{Dependency, Invalidation, ResultCache, Subject};
use crate::workspace::targets::{ClusterFilter, Targets};

/// The set that a binding binds.
///
/// # Errors
///
/// A hub refuses a binding whose name differs from that of its set: it binds nothing. In compat mode it counts, as in
/// OCM's scheduler.
pub fn bound_set(binding: &Value, mode: Mode) -> Result<&str, Error> {
    let (name, set) = (binding.text_at(&["metadata", "name"]), binding.text_at(&["spec", "clusterSet"]));
    let spec = &JsonPath::ROOT.key("spec");
    let at = spec.key("clusterSet");
    if set.is_empty() {
        return Err(Error::new(Code::BadBinding, "the binding names no cluster set").at(at));
    }
    if name != set && crate::seeded!(BindingMayHaveAnyName, mode == Mode::Strict, false) {
        let message = format!("the binding is named `{name}` and binds `{set}`: a hub refuses it");
        return Err(Error::new(Code::BadBinding, message).at(at).hint(format!("name the binding `{set}`")));
    }
    Ok(set)
}

/// The set that a binding binds, of a document that may have mistakes.
///
/// # Errors
///
/// It cannot be read, or a hub refuses it: what is bound is unknown.
pub fn bound_by(binding: &Document, mode: Mode) -> Result<&str, Error> {
    match scope_error(&binding.value, &super::fields::BINDING, &JsonPath::ROOT) {
        Some(error) => Err(error),
        None => bound_set(&binding.value, mode),
    }
}

pub fn read(view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Box<dyn Subject>, Error> {
    let set = bound_set(&document.value, view.settings.mode)?;
    let (selector, found) = match set::named(view, set) {
        Named::Set(set) => (set.selector(), true),
        Named::Broken(error) => {
            let message = format!("the cluster set `{set}` cannot be read: {}", error.message);
            return Err(Error::new(Code::BadClusterSet, message).at(JsonPath::ROOT.key("spec").key("clusterSet")));
        }
        Named::Missing => {
            let message = format!("there is no cluster set `{set}`, so the binding binds nothing yet");
            let place = Pointer::of(["spec", "clusterSet"]);
            out.push(Diagnostic::warning(Code::UnknownSet, message).of(&document.identity).at(place));
            (Selector::Nothing, false)
        }
    };
    Ok(Box::new(Binding {
        identity: document.identity.clone(),
        set: set.into(),
        found,
        targets: Targets::Fleet(fleet_scope(), ClusterFilter::Selector(selector)),
        depends: vec![Dependency::Document(set::identity(set))],
    }))
}

/// A binding of a set that can be read, or is not there yet. It gives the clusters that its namespace may use.
#[derive(Debug)]
struct Binding {
    identity: Identity,
    set: Text,
    /// Whether the set is there.
    found: bool,
    targets: Targets,
    depends: Vec<Dependency>,
}

impl Subject for Binding {
    fn targets(&self) -> &Targets {
        &self.targets
    }

    fn dependencies(&self) -> &[Dependency] {
        &self.depends
    }

    fn effective(&self, _: View, _: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        cache.get_or(Vec::new(), |_| Ok(Rendered::default()))
    }

    fn plan(&self, _: View, _: &Text, _: &Rendered, _: &mut Planner) {}

    fn plan_subject(&self, view: View, _: &ClusterResults, planner: &mut Planner) {
        let (holds, set) = (self.found, &self.set);
        let (reason, message) = match holds {
            true => ("ClusterSetBound", format!("the cluster set `{set}` is bound")),
            false => ("ClusterSetNotFound", format!("there is no cluster set `{set}`")),
        };
        report_condition(view, &self.identity, Condition { kind: "Bound", holds, reason, message }, planner);
    }

    fn invalidated_by(&self, _: &Identity) -> Invalidation {
        Invalidation::Nothing
    }
}
