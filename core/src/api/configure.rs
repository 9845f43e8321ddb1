//! `configure`: the settings of the workspace.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::dialect;
use crate::engine::select::cluster_set::Stage;
use crate::value::JsonPath;
use crate::value::Text;
use crate::value::suggest::suggest;
use crate::workspace::Workspace;
use crate::workspace::settings::{Leaving, Limits, LocalChanges, Precedence, Settings};

/// Changes settings; those left out stay as they are.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Configure {
    /// Which of two PluginOverrides is the more specific.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precedence: Option<Precedence>,
    /// Which rules cluster sets follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// The repaired answers, or the originals' with their quirks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The dialects whose documents count: `greenhouse`, `ocm`, `kubefed`, `kudo`, `certmanager`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialects: Option<Vec<Text>>,
    /// Whether Greenhouse evaluates expressions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expressions: Option<bool>,
    /// Whether workloads restart for renewed secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_refresher: Option<bool>,
    /// Whether the whole fleet is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// What becomes of what a cluster of KubeFed was given when it leaves the fleet. The annotation
    /// `fleetfold.dev/leaving` of a cluster wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaving: Option<Leaving>,
    /// Settings of KubeFed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kubefed: Option<KubeFedInput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsInput>,
}

/// Settings of KubeFed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KubeFedInput {
    /// What an update does to fields that another field manager set on an object in a cluster, and that no rule retains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_changes: Option<LocalChanges>,
}

/// What one plan may do before it is held.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LimitsInput {
    /// Deletes in one plan; the smaller of number and share counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletes: Option<i64>,
    /// Deletes as a share of the objects that the subjects manage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_percent: Option<i64>,
    /// Creates and patches in one plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<i64>,
    /// Kinds that are not deleted unless the object allows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_kinds: Option<Vec<Text>>,
    /// Whether a subject that selects no cluster may delete what it made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty_selection: Option<bool>,
}

/// The settings in force.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SettingsAnswer {
    pub dialects: Vec<Text>,
    pub expressions: bool,
    pub kubefed: KubeFedAnswer,
    pub leaving: Leaving,
    pub limits: LimitsAnswer,
    pub mode: Mode,
    pub paused: bool,
    pub pod_refresher: bool,
    pub precedence: Precedence,
    pub stage: Stage,
}

/// Settings of KubeFed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KubeFedAnswer {
    pub local_changes: LocalChanges,
}

/// What one plan may do before it is held.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LimitsAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<i64>,
    pub delete_percent: i64,
    pub deletes: i64,
    pub empty_selection: bool,
    pub protected_kinds: Vec<Text>,
}

impl Op for Configure {
    const NAME: &'static str = "configure";
    type Answer = SettingsAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<SettingsAnswer, Error> {
        let settings = self.over(&workspace.store.settings, &JsonPath::ROOT)?;
        workspace.configure(settings);
        Ok(SettingsAnswer::from(workspace.store.settings.clone()))
    }
}

impl Configure {
    /// The settings with these changes.
    pub fn over(self, settings: &Settings, at: &JsonPath) -> Result<Settings, Error> {
        let Settings { precedence, stage, mode, dialects, expressions, pod_refresher, paused, leaving, .. } =
            settings.clone();
        let (local_changes, limits) = (settings.local_changes, settings.limits.clone());
        for (index, name) in self.dialects.iter().flatten().enumerate() {
            let known: Vec<&str> = dialect::ALL.iter().map(|it| it.name()).collect();
            if !known.contains(&name.as_str()) {
                let hint = suggest(name, &known, "one of");
                let error = Error::new(Code::UnknownValue, format!("there is no dialect `{name}`"));
                return Err(error.at(at.key("dialects").index(index)).hint(hint));
            }
        }
        let limits = match self.limits {
            Some(input) => input.over(limits, &at.key("limits"))?,
            None => limits,
        };
        Ok(Settings {
            precedence: self.precedence.unwrap_or(precedence),
            stage: self.stage.unwrap_or(stage),
            mode: self.mode.unwrap_or(mode),
            dialects: self.dialects.unwrap_or(dialects),
            expressions: self.expressions.unwrap_or(expressions),
            pod_refresher: self.pod_refresher.unwrap_or(pod_refresher),
            paused: self.paused.unwrap_or(paused),
            leaving: self.leaving.unwrap_or(leaving),
            local_changes: self.kubefed.and_then(|it| it.local_changes).unwrap_or(local_changes),
            limits,
        })
    }
}

impl LimitsInput {
    fn over(self, limits: Limits, at: &JsonPath) -> Result<Limits, Error> {
        let given = [("deletes", self.deletes), ("deletePercent", self.delete_percent), ("changes", self.changes)];
        not_negative(&given, at)?;
        Ok(Limits {
            deletes: self.deletes.unwrap_or(limits.deletes),
            delete_percent: self.delete_percent.unwrap_or(limits.delete_percent),
            changes: self.changes.or(limits.changes),
            protected_kinds: self.protected_kinds.unwrap_or(limits.protected_kinds),
            empty_selection: self.empty_selection.unwrap_or(limits.empty_selection),
        })
    }
}

/// # Errors
///
/// A number is.
pub fn not_negative(given: &[(&str, Option<i64>)], at: &JsonPath) -> Result<(), Error> {
    match given.iter().find(|(_, it)| it.is_some_and(|it| it < 0)) {
        Some((field, _)) => {
            Err(Error::new(Code::UnknownValue, format!("`{field}` cannot be negative")).at(at.key(field)))
        }
        None => Ok(()),
    }
}

impl From<Settings> for SettingsAnswer {
    fn from(settings: Settings) -> SettingsAnswer {
        let Settings {
            precedence,
            stage,
            mode,
            dialects,
            expressions,
            pod_refresher,
            paused,
            leaving,
            local_changes,
            limits,
        } = settings;
        let Limits { deletes, delete_percent, changes, protected_kinds, empty_selection } = limits;
        let limits = LimitsAnswer { deletes, delete_percent, changes, protected_kinds, empty_selection };
        let kubefed = KubeFedAnswer { local_changes };
        SettingsAnswer {
            precedence,
            stage,
            mode,
            dialects,
            expressions,
            pod_refresher,
            paused,
            leaving,
            kubefed,
            limits,
        }
    }
}
