//! Formats the blast radius of a change: counts, then the changes by clusters, then the parts without effect.

use fleetfold_core::api::what_if::{ChangeGroupAnswer, WhatIfAnswer};
use fleetfold_core::workspace::ChangeKind;

use super::location::Location;
use super::style::{Ink, Palette, clean};
use super::table::{Cell, Table};
use super::{clusters, counted, value};

pub fn blast(answer: &WhatIfAnswer, palette: Palette) -> String {
    let mut out = refused(answer, palette);
    // Of a refused change, "0 clusters change" would read like "nothing to worry about".
    if out.is_empty() || has_effect(answer) || !answer.shadowed.is_empty() {
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

/// The documents that the change breaks.
fn refused(answer: &WhatIfAnswer, palette: Palette) -> String {
    let documents = answer.refused.iter().flatten();
    let line = |it: &String| format!("{}: {}\n", palette.paint(Ink::Red, "refused"), clean(it));
    let mut out: String = documents.map(line).collect();
    if !out.is_empty() {
        out.push_str("the engine refuses the change; the objects of the document keep their last state\n");
    }
    out
}

/// Whether the change has an effect.
pub fn has_effect(answer: &WhatIfAnswer) -> bool {
    !answer.groups.is_empty()
}

fn counts(answer: &WhatIfAnswer, palette: Palette) -> String {
    let (counts, actions) = (&answer.counts, &answer.actions);
    let all = counted(counts.clusters, "cluster");
    let verb = if counts.changed == 1 { "changes" } else { "change" };
    let first = palette.paint(Ink::Bold, &format!("{} of {all} {verb}", counts.changed));
    let mut out = format!("{first}, {} shadowed, {}\n", counts.shadowed, counted(counts.subjects, "subject"));
    let verbs = format!("{} to create, {} to patch, {} to delete", actions.create, actions.patch, actions.delete);
    let needs = counted(actions.needs, "object");
    out.push_str(&format!("{verbs}, {} held, {needs} to read first\n", actions.held));
    out
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
    for it in &group.changes {
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
        assert_eq!(blast(&answer, Palette::PLAIN), want);
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
        assert_eq!(blast(&answer, Palette::PLAIN), want);
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
        assert_eq!(blast(&answer, Palette::PLAIN), want);
        assert!(!has_effect(&answer));
    }
}
