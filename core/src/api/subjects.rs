//! `subjects`: the loaded subjects, and how many clusters each has results for.

use serde::{Deserialize, Serialize};

use super::clusters::SetAnswer;
use super::plan::timestamp;
use super::{Op, Refusal, count};
use crate::diagnostic::{Diagnostic, Error};
use crate::value::Text;
use crate::workspace::Workspace;
use crate::workspace::lint::{of_reading, place};
use crate::workspace::targets::Targets;

/// The loaded subjects: documents that produce results.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subjects {
    /// The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Text>,
}

/// By kind, namespace and name.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubjectsAnswer {
    pub subjects: Vec<SubjectAnswer>,
}

/// A subject.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubjectAnswer {
    /// How many clusters it has results for; left out for a subject of the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<i64>,
    pub dialect: Text,
    /// Why it has no results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
    /// Of a ManagedClusterSet: how it selects clusters, and who may use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<SetAnswer>,
    pub subject: String,
}

impl Op for Subjects {
    const NAME: &'static str = "subjects";
    type Answer = SubjectsAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<SubjectsAnswer, Error> {
        workspace.refresh(timestamp(self.now.as_deref())?);
        // A finding has the file and line, which the error of a subject does not have.
        for (identity, entry) in workspace.results.subjects().filter(|(_, entry)| entry.subject().is_err()) {
            of_reading(identity, entry, out);
        }
        out.iter_mut().for_each(|it| place(it, &workspace.store));
        let subjects = workspace.results.subjects().map(|(identity, entry)| {
            let is_fleet = entry.subject().is_ok_and(|it| matches!(it.targets(), Targets::Fleet(..)));
            SubjectAnswer {
                subject: identity.to_string(),
                dialect: Text::new_static(entry.dialect().name()),
                clusters: is_fleet.then(|| count(entry.cluster_results().len())),
                error: entry.subject().err().map(Refusal::from),
                set: SetAnswer::of_document(&workspace.store, identity),
            }
        });
        Ok(SubjectsAnswer { subjects: subjects.collect() })
    }
}
