//! The last applied object is recorded on the live one, so that removed fields can be distinguished from fields of
//! other writers.

use crate::object::secrets;
use crate::value::json::Samples;
use crate::value::{Map, Value};

/// The annotation that holds it.
pub const APPLIED: &str = "fleetfold.dev/applied";

/// All annotations of an object may take 256 KiB together; others need room too.
const MOST: usize = 128 * 1024;

/// The desired object with the record of itself. One that is too large to record goes without.
pub fn recorded(mut desired: Value) -> Value {
    let text = shape_of(&desired).to_canonical();
    let metadata = desired.as_map_mut().and_then(|it| it.entry_or("metadata", || Map::new().into()));
    let Some(metadata) = metadata.and_then(Value::as_map_mut) else { return desired };
    let Some(annotations) = metadata.entry_or("annotations", || Map::new().into()) else { return desired };
    if annotations.is_null() {
        *annotations = Map::new().into();
    }
    if let Some(annotations) = annotations.as_map_mut().filter(|_| text.len() <= MOST) {
        annotations.insert(APPLIED, Value::text(text));
    }
    desired
}

/// What was applied last, if it was recorded. Like records share their equal parts.
pub fn last_applied(live: &Value, records: &mut Samples) -> Option<Value> {
    records.read(live.at(&["metadata", "annotations", APPLIED])?.as_text()?, |_| true).ok()
}

/// The desired object without the record, and without what a Secret keeps to itself: which keys there were is enough.
fn shape_of(desired: &Value) -> Value {
    let mut shape = desired.clone();
    secrets::redact_contents(&mut shape);
    let annotations = shape.get_mut("metadata").and_then(|it| it.get_mut("annotations")).and_then(Value::as_map_mut);
    if let Some(annotations) = annotations {
        annotations.remove(APPLIED);
    }
    shape
}
