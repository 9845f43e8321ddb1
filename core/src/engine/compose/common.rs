//! The part that many clusters share: the base with the layers that all of them have first.
//!
//! Live values are carried over before the layers, so each cluster would have to be built from the base. That is not
//! necessary if live values and layers are independent. Then their order does not matter, and the layers are applied
//! once:
//!
//! 1. No place that a layer changes lies inside a retained one, or around it.
//! 2. No layer inserts or removes an element of a list, so every index stays the same.
//! 3. All of the layers apply to the base alone.

use super::origin_tracker::OriginTracker;
use super::{Base, Layer, Patching, Verb, lay};
use crate::diagnostic::Mode;
use crate::engine::rendered::Chain;
use crate::engine::retain::{Retained, set};
use crate::value::Value;
use crate::value::path::Pointer;

/// A base with layers, in strict mode.
#[derive(Debug)]
pub struct Common {
    object: Value,
    touched: Vec<(Pointer, Chain)>,
    has_wholes: bool,
    layers: usize,
}

impl Common {
    /// How many places are compared with each other at most: beyond that, building from the base is as fast.
    const MOST: usize = 4096;

    /// Nothing where the layers cannot be laid before live values.
    pub fn of(base: &Base, layers: &[&Layer]) -> Option<Common> {
        let (mut patching, mut tracker) = (Patching::new(base.object.clone(), Mode::Strict), OriginTracker::new(base));
        for layer in layers {
            for (step, _) in layer.steps.as_ref().ok()? {
                let (_, in_list) = patching.resolve(step);
                if in_list && matches!(step.verb(), Verb::Add | Verb::Remove) {
                    return None;
                }
            }
            lay(&mut patching, &mut tracker, std::iter::once(*layer)).ok()?;
        }
        let (touched, has_wholes) = tracker.entries();
        Some(Common { object: patching.object, touched: touched.to_vec(), has_wholes, layers: layers.len() })
    }

    /// How many layers it has.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// The object with what the live one gave, and what was touched but for that. Nothing where the order matters.
    pub fn start<'b>(&self, base: &'b Base, carried: Option<&Retained>) -> Option<(Value, OriginTracker<'b>)> {
        let mut object = self.object.clone();
        let retained = carried.map_or(&[][..], |it| &it.retained);
        if retained.len().saturating_mul(self.touched.len()) > Common::MOST {
            return None;
        }
        let mut last_list: Option<Pointer> = None;
        for (carried, place) in retained.iter().filter_map(|it| Some((&carried?.object, &it.path))) {
            // Of a list that got elements, all of it.
            let list = place.split_last().map(|(above, _)| above);
            let list = list.filter(|it| it.get(carried).is_some_and(|it| it.as_list().is_some()));
            if list.is_some() && list == last_list {
                continue;
            }
            let place = list.as_ref().unwrap_or(place);
            if self.touched.iter().any(|(it, _)| it.contains(place) || place.contains(it)) {
                return None;
            }
            set(&mut object, place, place.get(carried)?.clone())?;
            last_list = list;
        }
        Some((object, OriginTracker::after(base, (&self.touched, self.has_wholes))))
    }
}
