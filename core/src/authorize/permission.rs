//! What a label change needs, who is asked for it, and what the answer is.

use std::fmt;

use crate::clusterset::GROUP;
use crate::rbac::{Grant, Rbac, Request, User};
use crate::value::{Text, Value};

/// Every permission here is one to create.
const VERB: &str = "create";

/// A permission to create a subresource of a named object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    pub resource: &'static str,
    pub subresource: &'static str,
    pub name: Text,
}

impl Permission {
    /// To put a label on a cluster or take it off. RBAC has no patterns in names, so that `key:*` and `*` are asked for
    /// as names of their own.
    pub fn label(name: impl Into<Text>) -> Permission {
        Permission { resource: "managedclusters", subresource: "label", name: name.into() }
    }

    /// To move a cluster into a set or out of it, as it was before labels had permissions.
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

    /// As RBAC rules are asked for it.
    pub fn request(&self) -> Request<'_> {
        let Permission { resource, subresource, name } = self;
        Request { verb: VERB, group: GROUP, resource, subresource, name }
    }

    /// As an API server is asked for it.
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

/// An API server's answer to an access review.
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
pub enum Judge<'a> {
    Documents(Rbac),
    Reviews(&'a [Review]),
}

#[derive(Debug, PartialEq)]
pub enum Judgement {
    Granted(Option<Grant>),
    Denied,
    /// Nobody was asked yet.
    Unknown,
}

impl Judge<'_> {
    /// Whether the user has the permission. Of reviews that contradict each other the denial counts.
    pub fn judge(&self, user: &User, permission: &Permission) -> Judgement {
        match self {
            Judge::Documents(rbac) => match rbac.allows(user, permission.request()) {
                Some(grant) => Judgement::Granted(Some(grant)),
                None => Judgement::Denied,
            },
            Judge::Reviews(reviews) => {
                let mut answers = reviews.iter().filter(|it| it.answers(permission)).peekable();
                if answers.peek().is_none() {
                    Judgement::Unknown
                } else if answers.all(|it| it.allowed) {
                    Judgement::Granted(None)
                } else {
                    Judgement::Denied
                }
            }
        }
    }
}
