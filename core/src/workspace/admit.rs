//! Validating admission: whether a change of an object is allowed.
//!
//! Every admission host (webhook, Kubewarden policy) calls this, so all of them return the same verdict with the same
//! messages. The loaded documents are the context, and the object under review replaces its loaded version.
//!
//! 1. Kinds without a [rule](Rule), those of disabled dialects, and deletes are allowed without a message.
//! 2. Labels of clusters and bindings of sets need a permission. The API server decides whether the user has it, or the
//!    loaded roles do.
//! 3. For everything else, errors that the change introduces are denied. An error that existed before is a warning:
//!    otherwise a document could not be repaired step by step, and a broken one could not lose its finalizer.
//! 4. An error that another document can fix is a warning too: documents come in any order.
//! 5. With [limits](impact), a change or deletion of any document is denied if it has too large an effect on clusters.
//! 6. A request that cannot be read is denied with the reason.

pub mod defaults;
pub mod finding;
mod impact;
pub mod request;
pub mod words;

use std::convert::Infallible;

use crate::choice;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::authorize::rbac::{self, Rbac, User};
use crate::engine::authorize::{Judge as PermissionJudge, Review};
use crate::object::document::{Document, Identity};
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::store::{Store, View};
use crate::workspace::subject::Dialect;
use crate::workspace::trial::Journal;
pub use impact::Limits;
use request::{AdmissionRequest, DeleteRequest, Operation, kind_of, operation_of, subresource_of};

/// What is decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Why it is denied, each with its code.
    pub denials: Vec<(Code, String)>,
    pub warnings: Vec<String>,
    /// The SubjectAccessReviews without which nothing is decided.
    pub needs: Vec<Value>,
    /// The sets that the cluster would join and leave, by name.
    pub joins: Vec<Text>,
    pub leaves: Vec<Text>,
}

impl Verdict {
    pub fn allowed(&self) -> bool {
        self.denials.is_empty() && self.needs.is_empty()
    }

    /// The code of the first reason for the denial.
    pub fn code(&self) -> Option<Code> {
        self.denials.first().map(|(code, _)| *code)
    }

    /// The reasons for the denial, in one line.
    pub fn message(&self) -> Option<String> {
        (!self.denials.is_empty()).then(|| words::listed(self.denials.iter().map(|(_, text)| text.as_str())))
    }

    /// What people should know though it is allowed, as short as a client shows it.
    pub fn warnings(&self) -> Vec<String> {
        words::shortened(self.warnings.iter().map(String::as_str))
    }

    pub fn deny(&mut self, finding: &Diagnostic) {
        self.denials.push((finding.code, words::sentence(finding)));
    }

    pub fn warn(&mut self, finding: &Diagnostic) {
        self.warnings.push(words::sentence(finding));
    }

    /// Warns of another document than the one under review, by its name.
    pub fn warn_of(&mut self, finding: &Diagnostic) {
        let document = finding.at.document.as_deref().unwrap_or_default();
        self.warnings.push(format!("{document}: {}", words::sentence(finding)));
    }
}

/// How a dialect reviews changes of its documents of some kinds.
#[derive(Debug)]
pub struct Rule {
    pub dialect: &'static dyn Dialect,
    pub group: &'static str,
    pub kinds: &'static [&'static str],
    pub judge: Judge,
    /// Findings that are warnings elsewhere and denials here.
    pub refused: &'static [Code],
    /// Errors that another document fixes, which may be loaded later.
    pub elsewhere: &'static [Code],
    /// What is wrong with the document beyond what its dialect reports.
    pub further: fn(&Document, &mut Vec<Diagnostic>),
}

impl Rule {
    /// Denies the errors that a change brings in, and nothing else.
    pub const fn findings(
        dialect: &'static dyn Dialect,
        group: &'static str,
        kinds: &'static [&'static str],
        elsewhere: &'static [Code],
    ) -> Rule {
        Rule { dialect, group, kinds, judge: finding::judge, refused: &[], elsewhere, further: |_, _| () }
    }

    /// The rule among these that is for a kind.
    pub fn of_kind(rules: &'static [Rule], group: &str, kind: &str) -> Option<&'static Rule> {
        rules.iter().find(|rule| rule.group == group && rule.kinds.contains(&kind))
    }
}

pub type Judge = fn(&mut Workspace, &AdmissionRequest, &Rule, &ReviewOptions) -> Result<Verdict, Error>;

choice! {
    /// Who decides permissions that no review covers: the API server, through further reviews, or the loaded roles.
    #[derive(Default)]
    pub enum Permissions {
        #[default]
        Reviews = "reviews",
        Roles = "roles",
    }
}

/// The inputs of a decision, beside the loaded documents.
#[derive(Clone, Debug, Default)]
pub struct ReviewOptions<'a> {
    /// What an API server answered so far.
    pub reviews: &'a [Review],
    pub permissions: Permissions,
    /// What one change may do to clusters; without them anything.
    pub limits: Option<Limits>,
}

impl<'a> ReviewOptions<'a> {
    /// The roles and bindings that decide, if any do.
    pub fn roles<'s>(&self, store: &'s Store) -> impl Iterator<Item = &'s Value> {
        let kinds = if self.permissions == Permissions::Roles { rbac::KINDS } else { &[] };
        kinds.iter().flat_map(|kind| store.of_kind(rbac::GROUP, kind, None)).map(|it| &it.value)
    }

    /// What decides whether a user has a permission.
    pub fn judge<'u>(&self, store: &Store, user: &'u User) -> PermissionJudge<'u>
    where
        'a: 'u,
    {
        let roles = (self.permissions == Permissions::Roles).then(|| Rbac::read(self.roles(store), &mut Vec::new()));
        PermissionJudge::new(user, self.reviews, roles)
    }
}

/// Decides over the `request` of an AdmissionReview. The workspace is afterwards what it was before.
pub fn admit(workspace: &mut Workspace, request: &Value, means: &ReviewOptions) -> Verdict {
    judge(workspace, request, means).unwrap_or_else(|error| {
        let mut verdict = Verdict::default();
        verdict.deny(&error.into_diagnostic(crate::diagnostic::Severity::Error));
        verdict
    })
}

fn judge(workspace: &mut Workspace, request: &Value, means: &ReviewOptions) -> Result<Verdict, Error> {
    let (group, kind) = kind_of(request)?;
    let view = View { store: &workspace.store, now: None };
    let rule = rule_of(view, &group, &kind);
    let limits = match &means.limits {
        Some(limits) if impact::concerns(view, &group, &kind) && subresource_of(request)?.is_empty() => Some(limits),
        _ => None,
    };
    if rule.is_none() && limits.is_none() {
        return Ok(Verdict::default());
    }
    let mut verdict = Verdict::default();
    match operation_of(request)? {
        Operation::Connect => {}
        Operation::Delete => {
            if let Some(limits) = limits {
                let request = DeleteRequest::read(request, group, kind)?;
                impact::of_delete(workspace, &request, limits, &mut verdict);
            }
        }
        operation => {
            let request = AdmissionRequest::read(request, operation, group, kind)?;
            if let Some(rule) = rule {
                verdict = (rule.judge)(workspace, &request, rule, means)?;
            }
            // While reviews are missing, the request is sent again.
            if let Some(limits) = limits.filter(|_| verdict.needs.is_empty()) {
                impact::of_change(workspace, &request, limits, &mut verdict);
            }
        }
    }
    Ok(verdict)
}

/// The rule for documents of a kind, among those of the dialects that are switched on.
fn rule_of(view: View, group: &str, kind: &str) -> Option<&'static Rule> {
    view.dialects().find_map(|it| it.admission(view, group, kind))
}

/// Evaluates `look` with the server's version of the document: the loaded one may be older. Usually it is not, and
/// nothing is recomputed.
fn from_server<T>(
    workspace: &mut Workspace,
    identity: &Identity,
    old: Option<&Document>,
    look: impl FnOnce(&mut Workspace) -> T,
) -> T {
    let catch_up = |workspace: &mut Workspace, journal: &mut Journal| {
        let is_current = workspace.document(identity).map(|it| &it.value) == old.map(|it| &it.value);
        match (is_current, old) {
            (true, _) => {}
            (false, Some(old)) => drop(journal.put(workspace, old.clone(), &mut Vec::new())),
            (false, None) => journal.remove(workspace, identity),
        }
        Ok::<(), Infallible>(())
    };
    let Ok(looked) = workspace.trial(catch_up, |workspace, _, _| look(workspace));
    looked
}
