//! Connects to API servers: to the hub as kubectl does, to members with the credentials that the engine names.

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fleetfold_core::Value;
use fleetfold_core::api::Refusal;
use fleetfold_core::api::reach::{EndpointAnswer, SecretKey, SecretKeys};
use fleetfold_crds::MemberContact;
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig, NamedAuthInfo, NamedCluster, NamedContext};
use kube::{Client, Config};

use super::contacts::Contacts;
use super::{ApiError, Cluster};
use crate::digest::digest;
use crate::meta::Meta;
use crate::target::Target;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Connects to the hub: with the given kubeconfig, else the one that kubectl uses, else the service account of the pod.
pub async fn hub(kubeconfig: Option<&Path>, context: Option<&str>) -> Result<Cluster, ApiError> {
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    let config = match kubeconfig {
        Some(path) => {
            let read = Kubeconfig::read_from(path).map_err(|error| {
                let hint = "give the path of a kubeconfig with `--kubeconfig`".into();
                ApiError::NoAccess { message: format!("`{}` cannot be read: {error}", path.display()), hint }
            })?;
            Config::from_custom_kubeconfig(read, &options).await.map_err(|error| no_access(&error))?
        }
        None if context.is_some() => Config::from_kubeconfig(&options).await.map_err(|error| no_access(&error))?,
        None => Config::infer().await.map_err(|error| no_access(&error))?,
    };
    connect("", config)
}

/// The display name of the hub: its context, or `in-cluster`.
pub fn hub_name(kubeconfig: Option<&Path>, context: Option<&str>) -> String {
    let current = || {
        let read = kubeconfig.map_or_else(Kubeconfig::read, Kubeconfig::read_from);
        read.ok().and_then(|it| it.current_context).filter(|it| !it.is_empty())
    };
    context.map(str::to_owned).or_else(current).unwrap_or_else(|| "in-cluster".to_owned())
}

/// A connection to a member, its endpoint, and the resourceVersions of the Secrets with the credentials.
#[derive(Debug)]
pub struct Access {
    pub cluster: Cluster,
    pub contact: MemberContact,
    pub versions: Vec<String>,
}

/// The resourceVersions of the Secrets with the credentials; they change when access changes.
pub async fn versions(endpoints: &[EndpointAnswer], hub: &Cluster) -> Vec<String> {
    let mut versions = Vec::new();
    for endpoint in endpoints {
        let (namespace, name) = match (&endpoint.kubeconfig, &endpoint.token) {
            (Some(SecretKeys { namespace, name, .. }), _) | (None, Some(SecretKey { namespace, name, .. })) => {
                (namespace, name)
            }
            (None, None) => continue,
        };
        let read = Secret::read(namespace, name, hub).await;
        versions.push(read.map(|it| it.version().to_owned()).unwrap_or_default());
    }
    versions
}

/// Connects to a member by the first endpoint that works, if its credentials may be sent there. Redirects are not
/// followed.
///
/// `problem` is why there is no other endpoint.
pub async fn member(
    name: &str,
    endpoints: &[EndpointAnswer],
    problem: Option<&Refusal>,
    hub: &Cluster,
    contacts: Contacts,
) -> Result<Access, ApiError> {
    let mut error = match problem {
        Some(Refusal { message, hint, .. }) => {
            ApiError::NoAccess { message: message.clone(), hint: hint.clone().unwrap_or_default() }
        }
        None => ApiError::NoAccess {
            message: format!("no connection is configured for the cluster `{name}`"),
            hint: "give its document a server and a Secret with a token, or a Secret with a kubeconfig".into(),
        },
    };
    if endpoints.is_empty() {
        return Err(error);
    }
    let versions = versions(endpoints, hub).await;
    let contacts = contacts.read(hub).await?;
    for endpoint in endpoints {
        match connect_by(name, endpoint, hub, &contacts).await {
            Ok((cluster, contact)) => return Ok(Access { cluster, contact, versions }),
            Err(it) => error = it,
        }
    }
    Err(error)
}

async fn connect_by(
    name: &str,
    endpoint: &EndpointAnswer,
    hub: &Cluster,
    contacts: &Contacts,
) -> Result<(Cluster, MemberContact), ApiError> {
    let document = &endpoint.document;
    let (secret, read) = match (&endpoint.kubeconfig, &endpoint.token) {
        (Some(keys), _) => kubeconfig_from_secret(keys, hub).await?,
        (None, Some(key)) => kubeconfig_from_token(endpoint, key, hub).await?,
        (None, None) => {
            return Err(ApiError::NoAccess {
                message: format!("`{document}` names no Secret with credentials for `{name}`"),
                hint: format!("fix `{document}`"),
            });
        }
    };
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(read, &options).await.map_err(|error| ApiError::NoAccess {
        message: format!("cannot use the credentials of `{name}` in `{document}`: {error}"),
        hint: format!("fix the Secret of `{document}`"),
    })?;
    if endpoint.insecure != Some(true) {
        refuse_insecure(document, &config)?;
    }
    let contact = contact(name, &secret, &config);
    contacts.check(&contact, endpoint.kubeconfig.is_some())?;
    Ok((connect(name, config)?, contact))
}

/// Refuses to send credentials without TLS, or to a server whose certificate is not checked.
fn refuse_insecure(document: &str, config: &Config) -> Result<(), ApiError> {
    let url = &config.cluster_url;
    let problem = match url.scheme_str() {
        Some("https") if !config.accept_invalid_certs => return Ok(()),
        Some("https") => format!("`{document}` leaves out the check of the certificate of `{url}`"),
        _ => format!("`{document}` names `{url}`, which is not an `https://` address"),
    };
    Err(ApiError::NoAccess {
        message: format!("{problem}, so no credentials are sent"),
        hint: "use `https://` and the certificates of the server, or configure `insecureEndpoints: true`".into(),
    })
}

/// The endpoint of a configuration, as it is recorded.
fn contact(name: &str, secret: &Secret, config: &Config) -> MemberContact {
    let endpoint = config.cluster_url.to_string();
    let mut identity = format!("{endpoint}\n{}\n", config.accept_invalid_certs).into_bytes();
    for certificate in config.root_cert.iter().flatten() {
        identity.extend_from_slice(certificate);
    }
    MemberContact {
        cluster: name.to_owned(),
        digest: digest(&identity),
        endpoint,
        secret: secret.reference(),
        secret_uid: secret.uid().to_owned(),
    }
}

/// Reads a kubeconfig from a Secret of the hub.
async fn kubeconfig_from_secret(reference: &SecretKeys, hub: &Cluster) -> Result<(Secret, Kubeconfig), ApiError> {
    let SecretKeys { namespace, name, keys } = reference;
    let secret = Secret::read(namespace, name, hub).await?;
    let Some(found) = keys.iter().find_map(|key| secret.get(key)) else {
        let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
        return Err(secret.broken(&format!("has none of the keys {}", keys.join(", "))));
    };
    let found = String::from_utf8(found).map_err(|_| secret.broken("holds a kubeconfig that is not UTF-8"))?;
    let config = Kubeconfig::from_yaml(&found).map_err(|_| secret.broken("holds a kubeconfig that cannot be read"))?;
    // A kubeconfig from a Secret must not run programs or read files on the runner's machine.
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
    Ok((secret, config))
}

/// Makes a kubeconfig of a server address and a token from a Secret of the hub.
async fn kubeconfig_from_token(
    endpoint: &EndpointAnswer,
    token: &SecretKey,
    hub: &Cluster,
) -> Result<(Secret, Kubeconfig), ApiError> {
    let SecretKey { namespace, name, key } = token;
    let secret = Secret::read(namespace, name, hub).await?;
    let token = secret.get(key).and_then(|it| String::from_utf8(it).ok());
    let token = token.ok_or_else(|| secret.broken(&format!("has no text under the key `{key}`")))?;
    const ONLY: &str = "member";
    let cluster = kube::config::Cluster {
        server: endpoint.server.as_ref().map(ToString::to_string),
        certificate_authority_data: endpoint.ca_bundle.as_ref().map(ToString::to_string),
        proxy_url: endpoint.proxy_url.as_ref().map(ToString::to_string),
        insecure_skip_tls_verify: endpoint.skip_tls_verify,
        ..kube::config::Cluster::default()
    };
    let user = AuthInfo { token: Some(token.trim().to_owned().into()), ..AuthInfo::default() };
    let context =
        kube::config::Context { cluster: ONLY.into(), user: Some(ONLY.into()), ..kube::config::Context::default() };
    let config = Kubeconfig {
        clusters: vec![NamedCluster { name: ONLY.into(), cluster: Some(cluster), ..NamedCluster::default() }],
        auth_infos: vec![NamedAuthInfo { name: ONLY.into(), auth_info: Some(user), ..NamedAuthInfo::default() }],
        contexts: vec![NamedContext { name: ONLY.into(), context: Some(context), ..NamedContext::default() }],
        current_context: Some(ONLY.into()),
        ..Kubeconfig::default()
    };
    Ok((secret, config))
}

/// A Secret of the hub with the credentials of a member.
struct Secret {
    name: String,
    object: Value,
}

impl Secret {
    async fn read(namespace: &str, name: &str, hub: &Cluster) -> Result<Secret, ApiError> {
        let target = Target {
            api_version: "v1".into(),
            kind: "Secret".into(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let name = format!("Secret/{}/{}", target.namespace, target.name);
        match hub.get(&target).await? {
            Some(object) => Ok(Secret { name, object }),
            None => Err(ApiError::NoAccess {
                message: format!("`{name}`, which holds the credentials, does not exist"),
                hint: format!("create `{name}` on the hub"),
            }),
        }
    }

    /// `namespace/name`.
    fn reference(&self) -> String {
        let meta = Meta::of(&self.object);
        format!("{}/{}", meta.namespace(), meta.name())
    }

    fn uid(&self) -> &str {
        Meta::of(&self.object).uid()
    }

    fn version(&self) -> &str {
        Meta::of(&self.object).resource_version()
    }

    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.object.at(&["data", key]).and_then(Value::as_text).and_then(|it| STANDARD.decode(it).ok())
    }

    fn broken(&self, problem: &str) -> ApiError {
        let name = &self.name;
        ApiError::NoAccess { message: format!("`{name}` {problem}"), hint: format!("fix `{name}` on the hub") }
    }
}

fn connect(name: &str, mut config: Config) -> Result<Cluster, ApiError> {
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    let client = Client::try_from(config).map_err(|error| no_access(&error))?;
    Ok(Cluster::new(name, client))
}

fn no_access(error: &dyn std::fmt::Display) -> ApiError {
    ApiError::NoAccess {
        message: format!("cannot connect to the API server: {error}"),
        hint: "give a kubeconfig with `--kubeconfig`, or run inside a cluster".into(),
    }
}
