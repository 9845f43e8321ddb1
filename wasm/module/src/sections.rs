//! A binary as a list of sections.
//!
//! Modules and components are laid out alike: eight bytes that say which of both it is, and then sections, each a
//! number, a length and that many bytes. What is nested in a component is contents of a section here.

use std::ops::Range;

use wasmparser::BinaryReader;

use crate::module_error::ModuleError;

/// Which of the two layouts a binary has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Module,
    Component,
}

/// The names of sections by their numbers. A custom section has a name of its own.
const MODULE: &[&str] = &[
    "custom",
    "type",
    "import",
    "function",
    "table",
    "memory",
    "global",
    "export",
    "start",
    "element",
    "code",
    "data",
    "data count",
    "tag",
];
const COMPONENT: &[&str] = &[
    "custom",
    "core module",
    "core instance",
    "core type",
    "component",
    "instance",
    "alias",
    "type",
    "canonical",
    "start",
    "import",
    "export",
    "value",
];

/// The first four bytes of both.
const MAGIC: &[u8] = b"\0asm";

/// The bytes after them: a version and a layer.
const FORMS: &[([u8; 4], Form)] = &[([1, 0, 0, 0], Form::Module), ([13, 0, 1, 0], Form::Component)];

/// One section of a binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// What sections of this number are called.
    pub kind: &'static str,
    /// The name of a custom section; empty for all others.
    pub name: String,
    /// The whole section, with its number and length.
    pub whole: Range<usize>,
    /// What is in it; of a custom section, what follows its name.
    pub contents: Range<usize>,
}

/// Reads the outline of a binary: every section, in order.
pub(crate) fn sections(bytes: &[u8]) -> Result<(Form, Vec<Section>), ModuleError> {
    let form = form(bytes)?;
    let names = match form {
        Form::Module => MODULE,
        Form::Component => COMPONENT,
    };
    let mut reader = BinaryReader::new(bytes, 0);
    let mut found = Vec::new();
    reader.read_bytes(MAGIC.len() + 4).map_err(|error| ModuleError::broken(&error))?;
    while !reader.eof() {
        found.push(section(&mut reader, names)?);
    }
    Ok((form, found))
}

fn section(reader: &mut BinaryReader<'_>, names: &[&'static str]) -> Result<Section, ModuleError> {
    let broken = |error| ModuleError::broken(&error);
    let start = reader.original_position();
    let id = reader.read_u8().map_err(broken)?;
    let Some(kind) = names.get(usize::from(id)).copied() else {
        let hint = "it is made by a newer tool than this one, or damaged: build it for WebAssembly 3.0 or lower";
        return Err(ModuleError::new(format!("there is no section of number {id}"), start, hint));
    };
    let len = reader.read_var_u32().map_err(broken)? as usize;
    let rest = reader.bytes_remaining();
    if len > rest {
        let what = format!("the {kind} section needs {len} bytes, and {rest} are left");
        return Err(ModuleError::new(what, start, "the file is cut off: build or fetch it again"));
    }
    let inner = reader.original_position();
    let mut contents = BinaryReader::new(reader.read_bytes(len).map_err(broken)?, inner);
    let name = if id == 0 { contents.read_string().map_err(broken)?.to_owned() } else { String::new() };
    let end = reader.original_position();
    Ok(Section { kind, name, whole: start..end, contents: contents.original_position()..end })
}

fn form(bytes: &[u8]) -> Result<Form, ModuleError> {
    const HINT: &str = "give a `.wasm` file";
    let Some((magic, rest)) = bytes.split_at_checked(MAGIC.len()).filter(|(magic, _)| *magic == MAGIC) else {
        let is_text =
            bytes.trim_ascii_start().starts_with(b"(module") || bytes.trim_ascii_start().starts_with(b"(component");
        let hint = if is_text { "this is the text form: assemble it first, with `wasm-tools parse`" } else { HINT };
        let same = bytes.iter().zip(MAGIC).take_while(|(a, b)| a == b).count();
        return Err(ModuleError::new("these bytes are not WebAssembly", same, hint));
    };
    let Some(version) = rest.first_chunk::<4>() else {
        return Err(ModuleError::new(
            "the file ends before its version",
            bytes.len(),
            "the file is cut off: build or fetch it again",
        ));
    };
    let form = FORMS.iter().find(|(bytes, _)| bytes == version).map(|(_, form)| *form);
    form.ok_or_else(|| {
        let [a, b, c, d] = version;
        let what = format!("there is no WebAssembly of version {a}.{b}.{c}.{d}");
        ModuleError::new(what, magic.len(), "build it as a core module or as a component of the released format")
    })
}
