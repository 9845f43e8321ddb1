//! A deployment, translated: the objects of its version, with its overrides.

use std::sync::Arc;

use super::bundle::{self, Bundle, BundleIndex, Manifest};
use super::openshift;
use super::overrides::{MergedManifest, Overrides, wrong_type};
use super::owner::{Owner, Tenure};
use super::waves::{is_definition, kinds, wave_of};
use super::{KINDS, Kind, plan, preflight, status};
use crate::diagnostic::{Code, Diagnostic, Error, Mode, ReasonCode};
use crate::engine::rendered::{FieldOrigin, Origin, Rendered, RenderedObject};
use crate::engine::select::{Cluster, Reason};
use crate::object::document::{Document, Identity};
use crate::object::identity::is_terminating;
use crate::value::collections::SortedSet;
use crate::value::path::{Pointer, list_index};
use crate::value::sorting::{sort, sort_by};
use crate::value::{Map, Text, Value};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::plan::{Need, Planner, Target};
use crate::workspace::results::ClusterResults;
use crate::workspace::store::View;
use crate::workspace::subject::{Dependency, Invalidation, ResultCache, Subject};
use crate::workspace::targets::Targets;

/// The label on everything that a deployment installs; its value is the deployment's name.
pub const LABEL: &str = "fleetfold.dev/deployment";

#[derive(Debug)]
pub struct Deployment {
    pub document: Document,
    targets: Targets,
    depends: Vec<Dependency>,
    /// `None` while it is being deleted or unmanaged.
    pub release: Option<Release>,
    /// Whether it takes over what was there before.
    pub adopts: bool,
    /// What is wrong with bundles that may be of the product.
    pub bad_bundles: Vec<Diagnostic>,
}

/// The version that a deployment installs.
#[derive(Debug)]
pub struct Release {
    pub version: Text,
    /// Why it is this version.
    why: String,
    /// Its objects, but for what the owner adds.
    products: Vec<RenderedObject>,
    /// Kinds that any version of the product has and the order of waves does not know, as `apiVersion` and `kind`.
    pub further_kinds: Vec<(Text, Text)>,
    /// Everything that a loaded version of the product has.
    pub known: SortedSet<Identity>,
    /// Whether `spec.version` requests it.
    pub is_asked: bool,
    diagnostics: Vec<Diagnostic>,
}

impl Deployment {
    pub fn read(view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Deployment, Error> {
        let Some(kind) = Kind::of(&document.identity) else {
            return Err(Error::new(Code::WrongKind, format!("`{}` installs nothing", document.identity)));
        };
        let mut depends: Vec<Dependency> = KINDS.iter().map(|it| Dependency::kind(it.group, it.kind, None)).collect();
        depends.push(Dependency::kind(bundle::GROUP, bundle::KIND, None));
        depends.push(Dependency::kind("", "ConfigMap", None));
        let mut deployment = Deployment {
            document: document.clone(),
            targets: Targets::Hub,
            depends,
            release: None,
            adopts: false,
            bad_bundles: Vec::new(),
        };
        preflight::check(view, document, kind)?;
        deployment.adopts = kind.may_adopt && adopts(document)?;
        let is_idle = is_terminating(&document.value) || kind.is_openshift && openshift::is_unmanaged(document);
        if !is_idle {
            let before = out.len();
            deployment.release = Some(Release::of(view, document, kind, out)?);
            deployment.bad_bundles = out.iter().skip(before).cloned().collect();
        }
        Ok(deployment)
    }

    /// The diagnostic of a deployment that is being deleted or unmanaged.
    fn idle(&self) -> Diagnostic {
        let identity = &self.document.identity;
        if is_terminating(&self.document.value) {
            let message = "it is being deleted: the garbage collector takes what it owns, and its definitions stay";
            let finding = Diagnostic::info(Code::DefinitionsKept, message).of(identity);
            finding.hint("delete the definitions by hand once no certificate is needed any more")
        } else {
            let message = "it is not managed, so it keeps its last state";
            Diagnostic::info(Code::Unmanaged, message).of(identity).at(Pointer::of(["spec", "managementState"]))
        }
    }
}

/// Findings about a result that a plan repeats.
const PLANNED: &[Code] = &[Code::ObjectsAdopted, Code::ObjectsNotOwned, Code::OwnerUnknown];

/// Whether `spec.adopt` is set.
fn adopts(document: &Document) -> Result<bool, Error> {
    let at = Pointer::of(["spec", "adopt"]);
    match at.get(&document.value) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(adopts)) => Ok(*adopts),
        Some(other) => Err(wrong_type(&at, "true or false", other)),
    }
}

impl Deployment {
    /// Without a uid no owner reference can be written, so nothing is created.
    fn unowned(&self, view: View) -> Diagnostic {
        let identity = &self.document.identity;
        let (message, hint) = match view.store.observed(HUB).map(|it| it.observation(identity)) {
            Some(Observation::Absent) => (
                "it is not on the hub, so nothing can be owned by it and nothing is installed",
                "apply it, and its version is installed",
            ),
            _ => (
                "it has no uid yet, so nothing can be owned by it and nothing is installed",
                "an API server gives the uid: load the live object",
            ),
        };
        Diagnostic::info(Code::OwnerUnknown, message).of(identity).hint(hint)
    }

    fn await_uid(&self, view: View, planner: &mut Planner) {
        let seen = view.store.observed(HUB).map(|it| it.observation(&self.document.identity));
        if !matches!(seen, Some(Observation::Absent)) {
            let (target, label_selector) = (Target::of(&self.document.value), Text::default());
            planner.steps.needs.push(Need { cluster: HUB.into(), target, label_selector });
        }
    }

    fn not_owned(&self, found: &[Identity]) -> Option<Diagnostic> {
        let message = format!(
            "what existed before gets no owner reference, so deleting the deployment leaves it: {}",
            names(found)?
        );
        let finding = Diagnostic::info(Code::ObjectsNotOwned, message).of(&self.document.identity);
        let may_adopt = Kind::of(&self.document.identity).is_some_and(|it| it.may_adopt);
        let hint = match (may_adopt, self.adopts) {
            (true, false) => "set `spec.adopt: true` to own it",
            (true, true) => "a Namespace that others may use is not adopted",
            (false, _) => "an `Installation` with `spec.adopt: true` can own it",
        };
        Some(finding.hint(hint))
    }

    fn adopted(&self, adopted: &[Identity]) -> Option<Diagnostic> {
        let message =
            format!("what existed before is adopted, so deleting the deployment deletes it: {}", names(adopted)?);
        let finding = Diagnostic::info(Code::ObjectsAdopted, message).of(&self.document.identity);
        Some(finding.at(Pointer::of(["spec", "adopt"])).hint("remove `spec.adopt` to leave it without an owner"))
    }
}

/// The first names of a list, and how many more there are.
fn names(identities: &[Identity]) -> Option<String> {
    const MOST: usize = 5;
    let named: Vec<String> = identities.iter().take(MOST).map(|it| format!("`{it}`")).collect();
    match identities.len().checked_sub(MOST) {
        _ if named.is_empty() => None,
        None | Some(0) => Some(named.join(", ")),
        Some(more) => Some(format!("{} and {more} more", named.join(", "))),
    }
}

impl Release {
    fn of(view: View, document: &Document, kind: &Kind, out: &mut Vec<Diagnostic>) -> Result<Release, Error> {
        let (product, mode) = (kind.product(&document.value), view.settings.mode);
        let index = BundleIndex::of(view, Some(product), out);
        let (bundle, why) = preflight::choose(document, product, &index, mode)?;
        let mut overrides = Overrides { document, bundle, index: &index, mode, merged: Vec::new() };
        let mut diagnostics = Vec::new();
        match kind.is_openshift {
            true => openshift::read(&mut overrides, &mut diagnostics)?,
            false => overrides.danger_zone(&mut diagnostics)?,
        }
        let merged = overrides.merged;
        let subject = Arc::new(document.identity.clone());
        let mut products: Vec<RenderedObject> =
            bundle.manifests.iter().map(|it| product_of(it, &merged, &subject)).collect();
        sort_by(&mut products, |a, b| a.wave.cmp(&b.wave));
        report_unordered(bundle, &mut diagnostics);
        let manifests = index.bundles.iter().flat_map(|it| &it.manifests);
        Ok(Release {
            version: bundle.written.clone(),
            why,
            products,
            further_kinds: further_kinds(&index),
            known: manifests.map(|it| it.identity.clone()).collect(),
            is_asked: document.value.at(&["spec", "version"]).is_some_and(|it| !it.is_null()),
            diagnostics,
        })
    }
}

/// A manifest with the overrides for it.
fn product_of(manifest: &Manifest, merged: &[MergedManifest], subject: &Arc<Identity>) -> RenderedObject {
    let mut product = RenderedObject {
        object: manifest.object.clone(),
        base: manifest.origin.clone(),
        origins: Vec::new(),
        retained: Vec::new(),
        wave: wave_of(&manifest.identity).0,
    };
    for it in merged.iter().filter(|it| it.target == manifest.identity) {
        let origin = Origin { document: Arc::clone(subject), path: it.at.clone() };
        lay(&mut product, &it.place, it.layer, origin, it.value.clone());
    }
    product
}

/// Sets a layer's value in an object, and records the origins of the place, winner first.
fn lay(product: &mut RenderedObject, place: &Pointer, layer: &'static str, origin: Origin, value: Value) {
    let says = FieldOrigin { layer: Text::new_static(layer), origin: Some(origin), value: Some(value.clone()) };
    match product.origins.iter_mut().find(|(it, _)| it == place) {
        Some((_, chain)) => Arc::make_mut(chain).insert(0, says),
        None => {
            let Origin { document, path } = product.base.clone();
            let base = place.get(&product.object).map(|value| FieldOrigin {
                layer: Text::new_static("base"),
                origin: Some(Origin { document, path: path.join(place) }),
                value: Some(value.clone()),
            });
            product.origins.push((place.clone(), Arc::new(std::iter::once(says).chain(base).collect())));
        }
    }
    put(&mut product.object, place, value);
}

/// Sets the value at a place. Missing maps on the path are created; elements of lists must exist.
fn put(object: &mut Value, place: &Pointer, value: Value) {
    let mut at = object;
    for segment in place.segments() {
        if at.is_null() {
            *at = Map::new().into();
        }
        let next = match at {
            Value::List(_) => list_index(segment).and_then(|index| at.as_list_mut()?.get_mut(index)),
            _ => at.as_map_mut().and_then(|map| map.entry_or(segment, Value::default)),
        };
        let Some(next) = next else { return };
        at = next;
    }
    *at = value;
}

fn report_unordered(bundle: &Bundle, out: &mut Vec<Diagnostic>) {
    for manifest in bundle.manifests.iter().filter(|it| !wave_of(&it.identity).1) {
        let message =
            format!("`{}` is created after the Services: the order does not know its kind", manifest.identity);
        let Origin { document, path } = &manifest.origin;
        out.push(Diagnostic::info(Code::KindWithoutWave, message).of(document).at(path.clone()));
    }
}

fn further_kinds(index: &BundleIndex) -> Vec<(Text, Text)> {
    let manifests = index.bundles.iter().flat_map(|it| &it.manifests).filter(|it| !wave_of(&it.identity).1);
    let mut further: Vec<(Text, Text)> =
        manifests.map(|it| (it.object.text_at(&["apiVersion"]).into(), it.identity.kind.clone())).collect();
    sort(&mut further);
    further.dedup();
    further
}

impl Subject for Deployment {
    fn targets(&self) -> &Targets {
        &self.targets
    }

    fn dependencies(&self) -> &[Dependency] {
        &self.depends
    }

    fn effective(&self, view: View, _: &Cluster, _: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        let Some(release) = &self.release else {
            return Ok(Arc::new(Rendered { diagnostics: vec![self.idle()], ..Rendered::default() }));
        };
        let (identity, owner) = (&self.document.identity, Owner::of(view, &self.document));
        let mut diagnostics = release.diagnostics.clone();
        let (mut found, mut adopted) = (Vec::new(), Vec::new());
        if owner.is_none() {
            diagnostics.push(self.unowned(view));
        }
        let subject = Arc::new(identity.clone());
        let said = |path: &[&str]| Origin { document: Arc::clone(&subject), path: Pointer::of(path.iter().copied()) };
        let mut objects = release.products.clone();
        for product in &mut objects {
            let place = Pointer::of(["metadata", "labels", LABEL]);
            lay(product, &place, "owner", said(&["metadata", "name"]), identity.name.clone().into());
            let Some(owner) = &owner else { continue };
            let target = Target::of(&product.object).identity();
            let live = match view.store.observation(HUB, &target) {
                Observation::Present(live) => Some(live),
                _ => None,
            };
            let said = match owner.tenure(&target, live, self.adopts) {
                _ if is_definition(&target) => continue,
                Tenure::Owned => said(&["metadata", "uid"]),
                // The operator sets owner references only when it creates an object.
                _ if view.settings.mode == Mode::Compat => continue,
                Tenure::Restored(_) => said(&["metadata", "uid"]),
                Tenure::Adopted(_) => {
                    adopted.push(target);
                    said(&["spec", "adopt"])
                }
                Tenure::Found => {
                    found.push(target);
                    continue;
                }
                Tenure::Foreign(_) => continue,
            };
            let place = Pointer::of(["metadata", "ownerReferences"]);
            lay(product, &place, "owner", said, Value::list([owner.reference()]));
        }
        diagnostics.extend(self.not_owned(&found));
        diagnostics.extend(self.adopted(&adopted));
        Ok(Arc::new(Rendered { objects, diagnostics, ..Rendered::default() }))
    }

    fn plan(&self, view: View, _: &Text, rendered: &Rendered, planner: &mut Planner) {
        if self.release.is_some() {
            let diagnostics = rendered.diagnostics.iter().filter(|it| PLANNED.contains(&it.code));
            planner.steps.diagnostics.extend(diagnostics.cloned());
            match Owner::of(view, &self.document) {
                Some(owner) => {
                    plan::install(self, view, &owner, rendered, planner);
                    // The sweep reports it.
                    let _ = plan::hold_downgrade(self, view, planner);
                }
                // What is created before the owner is known would never be owned.
                None => self.await_uid(view, planner),
            }
            if self.plans_hub(view) {
                super::refresher::refresh_all(view, Some(&self.document.identity), planner);
            }
        }
    }

    /// The refresher belongs to cert-manager, so what installs it runs it.
    fn plans_hub(&self, view: View) -> bool {
        let installs = Kind::of(&self.document.identity).map(|it| it.product(&self.document.value));
        let is_waiting = || Owner::of(view, &self.document).is_none();
        self.release.is_some() && installs == Some(bundle::CERT_MANAGER) && !is_waiting()
    }

    fn plan_subject(&self, view: View, cluster_results: &ClusterResults, planner: &mut Planner) {
        planner.steps.diagnostics.extend(self.bad_bundles.iter().cloned());
        let Some((release, cluster_result)) = self.release.as_ref().zip(cluster_results.get(HUB)) else { return };
        if let (Ok(rendered), Some(_)) = (&cluster_result.rendered, Owner::of(view, &self.document)) {
            plan::sweep(self, release, view, rendered, planner);
            let held = plan::hold_downgrade(self, view, planner);
            planner.steps.diagnostics.extend(held);
            status::plan_status(self, release, view, rendered, cluster_result.steps(), planner);
        }
    }

    fn invalidated_by(&self, object: &Identity) -> Invalidation {
        let Some(release) = &self.release else { return Invalidation::Nothing };
        let is_ours = *object == self.document.identity;
        let is_known = kinds().any(|(_, kind)| object.kind == kind);
        let is_further = release.further_kinds.iter().any(|(_, kind)| object.kind == *kind);
        let is_refreshed = super::refresher::KINDS.iter().any(|(_, kind)| object.kind == *kind);
        if is_ours || is_known || is_further || is_refreshed { Invalidation::Whole } else { Invalidation::Nothing }
    }

    /// Conditions of statuses and restarts carry the time.
    fn is_timed(&self) -> bool {
        true
    }

    fn explain(&self, _: View, _: &Cluster) -> (bool, Vec<Reason>) {
        let Some(release) = &self.release else {
            let is_going = is_terminating(&self.document.value);
            let code = if is_going { ReasonCode::Terminating } else { ReasonCode::Paused };
            return (false, vec![Reason { code, text: self.idle().message, holds: false }]);
        };
        (true, vec![Reason { code: ReasonCode::VersionChosen, text: release.why.clone(), holds: true }])
    }
}
