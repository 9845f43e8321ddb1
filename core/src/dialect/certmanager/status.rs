//! The status of a deployment, from the observed state of its objects. The fields are those of the operator; the
//! conditions `Ready` and `Progressing` are added for `kubectl wait`.

use super::Kind;
use super::deployment::{Deployment, Release};
use crate::diagnostic::{Code, Error, Severity};
use crate::engine::refresh::Renewal;
use crate::engine::rendered::Rendered;
use crate::object::document::Document;
use crate::object::identity::is_terminating;
use crate::object::timestamp::Timestamp;
use crate::value::{Map, Text, Value};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::{Planner, StatusTerms, SubjectPlan, Target};
use crate::workspace::store::View;

/// The conditions of a deployment that can be bad.
pub const TERMS: StatusTerms = StatusTerms {
    bad: &[("CRDsAreReady", "False"), ("DeploymentsAreReady", "False"), ("Held", "True")],
    ..StatusTerms::NONE
};

/// Plans the status, once everything that it depends on is observed.
pub fn plan_status(
    deployment: &Deployment,
    release: &Release,
    view: View,
    rendered: &Rendered,
    steps: Option<&SubjectPlan>,
    planner: &mut Planner,
) {
    let Some(steps) = steps.filter(|it| it.needs.is_empty() && planner.steps.needs.is_empty()) else { return };
    let identity = &deployment.document.identity;
    let live = match view.store.observed(HUB).map(|it| it.observation(identity)) {
        Some(Observation::Present(live)) => live,
        _ => &deployment.document.value,
    };
    // A restart of what others run is no part of the installation.
    let changes = steps.actions.iter().filter(|it| it.reason.code != Renewal::CODE);
    let left = changes.count().saturating_add(planner.steps.actions.len());
    let held = steps.held.iter().chain(&planner.steps.held).next().map(|it| it.text.clone());
    let is_blocked = held.is_some()
        || steps.diagnostics.iter().any(|it| it.severity == Severity::Error || it.code == Code::ImmutableDifference);
    let (definitions, deployments) = (Health::of(DEFINITIONS, view, rendered), Health::of(DEPLOYMENTS, view, rendered));
    let running = definitions.ready && deployments.ready;
    let ready = match (left, is_blocked, running) {
        (1.., ..) => no("Changing", "not everything is as it should be yet"),
        (0, true, _) if held.is_some() => no("Held", &held.unwrap_or_default()),
        (0, true, _) => no("Blocked", "something cannot be made as it should be"),
        (0, false, false) => no("NotRunning", "something that is installed does not run yet"),
        (0, false, true) => yes("Running", "everything is installed and runs"),
    };
    let progressing = match left {
        0 => no("Settled", "there is nothing left to change"),
        _ => yes("Changing", "objects are being created, changed or deleted"),
    };
    let said = [
        ("CRDsAreReady", definitions.says("AllCRDsHealthy", "CRDsUnhealthy", "definitions")),
        ("DeploymentsAreReady", deployments.says("AllDeploymentsHealthy", "DeploymentsUnhealthy", "deployments")),
        ("Progressing", progressing),
        ("Ready", ready),
    ];
    let mut status = Map::from_iter([("conditions", conditions(live, &said, view.now))]);
    if left == 0 && !is_blocked {
        status.insert("version", release.version.clone());
    }
    if Kind::of(identity).is_some_and(|it| it.observes)
        && let Some(generation) = live.at(&["metadata", "generation"])
    {
        status.insert("observedGeneration", generation.clone());
    }
    // OpenShift's kind does not have these fields: its API server would drop them, and each plan would write them
    // again.
    if !Kind::of(identity).is_some_and(|it| it.is_openshift) {
        status.insert("phase", if running { "Running" } else { "Pending" });
        status.insert("crdConditions", definitions.conditions);
        status.insert("deploymentConditions", deployments.conditions);
    }
    planner.status(live, status.into());
}

/// Writes the reason of a refusal to the status. What is installed stays as it is, and so does the rest of the status.
pub fn refuse(view: View, document: &Document, error: &Error, planner: &mut Planner) {
    let live = &document.value;
    if is_terminating(live) {
        return;
    }
    let hint = error.hint.as_ref().map(|it| format!("; {it}")).unwrap_or_default();
    let message = format!("{}{hint}", error.message);
    let said = [("Progressing", no(REFUSED, &message)), ("Ready", no(REFUSED, &message))];
    let mut status = Map::from_iter([("conditions", conditions(live, &said, view.now))]);
    if Kind::of(&document.identity).is_some_and(|it| it.observes)
        && let Some(generation) = live.at(&["metadata", "generation"])
    {
        status.insert("observedGeneration", generation.clone());
    }
    planner.status(live, status.into());
}

/// The reason of the conditions of a deployment that is refused.
const REFUSED: &str = "Refused";

/// One condition: whether it holds, its reason, its message.
type Condition = (bool, &'static str, String);

fn yes(reason: &'static str, message: &str) -> Condition {
    (true, reason, message.into())
}

fn no(reason: &'static str, message: &str) -> Condition {
    (false, reason, message.into())
}

/// A kind of object that can be healthy: its group, its kind, how its name is called, and what makes it so.
type Judged = (&'static str, &'static str, &'static str, fn(&Value) -> bool);

const DEFINITIONS: Judged = ("apiextensions.k8s.io", "CustomResourceDefinition", "name", |live| {
    ["Established", "NamesAccepted"].iter().all(|it| holds(live, it))
});

const DEPLOYMENTS: Judged = ("apps", "Deployment", "namespacedName", |live| {
    let count = |path: &[&str], default: i64| live.at(path).and_then(Value::as_int).unwrap_or(default);
    let (wanted, ready) = (count(&["spec", "replicas"], 1), count(&["status", "readyReplicas"], 0));
    // Counts of an older generation do not apply to this one.
    let is_current = count(&["status", "observedGeneration"], 0) >= count(&["metadata", "generation"], 0);
    is_current && wanted == ready && count(&["status", "availableReplicas"], 0) == ready
});

fn holds(live: &Value, condition: &str) -> bool {
    let conditions = live.at(&["status", "conditions"]).and_then(Value::as_list).into_iter().flatten();
    conditions.filter(|it| it.text_at(&["type"]) == condition).any(|it| it.text_at(&["status"]) == "True")
}

/// How the objects of one kind are.
struct Health {
    ready: bool,
    /// The names of those that are not.
    unwell: Vec<Text>,
    /// The conditions of each of them, copied as by the operator.
    conditions: Vec<Value>,
}

impl Health {
    fn of((group, kind, called, is_healthy): Judged, view: View, rendered: &Rendered) -> Health {
        let mut health = Health { ready: true, unwell: Vec::new(), conditions: Vec::new() };
        for product in &rendered.objects {
            let identity = Target::of(&product.object).identity();
            if identity.kind != kind || identity.group != group {
                continue;
            }
            let name: Text = match identity.namespace.as_str() {
                "" => identity.name.clone(),
                namespace => format!("{namespace}/{}", identity.name).into(),
            };
            let live = match view.store.observation(HUB, &identity) {
                Observation::Present(live) => Some(live),
                _ => None,
            };
            if let Some(live) = live {
                let conditions =
                    live.at(&["status", "conditions"]).cloned().unwrap_or_else(|| Value::list([] as [Value; 0]));
                health.conditions.push(Value::map([(called, Value::Text(name.clone())), ("conditions", conditions)]));
            }
            if !live.is_some_and(is_healthy) {
                health.ready = false;
                health.unwell.push(name);
            }
        }
        health
    }

    fn says(&self, well: &'static str, unwell: &'static str, what: &str) -> Condition {
        match self.ready {
            true => (true, well, format!("all {what} are healthy")),
            false => {
                let names: Vec<String> = self.unwell.iter().map(|it| format!("`{it}`")).collect();
                (false, unwell, format!("not healthy yet: {}", names.join(", ")))
            }
        }
    }
}

/// The conditions with those of others kept. The time of one changes only when its status does; a condition without a
/// time gets one as soon as the time is known.
fn conditions(live: &Value, said: &[(&str, Condition)], now: Option<Timestamp>) -> Vec<Value> {
    let before = live.at(&["status", "conditions"]).and_then(Value::as_list).into_iter().flatten();
    let (ours, others): (Vec<&Value>, Vec<&Value>) =
        before.partition(|it| said.iter().any(|(kind, _)| it.text_at(&["type"]) == *kind));
    let mut written: Vec<Value> = others.into_iter().cloned().collect();
    for (kind, (holds, reason, message)) in said {
        let status = if *holds { "True" } else { "False" };
        let mut condition = Map::from_iter([
            ("type", Value::text(*kind)),
            ("status", status.into()),
            ("reason", (*reason).into()),
            ("message", message.as_str().into()),
        ]);
        let former = ours.iter().find(|it| it.text_at(&["type"]) == *kind);
        let former = former.filter(|it| it.text_at(&["status"]) == status);
        let time = former.and_then(|it| it.get("lastTransitionTime").cloned());
        if let Some(time) = time.or_else(|| now.map(|it| it.to_string().into())) {
            condition.insert("lastTransitionTime", time);
        }
        written.push(condition.into());
    }
    written
}
