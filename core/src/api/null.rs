//! Fields of which null and absence say two different things.

use super::record::{Encode, Shape, Shaped};
use crate::diagnostic::Error;
use crate::diagnostic::decode::Decode;
use crate::value::JsonPath;
use crate::value::Value;
use crate::value::canonical::Writer;

/// A request's value, null if it was given as null; nothing if it was left out.
#[derive(Clone, Debug)]
pub struct Given(pub Option<Value>);

impl Decode for Given {
    fn decode(value: Value, _: &JsonPath) -> Result<Given, Error> {
        Ok(Given(Some(value)))
    }

    fn absent() -> Option<Given> {
        Some(Given(None))
    }
}

impl Shaped for Given {
    const SHAPE: Shape = Shape::Nullable(&Shape::Any);
}

/// An answer's value, which is written even when it is null.
#[derive(Clone, Debug)]
pub struct Explicit(pub Value);

impl Encode for Explicit {
    fn write(&self, out: &mut Writer) {
        out.value(&self.0);
    }
}

impl Shaped for Explicit {
    const SHAPE: Shape = Shape::Any;
}
