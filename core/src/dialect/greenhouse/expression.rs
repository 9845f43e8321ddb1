//! Expressions of options: YAML text with holes, as in `host: api-${global.greenhouse.clusterName}.example.org`.

use crate::cel::expression::{START, fill};
use crate::cel::{Allowance, CelError};
use crate::diagnostic::{Code, Mode};
use crate::value::Value;
use crate::yaml;

/// Fills the holes of a text and parses the result as YAML. A text without holes is plain YAML.
///
/// # Errors
///
/// Errors of holes have their position in the text, errors of YAML in the filled text. An empty text and more than one
/// document are errors.
pub fn render(
    text: &str,
    variables: &[(&str, Value)],
    mode: Mode,
    allowance: &mut Allowance,
) -> Result<Value, CelError> {
    let filled = fill(text, variables, allowance)?;
    let mut documents = yaml::parse(&filled, mode, &mut Vec::new()).map_err(|error| CelError {
        code: error.code,
        message: format!("the text, its holes filled, cannot be read: {}", error.message),
        hint: error.hint,
        place: error.place,
    })?;
    let value = documents.pop().map(|it| it.value).unwrap_or_default();
    match documents.is_empty() {
        true => Ok(value),
        false => {
            let message = "the text has several documents".into();
            Err(CelError { code: Code::BadYaml, message, hint: None, place: START })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cel::MAX_STEPS;

    fn rendered(text: &str) -> Result<Value, CelError> {
        let cluster = Value::map([("name", Value::from("eu-1")), ("nodes", Value::list([1_i64, 2].map(Value::from)))]);
        let variables = [("cluster", cluster), ("n", Value::from(7_i64))];
        render(text, &variables, Mode::Strict, &mut Allowance::new(MAX_STEPS))
    }

    #[track_caller]
    fn check(text: &str, want: &str) {
        let value = rendered(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(value.to_canonical(), want, "{text}");
    }

    #[track_caller]
    fn refuses(text: &str, code: Code, place: &str) {
        let error = rendered(text).expect_err(text);
        assert_eq!((error.code, error.place.to_string().as_str()), (code, place), "{text}: {}", error.message);
    }

    #[test]
    fn the_filled_text_is_yaml() {
        check("u: p-${cluster.name}-t", r#"{"u":"p-eu-1-t"}"#);
        check("port: 8080\nenabled: true", r#"{"enabled":true,"port":8080}"#);
        check("${'8080'}", "8080");
        check("'${8080}'", r#""8080""#);
        check("a: ${cluster.nodes}\nb: ${[1, 2.5]}", r#"{"a":[1,2],"b":[1,2.5]}"#);
        check("a: '${} ${'", r#"{"a":"${} ${"}"#);
    }

    #[test]
    fn what_is_not_one_document_is_refused() {
        refuses("", Code::BadExpression, "1:1");
        refuses("a: ${n}\nb: é${ cluster.nope}", Code::ExpressionFailed, "2:15");
        refuses("a: [${n}", Code::BadYaml, "2:1");
        refuses("a: 1\n---\nb: 2", Code::BadYaml, "1:1");
    }
}
