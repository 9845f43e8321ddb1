//! `reach`: how a host gets to each cluster.

use super::{Refusal, WorkspaceOperation};
use crate::diagnostic::{Diagnostic, Error};
use crate::record;
use crate::value::Text;
use crate::workspace::Workspace;
use crate::workspace::connection::{Access, Endpoint, reach};

record! {
    request
    /// The ways to the clusters that are loaded.
    pub struct Reach {}
}

record! {
    answer
    /// By name.
    pub struct ReachAnswer {
        clusters "clusters": Vec<ReachableAnswer>,
    }
}

record! {
    answer
    /// One cluster. Without a way it cannot be looked at or changed.
    pub struct ReachableAnswer {
        name "name": Text,
        /// In the order to try.
        ways "ways": Vec<WayAnswer>,
        /// Why there is no other way.
        problem "problem": Option<Refusal>,
    }
}

record! {
    answer
    /// A way to a cluster: a server with a token, or a kubeconfig.
    pub struct WayAnswer {
        /// The document that says so.
        document "document": String,
        server "server": Option<Text>,
        /// The certificates that sign the server's, in base64.
        ca_bundle "caBundle": Option<Text>,
        proxy_url "proxyUrl": Option<Text>,
        /// The server's certificate is not to be checked.
        skip_tls_verify "skipTlsVerify": Option<bool>,
        token "token": Option<SecretKey>,
        kubeconfig "kubeconfig": Option<SecretKeys>,
    }
}

record! {
    answer
    /// A key of a Secret of the hub.
    pub struct SecretKey {
        namespace "namespace": Text,
        name "name": Text,
        key "key": &'static str,
    }
}

record! {
    answer
    /// Keys of a Secret of the hub, of which the first that is there counts.
    pub struct SecretKeys {
        namespace "namespace": Text,
        name "name": Text,
        keys "keys": Vec<&'static str>,
    }
}

impl WorkspaceOperation for Reach {
    const NAME: &'static str = "reach";
    type Answer = ReachAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<ReachAnswer, Error> {
        let clusters = reach(&workspace.store).into_iter().map(|(name, it)| ReachableAnswer {
            name: name.clone(),
            ways: it.ways.into_iter().map(WayAnswer::of).collect(),
            problem: it.problem.as_ref().map(Refusal::of),
        });
        Ok(ReachAnswer { clusters: clusters.collect() })
    }
}

impl WayAnswer {
    fn of(route: Endpoint) -> WayAnswer {
        let given = |text: Text| Some(text).filter(|it| !it.is_empty());
        let (document, namespace) = (route.document.to_string(), route.document.namespace);
        let bare = WayAnswer {
            document,
            server: None,
            ca_bundle: None,
            proxy_url: None,
            skip_tls_verify: None,
            token: None,
            kubeconfig: None,
        };
        match route.access {
            Access::Token { server, ca_bundle, proxy_url, skips_checks, secret: name, key } => WayAnswer {
                server: given(server),
                ca_bundle: given(ca_bundle),
                proxy_url: given(proxy_url),
                skip_tls_verify: skips_checks.then_some(true),
                token: Some(SecretKey { namespace, name, key }),
                ..bare
            },
            Access::Kubeconfig { secret: name, keys } => {
                WayAnswer { kubeconfig: Some(SecretKeys { namespace, name, keys: keys.to_vec() }), ..bare }
            }
        }
    }
}
