//! The Common Expression Language, as far as fleets use it: conditions over clusters, and values computed from them.
//!
//! The published `cel` crate is 31 crates and about 200 KB of the module, which may have 20 and 350 KB for everything; it
//! also lacks the strings extension that Greenhouse's expressions are written with. So this is an evaluator of our own,
//! held to cel-go 0.27 by a differential test.
//!
//! 1. `lexer` and `parse` make a tree of a text; `functions` is the table of what can be called.
//! 2. `check` refuses names that mean nothing and types that can never fit, which `types` compares: that is a flaw of the expression.
//! 3. `evaluate` walks the tree with `operators` and `strings`: what fails there is a flaw of expression and values
//!    together. `pattern` is what `matches` understands.
//! 4. [`expression`] is the form of Greenhouse: text with holes.
//!
//! # What is different
//!
//! | | cel-go | here |
//! |---|---|---|
//! | bytes, timestamps, durations, messages | types of their own | refused when compiled |
//! | `matches` | RE2 | the part of RE2 that `pattern` names, others are refused when compiled |
//! | `format` | all clauses | `%s`, `%d` and `%%` |
//! | `%d` with what is known not to be a number | refused when compiled | fails when evaluated |
//! | `double()` of a string | hexadecimal and `1_000` too | decimal |
//! | a map with a list or a map for a key | kept, found by nobody | fails |
//! | a map's keys in `map`, `filter` | in no order | sorted; those of a literal as written |
//! | a uint, as the result | a uint | an integer, if 64 bits with a sign hold it |
//!
//! # Limits
//!
//! A text has at most [`MAX_TEXT`] bytes and [`MAX_DEPTH`] levels, and evaluating it takes at most [`MAX_STEPS`] steps: a
//! step is a node visited, an item touched or sixteen bytes written. No expression can hang or overflow the stack.
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

use fleetfold_value::diagnostic::{Code, Error};
use fleetfold_value::value::Position;
use fleetfold_value::value::Value;

/// How long an expression may be, in bytes.
pub const MAX_TEXT: usize = 100_000;
/// How deep an expression may nest. A chain of operators nests too: each is applied to what stands left of it.
pub const MAX_DEPTH: usize = 100;
/// What evaluating may cost.
pub const MAX_STEPS: usize = 1_000_000;

/// An expression that can be evaluated: its text, its names and its types are right.
#[derive(Clone, Debug)]
pub struct Program {
    root: parse::Node,
}

impl Program {
    /// Reads an expression over the variables of these names.
    ///
    /// # Errors
    ///
    /// [`Code::BadExpression`], [`Code::TooDeep`] or [`Code::TooLarge`]: whatever the variables hold, this expression is
    /// wrong.
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
    pub fn compile(text: &str, variables: &[&str]) -> Result<Program, Flaw> {
        if text.len() > MAX_TEXT {
            let message = format!("the expression is longer than {MAX_TEXT} bytes");
            return Err(Flaw::new(Code::TooLarge, message, Position { line: 1, column: 1 }));
        }
        let mut root = parse::parse(text)?;
        check::check(&mut root, variables)?;
        Ok(Program { root })
    }

    /// What the expression is worth.
    ///
    /// # Errors
    ///
    /// [`Code::ExpressionFailed`]: these values have no answer, others may.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_cel::Program;
    /// use fleetfold_value::{diagnostic::Code, value::Value};
    ///
    /// let program = Program::compile("cluster.replicas > 2", &["cluster"]).unwrap();
    /// let three = Value::map([("replicas", 3_i64)]);
    /// assert_eq!(program.evaluate(&[("cluster", three)]).unwrap(), Value::from(true));
    /// let error = program.evaluate(&[("cluster", Value::map([("name", "eu-1")]))]).unwrap_err();
    /// assert_eq!(error.code, Code::ExpressionFailed, "this cluster has no `replicas`; another one may");
    /// ```
    pub fn evaluate(&self, variables: &[(&str, Value)]) -> Result<Value, Flaw> {
        evaluate::evaluate(&self.root, variables)
    }
}

/// What is wrong with an expression, and where in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaw {
    pub code: Code,
    pub message: String,
    pub hint: Option<String>,
    pub place: Position,
}

impl Flaw {
    fn new(code: Code, message: impl Into<String>, place: Position) -> Flaw {
        Flaw { code, message: message.into(), hint: None, place }
    }

    fn bad(message: impl Into<String>, place: Position) -> Flaw {
        Flaw::new(Code::BadExpression, message, place)
    }

    fn hint(mut self, hint: impl Into<String>) -> Flaw {
        self.hint = Some(hint.into());
        self
    }

    /// The error of a request, at `line:column` of the expression.
    pub fn into_error(self) -> Error {
        Error::new(self.code, self.message).at(self.place).maybe_hint(self.hint)
    }
}

/// The steps that are left.
struct Budget {
    left: usize,
}

impl Budget {
    fn spend(&mut self, steps: usize) -> Result<(), String> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(format!("the expression takes more than {MAX_STEPS} steps"))
            }
        }
    }

    /// Pays for text of so many bytes before it is made.
    fn spend_text(&mut self, bytes: usize) -> Result<(), String> {
        self.spend(bytes / 16)
    }
}

#[cfg(test)]
mod tests;
