//! How to get to an API server: to the hub as kubectl does, to a member as the engine says.

use std::path::Path;
use std::time::Duration;

use fleetfold_core::Value;
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig, NamedAuthInfo, NamedCluster, NamedContext};
use kube::{Client, Config};

use super::{Cluster, Fault, Target};
use crate::answer::{list, text, texts};

/// A connection that is not there after this long will not be there.
const CONNECT: Duration = Duration::from_secs(5);

/// The hub: of a kubeconfig file, or where none is given as kubectl finds it, or from inside a cluster.
pub async fn hub(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<Cluster, Fault> {
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    let config = match kubeconfig {
        Some(path) => {
            let read = Kubeconfig::read_from(path).map_err(|error| {
                let hint = "give the path of a kubeconfig with `--kubeconfig`".into();
                Fault::NoAccess { message: format!("`{}` cannot be read: {error}", path.display()), hint }
            })?;
            Config::from_custom_kubeconfig(read, &options).await.map_err(|error| no_access(&error))?
        }
        None if context.is_some() => Config::from_kubeconfig(&options).await.map_err(|error| no_access(&error))?,
        None => Config::infer().await.map_err(|error| no_access(&error))?,
    };
    connect("", config)
}

/// What people call the hub: its context, or where nothing names one, the cluster that this runs in.
pub fn hub_name(kubeconfig: Option<&Path>, context: Option<&str>) -> String {
    let current = || {
        let read = kubeconfig.map_or_else(Kubeconfig::read, Kubeconfig::read_from);
        read.ok().and_then(|it| it.current_context).filter(|it| !it.is_empty())
    };
    context.map(str::to_owned).or_else(current).unwrap_or_else(|| "in-cluster".to_owned())
}

/// A way to a member that can be gone, and the versions of the Secrets that the ways depend on.
#[derive(Debug)]
pub struct Access {
    pub cluster: Cluster,
    pub versions: Vec<String>,
}

/// The versions of the Secrets that ways depend on, to see when access was changed.
pub async fn versions(ways: &[Value], hub: &Cluster) -> Vec<String> {
    let mut versions = Vec::new();
    for place in ways.iter().filter_map(|way| way.get("kubeconfig").or_else(|| way.get("token"))) {
        let read = Secret::read(place, hub).await;
        versions.push(read.map(|it| it.version().to_owned()).unwrap_or_default());
    }
    versions
}

/// A member, by the ways that the engine gives, the first that can be gone.
pub async fn member(name: &str, ways: &[Value], hub: &Cluster) -> Result<Access, Fault> {
    let versions = versions(ways, hub).await;
    let mut fault = Fault::NoAccess {
        message: format!("nothing says how to get to the cluster `{name}`"),
        hint: "give its document a server and a Secret with a token, or a Secret with a kubeconfig".into(),
    };
    for way in ways {
        match go(name, way, hub).await {
            Ok(cluster) => return Ok(Access { cluster, versions }),
            Err(it) => fault = it,
        }
    }
    Err(fault)
}

async fn go(name: &str, way: &Value, hub: &Cluster) -> Result<Cluster, Fault> {
    let read = match way.get("kubeconfig") {
        Some(place) => written_kubeconfig(place, hub).await?,
        None => made_kubeconfig(way, hub).await?,
    };
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(read, &options).await.map_err(|error| {
        let document = text(way, "document");
        Fault::NoAccess {
            message: format!("the access that `{document}` gives to `{name}` cannot be used: {error}"),
            hint: format!("mend the Secret of `{document}`"),
        }
    })?;
    connect(name, config)
}

/// A kubeconfig that stands in a Secret of the hub.
async fn written_kubeconfig(place: &Value, hub: &Cluster) -> Result<Kubeconfig, Fault> {
    let secret = Secret::read(place, hub).await?;
    let Some(found) = texts(place, "keys").into_iter().find_map(|key| secret.get(key)) else {
        return Err(secret.broken(&format!("has none of the keys {}", texts(place, "keys").join(", "))));
    };
    let found = String::from_utf8(found).map_err(|_| secret.broken("holds a kubeconfig that is no text"))?;
    let config = Kubeconfig::from_yaml(&found).map_err(|_| secret.broken("holds a kubeconfig that cannot be read"))?;
    // A kubeconfig from a Secret must not run programs or read files of the machine that this runs on.
    let reads_here = |it: &AuthInfo| {
        it.exec.is_some()
            || it.auth_provider.is_some()
            || it.token_file.is_some()
            || it.client_certificate.is_some()
            || it.client_key.is_some()
    };
    let reads_files =
        config.clusters.iter().filter_map(|it| it.cluster.as_ref()).any(|it| it.certificate_authority.is_some());
    if reads_files || config.auth_infos.iter().filter_map(|it| it.auth_info.as_ref()).any(reads_here) {
        return Err(secret.broken("holds a kubeconfig that runs a program or names files; write the content into it"));
    }
    Ok(config)
}

/// A kubeconfig of a server, and a token that stands in a Secret of the hub.
async fn made_kubeconfig(way: &Value, hub: &Cluster) -> Result<Kubeconfig, Fault> {
    let place = way.get("token").cloned().unwrap_or_default();
    let secret = Secret::read(&place, hub).await?;
    let key = text(&place, "key");
    let token = secret.get(key).and_then(|it| String::from_utf8(it).ok());
    let token = token.ok_or_else(|| secret.broken(&format!("has no text under the key `{key}`")))?;
    let given = |key: &str| Some(text(way, key).to_owned()).filter(|it| !it.is_empty());
    const ONLY: &str = "member";
    let cluster = kube::config::Cluster {
        server: given("server"),
        certificate_authority_data: given("caBundle"),
        proxy_url: given("proxyUrl"),
        insecure_skip_tls_verify: way.get("skipTlsVerify").and_then(Value::as_bool),
        ..kube::config::Cluster::default()
    };
    let user = AuthInfo { token: Some(token.trim().to_owned().into()), ..AuthInfo::default() };
    let context =
        kube::config::Context { cluster: ONLY.into(), user: Some(ONLY.into()), ..kube::config::Context::default() };
    Ok(Kubeconfig {
        clusters: vec![NamedCluster { name: ONLY.into(), cluster: Some(cluster), ..NamedCluster::default() }],
        auth_infos: vec![NamedAuthInfo { name: ONLY.into(), auth_info: Some(user), ..NamedAuthInfo::default() }],
        contexts: vec![NamedContext { name: ONLY.into(), context: Some(context), ..NamedContext::default() }],
        current_context: Some(ONLY.into()),
        ..Kubeconfig::default()
    })
}

/// A Secret of the hub that holds access to a member.
struct Secret {
    name: String,
    object: Value,
}

impl Secret {
    async fn read(place: &Value, hub: &Cluster) -> Result<Secret, Fault> {
        let target = Target {
            api_version: "v1".into(),
            kind: "Secret".into(),
            namespace: text(place, "namespace").into(),
            name: text(place, "name").into(),
        };
        let name = format!("Secret/{}/{}", target.namespace, target.name);
        match hub.get(&target).await? {
            Some(object) => Ok(Secret { name, object }),
            None => Err(Fault::NoAccess {
                message: format!("`{name}`, which holds the access, is not there"),
                hint: format!("create `{name}` on the hub"),
            }),
        }
    }

    fn version(&self) -> &str {
        self.object.text_at(&["metadata", "resourceVersion"])
    }

    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.object.at(&["data", key]).and_then(Value::as_text).and_then(super::base64)
    }

    fn broken(&self, problem: &str) -> Fault {
        let name = &self.name;
        Fault::NoAccess { message: format!("`{name}` {problem}"), hint: format!("mend `{name}` on the hub") }
    }
}

fn connect(name: &str, mut config: Config) -> Result<Cluster, Fault> {
    config.connect_timeout = Some(CONNECT);
    let client = Client::try_from(config).map_err(|error| no_access(&error))?;
    Ok(Cluster::new(name, client))
}

fn no_access(error: &dyn std::fmt::Display) -> Fault {
    Fault::NoAccess {
        message: format!("the way to the API server cannot be used: {error}"),
        hint: "give a kubeconfig with `--kubeconfig`, or run inside a cluster".into(),
    }
}

/// Whether a member can be reached by other means than before.
pub fn ways_of(reach: &Value, name: &str) -> Vec<Value> {
    let found = list(reach, "clusters").iter().find(|it| text(it, "name") == name);
    found.map(|it| list(it, "ways").to_vec()).unwrap_or_default()
}
