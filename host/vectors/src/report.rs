//! How a run went: vector by vector, stage by stage, and one digest over all answers.

use std::collections::BTreeMap;
use std::fmt;

use fleetfold_core::Value;

use super::MAX_STOPPED;
use super::compare::Difference;

#[derive(Debug)]
pub struct Report {
    /// The version of the suite, where the folder has one.
    pub version: Option<String>,
    /// In the order of the files.
    pub outcomes: Vec<Outcome>,
    /// The vectors that did not run, because the run ended early. They count as failed.
    pub unrun: usize,
    /// SHA-256 over all answers, each followed by a line break. Two engines that agree have one digest.
    /// Nothing after a run that ended early.
    pub digest: Option<String>,
}

#[derive(Debug)]
pub struct Outcome {
    /// Relative to the folder that was run.
    pub file: String,
    pub stage: String,
    /// Empty when the vector passed.
    pub failures: Vec<Failure>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The file is not a vector.
    Vector(String),
    /// A set-up request did not succeed; with its number in `given`.
    Given(usize, Difference),
    /// An answer is not as wanted; with the number of the step, if there are several.
    Answer(Option<usize>, Difference),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
}

impl Report {
    pub fn counts(&self) -> Counts {
        let unrun = Counts { passed: 0, failed: self.unrun };
        self.stages()
            .into_values()
            .fold(unrun, |sum, stage| Counts { passed: sum.passed + stage.passed, failed: sum.failed + stage.failed })
    }

    pub fn stages(&self) -> BTreeMap<&str, Counts> {
        let mut stages = BTreeMap::<&str, Counts>::new();
        for outcome in &self.outcomes {
            let counts = stages.entry(&outcome.stage).or_default();
            if outcome.failures.is_empty() { counts.passed += 1 } else { counts.failed += 1 }
        }
        stages
    }

    /// The report for programs.
    pub fn to_json(&self) -> String {
        let counts = |it: Counts| Value::map([("failed", it.failed), ("passed", it.passed)]);
        let total = self.counts();
        let failures = self.outcomes.iter().filter(|it| !it.failures.is_empty()).map(|it| {
            let failures = Value::list(it.failures.iter().map(Failure::to_value));
            Value::map([("failures", failures), ("file", it.file.as_str().into())])
        });
        let optional = |text: &Option<String>| text.as_deref().map(Value::text);
        let mut fields = vec![
            ("failed", total.failed.into()),
            ("failures", Value::list(failures)),
            ("passed", total.passed.into()),
            ("stages", Value::map(self.stages().into_iter().map(|(stage, it)| (stage, counts(it))))),
        ];
        fields.extend(optional(&self.digest).map(|it| ("answers", it)));
        fields.extend((self.unrun > 0).then(|| ("unrun", self.unrun.into())));
        fields.extend(optional(&self.version).map(|it| ("version", it)));
        Value::map(fields).to_canonical()
    }
}

impl Failure {
    fn to_value(&self) -> Value {
        match self {
            Self::Vector(problem) => Value::map([("problem", problem.as_str())]),
            Self::Given(number, difference) => difference.to_value(Some(("given", *number))),
            Self::Answer(step, difference) => difference.to_value(step.map(|step| ("step", step))),
        }
    }
}

impl Difference {
    fn to_value(&self, place: Option<(&str, usize)>) -> Value {
        let side = |it: &Option<String>| it.as_deref().map_or(Value::Null, Value::from);
        let mut fields =
            vec![("got", side(&self.got)), ("path", self.path.as_str().into()), ("want", side(&self.want))];
        fields.extend(place.map(|(place, number)| (place, number.into())));
        Value::map(fields)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vector(problem) => f.write_str(problem),
            Self::Given(number, difference) => write!(f, "given {number}: {difference}"),
            Self::Answer(None, difference) => difference.fmt(f),
            Self::Answer(Some(step), difference) => write!(f, "step {step}: {difference}"),
        }
    }
}

/// Failures, then a line for each stage, then the version, the digest and the sum.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for outcome in self.outcomes.iter().filter(|it| !it.failures.is_empty()) {
            writeln!(f, "failed {}", outcome.file)?;
            for failure in &outcome.failures {
                writeln!(f, "  {failure}")?;
            }
        }
        let stages = self.stages();
        let width = stages.keys().map(|stage| stage.chars().count()).max().unwrap_or(0);
        for (stage, counts) in stages {
            writeln!(f, "{stage:width$}  {:>5} passed  {:>5} failed", counts.passed, counts.failed)?;
        }
        let total = self.counts();
        if let Some(version) = &self.version {
            writeln!(f, "version {version}")?;
        }
        if let Some(digest) = &self.digest {
            writeln!(f, "answers {digest}")?;
        }
        if self.unrun > 0 {
            writeln!(f, "the module was stopped in {MAX_STOPPED} vectors in a row; {} did not run", self.unrun)?;
        }
        writeln!(f, "{} passed, {} failed", total.passed, total.failed)
    }
}
