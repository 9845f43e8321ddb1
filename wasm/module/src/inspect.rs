//! What a binary has.

use crate::component;
use crate::core_module;
use crate::module_error::ModuleError;
use crate::purpose::{Purpose, purpose};
use crate::sections::{Form, Section, sections};

/// What a module or component has, as it says itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    pub form: Form,
    /// The kind of host that it is made for.
    pub purpose: Purpose,
    pub imports: Vec<Item>,
    pub exports: Vec<Item>,
    /// The memories of a module, imported ones first. What is nested in a component keeps its own to itself.
    pub memories: Vec<Memory>,
    pub sections: Vec<Section>,
}

impl Inspection {
    /// The first custom section of a name.
    pub fn custom(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|it| it.kind == "custom" && it.name == name)
    }
}

/// Something that is imported or exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The module that an import comes from; empty for exports and for components.
    pub from: String,
    pub name: String,
    /// `func`, `memory`, `table`, `global` or `tag`; of components also `instance`, `type` and such.
    pub kind: &'static str,
    /// Its type in words, as `(i32, i32) -> i64`; empty for what a component has.
    pub type_of: String,
}

/// What both forms tell.
#[derive(Default)]
pub(crate) struct Items {
    pub imports: Vec<Item>,
    pub exports: Vec<Item>,
    pub memories: Vec<Memory>,
}

/// How large a memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// In pages, at the start.
    pub initial: u64,
    /// In pages, at most; nothing says that the host decides.
    pub maximum: Option<u64>,
    /// The bytes of a page.
    pub page: u64,
    pub is_imported: bool,
    pub is_shared: bool,
    pub is_64_bit: bool,
}

/// Reads what a module or component has, without running, compiling or validating it.
///
/// # Errors
///
/// When the bytes are not laid out as WebAssembly is, or what is exported is not there.
///
/// # Example
///
/// ```
/// let found = fleetfold_module::inspect(b"\0asm\x01\0\0\0\x05\x03\x01\x00\x02").unwrap();
/// assert_eq!(found.memories[0].initial, 2);
/// ```
pub fn inspect(bytes: &[u8]) -> Result<Inspection, ModuleError> {
    let (form, sections) = sections(bytes)?;
    let Items { imports, exports, memories } = match form {
        Form::Module => core_module::items(bytes)?,
        Form::Component => component::items(bytes, &sections)?,
    };
    let purpose = purpose(form, &imports, &exports, &sections);
    Ok(Inspection { form, purpose, imports, exports, memories, sections })
}
