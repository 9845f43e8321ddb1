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

/// A list with its hash: in a fleet it is asked for once a cluster.
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

/// The chains that were answered before, by their addresses: what is answered about outlives the answer. A later one takes
/// the place of an earlier one with the same slot.
#[derive(Debug, Default)]
pub struct Chains(Vec<Option<Known>>);

#[derive(Clone, Debug)]
struct Known {
    chain: usize,
    place: usize,
    path: Text,
    layers: LayerList,
}

impl Chains {
    const SLOTS: usize = 1024;

    /// The chains of an object, by the texts of their places.
    pub fn answer(
        &mut self,
        object: &Value,
        origins: &[(Pointer, Chain)],
        sources: &Sources,
    ) -> SortedMap<Text, LayerList> {
        let visibility = Visibility::Redacted(&[object]);
        // What is shown of an object with a Secret depends on the object.
        let is_plain = !secrets::holds_secret(object);
        let chain = |(place, chain): &(Pointer, Chain)| {
            let make = || {
                let shown = |value: &Value| visibility.show(value.clone(), place);
                let layers: Vec<LayerAnswer> = chain.iter().map(|it| sources.layer(it, shown)).collect();
                (place.to_text(), layers.into())
            };
            if is_plain && Arc::strong_count(chain) > 1 { self.known(place, chain, make) } else { make() }
        };
        origins.iter().map(chain).collect()
    }

    fn known(
        &mut self,
        place: &Pointer,
        chain: &Chain,
        make: impl FnOnce() -> (Text, LayerList),
    ) -> (Text, LayerList) {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        if self.0.is_empty() {
            self.0.resize(Chains::SLOTS, None);
        }
        let (chain, place) = (Arc::as_ptr(chain).addr(), place.address());
        let hash = ((chain as u64) ^ (place as u64).rotate_left(32)).wrapping_mul(ODD) >> 32;
        let slot = usize::try_from(hash).map_or(0, |it| it % Chains::SLOTS);
        let Some(slot) = self.0.get_mut(slot) else { return make() };
        if let Some(known) = slot.as_ref().filter(|it| it.chain == chain && it.place == place) {
            return (known.path.clone(), known.layers.clone());
        }
        let (path, layers) = make();
        *slot = Some(Known { chain, place, path: path.clone(), layers: layers.clone() });
        (path, layers)
    }
}
