//! The cert-manager deployment operator (seed 004): a deployment names a version of a product, and the objects of that
//! version's [bundle](bundle) are created and kept up to date on the hub.
//!
//! | document | installs | required name | overrides |
//! |---|---|---|---|
//! | `CertManagerDeployment` (opdev.io, redhat.io) | cert-manager | `cluster` | `spec.dangerZone` |
//! | `CertManager` (openshift.io) | cert-manager | `cluster` | `spec.controllerConfig` and others: [`openshift`] |
//! | `Installation` (fleetfold.dev) | the product in `spec.product` | anything | `spec.dangerZone` |
//!
//! Decisions that the seed leaves open:
//!
//! 1. **Versions.** Without `spec.version`, the latest release among the bundles is installed. The latest minor and the
//!    one before can be installed. Nothing is downgraded unless `spec.version` requests it. While a bundle cannot be
//!    read, the latest version is not known, and nothing is done. In compat mode any version that has a bundle can be
//!    installed.
//! 2. **Owner references** are set on objects that were created here, except definitions. Strict mode also restores one
//!    that was removed, or that refers to an earlier deployment of the name. An object that existed before is updated
//!    by the policy of its kind and gets no owner reference, so it stays when the deployment is deleted. An
//!    Installation with `spec.adopt: true` adopts it, except Namespaces: everything that others put in them would be
//!    deleted as well. An object with another controller is reported and left alone. While the deployment has no uid,
//!    nothing is installed.
//! 3. **Objects that a version no longer has** are deleted if they carry both our label and our owner reference.
//!    Definitions are never deleted: every certificate would be deleted with them.
//! 4. **Deleting the deployment** is the garbage collector's work. Nothing is planned, and the definitions stay.
//! 5. **The refresher** reads the hub only, and needs the setting `podRefresher` and the time. It is planned with the
//!    deployment of cert-manager, or separately if there is none.
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
use crate::workspace::plan::{Planner, StatusTerms, SubjectPlan};
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

    fn status_terms(&self) -> &'static StatusTerms {
        &status::TERMS
    }
}

/// A kind of document that installs a product.
#[derive(Debug)]
struct Kind {
    group: &'static str,
    kind: &'static str,
    /// The product that it installs; nothing if its spec has none.
    product: Option<&'static str>,
    /// The only name that is acted on.
    name: Option<&'static str>,
    is_openshift: bool,
    /// Whether it has `spec.adopt`.
    may_adopt: bool,
    /// Whether its status has `observedGeneration`.
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
            .with_fields(&fields::INSTALLATION),
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

    /// The product that a document of this kind installs; empty if it has none.
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
