//! Formats a plan: a summary, the actions by wave, the held actions and how to release them, the needs, the digest.

use std::collections::{BTreeMap, BTreeSet};

use fleetfold_core::api::explain::ExplainAnswer;
use fleetfold_core::api::plan::{ActionAnswer, NeedAnswer, PlanAnswer, TargetAnswer};
use fleetfold_core::value::canonical::to_text;

use super::style::{Ink, Palette, clean};
use super::table::{Cell, Table};
use super::{clusters, counted, named, value};

pub fn plan(answer: &PlanAnswer, palette: Palette) -> String {
    let mut out = summary(answer, palette);
    for (wave, actions) in by_wave(&answer.actions) {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Bold, &format!("wave {wave}"))));
        for alike in alike(actions) {
            action(&alike, palette, &mut out);
        }
    }
    if !answer.held.is_empty() {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Yellow, "held")));
        for alike in alike(&answer.held) {
            action(&alike, palette, &mut out);
            if let Some(why) = alike.first().and_then(|it| it.held.as_ref()) {
                out.push_str(&format!("    held: {}\n", clean(&why.text)));
                if !why.hint.is_empty() {
                    out.push_str(&format!("    hint: {}\n", clean(&why.hint)));
                }
            }
        }
    }
    if !answer.needs.is_empty() {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Yellow, "to read first")));
        out.push_str(&needed(&answer.needs).render("  ", palette));
    }
    if !answer.status.is_empty() {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Bold, "statuses that change")));
        let names = distinct(answer.status.iter().map(|it| name_of(&it.target)));
        names.iter().for_each(|name| out.push_str(&format!("  {}\n", clean(name))));
    }
    out.push_str(&format!("\ndigest {}\n", clean(&answer.digest)));
    out
}

/// The action of an `explain` answer.
pub fn explained(answer: &ExplainAnswer, palette: Palette) -> String {
    let mut out = String::new();
    let Some(explained) = &answer.action else { return out };
    action(&[explained], palette, &mut out);
    if let Some(why) = &explained.held {
        out.push_str(&format!("    held: {}\n    hint: {}\n", clean(&why.text), clean(&why.hint)));
    }
    out
}

/// Whether there are actions, held actions or needs.
pub fn is_empty(answer: &PlanAnswer) -> bool {
    answer.actions.is_empty() && answer.held.is_empty() && answer.needs.is_empty()
}

/// The targets of all actions, one line each.
pub fn names(answer: &PlanAnswer) -> Vec<String> {
    answer.actions.iter().map(|it| name_of(&it.target)).collect()
}

/// The summary of a plan, in one line.
pub fn summary(answer: &PlanAnswer, palette: Palette) -> String {
    let count = |verb: &str| answer.actions.iter().filter(|it| it.verb == verb).count();
    let mut parts: Vec<String> =
        ["create", "patch", "delete"].iter().map(|verb| format!("{} to {verb}", count(verb))).collect();
    parts.push(format!("{} held", answer.held.len()));
    let needs = i64::try_from(answer.needs.len()).unwrap_or(i64::MAX);
    parts.push(format!("{} to read first", counted(needs, "object")));
    if !answer.status.is_empty() {
        let total = answer.status.len();
        parts.push(if total == 1 { "1 status changes".to_owned() } else { format!("{total} statuses change") });
    }
    format!("{}\n", palette.paint(Ink::Bold, &parts.join(", ")))
}

fn name_of(target: &TargetAnswer) -> String {
    named(&target.kind, target.namespace.as_deref().unwrap_or_default(), &target.name)
}

fn by_wave(actions: &[ActionAnswer]) -> BTreeMap<i64, Vec<&ActionAnswer>> {
    let mut waves: BTreeMap<i64, Vec<&ActionAnswer>> = BTreeMap::new();
    for action in actions {
        waves.entry(action.wave).or_default().push(action);
    }
    waves
}

/// Groups actions of one subject with the same verb, kind and reason, in the order of the first action of each group.
fn alike<'a>(actions: impl IntoIterator<Item = &'a ActionAnswer>) -> Vec<Vec<&'a ActionAnswer>> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<&ActionAnswer>> = Vec::new();
    for action in actions {
        let ActionAnswer { subject, subresource, verb, target, reason, held, .. } = action;
        let key =
            (subject, (verb, subresource), &target.api_version, &target.kind, &reason.code, &reason.differences, held);
        let place = *places.entry(to_text(&key).unwrap_or_default()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(action),
            None => groups.push(vec![action]),
        }
    }
    groups
}

/// The names without duplicates, in their order.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(name.clone())).collect()
}

fn action(alike: &[&ActionAnswer], palette: Palette, out: &mut String) {
    let Some(first) = alike.first() else { return };
    let ink = match first.verb.as_str() {
        "create" => Ink::Green,
        "delete" => Ink::Red,
        _ => Ink::Blue,
    };
    let targets = clusters(&distinct(alike.iter().map(|it| name_of(&it.target))));
    let on = clusters(&distinct(alike.iter().map(|it| it.cluster.to_string())));
    let verb = palette.paint(ink, &clean(&first.verb));
    let part = first.subresource.as_ref().map(|it| format!("{} of ", clean(it))).unwrap_or_default();
    out.push_str(&format!("  {verb} {part}{} on {on}", palette.paint(Ink::Bold, &targets)));
    if !first.subject.is_empty() {
        out.push_str(&format!(" for {}", clean(&first.subject)));
    }
    let reason = &first.reason;
    if !reason.text.is_empty() {
        out.push_str(&format!(": {}", clean(&reason.text)));
        // A reason may name the cluster of the object.
        if alike.iter().any(|it| it.reason.text != reason.text) {
            out.push_str("; the others alike");
        }
    }
    out.push('\n');
    if let [alone] = alike
        && !alone.id.is_empty()
    {
        out.push_str(&format!("    {}\n", palette.paint(Ink::Dim, &format!("id {}", clean(&alone.id)))));
    }
    let mut table = Table::new(["PATH", "KIND", "LIVE", "", "DESIRED"]);
    for it in reason.differences.iter().flatten() {
        let arrow = Cell::inked(Ink::Dim, "→");
        let (live, desired) = (value::side(&it.live), value::side(&it.desired));
        table.row([(&it.path).into(), (&it.kind).into(), live.into(), arrow, desired.into()]);
    }
    out.push_str(&table.render("    ", palette));
}

fn needed(needs: &[NeedAnswer]) -> Table {
    let mut table = Table::new(["KIND", "NAMESPACE", "NAME", "SELECTOR", "ON"]);
    let mut groups: Vec<(&NeedAnswer, Vec<&str>)> = Vec::new();
    let mut places = BTreeMap::new();
    for need in needs {
        let key = (&need.api_version, &need.kind, &need.namespace, &need.name, &need.label_selector);
        let place = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, names)) => names.push(&need.cluster),
            None => groups.push((need, vec![&need.cluster])),
        }
    }
    for (need, names) in groups {
        table.row([
            (&need.kind).into(),
            need.namespace.as_deref().unwrap_or_default().into(),
            need.name.as_deref().unwrap_or("(all)").into(),
            need.label_selector.as_deref().unwrap_or_default().into(),
            clusters(&names).into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;

    const PLAN: &str = r#"{
      "actions":[
        {"id":"a1","subject":"S/n/s","cluster":"eu-1","verb":"create","target":{"apiVersion":"v1","kind":"Service","namespace":"n","name":"web"},"body":{},"wave":0,"reason":{"code":"absent","text":"it is not there"}},
        {"id":"a2","subject":"S/n/s","cluster":"eu-2","verb":"create","target":{"apiVersion":"v1","kind":"Service","namespace":"n","name":"web"},"body":{},"wave":0,"reason":{"code":"absent","text":"it is not there"}},
        {"id":"a3","subject":"S/n/s","cluster":"eu-1","verb":"patch","target":{"apiVersion":"apps/v1","kind":"Deployment","namespace":"n","name":"web"},"patch":[],"wave":1,
         "reason":{"code":"differs","text":"it differs","differences":[{"path":"/spec/replicas","kind":"changed","desired":5,"live":3}]}}],
      "held":[{"id":"h1","subject":"S/n/s","cluster":"","verb":"delete","target":{"apiVersion":"v1","kind":"Namespace","name":"old"},"wave":0,"reason":{"code":"unwanted","text":"nobody wants it"},
         "held":{"code":"protected","text":"Namespaces are protected","hint":"annotate it"}}],
      "needs":[{"cluster":"eu-1","apiVersion":"v1","kind":"Secret","namespace":"n"},{"cluster":"eu-2","apiVersion":"v1","kind":"Secret","namespace":"n"}],
      "status":[{"cluster":"","status":{},"subject":"S/n/s","target":{"apiVersion":"v1","kind":"S","name":"s"}}],"digest":"sha256:abc"}"#;

    #[test]
    fn a_plan_is_shown_by_wave_and_ends_with_its_digest() {
        let want = "\
2 to create, 1 to patch, 0 to delete, 1 held, 2 objects to read first, 1 status changes

wave 0
  create Service/n/web on eu-1, eu-2 for S/n/s: it is not there

wave 1
  patch Deployment/n/web on eu-1 for S/n/s: it differs
    id a3
    PATH             KIND      LIVE       DESIRED
    /spec/replicas   changed   3      →   5

held
  delete Namespace/old on the hub for S/n/s: nobody wants it
    id h1
    held: Namespaces are protected
    hint: annotate it

to read first
  KIND     NAMESPACE   NAME    ON
  Secret   n           (all)   eu-1, eu-2

statuses that change
  S/s

digest sha256:abc
";
        assert_eq!(plan(&read_answer(PLAN), Palette::PLAIN), want);
    }

    #[test]
    fn many_that_are_alike_are_one_line() {
        let action = |index: usize| {
            format!(
                r#"{{"id":"{index}","subject":"","cluster":"","verb":"create","wave":0,"body":{{"index":{index}}},
                "target":{{"apiVersion":"g/v1","kind":"Plugin","name":"metrics-{index}"}},
                "reason":{{"code":"absent","text":"{index} is picked"}}}}"#
            )
        };
        let actions: Vec<String> = (0..9).map(action).collect();
        let actions = actions.join(",");
        let answer = read_answer(&format!(
            r#"{{"actions":[{actions}],"held":[],"needs":[],"status":[],"digest":"sha256:abc"}}"#
        ));
        let want = "  create Plugin/metrics-0, Plugin/metrics-1 and 7 more on the hub: 0 is picked; the others alike\n";
        let shown = plan(&answer, Palette::PLAIN);
        assert!(shown.starts_with("9 to create") && shown.contains(want), "{shown}");
    }

    #[test]
    fn names_are_those_of_the_targets() {
        let answer = read_answer(PLAN);
        assert_eq!(names(&answer), ["Service/n/web", "Service/n/web", "Deployment/n/web"]);
        assert!(!is_empty(&answer));
        assert!(is_empty(&read_answer(r#"{"actions":[],"held":[],"needs":[],"status":[],"digest":"sha256:abc"}"#)));
    }

    #[test]
    fn an_action_is_explained_with_its_differences() {
        let plan: PlanAnswer = read_answer(PLAN);
        let answer = ExplainAnswer { action: plan.actions.last().cloned(), ..ExplainAnswer::default() };
        let shown = explained(&answer, Palette::PLAIN);
        assert!(shown.starts_with("  patch Deployment/n/web on eu-1 for S/n/s: it differs\n"), "{shown}");
        assert!(shown.contains("/spec/replicas   changed   3      →   5\n"), "{shown}");
    }
}
