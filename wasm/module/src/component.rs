//! What a component imports and exports: names and what they are.
//!
//! Types of components are a language of their own, which is printed by tools that are made for it. Names and kinds say
//! which world a component belongs to.

use wasmparser::BinaryReader;

use crate::inspect::{Item, Items};
use crate::module_error::ModuleError;
use crate::sections::Section;

type ReadItem = fn(&mut BinaryReader<'_>) -> Result<Item, ModuleError>;

/// Imports and exports of a component, in order.
pub(crate) fn items(bytes: &[u8], sections: &[Section]) -> Result<Items, ModuleError> {
    let mut found = Items::default();
    for section in sections {
        let (items, read): (_, ReadItem) = match section.kind {
            "import" => (&mut found.imports, import),
            "export" => (&mut found.exports, export),
            _ => continue,
        };
        let contents = bytes.get(section.contents.clone()).unwrap_or_default();
        let mut reader = BinaryReader::new(contents, section.contents.start);
        let count = reader.read_var_u32().map_err(|error| ModuleError::broken(&error))?;
        for _ in 0..count {
            items.push(read(&mut reader)?);
        }
        if !reader.eof() {
            let what = format!("the {} section holds more than its {count} entries", section.kind);
            return Err(ModuleError::new(what, reader.original_position(), "the file is damaged: build it again"));
        }
    }
    Ok(found)
}

fn import(reader: &mut BinaryReader<'_>) -> Result<Item, ModuleError> {
    let name = name(reader)?;
    let kind = described(reader)?;
    Ok(Item { from: String::new(), name, kind, type_of: String::new() })
}

fn export(reader: &mut BinaryReader<'_>) -> Result<Item, ModuleError> {
    let name = name(reader)?;
    let kind = sort(reader)?;
    broken(reader.read_var_u32())?;
    if broken(reader.read_u8())? == 1 {
        described(reader)?;
    }
    Ok(Item { from: String::new(), name, kind, type_of: String::new() })
}

/// A name, and in the newest form what else is said about it.
fn name(reader: &mut BinaryReader<'_>) -> Result<String, ModuleError> {
    let at = reader.original_position();
    let form = broken(reader.read_u8())?;
    if form > 2 {
        return Err(unknown("a name", form, at));
    }
    let name = broken(reader.read_string())?.to_owned();
    if form == 2 {
        for _ in 0..broken(reader.read_var_u32())? {
            broken(reader.read_u8())?;
            broken(reader.read_string())?;
        }
    }
    Ok(name)
}

/// What is imported, or what an export is said to be: its kind and a type, by number where it has one.
fn described(reader: &mut BinaryReader<'_>) -> Result<&'static str, ModuleError> {
    let kind = sort(reader)?;
    // Values and types may be described in place of being numbered.
    let is_numbered = !matches!(kind, "value" | "type") || broken(reader.read_u8())? == 0;
    if is_numbered {
        broken(reader.read_var_u32())?;
    } else if kind == "value" {
        broken(reader.read_var_s33())?;
    }
    Ok(kind)
}

fn sort(reader: &mut BinaryReader<'_>) -> Result<&'static str, ModuleError> {
    const SORTS: [&str; 6] = ["core module", "func", "value", "type", "component", "instance"];
    /// The only thing of a core module that can pass by itself.
    const CORE_MODULE: u8 = 0x11;
    let at = reader.original_position();
    let sort = broken(reader.read_u8())?;
    if sort == 0 {
        let core = broken(reader.read_u8())?;
        if core != CORE_MODULE {
            return Err(unknown("a part of a core module", core, at + 1));
        }
    }
    SORTS.get(usize::from(sort)).copied().ok_or_else(|| unknown("something", sort, at))
}

fn unknown(what: &str, byte: u8, at: usize) -> ModuleError {
    let hint = "it is made by a newer tool than this one, or damaged: build it again";
    ModuleError::new(format!("{what} of form {byte:#04x} is unknown"), at, hint)
}

fn broken<T>(read: wasmparser::Result<T>) -> Result<T, ModuleError> {
    read.map_err(|error| ModuleError::broken(&error))
}
