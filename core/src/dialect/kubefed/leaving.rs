//! What happens to a cluster's copies when it leaves the fleet: the setting `leaving` decides for all clusters, and an
//! annotation of that name for one.
//!
//! | | `orphan` | `delete` |
//! |---|---|---|
//! | while the cluster stays | | its KubeFedCluster gets a finalizer |
//! | when that is being deleted | nothing is done in the cluster any more | its managed objects are deleted |
//! | when nothing managed is left | | the finalizer is removed, and with it the KubeFedCluster |
//!
//! Nothing is left once every federated object was read in the cluster, and none has a managed copy there. An
//! unreachable cluster keeps its finalizer: its state is unknown.

use std::sync::Arc;

use super::control_plane::{self as plane, CLUSTER, CORE, FEDERATED, TYPE_CONFIG, TYPES};
use super::{LAST_WAVE, MANAGED};
use crate::diagnostic::decode::Decode;
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode, Severity};
use crate::engine::rendered::Rendered;
use crate::engine::select::Cluster;
use crate::object::document::{Document, Identity};
use crate::object::identity::is_terminating;
use crate::value::JsonPath;
use crate::value::{Text, Value};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::{Planner, Reason, Target, has_finalizer, with_finalizer, without_finalizer};
use crate::workspace::results::ClusterResults;
use crate::workspace::settings::Leaving;
use crate::workspace::store::{Scope, View};
use crate::workspace::subject::{Dependency, Invalidation, ResultCache, Subject};
use crate::workspace::targets::Targets;

/// The annotation, and the finalizer.
const LEAVING: &str = "fleetfold.dev/leaving";

/// What becomes of the copies in a cluster that is being deleted; nothing for one that stays.
pub fn leaves(view: View, scope: &Scope, cluster: &str) -> Option<Leaving> {
    // Asked of every cluster for every federated object, and mostly none leaves.
    if !view.store.is_any_leaving() {
        return None;
    }
    let document = view.store.cluster_document(scope, cluster)?;
    // What was written wrongly must not delete anything.
    is_terminating(&document.value).then(|| policy(view, &document.value).unwrap_or(Leaving::Orphan))
}

/// Whether a cluster keeps its copies when its document goes.
pub fn keeps(view: View, cluster: &Value) -> bool {
    policy(view, cluster).unwrap_or(Leaving::Orphan) == Leaving::Orphan
}

fn policy(view: View, cluster: &Value) -> Result<Leaving, Error> {
    let root = JsonPath::ROOT.key("metadata");
    match cluster.at(&["metadata", "annotations", LEAVING]) {
        None => Ok(view.settings.leaving),
        Some(written) => Leaving::decode(written.clone(), &root.key("annotations").key(LEAVING)),
    }
}

/// Whether the cluster itself has a diagnostic or an action.
pub fn is_subject(view: View, document: &Document) -> bool {
    let Identity { kind, group, .. } = &document.identity;
    group == CORE
        && kind == CLUSTER
        && view.store.is_member(&document.identity)
        && (has_finalizer(&document.value, LEAVING) || policy(view, &document.value) != Ok(Leaving::Orphan))
}

/// A cluster that takes its copies along.
#[derive(Debug)]
pub struct Leaver {
    subject: Identity,
    policy: Leaving,
    /// That its annotation cannot be read.
    diagnostic: Option<Diagnostic>,
    is_going: bool,
    targets: Targets,
    depends: Vec<Dependency>,
    /// The kinds of federated objects that are not named like one.
    kinds: Vec<(Text, Text)>,
    /// What each federated object has in a cluster; of a cluster that stays none.
    copies: Vec<Target>,
    /// Federated objects whose copies are unknown.
    unknown: Vec<Identity>,
}

pub fn read(view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Leaver {
    let subject = document.identity.clone();
    let (policy, diagnostic) = match policy(view, &document.value) {
        Ok(policy) => (policy, None),
        Err(error) => (Leaving::Orphan, Some(error.into_diagnostic(Severity::Error).of(&subject))),
    };
    out.extend(diagnostic.clone());
    let is_going = is_terminating(&document.value);
    let mut leaver = Leaver {
        policy,
        diagnostic,
        is_going,
        targets: Targets::Hub,
        depends: Vec::new(),
        kinds: Vec::new(),
        copies: Vec::new(),
        unknown: Vec::new(),
        subject,
    };
    if is_going && policy == Leaving::Delete {
        leaver.depends = [TYPE_CONFIG, CLUSTER].map(|kind| Dependency::kind(CORE, kind, None)).to_vec();
        leaver.kinds = plane::federated_kinds(view).map(|it| (it.group, it.kind)).collect();
        leaver.find_copies(view);
    }
    leaver
}

impl Leaver {
    fn is_federated(&self, identity: &Identity) -> bool {
        let Identity { group, kind, .. } = identity;
        group == TYPES && kind.starts_with(FEDERATED) || self.kinds.iter().any(|it| it.0 == *group && it.1 == *kind)
    }

    fn find_copies(&mut self, view: View) {
        let scope = Scope::of(&self.subject);
        for document in view.store.documents() {
            let Identity { group, kind, .. } = &document.identity;
            if !self.is_federated(&document.identity) || plane::is_status_kind(view, group, kind) {
                continue;
            }
            let config = plane::type_config(view, &document.identity);
            if plane::scope(view, config, &mut Vec::new()) != scope {
                continue;
            }
            match plane::usable_config(view, &document.identity).and_then(|config| plane::target(document, config)) {
                Ok(target) => self.copies.push(target),
                Err(_) => self.unknown.push(document.identity.clone()),
            }
        }
    }

    /// Why the cluster cannot leave yet, once all its possible copies were read.
    fn left(&self, view: View, planner: &mut Planner) -> Option<String> {
        let name = &self.subject.name;
        if !plane::is_ready(view, &Scope::of(&self.subject), name) {
            return Some(format!("{}, so its objects are unknown", plane::unready(view, name)));
        }
        let mut left = Vec::new();
        for target in &self.copies {
            if let Observation::Present(live) = planner.look(name, target)
                && live.text_at(&["metadata", "labels", MANAGED]) == "true"
            {
                left.push(target.identity());
            }
        }
        match (left.as_slice(), self.unknown.first()) {
            ([], None) => None,
            ([], Some(unknown)) => Some(format!("the objects of `{unknown}` in `{name}` are unknown")),
            ([first], _) => Some(format!("`{name}` still has `{first}`")),
            ([first, rest @ ..], _) => Some(format!("`{name}` still has `{first}` and {} more", rest.len())),
        }
    }
}

impl Subject for Leaver {
    fn targets(&self) -> &Targets {
        &self.targets
    }

    fn dependencies(&self) -> &[Dependency] {
        &self.depends
    }

    fn effective(&self, _: View, _: &Cluster, _: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        Ok(Arc::new(Rendered::default()))
    }

    fn plan(&self, _: View, _: &Text, _: &Rendered, _: &mut Planner) {}

    fn plan_subject(&self, view: View, _: &ClusterResults, planner: &mut Planner) {
        let Some(live) = view.store.document(&self.subject).map(|it| &it.value) else { return };
        planner.steps.diagnostics.extend(self.diagnostic.clone());
        match (self.policy, self.is_going, has_finalizer(live, LEAVING)) {
            (Leaving::Delete, false, false) => {
                let reason = Reason::new(ReasonCode::Guarded, "the cluster must not go before its copies are deleted");
                planner.patch(HUB, live, with_finalizer(live, LEAVING), 0, reason);
            }
            (Leaving::Delete, true, true) => match self.left(view, planner) {
                Some(left) => {
                    let message = format!("the cluster cannot leave yet: {left}");
                    let hint =
                        format!("to leave its copies in place, annotate the KubeFedCluster with `{LEAVING}: orphan`");
                    let finding = Diagnostic::warning(Code::StillLeaving, message).of(&self.subject);
                    planner.steps.diagnostics.push(finding.hint(hint));
                }
                None => {
                    let reason = Reason::new(ReasonCode::AllReleased, "nothing that is managed is left in the cluster");
                    planner.patch(HUB, live, without_finalizer(live, LEAVING), LAST_WAVE, reason);
                }
            },
            (Leaving::Orphan, _, true) => {
                let reason = Reason::new(ReasonCode::AllReleased, "the cluster may go as it is");
                planner.patch(HUB, live, without_finalizer(live, LEAVING), LAST_WAVE, reason);
            }
            (Leaving::Delete, false, true) | (Leaving::Delete, true, false) | (Leaving::Orphan, _, false) => {}
        }
    }

    fn invalidated_by(&self, object: &Identity) -> Invalidation {
        if self.is_going && self.is_federated(object) { Invalidation::Subject } else { Invalidation::Nothing }
    }

    fn watches(&self, _: bool, object: Option<&Identity>) -> bool {
        let is_copy = |it: &Identity| self.copies.iter().any(|copy| copy.identity() == *it);
        self.is_going && object.is_none_or(is_copy)
    }
}
