//! How changes of OCM's documents are reviewed.

mod binding;
mod cluster;

use crate::diagnostic::Code;
use crate::engine::select::cluster_set;
use crate::object::kinds::clusters::MANAGED_CLUSTER;
use crate::workspace::admit::Rule;

const SET: Rule = Rule::findings(&super::Ocm, cluster_set::GROUP, &[cluster_set::KIND], &[]);

pub const RULES: &[Rule] = &[
    Rule { kinds: &[MANAGED_CLUSTER], judge: cluster::judge, ..SET },
    Rule {
        kinds: &["ManagedClusterSetBinding"],
        judge: binding::judge,
        // Errors of the set are corrected in the set.
        elsewhere: &[Code::BadClusterSet],
        ..SET
    },
    Rule { kinds: &["Placement"], elsewhere: &[Code::BadClusterSet, Code::BadBinding, Code::DecisionsKept], ..SET },
    SET,
];
