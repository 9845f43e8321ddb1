//! `kinds`: which kinds of documents are read on the hub.

use super::WorkspaceOperation;
use crate::diagnostic::{Diagnostic, Error};
use crate::dialect;
use crate::record;
use crate::value::Text;
use crate::value::collections::SortedMap;
use crate::workspace::Workspace;
use crate::workspace::hub_kind::HubKind;
use crate::workspace::store::View;

record! {
    request
    /// The kinds of documents that dialects read on the hub.
    pub struct Kinds {
        /// Those of these dialects, be they in force or not; left out, of those in force.
        dialects "dialects": Option<Vec<Text>>,
    }
}

record! {
    answer
    /// By group and kind.
    pub struct KindsAnswer {
        kinds "kinds": Vec<KindAnswer>,
    }
}

record! {
    answer
    /// One kind of documents.
    pub struct KindAnswer {
        /// Empty for the core of Kubernetes.
        group "group": Text,
        /// Ends in `*` where it stands for every kind of the group that begins like this.
        kind "kind": Text,
        /// Left out where `kind` stands for several; the server knows.
        plural "plural": Option<Text>,
        /// `Namespaced` or `Cluster`; left out where `kind` stands for several.
        scope "scope": Option<Text>,
        /// The versions that are understood, best first.
        versions "versions": Vec<Text>,
        /// Only these objects are documents; in kubectl's syntax.
        label_selector "labelSelector": Option<&'static str>,
        /// Whether a status is written apart from the rest.
        status_subresource "statusSubresource": bool,
        /// The operations that an admission webhook must see.
        admits "admits": Option<Vec<&'static str>>,
        /// Those that read it.
        dialects "dialects": Vec<&'static str>,
    }
}

impl WorkspaceOperation for Kinds {
    const NAME: &'static str = "kinds";
    type Answer = KindsAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<KindsAnswer, Error> {
        let view = View { store: &workspace.store, now: None };
        let mut kinds: SortedMap<(Text, Text), KindAnswer> = SortedMap::new();
        let asked = self.dialects.as_ref().unwrap_or(&workspace.store.settings.dialects);
        for dialect in dialect::ALL.iter().filter(|it| asked.iter().any(|name| name == it.name())) {
            for kind in dialect.kinds(view) {
                let entry =
                    kinds.entry((kind.group.clone(), kind.kind.clone())).or_insert_with(|| KindAnswer::of(&kind));
                if !kind.admits.is_empty() {
                    entry.admits = Some(kind.admits.to_vec());
                }
                if !entry.dialects.contains(&dialect.name()) {
                    entry.dialects.push(dialect.name());
                }
            }
        }
        Ok(KindsAnswer { kinds: kinds.into_values().collect() })
    }
}

impl KindAnswer {
    fn of(kind: &HubKind) -> KindAnswer {
        let given = |text: &Text| Some(text.clone()).filter(|it| !it.is_empty());
        KindAnswer {
            group: kind.group.clone(),
            kind: kind.kind.clone(),
            plural: given(&kind.plural),
            scope: given(&kind.scope),
            versions: kind.versions(),
            label_selector: Some(kind.label_selector).filter(|it| !it.is_empty()),
            status_subresource: kind.has_status,
            admits: None,
            dialects: Vec::new(),
        }
    }
}
