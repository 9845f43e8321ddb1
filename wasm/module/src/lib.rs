//! Reads the contents of a WebAssembly binary, and adds custom sections.
//!
//! 1. [`inspect`] reads the imports, exports, memories and sections of a module or component, and finds the kind of
//!    host that it is made for in a table.
//! 2. [`annotate`] adds a custom section, such as the metadata of a policy engine, and [`without`] removes one.
//!
//! Nothing is run, compiled or validated; only a runtime can do that.
#![forbid(unsafe_code)]

mod annotate;
mod component;
mod core_module;
mod inspect;
mod module_error;
mod purpose;
mod sections;

pub use annotate::{annotate, without};
pub use inspect::{Inspection, Item, Memory, inspect};
pub use module_error::ModuleError;
pub use purpose::{KUBEWARDEN_METADATA, Purpose, RAW_EXPORTS};
pub use sections::{Form, Section};
