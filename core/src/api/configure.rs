//! `configure`: the settings of the workspace.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::dialect;
use crate::engine::select::Names;
use crate::engine::select::cluster_set::Stage;
use crate::value::JsonPath;
use crate::value::Text;
use crate::value::suggest::suggest;
use crate::workspace::Workspace;
use crate::workspace::quarantine::Quarantine;
use crate::workspace::settings::{DigestKey, Leaving, Limits, LocalChanges, Precedence, Settings};

/// Changes settings; those left out stay as they are.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Configure {
    /// Which of two PluginOverrides takes precedence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precedence: Option<Precedence>,
    /// Which rules cluster sets follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// `strict` (upstream bugs fixed) or `compat` (bug for bug).
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
    /// What happens to objects when a cluster leaves the fleet: to the copies in a KubeFed cluster, unless its
    /// annotation `fleetfold.dev/leaving` overrides this, and to the Plugins of a Greenhouse cluster whose document is
    /// absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaving: Option<Leaving>,
    /// Settings of KubeFed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kubefed: Option<KubeFedInput>,
    /// Whether credentials are sent to members without TLS or with a certificate that is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insecure_endpoints: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsInput>,
    /// The documents to quarantine, as `Kind/namespace/name`, or `*` for every subject. They stay loaded, nothing is
    /// computed or planned for them, and what they govern keeps its last state. The list replaces the previous one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<Vec<Text>>,
    /// The key for the values of Secrets in the digest and the action ids of a plan: without the key, a value cannot be
    /// guessed from them. Without a key the plain values are hashed; an empty key removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest_key: Option<Text>,
}

/// Settings of KubeFed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KubeFedInput {
    /// What an update does to fields that another field manager set and that no rule retains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_changes: Option<LocalChanges>,
    /// The namespaces of KubeFed's control planes. A KubeFedCluster elsewhere is not a member: its Secret is not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespaces: Option<Vec<Text>>,
}

/// The limits of one plan; beyond them, actions are held.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LimitsInput {
    /// Deletes in one plan; the smaller of number and share counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletes: Option<i64>,
    /// Deletes as a share of the objects that the subjects manage, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_percent: Option<i64>,
    /// For how many seconds deletes of earlier plans count against the next one; 0 counts each plan separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_seconds: Option<i64>,
    /// Creates and patches in one plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<i64>,
    /// Kinds that are not deleted unless the object allows it. Replaces the previous list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_kinds: Option<Vec<Text>>,
    /// Kinds to protect in addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protect: Option<Vec<Text>>,
    /// Kinds to stop protecting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unprotect: Option<Vec<Text>>,
    /// Whether a subject may lose all its objects at once: because it selects no cluster, or others than before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty_selection: Option<bool>,
}

/// The current settings.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SettingsAnswer {
    pub dialects: Vec<Text>,
    pub expressions: bool,
    pub insecure_endpoints: bool,
    /// Whether there is a key for digests. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyed_digests: Option<bool>,
    pub kubefed: KubeFedAnswer,
    pub leaving: Leaving,
    pub limits: LimitsAnswer,
    pub mode: Mode,
    pub paused: bool,
    pub pod_refresher: bool,
    pub precedence: Precedence,
    /// Left out where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<Vec<Text>>,
    pub stage: Stage,
}

/// Settings of KubeFed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KubeFedAnswer {
    pub local_changes: LocalChanges,
    /// The namespaces whose KubeFedClusters are members.
    pub namespaces: Vec<Text>,
}

/// The limits of one plan; beyond them, actions are held.
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
    pub window_seconds: i64,
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
        let quarantine = match &self.quarantined {
            Some(texts) => {
                Quarantine::parse(texts).map_err(|(index, error)| error.at(at.key("quarantined").index(index)))?
            }
            None => settings.quarantine.clone(),
        };
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
        let kubefed = self.kubefed.unwrap_or_default();
        Ok(Settings {
            precedence: self.precedence.unwrap_or(precedence),
            stage: self.stage.unwrap_or(stage),
            mode: self.mode.unwrap_or(mode),
            dialects: self.dialects.unwrap_or(dialects),
            expressions: self.expressions.unwrap_or(expressions),
            pod_refresher: self.pod_refresher.unwrap_or(pod_refresher),
            paused: self.paused.unwrap_or(paused),
            leaving: self.leaving.unwrap_or(leaving),
            local_changes: kubefed.local_changes.unwrap_or(local_changes),
            kubefed_namespaces: kubefed.namespaces.map_or_else(|| settings.kubefed_namespaces.clone(), Names::from),
            insecure_endpoints: self.insecure_endpoints.unwrap_or(settings.insecure_endpoints),
            limits,
            quarantine,
            digest_key: match self.digest_key {
                Some(key) => Some(DigestKey(key)).filter(|it| !it.0.is_empty()),
                None => settings.digest_key.clone(),
            },
        })
    }
}

impl LimitsInput {
    fn over(self, limits: Limits, at: &JsonPath) -> Result<Limits, Error> {
        let [deletes, changes, window] =
            [("deletes", self.deletes), ("changes", self.changes), ("windowSeconds", self.window_seconds)]
                .map(|(field, it)| natural(field, it, at));
        let (deletes, delete_percent, window) = (deletes?, percent(self.delete_percent, at)?, window?);
        let mut protected_kinds = self.protected_kinds.unwrap_or(limits.protected_kinds);
        let usual = Limits::default().protected_kinds;
        let (protect, unprotect) = (self.protect.unwrap_or_default(), self.unprotect.unwrap_or_default());
        for kind in &protect {
            if !protected_kinds.contains(kind) {
                protected_kinds.push(kind.clone());
            }
        }
        for (index, kind) in unprotect.iter().enumerate() {
            let fails = |message: String| Error::new(Code::UnknownValue, message).at(at.key("unprotect").index(index));
            if protect.contains(kind) {
                return Err(fails(format!("`{kind}` cannot be protected and unprotected at once")));
            }
            // Unprotecting a kind of the default list again changes nothing.
            let known: Vec<&str> = protected_kinds.iter().chain(&usual).map(Text::as_str).collect();
            if !known.contains(&kind.as_str()) {
                let hint = suggest(kind, &known, "one of");
                return Err(fails(format!("objects of the kind `{kind}` are not protected")).hint(hint));
            }
            protected_kinds.retain(|it| it != kind);
        }
        Ok(Limits {
            deletes: deletes.unwrap_or(limits.deletes),
            delete_percent: delete_percent.unwrap_or(limits.delete_percent),
            window_seconds: window.and_then(|it| i64::try_from(it).ok()).unwrap_or(limits.window_seconds),
            changes: changes?.or(limits.changes),
            protected_kinds,
            empty_selection: self.empty_selection.unwrap_or(limits.empty_selection),
        })
    }
}

/// The number, if there is one.
///
/// # Errors
///
/// It is negative.
pub fn natural(field: &str, given: Option<i64>, at: &JsonPath) -> Result<Option<u64>, Error> {
    let negative = |_| Error::new(Code::UnknownValue, format!("`{field}` cannot be negative")).at(at.key(field));
    given.map(u64::try_from).transpose().map_err(negative)
}

/// `deletePercent`, if it is set.
///
/// # Errors
///
/// It is not a percentage.
pub fn percent(given: Option<i64>, at: &JsonPath) -> Result<Option<u64>, Error> {
    const FIELD: &str = "deletePercent";
    let percent = natural(FIELD, given, at)?;
    match percent.filter(|it| *it > 100) {
        Some(_) => {
            let error = Error::new(Code::UnknownValue, format!("`{FIELD}` is more than 100"));
            Err(error.at(at.key(FIELD)).hint("write a number from 0 to 100"))
        }
        None => Ok(percent),
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
            kubefed_namespaces,
            insecure_endpoints,
            limits,
            quarantine,
            digest_key,
        } = settings;
        let Limits { deletes, delete_percent, window_seconds, changes, protected_kinds, empty_selection } = limits;
        let number = |it: u64| i64::try_from(it).unwrap_or(i64::MAX);
        let limits = LimitsAnswer {
            deletes: number(deletes),
            delete_percent: number(delete_percent),
            changes: changes.map(number),
            window_seconds,
            protected_kinds,
            empty_selection,
        };
        let kubefed = KubeFedAnswer { local_changes, namespaces: kubefed_namespaces.into_iter().collect() };
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
            insecure_endpoints,
            limits,
            quarantined: (!quarantine.is_empty()).then(|| quarantine.texts()),
            keyed_digests: digest_key.is_some().then_some(true),
        }
    }
}
