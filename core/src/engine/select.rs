//! Which clusters a selector picks, and why.

pub mod cluster_set;
pub mod fleet;
mod form;
pub mod layer_index;
mod names;
mod requirement;
mod text;

pub use form::{Affinity, FieldRequirement, Members, Selector};
pub use names::Names;
pub(crate) use requirement::known_fields;
pub use requirement::{LabelSelector, Requirement, Test};
pub use text::parse_text;

use crate::diagnostic::ReasonCode;
use crate::object::labels::Labels;
use crate::value::Text;

/// A cluster, as far as selection needs to know it.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::select::Cluster;
///
/// let labels = [("env", "prod")].into_iter().collect();
/// let eu = Cluster { name: "eu-1".into(), labels, ..Cluster::default() };
/// assert_eq!(eu.labels.get("env").unwrap(), "prod");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cluster {
    pub name: Text,
    pub labels: Labels,
    /// The fields that Karmada's field selector reads.
    pub provider: Text,
    pub region: Text,
    pub zones: Vec<Text>,
}

/// Why a cluster is in or out, one line a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    pub code: ReasonCode,
    pub text: String,
    /// Whether this condition speaks for the cluster.
    pub holds: bool,
}

/// The clusters that `selector` picks, in the order given.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::select::{Cluster, Selector, select};
///
/// let cluster = |name: &str, env: &str| {
///     Cluster { name: name.into(), labels: [("env", env)].into_iter().collect(), ..Cluster::default() }
/// };
/// let fleet = [cluster("eu-1", "prod"), cluster("lab-1", "dev"), cluster("us-1", "prod")];
/// let selector: Selector = "env in (prod,stage)".parse()?;
/// let names: Vec<&str> = select(&selector, &fleet).into_iter().map(|it| it.name.as_str()).collect();
/// assert_eq!(names, ["eu-1", "us-1"]);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn select<'c>(selector: &Selector, clusters: &'c [Cluster]) -> Vec<&'c Cluster> {
    clusters.iter().filter(|cluster| selects(selector, cluster)).collect()
}

/// Whether `selector` picks `cluster`.
///
/// 1. `Nothing`: never.
/// 2. `Labels`: every requirement holds; a selector without requirements picks every cluster.
/// 3. `AnyOf`: one of the selectors picks it.
/// 4. `Union`: the labels or the names pick it, or neither is given; and it is not ignored.
/// 5. `Listed`: the list names it.
/// 6. `Members`: it is a member, and not ignored.
/// 7. `Affinity`: every part that is given holds.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::select::{Cluster, Selector, selects};
///
/// let eu = Cluster { name: "eu-1".into(), ..Cluster::default() };
/// assert!(selects(&Selector::Listed(vec!["eu-1".into()].into()), &eu));
/// assert!(selects(&"".parse()?, &eu), "an empty selector picks every cluster");
/// assert!(!selects(&Selector::Nothing, &eu));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn selects(selector: &Selector, cluster: &Cluster) -> bool {
    match selector {
        Selector::Nothing => false,
        Selector::Labels(labels) => labels.accepts(&cluster.labels),
        Selector::AnyOf(selectors) => selectors.iter().any(|it| selects(it, cluster)),
        Selector::Union { labels, names, ignored } => {
            let all = labels.is_none() && names.is_none();
            let labelled = labels.as_ref().is_some_and(|it| it.accepts(&cluster.labels));
            let named = names.as_ref().is_some_and(|it| it.contains(&cluster.name));
            (all || labelled || named) && !ignored.contains(&cluster.name)
        }
        Selector::Listed(names) => names.contains(&cluster.name),
        Selector::Members(members) => members.names.contains(&cluster.name) && !members.ignored.contains(&cluster.name),
        Selector::Affinity(affinity) => explain_affinity(affinity, cluster).iter().all(|reason| reason.holds),
    }
}

/// Whether `selector` picks `cluster`; `None` if that depends on labels that cannot be read, or on members that are
/// unknown.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::select::{Cluster, Selector, decides};
/// use fleetfold_core::object::Labels;
///
/// let eu = Cluster { name: "eu-1".into(), labels: Labels::unknown(), ..Cluster::default() };
/// assert_eq!(decides(&"env!=prod".parse()?, &eu), None);
/// assert_eq!(decides(&"".parse()?, &eu), Some(true), "an empty selector picks every cluster");
/// assert_eq!(decides(&Selector::Listed(vec!["us-1".into()].into()), &eu), Some(false));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn decides(selector: &Selector, cluster: &Cluster) -> Option<bool> {
    if selects(selector, cluster) {
        return Some(true);
    }
    let has_requirements = |it: &LabelSelector| cluster.labels.is_unknown() && !it.requirements().is_empty();
    let is_open = match selector {
        Selector::Nothing | Selector::Listed(_) => false,
        Selector::Members(members) => {
            members.unknown.contains(&cluster.name) && !members.ignored.contains(&cluster.name)
        }
        Selector::Labels(labels) => has_requirements(labels),
        Selector::AnyOf(selectors) => selectors.iter().any(|it| decides(it, cluster).is_none()),
        Selector::Union { labels, ignored, .. } => {
            labels.as_ref().is_some_and(has_requirements) && !ignored.contains(&cluster.name)
        }
        Selector::Affinity(affinity) => matches!(&affinity.labels, Some(Ok(labels)) if has_requirements(labels)),
    };
    (!is_open).then_some(false)
}

/// Why `selector` picks `cluster` or not, condition by condition.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::select::{Cluster, explain};
///
/// let lab = Cluster { name: "lab-1".into(), labels: [("env", "dev")].into_iter().collect(), ..Cluster::default() };
/// let reasons = explain(&"env=prod,!legacy".parse()?, &lab);
/// assert_eq!(reasons[0].text, "`env=prod` does not hold: the label is `dev`");
/// assert_eq!(reasons[1].text, "`!legacy` holds: the label is absent");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn explain(selector: &Selector, cluster: &Cluster) -> Vec<Reason> {
    let name = &cluster.name;
    match selector {
        Selector::Nothing => {
            vec![reason(ReasonCode::NoSelector, false, "no selector is given, which picks no cluster")]
        }
        Selector::Labels(labels) => explain_labels(labels, cluster),
        Selector::AnyOf(selectors) => {
            let mut reasons: Vec<Reason> = selectors.iter().flat_map(|it| explain(it, cluster)).collect();
            if reasons.is_empty() {
                reasons.push(reason(
                    ReasonCode::EmptyList,
                    false,
                    "the list of selectors is empty, which picks no cluster",
                ));
            }
            reasons
        }
        Selector::Union { labels, names, ignored } => {
            let mut reasons = Vec::new();
            if ignored.contains(name) {
                reasons.push(reason(ReasonCode::Ignored, false, format!("`{name}` is among the ignored clusters")));
            }
            if let Some(names) = names {
                reasons.push(named(names.contains(name), name));
            }
            match labels {
                Some(labels) => reasons.extend(explain_labels(labels, cluster)),
                None if names.is_none() => reasons.push(reason(
                    ReasonCode::SelectsAll,
                    true,
                    "without labels or names, every cluster is meant",
                )),
                None => {}
            }
            reasons
        }
        Selector::Listed(names) => vec![named(names.contains(name), name)],
        Selector::Members(members) => vec![match members.names.contains(name) {
            true => reason(ReasonCode::Member, true, format!("`{name}` is in {}", members.of)),
            false => reason(ReasonCode::NotMember, false, format!("`{name}` is not in {}", members.of)),
        }],
        Selector::Affinity(affinity) => explain_affinity(affinity, cluster),
    }
}

/// The names that a selector mentions: each should be a cluster's.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::select::{Selector, mentioned};
///
/// let (names, ignored) = (vec!["eu-1".into()].into(), vec!["lab-1".into()].into());
/// let selector = Selector::Union { labels: None, names: Some(names), ignored };
/// assert_eq!(mentioned(&selector), ["eu-1", "lab-1"]);
/// ```
pub fn mentioned(selector: &Selector) -> Vec<&Text> {
    match selector {
        Selector::Nothing | Selector::Labels(_) | Selector::Members(_) => Vec::new(),
        Selector::AnyOf(selectors) => selectors.iter().flat_map(mentioned).collect(),
        Selector::Union { names, ignored, .. } => names.iter().flatten().chain(ignored).collect(),
        Selector::Listed(names) => names.iter().collect(),
        Selector::Affinity(affinity) => affinity.names.iter().chain(&affinity.excluded).collect(),
    }
}

fn explain_labels(selector: &LabelSelector, cluster: &Cluster) -> Vec<Reason> {
    if selector.requirements().is_empty() {
        return vec![reason(ReasonCode::SelectsAll, true, "the selector is empty, which picks every cluster")];
    }
    let explain = |requirement: &Requirement| {
        if cluster.labels.is_unknown() {
            let text = format!("whether `{requirement}` holds is unknown: the labels cannot be read");
            return reason(ReasonCode::RequirementNotMet, false, text);
        }
        let found = match cluster.labels.get(requirement.key()) {
            Some(value) => format!("the label is `{value}`"),
            None => "the label is absent".into(),
        };
        match requirement.accepts(&cluster.labels) {
            true => reason(ReasonCode::RequirementMet, true, format!("`{requirement}` holds: {found}")),
            false => reason(ReasonCode::RequirementNotMet, false, format!("`{requirement}` does not hold: {found}")),
        }
    };
    selector.requirements().iter().map(explain).collect()
}

fn explain_affinity(affinity: &Affinity, cluster: &Cluster) -> Vec<Reason> {
    let name = &cluster.name;
    let mut reasons = Vec::new();
    if affinity.excluded.contains(name) {
        reasons.push(reason(ReasonCode::Ignored, false, format!("`{name}` is excluded")));
    }
    match &affinity.labels {
        Some(Ok(labels)) => reasons.extend(explain_labels(labels, cluster)),
        Some(Err(error)) => reasons.push(reason(
            ReasonCode::BadSelector,
            false,
            format!("the label selector is not valid: {}", error.message),
        )),
        None => {}
    }
    for field in &affinity.fields {
        let holds = field_accepts(field, cluster);
        let code = if holds { ReasonCode::RequirementMet } else { ReasonCode::RequirementNotMet };
        reasons.push(reason(code, holds, format!("`{} {} ({})`", field.key, field.operator, field.values.join(","))));
    }
    if !affinity.names.is_empty() {
        reasons.push(named(affinity.names.contains(name), name));
    }
    if reasons.is_empty() {
        reasons.push(reason(ReasonCode::SelectsAll, true, "the affinity is empty, which picks every cluster"));
    }
    reasons
}

/// Karmada's rules as of v1.18: a zone is shared if one of the cluster's zones is listed; an unset field is absent;
/// what is not understood accepts nothing.
fn field_accepts(field: &FieldRequirement, cluster: &Cluster) -> bool {
    let one = |value: &Text| if value.is_empty() { Vec::new() } else { vec![value.clone()] };
    let found = match field.key.as_str() {
        "provider" => one(&cluster.provider),
        "region" => one(&cluster.region),
        "zone" => cluster.zones.clone(),
        _ => Vec::new(),
    };
    let shared = found.iter().any(|it| field.values.contains(it));
    match field.operator.as_str() {
        "In" => shared,
        "NotIn" => !shared,
        "Exists" => !found.is_empty(),
        "DoesNotExist" => found.is_empty(),
        _ => false,
    }
}

fn named(holds: bool, name: &str) -> Reason {
    match holds {
        true => reason(ReasonCode::Named, true, format!("`{name}` is named")),
        false => reason(ReasonCode::NotNamed, false, format!("`{name}` is not among the named clusters")),
    }
}

fn reason(code: ReasonCode, holds: bool, text: impl Into<String>) -> Reason {
    Reason { code, text: text.into(), holds }
}
