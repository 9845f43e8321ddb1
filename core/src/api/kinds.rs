//! `kinds`: which kinds of documents are read on the hub.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::{Diagnostic, Error};
use crate::dialect;
use crate::value::Text;
use crate::value::collections::SortedMap;
use crate::workspace::Workspace;
use crate::workspace::hub_kind::HubKind;
use crate::workspace::store::View;

/// The kinds of documents that dialects read on the hub.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Kinds {
    /// The dialects, enabled or not; by default the enabled ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialects: Option<Vec<Text>>,
}

/// By group and kind.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KindsAnswer {
    pub kinds: Vec<KindAnswer>,
}

/// One kind of documents.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KindAnswer {
    /// The operations that an admission webhook must see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admits: Option<Vec<Text>>,
    /// The dialects that read it.
    pub dialects: Vec<Text>,
    /// Empty for the core group.
    pub group: Text,
    /// Ends in `*` if it covers every kind of the group with this prefix.
    pub kind: Text,
    /// Only these objects are documents; in kubectl's syntax.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<Text>,
    /// Left out if `kind` covers several; use the server's discovery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plural: Option<Text>,
    /// `Namespaced` or `Cluster`; left out if `kind` covers several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Text>,
    /// Whether the kind has the subresource `status`.
    pub status_subresource: bool,
    /// The supported versions, preferred first.
    pub versions: Vec<Text>,
}

impl Op for Kinds {
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
                    entry.admits = Some(kind.admits.iter().copied().map(Text::new_static).collect());
                }
                let name = Text::new_static(dialect.name());
                if !entry.dialects.contains(&name) {
                    entry.dialects.push(name);
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
            label_selector: Some(kind.label_selector).filter(|it| !it.is_empty()).map(Text::new_static),
            status_subresource: kind.has_status,
            admits: None,
            dialects: Vec::new(),
        }
    }
}
