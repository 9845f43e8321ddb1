//! The conditions of the FleetPlan: what is wrong, where, and what to do.

use fleetfold_core::api::plan::{EventAnswer, PlanAnswer};
use fleetfold_core::api::{Answered, Finding};
use fleetfold_core::diagnostic::{Code, Severity};
use fleetfold_core::value::Text;
use fleetfold_crds::{ClusterState, ConditionStatus};

use super::action::Action;
use super::documents::Documents;
use super::executor::{Executor, in_cluster};
use super::live_cache::LiveCache;
use super::members::Members;
use crate::cluster::ApiError;
use crate::session::quarantine::{Quarantine, Quarantined};

/// How many problems the message of a condition lists.
const MAX_LISTED: usize = 5;

/// The state that conditions are computed from.
#[derive(Debug)]
pub struct Facts<'a> {
    pub plan: &'a Answered<PlanAnswer>,
    pub actions: &'a [Action],
    pub documents: &'a Documents,
    pub members: &'a Members,
    pub live_cache: &'a LiveCache,
    pub executor: &'a Executor,
    pub quarantine: &'a Quarantine,
    /// Whether actions wait for approval.
    pub is_waiting: bool,
    pub requires_approval: bool,
}

impl Facts<'_> {
    /// The members that were needed, and whether they are reachable.
    pub fn clusters(&self) -> Vec<ClusterState> {
        let state = |(name, error): (&String, Option<&ApiError>)| ClusterState {
            name: name.clone(),
            reachable: error.is_none(),
            message: error.map(ApiError::to_string),
        };
        self.members.connections().map(state).collect()
    }
}

/// One condition of the runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub kind: &'static str,
    pub holds: bool,
    pub reason: &'static str,
    pub message: String,
}

impl Condition {
    /// Holds if there are no problems.
    fn of(kind: &'static str, bad: &'static str, problems: Vec<String>) -> Condition {
        let message = match problems.len() {
            0 => String::new(),
            count if count <= MAX_LISTED => problems.join("; "),
            count => format!("{}; and {} more", problems[..MAX_LISTED].join("; "), count - MAX_LISTED),
        };
        let reason = if problems.is_empty() { "AsExpected" } else { bad };
        Condition { kind, holds: problems.is_empty(), reason, message }
    }

    pub fn log(&self) {
        let Condition { kind, holds, reason, message } = self;
        match holds {
            true => tracing::info!(
                condition = kind,
                reason,
                "{kind}: {}",
                if message.is_empty() { "as expected" } else { message }
            ),
            false => tracing::warn!(condition = kind, reason, "not {kind}: {message}"),
        }
    }

    /// As Kubernetes writes it; `lastTransitionTime` stays while the status does.
    pub fn to_status(&self, before: &[fleetfold_crds::Condition], now: &str) -> fleetfold_crds::Condition {
        let status = ConditionStatus::from(self.holds);
        let earlier = before.iter().find(|it| it.kind == self.kind && it.status == status);
        let since = earlier.and_then(|it| it.last_transition_time.as_deref()).unwrap_or(now);
        fleetfold_crds::Condition {
            kind: self.kind.to_owned(),
            status,
            reason: Some(self.reason.to_owned()),
            message: Some(self.message.clone()),
            last_transition_time: Some(since.to_owned()),
            observed_generation: None,
        }
    }
}

/// The conditions for these facts and the errors found while loading.
pub fn conditions<'a>(facts: &'a Facts, findings: impl Iterator<Item = &'a Finding>) -> Vec<Condition> {
    let Answered { answer: plan, findings: of_plan } = facts.plan;
    // The session knows more about these than the plan: since when, and why.
    let is_quarantined = |it: &&Finding| it.code == Code::QuarantinedDocument.as_str();
    let errors = of_plan.iter().filter(|it| it.severity == Severity::Error && !is_quarantined(it));
    let mut unread: Vec<String> = findings.chain(errors).map(summary).collect();
    unread.extend(facts.quarantine.iter().map(Quarantined::summary));
    unread.sort();
    unread.dedup();
    let missing = facts.documents.missing().into_iter();
    let missing =
        missing.map(|it| format!("the hub does not serve {it}; `fleetfold crds` prints the definitions of Fleetfold"));
    let down = facts.members.connections().filter_map(|(name, error)| Some(with_hint(name, error?)));
    let errors: Vec<(String, &ApiError)> = (facts.documents.errors())
        .chain(
            facts
                .live_cache
                .errors()
                .map(|(cluster, need, error)| (format!("{}{}", need.target, in_cluster(cluster)), error)),
        )
        .chain(facts.executor.delays().map(|it| (it.what.clone(), &it.error)))
        .collect();
    let of_kind = |forbidden: bool| {
        let those = errors.iter().filter(|(_, error)| matches!(error, ApiError::Forbidden { .. }) == forbidden);
        those.map(|(what, error)| with_hint(what, error)).collect::<Vec<String>>()
    };
    let conflicting = facts.executor.conflicts().map(|(cluster, it)| {
        let others = if it.other_managers.is_empty() { "somebody".to_owned() } else { it.other_managers.join(", ") };
        format!("{}{} is reverted by {others}; let only one manager set it", it.target, in_cluster(cluster))
    });
    let held = plan.held.iter().map(|it| it.held.as_ref().map(|why| why.text.clone()).unwrap_or_default());
    let mut held: Vec<String> = held.collect();
    held.sort();
    held.dedup();
    let mut all = vec![
        Condition::of(
            "DocumentsRead",
            if facts.quarantine.is_empty() { "DocumentsRejected" } else { "DocumentsQuarantined" },
            unread,
        ),
        Condition::of("KindsServed", "KindsMissing", missing.collect()),
        Condition::of("ClustersReachable", "ClustersUnreachable", down.collect()),
        Condition::of("Permitted", "Forbidden", of_kind(true)),
        Condition::of("Applied", "ActionsFail", of_kind(false)),
        Condition::of("Uncontested", "ChangedBack", conflicting.collect()),
        Condition::of("Unheld", "ActionsHeld", held),
    ];
    if facts.requires_approval {
        let digest = &plan.digest;
        let waiting =
            facts.is_waiting.then(|| format!("waits for the approval of {digest}: `fleetfold approve {digest}`"));
        all.push(Condition::of("Approved", "WaitsForApproval", waiting.into_iter().collect()));
    }
    all.push(ready(facts, &all));
    all
}

/// Ready: nothing to do and no problem.
fn ready(facts: &Facts, others: &[Condition]) -> Condition {
    let wrong: Vec<&str> = others.iter().filter(|it| !it.holds).map(|it| it.kind).collect();
    let (holds, reason, message) = match (wrong.is_empty(), facts.actions.len()) {
        (true, 0) => (true, "Settled", "every cluster has its desired objects".to_owned()),
        (true, count) => (false, "Reconciling", format!("{count} pending actions")),
        (false, _) => (false, "Problems", format!("see {}", wrong.join(", "))),
    };
    Condition { kind: "Ready", holds, reason, message }
}

fn with_hint(what: &str, error: &ApiError) -> String {
    format!("{what}: {error} ({})", error.hint())
}

/// A finding in one line.
fn summary(finding: &Finding) -> String {
    let Finding { at, message, hint, .. } = finding;
    let place = at.iter().flat_map(|it| [&it.document, &it.path]).flatten().filter(|it| !it.is_empty());
    let place: Vec<&str> = place.map(String::as_str).collect();
    let hint = hint.as_ref().filter(|it| !it.is_empty()).map(|it| format!(" ({it})")).unwrap_or_default();
    let at = if place.is_empty() { String::new() } else { format!("{}: ", place.join(" ")) };
    format!("{at}{message}{hint}")
}

/// An event for every condition whose status changed.
pub fn transitions(before: &[fleetfold_crds::Condition], after: &[fleetfold_crds::Condition]) -> Vec<EventAnswer> {
    let changed = |it: &&fleetfold_crds::Condition| {
        let earlier = before.iter().find(|other| other.kind == it.kind);
        earlier.map_or(it.status == ConditionStatus::False, |earlier| earlier.status != it.status)
    };
    let event = |it: &fleetfold_crds::Condition| {
        let holds = it.status == ConditionStatus::True;
        let kind = if holds { "Normal" } else { "Warning" };
        let reason = it.reason.as_deref().filter(|_| !holds).unwrap_or(&it.kind);
        let note = it.message.as_deref().filter(|it| !it.is_empty()).unwrap_or(&it.kind);
        EventAnswer { note: note.to_owned(), reason: reason.to_owned(), kind: Text::new_static(kind) }
    };
    after.iter().filter(changed).map(event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_keeps_its_time_while_its_status_stays() {
        let bad = Condition::of("Permitted", "Forbidden", vec!["no".into()]);
        let first = [bad.to_status(&[], "t1")];
        assert_eq!(bad.to_status(&first, "t2").last_transition_time.as_deref(), Some("t1"));
        let good = Condition::of("Permitted", "Forbidden", Vec::new());
        assert_eq!(good.to_status(&first, "t2").last_transition_time.as_deref(), Some("t2"));
    }

    #[test]
    fn a_condition_that_changes_is_an_event() {
        let bad = Condition::of("Permitted", "Forbidden", vec!["no".into()]).to_status(&[], "t1");
        let good = Condition::of("Permitted", "Forbidden", Vec::new()).to_status(&[], "t1");
        let event = |kind: &'static str, reason: &str, note: &str| {
            vec![EventAnswer { kind: Text::new_static(kind), reason: reason.to_owned(), note: note.to_owned() }]
        };
        let warning = event("Warning", "Forbidden", "no");
        let normal = event("Normal", "Permitted", "Permitted");
        let cases =
            [(None, &good, vec![]), (None, &bad, warning), (Some(&bad), &bad, vec![]), (Some(&bad), &good, normal)];
        for (before, after, want) in cases {
            assert_eq!(transitions(before.map_or(&[], std::slice::from_ref), std::slice::from_ref(after)), want);
        }
    }

    #[test]
    fn a_long_list_of_problems_is_cut() {
        let condition = Condition::of("Applied", "ActionsFail", (0..9).map(|it| it.to_string()).collect());
        assert_eq!(condition.message, "0; 1; 2; 3; 4; and 4 more");
    }
}
