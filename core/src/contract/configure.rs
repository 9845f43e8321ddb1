//! `configure`: the settings of the workspace.

use super::WorkspaceOperation;
use crate::clusterset::Stage;
use crate::diagnostic::{Diagnostic, Error};
use crate::record;
use crate::workspace::Workspace;

record! {
    request
    /// Changes settings; those left out stay as they are.
    pub struct Configure {
        /// Which rules cluster sets follow.
        stage "stage": Option<Stage>,
    }
}

record! {
    answer
    /// The settings in force.
    pub struct Settings {
        stage "stage": Stage,
    }
}

impl WorkspaceOperation for Configure {
    const NAME: &'static str = "configure";
    type Answer = Settings;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<Settings, Error> {
        workspace.stage = self.stage.unwrap_or(workspace.stage);
        Ok(Settings { stage: workspace.stage })
    }
}
