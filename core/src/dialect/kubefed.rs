//! KubeFed: one object for many clusters, which retains values that the clusters wrote (seed 003).
//!
//! A subject is any document of `types.kubefed.io` whose kind starts with `Federated`, and any other whose kind a
//! FederatedTypeConfig names. The object of a cluster is built in this order: the template with its identity; the
//! values retained from the live object, by the built-in rules and the user's; the overrides for the cluster; the label
//! that marks it as managed. The result is compared with the live object. An absent object retains nothing.
//!
//! Extensions to KubeFed:
//!
//! - `spec.overrides[].clusterSelector`: overrides for the clusters that a label selector picks, in list order;
//! - `spec.retention` of a federated object, beside that of its FederatedTypeConfig;
//! - `clusterSets` and `placementRef` in a placement, which name sets and placements of Open Cluster Management.
//!
//! If the clusters no longer include one that has the object, it is deleted there, if it has the managed label. A
//! cluster that is not ready is neither read nor changed. A cluster that leaves the fleet keeps its copies, unless they
//! are to be deleted: see [`leaving`].
//!
//! Fields that others set on a copy are overwritten unless a rule retains them: see [`local`].
//!
//! A federated object gets KubeFed's finalizer, `kubefed.io/sync-controller`, so that it stays until its copies are
//! deleted or released. While its type is not propagated it is neither added nor removed.

mod cluster_part;
mod control_plane;
mod federated;
mod fields;
mod leaving;
mod lint;
mod local;
mod overrides;
mod placement;
mod remote_status;
mod status;

use std::sync::Arc;

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode, Severity};
use crate::engine::compose::{Base, Common, build_on};
use crate::engine::patch::{Operation, Verb};
use crate::engine::rendered::{Fate, Origin, PatchLayer, Rendered};
use crate::engine::retain::Rules;
use crate::engine::select::layer_index::LayerIndex;
use crate::engine::select::{self, Cluster};
use crate::object::document::{Document, Identity};
use crate::value::collections::SortedSet;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::{Text, Value};
use crate::workspace::admit::Rule;
use crate::workspace::hub_kind::{HubKind, NAMESPACE};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::{DesiredObject, Planner, Reason, StatusTerms, Target, has_finalizer, with_finalizer};
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

/// The annotation of a federated object whose copies stay when it is deleted.
const ORPHAN: &str = "kubefed.io/orphan";

/// KubeFed's finalizer.
const FINALIZER: &str = "kubefed.io/sync-controller";

const KINDS: &[HubKind] = &[
    HubKind::namespaced(CORE, control_plane::CLUSTER, "kubefedclusters", VERSION)
        .with_status()
        .with_fields(&fields::CLUSTER),
    HubKind::namespaced(CORE, control_plane::CONFIG, "kubefedconfigs", VERSION).with_fields(&fields::CONFIG),
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
        let is_federated =
            || group == TYPES && kind.starts_with(FEDERATED) && !control_plane::is_status_kind(view, group, kind);
        type_config(view, &document.identity).is_some() || is_federated() || leaving::is_subject(view, document)
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

    /// Federated objects have kinds of their own, known only from the documents.
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

    fn status_terms(&self) -> &'static StatusTerms {
        &status::TERMS
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
    targets: Targets,
    depends: Vec<Dependency>,
    base: Base,
    rules: Rules,
    /// Where each rule of the user is written, by the name of the rule.
    written: Vec<(Text, Origin)>,
    shared: Shared,
    overrides: Overrides,
    /// Overrides of replicas that are retained too.
    fights: Vec<Diagnostic>,
    index: LayerIndex,
    has_namespace: bool,
    /// The FederatedTypeConfig of its kind, if one is loaded.
    config: Option<Identity>,
    is_disabled: bool,
    collects: Option<remote_status::Collection>,
    adopts: bool,
    leaving: Leaving,
    /// Whether its copies stay when it is deleted.
    orphans: bool,
    mode: Mode,
}

/// The relation of an existing object to the federated one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holding {
    Managed,
    /// It can be taken over.
    Free,
    /// Its label forbids changes.
    Refused,
    /// The control plane takes nothing over.
    Foreign,
}

impl Federated {
    /// The result of clusters while the type is not propagated.
    fn kept(&self) -> Rendered {
        let finding = federated::about_config(&self.subject, self.config.as_ref(), self.is_disabled);
        Rendered { keeps: true, diagnostics: finding.into_iter().collect(), ..Rendered::default() }
    }

    fn build(&self, live: Option<&Value>, ranks: &[u32], common: Option<&Common>) -> Result<Rendered, Error> {
        let mut diagnostics = Vec::new();
        let layers = self.overrides.of(ranks);
        let product = build_on(common, &self.base, &self.rules, live, layers, self.mode, &mut diagnostics)?;
        Ok(Rendered { objects: vec![product], diagnostics, ..Rendered::default() })
    }

    /// The part that the cluster shares with others: the overrides before the first one that names clusters. The rules
    /// of KubeFed and Karmada also remove values, so they must come first.
    fn common(&self, ranks: &[u32], cache: &mut ResultCache) -> Option<Arc<Common>> {
        if self.mode == Mode::Compat || self.rules.builtin.refuses {
            return None;
        }
        let first: Vec<u32> = ranks.iter().copied().take_while(|it| !self.overrides.names_clusters(*it)).collect();
        cache.common(&first, || Common::of(&self.base, &self.overrides.of(&first).collect::<Vec<_>>()))
    }

    fn holding(&self, live: &Value) -> Holding {
        match live.text_at(&["metadata", "labels", MANAGED]) {
            "true" => Holding::Managed,
            "false" => Holding::Refused,
            _ if self.adopts => Holding::Free,
            _ => Holding::Foreign,
        }
    }

    /// Releases the object in a cluster that should not have it. An object that is not managed is left alone.
    fn release(&self, view: View, cluster: &str, planner: &mut Planner) {
        let leaves = leaves(view, &self.scope, cluster);
        if leaves == Some(settings::Leaving::Orphan) || !is_ready(view, &self.scope, cluster) {
            return;
        }
        let Observation::Present(live) = planner.look(cluster, &self.target) else { return };
        if self.holding(live) != Holding::Managed {
            self.report_unmanaged(cluster, planner);
            return;
        }
        let wave = self.base.wave;
        match self.leaving {
            Leaving::Orphan => {
                let operation = Operation::on(Verb::Remove, Pointer::of(["metadata", "labels", MANAGED]), None);
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

    /// Leaves the object in a cluster of which it is unknown whether it should have it.
    fn keep_unknown(&self, view: View, cluster: &str, planner: &mut Planner) {
        if !is_ready(view, &self.scope, cluster) {
            return;
        }
        if let Observation::Present(live) = planner.look(cluster, &self.target)
            && self.holding(live) == Holding::Managed
        {
            planner.steps.managed = planner.steps.managed.saturating_add(1);
        }
    }

    /// Reports clusters that are not in the fleet but named by the placement of the object or of its namespace. Returns
    /// whether it is unknown which clusters are meant.
    fn report_unknown(&self, view: View, planner: &mut Planner) -> bool {
        if self.mode == Mode::Compat || self.leaving != Leaving::No {
            return false;
        }
        let unknown = |document: &Document| placement::unknown_in_plan(view, document, &self.scope);
        let unknown_here = view.store.document(&self.subject).map(unknown).unwrap_or_default();
        let is_namespaced = !self.target.namespace.is_empty() && !control_plane::is_limited(view, &self.scope);
        let around = is_namespaced.then(|| placement::namespace_document(view, &self.subject)).flatten();
        let around = around.filter(|it| it.identity != *self.subject);
        let is_vague =
            !unknown_here.is_empty() || around.is_some_and(|it| placement::has_unknown_clusters(view, it, &self.scope));
        planner.steps.diagnostics.extend(unknown_here);
        is_vague
    }

    /// Whether it is unknown if a cluster should have the object, as labels by which it is selected cannot be read.
    fn is_undecided_for(&self, cluster: &Cluster) -> bool {
        matches!(&self.targets, Targets::Fleet(_, picks) if picks.decides(cluster).is_none())
    }

    /// Reports once which clusters keep what they have as labels that select them cannot be read.
    fn report_undecided(&self, clusters: &[&str], planner: &mut Planner) {
        let Some(first) = clusters.first() else { return };
        let others = match clusters.len().saturating_sub(1) {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let message = format!("labels that select `{first}`{others} cannot be read, so it keeps what it has");
        planner.steps.diagnostics.push(Diagnostic::warning(Code::BadLabelValue, message).of(&self.subject));
    }

    fn report_unmanaged(&self, cluster: &str, planner: &mut Planner) {
        let message = format!("`{}` in `{cluster}` is not managed, and is left alone", self.object);
        let finding = Diagnostic::info(Code::NotManaged, message).of(&self.subject);
        planner.steps.diagnostics.push(finding.hint(format!("label it with `{MANAGED}: \"true\"` to hand it over")));
    }

    /// Puts KubeFed's finalizer on, before anything is created.
    fn guard(&self, view: View, planner: &mut Planner) {
        let Some(document) = view.store.document(&self.subject) else { return };
        if self.leaving == Leaving::No && !has_finalizer(&document.value, FINALIZER) {
            let reason = Reason::new(ReasonCode::Guarded, "the object must not go before its copies");
            // One wave before the copies: those of one wave are made side by side.
            let wave = self.base.wave.saturating_sub(1);
            planner.patch(HUB, &document.value, with_finalizer(&document.value, FINALIZER), wave, reason);
        }
    }

    /// Reports what keeps clusters from getting the object, each error once.
    fn report_failures(&self, cluster_results: &ClusterResults, planner: &mut Planner) {
        let key = |it: &Diagnostic| (it.code, it.at.document.clone(), it.at.path.clone());
        let mut known: SortedSet<_> = planner.steps.diagnostics.iter().map(key).collect();
        for (name, result) in cluster_results {
            let Err(error) = &result.rendered else { continue };
            let finding = Error::clone(error).into_diagnostic(Severity::Error).of(&self.subject);
            if known.insert(key(&finding)) {
                let message = format!("`{name}` keeps what it has: {}", finding.message);
                planner.steps.diagnostics.push(Diagnostic { message, ..finding });
            }
        }
    }

    /// Reports the clusters that block the deletion of an object because their state is unknown.
    fn report_waiting(&self, view: View, planner: &mut Planner) {
        let fleet = view.store.fleet(&self.scope).into_iter().flat_map(|it| it.clusters());
        let is_silent = |it: &&Cluster| {
            !is_ready(view, &self.scope, &it.name)
                && leaves(view, &self.scope, &it.name) != Some(settings::Leaving::Orphan)
                && matches!(view.store.observation(&it.name, &self.object), Observation::Unknown)
        };
        let names: Vec<&str> = fleet.filter(is_silent).map(|it| it.name.as_str()).collect();
        if !names.is_empty() {
            let message = format!("the object cannot go yet: it is unknown what `{}` has", names.join("`, `"));
            let finding = Diagnostic::warning(Code::StillLeaving, message).of(&self.subject);
            planner.steps.diagnostics.push(finding.hint("make the cluster ready, or delete its KubeFedCluster"));
        }
    }

    /// Takes KubeFed's finalizer off an object that is being deleted and has nothing left in any cluster; answers
    /// whether it does.
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
        let place = Pointer::of(["metadata", "finalizers", &at.to_string()]);
        let operation = Operation::on(Verb::Remove, place, None);
        let reason = Reason::new(ReasonCode::NoLongerWanted, "nothing is left in the clusters");
        planner.patch(HUB, &document.value, vec![operation], LAST_WAVE, reason);
        true
    }
}

/// Namespaces go last.
const LAST_WAVE: i64 = 3;

impl Subject for Federated {
    fn targets(&self) -> &Targets {
        &self.targets
    }

    fn dependencies(&self) -> &[Dependency] {
        &self.depends
    }

    fn effective(&self, view: View, cluster: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        if self.is_disabled {
            return cache.get_or(Vec::new(), |_| Ok(self.kept()));
        }
        if leaves(view, &self.scope, &cluster.name).is_some() {
            return Ok(Arc::new(Rendered::default()));
        }
        if cluster.labels.is_unknown() {
            let message = format!("the labels of the cluster `{}` cannot be read", cluster.name);
            return Err(Error::new(Code::BadLabelValue, message));
        }
        let ranks = self.index.applying(cluster);
        match view.store.observation(&cluster.name, &self.object) {
            Observation::Present(live) => {
                let common = self.common(&ranks, cache);
                let mut rendered = self.build(Some(&self.shared.cluster_part(live)), &ranks, common.as_deref())?;
                self.find_local(view, live, &mut rendered);
                Ok(Arc::new(rendered))
            }
            Observation::Absent | Observation::Unknown => cache.get_or(ranks, |ranks| self.build(None, ranks, None)),
        }
    }

    fn retains_on(&self, view: View, cause: RemovalCause) -> bool {
        match cause {
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
            return self.release(view, cluster, planner);
        }
        if let Observation::Present(live) = view.store.observation(cluster, &self.object)
            && matches!(self.holding(live), Holding::Refused | Holding::Foreign)
        {
            return self.report_unmanaged(cluster, planner);
        }
        for product in &rendered.objects {
            let desired = DesiredObject {
                cluster: cluster.clone(),
                desired: product.object.clone(),
                wave: product.wave,
                because: "the placement picks the cluster, and the object is not there".into(),
            };
            let local = rendered.local.iter().filter(|it| it.fate == Fate::Overwritten).map(|it| it.change.clone());
            planner.ensure_retained(desired, &product.retained, &local.collect::<Vec<_>>());
        }
    }

    fn plan_subject(&self, view: View, cluster_results: &ClusterResults, planner: &mut Planner) {
        planner.steps.diagnostics.extend(federated::about_config(
            &self.subject,
            self.config.as_ref(),
            self.is_disabled,
        ));
        if self.is_disabled {
            return;
        }
        planner.steps.diagnostics.extend(self.fights.iter().cloned());
        self.report_failures(cluster_results, planner);
        self.report_local(view, cluster_results, planner);
        let fleet = view.store.fleet(&self.scope).into_iter().flat_map(|it| it.clusters());
        let mut others: Vec<&Cluster> = fleet.filter(|it| !cluster_results.contains_key(&it.name)).collect();
        sort_by(&mut others, |a, b| a.name.cmp(&b.name));
        let is_vague = self.report_unknown(view, planner);
        let mut undecided: Vec<&str> = Vec::new();
        for cluster in others {
            let name = &cluster.name;
            let is_undecided = self.is_undecided_for(cluster);
            let stays = self.leaving == Leaving::No && leaves(view, &self.scope, name).is_none();
            if stays && is_undecided {
                undecided.push(name.as_str());
            }
            match stays && (is_vague || is_undecided) {
                true => self.keep_unknown(view, name, planner),
                false => self.release(view, name, planner),
            }
        }
        self.report_undecided(&undecided, planner);
        if self.leaving != Leaving::No {
            if self.finish(view, planner) {
                return;
            }
            self.report_waiting(view, planner);
        } else if cluster_results.is_empty() && !view.settings.limits.empty_selection {
            let text = "the object is placed nowhere, and would be deleted everywhere";
            let hint = "place it somewhere, delete the federated object, or configure `limits.emptySelection: true`";
            planner.hold(0, ReasonCode::EmptySelection, text, hint);
        }
        // After the hold, which is about copies.
        self.guard(view, planner);
        remote_status::collect(self, view, cluster_results, planner);
        status::report(self, view, cluster_results, planner);
    }

    fn invalidated_by(&self, object: &Identity) -> Invalidation {
        let is_status = self.collects.as_ref().is_some_and(|it| it.is_object(object));
        if is_status { Invalidation::Whole } else { Invalidation::Nothing }
    }

    fn watches(&self, _: bool, object: Option<&Identity>) -> bool {
        object.is_none_or(|it| *it == self.object)
    }

    fn patch_layers(&self) -> &[PatchLayer] {
        &self.overrides.shown
    }

    fn retention_origin(&self, rule: &str) -> Option<&Origin> {
        self.written.iter().find(|(name, _)| name == rule).map(|(_, origin)| origin)
    }

    fn explain(&self, view: View, cluster: &Cluster) -> (bool, Vec<select::Reason>) {
        let Targets::Fleet(_, picks) = &self.targets else { return (false, Vec::new()) };
        let mut reasons = picks.explain(cluster);
        if let Some(finding) = federated::about_config(&self.subject, self.config.as_ref(), self.is_disabled) {
            let (code, holds) = match finding.code {
                Code::PropagationDisabled => (ReasonCode::PropagationDisabled, false),
                _ => (ReasonCode::MissingTypeConfig, true),
            };
            reasons.push(select::Reason { code, text: finding.message, holds });
        }
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
        (leaves.is_none() && !self.is_disabled && picks.picks(cluster), reasons)
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
