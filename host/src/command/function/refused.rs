//! The outcome of a run, and why it has none.

use fleetfold_core::Value;

use super::list::ResourceList;
use crate::command::output::Failure;
use crate::render::finding::{Finding, Texts};

/// The outcome of a run.
pub struct Done {
    pub items: Vec<Value>,
    pub findings: Vec<Finding>,
    /// The texts that findings quote.
    pub texts: Texts,
    pub code: u8,
}

/// Why a run has no outcome.
pub enum Refused {
    /// All problems of the configuration.
    Config(Vec<Finding>),
    Failed(Failure),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Refused::Failed(failure)
    }
}

impl Refused {
    /// The unchanged items with the reason.
    pub fn into_done(self, list: &ResourceList) -> Done {
        let (findings, texts) = match self {
            Refused::Config(findings) => (findings, list.texts()),
            Refused::Failed(Failure::Refused { finding, texts }) => (vec![*finding], *texts),
            Refused::Failed(failure) => (vec![Finding::from(&failure.to_finding("failed"))], Texts::new()),
        };
        Done { items: list.values(), findings, texts, code: 2 }
    }
}
