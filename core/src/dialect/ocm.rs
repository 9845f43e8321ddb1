//! Open Cluster Management: sets of clusters (seed 001).

use std::sync::Arc;

use super::{Dependence, Dialect, Memo, Subject, Touch};
use crate::clusterset::{ClusterSet, GROUP, KIND};
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::document::{Document, Identity};
use crate::outcome::Outcome;
use crate::plan::Planner;
use crate::results::Cells;
use crate::rules::clusters::MANAGED_CLUSTER;
use crate::select::Cluster;
use crate::store::{Scope, View};
use crate::value::Text;
use crate::who::{Picks, Who};

#[derive(Debug)]
pub struct Ocm;

impl Dialect for Ocm {
    fn name(&self) -> &'static str {
        "ocm"
    }

    fn is_subject(&self, _: View, document: &Document) -> bool {
        document.identity.group == GROUP && document.identity.kind == KIND
    }

    fn read(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Box<dyn Subject>, Error> {
        let sets = view.cluster_sets(out);
        let set = sets.into_iter().find(|set| *set.name() == document.identity.name);
        let set = set.ok_or_else(|| Error::new(Code::BadClusterSet, "the set is not valid"))?;
        Ok(Box::new(Set::new(&set)))
    }

    fn lint(&self, _: View, _: &mut Vec<Diagnostic>) {}
}

/// A ManagedClusterSet.
#[derive(Debug)]
struct Set {
    who: Who,
    depends: Vec<Dependence>,
}

impl Set {
    fn new(set: &ClusterSet) -> Set {
        let scope = Scope { kind: MANAGED_CLUSTER.into(), namespace: Text::default() };
        Set {
            who: Who::Fleet(scope, Picks::Selector(set.selector())),
            // Sets that share an exclusive label exclude each other.
            depends: vec![Dependence::kind(GROUP, KIND, None)],
        }
    }
}

impl Subject for Set {
    fn who(&self) -> &Who {
        &self.who
    }

    fn depends(&self) -> &[Dependence] {
        &self.depends
    }

    fn effective(&self, _: View, _: &Cluster, memo: &mut Memo) -> Result<Arc<Outcome>, Error> {
        memo.get_or(Vec::new(), |_| Ok(Outcome::default()))
    }

    fn plan(&self, _: View, _: &Text, _: &Outcome, _: &mut Planner) {}

    fn conclude(&self, _: View, _: &Cells, _: &mut Planner) {}

    fn touched_by(&self, _: &Identity) -> Touch {
        Touch::Nothing
    }
}
