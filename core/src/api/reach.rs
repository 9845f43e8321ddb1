//! `reach`: how a host connects to each cluster.

use serde::{Deserialize, Serialize};

use super::{Op, Refusal};
use crate::diagnostic::{Diagnostic, Error};
use crate::value::Text;
use crate::workspace::Workspace;
use crate::workspace::connection::{Access, Endpoint, connections};

/// The connections to the loaded clusters.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reach {}

/// By name.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReachAnswer {
    pub clusters: Vec<ReachableAnswer>,
}

/// One cluster. Without an endpoint it cannot be read or changed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReachableAnswer {
    pub name: Text,
    /// Why there is no further endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Refusal>,
    /// In the order to try.
    #[serde(rename = "ways")]
    pub endpoints: Vec<EndpointAnswer>,
}

/// An endpoint of a cluster: a server with a token, or a kubeconfig.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EndpointAnswer {
    /// The CA bundle of the server, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_bundle: Option<Text>,
    /// The document of the endpoint.
    pub document: String,
    /// The server may have no TLS, or a certificate that is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kubeconfig: Option<SecretKeys>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy_url: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Text>,
    /// The server's certificate is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_tls_verify: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<SecretKey>,
}

/// A key of a Secret of the hub.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SecretKey {
    pub key: Text,
    pub name: Text,
    pub namespace: Text,
}

/// Keys of a Secret of the hub; the first existing one counts.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SecretKeys {
    pub keys: Vec<Text>,
    pub name: Text,
    pub namespace: Text,
}

impl Op for Reach {
    const NAME: &'static str = "reach";
    type Answer = ReachAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<ReachAnswer, Error> {
        let clusters = connections(&workspace.store).into_iter().map(|(name, it)| ReachableAnswer {
            name: name.clone(),
            endpoints: it.endpoints.into_iter().map(EndpointAnswer::of).collect(),
            problem: it.problem.as_ref().map(Refusal::from),
        });
        Ok(ReachAnswer { clusters: clusters.collect() })
    }
}

impl EndpointAnswer {
    fn of(endpoint: Endpoint) -> EndpointAnswer {
        let given = |text: Text| Some(text).filter(|it| !it.is_empty());
        let (document, namespace) = (endpoint.document.to_string(), endpoint.document.namespace);
        let bare = EndpointAnswer {
            document,
            insecure: endpoint.may_be_insecure.then_some(true),
            server: None,
            ca_bundle: None,
            proxy_url: None,
            skip_tls_verify: None,
            token: None,
            kubeconfig: None,
        };
        match endpoint.access {
            Access::Token { server, ca_bundle, proxy_url, skips_checks, secret: name, key } => EndpointAnswer {
                server: given(server),
                ca_bundle: given(ca_bundle),
                proxy_url: given(proxy_url),
                skip_tls_verify: skips_checks.then_some(true),
                token: Some(SecretKey { namespace, name, key: Text::new_static(key) }),
                ..bare
            },
            Access::Kubeconfig { secret: name, keys } => EndpointAnswer {
                kubeconfig: Some(SecretKeys {
                    namespace,
                    name,
                    keys: keys.iter().copied().map(Text::new_static).collect(),
                }),
                ..bare
            },
        }
    }
}
