//! What is wrong with a document after a change, and was not before: found by making the change, looking, and undoing
//! it.

use std::convert::Infallible;

use super::request::AdmissionRequest;
use super::{ReviewOptions, Rule, Verdict, from_server, words};
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::object::document::Document;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::findings::{Kinds, Known as KnownPlaces, attribute, of_replaced};
use crate::workspace::lint::tidy;
use crate::workspace::store::View;
use crate::workspace::trial::Journal;

/// # Errors
///
/// None of its own: whatever is found is weighed.
pub fn judge(
    workspace: &mut Workspace,
    request: &AdmissionRequest,
    rule: &Rule,
    _: &ReviewOptions,
) -> Result<Verdict, Error> {
    if request.is_quiet() {
        return Ok(Verdict::default());
    }
    let mut verdict = Verdict::default();
    let (before, after) = look(workspace, request, rule);
    let old = request.old.as_ref().map(|it| &it.value);
    let mut known = Known::of(before, old, &request.new.value);
    let mut repeated = Vec::new();
    for finding in after {
        if finding.severity == Severity::Warning && finding.code == Code::DuplicateOption {
            repeated.push(words::sentence(&finding));
        }
        match finding.severity {
            Severity::Error if known.has(&finding) => verdict.warn(&finding),
            Severity::Error if rule.elsewhere.contains(&finding.code) => verdict.warn(&finding),
            Severity::Error => verdict.deny(&finding),
            Severity::Warning => verdict.warn(&finding),
            Severity::Info => {}
        }
    }
    // Of options that are denied, none counts, and not "the last one".
    if verdict.denials.iter().any(|(code, _)| *code == Code::ConflictingOverride) {
        verdict.warnings.retain(|it| !repeated.contains(it));
    }
    Ok(verdict)
}

/// What is found about the document before the change and after it.
fn look(workspace: &mut Workspace, request: &AdmissionRequest, rule: &Rule) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let AdmissionRequest { identity, old, new, .. } = request;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    from_server(workspace, identity, old.as_ref(), |workspace| {
        alone(workspace, old.as_ref(), rule, &mut before);
        let mut loading = Vec::new();
        let put = |workspace: &mut Workspace, journal: &mut Journal| {
            journal.put(workspace, new.clone(), &mut loading);
            Ok::<(), Infallible>(())
        };
        let Ok(()) = workspace.trial(put, |workspace, replaced, _| {
            alone(workspace, Some(new), rule, &mut after);
            for (subject, was) in replaced.iter() {
                of_replaced(subject, was, workspace.results.get(subject), &mut before, &mut after);
            }
        });
        after.extend(loading);
    });
    let name = identity.to_string();
    for found in [&mut before, &mut after] {
        found.retain(|it| it.at.document.as_ref() == Some(&name));
        for finding in found.iter_mut().filter(|it| rule.refused.contains(&it.code)) {
            finding.severity = Severity::Error;
        }
        tidy(found);
    }
    (before, after)
}

/// The findings about a document on its own.
fn alone(workspace: &Workspace, document: Option<&Document>, rule: &Rule, out: &mut Vec<Diagnostic>) {
    let Some(document) = document else { return };
    let mut found = Vec::new();
    rule.dialect.lint_document(View { store: &workspace.store, now: None }, document, &mut found);
    (rule.further)(document, &mut found);
    attribute(found, &document.identity, out);
    let mut known = KnownPlaces::of(out);
    Kinds::of(View { store: &workspace.store, now: None }).check(document, &mut known, out);
}

/// What was wrong before the change.
struct Known<'a> {
    /// How often each was reported.
    errors: SortedMap<(Code, String), usize>,
    /// The document before and after; nothing where nothing was wrong with it.
    repaired: Option<(&'a Value, &'a Value)>,
    /// How many places are still looked up.
    lookups: usize,
}

/// Looking up a place walks the old document: for one with many errors that is too slow.
const MAX_LOOKUPS: usize = 100;

impl<'a> Known<'a> {
    fn of(before: Vec<Diagnostic>, old: Option<&'a Value>, new: &'a Value) -> Known<'a> {
        let mut errors: SortedMap<(Code, String), usize> = SortedMap::new();
        for it in before.into_iter().filter(|it| it.severity == Severity::Error) {
            let times = errors.entry((it.code, it.message)).or_default();
            *times = times.saturating_add(1);
        }
        let repaired = old.filter(|_| !errors.is_empty()).map(|old| (old, new));
        Known { errors, repaired, lookups: MAX_LOOKUPS }
    }

    /// Whether an error was there before. It may have stood elsewhere in a list, but no more often.
    ///
    /// A reader may stop at the first error of a document, so fixing that one reveals the next. So if there were errors
    /// before, an error about an unchanged part is an old one.
    fn has(&mut self, error: &Diagnostic) -> bool {
        let left = self.errors.get_mut(&(error.code, error.message.clone())).filter(|left| **left > 0);
        if let Some(left) = left {
            *left = left.saturating_sub(1);
            return true;
        }
        let (Some((old, new)), Some(path)) = (self.repaired, &error.at.path) else { return false };
        self.lookups = self.lookups.saturating_sub(1);
        self.lookups > 0 && stood(old, new, path)
    }
}

/// Whether the value at a place, or the one around it, was in the old document: at that place, or elsewhere in the
/// lists on its path.
fn stood(old: &Value, new: &Value, path: &Pointer) -> bool {
    let (mut value, mut steps) = (new, Vec::new());
    for step in path.segments() {
        let Some(inner) = value.step(step) else { break };
        value = inner;
        steps.push(step.clone());
    }
    occurs(old, &steps, value)
}

fn occurs(old: &Value, steps: &[Text], value: &Value) -> bool {
    match (steps, old) {
        ([], _) => old == value,
        ([_, rest @ ..], Value::List(items)) => items.iter().any(|it| occurs(it, rest, value)),
        ([step, rest @ ..], _) => old.get(step).is_some_and(|it| occurs(it, rest, value)),
    }
}
