//! `lint`: findings about the loaded documents.

use serde::{Deserialize, Serialize};

use super::plan::timestamp;
use super::{Op, count};
use crate::diagnostic::{Diagnostic, Error, Severity};
use crate::value::Text;
use crate::workspace::Workspace;
use crate::workspace::lint::lint;

/// Checks all loaded documents. The findings are the diagnostics of the answer.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lint {
    /// The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Text>,
}

/// The number of findings.
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
        workspace.refresh(timestamp(self.now.as_deref())?);
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
