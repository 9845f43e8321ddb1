//! What is in a WebAssembly binary, and a section more.
//!
//! 1. [`inspect`] reads what a module or a component has: its imports and exports, its memories, its sections, and for
//!    which kind of host it is made, which is a table.
//! 2. [`annotate`] puts a custom section into it, as policy engines want their metadata, and [`without`] takes one out.
//!
//! Nothing is run, compiled or validated: what only a runtime can tell, a runtime must be asked.
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
