//! The upstreams that compat mode reproduces.

use crate::choice;

choice! {
    /// The upstream that compat mode reproduces.
    #[derive(Default)]
    pub enum Upstream {
        #[default]
        Kubefed = "kubefed",
        Karmada = "karmada",
        Greenhouse = "greenhouse",
        Ocm = "ocm",
        Certmanager = "certmanager",
    }
}
