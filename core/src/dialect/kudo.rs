//! KUDO: what an operator needs before it has Instances, shared between its versions and with others (seed 002).
//!
//! An OperatorVersion names one of its plans in `spec.installPlan`, a field that the proposal adds and KUDO never had. The
//! objects of that plan are adopted: created where they are absent, shared where they fit, and left alone where they differ.
//! Uninstalling lets them go again. A finalizer keeps the OperatorVersion until no object refers to it: the garbage
//! collector would take objects along that were only borrowed.
//!
//! Its status gets `planStatus` and `aggregatedStatus` as Instances have them, and `objects`, the record of what it took
//! hold of. A step is complete when its objects are held and healthy; later steps wait for that.
//!
//! Deleting an OperatorVersion is consent to delete what was created for it. What stays held even so, such as a Namespace,
//! is a condition of its status.
//!
//! # What the original does instead
//!
//! KUDO has no install plans. There an Instance owns what its own plans apply, and such a plan runs once: it patches objects
//! that are there, by three-way merge against `kudo.dev/last-applied-configuration`, and what no Instance can own has no
//! owner at all. Plans of Instances are not run here, and a plan that runs once is not what is planned here: two versions that
//! patch one object would undo each other's work for ever. So compat mode differs from strict mode in a few rows only.
//!
//! | | strict | compat |
//! |---|---|---|
//! | a cluster-scoped object, or one in another namespace | held by a claim | refused, as the API server refuses the reference |
//! | what was there before | lists who adopted it | has the owner reference alone |
//! | a later step that is known to be fatal | nothing is done | the steps before it are done |
//! | health | of all kinds | of the kinds that KUDO checks |

mod claims;
mod fields;
mod group;
mod hold;
mod install;
mod instance;
mod kubectl;
mod lint;
mod package;
mod record;
mod scope;
mod status;
mod version;

use crate::diagnostic::{Diagnostic, Error, Severity};
use crate::object::document::Document;
use crate::object::identity::is_terminating;
use crate::workspace::hub_kind::{HubKind, NAMESPACE};
use crate::workspace::plan::Planner;
use crate::workspace::store::View;
use crate::workspace::subject::{Dialect, Subject};
use group::Groups;
use scope::Scopes;
use version::Version;

pub const GROUP: &str = "kudo.dev";
pub const VERSION: &str = "kudo.dev/v1beta1";
pub const KIND: &str = "OperatorVersion";
pub const INSTANCE: &str = "Instance";
pub const OPERATOR: &str = "Operator";

/// KUDO keeps the status of an Instance apart, and that of an OperatorVersion not.
const KINDS: &[HubKind] = &[
    HubKind::namespaced(GROUP, OPERATOR, "operators", "v1beta1").with_fields(&fields::OPERATOR),
    HubKind::namespaced(GROUP, KIND, "operatorversions", "v1beta1").with_fields(&fields::VERSION),
    HubKind::namespaced(GROUP, INSTANCE, "instances", "v1beta1").with_status().with_fields(&fields::INSTANCE),
    HubKind::cluster_wide(scope::CRD.0, scope::CRD.1, "customresourcedefinitions", "v1"),
    NAMESPACE,
];

#[derive(Debug)]
pub struct Kudo;

impl Dialect for Kudo {
    fn name(&self) -> &'static str {
        "kudo"
    }

    fn kinds(&self, _: View) -> Vec<HubKind> {
        KINDS.to_vec()
    }

    fn is_subject(&self, _: View, document: &Document) -> bool {
        document.identity.group == GROUP && document.identity.kind == KIND
    }

    fn read(&self, view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Box<dyn Subject>, Error> {
        let scopes = Scopes::of(view);
        let install = match package::read(document, &scopes, out) {
            // What is on its way out can go by the record of what it holds.
            Err(error) if is_terminating(&document.value) && !record::read(&document.value).is_empty() => {
                out.push(error.into_diagnostic(Severity::Error).of(&document.identity));
                None
            }
            install => install?,
        };
        let group = Groups::of(view).of_version(&document.identity);
        Ok(Box::new(Version::new(document, install, group)))
    }

    fn plan_refused(&self, view: View, document: &Document, error: &Error, planner: &mut Planner) {
        version::report_unreadable(view, &document.identity, error, planner);
    }

    fn lint(&self, view: View, out: &mut Vec<Diagnostic>) {
        lint::lint(view, out);
    }
}
