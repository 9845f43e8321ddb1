//! What a dialect is to the workspace: it turns documents into subjects, and a subject knows its target clusters, what
//! each of them gets, and how that is brought about.

use std::fmt;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Error};
use crate::engine::fold::{Effective, Layer};
use crate::engine::rendered::{PatchLayer, Rendered};
use crate::engine::select::{Cluster, Reason};
use crate::object::document::{Document, Identity};
use crate::value::Text;
use crate::value::collections::SortedMap;
use crate::workspace::admit::Rule;
use crate::workspace::cluster_groups::ClusterGroups;
use crate::workspace::hub_kind::HubKind;
use crate::workspace::plan::Planner;
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

    /// Whether a document has a say in which others are subjects.
    fn affects_subject_set(&self, _: &Identity) -> bool {
        false
    }

    /// The subjects that must be translated again because another document changed, where its content decides which.
    fn affected_subjects(&self, _: View, _changed: &Identity) -> Vec<Identity> {
        Vec::new()
    }

    /// Translates a subject. What is worth telling, though there is an answer, goes to `out`.
    ///
    /// # Errors
    ///
    /// It cannot be translated. Then it fails safe: it keeps its last state, and the plan says so.
    fn read(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Box<dyn Subject>, Error>;

    /// Tells what is wrong with the documents of this system beyond what reading its subjects tells.
    fn lint(&self, view: View, out: &mut Vec<Diagnostic>);

    /// The groups of clusters that documents of other dialects may refer to.
    fn cluster_groups(&self) -> Option<&'static dyn ClusterGroups> {
        None
    }

    /// How changes of its documents of a kind are reviewed; without a rule they are allowed.
    fn admission(&self, _: View, _group: &str, _kind: &str) -> Option<&'static Rule> {
        None
    }

    /// Tells the same of one document among the others, as far as it takes no look at all of them.
    fn lint_document(&self, _: View, _: &Document, _: &mut Vec<Diagnostic>) {}
}

/// By its name. Were it asked of each dialect, the module would hold what all of them have to say, and nobody to ask.
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

    /// What a cluster gets; of a subject of the hub, what the hub gets, and `cluster` has no name and no labels. Results
    /// that are equal for many clusters should be kept in `cache` and shared.
    ///
    /// # Errors
    ///
    /// This cluster cannot be answered. Others can.
    fn effective(&self, view: View, cluster: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error>;

    /// Options that name the cluster, and so would keep equal clusters apart.
    fn per_cluster_options(&self, _: View, _: &Cluster) -> Vec<Effective> {
        Vec::new()
    }

    /// Plans what brings about one cluster's result.
    fn plan(&self, view: View, cluster: &Text, rendered: &Rendered, planner: &mut Planner);

    /// Plans what concerns the subject as a whole: what is no longer wanted, and its status.
    fn plan_subject(&self, view: View, cluster_results: &ClusterResults, planner: &mut Planner);

    /// Which results an object of the hub belongs to.
    fn invalidated_by(&self, object: &Identity) -> Invalidation;

    /// Whether what was seen in a cluster matters: one object, or without one more than that. `picked` tells whether the
    /// subject picks the cluster; one that cleans up elsewhere also looks at the others.
    fn watches(&self, picked: bool, _object: Option<&Identity>) -> bool {
        picked
    }

    /// The layers of options, lowest first, also those that do not apply to every cluster.
    fn option_layers(&self) -> &[Layer] {
        &[]
    }

    /// The layers of patches, lowest first, also those that do not apply to every cluster.
    fn patch_layers(&self) -> &[PatchLayer] {
        &[]
    }

    /// Whether it was translated from what was seen on the hub, so that looking at all of it again means translating again.
    fn reads_hub(&self) -> bool {
        false
    }

    /// Whether what a cluster has of it stays there when it no longer gets it.
    fn retains_on(&self, _: View, _: RemovalCause) -> bool {
        false
    }

    /// Whether its own document is what the cluster gets.
    fn is_object(&self) -> bool {
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

/// By who gets it, for the same reason.
impl fmt::Debug for dyn Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.targets(), f)
    }
}

/// What an object of the hub has to do with a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalidation {
    Nothing,
    /// It is part of one cluster's result.
    Cluster(Text),
    /// It concerns the subject as a whole.
    Whole,
    /// It is no part of any cluster's result, and yet of what is concluded from all of them.
    Conclusion,
    /// It makes the subject another one, which is translated again.
    Subject,
}

/// How it ends that a cluster gets something of a subject.
#[derive(Clone, Copy, Debug)]
pub enum RemovalCause<'a> {
    /// The subject goes.
    Subject,
    /// The cluster goes, whose document this was.
    Cluster(&'a Document),
    /// The subject no longer picks the cluster.
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
pub struct ResultCache(SortedMap<Vec<u32>, Arc<Rendered>>);

impl ResultCache {
    /// # Errors
    ///
    /// What making it failed with; a failure is not kept.
    pub fn get_or(
        &mut self,
        layers: Vec<u32>,
        make: impl FnOnce(&[u32]) -> Result<Rendered, Error>,
    ) -> Result<Arc<Rendered>, Error> {
        if let Some(rendered) = self.0.get(&layers) {
            return Ok(Arc::clone(rendered));
        }
        let rendered = Arc::new(make(&layers)?);
        self.0.insert(layers, Arc::clone(&rendered));
        Ok(rendered)
    }
}
