//! A value in few words, for a table or a line.

use fleetfold_core::Value;

use super::yaml;

/// What a table shows where there is no value.
pub const NONE: &str = "<none>";

/// The value on one line, cut where it is long. A text stands bare where nobody could take it for something else.
pub fn short(value: &Value) -> String {
    const WIDTH: usize = 60;
    let whole = match value {
        Value::Text(text) if yaml::is_plain(text) => text.to_string(),
        other => super::json::line(other),
    };
    if whole.chars().count() <= WIDTH {
        return whole;
    }
    let cut: String = whole.chars().take(WIDTH - 1).collect();
    format!("{cut}…")
}

/// The value of an option, or where it comes from.
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
    fn a_text_is_quoted_where_it_could_be_something_else() {
        assert_eq!(short(&Value::text("v1.2")), "v1.2");
        assert_eq!(short(&Value::text("1")), "\"1\"");
        assert_eq!(short(&Value::from(9_007_199_254_740_993_i64)), "9007199254740993");
        assert_eq!(short(&Value::list(["x".repeat(80)])).chars().count(), 60);
    }

    #[test]
    fn a_reference_says_that_it_is_one() {
        let option = Value::map([("valueFrom", Value::map([("secret", "s")]))]);
        assert_eq!(of(&option, "value", "valueFrom"), r#"from {"secret":"s"}"#);
        assert_eq!(of(&Value::Null, "value", "valueFrom"), "<none>");
    }
}
