//! What a core module imports and exports, with types in words.

use wasmparser::{
    CompositeInnerType, Export, ExternalKind, FuncType, GlobalType, MemoryType, Parser, Payload, RecGroup, TableType,
    TypeRef,
};

use crate::inspect::{Item, Items, Memory};
use crate::module_error::ModuleError;

/// Imports, exports and memories of a module.
pub(crate) fn items(bytes: &[u8]) -> Result<Items, ModuleError> {
    let mut spaces = Spaces::default();
    let mut imports = Vec::new();
    let mut exported = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        read(payload, &mut spaces, &mut imports, &mut exported).map_err(|error| ModuleError::broken(&error))?;
    }
    let imports = imports.into_iter().map(|(at, item, of)| Ok(Item { type_of: spaces.words(&of, at)?, ..item }));
    let imports = imports.collect::<Result<_, ModuleError>>()?;
    let exports =
        exported.into_iter().map(|(at, export)| spaces.exported(at, &export)).collect::<Result<_, ModuleError>>()?;
    let memories = spaces.memories.iter().map(|(it, is_imported)| memory(it, *is_imported)).collect();
    Ok(Items { imports, exports, memories })
}

/// What has numbers in a module; of each, the imported ones come first.
#[derive(Default)]
struct Spaces {
    /// Nothing for a type that is no function's.
    types: Vec<Option<FuncType>>,
    functions: Vec<u32>,
    tables: Vec<TableType>,
    memories: Vec<(MemoryType, bool)>,
    globals: Vec<GlobalType>,
    tags: Vec<u32>,
}

fn read<'a>(
    payload: wasmparser::Result<Payload<'a>>,
    spaces: &mut Spaces,
    imports: &mut Vec<(usize, Item, TypeRef)>,
    exported: &mut Vec<(usize, Export<'a>)>,
) -> wasmparser::Result<()> {
    match payload? {
        Payload::TypeSection(types) => {
            for group in types {
                spaces.types.extend(functions_of(group?));
            }
        }
        Payload::ImportSection(section) => {
            for import in section.into_imports_with_offsets() {
                let (at, import) = import?;
                spaces.import(&import.ty);
                let (from, name) = (import.module.to_owned(), import.name.to_owned());
                imports.push((at, Item { from, name, kind: kind(&import.ty), type_of: String::new() }, import.ty));
            }
        }
        Payload::FunctionSection(section) => {
            for it in section {
                spaces.functions.push(it?);
            }
        }
        Payload::TableSection(section) => {
            for it in section {
                spaces.tables.push(it?.ty);
            }
        }
        Payload::MemorySection(section) => {
            for it in section {
                spaces.memories.push((it?, false));
            }
        }
        Payload::GlobalSection(section) => {
            for it in section {
                spaces.globals.push(it?.ty);
            }
        }
        Payload::TagSection(section) => {
            for it in section {
                spaces.tags.push(it?.func_type_idx);
            }
        }
        Payload::ExportSection(section) => {
            for it in section.into_iter_with_offsets() {
                exported.push(it?);
            }
        }
        _ => {}
    }
    Ok(())
}

fn functions_of(group: RecGroup) -> impl Iterator<Item = Option<FuncType>> {
    group.into_types().map(|it| match it.composite_type.inner {
        CompositeInnerType::Func(function) => Some(function),
        _ => None,
    })
}

impl Spaces {
    fn import(&mut self, of: &TypeRef) {
        match of {
            TypeRef::Func(it) | TypeRef::FuncExact(it) => self.functions.push(*it),
            TypeRef::Table(it) => self.tables.push(*it),
            TypeRef::Memory(it) => self.memories.push((*it, true)),
            TypeRef::Global(it) => self.globals.push(*it),
            TypeRef::Tag(it) => self.tags.push(it.func_type_idx),
        }
    }

    fn exported(&self, at: usize, export: &Export<'_>) -> Result<Item, ModuleError> {
        let index = export.index as usize;
        let (kind, words) = match export.kind {
            ExternalKind::Func | ExternalKind::FuncExact => {
                ("func", self.functions.get(index).map(|it| self.signature(*it, at)).transpose()?)
            }
            ExternalKind::Table => ("table", self.tables.get(index).map(table)),
            ExternalKind::Memory => ("memory", self.memories.get(index).map(|(it, _)| pages(it))),
            ExternalKind::Global => ("global", self.globals.get(index).map(global)),
            ExternalKind::Tag => ("tag", self.tags.get(index).map(|it| self.signature(*it, at)).transpose()?),
        };
        let Some(type_of) = words else {
            let what = format!("`{}` exports {kind} {index}, and there is none", export.name);
            return Err(ModuleError::new(what, at, "the file is damaged or made by hand: build it again"));
        };
        Ok(Item { from: String::new(), name: export.name.to_owned(), kind, type_of })
    }

    /// The type of an import in words.
    fn words(&self, of: &TypeRef, at: usize) -> Result<String, ModuleError> {
        Ok(match of {
            TypeRef::Func(it) | TypeRef::FuncExact(it) => self.signature(*it, at)?,
            TypeRef::Table(it) => table(it),
            TypeRef::Memory(it) => pages(it),
            TypeRef::Global(it) => global(it),
            TypeRef::Tag(it) => self.signature(it.func_type_idx, at)?,
        })
    }

    /// `(i32, i32) -> i64`
    fn signature(&self, index: u32, at: usize) -> Result<String, ModuleError> {
        let Some(Some(function)) = self.types.get(index as usize) else {
            let what = format!("a function has type {index}, and there is none");
            return Err(ModuleError::new(what, at, "the file is damaged or made by hand: build it again"));
        };
        let list = |types: &[wasmparser::ValType]| {
            let names: Vec<String> = types.iter().map(ToString::to_string).collect();
            names.join(", ")
        };
        let results = match function.results() {
            [] => String::new(),
            [one] => format!(" -> {one}"),
            many => format!(" -> ({})", list(many)),
        };
        Ok(format!("({}){results}", list(function.params())))
    }
}

fn kind(of: &TypeRef) -> &'static str {
    match of {
        TypeRef::Func(_) | TypeRef::FuncExact(_) => "func",
        TypeRef::Table(_) => "table",
        TypeRef::Memory(_) => "memory",
        TypeRef::Global(_) => "global",
        TypeRef::Tag(_) => "tag",
    }
}

fn memory(it: &MemoryType, is_imported: bool) -> Memory {
    // A page is 64 KiB unless it says otherwise; what says more than a memory can have is read as the largest.
    let page = 1u64.checked_shl(it.page_size_log2.unwrap_or(16)).unwrap_or(u64::MAX);
    Memory { initial: it.initial, maximum: it.maximum, page, is_imported, is_shared: it.shared, is_64_bit: it.memory64 }
}

fn pages(it: &MemoryType) -> String {
    format!("{} pages{}", bounds(it.initial, it.maximum), if it.shared { ", shared" } else { "" })
}

fn table(it: &TableType) -> String {
    format!("{} of {}", bounds(it.initial, it.maximum), it.element_type)
}

fn global(it: &GlobalType) -> String {
    format!("{}{}", if it.mutable { "mut " } else { "" }, it.content_type)
}

/// `17..` is open above.
fn bounds(least: u64, most: Option<u64>) -> String {
    format!("{least}..{}", most.map(|it| it.to_string()).unwrap_or_default())
}
