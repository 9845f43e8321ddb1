//! Names of objects: what an action, a status or a need refers to.

use std::fmt;

use fleetfold_core::Value;
use fleetfold_core::api::load::TargetInput;
use fleetfold_core::api::plan::{NeedAnswer, TargetAnswer};
use fleetfold_core::object::Identity;
use fleetfold_core::value::Text;

use crate::meta::Meta;

/// Names one object of a cluster or, without a name, all objects of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    pub api_version: String,
    pub kind: String,
    /// Empty for all namespaces, and for cluster-scoped kinds.
    pub namespace: String,
    pub name: String,
}

impl Target {
    /// The target that names this object.
    pub fn of(object: &Value) -> Target {
        let meta = Meta::of(object);
        Target {
            api_version: meta.api_version().to_owned(),
            kind: meta.kind().to_owned(),
            namespace: meta.namespace().to_owned(),
            name: meta.name().to_owned(),
        }
    }

    pub fn group(&self) -> &str {
        self.api_version.rsplit_once('/').map_or("", |(group, _)| group)
    }

    pub fn identity(&self) -> Identity {
        Identity {
            kind: self.kind.as_str().into(),
            group: self.group().into(),
            namespace: self.namespace.as_str().into(),
            name: self.name.as_str().into(),
        }
    }

    /// As `unload` and `configure` refer to the document: `Kind.group/namespace/name`.
    pub fn reference(&self) -> String {
        reference(&self.identity())
    }

    /// As `load` takes it.
    pub fn to_input(&self) -> TargetInput {
        TargetInput {
            api_version: self.api_version.as_str().into(),
            kind: self.kind.as_str().into(),
            namespace: given(&self.namespace),
            name: self.name.as_str().into(),
        }
    }

    /// As an object reference of Kubernetes.
    pub fn to_value(&self) -> Value {
        self.to_value_with_uid("")
    }

    /// As a reference to the object with this uid.
    pub fn to_value_with_uid(&self, uid: &str) -> Value {
        let parts = [
            ("apiVersion", self.api_version.as_str()),
            ("kind", &self.kind),
            ("namespace", &self.namespace),
            ("name", &self.name),
            ("uid", uid),
        ];
        Value::map(parts.into_iter().filter(|(_, it)| !it.is_empty()))
    }

    pub(crate) fn is_secret(&self) -> bool {
        self.kind == "Secret" && self.group().is_empty()
    }
}

impl From<&TargetAnswer> for Target {
    fn from(target: &TargetAnswer) -> Target {
        let TargetAnswer { api_version, kind, namespace, name } = target;
        Target {
            api_version: api_version.to_string(),
            kind: kind.to_string(),
            namespace: namespace.as_deref().unwrap_or_default().to_owned(),
            name: name.to_string(),
        }
    }
}

impl From<&NeedAnswer> for Target {
    fn from(need: &NeedAnswer) -> Target {
        Target {
            api_version: need.api_version.to_string(),
            kind: need.kind.to_string(),
            namespace: need.namespace.as_deref().unwrap_or_default().to_owned(),
            name: need.name.as_deref().unwrap_or_default().to_owned(),
        }
    }
}

impl From<&TargetInput> for Target {
    fn from(target: &TargetInput) -> Target {
        let TargetInput { api_version, kind, namespace, name } = target;
        Target {
            api_version: api_version.to_string(),
            kind: kind.to_string(),
            namespace: namespace.as_deref().unwrap_or_default().to_owned(),
            name: name.to_string(),
        }
    }
}

/// A text that requests leave out where it is empty.
pub(crate) fn given(text: &str) -> Option<Text> {
    Some(text).filter(|it| !it.is_empty()).map(Text::from)
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.kind.as_str(), &self.namespace, &self.name];
        f.write_str(&parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("/"))
    }
}

/// A document as `unload` and `configure` refer to it: `Kind.group/namespace/name`.
pub fn reference(identity: &Identity) -> String {
    let Identity { kind, group, namespace, name } = identity;
    let kind = if group.is_empty() { kind.to_string() } else { format!("{kind}.{group}") };
    let parts = [kind.as_str(), namespace.as_str(), name.as_str()];
    parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_prints_kind_namespace_and_name() {
        let target = Target {
            api_version: "apps/v1".into(),
            kind: "Deployment".into(),
            namespace: "n".into(),
            name: "d".into(),
        };
        assert_eq!((target.to_string().as_str(), target.group()), ("Deployment/n/d", "apps"));
    }
}
