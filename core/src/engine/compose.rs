//! One object of one cluster: a base, the values retained from the live object, and the layers that patch it.
//!
//! The order is KubeFed's: values are retained first, so a layer may still change them. Every changed place records its
//! origins, winner first and the value of the base last, under its pointer in the result:
//!
//! 1. A layer that sets a value also wins every place inside it that was changed before.
//! 2. A place inside a value that was set before has that value's origin below it.
//! 3. Inserting or removing an element of a list moves those behind it; each keeps its origins.

mod common;
mod origin_tracker;

pub use common::Common;

use std::sync::Arc;

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::patch::{Patching, Step, Verb};
use crate::engine::rendered::{Chain, FieldOrigin, Origin, RenderedObject};
use crate::engine::retain::{Retained, Rules, retain};
use crate::object::document::Identity;
use crate::value::path::Pointer;
use crate::value::{Map, Text, Value};
use origin_tracker::OriginTracker;

/// What every cluster gets before anything varies it.
#[derive(Clone, Debug)]
pub struct Base {
    pub object: Value,
    pub origin: Origin,
    /// Places of the object that are not the base's own, in the order of their pointers.
    pub given: Vec<(Pointer, Chain)>,
    /// Places that are set after all layers.
    pub sealed: Vec<(Pointer, FieldOrigin)>,
    pub wave: i64,
}

/// Patches of one document, read once for all clusters.
#[derive(Clone, Debug)]
pub struct Layer {
    name: Text,
    document: Arc<Identity>,
    /// Each with its place in the document.
    steps: Result<Vec<(Step, Pointer)>, Error>,
}

impl Layer {
    /// A layer that could not be read fails the clusters it is for, and no others.
    pub fn new(name: Text, document: Arc<Identity>, steps: Result<Vec<(Step, Pointer)>, Error>) -> Layer {
        let mends = |(step, _): &(Step, Pointer)| matches!(step.verb(), Verb::Add | Verb::Remove | Verb::Replace);
        let steps = steps.and_then(|steps| match steps.iter().find(|it| !mends(it)) {
            None => Ok(steps),
            Some((step, at)) => {
                let message = format!("a layer has no `{}`", step.verb().as_str());
                Err(Error::new(Code::BadOperation, message).at(at).hint("one of: add, remove, replace"))
            }
        });
        Layer { name, document, steps }
    }

    /// Why it could not be read.
    pub fn error(&self) -> Option<&Error> {
        self.steps.as_ref().err()
    }
}

/// Builds an object from its base, what `rules` carry over from the live object, and layers, lowest first.
///
/// # Errors
///
/// A layer cannot be applied (located at its operation), or a live value cannot be carried over.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use fleetfold_core::engine::compose::{Base, Layer, build};
/// use fleetfold_core::engine::patch::{Operation, Step, Verb};
/// use fleetfold_core::engine::{Origin, retain::Rules};
/// use fleetfold_core::object::Identity;
/// use fleetfold_core::{diagnostic::Mode, value::{json, path::Pointer}};
///
/// let document = Arc::new(Identity { kind: "FederatedDeployment".into(), name: "web".into(), ..Identity::default() });
/// let origin = Origin { document: Arc::clone(&document), path: Pointer::of(["spec", "template"]) };
/// let object = json::parse(r#"{"kind":"Deployment","spec":{"replicas":2}}"#)?;
/// let base = Base { object, origin, given: Vec::new(), sealed: Vec::new(), wave: 0 };
/// let five = Operation::written(Verb::Replace, "/spec/replicas", Some(5_i64.into()));
/// let steps = vec![(Step::read(&five, Mode::Strict)?, Pointer::of(["spec", "overrides", "0"]))];
/// let layer = Layer::new("override".into(), document, Ok(steps));
/// let built = build(&base, &Rules::default(), None, [layer].iter(), Mode::Strict, &mut Vec::new())?;
/// assert_eq!(built.object.at(&["spec", "replicas"]).unwrap().as_int(), Some(5));
/// let chain: Vec<&str> = built.origins[0].1.iter().map(|it| it.layer.as_str()).collect();
/// assert_eq!(chain, ["override", "base"], "the winner is first");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn build<'l>(
    base: &Base,
    rules: &Rules,
    live: Option<&Value>,
    layers: impl Iterator<Item = &'l Layer>,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Result<RenderedObject, Error> {
    build_on(None, base, rules, live, layers, mode, out)
}

/// The same for one of many clusters that have the first layers in common, which is where it starts if it can.
///
/// # Errors
///
/// As [`build`].
pub(crate) fn build_on<'l>(
    common: Option<&Common>,
    base: &Base,
    rules: &Rules,
    live: Option<&Value>,
    layers: impl Iterator<Item = &'l Layer>,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Result<RenderedObject, Error> {
    let carried = live.map(|live| retain(&base.object, live, rules, out)).transpose();
    let carried = carried.map_err(|error| error.at(&base.origin.path))?;
    let started = common.and_then(|common| Some((common.layers(), common.start(base, carried.as_ref())?)));
    let (applied, (object, mut origin_tracker)) = started.unwrap_or_else(|| {
        let object = carried.as_ref().map_or(&base.object, |it| &it.object).clone();
        (0, (object, OriginTracker::new(base)))
    });
    let Retained { object: carried, mut retained } =
        carried.unwrap_or_else(|| Retained { object: Value::Null, retained: Vec::new() });
    for retention in &retained {
        let value = retention.path.get(&carried).cloned();
        origin_tracker.touch(retention.path.clone(), FieldOrigin { layer: LIVE, origin: None, value });
    }
    let mut patching = Patching::new(object, mode);
    lay(&mut patching, &mut origin_tracker, layers.skip(applied))?;
    let mut object = patching.object;
    for (place, said) in &base.sealed {
        put(&mut object, place, said.value.clone().unwrap_or_default());
        origin_tracker.touch(place.clone(), said.clone());
    }
    // What a layer has changed since is no longer what the live object gave.
    retained.retain(|it| origin_tracker.is_live(&it.path));
    Ok(RenderedObject {
        object,
        base: base.origin.clone(),
        origins: origin_tracker.finish(),
        retained,
        wave: base.wave,
    })
}

/// Patches an object by layers, lowest first, and records their origins.
fn lay<'l>(
    patching: &mut Patching,
    origin_tracker: &mut OriginTracker,
    layers: impl Iterator<Item = &'l Layer>,
) -> Result<(), Error> {
    for layer in layers {
        for (step, at) in layer.steps.as_ref().map_err(Error::clone)? {
            let (place, in_list) = patching.resolve(step);
            patching.apply(step).map_err(|error| error.at(at))?;
            let origin = Origin { document: Arc::clone(&layer.document), path: at.clone() };
            let said = FieldOrigin { layer: layer.name.clone(), origin: Some(origin), value: step.value().cloned() };
            match (step.verb(), in_list) {
                (Verb::Add, true) => origin_tracker.insert(place, said, &patching.object),
                (Verb::Remove, true) => origin_tracker.remove(&place, said, &patching.object),
                (Verb::Remove, false) => origin_tracker.touch(place, FieldOrigin { value: None, ..said }),
                _ => origin_tracker.touch(place, said),
            }
        }
    }
    Ok(())
}

const LIVE: Text = Text::new_static("live");

/// Sets a place, making maps of whatever leads there.
pub(crate) fn put(object: &mut Value, place: &Pointer, value: Value) {
    let mut here = object;
    for key in place.segments() {
        if here.as_map().is_none() {
            *here = Map::new().into();
        }
        let Some(next) = here.as_map_mut().and_then(|map| map.entry_or(key, || Value::Null)) else { return };
        here = next;
    }
    *here = value;
}

#[cfg(test)]
mod tests;
