//! The permissions that a label change needs, and who grants them.

use std::fmt;

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::authorize::rbac::{Grant, Rbac, Request, User};
use crate::engine::select::cluster_set::GROUP;
use crate::value::collections::SortedSet;
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
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl Review {
    fn answers(&self, permission: &Permission) -> bool {
        let Review { resource, subresource, name, verb, .. } = self;
        resource == permission.resource
            && subresource == permission.subresource
            && *name == permission.name
            && verb == VERB
    }
}

/// Who knows what the user may do.
#[derive(Debug)]
pub struct Judge<'a> {
    /// The access reviews so far.
    pub reviews: &'a [Review],
    /// Roles and bindings, which decide the permissions that no review covers.
    pub roles: Option<Rbac>,
}

/// Whether a user has a permission.
#[derive(Debug, PartialEq)]
pub enum Judgement {
    Granted(Option<Grant>),
    Denied,
    /// Neither a review nor a role decides it yet.
    Unknown,
}

impl Judge<'_> {
    /// Whether the user has the permission. If reviews contradict each other, the denial wins.
    pub fn judge(&self, user: &User, permission: &Permission) -> Judgement {
        let mut answers = self.reviews.iter().filter(|it| it.answers(permission)).peekable();
        if answers.peek().is_some() {
            return if answers.all(|it| it.allowed) { Judgement::Granted(None) } else { Judgement::Denied };
        }
        match self.roles.as_ref().map(|it| it.allows(user, permission.request())) {
            Some(Some(grant)) => Judgement::Granted(Some(grant)),
            Some(None) => Judgement::Denied,
            None => Judgement::Unknown,
        }
    }

    /// Says of bindings that they look as if they granted what is denied, and grant in their namespace only.
    pub fn namespaced(&self, user: &User, denied: &[&Permission], kind: &str) -> Vec<Diagnostic> {
        let Some(rbac) = &self.roles else { return Vec::new() };
        let bindings: SortedSet<String> = denied.iter().flat_map(|it| rbac.namespaced(user, it.request())).collect();
        let found = bindings.iter().map(|binding| {
            let message = format!("the binding grants in its namespace only, and a {kind} has none");
            Diagnostic::info(Code::NamespacedGrant, message).of(binding).hint("use a ClusterRoleBinding")
        });
        found.collect()
    }
}
