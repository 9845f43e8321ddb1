//! The dialects: each turns the documents of one upstream into subjects. The workspace gets them as arguments, and
//! selects, folds, retains, matches and plans the same way for all of them.

mod certmanager;
pub(crate) mod greenhouse;
mod kubefed;
mod kudo;
mod ocm;

use crate::workspace::Workspace;
use crate::workspace::subject::Dialect;

/// The dialects, in the order in which the settings name them.
pub const ALL: &[&dyn Dialect] =
    &[&greenhouse::Greenhouse, &ocm::Ocm, &kubefed::KubeFed, &kudo::Kudo, &certmanager::CertManager];

/// A workspace that knows every dialect.
impl Default for Workspace {
    fn default() -> Workspace {
        Workspace::with(ALL)
    }
}
