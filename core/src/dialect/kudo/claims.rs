//! Claims of OperatorVersions that are not loaded: nothing releases them, so they keep their objects forever.

use super::install::live_of;
use super::{GROUP, KIND, kubectl};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::ownership::{CLAIMS, claims_on};
use crate::object::document::Identity;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::Target;
use crate::workspace::store::View;

/// The findings about all objects of the hub that were read.
pub fn lint(view: View, out: &mut Vec<Diagnostic>) {
    let observed = view.store.observed(HUB).into_iter().flat_map(|it| it.objects()).map(|(_, object)| object);
    let objects = view.store.documents().map(|it| &it.value).chain(observed);
    objects.for_each(|it| out.extend(stale(view, it)));
}

/// The findings about one object.
pub fn stale(view: View, object: &Value) -> Vec<Diagnostic> {
    let claims = claims_on(object);
    let (held, stale): (Vec<&Text>, Vec<&Text>) = claims.iter().partition(|it| is_held(view, it));
    let target = Target::of(object);
    let finding = |claim: &Text| {
        let (owner, uid) = claim.rsplit_once('/').unwrap_or((claim.as_str(), ""));
        let message = format!(
            "`{}` is claimed by `{owner}` with the uid `{uid}`, which is not loaded: the claim keeps the object \
             forever",
            target.identity()
        );
        let change = match held.is_empty() {
            true => format!("{CLAIMS}-"),
            false => {
                format!("--overwrite {CLAIMS}='{}'", Value::list(held.iter().map(|it| (*it).clone())).to_canonical())
            }
        };
        let hint = format!("if `{owner}` was deleted, run `{} {change}`", kubectl::annotate(&target));
        let at = Pointer::of(["metadata", "annotations", CLAIMS]);
        Diagnostic::warning(Code::StaleClaim, message).of(target.identity()).at(at).hint(hint)
    };
    stale.into_iter().map(finding).collect()
}

/// Whether the owner of a claim exists, or may exist. Claims of other kinds are not judged.
fn is_held(view: View, claim: &str) -> bool {
    let parts: Vec<&str> = claim.split('/').collect();
    let [KIND, namespace, name, uid] = parts.as_slice() else { return true };
    let identity =
        Identity { kind: KIND.into(), group: GROUP.into(), namespace: (*namespace).into(), name: (*name).into() };
    match live_of(view, &identity) {
        Observation::Present(live) => live.text_at(&["metadata", "uid"]) == *uid,
        Observation::Absent => false,
        Observation::Unknown => view.store.document(&identity).is_some(),
    }
}
