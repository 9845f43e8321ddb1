//! Refreshing: which workloads restart because a certificate's secret was renewed (seed 004, PodRefresher).
//!
//! A workload restarts when its pod template changes. What changes is a label with the time and an annotation with the
//! versions of the secrets that the pods started with. The annotation alone makes sure that every renewal rolls the
//! pods, however fast one follows the other; the label is for people.

use crate::object::timestamp::Timestamp;

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode};
use crate::engine::patch::{Operation, Verb};
use crate::object::identity::{ObjectName, is_in_group, is_terminating};
use crate::value::json;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::value::{Map, Text, Value};

/// What cert-manager writes on the secrets that it issues.
pub use crate::object::kinds::upstreams::certmanager::ISSUER_KIND as ISSUED;

/// The prefixes of a workload's annotations, the current one first. The result uses the prefix that the workload opted
/// in with.
pub use crate::object::kinds::upstreams::certmanager::RESTART_PREFIXES as PREFIXES;

const KINDS: &[&str] = &["DaemonSet", "Deployment", "StatefulSet"];

const METADATA: &[&str] = &["metadata"];
const TEMPLATE_METADATA: &[&str] = &["spec", "template", "metadata"];

/// Decides for each workload whether it restarts for `secret`.
///
/// 1. The secret was issued by cert-manager and is not being deleted.
/// 2. The workload is a Deployment, DaemonSet or StatefulSet in the secret's namespace and is not being deleted.
/// 3. It opted in: its annotation `…/allow-restart` is exactly `true`.
/// 4. Its pods take the secret: as a volume, part of a projected volume, a variable, or a set of variables.
/// 5. Its annotation `…/secret-resource-versions` does not record the secret's version.
///
/// In compat mode the result is that of the cert-manager deployment operator: only plain volumes count; the time has
/// minutes and is the only change of the template, so a second renewal within the minute restarts nothing; deletion
/// does not matter; and a workload that would crash the operator is skipped with that reason.
///
/// # Errors
///
/// A Secret without a name or a version, an object of another kind than its field takes, or a workload without kind or
/// name.
///
/// # Example
///
/// ```
/// use fleetfold_core::{diagnostic::Mode, engine::refresh::refresh, value::json};
///
/// let secret = json::parse(r#"{"kind":"Secret","metadata":{"name":"tls","namespace":"shop","resourceVersion":"42",
///     "annotations":{"cert-manager.io/issuer-kind":"Issuer"}}}"#)?;
/// let web = json::parse(r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop",
///     "annotations":{"certmanagerdeployment.opdev.io/allow-restart":"true"}},
///     "spec":{"template":{"spec":{"volumes":[{"name":"tls","secret":{"secretName":"tls"}}]}}}}"#)?;
/// let now = "2026-01-31T09:30:00Z".parse().unwrap();
/// let refreshed = refresh(&secret, &[web], now, Mode::Strict, &mut Vec::new())?;
/// assert_eq!(refreshed.restarts[0].target.to_string(), "Deployment/shop/web");
/// assert_eq!(refreshed.restarts[0].renewal.version, "42");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn refresh(
    secret: &Value,
    workloads: &[Value],
    now: Timestamp,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Result<Refreshed, Error> {
    let mut targets = Vec::new();
    for (index, workload) in workloads.iter().enumerate() {
        targets.push((target(workload, index)?, workload));
    }
    sort_by(&mut targets, |(a, _), (b, _)| a.cmp(b));

    let renewed = Renewed::of(secret, mode)?;
    let mut refreshed = Refreshed::default();
    for (target, workload) in targets {
        let verdict = match &renewed {
            Ok(renewed) => Ctx { renewed, target: &target, workload, mode, now }.decide(out),
            Err(skip) => Err(*skip),
        };
        match verdict {
            Ok((operations, renewal)) => refreshed.restarts.push(Restart { target, operations, renewal }),
            Err(skip) => refreshed.skipped.push((target, skip)),
        }
    }
    Ok(refreshed)
}

/// Both sorted by kind, namespace and name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refreshed {
    pub restarts: Vec<Restart>,
    pub skipped: Vec<(ObjectName, Skip)>,
}

/// A workload that restarts, and the patch that restarts it.
#[derive(Clone, Debug, PartialEq)]
pub struct Restart {
    pub target: ObjectName,
    pub operations: Vec<Operation>,
    pub renewal: Renewal,
}

/// Why a workload restarts.
#[derive(Clone, Debug, PartialEq)]
pub struct Renewal {
    pub secret: Text,
    pub version: Text,
    /// The version that the workload recorded.
    pub recorded: Option<Text>,
    /// Where its pods take the secret from.
    pub uses: Vec<Pointer>,
}

impl Renewal {
    pub const CODE: ReasonCode = ReasonCode::SecretRenewed;

    pub fn text(&self) -> String {
        match &self.recorded {
            Some(recorded) => {
                format!("secret `{}` is at version {}, its pods started with {recorded}", self.secret, self.version)
            }
            None => format!("secret `{}` is at version {}, its pods record none", self.secret, self.version),
        }
    }
}

/// Why a workload does not restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    SecretNotIssued,
    SecretTerminating,
    KindNotRestarted,
    OtherNamespace,
    WorkloadTerminating,
    NotOptedIn,
    DoesNotUseSecret,
    UpToDate,
    CrashesWithoutLabels,
    CrashesOnNullRecord,
}

impl Skip {
    /// The stable code of the reason.
    pub fn code(self) -> ReasonCode {
        match self {
            Skip::SecretNotIssued => ReasonCode::SecretNotIssued,
            Skip::SecretTerminating | Skip::WorkloadTerminating => ReasonCode::Terminating,
            Skip::KindNotRestarted => ReasonCode::KindNotRestarted,
            Skip::OtherNamespace => ReasonCode::OtherNamespace,
            Skip::NotOptedIn => ReasonCode::NotOptedIn,
            Skip::DoesNotUseSecret => ReasonCode::DoesNotUseSecret,
            Skip::UpToDate => ReasonCode::UpToDate,
            Skip::CrashesWithoutLabels | Skip::CrashesOnNullRecord => ReasonCode::OriginalCrashes,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Skip::SecretNotIssued => "the secret has no annotation `cert-manager.io/issuer-kind`",
            Skip::SecretTerminating => "the secret is being deleted",
            Skip::KindNotRestarted => "only a DaemonSet, Deployment or StatefulSet restarts",
            Skip::OtherNamespace => "it is not in the namespace of the secret",
            Skip::WorkloadTerminating => "the workload is being deleted",
            Skip::NotOptedIn => "its annotation `certmanagerdeployment.opdev.io/allow-restart` is not `true`",
            Skip::DoesNotUseSecret => "its pods do not use the secret",
            Skip::UpToDate => "it restarted for this version of the secret before",
            Skip::CrashesWithoutLabels => "the cert-manager operator crashes on a workload without labels",
            Skip::CrashesOnNullRecord => "the cert-manager operator crashes on a record that is null",
        }
    }
}

/// The name of a workload in the request, which is required.
fn target(workload: &Value, index: usize) -> Result<ObjectName, Error> {
    let at = Pointer::of(["workloads".to_string(), index.to_string()]);
    required(workload, &["kind"], &at)?;
    required(workload, &["metadata", "name"], &at)?;
    Ok(ObjectName::of(workload))
}

/// The relevant fields of the secret: its contents are never read.
struct Renewed {
    namespace: Text,
    name: Text,
    version: Text,
}

impl Renewed {
    fn of(secret: &Value, mode: Mode) -> Result<Result<Renewed, Skip>, Error> {
        let at = Pointer::of(["secret"]);
        let kind = required(secret, &["kind"], &at)?;
        if kind != "Secret" {
            return Err(Error::new(Code::WrongKind, format!("`{kind}` is not a Secret")).at(at.child("kind")));
        }
        let name = required(secret, &["metadata", "name"], &at)?;
        if secret.at(&["metadata", "annotations", ISSUED]).is_none() {
            return Ok(Err(Skip::SecretNotIssued));
        }
        if mode == Mode::Strict && is_terminating(secret) {
            return Ok(Err(Skip::SecretTerminating));
        }
        let version = required(secret, &["metadata", "resourceVersion"], &at)?;
        Ok(Ok(Renewed { namespace: secret.text_at(&["metadata", "namespace"]).into(), name, version }))
    }
}

fn required(object: &Value, keys: &[&str], at: &Pointer) -> Result<Text, Error> {
    let place = at.join(&Pointer::of(keys.iter().copied()));
    match object.at(keys) {
        Some(Value::Text(text)) if !text.is_empty() => Ok(text.clone()),
        Some(Value::Text(_) | Value::Null) | None => {
            let field = keys.last().copied().unwrap_or_default();
            Err(Error::new(Code::MissingField, format!("the field `{field}` is missing")).at(place))
        }
        Some(other) => {
            Err(Error::new(Code::WrongType, format!("`{place}` must be a string, not {}", other.kind())).at(place))
        }
    }
}

struct Ctx<'a> {
    renewed: &'a Renewed,
    target: &'a ObjectName,
    workload: &'a Value,
    mode: Mode,
    now: Timestamp,
}

impl Ctx<'_> {
    fn decide(&self, out: &mut Vec<Diagnostic>) -> Result<(Vec<Operation>, Renewal), Skip> {
        if !KINDS.contains(&self.target.kind.as_str()) || !is_in_group(self.workload, "apps") {
            return Err(Skip::KindNotRestarted);
        }
        if self.target.namespace != self.renewed.namespace {
            return Err(Skip::OtherNamespace);
        }
        if self.mode == Mode::Strict && is_terminating(self.workload) {
            return Err(Skip::WorkloadTerminating);
        }
        let prefix = PREFIXES.iter().find(|it| self.annotation(&format!("{it}/allow-restart")) == Some("true"));
        let prefix = prefix.ok_or(Skip::NotOptedIn)?;
        let uses = self.uses();
        if uses.is_empty() {
            return Err(Skip::DoesNotUseSecret);
        }
        let mut versions = self.recorded(prefix, out)?;
        let Renewed { name, version, .. } = self.renewed;
        let recorded = match versions.insert(name.clone(), version.clone()) {
            Some(Value::Text(recorded)) if recorded == *version => return Err(Skip::UpToDate),
            Some(Value::Text(recorded)) => Some(recorded),
            _ => None,
        };
        let operations = self.operations(prefix, Value::from(versions).to_canonical())?;
        Ok((operations, Renewal { secret: name.clone(), version: version.clone(), recorded, uses }))
    }

    fn annotation(&self, key: &str) -> Option<&str> {
        self.workload.at(&["metadata", "annotations", key])?.as_text()
    }

    /// The versions that the workload recorded; none when it has no record, or one that cannot be read.
    fn recorded(&self, prefix: &str, out: &mut Vec<Diagnostic>) -> Result<Map, Skip> {
        let key = format!("{prefix}/secret-resource-versions");
        let Some(text) = self.annotation(&key) else { return Ok(Map::new()) };
        let record = json::parse(text).unwrap_or(Value::Bool(false));
        if self.mode == Mode::Compat && record.is_null() {
            return Err(Skip::CrashesOnNullRecord);
        }
        match record {
            Value::Map(map) if map.iter().all(|(_, version)| version.as_text().is_some()) => {
                Ok(std::sync::Arc::unwrap_or_clone(map))
            }
            _ => {
                let message = "the recorded versions are not a JSON map of strings and will be replaced";
                let place = Pointer::of(["metadata", "annotations", &key]);
                out.push(Diagnostic::warning(Code::BadRecord, message).of(self.target.to_string()).at(place));
                Ok(Map::new())
            }
        }
    }

    /// Every place where the pods take the secret from.
    fn uses(&self) -> Vec<Pointer> {
        let pod = Pointer::of(["spec", "template", "spec"]);
        let mut uses = Vec::new();
        let mut note = |place: Pointer, keys: &[&str], item: &Value| {
            if item.at(keys).and_then(Value::as_text) == Some(&self.renewed.name) {
                uses.push(place.join(&Pointer::of(keys.iter().copied())));
            }
        };
        for (place, volume) in self.items(&pod.child("volumes")) {
            note(place.clone(), &["secret", "secretName"], volume);
            if self.mode == Mode::Strict {
                for (place, source) in self.items(&place.child("projected").child("sources")) {
                    note(place, &["secret", "name"], source);
                }
            }
        }
        let of_pods: &[&str] =
            crate::seeded!(InitContainersAreForgotten, &["initContainers", "containers"], &["containers"]);
        let containers = if self.mode == Mode::Strict { of_pods } else { &[] };
        for (place, _) in containers.iter().flat_map(|it| self.items(&pod.child(*it))) {
            for (place, variable) in self.items(&place.child("env")) {
                note(place, &["valueFrom", "secretKeyRef", "name"], variable);
            }
            for (place, source) in self.items(&place.child("envFrom")) {
                note(place, &["secretRef", "name"], source);
            }
        }
        uses
    }

    /// The elements of a list of the workload, each with its place.
    fn items(&self, place: &Pointer) -> Vec<(Pointer, &Value)> {
        let items = place.get(self.workload).and_then(Value::as_list);
        items.into_iter().flatten().enumerate().map(|(at, item)| (place.child(at.to_string()), item)).collect()
    }

    fn operations(&self, prefix: &str, versions: String) -> Result<Vec<Operation>, Skip> {
        let (time, record) = (format!("{prefix}/time-restarted"), format!("{prefix}/secret-resource-versions"));
        let mut edit = Edit { object: self.workload.clone(), operations: Vec::new() };
        if self.mode == Mode::Compat {
            let now = self.now.minute_label();
            for metadata in [METADATA, TEMPLATE_METADATA] {
                if self.workload.at(metadata).and_then(|it| it.get("labels")).is_none_or(Value::is_null) {
                    return Err(Skip::CrashesWithoutLabels);
                }
                edit.set(metadata, "labels", &time, &now);
            }
            edit.set(METADATA, "annotations", &record, &versions);
        } else {
            let now = self.now.label();
            for metadata in [METADATA, TEMPLATE_METADATA] {
                edit.set(metadata, "labels", &time, &now);
                edit.set(metadata, "annotations", &record, &versions);
            }
        }
        Ok(edit.operations)
    }
}

/// Operations, and the object as they leave it.
struct Edit {
    object: Value,
    operations: Vec<Operation>,
}

impl Edit {
    /// Sets a label or an annotation. An API server refuses to add under a map that is not there, so the operation adds
    /// the first map that is missing, with what belongs in it.
    fn set(&mut self, metadata: &[&str], field: &str, key: &str, value: &str) {
        let path: Vec<&str> = metadata.iter().copied().chain([field, key]).collect();
        let mut place = &mut self.object;
        let mut pointer = Pointer::root();
        let mut rest = path.into_iter();
        for step in rest.by_ref() {
            pointer.push(step);
            let Some(map) = place.as_map_mut() else { return };
            let Some(next) = map.entry_or(step, Value::default) else { return };
            place = next;
            if !matches!(place, Value::Map(_)) {
                break;
            }
        }
        let added = rest.rev().fold(Value::text(value), |inner, step| Value::map([(step, inner)]));
        *place = added.clone();
        self.operations.push(Operation::on(Verb::Add, pointer, Some(added)));
    }
}

#[cfg(test)]
mod tests;
