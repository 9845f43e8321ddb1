//! Short forms of values, for tables and single lines.

use fleetfold_core::object::Redacted;
use fleetfold_core::value::MaybeAbsent;
use fleetfold_core::{Value, yaml};

/// Shown in a table if there is no value.
pub const NONE: &str = "<none>";

/// The value on one line, shortened if it is long. A string is quoted only if it could be read as another type.
pub fn short(value: &Value) -> String {
    const WIDTH: usize = 60;
    let full = match value {
        Value::Text(text) if yaml::is_plain(text) => text.to_string(),
        other => super::json::line(other),
    };
    if full.chars().count() <= WIDTH {
        return full;
    }
    let cut: String = full.chars().take(WIDTH - 1).collect();
    format!("{cut}…")
}

/// A value that may be absent.
pub fn side(value: &MaybeAbsent<Redacted>) -> String {
    value.0.as_deref().map_or_else(|| NONE.to_owned(), short)
}

/// The value of an option, or its reference.
pub fn of(value: &MaybeAbsent<Redacted>, value_from: &MaybeAbsent<Redacted>) -> String {
    match (&value.0, &value_from.0) {
        (None, Some(from)) => format!("from {}", short(from)),
        _ => side(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_quoted_if_it_could_be_another_type() {
        assert_eq!(short(&Value::text("v1.2")), "v1.2");
        assert_eq!(short(&Value::text("1")), "\"1\"");
        assert_eq!(short(&Value::from(9_007_199_254_740_993_i64)), "9007199254740993");
        assert_eq!(short(&Value::list(["x".repeat(80)])).chars().count(), 60);
    }

    #[test]
    fn a_reference_is_marked_as_one() {
        let reference = MaybeAbsent(Some(Redacted::from(Value::map([("secret", "s")]))));
        assert_eq!(of(&MaybeAbsent(None), &reference), r#"from {"secret":"s"}"#);
        assert_eq!(of(&MaybeAbsent(None), &MaybeAbsent(None)), "<none>");
    }
}
