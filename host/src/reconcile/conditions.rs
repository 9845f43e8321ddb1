//! How everything stands, as conditions: what is wrong, where, and what to do.

use fleetfold_core::Value;

use super::documents::Documents;
use super::members::Members;
use super::sights::Sights;
use super::work::{Action, Work, in_cluster};
use crate::answer::{list, text};
use crate::cluster::Fault;
use crate::session::Answer;

/// How many problems one condition tells in full.
const TOLD: usize = 5;

/// Everything that the conditions are made from.
#[derive(Debug)]
pub struct Facts<'a> {
    pub plan: &'a Answer,
    pub actions: &'a [Action],
    pub documents: &'a Documents,
    pub members: &'a Members,
    pub sights: &'a Sights,
    pub work: &'a Work,
    /// Whether something waits for approval.
    pub waits: bool,
    pub requires_approval: bool,
}

impl Facts<'_> {
    /// The clusters that were needed, and whether they can be reached.
    pub fn clusters(&self) -> Value {
        let entry = |(name, fault): (&String, Option<&Fault>)| {
            let mut fields = vec![("name", Value::text(name.as_str())), ("reachable", fault.is_none().into())];
            fields.extend(fault.map(|it| ("message", Value::text(it.to_string()))));
            Value::map(fields)
        };
        Value::list(self.members.standings().map(entry))
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
    /// True unless there are problems.
    fn of(kind: &'static str, bad: &'static str, problems: Vec<String>) -> Condition {
        let message = match problems.len() {
            0 => String::new(),
            count if count <= TOLD => problems.join("; "),
            count => format!("{}; and {} more", problems[..TOLD].join("; "), count - TOLD),
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

    /// As an object has it; the time stays while the status does.
    pub fn to_value(&self, before: &Value, now: &str) -> Value {
        let status = if self.holds { "True" } else { "False" };
        let earlier = list(before, "conditions").iter().find(|it| text(it, "type") == self.kind);
        let since = earlier.filter(|it| text(it, "status") == status).map_or(now, |it| text(it, "lastTransitionTime"));
        Value::map([
            ("type", self.kind),
            ("status", status),
            ("reason", self.reason),
            ("message", &self.message),
            ("lastTransitionTime", since),
        ])
    }
}

/// The conditions that the facts make, with what was found wrong while loading.
pub fn of(facts: &Facts, findings: &[Value]) -> Vec<Condition> {
    let errors = facts.plan.diagnostics.iter().filter(|it| text(it, "severity") == "error");
    let mut unread: Vec<String> = findings.iter().chain(errors).map(told).collect();
    unread.sort();
    unread.dedup();
    let missing = facts.documents.missing().into_iter();
    let missing =
        missing.map(|it| format!("the hub does not know {it}; `fleetfold crds` prints what no system brings"));
    let down = facts.members.standings().filter_map(|(name, fault)| Some(with_hint(name, fault?)));
    let faults: Vec<(String, &Fault)> = (facts.documents.faults())
        .chain(
            facts
                .sights
                .faults()
                .map(|(cluster, need, fault)| (format!("{}{}", need.target, in_cluster(cluster)), fault)),
        )
        .chain(facts.work.delays().map(|it| (it.what.clone(), &it.fault)))
        .collect();
    let of_kind = |forbidden: bool| {
        let those = faults.iter().filter(|(_, fault)| matches!(fault, Fault::Forbidden { .. }) == forbidden);
        those.map(|(what, fault)| with_hint(what, fault)).collect::<Vec<String>>()
    };
    let contested = facts.work.contests().map(|(cluster, it)| {
        let others = if it.managers.is_empty() { "somebody".to_owned() } else { it.managers.join(", ") };
        format!("{}{} is changed back by {others}; let one of them set it", it.target, in_cluster(cluster))
    });
    let held = list(&facts.plan.ok, "held").iter().map(|it| it.text_at(&["held", "text"]).to_owned());
    let mut held: Vec<String> = held.collect();
    held.sort();
    held.dedup();
    let mut all = vec![
        Condition::of("DocumentsRead", "DocumentsRejected", unread),
        Condition::of("KindsServed", "KindsMissing", missing.collect()),
        Condition::of("ClustersReachable", "ClustersUnreachable", down.collect()),
        Condition::of("Permitted", "Forbidden", of_kind(true)),
        Condition::of("Applied", "ActionsFail", of_kind(false)),
        Condition::of("Uncontested", "ChangedBack", contested.collect()),
        Condition::of("Unheld", "ActionsHeld", held),
    ];
    if facts.requires_approval {
        let digest = text(&facts.plan.ok, "digest");
        let waits = facts.waits.then(|| format!("waits for the approval of {digest}: `fleetfold approve {digest}`"));
        all.push(Condition::of("Approved", "WaitsForApproval", waits.into_iter().collect()));
    }
    all.push(ready(facts, &all));
    all
}

/// Ready when there is nothing to do and nothing wrong.
fn ready(facts: &Facts, others: &[Condition]) -> Condition {
    let wrong: Vec<&str> = others.iter().filter(|it| !it.holds).map(|it| it.kind).collect();
    let (holds, reason, message) = match (wrong.is_empty(), facts.actions.len()) {
        (true, 0) => (true, "Settled", "everything is as it should be".to_owned()),
        (true, count) => (false, "Reconciling", format!("{count} to do")),
        (false, _) => (false, "Problems", format!("see {}", wrong.join(", "))),
    };
    Condition { kind: "Ready", holds, reason, message }
}

fn with_hint(what: &str, fault: &Fault) -> String {
    format!("{what}: {fault} ({})", fault.hint())
}

/// A finding in a line.
fn told(finding: &Value) -> String {
    let (document, path) = (finding.text_at(&["at", "document"]), finding.text_at(&["at", "path"]));
    let place: Vec<&str> = [document, path].into_iter().filter(|it| !it.is_empty()).collect();
    let hint = Some(text(finding, "hint")).filter(|it| !it.is_empty()).map(|it| format!(" ({it})")).unwrap_or_default();
    let at = if place.is_empty() { String::new() } else { format!("{}: ", place.join(" ")) };
    format!("{at}{}{hint}", text(finding, "message"))
}

/// An event for every condition of the own object whose status changed.
pub fn transitions(before: &Value, after: &Value) -> Vec<Value> {
    let changed = |it: &&Value| {
        let earlier = list(before, "conditions").iter().find(|other| text(other, "type") == text(it, "type"));
        earlier.map_or(text(it, "status") == "False", |earlier| text(earlier, "status") != text(it, "status"))
    };
    let event = |it: &Value| {
        let kind = if text(it, "status") == "True" { "Normal" } else { "Warning" };
        let reason = if text(it, "status") == "True" { text(it, "type") } else { text(it, "reason") };
        let note = if text(it, "message").is_empty() { text(it, "type") } else { text(it, "message") };
        Value::map([("type", kind), ("reason", reason), ("note", note)])
    };
    list(after, "conditions").iter().filter(changed).map(event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_keeps_its_time_while_its_status_stays() {
        let bad = Condition::of("Permitted", "Forbidden", vec!["no".into()]);
        let first = Value::map([("conditions", Value::list([bad.to_value(&Value::Null, "t1")]))]);
        assert_eq!(text(&bad.to_value(&first, "t2"), "lastTransitionTime"), "t1");
        let good = Condition::of("Permitted", "Forbidden", Vec::new());
        assert_eq!(text(&good.to_value(&first, "t2"), "lastTransitionTime"), "t2");
    }

    #[test]
    fn many_problems_are_told_in_part() {
        let condition = Condition::of("Applied", "ActionsFail", (0..9).map(|it| it.to_string()).collect());
        assert_eq!(condition.message, "0; 1; 2; 3; 4; and 4 more");
    }
}
