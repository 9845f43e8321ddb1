//! ManagedClusterSetBindings: who binds a set lets a namespace use its clusters, and needs a permission.

use super::super::bound_set;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::authorize::{Judgement, Permission};
use crate::engine::select::cluster_set;
use crate::workspace::Workspace;
use crate::workspace::admit::request::AdmissionRequest;
use crate::workspace::admit::{ReviewOptions, Rule, Verdict, finding};

/// # Errors
///
/// A hub refuses the binding, or the user who binds the set is not known.
pub fn judge(
    workspace: &mut Workspace,
    request: &AdmissionRequest,
    rule: &Rule,
    means: &ReviewOptions,
) -> Result<Verdict, Error> {
    if request.is_quiet() {
        return Ok(Verdict::default());
    }
    // Also in compat mode: OCM's scheduler accepts bindings that its webhook refuses.
    let set = match (bound_set(&request.new.value, Mode::Strict), &request.old) {
        (Ok(set), _) => set,
        (Err(error), Some(old)) if bound_set(&old.value, Mode::Strict).as_ref() == Err(&error) => {
            let mut verdict = Verdict::default();
            verdict.warn(&error.into_diagnostic(Severity::Error));
            return Ok(verdict);
        }
        (Err(error), _) => return Err(error),
    };
    let mut verdict = finding::judge(workspace, request, rule, means)?;
    let bound = request.old.as_ref().map(|it| it.value.text_at(&["spec", "clusterSet"]));
    if bound == Some(set) || !verdict.denials.is_empty() {
        return Ok(verdict);
    }
    let permission = Permission::bind(set);
    let requester = request.requester.as_ref().map_err(Error::clone)?;
    let mut judge = means.judge(&workspace.store, &requester.user);
    match judge.judge(&permission) {
        Judgement::Granted(_) => {}
        Judgement::Unknown => {
            return Ok(Verdict { needs: vec![requester.access_review(&permission)], ..Verdict::default() });
        }
        Judgement::Denied => {
            let message = format!("{} may not bind the cluster set {set}", requester.user.name);
            let Permission { resource, subresource, name } = &permission;
            let hint = format!("grant create on {resource}/{subresource} with the resourceName \"{name}\"");
            verdict.deny(&Diagnostic::error(Code::NotGranted, message).hint(hint));
            let namespaced = judge.namespaced(&[&permission], cluster_set::KIND);
            namespaced.iter().for_each(|it| verdict.warn_of(it));
        }
    }
    Ok(verdict)
}
