//! The layers of a place in an answer. Results share most of their chains, so each is made once and written once.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::LayerAnswer;
use super::sources::Sources;
use crate::engine::rendered::Chain;
use crate::object::redacted::Visibility;
use crate::object::secrets;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::{SHARED_PART, Text, Value, WordHasher};

/// The layers that set a place, winner first.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Vec<LayerAnswer>")]
pub struct LayerList(Arc<Hashed>);

/// A list with its hash, which is needed once per cluster.
#[derive(Debug)]
struct Hashed {
    layers: Vec<LayerAnswer>,
    hash: u64,
}

impl From<Vec<LayerAnswer>> for LayerList {
    fn from(layers: Vec<LayerAnswer>) -> LayerList {
        let mut hasher = WordHasher::default();
        layers.hash(&mut hasher);
        LayerList(Arc::new(Hashed { layers, hash: hasher.finish() }))
    }
}

impl Deref for LayerList {
    type Target = [LayerAnswer];

    fn deref(&self) -> &[LayerAnswer] {
        &self.0.layers
    }
}

impl PartialEq for LayerList {
    fn eq(&self, other: &LayerList) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.layers == other.0.layers
    }
}

impl Hash for LayerList {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Serialize for LayerList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match Arc::strong_count(&self.0) {
            1 => self.0.layers.serialize(serializer),
            _ => serializer.serialize_newtype_struct(SHARED_PART, &self.0.layers),
        }
    }
}

/// The chains that were answered before and the texts of places. A later one takes the place of an earlier one with the
/// same slot.
#[derive(Debug, Default)]
pub struct Chains {
    layers: Slots<Chain, LayerList>,
    paths: Slots<Pointer, Text>,
}

/// What was made of something shared, by its address. The slots hold on to what has the address, so that nothing else
/// can come to be there.
#[derive(Debug)]
struct Slots<K, T>(Vec<Option<(K, T)>>);

impl<K, T> Default for Slots<K, T> {
    fn default() -> Slots<K, T> {
        Slots(Vec::new())
    }
}

/// Something that is shared by reference.
trait Shared: Clone {
    fn address(&self) -> usize;
}

impl Shared for Chain {
    fn address(&self) -> usize {
        Arc::as_ptr(self).addr()
    }
}

impl Shared for Pointer {
    fn address(&self) -> usize {
        Pointer::address(self)
    }
}

impl Chains {
    /// The chains of an object, by the texts of their places.
    pub fn answer(
        &mut self,
        object: &Value,
        origins: &[(Pointer, Chain)],
        sources: &Sources,
    ) -> SortedMap<Text, LayerList> {
        let visibility = Visibility::Redacted(&[object]);
        // What is shown of an object with a Secret depends on the object and on the place in it.
        let is_plain = !secrets::holds_secret(object);
        let Chains { layers, paths } = self;
        let chain = |(place, chain): &(Pointer, Chain)| {
            let make = || {
                let shown = |value: &Value| visibility.show(value.clone(), place);
                LayerList::from(chain.iter().map(|it| sources.layer(it, shown)).collect::<Vec<_>>())
            };
            let is_shared = is_plain && Arc::strong_count(chain) > 1;
            let list = if is_shared { layers.get_or(chain, make) } else { make() };
            let path = if place.is_shared() { paths.get_or(place, || place.to_text()) } else { place.to_text() };
            (path, list)
        };
        origins.iter().map(chain).collect()
    }
}

impl<K: Shared, T: Clone> Slots<K, T> {
    const COUNT: usize = 1024;

    fn get_or(&mut self, key: &K, make: impl FnOnce() -> T) -> T {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        if self.0.is_empty() {
            self.0.resize_with(Self::COUNT, || None);
        }
        let address = key.address();
        let hash = (address as u64).wrapping_mul(ODD) >> 32;
        let slot = usize::try_from(hash).ok().and_then(|it| self.0.get_mut(it % Self::COUNT));
        let Some(slot) = slot else { return make() };
        match slot {
            Some((known, kept)) if known.address() == address => kept.clone(),
            _ => slot.insert((key.clone(), make())).1.clone(),
        }
    }
}
