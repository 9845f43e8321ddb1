//! The permissions that a label change needs, and who grants them.

use std::fmt;

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::authorize::rbac::{Grant, Grants, Rbac, Request, Scope, User};
use crate::engine::select::cluster_set::GROUP;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::{Text, Value};

/// Every permission here is one to create.
const VERB: &str = "create";

/// A permission to create a subresource of a named object.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::authorize::Permission;
///
/// assert_eq!(Permission::label("env:prod").to_string(), "managedclusters/label env:prod");
/// assert!(Permission::join("dev").is_join());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permission {
    pub resource: &'static str,
    pub subresource: &'static str,
    pub name: Text,
}

impl Permission {
    /// To set or remove a label of a cluster. RBAC has no patterns in names, so `key:*` and `*` are checked as literal
    /// names.
    pub fn label(name: impl Into<Text>) -> Permission {
        Permission { resource: "managedclusters", subresource: "label", name: name.into() }
    }

    /// To move a cluster into a set or out of it, from the time before labels had permissions.
    pub fn join(set: impl Into<Text>) -> Permission {
        Permission { resource: "managedclustersets", subresource: "join", name: set.into() }
    }

    /// To let a namespace use the clusters of a set.
    pub fn bind(set: impl Into<Text>) -> Permission {
        Permission { resource: "managedclustersets", subresource: "bind", name: set.into() }
    }

    pub fn is_join(&self) -> bool {
        self.subresource == "join"
    }

    /// The request to match against RBAC rules.
    pub fn request(&self) -> Request<'_> {
        let Permission { resource, subresource, name } = self;
        Request { verb: VERB, group: GROUP, resource, subresource, name }
    }

    /// The SubjectAccessReview to send to an API server.
    pub fn access_review(&self, user: &User) -> Value {
        let attributes = Value::map([
            ("group", Value::text(GROUP)),
            ("resource", self.resource.into()),
            ("subresource", self.subresource.into()),
            ("name", self.name.clone().into()),
            ("verb", VERB.into()),
        ]);
        let spec = Value::map([
            ("user", Value::text(user.name.clone())),
            ("groups", Value::list(user.groups.iter().cloned())),
            ("resourceAttributes", attributes),
        ]);
        Value::map([
            ("apiVersion", Value::text("authorization.k8s.io/v1")),
            ("kind", "SubjectAccessReview".into()),
            ("spec", spec),
        ])
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} {}", self.resource, self.subresource, self.name)
    }
}

/// The result of an access review by an API server.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    pub resource: Text,
    pub subresource: Text,
    pub name: Text,
    pub verb: Text,
    pub allowed: bool,
}

/// Who knows what a user may do.
#[derive(Debug)]
pub struct Judge<'a> {
    user: &'a User,
    /// Whether the access reviews allow a permission, by its resource, subresource and name. If reviews contradict each
    /// other, the denial wins.
    reviews: SortedMap<(&'a str, &'a str, &'a str), bool>,
    /// Roles and bindings, which decide the permissions that no review covers.
    pub roles: Option<Rbac>,
    /// The roles that count for the user.
    scope: Scope,
    /// The grants of the roles, by resource and subresource, computed on demand.
    grants: SortedMap<(&'static str, &'static str), Grants>,
}

/// Whether a user has a permission.
#[derive(Debug, PartialEq)]
pub enum Judgement {
    Granted(Option<Grant>),
    Denied,
    /// Neither a review nor a role decides it yet.
    Unknown,
}

impl<'a> Judge<'a> {
    /// The reviews so far, and the roles and bindings if they decide.
    pub fn new(user: &'a User, reviews: &'a [Review], roles: Option<Rbac>) -> Judge<'a> {
        let scope = roles.as_ref().map(|it| it.scope(user)).unwrap_or_default();
        let mut judge = Judge { user, reviews: SortedMap::new(), roles, scope, grants: SortedMap::new() };
        for Review { resource, subresource, name, allowed, .. } in reviews.iter().filter(|it| it.verb == VERB) {
            let all = judge.reviews.entry((resource, subresource, name)).or_insert(true);
            *all = *all && *allowed;
        }
        judge
    }

    /// Whether the user has the permission.
    pub fn judge(&mut self, permission: &Permission) -> Judgement {
        let Permission { resource, subresource, name } = permission;
        if let Some(allowed) = self.reviews.get(&(*resource, *subresource, name.as_str())) {
            return if *allowed { Judgement::Granted(None) } else { Judgement::Denied };
        }
        let Some(roles) = &self.roles else { return Judgement::Unknown };
        let grants = self.grants.entry((*resource, *subresource));
        match grants.or_insert_with(|| roles.grants(&self.scope, permission.request())).allows(name) {
            Some(grant) => Judgement::Granted(Some(grant.clone())),
            None => Judgement::Denied,
        }
    }

    /// The role that grants a request to the user, regardless of reviews.
    pub fn granted_by_roles(&self, request: Request) -> Option<Grant> {
        self.roles.as_ref()?.grants(&self.scope, request).allows(request.name).cloned()
    }

    /// Reports bindings that seem to grant a denied request, but grant in their namespace only.
    pub fn namespaced(&self, denied: &[&Permission], kind: &str) -> Vec<Diagnostic> {
        let Some(rbac) = &self.roles else { return Vec::new() };
        let requests: Vec<Request> = denied.iter().map(|it| it.request()).collect();
        let bindings: SortedSet<String> = rbac.namespaced(self.user, &requests).into_iter().collect();
        let found = bindings.iter().map(|binding| {
            let message = format!("the binding grants in its namespace only, and a {kind} has none");
            Diagnostic::info(Code::NamespacedGrant, message).of(binding).hint("use a ClusterRoleBinding")
        });
        found.collect()
    }
}
