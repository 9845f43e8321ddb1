//! What the planner needs, and which watch covers it.

use fleetfold_core::api::load::QueryInput;
use fleetfold_core::api::plan::NeedAnswer;
use fleetfold_core::object::Identity;

use crate::target::{Target, given};

/// What the planner needs: an object or, without a name, a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    pub target: Target,
    pub label_selector: String,
}

impl From<&NeedAnswer> for Need {
    fn from(need: &NeedAnswer) -> Need {
        let label_selector = need.label_selector.as_deref().unwrap_or_default().to_owned();
        Need { target: Target::from(need), label_selector }
    }
}

impl Need {
    /// The list that is needed, as `load` takes it.
    pub fn to_query(&self) -> QueryInput {
        QueryInput {
            api_version: self.target.api_version.as_str().into(),
            kind: self.target.kind.as_str().into(),
            namespace: given(&self.target.namespace),
            label_selector: given(&self.label_selector),
        }
    }

    pub fn is_list(&self) -> bool {
        self.target.name.is_empty()
    }

    pub(super) fn scope(&self) -> WatchScope {
        let Target { api_version, kind, namespace, .. } = self.target.clone();
        WatchScope { api_version, kind, namespace, label_selector: self.label_selector.clone() }
    }
}

/// The objects that one watch covers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatchScope {
    api_version: String,
    kind: String,
    pub(super) namespace: String,
    pub(super) label_selector: String,
}

impl WatchScope {
    pub(super) fn covers(&self, identity: &Identity) -> bool {
        let group = self.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let in_namespace = self.namespace.is_empty() || identity.namespace == self.namespace;
        identity.kind == self.kind && identity.group == group && in_namespace && self.label_selector.is_empty()
    }

    pub(super) fn target(&self, identity: &Identity) -> Target {
        Target {
            api_version: self.api_version.clone(),
            kind: self.kind.clone(),
            namespace: identity.namespace.to_string(),
            name: identity.name.to_string(),
        }
    }
}
