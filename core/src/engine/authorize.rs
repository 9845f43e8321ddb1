//! May this user make this label change, and what would it do (seed 001)?
//!
//! Labels move clusters between sets, and sets decide what runs where. Labels with a reserved prefix therefore need a
//! permission of their own. The verdict lists the sets that a change joins and leaves, whether the label is protected
//! or not.

mod permission;
pub mod rbac;

pub use permission::{Judge, Judgement, Permission, Review};

use crate::diagnostic::Mode;
use crate::diagnostic::decode::Decode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::authorize::rbac::{Grant, Rbac, Request, User, is_rbac};
use crate::engine::select::cluster_set::{self, CLUSTERSET, ClusterSet, GROUP, Stage, sets_of};
use crate::object::identity::{ObjectName, is_in_group};
use crate::object::kinds::upstreams::ocm;
use crate::object::labels::{Labels, check_key, check_value};
use crate::value::JsonPath;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::sorting::sort;
use crate::value::{Text, Value};

/// The prefixes of the labels that need a permission.
const RESERVED: &[&str] = ocm::RESERVED_LABELS;

/// A change of one cluster, and the known permissions.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    pub user: &'a User,
    /// The ManagedCluster before the change; nothing when it is created.
    pub old: Option<&'a Value>,
    /// The ManagedCluster after the change; nothing when it is deleted.
    pub new: Option<&'a Value>,
    /// ManagedClusterSets, roles and bindings.
    pub documents: &'a [Value],
    /// What an API server answered so far.
    pub reviews: &'a [Review],
    /// Whether roles and bindings decide the permissions that no review covers.
    pub roles: bool,
    pub stage: Stage,
    pub mode: Mode,
}

/// The decision about a label change.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// By key; for one key, the removed label before the added one.
    pub checks: Vec<Check>,
    /// The sets that the cluster joins and leaves, by name.
    pub joins: Vec<Text>,
    pub leaves: Vec<Text>,
    /// The permissions that need an access review before the open checks can be decided.
    pub needs: Vec<Permission>,
    /// Whether the user may write the object at all, where the roles are known.
    pub object: Option<ObjectCheck>,
}

/// Whether a user may create, update or delete a ManagedCluster, whatever its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectCheck {
    pub verb: &'static str,
    pub granted_by: Option<Grant>,
}

impl Verdict {
    /// Whether every check is granted.
    pub fn allowed(&self) -> bool {
        self.checks.iter().all(|it| it.granted)
    }
}

/// One label that is put on or taken off, and whether the user may.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// `key:value`.
    pub label: String,
    pub change: Change,
    pub granted: bool,
    /// The permissions that were looked for, up to the one that grants.
    pub required: Vec<Permission>,
    pub granted_by: Option<Grant>,
}

/// Whether a label is set or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Add,
    Remove,
}

impl Change {
    pub fn as_str(self) -> &'static str {
        match self {
            Change::Add => "add",
            Change::Remove => "remove",
        }
    }
}

/// Decides on a label change.
///
/// 1. Adding or removing a label with a reserved prefix needs `create` on `managedclusters/label`, named `key:value`,
///    `key:*` or `*`. A changed value removes the old label and adds the new one: both are needed.
/// 2. For the clusterset label, `create` on `managedclustersets/join` of the set is enough too; at the full stage with
///    a warning, as it is deprecated.
/// 3. A created cluster adds all its labels. A deleted one needs nothing, and leaves its sets.
/// 4. Unchanged labels and all others need nothing.
///
/// In compat mode the verdict is that of released OCM: the clusterset label needs `join` on the old set and on the new
/// one, and no other label needs a permission.
///
/// # Errors
///
/// A document that is not a ManagedCluster, two that are not the same cluster, a label that no cluster can have.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::authorize::{Question, authorize, rbac::User};
/// use fleetfold_core::{diagnostic::Mode, engine::select::cluster_set::Stage, value::json};
///
/// let old = json::parse(r#"{"kind":"ManagedCluster","metadata":{"name":"eu-1"}}"#)?;
/// let new = json::parse(r#"{"kind":"ManagedCluster","metadata":{"name":"eu-1",
///     "labels":{"cluster.open-cluster-management.io/clusterset":"dev"}}}"#)?;
/// let documents = [json::parse(r#"{"kind":"ManagedClusterSet","metadata":{"name":"dev"}}"#)?];
/// let question = |user| Question {
///     user, old: Some(&old), new: Some(&new), documents: &documents, reviews: &[], roles: true,
///     stage: Stage::Full, mode: Mode::Strict,
/// };
/// let eve = User::new("eve".into(), None);
/// let verdict = authorize(&question(&eve), &mut Vec::new())?;
/// assert!(!verdict.allowed(), "no role grants the clusterset label");
/// assert_eq!(verdict.joins, ["dev"]);
/// let admin = User::new("ada".into(), Some(vec!["system:masters".into()]));
/// assert!(authorize(&question(&admin), &mut Vec::new())?.allowed());
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn authorize(question: &Question, out: &mut Vec<Diagnostic>) -> Result<Verdict, Error> {
    let Question { old, new, documents, stage, mode, .. } = *question;
    if old.is_none() && new.is_none() {
        return Err(Error::new(Code::MissingField, "neither `old` nor `new` is a cluster").at(["new"]));
    }
    let old = old.map(|it| cluster_labels(it, "old")).transpose()?;
    let new = new.map(|it| cluster_labels(it, "new")).transpose()?;
    same_cluster(question)?;
    if let (Some(new), Mode::Strict) = (&new, mode) {
        check_labels(new)?;
    }
    read_kinds(question, out)?;

    let sets = cluster_set::read(documents, stage, mode, out);
    let roles = question.roles.then(|| Rbac::read(documents, out));
    let judge = Judge::new(question.user, question.reviews, roles);
    let none = Labels::default();
    let (before, after) = (old.as_ref().unwrap_or(&none), new.as_ref().unwrap_or(&none));
    let mut verdict =
        Verdict { checks: Vec::new(), joins: Vec::new(), leaves: Vec::new(), needs: Vec::new(), object: None };
    if judge.roles.as_ref().is_some_and(|it| !it.is_empty()) {
        verdict.object = Some(object_check(question, &judge));
    }
    let mut ctx = Ctx { question, judge, verdict: &mut verdict, needs: SortedSet::new(), out };
    if new.is_some() {
        for (key, value, change) in changes(before, after) {
            ctx.check(key, value, change);
        }
    }
    ctx.explain_denials();
    ctx.compare_sets(&sets, old.as_ref(), new.as_ref());
    if let Some(rbac) = &ctx.judge.roles {
        let misnamed = misnamed_grants(rbac, &sets);
        ctx.out.extend(misnamed);
    }
    Ok(verdict)
}

/// Looks for the permission to write the cluster itself. `kubectl` patches where others update: either is enough.
fn object_check(question: &Question, judge: &Judge) -> ObjectCheck {
    let (verb, verbs): (_, &[&str]) = match (question.old, question.new) {
        (None, _) => ("create", &["create"]),
        (Some(_), Some(_)) => ("update", &["update", "patch"]),
        (Some(_), None) => ("delete", &["delete"]),
    };
    let name = question.old.map_or("", |it| it.text_at(&["metadata", "name"]));
    let request = |verb| Request { verb, group: GROUP, resource: "managedclusters", subresource: "", name };
    let granted_by = verbs.iter().copied().find_map(|verb| judge.granted_by_roles(request(verb)));
    ObjectCheck { verb, granted_by }
}

/// The labels of a ManagedCluster of the request.
fn cluster_labels(cluster: &Value, field: &str) -> Result<Labels, Error> {
    let path = &JsonPath::ROOT.key(field);
    if cluster.as_map().is_none() {
        return Err(path.wrong_type("a ManagedCluster", cluster));
    }
    let kind = cluster.get("kind").map_or(Some("ManagedCluster"), Value::as_text);
    if kind != Some("ManagedCluster") || !is_in_group(cluster, GROUP) {
        return Err(Error::new(Code::WrongKind, format!("`{field}` is not a ManagedCluster of `{GROUP}`")).at(path));
    }
    let labels = cluster.at(&["metadata", "labels"]).cloned().unwrap_or_default();
    Labels::decode(labels, &path.key("metadata").key("labels"))
}

fn same_cluster(question: &Question) -> Result<(), Error> {
    let name = |it: Option<&Value>| it.and_then(|it| it.at(&["metadata", "name"])).cloned();
    match (name(question.old), name(question.new)) {
        (Some(old), Some(new)) if old != new => {
            let message = "`old` and `new` are not the same cluster: their names differ";
            Err(Error::new(Code::IdentityMismatch, message).at(["new", "metadata", "name"]))
        }
        _ => Ok(()),
    }
}

/// Rejects invalid labels: a name such as `key:*` is unambiguous only because no valid key or value contains it.
fn check_labels(labels: &Labels) -> Result<(), Error> {
    let place = Pointer::of(["new", "metadata", "labels"]);
    labels.iter().try_for_each(|(key, value)| {
        check_key(key).and_then(|()| check_value(value)).map_err(|error| error.at(place.child(key.clone())))
    })
}

/// Rejects values that are not documents, and reports the ignored documents.
fn read_kinds(question: &Question, out: &mut Vec<Diagnostic>) -> Result<(), Error> {
    let path = &JsonPath::ROOT.key("documents");
    let mut unused = Vec::new();
    for (index, document) in question.documents.iter().enumerate() {
        let at = &path.index(index);
        if document.as_map().is_none() {
            return Err(at.wrong_type("a map", document));
        }
        if document.text_at(&["kind"]).is_empty() {
            return Err(Error::new(Code::MissingField, "the field `kind` is missing").at(at.key("kind")));
        }
        let rbac = is_rbac(document);
        if rbac && !question.roles {
            unused.push((
                ObjectName::of(document).to_string(),
                "the reviews decide, so that roles and bindings do not count",
            ));
        } else if !rbac && !cluster_set::is_cluster_set(document) {
            unused.push((ObjectName::of(document).to_string(), "documents of this kind do not count here"));
        }
    }
    sort(&mut unused);
    let infos = unused.into_iter().map(|(of, message)| Diagnostic::info(Code::UnusedDocument, message).of(of));
    out.extend(infos);
    Ok(())
}

/// The added and removed labels, by key; for one key, the removed one first.
fn changes<'l>(before: &'l Labels, after: &'l Labels) -> Vec<(&'l Text, &'l Text, Change)> {
    let keys: SortedSet<&Text> = before.iter().chain(after.iter()).map(|(key, _)| key).collect();
    let changes = keys.into_iter().filter(|key| before.get(key) != after.get(key)).flat_map(|key| {
        let removed = before.get(key).map(|value| (key, value, Change::Remove));
        removed.into_iter().chain(after.get(key).map(|value| (key, value, Change::Add)))
    });
    changes.collect()
}

/// Reports a role that grants a set's name while the set selects another value: its author meant the set, but no label
/// that it grants makes a cluster join.
pub(crate) fn misnamed_grants(rbac: &Rbac, sets: &[ClusterSet]) -> Vec<Diagnostic> {
    let label = Permission::label(String::new());
    let sets: SortedMap<&str, &ClusterSet> = sets.iter().map(|it| (it.name().as_str(), it)).collect();
    let mut found = Vec::new();
    for (role, place, name) in rbac.names(label.request()) {
        let Some((key, value)) = name.rsplit_once(':') else { continue };
        let set = sets.get(value);
        let Some((_, selected)) = set.and_then(|it| it.exclusive_label()).filter(|(it, _)| *it == key) else {
            continue;
        };
        if selected != value {
            let message = format!("`{name}` never makes a cluster join the cluster set `{value}`");
            let hint = format!("the cluster set selects `{key}:{selected}`: grant that");
            found.push(Diagnostic::warning(Code::GrantJoinsNothing, message).of(role).at(place).hint(hint));
        }
    }
    found
}

/// Whether a label needs a permission.
///
/// # Example
///
/// ```
/// use fleetfold_core::{diagnostic::Mode, engine::authorize::is_guarded};
///
/// assert!(is_guarded("cluster.open-cluster-management.io/clusterset", Mode::Strict));
/// assert!(!is_guarded("team", Mode::Strict));
/// ```
pub fn is_guarded(key: &str, mode: Mode) -> bool {
    match mode {
        Mode::Strict => RESERVED.iter().any(|it| key.starts_with(it)),
        Mode::Compat => key == CLUSTERSET,
    }
}

/// Which labels need a permission, in words.
pub(crate) fn guarded(mode: Mode) -> String {
    match mode {
        Mode::Strict => format!("guarded are labels that begin with `{}`", RESERVED.join("` or `")),
        Mode::Compat => format!("guarded is the label `{CLUSTERSET}` alone"),
    }
}

struct Ctx<'a> {
    question: &'a Question<'a>,
    judge: Judge<'a>,
    verdict: &'a mut Verdict,
    /// The needs of the verdict, to name each once.
    needs: SortedSet<Permission>,
    out: &'a mut Vec<Diagnostic>,
}

impl Ctx<'_> {
    fn is_guarded(&self, key: &str) -> bool {
        is_guarded(key, self.question.mode)
    }

    /// The permissions, any of which is enough, in the order in which they are checked.
    fn permissions(&self, key: &str, value: &str) -> Vec<Permission> {
        let join = (key == CLUSTERSET && !value.is_empty()).then(|| Permission::join(value));
        match self.question.mode {
            Mode::Strict => [format!("{key}:{value}"), format!("{key}:*"), "*".into()]
                .into_iter()
                .map(Permission::label)
                .chain(join)
                .collect(),
            Mode::Compat => join.into_iter().collect(),
        }
    }

    fn check(&mut self, key: &str, value: &str, change: Change) {
        let permissions = if self.is_guarded(key) { self.permissions(key, value) } else { Vec::new() };
        if permissions.is_empty() {
            return;
        }
        let mut check =
            Check { label: format!("{key}:{value}"), change, granted: false, required: Vec::new(), granted_by: None };
        let mut unknown = Vec::new();
        for permission in permissions {
            let judgement = self.judge.judge(&permission);
            check.required.push(permission.clone());
            match judgement {
                Judgement::Granted(grant) => {
                    check.granted = true;
                    check.granted_by = grant;
                    self.warn_deprecated(&permission, key, value, change);
                    break;
                }
                Judgement::Denied => {}
                Judgement::Unknown => unknown.push(permission),
            }
        }
        if !check.granted {
            unknown.retain(|it| self.needs.insert(it.clone()));
            self.verdict.needs.extend(unknown);
        }
        self.verdict.checks.push(check);
    }

    fn warn_deprecated(&mut self, permission: &Permission, key: &str, value: &str, change: Change) {
        let Question { stage, mode, .. } = self.question;
        if permission.is_join() && *stage == Stage::Full && *mode == Mode::Strict {
            let message = format!("the label `{key}:{value}` is permitted by `{permission}`, which is deprecated");
            let hint = format!("grant `create` on `{}` instead", Permission::label(format!("{key}:{value}")));
            let field = if change == Change::Add { "new" } else { "old" };
            let place = Pointer::of([field, "metadata", "labels", key]);
            self.out.push(Diagnostic::warning(Code::DeprecatedJoin, message).at(place).hint(hint));
        }
    }

    /// Says of a denial what looks as if it granted.
    fn explain_denials(&mut self) {
        let Some(rbac) = &self.judge.roles else { return };
        let user = self.question.user;
        let denied = self.verdict.checks.iter().filter(|it| !it.granted);
        let required: Vec<&Permission> = denied.flat_map(|it| &it.required).collect();
        if required.is_empty() {
            return;
        }
        self.out.extend(self.judge.namespaced(&required, "ManagedCluster"));
        for (binding, role) in rbac.dangling(user) {
            let message = format!("the binding refers to `{role}`, which is not among the documents");
            let place = Pointer::of(["roleRef", "name"]);
            self.out.push(Diagnostic::warning(Code::BadRbac, message).of(binding).at(place));
        }
    }

    fn compare_sets(&mut self, sets: &[ClusterSet], old: Option<&Labels>, new: Option<&Labels>) {
        let members = |labels: Option<&Labels>| -> SortedSet<&Text> {
            labels.into_iter().flat_map(|it| sets_of(it, sets)).map(ClusterSet::name).collect()
        };
        let (before, after) = (members(old), members(new));
        let none = Labels::default();
        let base = old.unwrap_or(&none);
        // The labels if only the unprotected ones had changed.
        let free: Labels = match new {
            Some(new) => {
                let kept = base.iter().filter(|(key, _)| self.is_guarded(key));
                kept.chain(new.iter().filter(|(key, _)| !self.is_guarded(key)))
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect()
            }
            None => base.clone(),
        };
        for set in sets {
            let (verb, list) = match (before.contains(set.name()), after.contains(set.name())) {
                (false, true) => ("joins", &mut self.verdict.joins),
                (true, false) => ("leaves", &mut self.verdict.leaves),
                _ => continue,
            };
            list.push(set.name().clone());
            if set.accepts(&free) != set.accepts(base) {
                let changed: SortedSet<&Text> = set.keys().filter(|key| base.get(key) != free.get(key)).collect();
                self.warn_unguarded(set, verb, &changed);
            }
        }
    }

    fn warn_unguarded(&mut self, set: &ClusterSet, verb: &str, keys: &SortedSet<&Text>) {
        let keys = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        let message = format!("the cluster {verb} `{}` by labels that no permission protects: {keys}", set.name());
        let hint = guarded(self.question.mode);
        let place = Pointer::of(["spec", "clusterSelector"]);
        let document = cluster_set::reference(set.name().clone());
        self.out.push(Diagnostic::warning(Code::UnguardedLabel, message).of(document).at(place).hint(hint));
    }
}

#[cfg(test)]
mod tests;
