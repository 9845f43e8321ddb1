//! The writer as a serde `Serializer`: derived answers are written straight to canonical text.

use std::fmt::{self, Display, Write};

use serde::ser::{self, Serialize, Serializer};

use crate::value::ser::{SHARED, SHARED_PART};

use super::{Marks, Writer, is_plain, write_double, write_escaped};

/// The canonical JSON text of anything that serializes. Secrets are written as they are.
///
/// # Errors
///
/// A number that JSON or int64 cannot hold, or a key that is not a string.
pub fn to_text<T: Serialize + ?Sized>(it: &T) -> Result<String, WriteError> {
    let mut writer = Writer::default();
    writer.serialize(it)?;
    Ok(writer.into_text())
}

/// The same with the fields of structs in declaration order: for requests, whose fields are read in that order.
///
/// # Errors
///
/// As [`to_text`].
pub fn to_text_as_declared<T: Serialize + ?Sized>(it: &T) -> Result<String, WriteError> {
    let mut writer = Writer { is_unordered: true, ..Writer::default() };
    writer.serialize(it)?;
    Ok(writer.into_text())
}

/// The same as [`to_text`], with the place of every value of a newtype with this name: its start and its end.
///
/// # Errors
///
/// As [`to_text`].
pub fn to_text_marking<T: Serialize + ?Sized>(
    it: &T,
    name: &'static str,
) -> Result<(String, Vec<(usize, usize)>), WriteError> {
    let mut writer = Writer { marks: Some(Marks { name, parts: Vec::new() }), ..Writer::default() };
    writer.serialize(it)?;
    Ok((writer.out, writer.marks.map(|it| it.parts).unwrap_or_default()))
}

impl Writer {
    /// Writes anything that serializes. What was written before an error stays: drop the writer then.
    ///
    /// # Errors
    ///
    /// As [`to_text`].
    pub fn serialize<T: Serialize + ?Sized>(&mut self, it: &T) -> Result<(), WriteError> {
        it.serialize(self)
    }
}

/// Why something cannot be written as canonical JSON. In a box, it does not widen every result.
#[derive(Debug)]
pub struct WriteError(Box<str>);

impl WriteError {
    #[cold]
    fn new(message: &str) -> WriteError {
        WriteError(message.into())
    }
}

impl ser::Error for WriteError {
    fn custom<T: Display>(message: T) -> WriteError {
        WriteError::new(&message.to_string())
    }
}

impl Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WriteError {}

type Written = Result<(), WriteError>;

/// A list, map or struct that is being written.
#[derive(Debug)]
pub struct Open<'a> {
    writer: &'a mut Writer,
    end: char,
    /// Whether it is the content of a variant, around which there is a map of one entry.
    is_variant: bool,
    /// The last field, to check the order of fields in debug builds.
    last: &'static str,
}

impl<'a> Open<'a> {
    #[inline]
    fn list(writer: &'a mut Writer) -> Open<'a> {
        writer.open('[');
        Open { writer, end: ']', is_variant: false, last: "" }
    }

    #[inline]
    fn map(writer: &'a mut Writer) -> Open<'a> {
        writer.open('{');
        Open { writer, end: '}', is_variant: false, last: "" }
    }

    fn element<T: Serialize + ?Sized>(&mut self, element: &T) -> Written {
        if !self.writer.out.ends_with('[') {
            self.writer.out.push(',');
        }
        element.serialize(&mut *self.writer)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        debug_assert!(
            self.writer.is_unordered || self.last < name,
            "`{name}` must be declared before `{}`: fields are written in order",
            self.last
        );
        debug_assert!(is_plain(name.as_bytes()), "`{name}` would need escapes");
        self.last = name;
        self.writer.comma();
        self.writer.out.push('"');
        self.writer.raw(name);
        self.writer.raw("\":");
        value.serialize(&mut *self.writer)
    }

    fn close(self) -> Written {
        self.writer.close(self.end);
        if self.is_variant {
            self.writer.close('}');
        }
        Ok(())
    }
}

/// Integers as int64, which is what the reader takes.
macro_rules! integers {
    ($($name:ident: $type:ty,)*) => {
        $(fn $name(self, int: $type) -> Written {
            match i64::try_from(int) {
                Ok(int) => self.serialize_i64(int),
                Err(_) => Err(WriteError::new("the integer does not fit in 64 bits")),
            }
        })*
    };
}

impl<'a> Serializer for &'a mut Writer {
    type Ok = ();
    type Error = WriteError;
    type SerializeSeq = Open<'a>;
    type SerializeTuple = Open<'a>;
    type SerializeTupleStruct = Open<'a>;
    type SerializeTupleVariant = Open<'a>;
    type SerializeMap = Open<'a>;
    type SerializeStruct = Open<'a>;
    type SerializeStructVariant = Open<'a>;

    fn serialize_bool(self, bool: bool) -> Written {
        self.bool(bool);
        Ok(())
    }

    fn serialize_i64(self, int: i64) -> Written {
        self.int(int);
        Ok(())
    }

    integers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
    }

    fn serialize_f32(self, double: f32) -> Written {
        self.serialize_f64(f64::from(double))
    }

    fn serialize_f64(self, double: f64) -> Written {
        if !double.is_finite() {
            return Err(WriteError::new("JSON has no number for infinity or NaN"));
        }
        write_double(double, &mut self.out);
        Ok(())
    }

    fn serialize_char(self, char: char) -> Written {
        self.serialize_str(char.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Written {
        self.text(text);
        Ok(())
    }

    /// Bytes are a list of numbers, as in serde_json.
    fn serialize_bytes(self, bytes: &[u8]) -> Written {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Written {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, it: &T) -> Written {
        it.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        self.raw("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, it: &T) -> Written {
        let is_part = name == SHARED_PART;
        let address = (is_part || name == SHARED).then(|| std::ptr::from_ref(it).cast::<()>().addr());
        if let Some((start, end)) = address.and_then(|it| self.written.find(it)) {
            // What surrounds a value of which a text is copied is marked itself.
            if let Some(marks) = self.marks.as_mut().filter(|_| is_part) {
                marks.copy(start, end, self.out.len());
            }
            self.out.extend_from_within(start..end);
            return Ok(());
        }
        let start = self.out.len();
        it.serialize(&mut *self)?;
        let end = self.out.len();
        if let Some(address) = address {
            self.written.record(address, start, end);
        }
        if let Some(marks) = self.marks.as_mut().filter(|it| it.name == name) {
            marks.parts.push((start, end));
        }
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        it: &T,
    ) -> Written {
        let mut open = Open::map(self);
        open.field(variant, it)?;
        open.close()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'a>, WriteError> {
        Ok(Open::list(self))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'a>, WriteError> {
        Ok(Open::list(self))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'a>, WriteError> {
        Ok(Open::list(self))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'a>, WriteError> {
        self.open('{');
        self.key(variant);
        Ok(Open { is_variant: true, ..Open::list(self) })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'a>, WriteError> {
        Ok(Open::map(self))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'a>, WriteError> {
        Ok(Open::map(self))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'a>, WriteError> {
        self.open('{');
        self.key(variant);
        Ok(Open { is_variant: true, ..Open::map(self) })
    }

    fn collect_str<T: Display + ?Sized>(self, it: &T) -> Written {
        self.out.push('"');
        let written = write!(Escaping(&mut self.out), "{it}");
        self.out.push('"');
        written.map_err(ser::Error::custom)
    }
}

/// Escapes text piece by piece.
struct Escaping<'a>(&'a mut String);

impl Write for Escaping<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        write_escaped(piece, self.0);
        Ok(())
    }
}

macro_rules! elements {
    ($($trait:ident: $element:ident,)*) => {
        $(impl ser::$trait for Open<'_> {
            type Ok = ();
            type Error = WriteError;

            fn $element<T: Serialize + ?Sized>(&mut self, element: &T) -> Written {
                self.element(element)
            }

            fn end(self) -> Written {
                self.close()
            }
        })*
    };
}

elements! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

macro_rules! fields {
    ($($trait:ident)*) => {
        $(impl ser::$trait for Open<'_> {
            type Ok = ();
            type Error = WriteError;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
                self.field(name, value)
            }

            fn end(self) -> Written {
                self.close()
            }
        })*
    };
}

fields! { SerializeStruct SerializeStructVariant }

impl ser::SerializeMap for Open<'_> {
    type Ok = ();
    type Error = WriteError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Written {
        self.writer.comma();
        let start = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        if self.writer.out.as_bytes().get(start) != Some(&b'"') {
            return Err(WriteError::new("a key must be a string"));
        }
        self.writer.out.push(':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Written {
        self.close()
    }
}
