//! `lint`: everything that is worth telling about what is loaded.

use serde::{Deserialize, Serialize};

use super::Op;
use super::count;
use crate::diagnostic::{Diagnostic, Error, Severity};
use crate::workspace::Workspace;
use crate::workspace::lint::lint;

/// Looks at everything that is loaded. What it finds are the diagnostics of the answer.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lint {}

/// How much was found.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LintAnswer {
    pub documents: i64,
    pub errors: i64,
    pub infos: i64,
    pub warnings: i64,
}

impl Op for Lint {
    const NAME: &'static str = "lint";
    type Answer = LintAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<LintAnswer, Error> {
        workspace.refresh(None);
        out.extend(lint(workspace));
        let of = |severity: Severity| count(out.iter().filter(|it| it.severity == severity).count());
        Ok(LintAnswer {
            documents: count(workspace.store.documents().count()),
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            infos: of(Severity::Info),
        })
    }
}
