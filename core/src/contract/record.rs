//! How typed requests and answers are read from values, written to values, and described.
//!
//! One `record!` declares a struct once; reading it (with places and suggestions), writing it, and its entry in the JSON
//! Schema and the TypeScript types all come from that declaration, so they cannot drift apart. This is why the engine
//! does not use serde here: a derive could neither name the place of a wrong field nor the field that was meant, and the
//! schema would be a second description to keep true.

use std::fmt;

use crate::canonical::Writer;
use crate::diagnostic::{Code, Error};
use crate::nearest::nearest;
use crate::ordered::BTreeMap;
use crate::path::Pointer;
use crate::value::{Map, Number, Text, Value};

/// Reads a value of the request, moving it: documents are never copied on their way in.
pub trait Decode: Sized {
    fn decode(value: Value, at: &Spot) -> Result<Self, Error>;

    /// What stands for a field that is left out; nothing when it must be there.
    fn absent() -> Option<Self> {
        None
    }
}

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

/// A place in the request, held on the stack: it is written out only when something is wrong there.
#[derive(Clone, Copy, Debug)]
pub struct Spot<'a> {
    parent: Option<&'a Spot<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> Spot<'a> {
    pub const ROOT: Spot<'static> = Spot { parent: None, step: Step::Root };

    pub fn key(&'a self, key: &'a str) -> Spot<'a> {
        Spot { parent: Some(self), step: Step::Key(key) }
    }

    pub fn index(&'a self, index: usize) -> Spot<'a> {
        Spot { parent: Some(self), step: Step::Index(index) }
    }

    pub fn pointer(&self) -> crate::path::Pointer {
        let mut pointer = self.parent.map(Spot::pointer).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Key(key) => pointer.push(key),
            Step::Index(index) => pointer.push(index_text(index)),
        }
        pointer
    }

    pub fn wrong_type(&self, wanted: &str, found: &Value) -> Error {
        let field = match self.step {
            Step::Root => String::from("the request"),
            Step::Key(key) => format!("`{key}`"),
            Step::Index(index) => format!("element {index}"),
        };
        Error::new(Code::WrongType, format!("{field} must be {wanted}, not {}", found.kind())).at(self)
    }
}

/// An index as a step of a pointer. Small ones are nearly all there are, and need no formatting.
pub fn index_text(index: usize) -> Text {
    const SMALL: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    SMALL.get(index).map_or_else(|| Text::display(&index), |digit| Text::new_static(digit))
}

impl fmt::Display for Spot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pointer().fmt(f)
    }
}

/// The fields of a map, taken out one by one.
#[derive(Debug)]
pub struct Fields<'a> {
    map: Map,
    spot: &'a Spot<'a>,
}

impl<'a> Fields<'a> {
    pub fn of(value: Value, spot: &'a Spot<'a>, known: &[&str]) -> Result<Fields<'a>, Error> {
        let Value::Map(map) = value else { return Err(spot.wrong_type("a map", &value)) };
        let map = std::sync::Arc::unwrap_or_clone(map);
        if let Some(unknown) = map.keys().find(|key| !known.contains(&key.as_str())) {
            let hint = match nearest(unknown, known.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None if known.is_empty() => "there are no fields here".into(),
                None => format!("known here: {}", known.join(", ")),
            };
            let message = format!("there is no field `{unknown}` here");
            return Err(Error::new(Code::UnknownField, message).at(spot.key(unknown)).hint(hint));
        }
        Ok(Fields { map, spot })
    }

    pub fn take<T: Decode>(&mut self, name: &str) -> Result<T, Error> {
        match self.map.get_mut(name).map(std::mem::take) {
            Some(value) => T::decode(value, &self.spot.key(name)),
            None => T::absent().ok_or_else(|| {
                Error::new(Code::MissingField, format!("the field `{name}` is missing")).at(self.spot.key(name))
            }),
        }
    }
}

/// Declares a struct of the contract. `request` records are read, `answer` records are written.
#[macro_export]
#[doc(hidden)]
macro_rules! record {
    (@shape $(#[doc = $doc:literal])* $name:ident $(<$life:lifetime>)? { $($(#[doc = $fdoc:literal])* $field:ident $wire:literal: $type:ty,)* }) => {
        impl $(<$life>)? $crate::contract::record::Shaped for $name $(<$life>)? {
            const SHAPE: $crate::contract::record::Shape =
                $crate::contract::record::Shape::Record($crate::contract::record::Record {
                    name: stringify!($name),
                    doc: concat!($($doc, "\n"),*),
                    fields: &[$($crate::contract::record::Field::new(
                        $wire,
                        concat!($($fdoc, "\n"),*),
                        <$type as $crate::contract::record::Shaped>::SHAPE,
                    ),)*],
                });
        }
    };
    (request $(#[doc = $doc:literal])* pub struct $name:ident { $($(#[doc = $fdoc:literal])* $field:ident $wire:literal: $type:ty,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        pub struct $name { $($(#[doc = $fdoc])* pub $field: $type,)* }

        impl $crate::contract::record::Decode for $name {
            fn decode(value: $crate::value::Value, at: &$crate::contract::record::Spot) -> Result<Self, $crate::diagnostic::Error> {
                #[allow(unused_mut, unused_variables, reason = "a request may have no fields")]
                let mut fields = $crate::contract::record::Fields::of(value, at, &[$($wire),*])?;
                Ok($name { $($field: fields.take($wire)?,)* })
            }
        }
        $crate::record!(@shape $(#[doc = $doc])* $name { $($(#[doc = $fdoc])* $field $wire: $type,)* });
    };
    (answer $(#[doc = $doc:literal])* pub struct $name:ident $(<$life:lifetime>)? { $($(#[doc = $fdoc:literal])* $field:ident $wire:literal: $type:ty,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug)]
        pub struct $name $(<$life>)? { $($(#[doc = $fdoc])* pub $field: $type,)* }

        impl $(<$life>)? $crate::contract::record::Encode for $name $(<$life>)? {
            fn write(&self, out: &mut $crate::canonical::Writer) {
                type Write = $(for<$life>)? fn(&$name $(<$life>)?, &mut $crate::canonical::Writer);
                const FIELDS: &[(&str, Write)] = &$crate::contract::record::in_order::<Write, _>([$(
                    ($wire, |it, out| $crate::contract::record::field(out, concat!("\"", $wire, "\":"), &it.$field)),
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

/// Declares a choice of the contract: an enum whose variants are texts, with the default marked.
#[macro_export]
#[doc(hidden)]
macro_rules! choice {
    ($(#[doc = $doc:literal])* pub enum $name:ident { $($(#[doc = $vdoc:literal])* $(#[$attr:meta])? $variant:ident = $wire:literal,)* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $vdoc])* $(#[$attr])? $variant,)* }

        impl $name {
            pub const TEXTS: &[&str] = &[$($wire),*];

            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $wire,)* }
            }
        }

        impl $crate::contract::record::Decode for $name {
            fn decode(value: $crate::value::Value, at: &$crate::contract::record::Spot) -> Result<Self, $crate::diagnostic::Error> {
                match value.as_text() {
                    $(Some($wire) => Ok($name::$variant),)*
                    Some(other) => Err($crate::contract::record::unknown_text(other, $name::TEXTS, at)),
                    None => Err(at.wrong_type("a string", &value)),
                }
            }
        }

        impl $crate::contract::record::Encode for $name {
            fn write(&self, out: &mut $crate::canonical::Writer) {
                out.text(self.as_str());
            }
        }

        impl $crate::contract::record::Shaped for $name {
            const SHAPE: $crate::contract::record::Shape = $crate::contract::record::Shape::OneOfTexts($name::TEXTS);
        }
    };
}

pub fn unknown_text(text: &str, known: &[&str], at: &Spot) -> Error {
    let hint = match nearest(text, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("one of: {}", known.join(", ")),
    };
    Error::new(Code::UnknownValue, format!("`{text}` is not known here")).at(at).hint(hint)
}

macro_rules! plain {
    ($($type:ty: $shape:expr, $wanted:literal, $decode:expr, $encode:expr;)*) => {
        $(impl Decode for $type {
            fn decode(value: Value, at: &Spot) -> Result<Self, Error> {
                let read: fn(Value) -> Result<$type, Value> = $decode;
                read(value).map_err(|value| at.wrong_type($wanted, &value))
            }
        }

        impl Encode for $type {
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
    Value: Shape::Any, "a value", Ok, |it, out| out.value(it);
    bool: Shape::Bool, "true or false", |it| it.as_bool().ok_or(it), |it, out| out.bool(*it);
    i64: Shape::Int, "an integer", |it| match it { Value::Number(Number::Int(int)) => Ok(int), other => Err(other) }, |it, out| out.int(*it);
    Text: Shape::Text, "a string", |it| match it { Value::Text(text) => Ok(text), other => Err(other) }, |it, out| out.text(it);
    String: Shape::Text, "a string", |it| it.as_text().map(String::from).ok_or(it), |it, out| out.text(it);
    Map: Shape::Object, "a map", |it| match it { Value::Map(map) => Ok(std::sync::Arc::unwrap_or_clone(map)), other => Err(other) }, |it, out| out.map(it);
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

impl<T: Decode> Decode for Option<T> {
    fn decode(value: Value, at: &Spot) -> Result<Self, Error> {
        if value.is_null() { Ok(None) } else { T::decode(value, at).map(Some) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
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

impl<T: Decode> Decode for Vec<T> {
    fn decode(value: Value, at: &Spot) -> Result<Self, Error> {
        let Value::List(items) = value else { return Err(at.wrong_type("a list", &value)) };
        let items = std::sync::Arc::unwrap_or_clone(items);
        items.into_iter().enumerate().map(|(index, item)| T::decode(item, &at.index(index))).collect()
    }
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

impl<T: Decode> Decode for BTreeMap<Text, T> {
    fn decode(value: Value, at: &Spot) -> Result<Self, Error> {
        let map = Map::decode(value, at)?;
        map.into_iter().map(|(key, value)| Ok((key.clone(), T::decode(value, &at.key(&key))?))).collect()
    }
}

impl<T: Encode> Encode for BTreeMap<Text, T> {
    fn write(&self, out: &mut Writer) {
        out.open('{');
        for (key, value) in self.iter().filter(|(_, value)| !value.is_absent()) {
            out.key(key);
            value.write(out);
        }
        out.close('}');
    }
}

impl<T: Shaped> Shaped for BTreeMap<Text, T> {
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
