//! The options that Greenhouse adds under `global.greenhouse`, and the variables of expressions.

use std::sync::Arc;

use super::{CLUSTER, ORGANIZATION, identity};
use crate::engine::fold::{Effective, Layer, Setting, Source};
use crate::engine::rendered::Origin;
use crate::engine::select::Cluster;
use crate::object::document::Identity;
use crate::value::path::{OptionPath, Pointer};
use crate::value::{Map, Text, Value};
use crate::workspace::store::{Scope, View};

/// The name of the layer that wins over everything a user wrote.
pub const INJECTED: &str = "injected";

/// Options that Greenhouse set in the past and now removes from every layer.
pub const STRIPPED: &[&str] = &["global.greenhouse.clusterNames", "global.greenhouse.teamNames"];

const ORGANIZATION_NAME: &str = "global.greenhouse.organizationName";
const CLUSTER_NAME: &str = "global.greenhouse.clusterName";
const BASE_DOMAIN: &str = "global.greenhouse.baseDomain";
const OWNED_BY: &str = "global.greenhouse.ownedBy";
const METADATA: &str = "global.greenhouse.metadata.";

/// Labels of a cluster with this prefix become values under the rest of their name.
const METADATA_LABEL: &str = "metadata.greenhouse.sap/";

/// The label that names the team a plugin belongs to.
pub const OWNED_BY_LABEL: &str = "greenhouse.sap/owned-by";

/// The operator gets its domain from a flag, which no document has. Here, this annotation of the Organization has it.
const BASE_DOMAIN_ANNOTATION: &str = "fleetfold.dev/base-domain";

/// Everything Greenhouse sets lies below this.
const PREFIX: &str = "global.greenhouse.";

/// Whether Greenhouse sets the option for every plugin.
pub fn is_injected(path: &str) -> bool {
    [ORGANIZATION_NAME, CLUSTER_NAME, BASE_DOMAIN].contains(&path)
}

/// Whether an option of a live Plugin may stay though no layer sets it.
pub fn is_tolerated(path: &str) -> bool {
    path.starts_with(PREFIX)
}

/// The injected options that all clusters share: those of the organization, and those of the preset or plugin.
pub fn layers(view: View, subject: &Arc<Identity>, owner: &str) -> [Layer; 2] {
    let namespace = &subject.namespace;
    let organization = view.document(&identity(ORGANIZATION, "", namespace));
    let domain = organization.map_or("", |it| it.value.text_at(&["metadata", "annotations", BASE_DOMAIN_ANNOTATION]));
    let name_at = Pointer::of(["metadata", "name"]);
    let domain_at = Pointer::of(["metadata", "annotations", BASE_DOMAIN_ANNOTATION]);
    let owner_at = Pointer::of(["metadata", "labels", OWNED_BY_LABEL]);
    let setting = |(path, value, at): (&'static str, &str, Pointer)| {
        Some(Setting {
            path: Text::new_static(path),
            place: OptionPath::parse(path).ok()?,
            source: Source::Value(value.into()),
            deep: false,
            at,
        })
    };
    let layer = |document: Option<Arc<Identity>>, rows: Vec<(&'static str, &str, Pointer)>| {
        let set = rows.into_iter().filter(|(_, value, _)| !value.is_empty()).filter_map(setting).collect();
        Layer { name: INJECTED.into(), document, when: None, set }
    };
    let of_organization = vec![(ORGANIZATION_NAME, namespace.as_str(), name_at), (BASE_DOMAIN, domain, domain_at)];
    [
        layer(organization.map(|it| Arc::new(it.identity.clone())), of_organization),
        layer(Some(Arc::clone(subject)), vec![(OWNED_BY, owner, owner_at)]),
    ]
}

/// The injected options that name the cluster: its name, and its labels for plugins.
pub fn per_cluster(scope: &Scope, cluster: &Cluster) -> Vec<Effective> {
    let document: Arc<Identity> = Arc::new(identity(CLUSTER, &scope.namespace, &cluster.name));
    let option = |path: Text, value: &Text, at: Pointer| Effective {
        path,
        from: INJECTED.into(),
        source: Source::Value(Value::Text(value.clone())),
        origin: Some(Arc::new(Origin { document: Arc::clone(&document), path: at })),
    };
    let name_at = Pointer::of(["metadata", "name"]);
    let name = (!cluster.name.is_empty()).then(|| option(CLUSTER_NAME.into(), &cluster.name, name_at));
    let labels = cluster.labels.iter().filter_map(|(key, value)| {
        let name = key.strip_prefix(METADATA_LABEL).filter(|it| !it.is_empty())?;
        let at = Pointer::of(["metadata", "labels", key]);
        Some(option(format!("{METADATA}{name}").into(), value, at))
    });
    name.into_iter().chain(labels).collect()
}

/// The variables of expressions for a cluster: `global.greenhouse` as its plugins get it.
pub fn variables(shared: &[Layer], per_cluster: &[Effective]) -> Value {
    let mut global: Value = Map::new().into();
    let shared = shared.iter().flat_map(|it| &it.set).map(|it| (&it.path, &it.source));
    for (path, source) in shared.chain(per_cluster.iter().map(|it| (&it.path, &it.source))) {
        if let (Some(path), Source::Value(value)) = (path.strip_prefix("global."), source) {
            put(&mut global, path, value);
        }
    }
    global
}

fn put(tree: &mut Value, path: &str, value: &Value) {
    let mut here = tree;
    for key in path.split('.') {
        if here.as_map().is_none() {
            *here = Map::new().into();
        }
        let Some(next) = here.as_map_mut().and_then(|map| map.entry_or(key, || Value::Null)) else { return };
        here = next;
    }
    *here = value.clone();
}
