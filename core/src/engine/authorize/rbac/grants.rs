//! What a user may do with one kind of object, computed once for all names: roles and bindings are read once, however
//! many names are checked.

use super::{Binding, Grant, MASTERS, Rbac, Request, Role, User, is_cluster_scoped};
use crate::object::identity::ObjectName;
use crate::value::Text;
use crate::value::collections::{SortedMap, SortedSet};

/// The first grant for every name, by binding, role and rule.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    masters: bool,
    /// Of every name, with its rank.
    any: Option<(usize, Grant)>,
    named: SortedMap<Text, (usize, Grant)>,
}

impl Grants {
    /// What grants a name, if anything does.
    pub fn allows(&self, name: &str) -> Option<&Grant> {
        if self.masters {
            return Some(&Grant::Masters);
        }
        let named = || self.named.get(name);
        let named = crate::seeded!(ResourceNameWildcard, named(), named().or_else(|| self.named.get(super::ANY)));
        let grants = self.any.iter().chain(named);
        grants.min_by_key(|(rank, _)| *rank).map(|(_, grant)| grant)
    }
}

/// The roles whose rules count for a user: each with the binding, and the role that the binding names.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    masters: bool,
    roles: Vec<(ObjectName, ObjectName, ObjectName)>,
}

/// The roles that were visited.
struct Seen<'r> {
    roles: SortedSet<&'r ObjectName>,
    /// All that no aggregating role selected so far.
    others: Vec<(&'r ObjectName, &'r Role)>,
}

/// A user, to be found among the subjects of bindings.
struct Subjects<'u> {
    name: &'u Text,
    groups: SortedSet<&'u Text>,
}

impl<'u> Subjects<'u> {
    fn of(user: &'u User) -> Subjects<'u> {
        Subjects { name: &user.name, groups: user.groups.iter().collect() }
    }

    fn are_in(&self, binding: &Binding) -> bool {
        binding.subjects.iter().any(|subject| match subject {
            super::Subject::User(name) => name == self.name,
            super::Subject::Group(name) => self.groups.contains(name),
        })
    }
}

impl Rbac {
    /// The roles whose rules count for a user, by binding and then by name. A role that several bindings name counts
    /// for the first of them, which is the one that grants.
    pub fn scope(&self, user: &User) -> Scope {
        let mut scope = Scope { masters: user.groups.iter().any(|it| it == MASTERS), roles: Vec::new() };
        if scope.masters {
            return scope;
        }
        let mut seen = Seen { roles: SortedSet::new(), others: self.roles.iter().collect() };
        for (reference, binding) in self.bindings_of(user).filter(|(it, _)| is_cluster_scoped(&it.kind)) {
            for holder in self.holders(&binding.role, &mut seen) {
                scope.roles.push((reference.clone(), binding.role.clone(), holder.clone()));
            }
        }
        scope
    }

    /// What grants a verb on a resource, of all names. The name in the request is ignored; the rules are those of
    /// [`Rbac::allows`].
    pub fn grants(&self, scope: &Scope, request: Request) -> Grants {
        let mut grants = Grants { masters: scope.masters, ..Grants::default() };
        let mut rank = 0_usize;
        for (binding, bound, holder) in &scope.roles {
            let Some(role) = self.roles.get(holder) else { continue };
            for (index, rule) in role.rules.iter().enumerate().filter(|(_, it)| it.covers(request)) {
                let grant = || Grant::Rule {
                    binding: binding.to_string(),
                    aggregated_by: (holder != bound).then(|| bound.to_string()),
                    role: holder.to_string(),
                    rule: index,
                };
                rank = rank.saturating_add(1);
                if rule.names.is_empty() && grants.any.is_none() {
                    grants.any = Some((rank, grant()));
                }
                for name in &rule.names {
                    grants.named.entry(name.clone()).or_insert_with(|| (rank, grant()));
                }
            }
        }
        grants
    }

    /// The RoleBindings that would grant one of the requests, were it about an object in their namespace.
    pub fn namespaced(&self, user: &User, requests: &[Request]) -> Vec<String> {
        let mut namespaced = self.bindings_of(user).filter(|(it, _)| !is_cluster_scoped(&it.kind)).peekable();
        if namespaced.peek().is_none() {
            return Vec::new();
        }
        let granting = self.granting_roles(requests);
        let granting = namespaced.filter(|(_, it)| granting.contains(&it.role));
        granting.map(|(reference, _)| reference.to_string()).collect()
    }

    /// The ClusterRoleBindings of the user whose role is not there, each with the role.
    pub fn dangling(&self, user: &User) -> Vec<(String, String)> {
        let mine = self.bindings_of(user).filter(|(reference, _)| is_cluster_scoped(&reference.kind));
        let dangling = mine.filter(|(_, it)| !self.roles.contains_key(&it.role));
        dangling.map(|(reference, it)| (reference.to_string(), it.role.to_string())).collect()
    }

    fn bindings_of<'r>(&'r self, user: &'r User) -> impl Iterator<Item = (&'r ObjectName, &'r Binding)> {
        let subjects = Subjects::of(user);
        self.bindings.iter().filter(move |(_, it)| subjects.are_in(it))
    }

    /// The roles that grant one of the requests, directly or through a role that they aggregate.
    fn granting_roles<'r>(&'r self, requests: &[Request]) -> SortedSet<&'r ObjectName> {
        let mut of_kind: SortedMap<(&str, &str, &str, &str), SortedSet<&str>> = SortedMap::new();
        for Request { verb, group, resource, subresource, name } in requests {
            of_kind.entry((verb, group, resource, subresource)).or_default().insert(*name);
        }
        let grants = |role: &Role| {
            of_kind.iter().any(|((verb, group, resource, subresource), names)| {
                let request = Request { verb, group, resource, subresource, name: "" };
                let mut covering = role.rules.iter().filter(|it| it.covers(request));
                covering.any(|it| it.names.is_empty() || it.names.iter().any(|it| names.contains(it.as_str())))
            })
        };
        let holds = |reference: &ObjectName, role: &Role| grants(role) && self.parts(reference, role).next().is_none();
        let mut open: Vec<&ObjectName> = self
            .roles
            .iter()
            .filter(|(reference, role)| holds(reference, role))
            .map(|(reference, _)| reference)
            .collect();
        let mut granting: SortedSet<&ObjectName> = open.iter().copied().collect();
        let mut collecting: Vec<(&ObjectName, &Role)> = self
            .roles
            .iter()
            .filter(|(reference, role)| role.is_collecting() && !granting.contains(*reference))
            .collect();
        while let Some(part) = open.pop() {
            let Some(role) = self.roles.get(part).filter(|_| is_cluster_scoped(&part.kind)) else { continue };
            collecting.retain(|(reference, it)| {
                let is_part = *reference != part && it.selects(role);
                if is_part {
                    granting.insert(reference);
                    open.push(reference);
                }
                !is_part
            });
        }
        granting
    }

    /// The roles that an aggregating role selects.
    fn parts<'r>(&'r self, at: &'r ObjectName, role: &'r Role) -> impl Iterator<Item = &'r ObjectName> {
        // Nearly all roles: no other role has to be checked.
        let roles = role.is_collecting().then(|| self.roles.iter()).into_iter().flatten();
        let parts = roles.filter(move |(part, it)| *part != at && is_cluster_scoped(&part.kind) && role.selects(it));
        parts.map(|(part, _)| part)
    }

    /// The roles whose own rules make up a role, of those that were not visited before. The cluster writes the rules of
    /// an aggregating role from the roles that it selects, at any depth; if none of those is given, the written rules
    /// count.
    fn holders<'r>(&'r self, role: &'r ObjectName, seen: &mut Seen<'r>) -> SortedSet<&'r ObjectName> {
        let mut holders = SortedSet::new();
        let Some((name, role)) = self.roles.get_key_value(role).filter(|(name, _)| seen.roles.insert(name)) else {
            return holders;
        };
        // A work list instead of recursion, since a chain of roles may be very long.
        let mut open = vec![(name, role)];
        while let Some((at, role)) = open.pop() {
            if self.parts(at, role).next().is_none() {
                holders.insert(at);
                continue;
            }
            let Seen { roles, others } = seen;
            others.retain(|(part, it)| {
                let is_part = is_cluster_scoped(&part.kind) && role.selects(it);
                if is_part && roles.insert(part) {
                    open.push((part, it));
                }
                !is_part
            });
        }
        holders
    }
}

impl Role {
    fn is_collecting(&self) -> bool {
        self.collects.as_ref().is_some_and(|it| !it.is_empty())
    }

    fn selects(&self, other: &Role) -> bool {
        self.collects.iter().flatten().any(|selector| selector.accepts(&other.labels))
    }
}
