//! Who owns what a deployment installs: the deployment itself, but for definitions and what was there before.

use super::waves::is_namespace;
use crate::engine::patch::{Operation, Verb};
use crate::object::document::{Document, Identity};
use crate::object::identity::group_of;
use crate::value::json::Samples;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::last_applied;
use crate::workspace::store::View;

/// A deployment that its API server knows.
#[derive(Clone, Debug)]
pub struct Owner {
    api_version: Text,
    kind: Text,
    name: Text,
    pub uid: Text,
}

/// The relation of an object to the owner.
#[derive(Debug)]
pub enum Hold {
    /// It is the owner's.
    Ours,
    /// It lacks the owner reference, which this would add.
    Missing(Vec<Operation>),
    /// Something else controls it, such as `ReplicaSet/x`.
    Foreign(String),
}

/// Why the owner owns an object, or why not.
#[derive(Debug)]
pub enum Tenure {
    /// It is created with the owner reference, or has it.
    Owned,
    /// It was created here and lost the reference, or refers to an earlier deployment of the name. This restores it.
    Restored(Vec<Operation>),
    /// It was there before, and the deployment takes it over with this.
    Adopted(Vec<Operation>),
    /// It was there before, and stays when the deployment is deleted.
    Found,
    /// Something else controls it, such as `ReplicaSet/x`.
    Foreign(String),
}

impl Owner {
    /// How an object that the deployment installs is owned; `live` is `None` if it will be created.
    ///
    /// 1. A Namespace that existed before is never owned: everything that others put in it would be deleted with it.
    /// 2. An object that was created here is owned. The reference shows that, or the record of the applied object.
    /// 3. Anything else existed before: it is owned only if the deployment adopts.
    pub fn tenure(&self, identity: &Identity, live: Option<&Value>, adopts: bool) -> Tenure {
        let Some(live) = live else { return Tenure::Owned };
        let made_here = || {
            let record = last_applied(live, &mut Samples::default()).unwrap_or_default();
            let references = record.at(&["metadata", "ownerReferences"]).and_then(Value::as_list);
            references.into_iter().flatten().any(|it| self.is_former(it))
        };
        match self.hold_on(live) {
            Hold::Ours => Tenure::Owned,
            _ if is_namespace(identity) => Tenure::Found,
            Hold::Foreign(other) => Tenure::Foreign(other),
            Hold::Missing(patch) if patch.iter().any(|it| it.verb == Verb::Replace) || made_here() => {
                Tenure::Restored(patch)
            }
            Hold::Missing(patch) if adopts => Tenure::Adopted(patch),
            Hold::Missing(_) => Tenure::Found,
        }
    }

    /// Nothing while the deployment has no uid: no reference to it could be written.
    pub fn of(view: View, document: &Document) -> Option<Owner> {
        let seen = || match view.store.observed(HUB)?.observation(&document.identity) {
            Observation::Present(live) => Some(live.text_at(&["metadata", "uid"])),
            _ => None,
        };
        let written = Some(document.value.text_at(&["metadata", "uid"])).filter(|it| !it.is_empty());
        let uid = written.or_else(seen).filter(|it| !it.is_empty())?;
        Some(Owner {
            api_version: document.value.text_at(&["apiVersion"]).into(),
            kind: document.identity.kind.clone(),
            name: document.identity.name.clone(),
            uid: uid.into(),
        })
    }

    pub fn reference(&self) -> Value {
        Value::map([
            ("apiVersion", Value::text(self.api_version.clone())),
            ("blockOwnerDeletion", true.into()),
            ("controller", true.into()),
            ("kind", self.kind.clone().into()),
            ("name", self.name.clone().into()),
            ("uid", self.uid.clone().into()),
        ])
    }

    pub fn hold_on(&self, live: &Value) -> Hold {
        let references = live.at(&["metadata", "ownerReferences"]).and_then(Value::as_list);
        let Some(references) = references else { return self.add(Verb::Add, None, true) };
        if references.iter().any(|it| it.text_at(&["uid"]) == self.uid) {
            return Hold::Ours;
        }
        // The deployment was deleted and made again while the object stayed: the reference leads nowhere.
        if let Some(stale) = references.iter().position(|it| self.is_former(it)) {
            return self.add(Verb::Replace, Some(stale.to_string()), false);
        }
        match references.iter().find(|it| it.get("controller") == Some(&Value::Bool(true))) {
            Some(other) => Hold::Foreign(format!("{}/{}", other.text_at(&["kind"]), other.text_at(&["name"]))),
            None => self.add(Verb::Add, Some("-".to_owned()), false),
        }
    }

    /// Whether a reference is to a deleted deployment of the same name.
    fn is_former(&self, reference: &Value) -> bool {
        reference.text_at(&["kind"]) == self.kind
            && reference.text_at(&["name"]) == self.name
            && group_of(reference.text_at(&["apiVersion"])) == group_of(&self.api_version)
    }

    /// Sets the list of references, or one element of it.
    fn add(&self, verb: Verb, element: Option<String>, whole: bool) -> Hold {
        let reference = self.reference();
        let value = if whole { Value::list([reference]) } else { reference };
        let place = Pointer::of(["metadata".to_owned(), "ownerReferences".to_owned()].into_iter().chain(element));
        Hold::Missing(vec![Operation::on(verb, place, Some(value))])
    }
}
