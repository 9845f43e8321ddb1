//! `authorize`: whether a user may make a label change.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::authorize::rbac::{Grant, MASTERS, User};
use crate::engine::authorize::{Check, ObjectCheck, Question, Review, authorize};
use crate::engine::select::cluster_set::Stage;
use crate::object::redacted::Redacted;
use crate::value::{Text, Value};
use crate::workspace::Workspace;

/// Checks whether a user may make a label change, and which sets the cluster joins and leaves.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Authorize {
    pub user: AuthorizeUser,
    /// The ManagedCluster before the change; null when it is created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The ManagedCluster after the change; null when it is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// ManagedClusterSets, and the ClusterRoles and ClusterRoleBindings that decide if there are no reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<Vec<Value>>,
    /// Answers to access reviews, which decide instead of roles and bindings. Without reviews and documents, all of
    /// them are returned under `needs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviews: Option<Vec<AuthorizeReview>>,
    /// `full` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// `compat`: the answer of Open Cluster Management.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// The user who makes the change.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuthorizeUser {
    pub name: Text,
    /// All groups of the user. Left out: those that the name implies, as with `kubectl --as`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<Text>>,
}

/// The answer to an access review.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuthorizeReview {
    pub resource: Text,
    pub subresource: Text,
    pub name: Text,
    pub verb: Text,
    pub allowed: bool,
}

/// Whether the change is allowed, and what it does.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuthorizeAnswer {
    /// Whether every check is granted.
    pub allowed: bool,
    /// By label key; for one key, the removed label first.
    pub checks: Vec<AuthorizeCheck>,
    /// The sets that the cluster joins, by name.
    pub joins: Vec<Text>,
    /// The sets that the cluster leaves, by name.
    pub leaves: Vec<Text>,
    /// The SubjectAccessReviews that are missing; left out when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Vec<Redacted>>,
    /// Whether the user may write the ManagedCluster at all, where roles or bindings are given. `allowed` is about
    /// labels alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<AuthorizeObject>,
}

/// Whether the user may create, update or delete the ManagedCluster, whatever its labels.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuthorizeObject {
    pub granted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted_by: Option<AuthorizeGrant>,
    /// What the user may do, and whether the change needs a permission on labels.
    pub text: String,
    /// `create`, `update` or `delete`.
    pub verb: Text,
}

impl AuthorizeObject {
    pub(super) fn of(check: &ObjectCheck, user: &str, checks: usize) -> AuthorizeObject {
        let ObjectCheck { verb, granted_by } = check;
        let may = if granted_by.is_some() { "may" } else { "may not" };
        let labels = match checks {
            0 => "the change needs no label permission",
            1 => "the change needs one label permission",
            _ => "the change needs label permissions",
        };
        AuthorizeObject {
            granted: granted_by.is_some(),
            granted_by: granted_by.clone().map(AuthorizeGrant::from),
            text: format!("{labels}; the user `{user}` {may} {verb} the ManagedCluster"),
            verb: Text::new_static(verb),
        }
    }
}

/// One label that is added or removed, or a set that is bound.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuthorizeCheck {
    /// The permissions that were checked, up to the one that grants: `resource/subresource name`.
    pub asked: Vec<String>,
    /// `add`, `remove` or `bind`.
    pub change: Text,
    pub granted: bool,
    /// The rule that granted it, if documents decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted_by: Option<AuthorizeGrant>,
    /// `key:value`, or the name of the set.
    pub label: String,
}

/// The rule that granted, or the group that may do everything.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuthorizeGrant {
    /// The bound role, if it aggregates the one with the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregated_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Text>,
    /// The role with the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The index of the rule in its role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<i64>,
}

impl Op for Authorize {
    const NAME: &'static str = "authorize";
    type Answer = AuthorizeAnswer;

    fn answer(self, _: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<AuthorizeAnswer, Error> {
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
        let needs: Vec<Redacted> = verdict.needs.iter().map(|it| Redacted::working(it.access_review(&user))).collect();
        let checks = verdict.checks.len();
        Ok(AuthorizeAnswer {
            object: verdict.object.as_ref().map(|it| AuthorizeObject::of(it, &user.name, checks)),
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
            change: check.change.as_str().into(),
            granted: check.granted,
            asked: check.required.iter().map(ToString::to_string).collect(),
            granted_by: check.granted_by.map(AuthorizeGrant::from),
        }
    }
}

impl From<Grant> for AuthorizeGrant {
    fn from(grant: Grant) -> AuthorizeGrant {
        match grant {
            Grant::Masters => AuthorizeGrant {
                binding: None,
                role: None,
                rule: None,
                aggregated_by: None,
                group: Some(Text::new_static(MASTERS)),
            },
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
