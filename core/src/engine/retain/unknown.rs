//! Paths that lead nowhere.

use crate::diagnostic::{Code, Diagnostic};
use crate::object::kinds::roots::unknown_root;
use crate::value::Value;
use crate::value::path::{Pointer, RetentionPath, RetentionStep};

/// Tells of the user's paths that no object of this kind can have: each is most likely a slip, and retains nothing.
pub fn warn_unknown(fields: &[RetentionPath], desired: &Value, out: &mut Vec<Diagnostic>) {
    let (api_version, kind) = (desired.text_at(&["apiVersion"]), desired.text_at(&["kind"]));
    for (index, path) in fields.iter().enumerate() {
        let keys = path.steps().iter().filter_map(|step| match step {
            RetentionStep::Key(key) => Some(key.as_str()),
            RetentionStep::Each => None,
        });
        let keys: Vec<&str> = keys.collect();
        let Some(unknown) = unknown_root(api_version, kind, &keys) else { continue };
        let first = keys.first().copied().unwrap_or_default();
        let message = format!("`{path}` leads nowhere: {kind} has no field `{first}` at its root");
        let hint = match keys.get(1) {
            Some(second) if unknown.too_deep => format!("leave `{first}` out: `{second}` stands at the root"),
            _ => format!("it has: {}", unknown.fields.join(", ")),
        };
        let at = Pointer::of(["rules", "fields", &index.to_string()]);
        out.push(Diagnostic::warning(Code::UnknownPath, message).at(at).hint(hint));
    }
}
