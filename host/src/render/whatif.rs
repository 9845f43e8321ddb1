//! Formats the blast radius of a change: counts, then the changes by clusters, then the parts without effect.

use fleetfold_core::api::plan::ActionCounts;
use fleetfold_core::api::what_if::{ChangeGroupAnswer, WhatIfAnswer};
use fleetfold_core::workspace::ChangeKind;

use super::finding::Finding;
use super::location::Location;
use super::style::{Ink, Palette, clean};
use super::table::{Cell, Table};
use super::{clusters, counted, value};

/// What the engine does not use of a change.
#[derive(Debug, Default)]
pub struct Refused {
    /// The documents with errors that the engine does not use.
    documents: Vec<String>,
    /// The places of texts that are no documents.
    unread: Vec<String>,
    /// The documents that the engine uses, and that fail for some of their clusters, each with the place of the error.
    in_part: Vec<(String, String)>,
}

impl Refused {
    /// What an answer names, and what the errors in the files of the change tell.
    pub fn of(answer: &WhatIfAnswer, errors: &[&Finding]) -> Refused {
        let mut refused = Refused { documents: answer.refused.clone().unwrap_or_default(), ..Refused::default() };
        for error in errors {
            if error.document.is_empty() {
                let line = error.line.map(|it| format!(":{it}")).unwrap_or_default();
                refused.unread.push(format!("{}{line}", error.file));
            } else if !refused.documents.contains(&error.document) {
                refused.in_part.push((error.document.clone(), error.location()));
            }
        }
        refused.unread.dedup();
        refused.in_part.dedup_by(|a, b| a.0 == b.0);
        refused
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.unread.is_empty() && self.in_part.is_empty()
    }

    /// Whether the engine uses nothing of a document.
    fn is_whole(&self) -> bool {
        !self.documents.is_empty() || !self.unread.is_empty()
    }

    fn lines(&self, palette: Palette) -> String {
        let mut out = String::new();
        for it in self.unread.iter().chain(&self.documents) {
            out.push_str(&format!("{}: {}\n", palette.paint(Ink::Red, "refused"), clean(it)));
        }
        for (document, at) in &self.in_part {
            let title = palette.paint(Ink::Red, "refused in part");
            out.push_str(&format!("{title}: {} at {}\n", clean(document), clean(at)));
        }
        if !self.documents.is_empty() {
            out.push_str("the engine refuses the change; the objects of the document keep their last state\n");
        }
        out
    }
}

pub fn blast(answer: &WhatIfAnswer, refused: &Refused, palette: Palette) -> String {
    let mut out = refused.lines(palette);
    // Of a refused change, "0 clusters change" would read like "nothing to worry about".
    if !refused.is_whole() || has_effect(answer) || !answer.shadowed.is_empty() {
        out.push_str(&counts(answer, palette));
    }
    for it in &answer.groups {
        out.push('\n');
        group(it, palette, &mut out);
    }
    if !answer.shadowed.is_empty() {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Yellow, "no effect, because something hides it")));
        let mut table = Table::new(["SUBJECT", "OBJECT", "PATH", "CLUSTERS", "HIDDEN BY", "AT"]);
        for it in &answer.shadowed {
            table.row([
                (&it.subject).into(),
                it.object.as_deref().unwrap_or_default().into(),
                (&it.path).into(),
                clusters(&it.clusters).into(),
                (&it.by.layer).into(),
                Location::from(&it.by).to_string().into(),
            ]);
        }
        out.push_str(&table.render("  ", palette));
    }
    let collected = answer.collected.as_deref().unwrap_or_default();
    if !collected.is_empty() {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Red, "deleted with their owner")));
        let mut table = Table::new(["OBJECT", "OWNER"]);
        collected.iter().for_each(|it| table.row([(&it.object).into(), (&it.owner).into()]));
        out.push_str(&table.render("  ", palette));
    }
    let fixed = answer.fixed.as_deref().unwrap_or_default();
    if !fixed.is_empty() {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Green, "fixed")));
        let mut table = Table::new(["SEVERITY", "CODE", "AT", "MESSAGE"]);
        for it in fixed {
            let at = it.at.as_ref().map(|it| Location::from(it).to_string()).unwrap_or_default();
            table.row([it.severity.as_str().into(), (&it.code).into(), at.into(), (&it.message).into()]);
        }
        out.push_str(&table.render("  ", palette));
    }
    out
}

/// Whether the change has an effect: on results, on the plan, or on what the garbage collector deletes.
pub fn has_effect(answer: &WhatIfAnswer) -> bool {
    !answer.groups.is_empty() || has_actions(answer) || answer.collected.is_some()
}

/// Whether the plan gets an action, also a held one.
fn has_actions(answer: &WhatIfAnswer) -> bool {
    let ActionCounts { create, patch, delete, held, .. } = answer.actions;
    [create, patch, delete, held].iter().any(|it| *it > 0)
}

fn counts(answer: &WhatIfAnswer, palette: Palette) -> String {
    let (counts, actions) = (&answer.counts, &answer.actions);
    let mut out = String::new();
    let kept = kept(answer);
    if let Some(kept) = &kept {
        out.push_str(&format!("{}\n", palette.paint(Ink::Bold, kept)));
    }
    let changes = changes(answer);
    // What keeps its last state is no change, so the actions and counts are left out where there is nothing else.
    if changes.is_none() && kept.is_some() && !has_actions(answer) && answer.shadowed.is_empty() {
        return out;
    }
    let first = changes.unwrap_or_else(|| match has_actions(answer) || answer.collected.is_some() {
        true => "the plan changes, and the values of clusters stay the same".to_owned(),
        false => format!("0 of {} change", counted(counts.clusters, "cluster")),
    });
    let subjects = counted(counts.subjects, "subject");
    out.push_str(&format!("{}, {} shadowed, {subjects}\n", palette.paint(Ink::Bold, &first), counts.shadowed));
    let verbs = format!("{} to create, {} to patch, {} to delete", actions.create, actions.patch, actions.delete);
    let needs = counted(actions.needs, "object");
    out.push_str(&format!("{verbs}, {} held, {needs} to read first\n", actions.held));
    out
}

/// Which clusters change; nothing if none does.
fn changes(answer: &WhatIfAnswer) -> Option<String> {
    let all = counted(answer.counts.clusters, "cluster");
    let changed = answer.counts.changed.saturating_sub(answer.counts.kept.unwrap_or(0));
    match (changed, reaches_hub(answer, |it| it != ChangeKind::Fails)) {
        (..=0, false) => None,
        (..=0, true) => Some("the hub changes".to_owned()),
        (1, false) => Some(format!("1 of {all} changes")),
        (changed, false) => Some(format!("{changed} of {all} change")),
        (changed, true) => Some(format!("{changed} of {all} and the hub change")),
    }
}

/// Which clusters only keep their last state, because their results fail; nothing if none does.
fn kept(answer: &WhatIfAnswer) -> Option<String> {
    match (answer.counts.kept.unwrap_or(0), reaches_hub(answer, |it| it == ChangeKind::Fails)) {
        (..=0, false) => None,
        (..=0, true) => Some("the hub keeps its last state".to_owned()),
        (1, false) => Some("1 cluster keeps its last state".to_owned()),
        (kept, false) => Some(format!("{kept} clusters keep their last state")),
        (kept, true) => Some(format!("{} and the hub keep their last state", counted(kept, "cluster"))),
    }
}

/// Whether a change of such a kind is on the hub.
fn reaches_hub(answer: &WhatIfAnswer, is_such: impl Fn(ChangeKind) -> bool) -> bool {
    answer.groups.iter().any(|it| is_such(it.change) && it.clusters.iter().any(|name| name.is_empty()))
}

fn group(group: &ChangeGroupAnswer, palette: Palette, out: &mut String) {
    let ink = match group.change {
        ChangeKind::Joins | ChangeKind::Heals => Ink::Green,
        ChangeKind::Leaves | ChangeKind::Fails => Ink::Red,
        ChangeKind::Changed => Ink::Yellow,
    };
    let subject = palette.paint(Ink::Bold, &clean(&group.subject));
    let clusters = clusters(&group.clusters);
    let total = counted(i64::try_from(group.clusters.len()).unwrap_or(i64::MAX), "cluster");
    out.push_str(&format!("{subject}  {}  {total}: {clusters}\n", palette.paint(ink, group.change.as_str())));
    let mut table = Table::new(["OBJECT", "PATH", "BEFORE", "", "AFTER", "BECAUSE OF"]);
    // A result that fails is not applied, so none of its values changes.
    for it in group.changes.iter().filter(|_| group.change != ChangeKind::Fails) {
        let cause = it.cause.as_ref().map(|it| Location::from(it).to_string()).unwrap_or_default();
        let after = match it.released {
            Some(true) => "released, stays in the cluster".to_owned(),
            _ => value::of(&it.after, &it.after_from),
        };
        table.row([
            it.object.as_deref().unwrap_or_default().into(),
            (&it.path).into(),
            value::of(&it.before, &it.before_from).into(),
            Cell::inked(Ink::Dim, "→"),
            after.into(),
            cause.into(),
        ]);
    }
    out.push_str(&table.render("  ", palette));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;

    #[test]
    fn counts_come_first_then_groups_then_the_shadowed() {
        let answer = read_answer(
            r#"{"counts":{"clusters":1000,"changed":5,"shadowed":2,"subjects":1},
              "groups":[{"subject":"PluginPreset/acme/metrics","clusters":["a","b","c","d","e"],"change":"changed",
                "changes":[{"path":"replicas","before":3,"after":4,"cause":{"layer":"preset","file":"f.yaml","line":12,"column":9}},{"path":"x","after":"y"}]},
                {"subject":"PluginPreset/acme/metrics","clusters":["f"],"change":"leaves","changes":[]}],
              "shadowed":[{"subject":"PluginPreset/acme/metrics","path":"replicas","clusters":["g","h"],"by":{"layer":"preset","file":"f.yaml","line":2,"column":1}}],
              "actions":{"create":0,"patch":5,"delete":0,"held":0,"needs":1}}"#,
        );
        let want = "\
5 of 1000 clusters change, 2 shadowed, 1 subject
0 to create, 5 to patch, 0 to delete, 0 held, 1 object to read first

PluginPreset/acme/metrics  changed  5 clusters: a, b and 3 more
  PATH       BEFORE       AFTER   BECAUSE OF
  replicas   3        →   4       f.yaml:12:9
  x          <none>   →   \"y\"

PluginPreset/acme/metrics  leaves  1 cluster: f

no effect, because something hides it
  SUBJECT                     PATH       CLUSTERS   HIDDEN BY   AT
  PluginPreset/acme/metrics   replicas   g, h       preset      f.yaml:2:1
";
        assert_eq!(blast(&answer, &Refused::of(&answer, &[]), Palette::PLAIN), want);
        assert!(has_effect(&answer));
    }

    #[test]
    fn a_refused_change_comes_first_and_fixed_findings_last() {
        let answer = read_answer(
            r#"{"counts":{"clusters":1,"changed":0,"shadowed":0,"subjects":0},"groups":[],"shadowed":[],
              "actions":{"create":0,"patch":0,"delete":0,"held":0,"needs":0},"refused":["PluginOverride/acme/us"],
              "fixed":[{"severity":"warning","code":"unknown-field","message":"there is no field `x` here","at":{"file":"f.yaml","line":2,"column":1}}]}"#,
        );
        let want = "\
refused: PluginOverride/acme/us
the engine refuses the change; the objects of the document keep their last state

fixed
  SEVERITY   CODE            AT           MESSAGE
  warning    unknown-field   f.yaml:2:1   there is no field `x` here
";
        assert_eq!(blast(&answer, &Refused::of(&answer, &[]), Palette::PLAIN), want);
    }

    #[test]
    fn a_change_without_effect_shows_zero_counts() {
        let answer = read_answer(
            r#"{"counts":{"clusters":1,"changed":0,"shadowed":0,"subjects":0},"groups":[],"shadowed":[],
              "actions":{"create":0,"patch":0,"delete":0,"held":0,"needs":0}}"#,
        );
        let want = "\
0 of 1 cluster change, 0 shadowed, 0 subjects
0 to create, 0 to patch, 0 to delete, 0 held, 0 objects to read first
";
        assert_eq!(blast(&answer, &Refused::of(&answer, &[]), Palette::PLAIN), want);
        assert!(!has_effect(&answer));
    }

    #[test]
    fn actions_alone_are_an_effect() {
        let answer = read_answer(
            r#"{"counts":{"clusters":2,"changed":0,"shadowed":0,"subjects":0},"groups":[],"shadowed":[],
              "actions":{"create":0,"patch":2,"delete":0,"held":0,"needs":0}}"#,
        );
        let want = "\
the plan changes, and the values of clusters stay the same, 0 shadowed, 0 subjects
0 to create, 2 to patch, 0 to delete, 0 held, 0 objects to read first
";
        assert_eq!(blast(&answer, &Refused::default(), Palette::PLAIN), want);
        assert!(has_effect(&answer));
    }

    #[test]
    fn what_fails_keeps_its_last_state_and_the_hub_is_named() {
        let answer = |clusters: &str, change: &str, counts: &str| -> WhatIfAnswer {
            read_answer(&format!(
                r#"{{"counts":{{"clusters":2,"shadowed":0,"subjects":1,{counts}}},"shadowed":[],
                  "groups":[{{"subject":"A/b","clusters":{clusters},"change":"{change}","changes":[]}}],
                  "actions":{{"create":0,"patch":0,"delete":0,"held":0,"needs":0}}}}"#
            ))
        };
        let first = |answer: WhatIfAnswer| {
            let shown = blast(&answer, &Refused::default(), Palette::PLAIN);
            shown.lines().next().unwrap_or_default().to_owned()
        };
        let kept = answer(r#"["a","b"]"#, "fails", r#""changed":2,"kept":2"#);
        assert_eq!(
            blast(&kept, &Refused::default(), Palette::PLAIN),
            "2 clusters keep their last state\n\nA/b  fails  2 clusters: a, b\n"
        );
        let hub = |change: &str| answer(r#"[""]"#, change, r#""changed":0"#);
        assert_eq!(first(hub("fails")), "the hub keeps its last state");
        assert_eq!(first(hub("changed")), "the hub changes, 0 shadowed, 1 subject");
        let both = answer(r#"["","a"]"#, "changed", r#""changed":1"#);
        assert_eq!(first(both), "1 of 2 clusters and the hub change, 0 shadowed, 1 subject");
    }

    #[test]
    fn errors_in_the_files_of_a_change_are_refusals() {
        let answer = read_answer(
            r#"{"counts":{"clusters":2,"changed":0,"shadowed":0,"subjects":0},"groups":[],"shadowed":[],
              "actions":{"create":0,"patch":0,"delete":0,"held":0,"needs":0}}"#,
        );
        let error = |text: &str| Finding::from(&read_answer::<fleetfold_core::api::Finding>(text));
        let unread =
            error(r#"{"severity":"error","code":"x","message":"m","at":{"file":"e.yaml","line":3,"column":1}}"#);
        let unread = Refused::of(&answer, &[&unread]);
        assert_eq!(blast(&answer, &unread, Palette::PLAIN), "refused: e.yaml:3\n");
        let part = error(
            r#"{"severity":"error","code":"x","message":"m","at":{"document":"A/n/b","file":"e.yaml","line":9,"column":1}}"#,
        );
        let part = blast(&answer, &Refused::of(&answer, &[&part, &part]), Palette::PLAIN);
        assert!(part.starts_with("refused in part: A/n/b at e.yaml:9:1\n0 of 2 clusters change"), "{part}");
    }
}
