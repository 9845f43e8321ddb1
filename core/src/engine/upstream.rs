//! The systems whose answers compat mode gives.

use crate::choice;

choice! {
    /// The original whose answer is wanted in compat mode.
    pub enum Upstream {
        #[default]
        Kubefed = "kubefed",
        Karmada = "karmada",
        Greenhouse = "greenhouse",
        Ocm = "ocm",
        Certmanager = "certmanager",
    }
}
