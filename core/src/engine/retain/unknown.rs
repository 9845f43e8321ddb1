//! Retention rules that retain nothing.

use crate::diagnostic::{Code, Diagnostic};
use crate::object::kinds::fields::{Misstep, misstep};
use crate::object::kinds::roots::unknown_root;
use crate::value::Value;
use crate::value::path::{Pointer, RetentionPath, RetentionStep};

/// Reports the user's paths that retain nothing: each is most likely a slip.
///
/// 1. A field that no object of this kind has.
/// 2. A field that identifies the object, or that only a server sets: the update never takes it from a rule.
/// 3. `[]` at the end: it names all elements, which is the list.
pub(crate) fn warn_unknown(fields: &[RetentionPath], desired: &Value, out: &mut Vec<Diagnostic>) {
    let (api_version, kind) = (desired.text_at(&["apiVersion"]), desired.text_at(&["kind"]));
    for (index, path) in fields.iter().enumerate() {
        let at = Pointer::of(["rules", "fields", &index.to_string()]);
        let finding = of_kind(path, api_version, kind).or_else(|| never_retained(path)).or_else(|| open_end(path));
        out.extend(finding.map(|it| it.at(at)));
    }
}

fn of_kind(path: &RetentionPath, api_version: &str, kind: &str) -> Option<Diagnostic> {
    let keys = keys(path);
    if let Some(unknown) = unknown_root(api_version, kind, &keys) {
        let first = keys.first().copied().unwrap_or_default();
        let message = format!("`{path}` leads nowhere: {kind} has no field `{first}` at its root");
        let hint = match keys.get(1) {
            Some(second) if unknown.too_deep => format!("leave `{first}` out: `{second}` is at the root"),
            _ => format!("it has: {}", unknown.fields.join(", ")),
        };
        return Some(Diagnostic::warning(Code::UnknownPath, message).hint(hint));
    }
    let Misstep { message, meant, known } = misstep(api_version, kind, path.steps())?;
    let finding = Diagnostic::warning(Code::UnknownPath, format!("`{path}` leads nowhere in a {kind}: {message}"));
    Some(match meant {
        Some(meant) => finding.hint(format!("did you mean `{}`?", RetentionPath::of(meant))),
        None if known.is_empty() => finding,
        None => finding.hint(format!("it has: {}", known.join(", "))),
    })
}

fn keys(path: &RetentionPath) -> Vec<&str> {
    let keys = path.steps().iter().filter_map(|step| match step {
        RetentionStep::Key(key) => Some(key.as_str()),
        RetentionStep::Each => None,
    });
    keys.collect()
}

/// Fields of the metadata that rules may keep.
const FREE: &[&str] = &["annotations", "finalizers", "labels", "ownerReferences"];

fn never_retained(path: &RetentionPath) -> Option<Diagnostic> {
    let why = match keys(path).as_slice() {
        ["apiVersion" | "kind"] | ["metadata", "name" | "namespace" | "generateName"] => "it identifies the object",
        ["metadata"] => "the template always has it",
        ["metadata", field, ..] if !FREE.contains(field) => "only a server sets it",
        ["status", ..] => "an update never changes it",
        _ => return None,
    };
    let message = format!("`{path}` is never retained: {why}");
    Some(Diagnostic::warning(Code::UselessRetention, message).hint("remove the rule"))
}

fn open_end(path: &RetentionPath) -> Option<Diagnostic> {
    let end = path.steps().iter().rposition(|it| *it != RetentionStep::Each)?.saturating_add(1);
    let list = RetentionPath::of(path.steps().get(..end)?.to_vec());
    (end < path.steps().len()).then(|| {
        let message = format!("`{path}` names no field of the elements, so it means `{list}`");
        let hint = format!("write `{list}` for the list, or `{list}[].<field>` for a field of its elements");
        Diagnostic::warning(Code::UselessRetention, message).hint(hint)
    })
}
