//! What brings a release about: its objects in their waves, and the end of what it no longer has.

use super::deployment::{Deployment, LABEL, Release};
use super::owner::{Hold, Owner, Tenure};
use super::preflight;
use super::version::Version;
use super::waves::{is_definition, kinds, wave_of_leaving};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, ReasonCode};
use crate::engine::patch::{Operation, Verb};
use crate::engine::rendered::{Rendered, RenderedObject};
use crate::object::document::Identity;
use crate::value::json;
use crate::value::{Text, Value};
use crate::workspace::observed::{HUB, Observation, Query};
use crate::workspace::plan::{self, APPLIED, DesiredObject, ObjectState, Planner, Reason, Target};
use crate::workspace::store::View;

/// Makes every object of the release be there, by the policy of its kind.
pub fn install(deployment: &Deployment, view: View, owner: &Owner, rendered: &Rendered, planner: &mut Planner) {
    for product in &rendered.objects {
        let target = Target::of(&product.object);
        let identity = target.identity();
        let live = match planner.look(HUB, &target) {
            Observation::Unknown => continue,
            Observation::Absent => None,
            Observation::Present(live) => Some(live),
        };
        let tenure = match view.settings.mode {
            Mode::Strict if !is_definition(&identity) => owner.tenure(&identity, live, deployment.adopts),
            _ => Tenure::Owned,
        };
        let (patch, reason) = match tenure {
            Tenure::Foreign(other) => {
                let message = format!("`{other}` controls it, so it is left alone");
                let hint = "keep one of the two controllers";
                planner.report(Error::new(Code::SecondController, message).hint(hint), &target);
                continue;
            }
            Tenure::Owned | Tenure::Found => (Vec::new(), None),
            Tenure::Restored(patch) => {
                (patch, Some(Reason::new(ReasonCode::OwnerMissing, "the owner reference is missing")))
            }
            Tenure::Adopted(patch) => {
                (patch, Some(Reason::new(ReasonCode::Adopted, "it existed before and is adopted: `spec.adopt`")))
            }
        };
        let because = format!("`{}` has it", deployment.document.identity);
        let state = planner.ensure(DesiredObject {
            cluster: HUB.into(),
            desired: product.object.clone(),
            wave: product.wave,
            because,
        });
        if state == ObjectState::Differs {
            report_dropped(deployment, &identity, live, planner);
        }
        if let (Some(live), Some(reason), ObjectState::Fits | ObjectState::Differs | ObjectState::Stuck) =
            (live, reason, state)
        {
            planner.amend(HUB, live, patch, product.wave, reason);
        }
    }
}

/// Labels and annotations are replaced: what others added was tolerated until now, and goes with the first difference.
fn report_dropped(deployment: &Deployment, identity: &Identity, live: Option<&Value>, planner: &mut Planner) {
    let record = live.and_then(|it| it.at(&["metadata", "annotations", APPLIED])?.as_text());
    let ours = record.and_then(|it| json::parse(it).ok()).unwrap_or_default();
    let Some(action) = planner.steps.actions.last() else { return };
    let removed = action.patch.iter().filter(|it| it.verb == Verb::Remove).filter_map(Operation::place);
    let foreign = removed.filter(|it| it.get(&ours).is_none());
    let keys: Vec<String> = foreign
        .filter_map(|it| match it.segments().map(Text::as_str).collect::<Vec<_>>().as_slice() {
            ["metadata", "labels" | "annotations", key] => Some(format!("`{key}`")),
            _ => None,
        })
        .collect();
    if !keys.is_empty() {
        let message = format!("`{identity}` loses what others wrote on it: {}", keys.join(", "));
        let finding = Diagnostic::warning(Code::ForeignKeysDropped, message).of(&deployment.document.identity);
        planner.steps.diagnostics.push(finding.hint("put it into the bundle if it is to stay"));
    }
}

/// Lets go of what the release no longer has: only what carries our label and our owner reference, and never a
/// definition.
pub fn sweep(deployment: &Deployment, release: &Release, view: View, rendered: &Rendered, planner: &mut Planner) {
    let Some(owner) = Owner::of(view, &deployment.document) else { return };
    let identity = &deployment.document.identity;
    for query in queries(deployment, release) {
        for (found, live) in planner.list(HUB, &query).into_iter().flatten() {
            if has(&rendered.objects, &found) {
                continue;
            }
            if is_definition(&found) {
                let message = format!("`{found}` is no longer in {}, and stays", release.version);
                let hint = "delete it by hand once nothing needs it";
                let finding = Diagnostic::info(Code::DefinitionsKept, message).of(identity).hint(hint);
                planner.steps.diagnostics.push(finding);
            } else if matches!(owner.hold_on(&live), Hold::Ours) {
                let reason = Reason::new(ReasonCode::NoLongerWanted, format!("{} no longer has it", release.version));
                planner.delete(HUB, &live, wave_of_leaving(&found), reason);
            }
        }
    }
}

/// The lists of what a deployment installed, of each kind that any version of the product has.
fn queries(deployment: &Deployment, release: &Release) -> Vec<Query> {
    let further = release.further_kinds.iter().map(|(version, kind)| (version.as_str(), kind.as_str()));
    let mut listed: Vec<(&str, &str)> = kinds().collect();
    listed.extend(further);
    let query = |(api_version, kind): (&str, &str)| Query {
        api_version: api_version.into(),
        kind: kind.into(),
        namespace: Text::default(),
        label_selector: format!("{LABEL}={}", deployment.document.identity.name).into(),
    };
    listed.into_iter().map(query).collect()
}

/// Holds every change of a deployment whose latest bundle may be older than the installed version, unless
/// `spec.version` requests it:
///
/// 1. The status on the hub has a later version.
/// 2. No status has the version, and an installed object is in no loaded bundle: its bundle may be absent.
///
/// Returns why.
pub fn hold_downgrade(deployment: &Deployment, view: View, planner: &mut Planner) -> Option<Diagnostic> {
    let release = deployment.release.as_ref().filter(|it| !it.is_asked && view.settings.mode == Mode::Strict)?;
    if planner.steps.actions.iter().all(|it| it.verb == plan::Verb::Create) {
        return None;
    }
    let installed = preflight::installed(view, &deployment.document);
    let text = match (Version::parse(&installed), Version::parse(&release.version)) {
        (Some(installed), Some(version)) if installed <= version => return None,
        (Some(_), _) => format!("`{installed}` is installed, and the latest bundle is of `{}`", release.version),
        (None, _) => {
            let stranger = strangers(deployment, release, view, planner).into_iter().next()?;
            format!("`{stranger}` is installed and in no loaded bundle, so the installed version is unknown")
        }
    };
    let hint = format!("load the bundle of what is installed, or set `spec.version` to `{}`", release.version);
    planner.hold(0, ReasonCode::VersionUnknown, &text, &hint);
    Some(Diagnostic::warning(Code::Downgrade, text).of(&deployment.document.identity).hint(hint))
}

/// What the deployment installed and no loaded bundle has.
fn strangers(deployment: &Deployment, release: &Release, view: View, planner: &mut Planner) -> Vec<Identity> {
    let Some(owner) = Owner::of(view, &deployment.document) else { return Vec::new() };
    let is_strange = |(found, live): &(Identity, Value)| {
        !release.known.contains(found) && !is_definition(found) && matches!(owner.hold_on(live), Hold::Ours)
    };
    let listed = queries(deployment, release).into_iter().flat_map(|it| planner.list(HUB, &it).unwrap_or_default());
    listed.filter(is_strange).map(|(found, _)| found).collect()
}

fn has(products: &[RenderedObject], identity: &Identity) -> bool {
    products.iter().any(|it| Target::of(&it.object).identity() == *identity)
}
