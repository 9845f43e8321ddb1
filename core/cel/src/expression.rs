//! Greenhouse's expressions: YAML text with holes, as in `host: api-${cluster.region}.example.org`.
//!
//! ```
//! use fleetfold_cel::expression::render;
//! use fleetfold_value::diagnostic::Mode;
//!
//! // A hole can hold a value of any type; quotes make a string of it.
//! let value = render("replicas: ${1 + 2}\nport: '${8000 + 80}'", &[], Mode::Strict).unwrap();
//! assert_eq!(value.to_canonical(), r#"{"port":"8080","replicas":3}"#);
//! ```

use super::{Allowance, CelError, MAX_STEPS, Program, check_length};
use fleetfold_value::diagnostic::Code;
use fleetfold_value::diagnostic::Mode;
use fleetfold_value::value::Position;
use fleetfold_value::value::Value;
use fleetfold_yaml as yaml;

/// Fills the holes of a text and parses the result as YAML.
///
/// 1. A hole is `${`, at least one character, and the first `}` after it. An expression in a hole cannot contain `}`.
/// 2. A string fills its hole without quotes, any other value as JSON. The author adds quotes: `${'8080'}` is a number.
/// 3. Holes are not nested: a hole in the result of another one stays as it is.
/// 4. A text without holes is plain YAML. An empty text and more than one document are errors.
///
/// # Errors
///
/// Errors of [`Program`] have their position in the text, errors of [`yaml`] in the filled text.
///
/// # Example
///
/// ```
/// # use fleetfold_cel::expression;
/// # use fleetfold_value::{diagnostic::Mode, value::Value};
/// let cluster = Value::map([("region", "eu-1")]);
/// let value = expression::render("host: api-${cluster.region}", &[("cluster", cluster)], Mode::Strict).unwrap();
/// assert_eq!(value.to_canonical(), r#"{"host":"api-eu-1"}"#);
/// ```
pub fn render(text: &str, variables: &[(&str, Value)], mode: Mode) -> Result<Value, CelError> {
    render_within(text, variables, mode, &mut Allowance::new(MAX_STEPS))
}

/// As [`render`], with steps that several texts share.
///
/// # Errors
///
/// As [`render`], and [`Code::ExpressionBudget`] if too few steps are left.
///
/// # Example
///
/// ```
/// # use fleetfold_cel::{Allowance, expression};
/// # use fleetfold_value::diagnostic::{Code, Mode};
/// let mut allowance = Allowance::new(1000);
/// let mut render = || expression::render_within("${[1, 2, 3].map(n, n * n)}", &[], Mode::Strict, &mut allowance);
/// assert_eq!(render().unwrap().to_canonical(), "[1,4,9]");
/// let refused = (0..100).find_map(|_| render().err()).unwrap();
/// assert_eq!(refused.code, Code::ExpressionBudget);
/// ```
pub fn render_within(
    text: &str,
    variables: &[(&str, Value)],
    mode: Mode,
    allowance: &mut Allowance,
) -> Result<Value, CelError> {
    let start = Position { line: 1, column: 1 };
    if text.is_empty() {
        return Err(CelError::bad("the expression is empty", start));
    }
    let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
    let (mut filled, mut place, mut rest) = (String::new(), start, text);
    while let Some((before, hole, after)) = next_hole(rest) {
        filled.push_str(before);
        place = advance(advance(place, before), "${");
        let inside = |error: CelError| CelError { place: within(place, error.place), ..error };
        // An expression that is too long for every budget has that as its error.
        check_length(hole).map_err(inside)?;
        allowance.spend_source(hole.len(), start).map_err(inside)?;
        let program = Program::compile(hole, &names).map_err(inside)?;
        match program.evaluate_within(variables, allowance).map_err(inside)? {
            Value::Text(text) => filled.push_str(&text),
            other => filled.push_str(&other.to_canonical()),
        }
        place = advance(advance(place, hole), "}");
        rest = after;
    }
    filled.push_str(rest);
    allowance.spend_source(filled.len(), start)?;
    let mut documents = yaml::parse(&filled, mode, &mut Vec::new()).map_err(|error| {
        let message = format!("the text, its holes filled, cannot be read: {}", error.message);
        CelError { hint: error.hint, ..CelError::new(error.code, message, error.place) }
    })?;
    let value = documents.pop().map(|it| it.value).unwrap_or_default();
    if documents.is_empty() {
        Ok(value)
    } else {
        Err(CelError::new(Code::BadYaml, "the text has several documents", start))
    }
}

/// The text before the first hole, the expression in it, and the text after it.
fn next_hole(text: &str) -> Option<(&str, &str, &str)> {
    for (at, _) in text.match_indices("${") {
        let (before, opened) = text.split_at_checked(at)?;
        let (hole, after) = opened.strip_prefix("${")?.split_once('}')?;
        if !hole.is_empty() {
            return Some((before, hole, after));
        }
    }
    None
}

/// The position after a text that starts here.
fn advance(place: Position, text: &str) -> Position {
    let count = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    match text.rsplit_once('\n') {
        None => Position { column: place.column.saturating_add(count(text)), ..place },
        Some((lines, last)) => {
            let lines = u32::try_from(lines.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1);
            Position { line: place.line.saturating_add(lines), column: count(last).saturating_add(1) }
        }
    }
}

/// The position in the outer text of a position in a text that starts at `start`.
fn within(start: Position, place: Position) -> Position {
    let column =
        if place.line == 1 { start.column.saturating_add(place.column).saturating_sub(1) } else { place.column };
    Position { line: start.line.saturating_add(place.line).saturating_sub(1), column }
}
