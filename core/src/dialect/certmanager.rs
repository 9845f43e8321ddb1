//! The cert-manager deployment operator (seed 004): a deployment names a version of a product, and the objects of that
//! version's [bundle](bundle) are made and kept on the hub.
//!
//! | document | installs | must be called | overrides |
//! |---|---|---|---|
//! | `CertManagerDeployment` of `operators.opdev.io` and `operators.redhat.io` | cert-manager | `cluster` | `spec.dangerZone` |
//! | `CertManager` of `operator.openshift.io` | cert-manager | `cluster` | `spec.controllerConfig` and its like, see [`openshift`] |
//! | `Installation` of `fleetfold.dev` | the product in `spec.product` | anything | `spec.dangerZone` |
//!
//! What the seed leaves open, and what is done:
//!
//! 1. **Versions.** Without `spec.version` it is the latest release among the bundles. The latest minor and the one before can
//!    be installed. Nothing goes back to an older version unless `spec.version` says so. While a bundle cannot be read,
//!    the latest version is not known, and nothing is done. In compat mode any version that has a bundle can be installed.
//! 2. **Owner references** are on what was created here, but for definitions. Strict mode also mends one that was
//!    removed, or that leads to an earlier deployment of the name. What existed before is updated by the policy of its
//!    kind and gets no owner reference, so it stays when the deployment is deleted. An Installation with
//!    `spec.adopt: true` takes it over, except Namespaces: everything that others put in them would go as well. An
//!    object that something else controls is reported and left alone. While the deployment has no uid, nothing is
//!    installed.
//! 3. **What a version no longer has** is deleted if it carries our label and our owner reference, both. Definitions never
//!    are: with them would go every certificate.
//! 4. **Deleting the deployment** is the garbage collector's work. Nothing is planned, and the definitions stay.
//! 5. **The refresher** looks at the hub only, and needs the setting `podRefresher` and the time. It runs with what
//!    installs cert-manager, and on its own where nothing does.
//! 6. **A deployment that is refused** keeps its last state, and its status has the reason.

mod bundle;
mod deployment;
mod fields;
mod flags;
mod lint;
mod openshift;
mod overrides;
mod owner;
mod plan;
mod preflight;
mod refresher;
mod status;
mod version;
mod waves;

use crate::diagnostic::{Code, Diagnostic, Error};
use crate::object::document::{Document, Identity};
use crate::object::fields::Fields;
use crate::value::Value;
use crate::workspace::admit::Rule;
use crate::workspace::hub_kind::HubKind;
use crate::workspace::plan::{Planner, SubjectPlan};
use crate::workspace::store::View;
use crate::workspace::subject::{Dialect, Subject};
use deployment::Deployment;

#[derive(Debug)]
pub struct CertManager;

impl Dialect for CertManager {
    fn name(&self) -> &'static str {
        "certmanager"
    }

    fn kinds(&self, _: View) -> Vec<HubKind> {
        KINDS.iter().map(|it| &it.hub).chain(BUNDLES).cloned().collect()
    }

    fn is_subject(&self, _: View, document: &Document) -> bool {
        Kind::of(&document.identity).is_some()
    }

    fn read(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Box<dyn Subject>, Error> {
        Ok(Box::new(Deployment::read(view, document, out)?))
    }

    fn plan_refused(&self, view: View, document: &Document, error: &Error, planner: &mut Planner) {
        status::refuse(view, document, error, planner);
    }

    fn plan_hub(&self, view: View) -> SubjectPlan {
        refresher::refresh_hub(view)
    }

    fn lint(&self, view: View, out: &mut Vec<Diagnostic>) {
        lint::lint(view, out);
    }

    fn admission(&self, _: View, group: &str, kind: &str) -> Option<&'static Rule> {
        Rule::of_kind(ADMISSION, group, kind)
    }
}

/// A kind of document that installs a product.
#[derive(Debug)]
struct Kind {
    group: &'static str,
    kind: &'static str,
    /// What it installs; nothing where its spec says so.
    product: Option<&'static str>,
    /// The only name that is acted on.
    name: Option<&'static str>,
    is_openshift: bool,
    /// Whether it has `spec.adopt`.
    may_adopt: bool,
    /// Whether its status has a field for the generation that was seen.
    observes: bool,
    hub: HubKind,
}

const KINDS: &[Kind] = &[
    cluster_wide("operators.opdev.io", "CertManagerDeployment", "certmanagerdeployments", &fields::DEPLOYMENT),
    cluster_wide("operators.redhat.io", "CertManagerDeployment", "certmanagerdeployments", &fields::DEPLOYMENT),
    cluster_wide("operator.openshift.io", "CertManager", "certmanagers", &fields::OPENSHIFT).of_openshift(),
    Kind {
        group: bundle::GROUP,
        kind: "Installation",
        product: None,
        name: None,
        is_openshift: false,
        may_adopt: true,
        observes: true,
        hub: HubKind::cluster_wide(bundle::GROUP, "Installation", "installations", "v1")
            .with_status()
            .guarded()
            .with_fields(&fields::DEPLOYMENT),
    },
];

const fn cluster_wide(group: &'static str, kind: &'static str, plural: &'static str, spec: &'static Fields) -> Kind {
    let hub = HubKind::cluster_wide(group, kind, plural, "v1alpha1").with_status().guarded().with_fields(spec);
    Kind {
        group,
        kind,
        product: Some(bundle::CERT_MANAGER),
        name: Some("cluster"),
        is_openshift: false,
        may_adopt: false,
        observes: false,
        hub,
    }
}

/// What bundles are written as.
const BUNDLES: &[HubKind] = &[
    HubKind::cluster_wide(bundle::GROUP, bundle::KIND, "bundles", "v1").with_fields(&fields::BUNDLE),
    HubKind::namespaced("", "ConfigMap", "configmaps", "v1").labelled(bundle::LABEL),
];

impl Kind {
    const fn of_openshift(mut self) -> Kind {
        self.is_openshift = true;
        self.observes = true;
        self
    }

    fn of(identity: &Identity) -> Option<&'static Kind> {
        KINDS.iter().find(|it| identity.kind == it.kind && identity.group == it.group)
    }

    /// What a document of this kind installs; empty where it does not say.
    fn product<'d>(&self, document: &'d Value) -> &'d str {
        self.product.unwrap_or_else(|| document.text_at(&["spec", "product"]))
    }
}

const RULE: Rule = Rule::findings(
    &CertManager,
    "operators.opdev.io",
    &["CertManagerDeployment"],
    &[Code::NoBundle, Code::BadBundle, Code::DuplicateBundle, Code::NoMold],
);

/// How changes of cert-manager's documents are reviewed.
const ADMISSION: &[Rule] = &[
    RULE,
    Rule { group: "operators.redhat.io", ..RULE },
    Rule { group: "operator.openshift.io", kinds: &["CertManager"], ..RULE },
    Rule { group: "fleetfold.dev", kinds: &["Installation"], ..RULE },
];
