//! Text with holes, as in `host: api-${cluster.region}.example.org`: Greenhouse's form of expressions.
//!
//! ```
//! use fleetfold_cel::{Allowance, expression::fill};
//!
//! let text = fill("port: '${8000 + 80}'", &[], &mut Allowance::new(1000)).unwrap();
//! assert_eq!(text, "port: '8080'");
//! ```

use super::{Allowance, CelError, Program, check_length};
use fleetfold_value::value::Position;
use fleetfold_value::value::Value;

/// Where a text starts.
pub const START: Position = Position { line: 1, column: 1 };

/// Fills the holes of a text. The steps also pay for parsing the result as YAML.
///
/// 1. A hole is `${`, at least one character, and the first `}` after it. An expression in a hole cannot contain `}`.
/// 2. A string fills its hole without quotes, any other value as JSON. The author adds quotes: `${'8080'}` is a number.
/// 3. Holes are not nested: a hole in the result of another one stays as it is.
/// 4. An empty text is an error.
///
/// # Errors
///
/// Those of [`Program`], with their position in the text, and [`Code::ExpressionBudget`] if too few steps are left.
///
/// [`Code::ExpressionBudget`]: fleetfold_value::diagnostic::Code::ExpressionBudget
///
/// # Example
///
/// ```
/// # use fleetfold_cel::{Allowance, expression::fill};
/// # use fleetfold_value::{diagnostic::Code, value::Value};
/// let variables = [("cluster", Value::map([("region", "eu-1")]))];
/// let mut allowance = Allowance::new(1000);
/// assert_eq!(fill("host: api-${cluster.region}", &variables, &mut allowance).unwrap(), "host: api-eu-1");
/// let refused = (0..100).find_map(|_| fill("${[1, 2, 3].map(n, n * n)}", &[], &mut allowance).err()).unwrap();
/// assert_eq!(refused.code, Code::ExpressionBudget);
/// ```
pub fn fill(text: &str, variables: &[(&str, Value)], allowance: &mut Allowance) -> Result<String, CelError> {
    if text.is_empty() {
        return Err(CelError::bad("the expression is empty", START));
    }
    let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
    let (mut filled, mut place, mut rest) = (String::new(), START, text);
    while let Some((before, hole, after)) = next_hole(rest) {
        filled.push_str(before);
        place = advance(advance(place, before), "${");
        let inside = |error: CelError| CelError { place: within(place, error.place), ..error };
        // An expression that is too long for every budget has that as its error.
        check_length(hole).map_err(inside)?;
        allowance.spend_source(hole.len(), START).map_err(inside)?;
        let program = Program::compile(hole, &names).map_err(inside)?;
        match program.evaluate_within(variables, allowance).map_err(inside)? {
            Value::Text(text) => filled.push_str(&text),
            other => filled.push_str(&other.to_canonical()),
        }
        place = advance(advance(place, hole), "}");
        rest = after;
    }
    filled.push_str(rest);
    allowance.spend_source(filled.len(), START)?;
    Ok(filled)
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
