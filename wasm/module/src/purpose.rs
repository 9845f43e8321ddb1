//! For which host a binary is made, by what it imports and exports.

use crate::inspect::Item;
use crate::sections::{Form, Section};

/// The kinds of hosts that imports and exports distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The engine as it is: no imports, four functions and a memory.
    Raw,
    Kubewarden,
    /// The protocol of Kubewarden without its metadata.
    Wapc,
    Extism,
    JavaScript,
    Opa,
    Wasi,
    Component,
    Other,
}

impl Purpose {
    /// A word for programs.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// The same in words for people.
    pub fn words(self) -> &'static str {
        self.row().words
    }

    fn row(self) -> &'static Row {
        ROWS.iter().find(|it| it.purpose == self).unwrap_or(&OTHER)
    }
}

/// The conditions of a purpose. A condition that a row leaves out always holds.
struct Row {
    purpose: Purpose,
    word: &'static str,
    words: &'static str,
    form: Form,
    imports: Imports,
    /// All of these are exported.
    exports: &'static [&'static str],
    /// This custom section is there.
    section: Option<&'static str>,
}

enum Imports {
    Any,
    None,
    /// At least one from a module with one of these names, which may start or end in `*`.
    From(&'static [&'static str]),
}

/// The section in which policies for Kubewarden have their metadata.
pub const KUBEWARDEN_METADATA: &str = "io.kubewarden.metadata";

/// What the raw module exports.
pub const RAW_EXPORTS: &[&str] = &["memory", "fleetfold_abi", "fleetfold_alloc", "fleetfold_free", "fleetfold_call"];

/// The first matching row counts.
const ROWS: &[Row] = &[
    Row {
        purpose: Purpose::Component,
        word: "component",
        words: "a component, for hosts of the component model",
        form: Form::Component,
        imports: Imports::Any,
        exports: &[],
        section: None,
    },
    Row {
        purpose: Purpose::Raw,
        word: "raw",
        words: "a raw Fleetfold module, for any WebAssembly runtime",
        form: Form::Module,
        imports: Imports::None,
        exports: RAW_EXPORTS,
        section: None,
    },
    Row {
        purpose: Purpose::Kubewarden,
        word: "kubewarden",
        words: "a Kubewarden policy",
        form: Form::Module,
        imports: Imports::Any,
        exports: &[],
        section: Some(KUBEWARDEN_METADATA),
    },
    Row {
        purpose: Purpose::Wapc,
        word: "wapc",
        words: "a waPC guest; with metadata it is a Kubewarden policy, see `fleetfold module annotate`",
        form: Form::Module,
        imports: Imports::From(&["wapc"]),
        exports: &["__guest_call"],
        section: None,
    },
    Row {
        purpose: Purpose::Extism,
        word: "extism",
        words: "an Extism plugin",
        form: Form::Module,
        imports: Imports::From(&["extism:host/*"]),
        exports: &[],
        section: None,
    },
    Row {
        purpose: Purpose::JavaScript,
        word: "javascript",
        words: "a build for JavaScript, of wasm-bindgen",
        form: Form::Module,
        imports: Imports::From(&["wbg", "__wbindgen*", "*_bg.js"]),
        exports: &["memory"],
        section: None,
    },
    Row {
        purpose: Purpose::Opa,
        word: "opa",
        words: "a Rego policy, compiled by OPA",
        form: Form::Module,
        imports: Imports::Any,
        exports: &["opa_eval_ctx_new", "opa_malloc", "eval"],
        section: None,
    },
    Row {
        purpose: Purpose::Wasi,
        word: "wasi",
        words: "a program or library for WASI preview 1",
        form: Form::Module,
        imports: Imports::From(&["wasi_snapshot_preview1", "wasi_unstable"]),
        exports: &[],
        section: None,
    },
];

const OTHER: Row = Row {
    purpose: Purpose::Other,
    word: "other",
    words: "a module for a host that is not known here",
    form: Form::Module,
    imports: Imports::Any,
    exports: &[],
    section: None,
};

pub(crate) fn purpose(form: Form, imports: &[Item], exports: &[Item], sections: &[Section]) -> Purpose {
    let exported = |name: &str| exports.iter().any(|it| it.name == name);
    let fits = |row: &&Row| {
        row.form == form
            && match row.imports {
                Imports::Any => true,
                Imports::None => imports.is_empty(),
                Imports::From(names) => imports.iter().any(|it| names.iter().any(|name| is_like(&it.from, name))),
            }
            && row.exports.iter().all(|name| exported(name))
            && row.section.is_none_or(|name| sections.iter().any(|it| it.kind == "custom" && it.name == name))
    };
    ROWS.iter().find(fits).map_or(Purpose::Other, |it| it.purpose)
}

fn is_like(name: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(start)) => name.starts_with(start),
        _ => name == pattern,
    }
}
