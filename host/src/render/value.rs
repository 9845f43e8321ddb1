//! Short forms of values, for tables and single lines.

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

/// The value of an option, or its reference.
pub fn of(holder: &Value, value: &str, value_from: &str) -> String {
    match (holder.get(value), holder.get(value_from)) {
        (Some(value), _) => short(value),
        (None, Some(from)) => format!("from {}", short(from)),
        (None, None) => NONE.to_owned(),
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
        let option = Value::map([("valueFrom", Value::map([("secret", "s")]))]);
        assert_eq!(of(&option, "value", "valueFrom"), r#"from {"secret":"s"}"#);
        assert_eq!(of(&Value::Null, "value", "valueFrom"), "<none>");
    }
}
