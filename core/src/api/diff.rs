//! `diff`: where the results of two clusters differ, and which layer makes the difference.

use super::WorkspaceOperation;
use super::effective::{cluster_of, subject_of};
use super::null::Explicit;
use super::place::{CauseAnswer, object_name};
use super::what_if::shown_change;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::fold::with_per_cluster;
use crate::engine::rendered::Rendered;
use crate::record;
use crate::value::JsonPath;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::compare::{Cause, compare, setter};
use crate::workspace::results::SubjectEntry;
use crate::workspace::store::{Store, View};

record! {
    request
    /// Where two clusters get something else from a subject.
    pub struct Diff {
        subject "subject": Text,
        left "left": Text,
        right "right": Text,
    }
}

record! {
    answer
    /// By path.
    pub struct DiffAnswer {
        differences "differences": Vec<ClusterDifference>,
    }
}

record! {
    answer
    /// A place where they differ.
    pub struct ClusterDifference {
        /// An option path, or a JSON pointer into the object.
        path "path": String,
        object "object": Option<String>,
        left "left": Option<Explicit>,
        left_from "leftFrom": Option<Value>,
        right "right": Option<Explicit>,
        right_from "rightFrom": Option<Value>,
        /// The layer that makes the difference.
        cause "cause": Option<CauseAnswer>,
    }
}

impl WorkspaceOperation for Diff {
    const NAME: &'static str = "diff";
    type Answer = DiffAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<DiffAnswer, Error> {
        workspace.refresh(None);
        let identity = subject_of(workspace, &self.subject, &JsonPath::ROOT.key("subject"))?;
        let Workspace { store, results, .. } = workspace;
        let Some(state) = results.get(&identity) else { return Ok(DiffAnswer { differences: Vec::new() }) };
        let left = result_of(store, state, &self.left, &JsonPath::ROOT.key("left"))?;
        let right = result_of(store, state, &self.right, &JsonPath::ROOT.key("right"))?;
        let backwards = compare(&right, &left).changes;
        let mut differences = Vec::new();
        for change in compare(&left, &right).changes {
            let other = backwards.iter().find(|it| it.path == change.path && it.object == change.object);
            let cause = match other {
                // What one side says too, only lower, makes no difference; what is above it does.
                Some(other) if says(&right, &change.path, &other.cause) => &change.cause,
                Some(other) if says(&left, &change.path, &change.cause) => &other.cause,
                other => more_specific(&change.cause, other.map(|it| &it.cause), state),
            };
            let (before, after) = shown_change(&change, [&left, &right]);
            differences.push(ClusterDifference {
                object: object_name(change.object.as_ref()),
                left: before.0,
                left_from: before.1,
                right: after.0,
                right_from: after.1,
                cause: Some(CauseAnswer::of(cause, store)),
                path: change.path,
            });
        }
        Ok(DiffAnswer { differences })
    }
}

/// The result of one cluster, with the options that name it.
pub fn result_of(store: &Store, state: &SubjectEntry, name: &Text, at: &JsonPath) -> Result<Rendered, Error> {
    let cluster = cluster_of(store, state, name, at)?;
    let Some(cluster_result) = state.cluster_results().get(name) else {
        let message = format!("the cluster `{name}` gets nothing from the subject");
        return Err(Error::new(Code::NotSelected, message).at(at).hint("`explain` without a path says why"));
    };
    let mut rendered = Rendered::clone(cluster_result.rendered.as_ref().map_err(|error| Error::clone(error))?);
    let subject = state.subject().map_err(Error::clone)?;
    let own = subject.per_cluster_options(View { store, now: None }, &cluster);
    rendered.options = rendered.options.map(|folded| with_per_cluster(&folded, &own));
    Ok(rendered)
}

/// Whether a layer has something to say about an option.
fn says(rendered: &Rendered, path: &str, cause: &Cause) -> bool {
    let chain = rendered.options.as_ref().and_then(|folded| folded.origins.get(path));
    chain.into_iter().flatten().any(|it| setter(it) == *cause)
}

/// Of the layers that win on each side, the one of the higher rank: without it there would be no difference.
fn more_specific<'c>(right: &'c Cause, left: Option<&'c Cause>, state: &SubjectEntry) -> &'c Cause {
    let rank = |cause: &Cause| {
        let Ok(subject) = state.subject() else { return None };
        let options = subject.option_layers().iter().rposition(|it| it.name == cause.layer);
        options.or_else(|| subject.patch_layers().iter().rposition(|it| it.name == cause.layer))
    };
    left.filter(|left| rank(left) > rank(right)).unwrap_or(right)
}
