//! `sources`: the contents of the files of a folder.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::choice;
use crate::diagnostic::{Diagnostic, Error};
use crate::object::folder::{Role, roles_of};
use crate::value::Text;
use crate::workspace::Workspace;

/// Classifies the files of a folder by name: manifests, settings, or objects that were observed in a cluster
/// (`live/<cluster>/`, and `live/_hub/` for the hub).
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sources {
    /// The paths of the files, with `/` between names.
    pub files: Vec<Text>,
    /// The paths of the folders. Without any, it is the common folder of all files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folders: Option<Vec<Text>>,
}

/// The files with their contents.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourcesAnswer {
    /// In the order of the request.
    pub files: Vec<SourceFile>,
}

/// A file, and its contents.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceFile {
    pub file: Text,
    /// Of observed objects, the cluster, as `load` takes it; empty for the hub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<Text>,
    pub role: SourceRole,
}

choice! {
    /// The contents of a file. A `stray` file is below `live/`, but not in the folder of a cluster. `settings` are
    /// those of a document of the kind `Settings`; otherwise the file holds manifests.
    pub enum SourceRole {
        Manifests = "manifests",
        Settings = "settings",
        Observed = "observed",
        Stray = "stray",
        Skipped = "skipped",
    }
}

impl Op for Sources {
    const NAME: &'static str = "sources";
    type Answer = SourcesAnswer;

    fn answer(self, _: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<SourcesAnswer, Error> {
        let files: Vec<&str> = self.files.iter().map(Text::as_str).collect();
        let folders: Vec<&str> = self.folders.iter().flatten().map(Text::as_str).collect();
        let roles = roles_of(&files, &folders);
        let files = self.files.iter().cloned().zip(roles);
        Ok(SourcesAnswer { files: files.map(|(file, role)| SourceFile::new(file, role)).collect() })
    }
}

impl SourceFile {
    fn new(file: Text, role: Role) -> SourceFile {
        let (role, live) = match role {
            Role::Manifests => (SourceRole::Manifests, None),
            Role::Settings => (SourceRole::Settings, None),
            Role::Observed(cluster) => (SourceRole::Observed, Some(cluster)),
            Role::Stray => (SourceRole::Stray, None),
            Role::Skipped => (SourceRole::Skipped, None),
        };
        SourceFile { file, live, role }
    }
}
