//! The interface of dialects: a dialect turns documents into subjects, and a subject knows its target clusters, the
//! result of each, and how to plan it.

use std::fmt;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Error};
use crate::engine::compose::Common;
use crate::engine::fold::{Effective, Layer};
use crate::engine::rendered::{Origin, PatchLayer, Rendered};
use crate::engine::select::{Cluster, Reason};
use crate::object::document::{Document, Identity};
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::{JsonPath, Text, Value};
use crate::workspace::admit::Rule;
use crate::workspace::admit::defaults::Filled;
use crate::workspace::cluster_groups::ClusterGroups;
use crate::workspace::compare::Cause;
use crate::workspace::hub_kind::HubKind;
use crate::workspace::plan::{Planner, StatusTerms, SubjectPlan};
use crate::workspace::results::ClusterResults;
use crate::workspace::store::View;
use crate::workspace::targets::Targets;

/// One system whose documents are understood.
pub trait Dialect: Sync {
    fn name(&self) -> &'static str;

    /// The kinds of documents that it reads on the hub.
    fn kinds(&self, view: View) -> Vec<HubKind>;

    /// Whether a document produces results.
    fn is_subject(&self, view: View, document: &Document) -> bool;

    /// Whether a document affects which other documents are subjects.
    fn affects_subject_set(&self, _: &Identity) -> bool {
        false
    }

    /// The subjects that must be translated again because other documents changed, where their content decides which.
    fn affected_subjects(&self, _: View, _changed: &SortedSet<Identity>) -> Vec<Identity> {
        Vec::new()
    }

    /// Whether a document reaches only subjects that depend on it: not which documents are subjects, and no clusters.
    fn is_layer(&self, _: &Identity) -> bool {
        false
    }

    /// Translates a document into a subject. Findings that do not prevent a result go to `out`.
    ///
    /// # Errors
    ///
    /// It cannot be translated. Then it keeps its last state, and the plan reports that.
    fn read(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Box<dyn Subject>, Error>;

    /// Whether a document is translated despite a mistake in the fields of its scope, because what it removes is
    /// recorded.
    fn reads_without_scope(&self, _: &Document) -> bool {
        false
    }

    /// Plans the status of a document that cannot be translated. Nothing else is planned for it.
    fn plan_refused(&self, _: View, _: &Document, _: &Error, _: &mut Planner) {}

    /// Plans what the dialect does on the hub without any document, where none of its subjects does so.
    fn plan_hub(&self, _: View) -> SubjectPlan {
        SubjectPlan::default()
    }

    /// Reports problems of the documents beyond those that reading its subjects finds.
    fn lint(&self, view: View, out: &mut Vec<Diagnostic>);

    /// The groups of clusters that documents of other dialects may refer to.
    fn cluster_groups(&self) -> Option<&'static dyn ClusterGroups> {
        None
    }

    /// How changes of its documents of a kind are reviewed; without a rule they are allowed.
    fn admission(&self, _: View, _group: &str, _kind: &str) -> Option<&'static Rule> {
        None
    }

    /// Whether anything is ever added to documents of a kind before they are stored.
    fn has_defaults(&self, _group: &str, _kind: &str) -> bool {
        false
    }

    /// Adds the missing defaults to an object; `document` is the object as the server will store it. Reports to `out`
    /// why a default is not added.
    ///
    /// # Errors
    ///
    /// A value around a missing one has the wrong type; `at` is the place of the object.
    fn fill(
        &self,
        _: View,
        object: Value,
        _document: &Document,
        _at: &JsonPath,
        _: &mut Vec<Diagnostic>,
    ) -> Result<Filled, Error> {
        Ok(Filled { object, added: Vec::new() })
    }

    /// How its statuses report problems, apart from the conditions that every status may have.
    fn status_terms(&self) -> &'static StatusTerms {
        &StatusTerms::NONE
    }

    /// Reports such problems of one document, as far as they do not need all documents.
    fn lint_document(&self, _: View, _: &Document, _: &mut Vec<Diagnostic>) {}

    /// The first mistake in the document of a cluster because of which it is unknown what selects the cluster; mistakes
    /// in its labels are found for every kind.
    fn cluster_error(&self, _: &Document) -> Option<Error> {
        None
    }
}

/// Prints only the name; a derived `Debug` would pull every dialect's formatting code into the module.
impl fmt::Debug for dyn Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A subject, translated.
pub trait Subject {
    fn targets(&self) -> &Targets;

    /// The documents that it was translated from, besides itself: when one of them changes, it is translated again. The
    /// documents of the clusters it picks from are not among them; a change of one reaches that cluster's result alone.
    fn dependencies(&self) -> &[Dependency];

    /// Whether it must be translated again for a reason that is no single document, such as how many there are.
    fn is_outdated(&self, _: View) -> bool {
        false
    }

    /// The result of a cluster; for a subject of the hub, the result of the hub, with a `cluster` that has no name and
    /// no labels. Results that are equal for many clusters should be kept in `cache` and shared.
    ///
    /// # Errors
    ///
    /// The result of this cluster cannot be computed. Other clusters are not affected.
    fn effective(&self, view: View, cluster: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error>;

    /// Options that name the cluster, and so would keep equal clusters apart.
    fn per_cluster_options(&self, _: View, _: &Cluster) -> Vec<Effective> {
        Vec::new()
    }

    /// Plans the result of one cluster.
    fn plan(&self, view: View, cluster: &Text, rendered: &Rendered, planner: &mut Planner);

    /// Plans the subject itself: objects that are no longer wanted, and its status.
    fn plan_subject(&self, view: View, cluster_results: &ClusterResults, planner: &mut Planner);

    /// Whether its plan includes what its dialect plans for the hub.
    fn plans_hub(&self, _: View) -> bool {
        false
    }

    /// Which results depend on an object of the hub.
    fn invalidated_by(&self, object: &Identity) -> Invalidation;

    /// Whether an observation in a cluster invalidates results: of one object, or of several without an identity.
    /// `picked` is whether the subject selects the cluster; a subject that cleans up elsewhere also watches other
    /// clusters.
    fn watches(&self, picked: bool, _object: Option<&Identity>) -> bool {
        picked
    }

    /// The layers of options, lowest first, also those that do not apply to every cluster.
    fn option_layers(&self) -> &[Layer] {
        &[]
    }

    /// The layers of documents that are used for no cluster, and why, for `explain`.
    fn unused_layers(&self, _: View) -> Vec<UnusedLayer> {
        Vec::new()
    }

    /// Why a layer is above the next one, for `explain`.
    fn beats(&self, _: View, _higher: &Cause, _lower: &Cause) -> Option<String> {
        None
    }

    /// The layers of patches, lowest first, also those that do not apply to every cluster.
    fn patch_layers(&self) -> &[PatchLayer] {
        &[]
    }

    /// Where a rule is written that retains live values, by its name in results.
    fn retention_origin(&self, _rule: &str) -> Option<&Origin> {
        None
    }

    /// Whether it was translated from observed objects of the hub, so that a new observation means translating again.
    fn reads_hub(&self) -> bool {
        false
    }

    /// Whether a cluster keeps the objects when it no longer gets them.
    fn retains_on(&self, _: View, _: RemovalCause) -> bool {
        false
    }

    /// Whether its own document is what the cluster gets.
    fn is_object(&self) -> bool {
        false
    }

    /// Whether nothing could be decided, so that the results are the last known state.
    fn is_undecided(&self) -> bool {
        false
    }

    /// Whether the time given with a request matters.
    fn is_timed(&self) -> bool {
        false
    }

    /// Why a cluster is picked or not, condition by condition.
    fn explain(&self, _: View, cluster: &Cluster) -> (bool, Vec<Reason>) {
        match self.targets() {
            Targets::Hub => (true, Vec::new()),
            Targets::Fleet(_, picks) => (picks.picks(cluster), picks.explain(cluster)),
        }
    }
}

/// Prints only the targets, for the same reason.
impl fmt::Debug for dyn Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.targets(), f)
    }
}

/// A layer that is used for no cluster.
#[derive(Clone, Debug)]
pub struct UnusedLayer {
    pub layer: Layer,
    pub reason: Reason,
}

/// How an object of the hub relates to a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalidation {
    Nothing,
    /// It is part of one cluster's result.
    Cluster(Text),
    /// It affects the plan of the subject itself.
    Whole,
    /// It is not part of a cluster's result, but of the conclusions from all of them.
    Conclusion,
    /// It changes the subject, which is translated again.
    Subject,
}

/// Why a cluster no longer gets the objects of a subject.
#[derive(Clone, Copy, Debug)]
pub enum RemovalCause<'a> {
    /// The subject is deleted.
    Subject,
    /// The cluster with this document is deleted.
    Cluster(&'a Document),
    /// The subject no longer selects the cluster.
    NotPicked,
}

/// Documents that a subject was translated from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependency {
    Document(Identity),
    /// All of a kind; of one namespace only where one is given.
    Kind {
        group: Text,
        kind: Text,
        namespace: Option<Text>,
    },
    /// All of a kind in other namespaces than this one.
    Elsewhere {
        group: Text,
        kind: Text,
        namespace: Text,
    },
}

impl Dependency {
    pub fn kind(group: &str, kind: &str, namespace: Option<&str>) -> Dependency {
        Dependency::Kind { group: group.into(), kind: kind.into(), namespace: namespace.map(Text::from) }
    }

    pub fn is_on(&self, identity: &Identity) -> bool {
        match self {
            Dependency::Document(it) => it == identity,
            Dependency::Kind { group, kind, namespace } => {
                identity.kind == *kind
                    && identity.group == *group
                    && namespace.as_ref().is_none_or(|it| *it == identity.namespace)
            }
            Dependency::Elsewhere { group, kind, namespace } => {
                identity.kind == *kind && identity.group == *group && identity.namespace != *namespace
            }
        }
    }
}

/// Results by which layers apply: clusters with the same ones share a result.
#[derive(Debug, Default)]
pub struct ResultCache {
    results: SortedMap<Vec<u32>, Arc<Rendered>>,
    /// What clusters with the same first layers have in common; none where they cannot share it. Kept while the results
    /// of many clusters are made.
    common: Option<SortedMap<Vec<u32>, Option<Arc<Common>>>>,
}

impl ResultCache {
    /// How many are kept at most: where nearly every cluster has its own, nothing is spared.
    const MOST: usize = 1024;

    /// # Errors
    ///
    /// What making it failed with; a failure is not kept.
    pub fn get_or(
        &mut self,
        layers: Vec<u32>,
        make: impl FnOnce(&[u32]) -> Result<Rendered, Error>,
    ) -> Result<Arc<Rendered>, Error> {
        if let Some(rendered) = self.results.get(&layers) {
            return Ok(Arc::clone(rendered));
        }
        let rendered = Arc::new(make(&layers)?);
        self.results.insert(layers, Arc::clone(&rendered));
        Ok(rendered)
    }

    /// Makes the results of so many clusters.
    pub fn make<T>(&mut self, clusters: usize, make: impl FnOnce(&mut ResultCache) -> T) -> T {
        const MANY: usize = 8;
        self.common = (clusters >= MANY).then(SortedMap::new);
        let made = make(self);
        self.common = None;
        made
    }

    /// What clusters with these first layers have in common, if there are many.
    pub fn common(&mut self, first: &[u32], make: impl FnOnce() -> Option<Common>) -> Option<Arc<Common>> {
        let kept = self.common.as_mut()?;
        if let Some(common) = kept.get(first) {
            return common.clone();
        }
        if kept.len() >= ResultCache::MOST {
            return None;
        }
        let common = make().map(Arc::new);
        kept.insert(first.to_vec(), common.clone());
        common
    }
}
