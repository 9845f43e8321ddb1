//! KubeFed: one object for many clusters, with what the clusters wrote into it kept (seed 003).
//!
//! A subject is any document of `types.kubefed.io` whose kind starts with `Federated`, and any other whose kind a
//! FederatedTypeConfig names. What a cluster gets is built in this order: the template with its identity; what the live
//! object gives, by the built-in rules and the user's; the overrides for the cluster; the label that marks it as managed.
//! The result is compared with the live object. An object that is not there yet retains nothing.
//!
//! What KubeFed does not have, and this does:
//!
//! - `spec.overrides[].clusterSelector`: overrides for the clusters that a label selector picks, in the order of the list;
//! - `spec.retention` of a federated object, beside that of its FederatedTypeConfig;
//! - `clusterSets` and `placementRef` in a placement, which name sets and placements of Open Cluster Management.
//!
//! Where the clusters no longer include one that has the object, it is deleted there, if it has the managed label. A
//! cluster that is not ready is neither looked at nor changed. A cluster that leaves the fleet keeps what it has, unless it is
//! to take it along: see [`leaving`].
//!
//! The finalizer `kubefed.io/sync-controller` is KubeFed's own. It is not added here; on an object that is being deleted
//! it is taken off when nothing is left in the clusters, since nobody else would do it.

mod cluster_part;
mod control_plane;
mod federated;
mod fields;
mod leaving;
mod lint;
mod overrides;
mod placement;
mod status;

use std::sync::Arc;

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode};
use crate::engine::compose::{Base, build};
use crate::engine::patch::{Operation, Verb};
use crate::engine::rendered::{PatchLayer, Rendered};
use crate::engine::retain::Rules;
use crate::engine::select::layer_index::LayerIndex;
use crate::engine::select::{self, Cluster};
use crate::object::document::{Document, Identity};
use crate::value::path::Pointer;
use crate::value::sorting::sort;
use crate::value::{Text, Value};
use crate::workspace::admit::Rule;
use crate::workspace::hub_kind::{HubKind, NAMESPACE};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::{DesiredObject, Planner, Reason, Target};
use crate::workspace::results::ClusterResults;
use crate::workspace::settings;
use crate::workspace::store::{Scope, View};
use crate::workspace::subject::{Dependency, Dialect, Invalidation, RemovalCause, ResultCache, Subject};
use crate::workspace::targets::Targets;
use cluster_part::Shared;
use control_plane::{CORE, FEDERATED, TYPE_CONFIG, TYPES, VERSION, is_ready, type_config, unready};
use leaving::leaves;
use overrides::Overrides;

/// The label of what was made or taken over.
const MANAGED: &str = "kubefed.io/managed";

/// The annotation of a federated object whose copies stay when it goes.
const ORPHAN: &str = "kubefed.io/orphan";

/// KubeFed's finalizer.
const FINALIZER: &str = "kubefed.io/sync-controller";

const KINDS: &[HubKind] = &[
    HubKind::namespaced(CORE, control_plane::CLUSTER, "kubefedclusters", VERSION).with_status(),
    HubKind::namespaced(CORE, control_plane::CONFIG, "kubefedconfigs", VERSION),
    HubKind::namespaced(CORE, TYPE_CONFIG, "federatedtypeconfigs", VERSION)
        .with_status()
        .guarded()
        .with_fields(&fields::TYPE_CONFIG),
    HubKind::all_like(TYPES, "Federated*", VERSION).with_status().guarded().with_fields(&fields::FEDERATED),
    NAMESPACE,
];

#[derive(Debug)]
pub struct KubeFed;

impl Dialect for KubeFed {
    fn name(&self) -> &'static str {
        "kubefed"
    }

    /// A placement may also name sets and placements of Open Cluster Management.
    fn kinds(&self, view: View) -> Vec<HubKind> {
        let consulted = view.cluster_groups().kinds();
        KINDS.iter().cloned().chain(control_plane::federated_kinds(view)).chain(consulted).collect()
    }

    fn is_subject(&self, view: View, document: &Document) -> bool {
        let Identity { kind, group, .. } = &document.identity;
        group == TYPES && kind.starts_with(FEDERATED)
            || type_config(view, &document.identity).is_some()
            || leaving::is_subject(view, document)
    }

    fn affects_subject_set(&self, identity: &Identity) -> bool {
        identity.group == CORE && identity.kind == TYPE_CONFIG
    }

    fn read(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Box<dyn Subject>, Error> {
        match (document.identity.group.as_str(), document.identity.kind.as_str()) {
            (CORE, control_plane::CLUSTER) => Ok(Box::new(leaving::read(view, document, out))),
            _ => Ok(Box::new(federated::read(view, document, out)?)),
        }
    }

    fn lint(&self, view: View, out: &mut Vec<Diagnostic>) {
        lint::lint(self, view, out);
    }

    fn lint_document(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) {
        lint::lint_document(self, view, document, out);
    }

    /// Federated objects have kinds of their own, which only the documents tell.
    fn admission(&self, view: View, group: &str, kind: &str) -> Option<&'static Rule> {
        let is_federated = || {
            let bare = Value::map([
                ("apiVersion", Value::text(format!("{group}/v1"))),
                ("kind", kind.into()),
                ("metadata", Value::map([("name", "any")])),
            ]);
            let bare = Document::from_value(&bare, &Pointer::root(), &mut Vec::new());
            bare.iter().any(|it| self.is_subject(view, it))
        };
        Rule::of_kind(ADMISSION, group, kind).or_else(|| is_federated().then_some(&FEDERATED_OBJECT))
    }
}

/// What becomes of the copies of a federated object that is being deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaving {
    /// It is not being deleted.
    No,
    Delete,
    Orphan,
}

/// A federated object.
#[derive(Debug)]
struct Federated {
    subject: Arc<Identity>,
    target: Target,
    /// The identity of the target.
    object: Identity,
    scope: Scope,
    who: Targets,
    depends: Vec<Dependency>,
    base: Base,
    rules: Rules,
    shared: Shared,
    overrides: Overrides,
    index: LayerIndex,
    has_namespace: bool,
    is_disabled: bool,
    adopts: bool,
    leaving: Leaving,
    /// Whether its copies stay when it goes.
    orphans: bool,
    mode: Mode,
}

/// How an object that is there stands to the federated one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holding {
    Managed,
    /// It can be taken over.
    Free,
    /// Its label says that it is not to be touched.
    Refused,
    /// The control plane takes nothing over.
    Foreign,
}

impl Federated {
    fn build(&self, live: Option<&Value>, ranks: &[u32]) -> Result<Rendered, Error> {
        let layers = ranks.iter().filter_map(|rank| self.overrides.layers.get(usize::try_from(*rank).ok()?));
        let mut diagnostics = Vec::new();
        let product = build(&self.base, &self.rules, live, layers, self.mode, &mut diagnostics)?;
        Ok(Rendered { objects: vec![product], diagnostics, ..Rendered::default() })
    }

    fn holding(&self, live: &Value) -> Holding {
        match live.text_at(&["metadata", "labels", MANAGED]) {
            "true" => Holding::Managed,
            "false" => Holding::Refused,
            _ if self.adopts => Holding::Free,
            _ => Holding::Foreign,
        }
    }

    /// Lets go of the object in a cluster that should not have it. What is not managed is left alone.
    fn let_go(&self, view: View, cluster: &str, planner: &mut Planner) {
        let leaves = leaves(view, &self.scope, cluster);
        if leaves == Some(settings::Leaving::Orphan) || !is_ready(view, &self.scope, cluster) {
            return;
        }
        let Observation::Present(live) = planner.look(cluster, &self.target) else { return };
        if self.holding(live) != Holding::Managed {
            self.tell_unmanaged(cluster, planner);
            return;
        }
        let wave = self.base.wave;
        match self.leaving {
            Leaving::Orphan => {
                let path = Pointer::of(["metadata", "labels", MANAGED]).to_string().into();
                let operation = Operation { verb: Verb::Remove, path, from: None, value: None };
                let text = "the federated object goes, and leaves its copies behind";
                planner.patch(cluster, live, vec![operation], wave, Reason::new(ReasonCode::NoLongerWanted, text));
            }
            leaving => {
                let (code, text) = match leaving {
                    Leaving::No if leaves.is_some() => (ReasonCode::NoLongerSelected, "the cluster leaves the fleet"),
                    Leaving::No => (ReasonCode::NoLongerSelected, "the cluster is no longer placed"),
                    _ => (ReasonCode::NoLongerWanted, "the federated object is being deleted"),
                };
                // What a namespace holds goes before it.
                let wave = if wave == 0 { LAST_WAVE } else { LAST_WAVE - 1 };
                planner.delete(cluster, live, wave, Reason::new(code, text));
            }
        }
    }

    fn tell_unmanaged(&self, cluster: &str, planner: &mut Planner) {
        let message = format!("`{}` in `{cluster}` is not managed, and is left alone", self.object);
        let finding = Diagnostic::info(Code::NotManaged, message).of(&self.subject);
        planner.steps.diagnostics.push(finding.hint(format!("label it with `{MANAGED}: \"true\"` to hand it over")));
    }

    /// Takes KubeFed's finalizer off an object that is being deleted and has nothing left in any cluster; answers whether
    /// it does.
    fn finish(&self, view: View, planner: &mut Planner) -> bool {
        let fleet = view.store.fleet(&self.scope);
        let is_left = |it: &Cluster| match view.store.observation(&it.name, &self.object) {
            // Nobody goes there again.
            _ if leaves(view, &self.scope, &it.name) == Some(settings::Leaving::Orphan) => false,
            Observation::Present(live) => self.holding(live) == Holding::Managed,
            Observation::Absent => false,
            Observation::Unknown => true,
        };
        let Some(document) = view.store.document(&self.subject) else { return false };
        let finalizers = document.value.at(&["metadata", "finalizers"]).and_then(Value::as_list);
        let at = finalizers.and_then(|it| it.iter().position(|it| it.as_text() == Some(FINALIZER)));
        let Some(at) = at.filter(|_| !fleet.is_some_and(|it| it.clusters().any(is_left))) else { return false };
        let path = Pointer::of(["metadata", "finalizers", &at.to_string()]).to_string().into();
        let operation = Operation { verb: Verb::Remove, path, from: None, value: None };
        let reason = Reason::new(ReasonCode::NoLongerWanted, "nothing is left in the clusters");
        planner.patch(HUB, &document.value, vec![operation], LAST_WAVE, reason);
        true
    }
}

/// Namespaces go last.
const LAST_WAVE: i64 = 3;

impl Subject for Federated {
    fn targets(&self) -> &Targets {
        &self.who
    }

    fn dependencies(&self) -> &[Dependency] {
        &self.depends
    }

    fn effective(&self, view: View, cluster: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        if leaves(view, &self.scope, &cluster.name).is_some() {
            return Ok(Arc::new(Rendered::default()));
        }
        let ranks = self.index.applying(cluster);
        match view.store.observation(&cluster.name, &self.object) {
            Observation::Present(live) => self.build(Some(&self.shared.cluster_part(live)), &ranks).map(Arc::new),
            Observation::Absent | Observation::Unknown => cache.get_or(ranks, |ranks| self.build(None, ranks)),
        }
    }

    fn retains_on(&self, view: View, ending: RemovalCause) -> bool {
        match ending {
            RemovalCause::Subject => self.orphans,
            RemovalCause::Cluster(document) => leaving::keeps(view, &document.value),
            RemovalCause::NotPicked => false,
        }
    }

    fn plan(&self, view: View, cluster: &Text, rendered: &Rendered, planner: &mut Planner) {
        if self.is_disabled || !is_ready(view, &self.scope, cluster) {
            return;
        }
        if self.leaving != Leaving::No || leaves(view, &self.scope, cluster).is_some() {
            return self.let_go(view, cluster, planner);
        }
        if let Observation::Present(live) = view.store.observation(cluster, &self.object)
            && matches!(self.holding(live), Holding::Refused | Holding::Foreign)
        {
            return self.tell_unmanaged(cluster, planner);
        }
        for product in &rendered.objects {
            let desired = DesiredObject {
                cluster: cluster.clone(),
                desired: product.object.clone(),
                wave: product.wave,
                because: "the placement picks the cluster, and the object is not there".into(),
            };
            planner.ensure_retained(desired, &product.retained);
        }
    }

    fn plan_subject(&self, view: View, cluster_results: &ClusterResults, planner: &mut Planner) {
        if self.is_disabled {
            let message = format!("the FederatedTypeConfig of `{}` turns propagation off", self.subject.kind);
            let finding = Diagnostic::info(Code::PropagationDisabled, message).of(&self.subject);
            planner.steps.diagnostics.push(finding.hint("set `spec.propagation: Enabled` there"));
            return;
        }
        let mut others: Vec<&Text> = Vec::new();
        let fleet = view.store.fleet(&self.scope).into_iter();
        others.extend(
            fleet.flat_map(|it| it.clusters()).map(|it| &it.name).filter(|it| !cluster_results.contains_key(*it)),
        );
        sort(&mut others);
        for cluster in others {
            self.let_go(view, cluster, planner);
        }
        if self.leaving != Leaving::No {
            if self.finish(view, planner) {
                return;
            }
        } else if cluster_results.is_empty() && !view.settings.limits.empty_selection {
            let text = "the object is placed nowhere, and would be deleted everywhere";
            let hint = "place it somewhere, delete the federated object, or configure `limits.emptySelection: true`";
            planner.hold(0, ReasonCode::EmptySelection, text, hint);
        }
        status::report(self, view, cluster_results, planner);
    }

    fn invalidated_by(&self, _: &Identity) -> Invalidation {
        Invalidation::Nothing
    }

    fn watches(&self, _: bool, object: Option<&Identity>) -> bool {
        object.is_none_or(|it| *it == self.object)
    }

    fn patch_layers(&self) -> &[PatchLayer] {
        &self.overrides.shown
    }

    fn explain(&self, view: View, cluster: &Cluster) -> (bool, Vec<select::Reason>) {
        let Targets::Fleet(_, picks) = &self.who else { return (false, Vec::new()) };
        let mut reasons = picks.explain(cluster);
        if !is_ready(view, &self.scope, &cluster.name) {
            let text = format!("{}, so nothing is planned for it", unready(view, &cluster.name));
            reasons.push(select::Reason { code: ReasonCode::NotReady, text, holds: false });
        }
        let leaves = leaves(view, &self.scope, &cluster.name);
        if let Some(leaves) = leaves {
            let text = match leaves {
                settings::Leaving::Orphan => format!("`{}` leaves the fleet, and keeps what it has", cluster.name),
                settings::Leaving::Delete => format!("`{}` leaves the fleet, and takes its copy along", cluster.name),
            };
            reasons.push(select::Reason { code: ReasonCode::Terminating, text, holds: false });
        }
        (leaves.is_none() && picks.picks(cluster), reasons)
    }
}

const RULE: Rule = Rule::findings(
    &KubeFed,
    "core.kubefed.io",
    &["FederatedTypeConfig"],
    &[Code::UnknownDocument, Code::UnknownTarget],
);

const FEDERATED_OBJECT: Rule = Rule { group: "", kinds: &[], ..RULE };

/// How changes of KubeFed's documents are reviewed.
const ADMISSION: &[Rule] = &[RULE];
