//! Formats the blast radius of a change: counts, then the changes by clusters, then the parts without effect.

use fleetfold_core::Value;

use super::style::{Ink, Palette, clean};
use super::table::{Cell, Table};
use super::{clusters, count, counted, list, place, text, texts, value};

pub fn blast(answer: &Value, palette: Palette) -> String {
    let mut out = counts(answer, palette);
    for it in list(answer, "groups") {
        out.push('\n');
        group(it, palette, &mut out);
    }
    let shadowed = list(answer, "shadowed");
    if !shadowed.is_empty() {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Yellow, "no effect, because something hides it")));
        let mut table = Table::new(["SUBJECT", "OBJECT", "PATH", "CLUSTERS", "HIDDEN BY", "AT"]);
        for it in shadowed {
            let by = it.get("by").unwrap_or(&Value::Null);
            table.row([
                text(it, "subject").into(),
                text(it, "object").into(),
                text(it, "path").into(),
                clusters(&texts(it, "clusters")).into(),
                text(by, "layer").into(),
                place(by).into(),
            ]);
        }
        out.push_str(&table.render("  ", palette));
    }
    out
}

/// Whether the change has an effect.
pub fn has_effect(answer: &Value) -> bool {
    !list(answer, "groups").is_empty()
}

fn counts(answer: &Value, palette: Palette) -> String {
    let counts = answer.get("counts").unwrap_or(&Value::Null);
    let (changed, shadowed) = (count(counts, "changed"), count(counts, "shadowed"));
    let all = counted(count(counts, "clusters"), "cluster");
    let subjects = counted(count(counts, "subjects"), "subject");
    let verb = if changed == 1 { "changes" } else { "change" };
    let first = palette.paint(Ink::Bold, &format!("{changed} of {all} {verb}"));
    let mut out = format!("{first}, {shadowed} shadowed, {subjects}\n");
    if let Some(actions) = answer.get("actions") {
        let verbs = ["create", "patch", "delete"].map(|verb| format!("{} to {verb}", count(actions, verb)));
        let needs = counted(count(actions, "needs"), "object");
        out.push_str(&format!("{}, {} held, {needs} to be seen first\n", verbs.join(", "), count(actions, "held")));
    }
    out
}

fn group(group: &Value, palette: Palette, out: &mut String) {
    let change = text(group, "change");
    let ink = match change {
        "joins" | "heals" => Ink::Green,
        "leaves" | "fails" => Ink::Red,
        _ => Ink::Yellow,
    };
    let names = texts(group, "clusters");
    let subject = palette.paint(Ink::Bold, &clean(text(group, "subject")));
    let clusters = clusters(&names);
    let total = counted(i64::try_from(names.len()).unwrap_or(i64::MAX), "cluster");
    out.push_str(&format!("{subject}  {}  {total}: {clusters}\n", palette.paint(ink, &clean(change))));
    let mut table = Table::new(["OBJECT", "PATH", "BEFORE", "", "AFTER", "BECAUSE OF"]);
    for it in list(group, "changes") {
        let cause = it.get("cause").map(place).unwrap_or_default();
        table.row([
            text(it, "object").into(),
            text(it, "path").into(),
            value::of(it, "before", "beforeFrom").into(),
            Cell::inked(Ink::Dim, "→"),
            value::of(it, "after", "afterFrom").into(),
            cause.into(),
        ]);
    }
    out.push_str(&table.render("  ", palette));
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleetfold_core::value::json::parse;

    #[test]
    fn counts_come_first_then_groups_then_the_shadowed() {
        let answer = parse(
            r#"{"counts":{"clusters":1000,"changed":5,"shadowed":2,"subjects":1},
              "groups":[{"subject":"PluginPreset/acme/metrics","clusters":["a","b","c","d","e"],"change":"changed",
                "changes":[{"path":"replicas","before":3,"after":4,"cause":{"file":"f.yaml","line":12,"column":9}},{"path":"x","after":"y"}]},
                {"subject":"PluginPreset/acme/metrics","clusters":["f"],"change":"leaves","changes":[]}],
              "shadowed":[{"subject":"PluginPreset/acme/metrics","path":"replicas","clusters":["g","h"],"by":{"layer":"preset","file":"f.yaml","line":2,"column":1}}],
              "actions":{"create":0,"patch":5,"delete":0,"held":0,"needs":1}}"#,
        )
        .unwrap();
        let want = "\
5 of 1000 clusters change, 2 shadowed, 1 subject
0 to create, 5 to patch, 0 to delete, 0 held, 1 object to be seen first

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
    fn a_change_without_effect_shows_zero_counts() {
        let answer = parse(r#"{"counts":{"clusters":1,"changed":0,"shadowed":0,"subjects":0},"groups":[]}"#).unwrap();
        assert_eq!(blast(&answer, Palette::PLAIN), "0 of 1 cluster change, 0 shadowed, 0 subjects\n");
        assert!(!has_effect(&answer));
    }
}
