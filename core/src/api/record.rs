//! How typed requests and answers are read from values, written to values, and described.
//!
//! One `record!` declares a struct once; reading it (with places and suggestions), writing it, and its entry in the JSON
//! Schema and the TypeScript types all come from that declaration, so they cannot drift apart. This is why the engine
//! does not use serde here: a derive could neither name the place of a wrong field nor the field that was meant, and the
//! schema would be a second description to keep true.

use crate::value::canonical::Writer;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::{Map, Text, Value};

/// Writes a part of the answer, straight to its text: an answer is mostly documents that are there already.
pub trait Encode {
    fn write(&self, out: &mut Writer);

    /// Whether a field with this is left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Writes a field of an answer, unless it is left out. The key is written as JSON has it, with quotes and colon.
#[inline]
pub fn field(out: &mut Writer, key: &'static str, value: &impl Encode) {
    if !value.is_absent() {
        out.written_key(key);
        value.write(out);
    }
}

/// Fields in the order of their names, as canonical JSON has them. It runs in the compiler.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
pub const fn in_order<F: Copy, const N: usize>(mut fields: [(&'static str, F); N]) -> [(&'static str, F); N] {
    let mut end = 1;
    while end < N {
        let mut at = end;
        while at > 0 && is_before(fields[at].0.as_bytes(), fields[at - 1].0.as_bytes()) {
            fields.swap(at, at - 1);
            at -= 1;
        }
        end += 1;
    }
    fields
}

const fn is_before(mut a: &[u8], mut b: &[u8]) -> bool {
    while let (Some((x, rest_a)), Some((y, rest_b))) = (a.split_first(), b.split_first()) {
        if *x != *y {
            return *x < *y;
        }
        (a, b) = (rest_a, rest_b);
    }
    a.len() < b.len()
}

/// Describes a part of the contract. Descriptions are data: code that makes them would weigh more than the ops.
pub trait Shaped {
    const SHAPE: Shape;
}

/// What a value of the contract looks like.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Any,
    Null,
    Object,
    Bool,
    Int,
    Text,
    OneOfTexts(&'static [&'static str]),
    List(&'static Shape),
    MapOf(&'static Shape),
    Nullable(&'static Shape),
    Either(&'static [Shape]),
    Record(Record),
}

/// A struct of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub name: &'static str,
    pub doc: &'static str,
    pub fields: &'static [Field],
}

#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub doc: &'static str,
    pub shape: Shape,
    pub required: bool,
}

impl Field {
    /// What may be null may be left out.
    pub const fn new(name: &'static str, doc: &'static str, shape: Shape) -> Field {
        match shape {
            Shape::Nullable(inner) => Field { name, doc, shape: *inner, required: false },
            shape => Field { name, doc, shape, required: true },
        }
    }
}

/// Declares a struct of the contract. `request` records are read, `answer` records are written.
#[macro_export]
#[doc(hidden)]
macro_rules! record {
    (@shape $(#[doc = $doc:literal])* $name:ident $(<$life:lifetime>)? { $($(#[doc = $fdoc:literal])* $field:ident $wire:literal: $type:ty,)* }) => {
        impl $(<$life>)? $crate::api::record::Shaped for $name $(<$life>)? {
            const SHAPE: $crate::api::record::Shape =
                $crate::api::record::Shape::Record($crate::api::record::Record {
                    name: stringify!($name),
                    doc: concat!($($doc, "\n"),*),
                    fields: &[$($crate::api::record::Field::new(
                        $wire,
                        concat!($($fdoc, "\n"),*),
                        <$type as $crate::api::record::Shaped>::SHAPE,
                    ),)*],
                });
        }
    };
    (request $(#[doc = $doc:literal])* pub struct $name:ident { $($(#[doc = $fdoc:literal])* $field:ident $wire:literal: $type:ty,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        pub struct $name { $($(#[doc = $fdoc])* pub $field: $type,)* }

        impl $crate::diagnostic::decode::Decode for $name {
            fn decode(value: $crate::value::Value, at: &$crate::value::JsonPath) -> Result<Self, $crate::diagnostic::Error> {
                #[allow(unused_mut, unused_variables, reason = "a request may have no fields")]
                let mut fields = $crate::diagnostic::decode::Fields::of(value, at, &[$($wire),*])?;
                Ok($name { $($field: fields.take($wire)?,)* })
            }
        }
        $crate::record!(@shape $(#[doc = $doc])* $name { $($(#[doc = $fdoc])* $field $wire: $type,)* });
    };
    (answer $(#[doc = $doc:literal])* pub struct $name:ident $(<$life:lifetime>)? { $($(#[doc = $fdoc:literal])* $field:ident $wire:literal: $type:ty,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        pub struct $name $(<$life>)? { $($(#[doc = $fdoc])* pub $field: $type,)* }

        impl $(<$life>)? $crate::api::record::Encode for $name $(<$life>)? {
            fn write(&self, out: &mut $crate::value::canonical::Writer) {
                type Write = $(for<$life>)? fn(&$name $(<$life>)?, &mut $crate::value::canonical::Writer);
                const FIELDS: &[(&str, Write)] = &$crate::api::record::in_order::<Write, _>([$(
                    ($wire, |it, out| $crate::api::record::field(out, concat!("\"", $wire, "\":"), &it.$field)),
                )*]);
                out.open('{');
                for (_, write) in FIELDS {
                    write(self, out);
                }
                out.close('}');
            }
        }
        $crate::record!(@shape $(#[doc = $doc])* $name $(<$life>)? { $($(#[doc = $fdoc])* $field $wire: $type,)* });
    };
}

macro_rules! plain {
    ($($type:ty: $shape:expr, $encode:expr;)*) => {
        $(impl Encode for $type {
            fn write(&self, out: &mut Writer) {
                let write: fn(&$type, &mut Writer) = $encode;
                write(self, out);
            }
        }

        impl Shaped for $type {
            const SHAPE: Shape = $shape;
        })*
    };
}

plain! {
    Value: Shape::Any, |it, out| out.value(it);
    bool: Shape::Bool, |it, out| out.bool(*it);
    i64: Shape::Int, |it, out| out.int(*it);
    Text: Shape::Text, |it, out| out.text(it);
    String: Shape::Text, |it, out| out.text(it);
    Map: Shape::Object, |it, out| out.map(it);
}

impl<T: Encode + ?Sized> Encode for &T {
    fn write(&self, out: &mut Writer) {
        (**self).write(out);
    }

    fn is_absent(&self) -> bool {
        (**self).is_absent()
    }
}

impl<T: Shaped + ?Sized> Shaped for &T {
    const SHAPE: Shape = T::SHAPE;
}

impl Encode for Pointer {
    fn write(&self, out: &mut Writer) {
        out.pointer(self);
    }
}

impl Shaped for Pointer {
    const SHAPE: Shape = Shape::Text;
}

impl Encode for str {
    fn write(&self, out: &mut Writer) {
        out.text(self);
    }
}

impl Shaped for str {
    const SHAPE: Shape = Shape::Text;
}

impl<T: Encode> Encode for Option<T> {
    fn write(&self, out: &mut Writer) {
        if let Some(it) = self {
            it.write(out);
        }
    }

    fn is_absent(&self) -> bool {
        self.as_ref().is_none_or(T::is_absent)
    }
}

impl<T: Shaped> Shaped for Option<T> {
    const SHAPE: Shape = Shape::Nullable(&T::SHAPE);
}

impl<T: Encode> Encode for Vec<T> {
    fn write(&self, out: &mut Writer) {
        self.as_slice().write(out);
    }
}

impl<T: Encode> Encode for [T] {
    fn write(&self, out: &mut Writer) {
        out.list(self.iter().filter(|it| !it.is_absent()), |out, it| it.write(out));
    }
}

impl<T: Shaped> Shaped for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

impl<T: Encode> Encode for SortedMap<Text, T> {
    fn write(&self, out: &mut Writer) {
        out.open('{');
        for (key, value) in self.iter().filter(|(_, value)| !value.is_absent()) {
            out.key(key);
            value.write(out);
        }
        out.close('}');
    }
}

impl<T: Shaped> Shaped for SortedMap<Text, T> {
    const SHAPE: Shape = Shape::MapOf(&T::SHAPE);
}

/// An answer field that is null rather than left out when there is nothing: its absence would say something else.
#[derive(Clone, Debug)]
pub struct OrNull<T>(pub Option<T>);

impl<T: Encode> Encode for OrNull<T> {
    fn write(&self, out: &mut Writer) {
        match &self.0 {
            Some(it) if !it.is_absent() => it.write(out),
            _ => out.value(&Value::Null),
        }
    }
}

impl<T: Shaped> Shaped for OrNull<T> {
    const SHAPE: Shape = Shape::Either(&[T::SHAPE, Shape::Null]);
}

/// What a `choice!` of any room needs to be part of an answer and of the schema.
macro_rules! choices {
    ($($name:ty),* $(,)?) => {
        $(impl Encode for $name {
            fn write(&self, out: &mut Writer) {
                out.text(self.as_str());
            }
        }

        impl Shaped for $name {
            const SHAPE: Shape = Shape::OneOfTexts(<$name>::TEXTS);
        })*
    };
}
pub(crate) use choices;

impl Shaped for crate::object::labels::Labels {
    const SHAPE: Shape = Shape::Nullable(&Shape::MapOf(&Shape::Text));
}
