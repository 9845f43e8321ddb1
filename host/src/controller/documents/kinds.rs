//! The kinds of documents: as the engine names them, and as the hub serves them.

use fleetfold_core::api::kinds::KindAnswer;
use fleetfold_core::value::Text;

use crate::cluster::{ApiError, ApiKind, Cluster, Listed};
use crate::target::Target;

/// A kind of documents as the engine names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub(super) group: String,
    /// A kind, or a prefix that ends with `*`.
    pub(super) kind: String,
    versions: Vec<String>,
    pub(super) dialects: Vec<Text>,
    pub(super) label_selector: String,
}

impl From<KindAnswer> for Row {
    fn from(kind: KindAnswer) -> Row {
        Row {
            group: kind.group.to_string(),
            kind: kind.kind.to_string(),
            versions: kind.versions.iter().map(Text::to_string).collect(),
            dialects: kind.dialects,
            label_selector: kind.label_selector.map(|it| it.to_string()).unwrap_or_default(),
        }
    }
}

impl Row {
    pub(super) fn names(&self, api_kind: &ApiKind) -> bool {
        match self.kind.strip_suffix('*') {
            Some(start) => api_kind.kind.starts_with(start),
            None => api_kind.kind == self.kind,
        }
    }
}

/// Finds the best served version of each kind.
pub(super) async fn discover(hub: &Cluster, rows: Vec<Row>) -> Result<Vec<(Row, ApiKind)>, ApiError> {
    hub.clear_discovery();
    let groups = hub.groups().await?;
    let mut found = Vec::new();
    for row in rows {
        let versions = match (row.group.as_str(), groups.get(&row.group)) {
            ("", _) => vec!["v1".to_owned()],
            (_, Some(served)) if row.versions.is_empty() => served.clone(),
            (_, Some(served)) => row.versions.iter().filter(|it| served.contains(it)).cloned().collect(),
            (_, None) => Vec::new(),
        };
        for version in versions {
            let api_version = if row.group.is_empty() { version } else { format!("{}/{version}", row.group) };
            let all = hub.api_kinds(&api_version).await?;
            let matching: Vec<ApiKind> = all.into_iter().filter(|it| row.names(it) && it.can_watch).collect();
            if !matching.is_empty() {
                found.extend(matching.into_iter().map(|api_kind| (row.clone(), api_kind)));
                break;
            }
        }
    }
    Ok(found)
}

/// Lists a kind. After a failed watch, only if it can be watched as well.
pub(super) async fn relist(
    hub: &Cluster,
    api_kind: &ApiKind,
    label_selector: &str,
    has_failed: bool,
) -> Result<Listed, ApiError> {
    if has_failed {
        hub.try_watch(api_kind, label_selector).await?;
    }
    let ApiKind { api_version, kind, .. } = api_kind.clone();
    hub.list(&Target { api_version, kind, ..Target::default() }, label_selector).await
}
