//! Validating admission: may this change of an object go through?
//!
//! Every host that stands before an API server asks here, so that all of them give the same verdict in the same words. What is
//! loaded is the context, and the object under review stands in for its own loaded version.
//!
//! 1. Kinds that no [rule](RULES) is for, and those of a dialect that is switched off, are allowed without a word. So are deletes.
//! 2. Labels of clusters and bindings of sets take a permission. Whether the user has it, the API server is asked, or the roles
//!    that are loaded.
//! 3. Of everything else, errors that the change brings in are denied. An error that was there before is a warning: nobody
//!    could mend a document step by step otherwise, or take a finalizer off a broken one.
//! 4. What can still be mended in another document is a warning too: documents come in any order.
//! 5. Where there are [limits](impact), a change of any document, or its going, that would do too much to clusters is denied.
//! 6. A request that cannot be read is denied, and says why.

mod binding;
mod cluster;
mod finding;
mod impact;
pub mod request;
mod trial;
mod words;

use crate::authorize::{Judge as PermissionJudge, Review};
use crate::choice;
use crate::clusterset;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::dialect::{Dialect, greenhouse, kubefed};
use crate::document::Document;
use crate::path::Pointer;
use crate::rbac::{self, Rbac};
use crate::rules::clusters::MANAGED_CLUSTER;
use crate::store::{Store, View};
use crate::value::{Text, Value};
use crate::workspace::Workspace;
pub use impact::Limits;
use request::{Asked, Going, Operation, kind_of, operation_of, subresource_of};

/// What is decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Why it is denied, each with its code.
    denials: Vec<(Code, String)>,
    warnings: Vec<String>,
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

    /// The code of the first reason that stands against it.
    pub fn code(&self) -> Option<Code> {
        self.denials.first().map(|(code, _)| *code)
    }

    /// What stands against it, in one line.
    pub fn message(&self) -> Option<String> {
        (!self.denials.is_empty()).then(|| words::listed(self.denials.iter().map(|(_, text)| text.as_str())))
    }

    /// What people should know though it is allowed, as short as a client shows it.
    pub fn warnings(&self) -> Vec<String> {
        words::shortened(self.warnings.iter().map(String::as_str))
    }

    fn deny(&mut self, finding: &Diagnostic) {
        self.denials.push((finding.code, words::sentence(finding)));
    }

    fn warn(&mut self, finding: &Diagnostic) {
        self.warnings.push(words::sentence(finding));
    }

    /// Warns of another document than the one under review, by its name.
    fn warn_of(&mut self, finding: &Diagnostic) {
        let document = finding.at.document.as_deref().unwrap_or_default();
        self.warnings.push(format!("{document}: {}", words::sentence(finding)));
    }
}

/// What is looked at in documents of some kinds.
#[derive(Debug)]
struct Rule {
    dialect: &'static dyn Dialect,
    group: &'static str,
    kinds: &'static [&'static str],
    judge: Judge,
    /// What is told as a warning elsewhere, and kept out here.
    refused: &'static [Code],
    /// Errors that another document mends, which may be on its way.
    elsewhere: &'static [Code],
    /// What is wrong with the document beyond what its dialect tells.
    further: fn(&Document, &mut Vec<Diagnostic>),
}

type Judge = fn(&mut Workspace, &Asked, &Rule, &Means) -> Result<Verdict, Error>;

const GREENHOUSE: Rule = Rule {
    dialect: &greenhouse::Greenhouse,
    group: "greenhouse.sap",
    kinds: &["PluginOverride", "Plugin", "PluginDefinition", "ClusterPluginDefinition", "Catalog"],
    judge: finding::judge,
    refused: &[],
    elsewhere: &[Code::UnknownDocument, Code::MissingOption, Code::ExpressionFailed, Code::ExpressionsOff],
    further: |_, _| (),
};

const OCM: Rule = Rule {
    dialect: &crate::dialect::ocm::Ocm,
    group: clusterset::GROUP,
    kinds: &[clusterset::KIND],
    judge: finding::judge,
    refused: &[],
    elsewhere: &[],
    further: |_, _| (),
};

const KUBEFED: Rule = Rule {
    dialect: &kubefed::KubeFed,
    group: "core.kubefed.io",
    kinds: &["FederatedTypeConfig"],
    judge: finding::judge,
    refused: &[],
    elsewhere: &[Code::UnknownDocument, Code::UnknownTarget],
    further: |_, _| (),
};

const CERT_MANAGER: Rule = Rule {
    dialect: &crate::dialect::certmanager::CertManager,
    group: "operators.opdev.io",
    kinds: &["CertManagerDeployment"],
    judge: finding::judge,
    refused: &[],
    elsewhere: &[Code::NoBundle, Code::BadBundle, Code::DuplicateBundle, Code::NoMold],
    further: |_, _| (),
};

/// The rule of each kind. Federated objects have kinds of their own, which only the documents tell: see [`rule_of`].
const RULES: &[Rule] = &[
    Rule { kinds: &[MANAGED_CLUSTER], judge: cluster::judge, ..OCM },
    Rule {
        kinds: &["ManagedClusterSetBinding"],
        judge: binding::judge,
        // What is wrong with the set is mended in the set.
        elsewhere: &[Code::BadClusterSet],
        ..OCM
    },
    Rule { kinds: &["Placement"], elsewhere: &[Code::BadClusterSet, Code::BadBinding], ..OCM },
    OCM,
    Rule {
        kinds: &["PluginPreset"],
        refused: &[Code::DuplicateEntry],
        further: greenhouse::contradictions,
        ..GREENHOUSE
    },
    Rule { kinds: &["Organization", "Cluster"], further: greenhouse::contradictions, ..GREENHOUSE },
    GREENHOUSE,
    KUBEFED,
    CERT_MANAGER,
    Rule { group: "operators.redhat.io", ..CERT_MANAGER },
    Rule { group: "operator.openshift.io", kinds: &["CertManager"], ..CERT_MANAGER },
    Rule { group: "fleetfold.dev", kinds: &["Installation"], ..CERT_MANAGER },
];

const FEDERATED: Rule = Rule { group: "", kinds: &[], ..KUBEFED };

choice! {
    /// Who says what the user may do, where no review does: the API server, which is asked for more of them, or the roles that
    /// are loaded.
    pub enum Permissions {
        #[default]
        Reviews = "reviews",
        Roles = "roles",
    }
}

/// What is decided by, besides what is loaded.
#[derive(Clone, Debug, Default)]
pub struct Means<'a> {
    /// What an API server answered so far.
    pub reviews: &'a [Review],
    pub permissions: Permissions,
    /// What one change may do to clusters; without them anything.
    pub limits: Option<Limits>,
}

impl<'a> Means<'a> {
    /// The roles and bindings that decide, if any do.
    fn roles<'s>(&self, store: &'s Store) -> impl Iterator<Item = &'s Value> {
        let kinds = if self.permissions == Permissions::Roles { rbac::KINDS } else { &[] };
        kinds.iter().flat_map(|kind| store.of_kind(rbac::GROUP, kind, None)).map(|it| &it.value)
    }

    fn judge(&self, store: &Store) -> PermissionJudge<'a> {
        let roles = (self.permissions == Permissions::Roles).then(|| Rbac::read(self.roles(store), &mut Vec::new()));
        PermissionJudge { reviews: self.reviews, roles }
    }
}

/// Decides over the `request` of an AdmissionReview. The workspace is afterwards what it was before.
pub fn admit(workspace: &mut Workspace, request: &Value, means: &Means) -> Verdict {
    judge(workspace, request, means).unwrap_or_else(|error| {
        let mut verdict = Verdict::default();
        verdict.deny(&error.into_diagnostic(crate::diagnostic::Severity::Error));
        verdict
    })
}

fn judge(workspace: &mut Workspace, request: &Value, means: &Means) -> Result<Verdict, Error> {
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
                let going = Going::read(request, group, kind)?;
                impact::of_going(workspace, &going, limits, &mut verdict);
            }
        }
        operation => {
            let asked = Asked::read(request, operation, group, kind)?;
            if let Some(rule) = rule {
                verdict = (rule.judge)(workspace, &asked, rule, means)?;
            }
            // While reviews are missing the question comes again.
            if let Some(limits) = limits.filter(|_| verdict.needs.is_empty()) {
                impact::of_change(workspace, &asked, limits, &mut verdict);
            }
        }
    }
    Ok(verdict)
}

fn rule_of(view: View, group: &str, kind: &str) -> Option<&'static Rule> {
    let is_on = |rule: &Rule| view.settings.dialects.iter().any(|name| name == rule.dialect.name());
    let fixed = RULES.iter().find(|rule| rule.group == group && rule.kinds.contains(&kind));
    fixed.or_else(|| is_federated(view, group, kind).then_some(&FEDERATED)).filter(|rule| is_on(rule))
}

/// Whether objects of a kind are federated ones, whatever they are called.
fn is_federated(view: View, group: &str, kind: &str) -> bool {
    let bare = Value::map([
        ("apiVersion", Value::text(format!("{group}/v1"))),
        ("kind", kind.into()),
        ("metadata", Value::map([("name", "any")])),
    ]);
    let bare = Document::from_value(&bare, &Pointer::root(), &mut Vec::new());
    bare.iter().any(|it| kubefed::KubeFed.is_subject(view, it))
}
