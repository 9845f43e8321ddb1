//! The Common Expression Language (CEL) for fleets: conditions on clusters, and values computed from them.
//!
//! ```
//! use fleetfold_cel::Program;
//! use fleetfold_value::value::Value;
//!
//! let condition = Program::compile("cluster.name.matches('^eu-[0-9]+$') && cluster.nodes > 2", &["cluster"]).unwrap();
//! let cluster = Value::map([("name", Value::from("eu-1")), ("nodes", Value::from(3i64))]);
//! assert_eq!(condition.evaluate(&[("cluster", cluster)]).unwrap(), Value::from(true));
//! ```
//!
//! The published `cel` crate has 31 dependencies and adds about 200 KB to the module. It also lacks the strings
//! extension, which Greenhouse's expressions use. So this crate has its own evaluator. A differential test compares it
//! with cel-go 0.27.
//!
//! 1. `lexer` and `parse` turn a text into a tree. `functions` is the table of functions.
//! 2. `check` refuses unknown names and types that can never fit; `types` compares types. These are errors of the
//!    expression.
//! 3. `evaluate` walks the tree with `operators` and `strings`. Errors here depend on the values as well. `pattern`
//!    implements `matches` with `regex-lite`.
//! 4. [`expression`] fills text with holes, which is Greenhouse's form of expressions.
//!
//! # Differences from cel-go
//!
//! | | cel-go | this crate |
//! |---|---|---|
//! | bytes, timestamps, durations, messages | types of their own | refused when compiled |
//! | `matches` | RE2 | the part of RE2 that `pattern` lists; other literal patterns are refused when compiled |
//! | `format` | all clauses | `%s`, `%d` and `%%` |
//! | `%d` with a value that is known not to be a number | refused when compiled | fails when evaluated |
//! | `double()` of a string | hexadecimal and `1_000` too | decimal |
//! | a map with a list or a map as a key | kept, but no lookup finds it | fails |
//! | a map's keys in `map`, `filter` | in random order | sorted; those of a literal as written |
//! | a uint as the result | a uint | an integer, if it fits in a signed 64-bit integer |
//!
//! # Limits
//!
//! A text has at most [`MAX_TEXT`] bytes and [`MAX_DEPTH`] levels, and an evaluation takes at most [`MAX_STEPS`] steps.
//! Evaluations that belong together, such as those of one document for all clusters, share an [`Allowance`].
//!
//! | one step pays for |
//! |---|
//! | a visited node, or an item that is copied or compared |
//! | sixteen bytes of a text that is read, compared or written |
//! | four bytes of a text that is built character by character |
//! | a state of a compiled pattern, and four states tried at a byte of the text |
//! | four bytes of an expression that is compiled, or of YAML that is parsed |
//!
//! Steps are counted and never measured, so a limit fires at the same place on every platform. No expression can hang
//! or overflow the stack.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::panic,
        clippy::unreachable,
        reason = "bad input is an answer, never a trap"
    )
)]

/// The digest of this crate's source.
#[doc(hidden)]
pub const SOURCE_DIGEST: &str = env!("FLEETFOLD_SOURCE_DIGEST");

mod budget;
mod check;
mod datum;
mod evaluate;
pub mod expression;
mod functions;
mod lexer;
mod operators;
mod parse;
mod pattern;
mod strings;
mod types;

pub use budget::Allowance;
use budget::Budget;
use fleetfold_value::diagnostic::{Code, Error};
use fleetfold_value::value::Position;
use fleetfold_value::value::Value;

/// The length limit of an expression, in bytes.
pub const MAX_TEXT: usize = 100_000;
/// The nesting limit of an expression. A chain of operators nests too: each one applies to everything left of it.
pub const MAX_DEPTH: usize = 100;
/// The limit of steps per evaluation.
pub const MAX_STEPS: u64 = 1_000_000;

/// A compiled expression: its syntax, names and types are checked.
///
/// # Example
///
/// A program is compiled once and evaluated for many values.
///
/// ```
/// # use fleetfold_cel::Program;
/// # use fleetfold_value::value::Value;
/// let double = Program::compile("n * 2", &["n"]).unwrap();
/// assert_eq!(double.evaluate(&[("n", Value::from(3i64))]).unwrap(), Value::from(6i64));
/// assert_eq!(double.evaluate(&[("n", Value::from(4i64))]).unwrap(), Value::from(8i64));
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    root: parse::Node,
}

impl Program {
    /// Compiles an expression that uses the given variables.
    ///
    /// # Errors
    ///
    /// [`Code::BadExpression`], [`Code::TooDeep`] or [`Code::TooLarge`]: the expression is wrong for all values of the
    /// variables.
    ///
    /// # Example
    ///
    /// ```
    /// # use fleetfold_cel::Program;
    /// # use fleetfold_value::value::Value;
    /// let program = Program::compile("cluster.labels.env in ['dev', 'qa']", &["cluster"]).unwrap();
    /// let cluster = Value::map([("labels", Value::map([("env", "qa")]))]);
    /// assert_eq!(program.evaluate(&[("cluster", cluster)]).unwrap(), Value::from(true));
    /// ```
    pub fn compile(text: &str, variables: &[&str]) -> Result<Program, CelError> {
        check_length(text)?;
        let mut root = parse::parse(text)?;
        check::check(&mut root, variables)?;
        Ok(Program { root })
    }

    /// The value of the expression.
    ///
    /// # Errors
    ///
    /// [`Code::ExpressionFailed`]: the expression fails for these values. It can succeed for others.
    ///
    /// # Example
    ///
    /// ```
    /// # use fleetfold_cel::Program;
    /// # use fleetfold_value::{diagnostic::Code, value::Value};
    /// let program = Program::compile("cluster.labels.env", &["cluster"]).unwrap();
    /// let cluster = Value::map([("labels", Value::map([("evn", "qa")]))]);
    /// let error = program.evaluate(&[("cluster", cluster)]).unwrap_err();
    /// assert_eq!(error.code, Code::ExpressionFailed);
    /// assert_eq!(error.message, "the map has no field `env`");
    /// assert_eq!(error.hint.as_deref(), Some("did you mean `evn`?"));
    /// ```
    pub fn evaluate(&self, variables: &[(&str, Value)]) -> Result<Value, CelError> {
        self.evaluate_within(variables, &mut Allowance::new(MAX_STEPS))
    }

    /// As [`evaluate`](Self::evaluate), with steps that several evaluations share.
    ///
    /// # Errors
    ///
    /// [`Code::ExpressionFailed`], and [`Code::ExpressionBudget`] if too few steps are left.
    ///
    /// # Example
    ///
    /// ```
    /// # use fleetfold_cel::{Allowance, Program};
    /// # use fleetfold_value::diagnostic::Code;
    /// let program = Program::compile("['a', 'b'].exists(it, it == 'c')", &[]).unwrap();
    /// let mut allowance = Allowance::new(1000);
    /// assert!(program.evaluate_within(&[], &mut allowance).is_ok());
    /// assert!(allowance.left() < 1000);
    /// assert_eq!(program.evaluate_within(&[], &mut Allowance::new(2)).unwrap_err().code, Code::ExpressionBudget);
    /// ```
    pub fn evaluate_within(&self, variables: &[(&str, Value)], allowance: &mut Allowance) -> Result<Value, CelError> {
        evaluate::evaluate(&self.root, variables, allowance)
    }
}

fn check_length(text: &str) -> Result<(), CelError> {
    if text.len() > MAX_TEXT {
        let message = format!("the expression is longer than {MAX_TEXT} bytes");
        return Err(CelError::new(Code::TooLarge, message, Position { line: 1, column: 1 }));
    }
    Ok(())
}

/// The error of an expression, with its position in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct CelError {
    pub code: Code,
    pub message: String,
    pub hint: Option<String>,
    pub place: Position,
}

impl CelError {
    fn new(code: Code, message: impl Into<String>, place: Position) -> CelError {
        CelError { code, message: message.into(), hint: None, place }
    }

    fn bad(message: impl Into<String>, place: Position) -> CelError {
        CelError::new(Code::BadExpression, message, place)
    }

    fn hint(mut self, hint: impl Into<String>) -> CelError {
        self.hint = Some(hint.into());
        self
    }

    /// The error as a request returns it, at `line:column` of the expression.
    pub fn into_error(self) -> Error {
        Error::new(self.code, self.message).at(self.place).maybe_hint(self.hint)
    }
}

#[cfg(test)]
mod tests;
