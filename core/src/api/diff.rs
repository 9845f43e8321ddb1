//! `diff`: where the results of two clusters differ, and which layer makes the difference.

use serde::{Deserialize, Serialize};

use super::Op;
use super::place::{CauseAnswer, object_name, split};
use super::plan::timestamp;
use crate::diagnostic::{Diagnostic, Error};
use crate::object::redacted::Redacted;
use crate::value::{JsonPath, MaybeAbsent, Text};
use crate::workspace::Workspace;
use crate::workspace::compare::{ClusterDifference, compare_clusters};
use crate::workspace::lookup::{result_of, subject_named};
use crate::workspace::what_if::{LocatedCause, shown_sides};

/// Compares the results of two clusters for a subject.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diff {
    pub subject: Text,
    pub left: Text,
    pub right: Text,
    /// The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Text>,
}

/// By path.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffAnswer {
    pub differences: Vec<DifferenceOfClusters>,
}

/// A place where they differ.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ClusterDifference"))]
#[serde(rename_all = "camelCase")]
pub struct DifferenceOfClusters {
    /// The layer that makes the difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<CauseAnswer>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub left: MaybeAbsent<Redacted>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub left_from: MaybeAbsent<Redacted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// An option path, or a JSON pointer into the object.
    pub path: String,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub right: MaybeAbsent<Redacted>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub right_from: MaybeAbsent<Redacted>,
}

impl Op for Diff {
    const NAME: &'static str = "diff";
    type Answer = DiffAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<DiffAnswer, Error> {
        workspace.refresh(timestamp(self.now.as_deref())?);
        let identity = subject_named(workspace, &self.subject, &JsonPath::ROOT.key("subject"))?;
        let Workspace { store, results, .. } = workspace;
        let Some(entry) = results.get(&identity) else { return Ok(DiffAnswer { differences: Vec::new() }) };
        let left = result_of(store, entry, &self.left, &JsonPath::ROOT.key("left"))?;
        let right = result_of(store, entry, &self.right, &JsonPath::ROOT.key("right"))?;
        let difference = |ClusterDifference { change, cause }: ClusterDifference| {
            let (before, after) = shown_sides(&change, [&left, &right]);
            let ((left, left_from), (right, right_from)) = (split(before), split(after));
            DifferenceOfClusters {
                object: object_name(change.object.as_ref()),
                left,
                left_from,
                right,
                right_from,
                cause: Some(LocatedCause::of(&cause, store).into()),
                path: change.path,
            }
        };
        let differences = compare_clusters(entry, &left, &right).into_iter().map(difference).collect();
        Ok(DiffAnswer { differences })
    }
}
