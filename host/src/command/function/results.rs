//! Converts findings to results of a function.

use fleetfold::target::Target;
use fleetfold_core::Value;
use fleetfold_core::value::path::Pointer;

use super::list::Item;
use crate::render::finding::Finding;

/// A result: message, severity, object, file and field.
pub fn result(finding: &Finding, item: Option<&Item>) -> Value {
    let message = match finding.hint.as_str() {
        "" => finding.message.clone(),
        hint => format!("{}; {hint}", finding.message),
    };
    let mut fields = vec![
        ("message", Value::text(message)),
        ("severity", Value::text(finding.severity.as_str())),
        ("tags", tags(finding)),
    ];
    let about = item.map_or_else(|| named(&finding.document), |it| Target::of(&it.value).to_value());
    if !about.is_empty() {
        fields.push(("resourceRef", about));
    }
    if !finding.path.is_empty() {
        fields.push(("field", Value::map([("path", field_path(&finding.path))])));
    }
    if !finding.file.is_empty() {
        let index = item.and_then(|it| it.index).map(|it| ("index", Value::from(it)));
        fields.push(("file", Value::map([("path", Value::text(&finding.file))].into_iter().chain(index))));
    }
    Value::map(fields)
}

/// Tags for what a result has no field for: the code, and the position in the file.
fn tags(finding: &Finding) -> Value {
    let line = finding.line.map(|it| ("line", it.to_string()));
    let column = finding.column.map(|it| ("column", it.to_string()));
    Value::map([Some(("code", finding.code.clone())), line, column].into_iter().flatten())
}

/// The same for a document that is not an item, by its name `Kind/namespace/name`.
fn named(document: &str) -> Value {
    let parts: Vec<&str> = document.split('/').collect();
    let fields = match parts.as_slice() {
        [kind, name] => vec![("kind", *kind), ("name", *name)],
        [kind, namespace, name] => vec![("kind", *kind), ("namespace", *namespace), ("name", *name)],
        _ => Vec::new(),
    };
    Value::map(fields)
}

/// A JSON pointer in the form of results: `spec.containers[0].image`.
fn field_path(pointer: &str) -> String {
    let Ok(pointer) = Pointer::parse(pointer) else { return pointer.to_owned() };
    let mut out = String::new();
    for step in pointer.segments() {
        let is_number = !step.is_empty() && step.chars().all(|it| it.is_ascii_digit());
        let is_name = step.chars().all(|it| it.is_ascii_alphanumeric() || it == '_' || it == '-');
        match (is_number, is_name && !step.is_empty()) {
            (true, _) => out.push_str(&format!("[{step}]")),
            (_, true) if out.is_empty() => out.push_str(step),
            (_, true) => out.push_str(&format!(".{step}")),
            _ => out.push_str(&format!("[{}]", Value::text(step.as_str()).to_canonical())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_field_paths() {
        for (pointer, want) in [
            ("/spec/containers/0/image", "spec.containers[0].image"),
            ("/metadata/annotations/a.b~1c", "metadata.annotations[\"a.b/c\"]"),
            ("", ""),
            ("/a b", "[\"a b\"]"),
            ("no pointer", "no pointer"),
        ] {
            assert_eq!(field_path(pointer), want);
        }
    }
}
