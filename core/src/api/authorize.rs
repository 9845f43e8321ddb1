//! `authorize`: may this user make this label change?

use super::Operation;
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::authorize::rbac::{Grant, MASTERS, User};
use crate::engine::authorize::{Check, Question, Review, authorize};
use crate::engine::select::cluster_set::Stage;
use crate::record;
use crate::value::{Text, Value};

record! {
    request
    /// May this user make this label change, and which sets does the cluster join and leave by it?
    pub struct Authorize {
        user "user": AuthorizeUser,
        /// The ManagedCluster before the change; null when it is created.
        old "old": Option<Value>,
        /// The ManagedCluster after the change; null when it is deleted.
        new "new": Option<Value>,
        /// ManagedClusterSets, and the ClusterRoles and ClusterRoleBindings that decide if there are no reviews.
        documents "documents": Option<Vec<Value>>,
        /// Answers to access reviews, which decide instead of roles and bindings. Without these and without documents,
        /// everything comes back under `needs`.
        reviews "reviews": Option<Vec<AuthorizeReview>>,
        /// `full` when left out.
        stage "stage": Option<Stage>,
        /// `compat`: the answer of Open Cluster Management.
        mode "mode": Option<Mode>,
    }
}

record! {
    request
    /// Who makes the change.
    pub struct AuthorizeUser {
        name "name": Text,
        /// All groups of the user. Left out: those that the name implies, as with `kubectl --as`.
        groups "groups": Option<Vec<Text>>,
    }
}

record! {
    request
    /// The answer to an access review.
    pub struct AuthorizeReview {
        resource "resource": Text,
        subresource "subresource": Text,
        name "name": Text,
        verb "verb": Text,
        allowed "allowed": bool,
    }
}

record! {
    answer
    /// Whether the change is allowed, and what it does.
    pub struct AuthorizeAnswer {
        /// Whether every check is granted.
        allowed "allowed": bool,
        /// By label key; of one key, what is taken off first.
        checks "checks": Vec<AuthorizeCheck>,
        /// The sets that the cluster joins, by name.
        joins "joins": Vec<Text>,
        /// The sets that the cluster leaves, by name.
        leaves "leaves": Vec<Text>,
        /// The SubjectAccessReviews that are missing; left out when there are none.
        needs "needs": Option<Vec<Value>>,
    }
}

record! {
    answer
    /// One label that is put on or taken off, or a set that is bound.
    pub struct AuthorizeCheck {
        /// `key:value`, or the name of the set.
        label "label": String,
        /// `add`, `remove` or `bind`.
        change "change": &'static str,
        granted "granted": bool,
        /// The permissions that were looked for, up to the one that grants: `resource/subresource name`.
        asked "asked": Vec<String>,
        /// What granted it, where documents decided.
        granted_by "grantedBy": Option<AuthorizeGrant>,
    }
}

record! {
    answer
    /// The rule that granted, or the group that may do everything.
    pub struct AuthorizeGrant {
        binding "binding": Option<String>,
        /// The role that holds the rule.
        role "role": Option<String>,
        /// The index of the rule in its role.
        rule "rule": Option<i64>,
        /// The bound role, where it aggregates the one that holds the rule.
        aggregated_by "aggregatedBy": Option<String>,
        group "group": Option<&'static str>,
    }
}

impl Operation for Authorize {
    const NAME: &'static str = "authorize";
    type Answer = AuthorizeAnswer;

    fn answer(self, out: &mut Vec<Diagnostic>) -> Result<AuthorizeAnswer, Error> {
        let user = User::new(self.user.name, self.user.groups);
        let roles = self.reviews.is_none() && self.documents.is_some();
        let reviews: Vec<Review> = self.reviews.unwrap_or_default().into_iter().map(Review::from).collect();
        let question = Question {
            user: &user,
            old: self.old.as_ref(),
            new: self.new.as_ref(),
            documents: self.documents.as_deref().unwrap_or_default(),
            reviews: &reviews,
            roles,
            stage: self.stage.unwrap_or_default(),
            mode: self.mode.unwrap_or_default(),
        };
        let verdict = authorize(&question, out)?;
        let needs: Vec<Value> = verdict.needs.iter().map(|it| it.access_review(&user)).collect();
        Ok(AuthorizeAnswer {
            allowed: verdict.allowed(),
            checks: verdict.checks.into_iter().map(AuthorizeCheck::from).collect(),
            joins: verdict.joins,
            leaves: verdict.leaves,
            needs: (!needs.is_empty()).then_some(needs),
        })
    }
}

impl From<AuthorizeReview> for Review {
    fn from(AuthorizeReview { resource, subresource, name, verb, allowed }: AuthorizeReview) -> Review {
        Review { resource, subresource, name, verb, allowed }
    }
}

impl From<Check> for AuthorizeCheck {
    fn from(check: Check) -> AuthorizeCheck {
        AuthorizeCheck {
            label: check.label,
            change: check.change.as_str(),
            granted: check.granted,
            asked: check.asked.iter().map(ToString::to_string).collect(),
            granted_by: check.granted_by.map(AuthorizeGrant::from),
        }
    }
}

impl From<Grant> for AuthorizeGrant {
    fn from(grant: Grant) -> AuthorizeGrant {
        match grant {
            Grant::Masters => {
                AuthorizeGrant { binding: None, role: None, rule: None, aggregated_by: None, group: Some(MASTERS) }
            }
            Grant::Rule { binding, role, aggregated_by, rule } => AuthorizeGrant {
                binding: Some(binding),
                role: Some(role),
                rule: i64::try_from(rule).ok(),
                aggregated_by,
                group: None,
            },
        }
    }
}
