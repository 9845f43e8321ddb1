//! `fleetfold module inspect`: the contents of a module, and the hosts that can run it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use fleetfold::cache::Cache;
use fleetfold::digest::digest;
use fleetfold::guest::{ABI, EMBEDDED, Guest, GuestError, Limits, Module};
use fleetfold_core::value::json as reader;
use fleetfold_core::{Value, yaml};
use fleetfold_module::{Form, Inspection, Item, KUBEWARDEN_METADATA, Memory, RAW_EXPORTS, Section};

use super::{flawed, read};
use crate::command::output::{Failure, Screen, print};
use crate::render::style::{Ink, Palette, clean};
use crate::render::table::{Cell, Table};
use crate::render::{counted, json};
use crate::source::name_of;

/// Show the contents of a module or component: imports, exports, sections, memory, hash, metadata
///
/// Without a file, inspects the embedded module. A module runs only if this program could use it as its engine, and
/// then with the usual limits.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold module inspect
  fleetfold module inspect policy.wasm -o json
  fleetfold module inspect - < policy.wasm")]
pub struct Args {
    /// A `.wasm` file, or `-` for standard input
    file: Option<PathBuf>,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub fn run(args: &Args, screen: Screen) -> Result<ExitCode, Failure> {
    let (name, bytes) = match &args.file {
        Some(file) => (name_of(file), read(file)?),
        None => ("the module in this program".to_owned(), EMBEDDED.to_vec()),
    };
    let found = fleetfold_module::inspect(&bytes).map_err(|flaw| flawed(&name, &flaw))?;
    let report = Report { name, use_here: use_here(&found, &bytes), metadata: metadata(&found, &bytes), found, bytes };
    match args.output {
        Format::Text => print(report.text(screen.out))?,
        Format::Json => print(json::pretty(&report.value()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether this program can use the module as its engine. Compiles and starts only modules with the right interface.
fn use_here(found: &Inspection, bytes: &[u8]) -> Result<u32, GuestError> {
    if found.form == Form::Component {
        return Err(GuestError::NotAModule { reason: "it is a component".to_owned() });
    }
    if let Some(import) = found.imports.first() {
        return Err(GuestError::ModuleImports { import: format!("{}.{}", import.from, import.name) });
    }
    // A module that lacks an export is not started.
    let has = |name: &str| found.exports.iter().any(|it| it.name == name);
    if let Some(export) = RAW_EXPORTS.iter().find(|name| !has(name)) {
        return Err(GuestError::MissingExport { export });
    }
    let module = Module::load(bytes, &Cache::of_user())?;
    Guest::new(&module, Limits::default()).map(|_| ABI)
}

/// The Kubewarden metadata, if any: parsed, or as text if it is invalid.
fn metadata(found: &Inspection, bytes: &[u8]) -> Option<Result<Value, String>> {
    let section = found.custom(KUBEWARDEN_METADATA)?;
    let text = String::from_utf8_lossy(&bytes[section.contents.clone()]);
    Some(reader::parse(&text).map_err(|error| format!("not JSON: {} at {}", error.message, error.place)))
}

struct Report {
    name: String,
    found: Inspection,
    bytes: Vec<u8>,
    use_here: Result<u32, GuestError>,
    metadata: Option<Result<Value, String>>,
}

impl Report {
    /// The version of the raw interface, if it is known without running the module.
    fn abi(&self) -> Option<u32> {
        match &self.use_here {
            Ok(abi) => Some(*abi),
            Err(GuestError::WrongAbi { got, .. }) => Some(*got),
            Err(_) => None,
        }
    }

    fn text(&self, palette: Palette) -> String {
        let mut out = format!("{}: {}\n", palette.paint(Ink::Bold, &clean(&self.name)), self.found.purpose.words());
        let size = format!("{} in {}", bytes(self.bytes.len()), counted(count(self.found.sections.len()), "section"));
        let mut facts = vec![("size", size), ("digest", digest(&self.bytes))];
        facts.extend(self.found.memories.iter().map(|it| ("memory", memory_words(it))));
        facts.extend(self.abi().map(|abi| ("abi", abi.to_string())));
        facts.push((
            "here",
            match &self.use_here {
                Ok(_) => "this program runs it, with `--module`".to_owned(),
                Err(error) => format!("this program does not run it: {error}"),
            },
        ));
        for (label, fact) in facts {
            out.push_str(&format!("  {label:<8}{}\n", clean(&fact)));
        }
        for (header, items) in [("IMPORT", &self.found.imports), ("EXPORT", &self.found.exports)] {
            let mut table = Table::new([header, "KIND", "TYPE"]);
            for it in items {
                let name = if it.from.is_empty() { it.name.clone() } else { format!("{}.{}", it.from, it.name) };
                table.row([name.into(), it.kind.into(), it.type_of.as_str().into()]);
            }
            block(&table, palette, &mut out);
        }
        block(&self.sections(), palette, &mut out);
        if let Some(metadata) = &self.metadata {
            out.push_str(&format!("\n{}\n", palette.paint(Ink::Dim, KUBEWARDEN_METADATA)));
            let shown = metadata.as_ref().map_or_else(|problem| format!("{}\n", clean(problem)), yaml::print);
            out.push_str(&shown.lines().map(|line| format!("  {line}\n")).collect::<String>());
        }
        out
    }

    fn sections(&self) -> Table {
        let mut table = Table::new(["SECTION", "BYTES", "AT"]);
        for it in &self.found.sections {
            let name = if it.kind == "custom" { format!("custom {}", it.name) } else { it.kind.to_owned() };
            let at = Cell::inked(Ink::Dim, it.whole.start.to_string());
            table.row([name.into(), it.whole.len().to_string().into(), at]);
        }
        table
    }

    fn value(&self) -> Value {
        let mut fields = vec![
            ("name", Value::text(&self.name)),
            ("for", Value::text(self.found.purpose.word())),
            ("size", Value::from(count(self.bytes.len()))),
            ("digest", Value::text(digest(&self.bytes))),
            ("imports", Value::list(self.found.imports.iter().map(item))),
            ("exports", Value::list(self.found.exports.iter().map(item))),
            ("memories", Value::list(self.found.memories.iter().map(memory))),
            ("sections", Value::list(self.found.sections.iter().map(section))),
            ("runsHere", self.use_here.is_ok().into()),
        ];
        fields.extend(self.abi().map(|abi| ("abi", i64::from(abi).into())));
        if let Err(error) = &self.use_here {
            let reason = [("code", error.code().to_owned()), ("message", error.to_string())];
            fields.push(("reason", Value::map(reason)));
        }
        match &self.metadata {
            Some(Ok(metadata)) => fields.push(("metadata", metadata.clone())),
            Some(Err(problem)) => fields.push(("metadataProblem", Value::text(problem))),
            None => {}
        }
        Value::map(fields)
    }
}

fn block(table: &Table, palette: Palette, out: &mut String) {
    if !table.is_empty() {
        out.push('\n');
        out.push_str(&table.render("", palette));
    }
}

fn item(it: &Item) -> Value {
    let fields = [("module", it.from.as_str()), ("name", &it.name), ("kind", it.kind), ("type", &it.type_of)];
    Value::map(fields.into_iter().filter(|(key, text)| *key == "name" || !text.is_empty()))
}

fn memory(it: &Memory) -> Value {
    // A valid page count fits into 63 bits; a damaged module may claim more.
    let number = |it: u64| Value::from(i64::try_from(it).unwrap_or(i64::MAX));
    let mut fields = vec![("initial", number(it.initial)), ("page", number(it.page))];
    fields.extend(it.maximum.map(|it| ("maximum", number(it))));
    let flags = [("imported", it.is_imported), ("shared", it.is_shared), ("wide", it.is_64_bit)];
    fields.extend(flags.into_iter().filter(|(_, is)| *is).map(|(key, _)| (key, true.into())));
    Value::map(fields)
}

fn memory_words(it: &Memory) -> String {
    let most = it.maximum.map_or_else(|| "as many as the host allows".to_owned(), |most| most.to_string());
    let flags = [(it.is_imported, ", imported"), (it.is_shared, ", shared"), (it.is_64_bit, ", of 64 bits")];
    let flags: String = flags.iter().filter(|(is, _)| *is).map(|(_, words)| *words).collect();
    format!(
        "{} of {} at first, {most} at most{flags}",
        counted(i64::try_from(it.initial).unwrap_or(i64::MAX), "page"),
        bytes(usize::try_from(it.page).unwrap_or(usize::MAX))
    )
}

fn section(it: &Section) -> Value {
    let place = [("at", it.whole.start), ("size", it.whole.len())];
    let name = (it.kind == "custom").then(|| ("name", Value::text(&it.name)));
    let fields = place.map(|(key, number)| (key, Value::from(count(number)))).into_iter().chain(name);
    Value::map(fields.chain([("kind", Value::text(it.kind))]))
}

/// `2,133,637 bytes`
fn bytes(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + if number == 1 { " byte" } else { " bytes" }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_threes() {
        let shown: Vec<String> = [0, 1, 999, 1_000, 65_536, 2_133_637].map(bytes).into();
        assert_eq!(shown, ["0 bytes", "1 byte", "999 bytes", "1,000 bytes", "65,536 bytes", "2,133,637 bytes"]);
    }
}
