//! Local changes of a copy: fields that were set in its cluster and that no rule retains (seed 003: the controller
//! "will overwrite any changes made to resources it manages").
//!
//! | `kubefed.localChanges` | managers known | managers unknown | compat |
//! |---|---|---|---|
//! | `overwrite` | others' fields are removed | nothing is removed, but reported | all that desired lacks is removed |
//! | `keep` | nothing is removed | nothing is removed | nothing is removed |

use std::sync::Arc;

use super::{Federated, Holding, Leaving};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::rendered::{Fate, LocalField, Rendered};
use crate::engine::retain::local::{LocalChange, Of, local_changes};
use crate::object::identity::is_terminating;
use crate::object::managed_fields::Owners;
use crate::value::Value;
use crate::value::path::{Pointer, RetentionPath, list_index};
use crate::workspace::observed::Observation;
use crate::workspace::plan::Planner;
use crate::workspace::results::ClusterResults;
use crate::workspace::settings::LocalChanges;
use crate::workspace::store::View;

impl Federated {
    /// Adds the local changes of the live object to a result, and reports them.
    pub fn find_local(&self, view: View, live: &Value, rendered: &mut Rendered) {
        // What is being deleted is not updated any more.
        let is_leaving = self.leaving != Leaving::No || is_terminating(live);
        if is_leaving || !matches!(self.holding(live), Holding::Managed | Holding::Free) {
            return;
        }
        let keeps = view.settings.local_changes == LocalChanges::Keep;
        let (of, fate) = match (self.mode, Owners::of(live)) {
            (Mode::Compat, _) => (Of::Everybody, Fate::Overwritten),
            (Mode::Strict, Some(_)) => (Of::OtherManagers, Fate::Overwritten),
            (Mode::Strict, None) => (Of::Everybody, Fate::UnknownManager),
        };
        let fate = if keeps { Fate::KeptBySetting } else { fate };
        let object = Arc::new(self.object.clone());
        for product in &rendered.objects {
            let changes = local_changes(&product.object, live, of).into_iter();
            rendered.local.extend(changes.map(|change| LocalField { object: Arc::clone(&object), change, fate }));
        }
        let findings: Vec<Diagnostic> = rendered.local.iter().filter_map(|it| self.overwritten(it, live)).collect();
        rendered.diagnostics.extend(findings);
    }

    /// What an update of a copy removes.
    fn overwritten(&self, field: &LocalField, live: &Value) -> Option<Diagnostic> {
        let LocalField { change: LocalChange { path, managers }, fate: Fate::Overwritten, .. } = field else {
            return None;
        };
        let by = match managers.as_slice() {
            [] => String::new(),
            names => format!(", which `{}` set in a cluster", names.join("`, `")),
        };
        let message = format!("no retention rule covers `{path}` of `{}`{by}: updates remove it", self.object);
        let hint = match rule(path, live) {
            Some(Rule::Label(label)) => format!("to keep it, add `{label}` to `spec.retention.labels`"),
            Some(Rule::Field(field)) => format!("to keep it, add `{field}` to `spec.retention.fields`"),
            None => "to keep it, add it to the template, or configure `kubefed.localChanges: keep`".into(),
        };
        Some(Diagnostic::warning(Code::LocalChangeOverwritten, message).of(&self.subject).hint(hint))
    }

    /// The diagnostics about the local changes of all clusters, each once.
    pub fn report_local(&self, view: View, cluster_results: &ClusterResults, planner: &mut Planner) {
        let mut unknown = Vec::new();
        for (name, result) in cluster_results {
            let Ok(rendered) = &result.rendered else { continue };
            if rendered.local.iter().any(|it| it.fate == Fate::UnknownManager) {
                unknown.push(name);
            }
            let Observation::Present(live) = view.store.observation(name, &self.object) else { continue };
            for finding in rendered.local.iter().filter_map(|it| self.overwritten(it, live)) {
                if !planner.steps.diagnostics.contains(&finding) {
                    planner.steps.diagnostics.push(finding);
                }
            }
        }
        if let [first, rest @ ..] = unknown.as_slice() {
            let others = match rest.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let message = format!(
                "`{}` in `{first}`{others} has no `managedFields`, so fields that others set there stay",
                self.object
            );
            let finding = Diagnostic::info(Code::UnknownManagers, message).of(&self.subject);
            let hint = "load live objects with their managed fields: `kubectl get -o yaml --show-managed-fields`";
            planner.steps.diagnostics.push(finding.hint(hint));
        }
    }
}

enum Rule {
    Field(String),
    Label(String),
}

/// The retention rule that keeps a place; none for an element of a list.
fn rule(path: &Pointer, live: &Value) -> Option<Rule> {
    let segments: Vec<&str> = path.segments().map(|it| it.as_str()).collect();
    if let ["metadata", "labels", label] = segments.as_slice() {
        return Some(Rule::Label((*label).to_string()));
    }
    let (mut here, mut text) = (Some(live), String::new());
    for segment in segments {
        match here {
            Some(Value::List(items)) => {
                text.push_str("[]");
                here = list_index(segment).and_then(|at| items.get(at));
            }
            _ => {
                let is_plain = !segment.contains(['.', '[', ']', '"', ' ', '/', '$']);
                match is_plain {
                    true if text.is_empty() => text.push_str(segment),
                    true => text.extend([".", segment]),
                    false => {
                        let quoted = segment.replace('\\', "\\\\").replace('"', "\\\"");
                        text.extend(["[\"", &quoted, "\"]"]);
                    }
                }
                here = here.and_then(|it| it.get(segment));
            }
        }
    }
    Some(text).filter(|it| !it.ends_with("[]") && RetentionPath::parse(it).is_ok()).map(Rule::Field)
}
