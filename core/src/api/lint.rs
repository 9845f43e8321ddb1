//! `lint`: everything that is worth telling about what is loaded.

use super::WorkspaceOperation;
use super::load::count;
use crate::diagnostic::{Diagnostic, Error, Severity};
use crate::record;
use crate::workspace::Workspace;
use crate::workspace::lint::lint;

record! {
    request
    /// Looks at everything that is loaded. What it finds are the diagnostics of the answer.
    pub struct Lint {}
}

record! {
    answer
    /// How much was found.
    pub struct LintAnswer {
        documents "documents": i64,
        errors "errors": i64,
        warnings "warnings": i64,
        infos "infos": i64,
    }
}

impl WorkspaceOperation for Lint {
    const NAME: &'static str = "lint";
    type Answer = LintAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<LintAnswer, Error> {
        workspace.refresh(None);
        out.extend(lint(&workspace.store, &workspace.results));
        let of = |severity: Severity| count(out.iter().filter(|it| it.severity == severity).count());
        Ok(LintAnswer {
            documents: count(workspace.store.documents().count()),
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            infos: of(Severity::Info),
        })
    }
}
