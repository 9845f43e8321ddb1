//! KUDO: the objects that an operator needs before it has Instances, shared between its versions and with others (seed
//! 002).
//!
//! An OperatorVersion names one of its plans in `spec.installPlan`, a field that the proposal adds and KUDO never had.
//! The objects of that plan are adopted: created if absent, shared if equal, and left alone if they differ.
//! Uninstalling releases them. A finalizer keeps the OperatorVersion until no object refers to it: the garbage
//! collector would delete objects that were only shared.
//!
//! Its status gets `planStatus` and `aggregatedStatus` as Instances have them, and `objects`, the record of the objects
//! that it adopted. A step is complete when its objects are held and healthy; later steps wait for that.
//!
//! Deleting an OperatorVersion is consent to delete the objects that were created for it. Deletes that stay held, such
//! as that of a Namespace, are a condition of its status.
//!
//! # Differences from KUDO
//!
//! KUDO has no install plans. In KUDO an Instance owns the objects that its own plans apply, and such a plan runs once:
//! it patches existing objects by three-way merge against `kudo.dev/last-applied-configuration`, and an object that no
//! Instance can own has no owner. Plans of Instances are not run here, and a one-time plan cannot be reproduced here:
//! two versions that patch one object would undo each other's changes forever. So compat mode differs from strict mode
//! in a few rows only.
//!
//! | | strict | compat |
//! |---|---|---|
//! | a cluster-scoped object, or one in another namespace | held by a claim | refused, as by the API server |
//! | an object that existed before | records who adopted it | has only the owner reference |
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
use crate::workspace::plan::{Planner, StatusTerms};
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
            Err(error) if self.reads_without_scope(document) => {
                out.push(error.into_diagnostic(Severity::Error).of(&document.identity));
                None
            }
            install => install?,
        };
        let group = Groups::of(view).of_version(&document.identity);
        Ok(Box::new(Version::new(document, install, group)))
    }

    /// One that is being deleted releases the objects of its record.
    fn reads_without_scope(&self, document: &Document) -> bool {
        is_terminating(&document.value) && !record::read(&document.value).is_empty()
    }

    fn plan_refused(&self, view: View, document: &Document, error: &Error, planner: &mut Planner) {
        version::report_unreadable(view, &document.identity, error, planner);
    }

    fn lint(&self, view: View, out: &mut Vec<Diagnostic>) {
        lint::lint(view, out);
    }

    fn status_terms(&self) -> &'static StatusTerms {
        &status::TERMS
    }
}
