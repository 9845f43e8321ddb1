//! What evaluations may cost.

use super::{CelError, MAX_STEPS};
use fleetfold_value::diagnostic::Code;
use fleetfold_value::value::Position;

/// Bytes that are read, compared or written for one step.
const BYTES_A_STEP: usize = 16;
/// Bytes that are read one by one per step.
const SLOW_BYTES_A_STEP: usize = 4;

/// The steps that several evaluations may take together.
///
/// # Example
///
/// ```
/// use fleetfold_cel::{Allowance, Program};
/// use fleetfold_value::diagnostic::Code;
///
/// let program = Program::compile("[1, 2, 3].all(n, n > 0)", &[]).unwrap();
/// let mut allowance = Allowance::new(40);
/// assert!(program.evaluate_within(&[], &mut allowance).is_ok());
/// let mut evaluate = || program.evaluate_within(&[], &mut allowance);
/// let result = evaluate().and_then(|_| evaluate());
/// assert_eq!(result.unwrap_err().code, Code::ExpressionBudget);
/// ```
#[derive(Clone, Debug)]
pub struct Allowance {
    total: u64,
    left: u64,
}

impl Allowance {
    pub fn new(steps: u64) -> Allowance {
        Allowance { total: steps, left: steps }
    }

    /// The steps that are left; none after an evaluation was refused.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Pays for a text that is compiled or parsed.
    ///
    /// # Errors
    ///
    /// [`Code::ExpressionBudget`]: too few steps are left.
    pub(super) fn spend_source(&mut self, bytes: usize, place: Position) -> Result<(), CelError> {
        self.spend(count(bytes / SLOW_BYTES_A_STEP), place)
    }

    pub(super) fn spend(&mut self, steps: u64, place: Position) -> Result<(), CelError> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(self.exceeded(place))
            }
        }
    }

    pub(super) fn exceeded(&self, place: Position) -> CelError {
        let message = format!("the expressions of the document take more than {} steps together", self.total);
        CelError::new(Code::ExpressionBudget, message, place).hint("compare fewer and shorter values, or use labels")
    }
}

/// The remaining steps of one evaluation.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) left: u64,
    /// Whether more steps were requested than were left.
    pub(super) is_exceeded: bool,
}

impl Budget {
    pub(super) fn new(steps: u64) -> Budget {
        Budget { left: steps, is_exceeded: false }
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), String> {
        match self.left.checked_sub(count(steps)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                (self.left, self.is_exceeded) = (0, true);
                Err(format!("the expression takes more than {MAX_STEPS} steps"))
            }
        }
    }

    /// Charges for a text of this length before it is read, compared or created.
    pub(super) fn spend_text(&mut self, bytes: usize) -> Result<(), String> {
        self.spend(bytes / BYTES_A_STEP)
    }

    /// Charges for a text that is built character by character.
    pub(super) fn spend_characters(&mut self, bytes: usize) -> Result<(), String> {
        self.spend(bytes / SLOW_BYTES_A_STEP)
    }

    /// Charges for two numbers multiplied, as in a pattern's states at every byte of a text. A product that does not
    /// fit is more than any budget, whatever the width of a number.
    pub(super) fn spend_product(&mut self, a: usize, b: usize, per_step: usize) -> Result<(), String> {
        let product = count(a).saturating_mul(count(b)) / count(per_step).max(1);
        self.spend(usize::try_from(product).unwrap_or(usize::MAX))
    }
}

fn count(of: usize) -> u64 {
    u64::try_from(of).unwrap_or(u64::MAX)
}
