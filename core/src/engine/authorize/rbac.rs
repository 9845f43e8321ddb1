//! The permissions of a user by the rules of Kubernetes RBAC, from documents alone.

mod grants;

pub use grants::{Grants, Scope};

use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::select::LabelSelector;
use crate::object::identity::ObjectName;
use crate::object::labels::Labels;
use crate::value::JsonPath;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::{Text, Value};

pub const GROUP: &str = "rbac.authorization.k8s.io";

/// The members of this group may do everything, without any binding.
pub const MASTERS: &str = "system:masters";

const ANY: &str = "*";

/// How often a condition of an aggregating role may be compared with the labels of a role.
pub const MAX_AGGREGATION: usize = 10_000_000;

/// The requesting user.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct User {
    pub name: Text,
    pub groups: Vec<Text>,
}

impl User {
    /// A user with the given groups. Where they are left out, those that the name implies, as `kubectl --as` does it:
    /// every user but `system:anonymous` is authenticated, and a service account is in the groups of all service
    /// accounts and of those of its namespace.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::engine::authorize::rbac::User;
    ///
    /// let controller = User::new("system:serviceaccount:fleet:runner".into(), None);
    /// assert!(controller.groups.iter().any(|it| it == "system:serviceaccounts:fleet"));
    /// ```
    pub fn new(name: Text, groups: Option<Vec<Text>>) -> User {
        let implied =
            || match (name.as_str(), name.strip_prefix("system:serviceaccount:").and_then(|it| it.split_once(':'))) {
                ("system:anonymous", _) => vec!["system:unauthenticated".into()],
                (_, Some((namespace, _))) => vec![
                    "system:serviceaccounts".into(),
                    format!("system:serviceaccounts:{namespace}").into(),
                    "system:authenticated".into(),
                ],
                _ => vec!["system:authenticated".into()],
            };
        User { groups: groups.unwrap_or_else(implied), name }
    }
}

/// The checked request: a verb on a subresource of a named, cluster-scoped object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    pub verb: &'a str,
    pub group: &'a str,
    pub resource: &'a str,
    pub subresource: &'a str,
    pub name: &'a str,
}

/// What granted a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Grant {
    /// The user is in the group that may do everything.
    Masters,
    /// A rule of a role, through a binding.
    Rule {
        /// `ClusterRoleBinding/name`.
        binding: String,
        /// `ClusterRole/name`: the role that holds the rule.
        role: String,
        /// The role that the binding names, where that one aggregates the one that holds the rule.
        aggregated_by: Option<String>,
        /// The index of the rule in its role.
        rule: usize,
    },
}

/// The roles and bindings of a cluster. What cannot be read grants nothing.
#[derive(Clone, Debug, Default)]
pub struct Rbac {
    roles: SortedMap<ObjectName, Role>,
    bindings: SortedMap<ObjectName, Binding>,
}

#[derive(Clone, Debug, PartialEq)]
struct Role {
    labels: Labels,
    rules: Vec<Rule>,
    /// The selectors of the roles whose rules this one collects.
    collects: Option<Vec<LabelSelector>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    verbs: Vec<Text>,
    groups: Vec<Text>,
    resources: Vec<Text>,
    names: Vec<Text>,
}

#[derive(Clone, Debug, PartialEq)]
struct Binding {
    role: ObjectName,
    subjects: Vec<Subject>,
}

#[derive(Clone, Debug, PartialEq)]
enum Subject {
    User(Text),
    Group(Text),
}

/// The kinds of documents that [`Rbac::read`] reads.
pub const KINDS: &[&str] = &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];

/// Whether a document is one that [`Rbac::read`] reads.
pub(crate) fn is_rbac(document: &Value) -> bool {
    KINDS.contains(&document.text_at(&["kind"]))
        && document.text_at(&["apiVersion"]).split_once('/').is_none_or(|(group, _)| group == GROUP)
}

impl Rbac {
    /// Reads roles and bindings, in any order. One that cannot be read, or that is given twice with different contents,
    /// is reported and grants nothing; the others count.
    pub fn read<'d>(documents: impl IntoIterator<Item = &'d Value>, out: &mut Vec<Diagnostic>) -> Rbac {
        let mut given: SortedMap<ObjectName, Vec<&Value>> = SortedMap::new();
        for document in documents.into_iter().filter(|it| is_rbac(it)) {
            let mut reference = ObjectName::of(document);
            if is_cluster_scoped(&reference.kind) {
                reference.namespace = Text::default();
            }
            given.entry(reference).or_default().push(document);
        }
        let mut rbac = Rbac::default();
        for (reference, documents) in given {
            let [document, rest @ ..] = documents.as_slice() else { continue };
            let read = match rest.iter().all(|it| it == document) {
                true => rbac.take(&reference, document),
                false => {
                    Err(Error::new(Code::BadRbac, "it is given twice with different contents, and grants nothing"))
                }
            };
            if let Err(error) = read {
                let finding = Error { code: Code::BadRbac, ..error }.into_diagnostic(Severity::Error);
                out.push(finding.of(reference));
            }
        }
        rbac.limit_aggregation(out);
        rbac
    }

    /// Without this, every aggregating role would be compared with every role, however many there are.
    fn limit_aggregation(&mut self, out: &mut Vec<Diagnostic>) {
        let requirements = |it: &LabelSelector| it.requirements().len().max(1);
        let conditions = |it: &Role| it.collects.iter().flatten().map(requirements).sum::<usize>();
        let total: usize = self.roles.values().map(conditions).sum();
        if total.saturating_mul(self.roles.len()) <= MAX_AGGREGATION {
            return;
        }
        let message = format!(
            "{total} conditions of aggregating roles for {} roles are more than {MAX_AGGREGATION} comparisons, so \
             roles that aggregate others grant nothing",
            self.roles.len()
        );
        let first = self.roles.iter().find(|(_, it)| conditions(it) > 0).map(|(reference, _)| reference.to_string());
        let finding = Diagnostic::error(Code::TooLarge, message).of(first.unwrap_or_default());
        out.push(finding.at(Pointer::of(["aggregationRule"])).hint("bind the roles themselves, or leave some out"));
        for role in self.roles.values_mut().filter(|it| conditions(it) > 0) {
            (role.rules, role.collects) = (Vec::new(), None);
        }
    }

    fn take(&mut self, reference: &ObjectName, document: &Value) -> Result<(), Error> {
        if reference.name.is_empty() {
            return Err(Error::new(Code::BadRbac, "it has no name").at(["metadata", "name"]));
        }
        match reference.kind.as_str() {
            "ClusterRole" | "Role" => self.roles.insert(reference.clone(), Role::read(document)?).map(drop),
            _ => self.bindings.insert(reference.clone(), Binding::read(document, &reference.namespace)?).map(drop),
        };
        Ok(())
    }

    /// What grants the request to the user, if anything does. Of several grants it is the first by binding, role and
    /// rule.
    ///
    /// 1. A member of `system:masters` may do everything.
    /// 2. Only a ClusterRoleBinding grants, because the request has no namespace.
    /// 3. A rule needs the verb, the API group and the resource, each by its name or by `*`; a subresource also by
    ///    `*/subresource`.
    /// 4. A rule without `resourceNames` grants every name. Names are compared literally: `*` has no special meaning.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::engine::authorize::{Permission, rbac::{Rbac, User}};
    /// use fleetfold_core::value::json;
    ///
    /// let documents = [
    ///     json::parse(r#"{"kind":"ClusterRole","metadata":{"name":"regions"},"rules":[{"apiGroups":["*"],
    ///         "resources":["managedclusters/label"],"resourceNames":["region:*"],"verbs":["create"]}]}"#)?,
    ///     json::parse(r#"{"kind":"ClusterRoleBinding","metadata":{"name":"regions"},
    ///         "roleRef":{"kind":"ClusterRole","name":"regions"},"subjects":[{"kind":"User","name":"eve"}]}"#)?,
    /// ];
    /// let rbac = Rbac::read(&documents, &mut Vec::new());
    /// let eve = User::new("eve".into(), None);
    /// assert!(rbac.allows(&eve, Permission::label("region:*").request()).is_some());
    /// assert!(rbac.allows(&eve, Permission::label("region:eu").request()).is_none(), "names are compared literally");
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn allows(&self, user: &User, request: Request) -> Option<Grant> {
        self.grants(&self.scope(user), request).allows(request.name).cloned()
    }

    /// Whether there is neither a role nor a binding.
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty() && self.bindings.is_empty()
    }

    /// The names that roles list for the requested resource and verb, each with its role and its path there. The name
    /// in the request and the subjects of bindings are ignored.
    pub fn names<'r>(&'r self, request: Request<'r>) -> impl Iterator<Item = (String, Pointer, &'r Text)> {
        let rules = self.roles.iter().flat_map(|(reference, role)| {
            role.rules.iter().enumerate().map(move |(index, rule)| (reference, index, rule))
        });
        rules.filter(move |(.., rule)| rule.covers(request)).flat_map(|(reference, at, rule)| {
            rule.names.iter().enumerate().map(move |(index, name)| {
                let place = ["rules".into(), at.to_string(), "resourceNames".into(), index.to_string()];
                (reference.to_string(), Pointer::of(place), name)
            })
        })
    }
}

impl Role {
    fn read(document: &Value) -> Result<Role, Error> {
        let labels = match document.at(&["metadata", "labels"]) {
            Some(Value::Map(labels)) => Labels::read(labels, &JsonPath::ROOT.key("metadata").key("labels"))?,
            _ => Labels::default(),
        };
        let place = Pointer::of(["rules"]);
        let rules = items(document.get("rules"), &place)?;
        let rules = rules.iter().enumerate().map(|(index, rule)| Rule::read(rule, &place.child(index.to_string())));
        let path = &JsonPath::ROOT.key("aggregationRule");
        let path = &path.key("clusterRoleSelectors");
        let collects = match document.at(&["aggregationRule", "clusterRoleSelectors"]) {
            Some(selectors) => {
                let selectors = items(Some(selectors), &path.pointer())?.iter().enumerate();
                let read = selectors.map(|(index, it)| LabelSelector::parse_object(it, &path.index(index)));
                Some(read.collect::<Result<_, _>>()?)
            }
            None => None,
        };
        Ok(Role { labels, rules: rules.collect::<Result<_, _>>()?, collects })
    }
}

impl Rule {
    fn read(rule: &Value, at: &Pointer) -> Result<Rule, Error> {
        if rule.as_map().is_none() {
            return Err(wrong_type(at, "a map", rule));
        }
        let texts = |field: &str| {
            let at = &at.child(field);
            let texts = items(rule.get(field), at)?.iter().enumerate();
            texts.map(|(index, it)| text(Some(it), &at.child(index.to_string()))).collect::<Result<Vec<_>, _>>()
        };
        Ok(Rule {
            verbs: texts("verbs")?,
            groups: texts("apiGroups")?,
            resources: texts("resources")?,
            names: texts("resourceNames")?,
        })
    }

    /// Whether the rule covers the requested verb and resource, regardless of the name.
    fn covers(&self, request: Request) -> bool {
        let listed = |list: &[Text], wanted: &str| list.iter().any(|it| it == ANY || it == wanted);
        let Request { verb, group, resource, subresource, .. } = request;
        listed(&self.verbs, verb)
            && listed(&self.groups, group)
            && self.resources.iter().any(|it| match it.split_once('/') {
                Some((parent, child)) => (parent == ANY || parent == resource) && child == subresource,
                None => it == ANY || (it == resource && subresource.is_empty()),
            })
    }
}

impl Binding {
    fn read(document: &Value, namespace: &Text) -> Result<Binding, Error> {
        let role = Pointer::of(["roleRef"]);
        let kind = text(document.at(&["roleRef", "kind"]), &role.child("kind"))?;
        let name = text(document.at(&["roleRef", "name"]), &role.child("name"))?;
        let own = document.text_at(&["kind"]);
        let known = kind == "ClusterRole" || (kind == "Role" && own == "RoleBinding");
        if !known {
            let message = format!("a {own} cannot refer to a `{kind}`");
            return Err(Error::new(Code::BadRbac, message).at(role.child("kind")));
        }
        let home = if is_cluster_scoped(&kind) { Text::default() } else { namespace.clone() };
        let role = ObjectName { kind, namespace: home, name };
        let place = Pointer::of(["subjects"]);
        let subjects = items(document.get("subjects"), &place)?.iter().enumerate();
        let subjects = subjects.map(|(index, it)| Subject::read(it, namespace, &place.child(index.to_string())));
        Ok(Binding { role, subjects: subjects.collect::<Result<_, _>>()? })
    }
}

impl Subject {
    /// A service account is the user of its namespace and name; without a namespace it is in that of the binding.
    fn read(subject: &Value, home: &Text, at: &Pointer) -> Result<Subject, Error> {
        let name = text(subject.get("name"), &at.child("name"))?;
        match subject.text_at(&["kind"]) {
            "User" => Ok(Subject::User(name)),
            "Group" => Ok(Subject::Group(name)),
            "ServiceAccount" => match (subject.text_at(&["namespace"]), home.as_str()) {
                ("", "") => {
                    let message = format!("the service account `{name}` has no namespace");
                    Err(Error::new(Code::BadRbac, message).at(at.child("namespace")))
                }
                ("", namespace) | (namespace, _) => {
                    Ok(Subject::User(format!("system:serviceaccount:{namespace}:{name}").into()))
                }
            },
            other => {
                let message = format!("`{other}` is not a kind of subject");
                let hint = "one of: User, Group, ServiceAccount";
                Err(Error::new(Code::BadRbac, message).at(at.child("kind")).hint(hint))
            }
        }
    }
}

fn is_cluster_scoped(kind: &str) -> bool {
    kind.starts_with("Cluster")
}

fn items<'v>(value: Option<&'v Value>, at: &Pointer) -> Result<&'v [Value], Error> {
    match value {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::List(items)) => Ok(items),
        Some(other) => Err(wrong_type(at, "a list", other)),
    }
}

fn text(value: Option<&Value>, at: &Pointer) -> Result<Text, Error> {
    match value {
        Some(Value::Text(text)) => Ok(text.clone()),
        None => Err(Error::new(Code::BadRbac, format!("`{at}` is missing")).at(at)),
        Some(other) => Err(wrong_type(at, "a string", other)),
    }
}

fn wrong_type(at: &Pointer, wanted: &str, found: &Value) -> Error {
    Error::new(Code::BadRbac, format!("`{at}` must be {wanted}, not {}", found.kind())).at(at)
}

#[cfg(test)]
mod tests;
