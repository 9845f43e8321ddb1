//! The union of what the template has and what the cluster added.

use super::wanted::Fit;
use super::{Carry, Ctx, not_a_map};
use crate::diagnostic::Error;
use crate::engine::retain::pair::{pair, pair_by_keys, raw_extra};
use crate::object::kinds::retention::{Pairs, Quirk};
use crate::value::collections::SortedSet;
use crate::value::path::Pointer;
use crate::value::{Map, Value};

impl Ctx<'_> {
    /// Adds the live entries that the desired map or list does not have.
    pub(super) fn unite(
        &mut self,
        carry: &Carry,
        desired: Option<Value>,
        live: &Value,
        place: &Pointer,
    ) -> Result<(), Error> {
        let desired = desired.filter(|it| !it.is_null());
        let desired = desired.filter(|it| !carry.has(Quirk::WrongIsAbsent) || carry.wanted.fit(it) != Fit::Wrong);
        match (desired, live) {
            (None, Value::Map(live)) => self.unite_maps(carry, &Map::new(), live, place)?,
            (Some(Value::Map(desired)), Value::Map(live)) => self.unite_maps(carry, &desired, live, place)?,
            (None, Value::List(live)) => self.unite_lists(carry, &[], live, place)?,
            (Some(Value::List(desired)), Value::List(live)) => self.unite_lists(carry, &desired, live, place)?,
            (Some(other), _) => self.blocked(carry, "desired", &other, place)?,
            (None, _) => {}
        }
        Ok(())
    }

    fn unite_maps(&mut self, carry: &Carry, desired: &Map, live: &Map, place: &Pointer) -> Result<(), Error> {
        let sent = carry.quirks.iter().find_map(|quirk| match quirk {
            Quirk::Tracked(annotation) => Some(self.live.text_at(&["metadata", "annotations", annotation])),
            _ => None,
        });
        let sent: SortedSet<&str> = sent.into_iter().flat_map(|keys| keys.split(',')).collect();
        let mut united: Option<Map> = None;
        for (key, value, own) in live.beside(desired) {
            if own.is_none() && !sent.contains(key.as_str()) {
                united.get_or_insert_with(|| desired.clone()).insert(key.clone(), value.clone());
                self.record(carry, &place.child(key.clone()));
            }
        }
        united.map_or(Ok(()), |united| self.put(place, united.into()))
    }

    fn unite_lists(&mut self, carry: &Carry, desired: &[Value], live: &[Value], place: &Pointer) -> Result<(), Error> {
        let extra: Vec<usize> = match carry.pairs {
            Pairs::ByRaw(keys) => raw_extra(desired, live, keys).map_err(|error| not_a_map(error, place))?,
            Pairs::ByKeys(groups) => pair_by_keys(desired, live, groups).0.extra,
            Pairs::ByKind => match pair(desired, live, self.list_kind(place)) {
                Ok(pairing) => pairing.extra,
                Err(unpairable) => {
                    self.unpaired(carry, &unpairable, place);
                    return Ok(());
                }
            },
        };
        let mut united = desired.to_vec();
        for item in extra.into_iter().filter_map(|index| live.get(index)) {
            self.record(carry, &place.child(united.len().to_string()));
            united.push(item.clone());
        }
        if united.len() > desired.len() {
            self.put(place, united.into())?;
        } else if united.is_empty() && carry.has(Quirk::WritesNull) {
            self.put(place, Value::Null)?;
        }
        Ok(())
    }
}
