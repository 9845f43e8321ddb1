//! A Plugin without a preset. The values of overrides are written into it, and the entries of its user are recorded.
//!
//! The record is an annotation: for each option that an override changed, the entry of the user, if there was one, and
//! the entry that was written in its place, or the index of an entry that was removed. An entry that differs from the
//! written one is the user's again. So removing an override gives the bytes of never having set it.

use std::sync::Arc;

use super::definition::Wanted;
use super::entries::{Reader, entry};
use super::inject::OWNED_BY_LABEL;
use super::object::{as_map, take};
use super::preset::wait_for_errors;
use super::stack::{Stack, StackInput};
use super::{account, overrides, scope_of, status};
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::diff::diff;
use crate::engine::fold::{Effective, Folded, Layer};
use crate::engine::rendered::Rendered;
use crate::engine::select::{Cluster, Selector};
use crate::object::document::{Document, Identity};
use crate::object::identity::is_terminating;
use crate::value::JsonPath;
use crate::value::json;
use crate::value::sorting::sort_by;
use crate::value::{Map, Text, Value};
use crate::workspace::compare::Cause;
use crate::workspace::observed::HUB;
use crate::workspace::plan::Planner;
use crate::workspace::results::ClusterResults;
use crate::workspace::store::View;
use crate::workspace::subject::{Dependency, Invalidation, RemovalCause, ResultCache, Subject, UnusedLayer};
use crate::workspace::targets::{ClusterFilter, Targets};

/// The annotation that records the entries of the user.
const OWN_OPTIONS: &str = "fleetfold.dev/own-options";

#[derive(Debug)]
pub struct Plugin {
    stack: Stack,
    targets: Targets,
    document: Value,
    /// The entries of the user, in their order.
    user_entries: Vec<Value>,
}

impl Plugin {
    /// # Errors
    ///
    /// No definition is named: then the Plugin stays as it is.
    pub fn read(view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Plugin, Error> {
        let value = &document.value;
        let reader = Reader { document, mode: view.settings.mode };
        let spec = JsonPath::ROOT.key("spec");
        let template = value.get("spec").unwrap_or(&Value::Null);
        let wanted = Wanted::read(document, template, &spec, out)?;
        let user_entries = user_entries(value);
        let place = spec.key("optionValues");
        let written = template.get("optionValues").filter(|it| !it.is_null());
        let list = match written {
            Some(Value::List(_)) | None => Some(Value::list(user_entries.iter().cloned())).filter(|it| !it.is_empty()),
            other => other.cloned(),
        };
        let mut values = reader.part("plugin", None, list.as_ref(), &place, out);
        for error in wait_for_errors(value.at(&["spec", "waitFor"]), &spec) {
            values.refuse(error, out);
        }
        let owner = Text::from(value.text_at(&["metadata", "labels", OWNED_BY_LABEL]));
        let made = StackInput { wanted, values, above: Vec::new(), owner, place: place.pointer() };
        let stack = Stack::new(view, reader, made, out);
        let targets = match value.text_at(&["spec", "clusterName"]) {
            "" => Targets::Hub,
            cluster => {
                let scope = scope_of(&document.identity.namespace);
                Targets::Fleet(scope, ClusterFilter::Selector(Selector::Listed(vec![cluster.into()].into())))
            }
        };
        Ok(Plugin { stack, targets, document: value.clone(), user_entries })
    }

    /// The entries of the user with the overrides applied, and the record of both.
    fn written(&self, folded: &Folded, per_cluster: &[Effective]) -> (Vec<Value>, Map) {
        let mut entries = self.user_entries.clone();
        let mut record = Map::new();
        for option in &folded.options {
            let chain = folded.origins.get(&option.path).unwrap_or_default();
            if !chain.first().is_some_and(|it| it.layer.ends_with("-override")) {
                continue;
            }
            let rendered = per_cluster.iter().find(|it| it.path == option.path && it.from == option.from);
            let written = entry(&option.path, rendered.map_or(&option.source, |it| &it.source));
            let place = entries.iter().position(|it| it.text_at(&["name"]) == option.path);
            let before = place.and_then(|at| entries.get(at)).cloned();
            if before.as_ref() == Some(&written) {
                continue;
            }
            let mut row: Map = [("written", written.clone())].into_iter().collect();
            if let Some(before) = before {
                row.insert("own", before);
            }
            record.insert(option.path.clone(), row);
            match place.and_then(|at| entries.get_mut(at)) {
                Some(place) => *place = written,
                None => entries.push(written),
            }
        }
        self.remove_replaced(folded, &mut entries, &mut record);
        (entries, record)
    }

    /// Takes out the entries of the user that an override of a parent option removes, and records where they were.
    fn remove_replaced(&self, folded: &Folded, entries: &mut Vec<Value>, record: &mut Map) {
        for (index, written) in self.user_entries.iter().enumerate() {
            let name = written.text_at(&["name"]);
            let winner = folded.origins.get(name).and_then(|chain| chain.first());
            let is_removed = winner.is_some_and(|it| it.via.is_some() && it.layer.ends_with("-override"))
                && !folded.options.iter().any(|it| it.path == name);
            if is_removed {
                entries.retain(|it| it.text_at(&["name"]) != name);
                let row: Map = [("own", written.clone()), ("index", index.into())].into_iter().collect();
                record.insert(name, row);
            }
        }
    }

    fn desired(&self, entries: Vec<Value>, record: Map) -> Value {
        let mut object = as_map(self.document.clone());
        let (mut metadata, mut spec) = (take(&mut object, "metadata"), take(&mut object, "spec"));
        let had = self.document.at(&["metadata", "annotations"]).is_some();
        let mut annotations = take(&mut metadata, "annotations");
        match record.is_empty() {
            true => drop(annotations.remove(OWN_OPTIONS)),
            false => drop(annotations.insert(OWN_OPTIONS, Value::from(record).to_canonical())),
        }
        if had || !annotations.is_empty() {
            metadata.insert("annotations", annotations);
        }
        let recorded = self.document.at(&["metadata", "annotations", OWN_OPTIONS]).is_some();
        if recorded && metadata.get("annotations").is_some_and(Value::is_empty) {
            metadata.remove("annotations");
        }
        if !entries.is_empty() || (spec.contains("optionValues") && !recorded) {
            spec.insert("optionValues", entries);
        } else {
            spec.remove("optionValues");
        }
        object.insert("metadata", metadata);
        object.insert("spec", spec);
        object.into()
    }
}

/// The entries of the user: every entry that the record does not have as written, and the recorded ones.
fn user_entries(plugin: &Value) -> Vec<Value> {
    let live = plugin.at(&["spec", "optionValues"]).and_then(Value::as_list).cloned().unwrap_or_default();
    let record = json::parse(plugin.text_at(&["metadata", "annotations", OWN_OPTIONS])).unwrap_or_default();
    let of_user = |item: Value| {
        let row = record.get(item.text_at(&["name"]));
        match row.filter(|it| it.get("written") == Some(&item)) {
            Some(row) => row.get("own").cloned(),
            None => Some(item),
        }
    };
    let mut entries: Vec<Value> = live.into_iter().filter_map(of_user).collect();
    let removed = record.as_map().into_iter().flat_map(Map::iter).filter(|(_, row)| row.get("written").is_none());
    let removed = removed.filter_map(|(name, row)| Some((row.get("index")?.as_int()?, name, row.get("own")?)));
    let mut removed: Vec<_> = removed.collect();
    sort_by(&mut removed, |a, b| a.0.cmp(&b.0));
    for (index, name, removed) in removed {
        if !entries.iter().any(|it| it.text_at(&["name"]) == name.as_str()) {
            entries.insert(usize::try_from(index).unwrap_or(usize::MAX).min(entries.len()), removed.clone());
        }
    }
    entries
}

impl Subject for Plugin {
    fn targets(&self) -> &Targets {
        &self.targets
    }

    fn dependencies(&self) -> &[Dependency] {
        &self.stack.depends
    }

    fn is_outdated(&self, view: View) -> bool {
        self.stack.is_outdated(view)
    }

    fn effective(&self, view: View, cluster: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        self.stack.effective(view, cluster, cache)
    }

    fn per_cluster_options(&self, view: View, cluster: &Cluster) -> Vec<Effective> {
        self.stack.per_cluster_options(view, cluster)
    }

    fn plan(&self, view: View, cluster: &Text, rendered: &Rendered, planner: &mut Planner) {
        let (Some(folded), true) = (&rendered.options, self.stack.definition.is_some()) else { return };
        planner.steps.managed = planner.steps.managed.saturating_add(1);
        let has_errors = rendered.error().is_some();
        if has_errors || is_terminating(&self.document) {
            return;
        }
        let known = view.store.fleet(&self.stack.scope).and_then(|fleet| fleet.get(cluster)).cloned();
        let cluster = known.unwrap_or_default();
        planner.concealed = self.stack.concealed_with(rendered, Some(&self.document));
        let (entries, record) = self.written(folded, &self.stack.per_cluster_options(view, &cluster));
        let desired = self.desired(entries, record);
        let patch = diff(&self.document, &desired);
        let reason = status::difference(&self.document, &desired);
        planner.patch(HUB, &self.document, patch, 0, reason);
        let its = overrides::of_cluster(view, &self.stack.scope, &cluster.name, &mut Vec::new());
        planner.status(&self.document, status::applied(&self.stack.applied(&cluster, its.as_ref())));
    }

    fn plan_subject(&self, view: View, cluster_results: &ClusterResults, planner: &mut Planner) {
        if self.stack.definition.is_none() {
            planner.steps.diagnostics.push(self.stack.wanted.missing(view, &self.stack.document));
        }
        for cluster_result in cluster_results.values() {
            let found: Vec<&str> = match &cluster_result.rendered {
                Ok(rendered) => {
                    let errors = rendered.diagnostics.iter().filter(|it| it.severity == Severity::Error);
                    errors.map(|it| it.message.as_str()).collect()
                }
                Err(error) => vec![error.message.as_str()],
            };
            for why in found {
                let message = format!("nothing is written: {why}");
                planner.steps.diagnostics.push(Diagnostic::error(Code::PluginFailed, message).of(&self.stack.document));
            }
        }
    }

    fn invalidated_by(&self, _: &Identity) -> Invalidation {
        Invalidation::Nothing
    }

    /// The release that it made.
    fn retains_on(&self, _: View, cause: RemovalCause) -> bool {
        matches!(cause, RemovalCause::Subject) && self.document.text_at(&["spec", "deletionPolicy"]) == "Retain"
    }

    fn is_object(&self) -> bool {
        true
    }

    fn unused_layers(&self, view: View) -> Vec<UnusedLayer> {
        account::unused(view, &self.stack.document.namespace, &self.stack.wanted.name)
    }

    fn beats(&self, view: View, higher: &Cause, lower: &Cause) -> Option<String> {
        account::beats(view, higher, lower)
    }

    fn option_layers(&self) -> &[Layer] {
        &self.stack.layers
    }
}
