//! What is wrong with bundles and with workloads that want to be restarted, whatever is installed.

use super::bundle::{Bundle, BundleIndex};
use super::preflight::is_supported;
use super::refresher;
use super::waves::is_namespace;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::refresh::PREFIXES;
use crate::engine::rendered::Origin;
use crate::object::document::Identity;
use crate::object::identity::group_of;
use crate::value::Value;
use crate::value::path::Pointer;
use crate::value::sorting::sort_by;
use crate::workspace::observed::HUB;
use crate::workspace::store::View;

pub fn lint(view: View, out: &mut Vec<Diagnostic>) {
    let mut rest = BundleIndex::of(view, None, out).bundles;
    sort_by(&mut rest, |a, b| a.product.cmp(&b.product));
    for bundles in rest.chunk_by(|a, b| a.product == b.product) {
        lint_versions(bundles, view.settings.mode, out);
    }
    for bundle in &rest {
        lint_namespaces(bundle, out);
    }
    for document in view.store.of_kind("operator.cert-manager.io", "CertManager", None) {
        let message = "this kind gives its values to a Helm chart, and produces no results here";
        out.push(Diagnostic::info(Code::UnusedDocument, message).of(&document.identity));
    }
    for document in view.store.documents() {
        lint_workload(&document.identity, &document.value, view, out);
    }
    for (identity, object) in view.store.observed(HUB).into_iter().flat_map(|it| it.objects()) {
        if view.store.document(identity).is_none() {
            lint_workload(identity, object, view, out);
        }
    }
}

/// The bundles of one product, latest first.
fn lint_versions(bundles: &[Bundle], mode: Mode, out: &mut Vec<Diagnostic>) {
    let Some(latest) = bundles.iter().find(|it| it.version.is_release()).or(bundles.first()) else { return };
    for pair in bundles.windows(2) {
        if let [one, other] = pair
            && one.version == other.version
        {
            let message = format!("`{}` is of `{}` {} too", one.document, one.product, one.written);
            let finding = Diagnostic::error(Code::DuplicateBundle, message).of(&other.document);
            out.push(finding.at(other.version_at.clone()).hint("keep one of them"));
        }
    }
    let too_old = bundles.iter().filter(|it| mode == Mode::Strict && !is_supported(&it.version, &latest.version));
    for bundle in too_old {
        let message = format!("`{}` cannot be installed: only {} can", bundle.written, latest.version.window());
        let finding = Diagnostic::warning(Code::OutsideWindow, message).of(&bundle.document);
        out.push(finding.at(bundle.version_at.clone()).hint("unload the bundle"));
    }
}

fn lint_namespaces(bundle: &Bundle, out: &mut Vec<Diagnostic>) {
    for manifest in bundle.manifests.iter().filter(|it| is_namespace(&it.identity)) {
        let Origin { document, path } = &manifest.origin;
        let message =
            format!("if `{}` is made from this, it goes with the deployment, and everything in it", manifest.identity);
        let hint = "make the namespace beforehand where it is shared: an existing one is never owned";
        out.push(Diagnostic::info(Code::NamespaceOwned, message).of(document).at(path.clone()).hint(hint));
    }
}

fn lint_workload(identity: &Identity, object: &Value, view: View, out: &mut Vec<Diagnostic>) {
    let mut restarted = refresher::KINDS.iter().filter(|(_, kind)| *kind != "Secret");
    if !restarted.any(|(version, kind)| identity.kind == *kind && identity.group == group_of(version)) {
        return;
    }
    for prefix in PREFIXES {
        let key = format!("{prefix}/allow-restart");
        let Some(value) = object.at(&["metadata", "annotations", &key]) else { continue };
        let at = Pointer::of(["metadata", "annotations", &key]);
        match value.as_text() {
            Some("true") if view.settings.pod_refresher => {}
            Some("true") => {
                let message = format!("it asks to be restarted with `{key}`, and the refresher is off");
                let finding = Diagnostic::warning(Code::RefresherOff, message).of(identity).at(at);
                out.push(finding.hint("configure `podRefresher: true`"));
            }
            Some("false") => {}
            _ => {
                let message = format!("`{key}` is not exactly `true`, so it does not restart");
                let finding = Diagnostic::warning(Code::OptInIgnored, message).of(identity).at(at);
                out.push(finding.hint("write `\"true\"`, or `\"false\"` to say no"));
            }
        }
    }
}
