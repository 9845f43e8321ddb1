//! `subjects`: what produces results, and how many clusters each has them for.

use super::load::count;
use super::{Refusal, WorkspaceOperation};
use crate::diagnostic::{Diagnostic, Error};
use crate::record;
use crate::workspace::Workspace;
use crate::workspace::targets::Targets;

record! {
    request
    /// Everything that is loaded and produces results.
    pub struct Subjects {}
}

record! {
    answer
    /// By kind, namespace and name.
    pub struct SubjectsAnswer {
        subjects "subjects": Vec<SubjectAnswer>,
    }
}

record! {
    answer
    /// Something that produces results.
    pub struct SubjectAnswer {
        subject "subject": String,
        dialect "dialect": &'static str,
        /// How many clusters get something from it; left out where it is of the hub alone.
        clusters "clusters": Option<i64>,
        /// Why it produces nothing.
        error "error": Option<Refusal>,
    }
}

impl WorkspaceOperation for Subjects {
    const NAME: &'static str = "subjects";
    type Answer = SubjectsAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<SubjectsAnswer, Error> {
        workspace.refresh(None);
        let subjects = workspace.results.subjects().map(|(identity, state)| {
            let is_fleet = state.subject().is_ok_and(|it| matches!(it.targets(), Targets::Fleet(..)));
            SubjectAnswer {
                subject: identity.to_string(),
                dialect: state.dialect().name(),
                clusters: is_fleet.then(|| count(state.cluster_results().len())),
                error: state.subject().err().map(Refusal::of),
            }
        });
        Ok(SubjectsAnswer { subjects: subjects.collect() })
    }
}
