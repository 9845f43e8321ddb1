//! When an object of each kind is healthy.
//!
//! | kind | healthy when |
//! |---|---|
//! | Deployment, ReplicaSet, StatefulSet, DaemonSet | observed by its controller, all replicas updated and available |
//! | Job | it is complete; a failed one never becomes healthy |
//! | Pod | it is ready, or has succeeded; a failed one never becomes healthy |
//! | PersistentVolumeClaim | it is bound |
//! | CustomResourceDefinition | it is established |
//! | APIService | it is available |
//! | Namespace | it is active |
//! | Instance of KUDO | no plan of it is running |
//! | any other | no condition denies it: `Stalled`, `Failed`, `Reconciling`, `Ready`, `observedGeneration` |
//!
//! KUDO checks fewer kinds, and considers every other object healthy once it exists: see [`KUDO`].

use crate::object::identity::group_of;
use crate::value::Value;

/// How far an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    Healthy,
    /// Not yet, and why.
    InProgress(String),
    /// Not without a change by a person, and why.
    Failed(String),
}

/// The checks of a system: the kinds that have one of their own, and the one of all others.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    rows: &'static [(&'static str, &'static str, Check)],
    other: Check,
}

type Check = fn(&Value) -> Health;

/// The checks of strict mode.
pub const STRICT: Checks = Checks {
    rows: &[
        ("", "Namespace", namespace),
        ("", "PersistentVolumeClaim", claim),
        ("", "Pod", pod),
        ("apiextensions.k8s.io", "CustomResourceDefinition", |it| condition(it, "Established")),
        ("apiregistration.k8s.io", "APIService", |it| condition(it, "Available")),
        ("apps", "DaemonSet", daemon_set),
        ("apps", "Deployment", deployment),
        ("apps", "ReplicaSet", replica_set),
        ("apps", "StatefulSet", stateful_set),
        ("batch", "Job", job),
        ("kudo.dev", "Instance", instance),
    ],
    other: conventional,
};

/// The checks of KUDO.
pub const KUDO: Checks = Checks {
    rows: &[
        ("", "Pod", kudo_pod),
        ("apps", "Deployment", deployment),
        ("apps", "StatefulSet", stateful_set),
        ("batch", "Job", kudo_job),
        ("kudo.dev", "Instance", instance),
    ],
    other: |_| Health::Healthy,
};

/// How far an object is. One that has no status yet is judged by its kind: a ConfigMap is healthy, a Deployment is not.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::kinds::health::{Health, STRICT, health}, value::json};
///
/// let web = json::parse(r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":2},
///     "status":{"replicas":2,"updatedReplicas":2,"availableReplicas":1}}"#)?;
/// assert_eq!(health(&web, STRICT), Health::InProgress("1 of 2 replicas are available".into()));
/// let settings = json::parse(r#"{"apiVersion":"v1","kind":"ConfigMap"}"#)?;
/// assert_eq!(health(&settings, STRICT), Health::Healthy);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn health(object: &Value, checks: Checks) -> Health {
    let (group, kind) = (group_of(object.text_at(&["apiVersion"])), object.text_at(&["kind"]));
    let row = checks.rows.iter().find(|(its_group, its_kind, _)| *its_group == group && *its_kind == kind);
    row.map_or(checks.other, |(.., check)| *check)(object)
}

fn waits(why: impl Into<String>) -> Health {
    Health::InProgress(why.into())
}

fn number(object: &Value, path: &[&str]) -> Option<i64> {
    object.at(path).and_then(Value::as_int)
}

fn status(object: &Value, field: &str) -> i64 {
    number(object, &["status", field]).unwrap_or(0)
}

/// The message of a condition with this status, or its reason.
fn says(object: &Value, kind: &str, status: &str) -> Option<String> {
    let conditions = object.at(&["status", "conditions"]).and_then(Value::as_list).into_iter().flatten();
    let mut found = conditions.filter(|it| it.text_at(&["type"]) == kind && it.text_at(&["status"]) == status);
    let condition = found.next()?;
    let texts = ["message", "reason"].map(|it| condition.text_at(&[it]));
    let text = texts.into_iter().find(|it| !it.is_empty());
    Some(text.map_or_else(|| format!("the condition {kind} is {status}"), |it| format!("{kind} is {status}: {it}")))
}

/// A status of an older generation does not describe this one.
fn outdated(object: &Value) -> Option<Health> {
    let (is, observed) = (number(object, &["metadata", "generation"])?, status(object, "observedGeneration"));
    (observed < is).then(|| waits(format!("its controller has observed generation {observed}, not yet {is}")))
}

fn at_least(is: i64, wanted: i64, what: &str) -> Option<Health> {
    (is < wanted).then(|| waits(format!("{is} of {wanted} replicas are {what}")))
}

fn first_of<const N: usize>(checks: [Option<Health>; N]) -> Health {
    checks.into_iter().flatten().next().unwrap_or(Health::Healthy)
}

/// As `kubectl rollout status` reports it.
fn deployment(object: &Value) -> Health {
    let wanted = number(object, &["spec", "replicas"]).unwrap_or(1);
    let (all, updated) = (status(object, "replicas"), status(object, "updatedReplicas"));
    let progressing = object.at(&["status", "conditions"]).and_then(Value::as_list).into_iter().flatten();
    let mut late = progressing.filter(|it| it.text_at(&["reason"]) == "ProgressDeadlineExceeded");
    first_of([
        outdated(object),
        late.next().map(|_| waits("it exceeded its progress deadline")),
        at_least(updated, wanted, "updated"),
        (all > updated).then(|| waits(format!("{} old replicas are not terminated yet", all.saturating_sub(updated)))),
        at_least(status(object, "availableReplicas"), updated, "available"),
    ])
}

fn replica_set(object: &Value) -> Health {
    let wanted = number(object, &["spec", "replicas"]).unwrap_or(1);
    first_of([outdated(object), at_least(status(object, "availableReplicas"), wanted, "available")])
}

fn stateful_set(object: &Value) -> Health {
    let wanted = number(object, &["spec", "replicas"]).unwrap_or(1);
    let rolls = object.text_at(&["spec", "updateStrategy", "type"]) != "OnDelete";
    let partition = number(object, &["spec", "updateStrategy", "rollingUpdate", "partition"]).unwrap_or(0);
    let revision = |field: &str| object.text_at(&["status", field]);
    let is_old = partition == 0 && revision("updateRevision") != revision("currentRevision");
    first_of([
        outdated(object),
        at_least(status(object, "readyReplicas"), wanted, "ready"),
        at_least(status(object, "updatedReplicas"), wanted.saturating_sub(partition), "updated").filter(|_| rolls),
        (rolls && is_old).then(|| waits("an update is still rolled out")),
    ])
}

fn daemon_set(object: &Value) -> Health {
    let Some(wanted) = number(object, &["status", "desiredNumberScheduled"]) else {
        return waits("its controller has not observed it yet");
    };
    let rolls = object.text_at(&["spec", "updateStrategy", "type"]) != "OnDelete";
    first_of([
        outdated(object),
        at_least(status(object, "updatedNumberScheduled"), wanted, "updated").filter(|_| rolls),
        at_least(status(object, "numberAvailable"), wanted, "available"),
    ])
}

fn job(object: &Value) -> Health {
    if let Some(why) = says(object, "Failed", "True") {
        return Health::Failed(why);
    }
    if says(object, "Complete", "True").is_some() {
        return Health::Healthy;
    }
    let wanted = number(object, &["spec", "completions"]).unwrap_or(1);
    match object.at(&["spec", "suspend"]).and_then(Value::as_bool) {
        Some(true) => waits("it is suspended"),
        _ => waits(format!(
            "{} of {wanted} completions, {} active",
            status(object, "succeeded"),
            status(object, "active")
        )),
    }
}

/// KUDO counts one success, regardless of the Job's number of completions.
fn kudo_job(object: &Value) -> Health {
    match says(object, "Failed", "True") {
        _ if status(object, "succeeded") == 1 => Health::Healthy,
        Some(why) => Health::Failed(why),
        None => waits("it is still running, or has failed"),
    }
}

fn pod(object: &Value) -> Health {
    match object.text_at(&["status", "phase"]) {
        "Succeeded" => Health::Healthy,
        "Failed" => {
            let why = ["message", "reason"].map(|it| object.text_at(&["status", it]));
            Health::Failed(why.into_iter().find(|it| !it.is_empty()).unwrap_or("its phase is Failed").into())
        }
        "Running" => condition(object, "Ready"),
        phase => in_phase(phase),
    }
}

fn kudo_pod(object: &Value) -> Health {
    match object.text_at(&["status", "phase"]) {
        "Running" => Health::Healthy,
        phase => in_phase(phase),
    }
}

fn in_phase(phase: &str) -> Health {
    waits(if phase.is_empty() { "it has no phase yet".into() } else { format!("its phase is {phase}") })
}

fn claim(object: &Value) -> Health {
    match object.text_at(&["status", "phase"]) {
        "Bound" => Health::Healthy,
        // With `WaitForFirstConsumer` the consumer must not wait for the claim.
        "Pending" => {
            waits("its phase is Pending; if its StorageClass waits for the first consumer, put both in one step")
        }
        phase => in_phase(phase),
    }
}

/// The API server sets the phase when it creates the Namespace, so that one without a phase is about to be created.
fn namespace(object: &Value) -> Health {
    match object.text_at(&["status", "phase"]) {
        "" | "Active" => Health::Healthy,
        phase => in_phase(phase),
    }
}

/// KUDO clears the name when the plan is complete.
fn instance(object: &Value) -> Health {
    match object.text_at(&["spec", "planExecution", "planName"]) {
        "" => Health::Healthy,
        plan => waits(format!("its plan `{plan}` is running")),
    }
}

fn condition(object: &Value, kind: &str) -> Health {
    if says(object, kind, "True").is_some() {
        return Health::Healthy;
    }
    let denied = ["False", "Unknown"].into_iter().find_map(|it| says(object, kind, it));
    waits(denied.unwrap_or_else(|| format!("it has no condition {kind} yet")))
}

/// By the conventions of Kubernetes for statuses. Without any of them an object is healthy once it exists.
fn conventional(object: &Value) -> Health {
    let failed = ["Stalled", "Failed"].into_iter().find_map(|it| says(object, it, "True"));
    let is_observed = object.at(&["status", "observedGeneration"]).is_some();
    let unready = || ["False", "Unknown"].into_iter().find_map(|it| says(object, "Ready", it));
    first_of([
        outdated(object).filter(|_| is_observed),
        failed.map(Health::Failed),
        says(object, "Reconciling", "True").map(Health::InProgress),
        unready().map(Health::InProgress),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether an object is healthy (`+`), in progress (`~`) or failed (`-`), in strict mode and for KUDO.
    #[track_caller]
    fn check(kind: &str, rest: &str, want: &str) {
        let (api_version, kind) = kind.rsplit_once(' ').unwrap();
        let text = format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}",{rest}}}"#);
        let object = crate::value::json::parse(&text).expect("a test writes JSON");
        let sign = |it: Checks| match health(&object, it) {
            Health::Healthy => '+',
            Health::InProgress(_) => '~',
            Health::Failed(_) => '-',
        };
        assert_eq!(format!("{}{}", sign(STRICT), sign(KUDO)), want, "{text}");
    }

    #[test]
    fn each_kind_has_its_own_signs() {
        let is = |kind: &str, status: &str| {
            format!(r#""status":{{"conditions":[{{"type":"{kind}","status":"{status}"}}]}}"#)
        };
        let phase = |it: &str| format!(r#""status":{{"phase":"{it}"}}"#);
        check("apps/v1 Deployment", r#""spec":{}"#, "~~");
        check("apps/v1 Deployment", r#""spec":{"replicas":0}"#, "++");
        check("apps/v1 Deployment", r#""status":{"replicas":1,"updatedReplicas":1,"availableReplicas":1}"#, "++");
        check("apps/v1 Deployment", r#""status":{"replicas":2,"updatedReplicas":1,"availableReplicas":2}"#, "~~");
        check(
            "apps/v1 Deployment",
            r#""metadata":{"generation":2},"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"availableReplicas":1}"#,
            "~~",
        );
        check("apps/v1 StatefulSet", r#""status":{"readyReplicas":1,"updatedReplicas":1}"#, "++");
        check("apps/v1 StatefulSet", r#""status":{"readyReplicas":1,"updatedReplicas":1,"updateRevision":"b"}"#, "~~");
        check("apps/v1 DaemonSet", r#""spec":{}"#, "~+");
        check("apps/v1 DaemonSet", r#""status":{"desiredNumberScheduled":0}"#, "++");
        check("apps/v1 ReplicaSet", r#""status":{"availableReplicas":0}"#, "~+");
        check("batch/v1 Job", r#""status":{"active":1}"#, "~~");
        check("batch/v1 Job", r#""status":{"succeeded":1},"spec":{"completions":2}"#, "~+");
        check("batch/v1 Job", &is("Complete", "True"), "+~");
        check("batch/v1 Job", &is("Failed", "True"), "--");
        check("v1 Pod", &phase("Pending"), "~~");
        check("v1 Pod", &phase("Running"), "~+");
        check("v1 Pod", &phase("Succeeded"), "+~");
        check("v1 Pod", &phase("Failed"), "-~");
        check("v1 PersistentVolumeClaim", &phase("Pending"), "~+");
        check("v1 PersistentVolumeClaim", &phase("Bound"), "++");
        check("v1 Namespace", r#""metadata":{}"#, "++");
        check("v1 Namespace", &phase("Terminating"), "~+");
        check("apiextensions.k8s.io/v1 CustomResourceDefinition", r#""spec":{}"#, "~+");
        check("apiextensions.k8s.io/v1 CustomResourceDefinition", &is("Established", "True"), "++");
        check("apiregistration.k8s.io/v1 APIService", &is("Available", "False"), "~+");
        check("kudo.dev/v1beta1 Instance", r#""spec":{"planExecution":{"planName":"deploy"}}"#, "~~");
        check("v1 ConfigMap", r#""data":{}"#, "++");
    }

    #[test]
    fn other_kinds_are_judged_by_convention() {
        let conditions = |it: &str| format!(r#""status":{{"conditions":[{it}]}}"#);
        check("example.com/v1 Store", r#""spec":{}"#, "++");
        check("example.com/v1 Store", r#""status":{"phase":"odd"}"#, "++");
        check("example.com/v1 Store", r#""metadata":{"generation":2},"status":{"observedGeneration":1}"#, "~+");
        check("example.com/v1 Store", &conditions(r#"{"type":"Ready","status":"Unknown"}"#), "~+");
        check("example.com/v1 Store", &conditions(r#"{"type":"Ready","status":"True"}"#), "++");
        check("example.com/v1 Store", &conditions(r#"{"type":"Reconciling","status":"True"}"#), "~+");
        check("example.com/v1 Store", &conditions(r#"{"type":"Stalled","status":"True"}"#), "-+");
        check("example.com/v1 Store", &conditions(r#"{"type":"Stalled","status":"False"}"#), "++");
    }

    #[test]
    fn a_message_of_a_condition_is_repeated() {
        let text = r#"{"apiVersion":"batch/v1","kind":"Job","status":{"conditions":[
            {"type":"Failed","status":"True","reason":"BackoffLimitExceeded","message":"too many retries"}]}}"#;
        let job = crate::value::json::parse(text).expect("a test writes JSON");
        assert_eq!(health(&job, STRICT), Health::Failed("Failed is True: too many retries".into()));
    }
}
