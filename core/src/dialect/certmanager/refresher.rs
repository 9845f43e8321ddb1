//! PodRefresher: workloads that ask for it restart when a certificate's secret was renewed.

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::diff::diff;
use crate::engine::patch::{Operation, patch};
use crate::engine::refresh::{ISSUED, Renewal, refresh};
use crate::object::document::Identity;
use crate::object::timestamp::Timestamp;
use crate::value::{Text, Value};
use crate::workspace::observed::{HUB, Query};
use crate::workspace::plan::{Planner, Reason, SubjectPlan, Verb};
use crate::workspace::store::View;

/// What the refresher lists, secrets first.
pub const KINDS: [(&str, &str); 4] =
    [("v1", "Secret"), ("apps/v1", "DaemonSet"), ("apps/v1", "Deployment"), ("apps/v1", "StatefulSet")];

/// Restarts depend on nothing, and nothing depends on them.
const WAVE: i64 = 0;

/// Plans the restarts on the hub, as part of what `subject` plans. Several secrets that were renewed restart a workload
/// once.
pub fn refresh_all(view: View, subject: Option<&Identity>, planner: &mut Planner) {
    for (identity, live, near) in workloads(view, subject, planner) {
        restart(&identity, &live, &near, view, planner);
    }
}

/// The same where nothing installs cert-manager: each workload is the subject of its restart.
pub fn refresh_hub(view: View) -> SubjectPlan {
    let nothing = Identity::default();
    let mut planner = Planner::new(view, &nothing);
    let mut steps = SubjectPlan::default();
    for (identity, live, near) in workloads(view, None, &mut planner) {
        let mut inner = Planner::new(view, &identity);
        restart(&identity, &live, &near, view, &mut inner);
        steps.actions.extend(inner.steps.actions);
        steps.diagnostics.extend(inner.steps.diagnostics);
    }
    steps.needs = planner.steps.needs;
    steps.diagnostics.extend(planner.steps.diagnostics);
    steps
}

/// The workloads that have issued secrets in their namespace, with those secrets.
fn workloads(view: View, subject: Option<&Identity>, planner: &mut Planner) -> Vec<(Identity, Value, Vec<Value>)> {
    if !view.settings.pod_refresher {
        return Vec::new();
    }
    let Some(now) = view.now else {
        let finding = Diagnostic::info(Code::TimeUnknown, "workloads restart only in a plan that is given the time");
        let finding = subject.map_or(finding.clone(), |it| finding.of(it));
        planner.steps.diagnostics.push(finding.hint("give `now`"));
        return Vec::new();
    };
    // No selector finds the secrets of one type or with an annotation, so all are listed.
    let [secrets, workloads @ ..] = KINDS.map(|(api_version, kind)| {
        planner.list(HUB, &Query { api_version: api_version.into(), kind: kind.into(), ..Query::default() })
    });
    let issued = secrets.into_iter().flatten().filter(|(_, it)| it.at(&["metadata", "annotations", ISSUED]).is_some());
    let secrets: Vec<(Identity, Value)> = issued.filter(|it| is_usable(it, now, planner)).collect();
    let near = |namespace: &Text| -> Vec<Value> {
        secrets.iter().filter(|(it, _)| it.namespace == *namespace).map(|(_, it)| it.clone()).collect()
    };
    let workloads = workloads.into_iter().flatten().flatten();
    let workloads = workloads.map(|(identity, live)| {
        let near = near(&identity.namespace);
        (identity, live, near)
    });
    workloads.filter(|(_, _, near)| !near.is_empty()).collect()
}

/// A secret without a version cannot be distinguished from its renewal.
fn is_usable((identity, secret): &(Identity, Value), now: Timestamp, planner: &mut Planner) -> bool {
    match refresh(secret, &[], now, Mode::Strict, &mut Vec::new()) {
        Ok(_) => true,
        Err(error) => {
            let finding = Diagnostic::warning(error.code, error.message).of(identity);
            planner.steps.diagnostics.push(finding.hint("its renewal restarts nothing"));
            false
        }
    }
}

fn restart(identity: &Identity, live: &Value, secrets: &[Value], view: View, planner: &mut Planner) {
    let (Some(now), mode) = (view.now, view.settings.mode) else { return };
    // The workload may be installed by this plan: its other changes come first.
    let before = patched(live, planned(identity, planner)).unwrap_or_else(|| live.clone());
    let (mut after, mut reasons) = (before.clone(), Vec::new());
    for secret in secrets {
        let refreshed = refresh(secret, std::slice::from_ref(&after), now, mode, &mut planner.steps.diagnostics);
        let restart = refreshed.ok().and_then(|it| it.restarts.into_iter().next());
        if let Some((restart, next)) = restart.and_then(|it| Some((it.clone(), patched(&after, &it.operations)?))) {
            reasons.push(restart.renewal.text());
            after = next;
        }
    }
    let reason = Reason::new(Renewal::CODE, reasons.join("; "));
    let patch = diff(&before, &after);
    if !patch.is_empty() {
        planner.amend(HUB, live, patch, WAVE, reason);
    }
}

fn planned<'p>(identity: &Identity, planner: &'p Planner) -> &'p [Operation] {
    let mut patches = planner.steps.actions.iter().filter(|it| it.verb == Verb::Patch && it.cluster == HUB);
    patches.find(|it| it.target.identity() == *identity).map(|it| it.patch.as_slice()).unwrap_or_default()
}

fn patched(object: &Value, operations: &[Operation]) -> Option<Value> {
    patch(object.clone(), operations, Mode::Strict, &mut Vec::new()).ok()
}
