//! Formats the comparison of two plans: one line for each field, by cluster, subject and target; then the findings of
//! only one engine, and the digests.

use std::collections::BTreeSet;

use fleetfold::session::compare::{Change, Comparison, Difference, Part};
use fleetfold_core::Value;

use super::finding::{Finding, ink};
use super::style::{Ink, Palette, clean};
use super::table::{Cell, Table};
use super::{clusters, counted, value};

/// The values of the old engine and of the new one.
#[derive(Debug, Clone, PartialEq)]
pub struct Sides<T> {
    pub old: Vec<T>,
    pub new: Vec<T>,
}

pub fn table(compared: &Comparison, findings: &Sides<Finding>, palette: Palette) -> String {
    let mut out = format!("{}\n", palette.paint(Ink::Bold, &summary(compared)));
    let mut table = Table::new(["CLUSTER", "TARGET", "STEP", "PATH", "OLD", "", "NEW", "FOR"]);
    for it in &compared.differences {
        rows(it, &mut table);
    }
    if !table.is_empty() {
        out.push('\n');
        out.push_str(&table.render("", palette));
    }
    if !findings.old.is_empty() || !findings.new.is_empty() {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Yellow, "only one of them finds")));
        let mut table = Table::new(["MODULE", "SEVERITY", "CODE", "DOCUMENT", "AT", "MESSAGE"]);
        let old = findings.old.iter().map(|it| ("old", it));
        for (module, it) in old.chain(findings.new.iter().map(|it| ("new", it))) {
            let location = if it.file.is_empty() { it.path.clone() } else { it.location() };
            table.row([
                module.into(),
                Cell::inked(ink(it.severity), it.severity.as_str()),
                (&it.code).into(),
                (&it.document).into(),
                location.into(),
                (&it.message).into(),
            ]);
        }
        out.push_str(&table.render("  ", palette));
    }
    let (old, new) = &compared.digests;
    if old == new {
        out.push_str(&format!("\ndigest {}\n", clean(old)));
    } else {
        out.push_str(&format!("\nold digest {}\nnew digest {}\n", clean(old), clean(new)));
    }
    out
}

fn summary(compared: &Comparison) -> String {
    if compared.is_same() {
        return "the plans are the same".to_owned();
    }
    if compared.differences.is_empty() {
        return "only the digests of the plans differ".to_owned();
    }
    let count = |count: usize, one| counted(i64::try_from(count).unwrap_or(i64::MAX), one);
    let on: BTreeSet<&str> = compared.differences.iter().map(|it| it.cluster.as_str()).collect();
    let on: Vec<&str> = on.into_iter().collect();
    let parts = [(Part::Action, "step"), (Part::Status, "status"), (Part::Need, "need")];
    let parts = parts.into_iter().filter_map(|(part, one)| {
        let found = compared.differences.iter().filter(|it| it.part == part).count();
        match (found, part) {
            (0, _) => None,
            (2.., Part::Status) => Some(format!("{found} statuses")),
            _ => Some(count(found, one)),
        }
    });
    format!("the plans differ in {} on {}", parts.collect::<Vec<_>>().join(", "), clusters(&on))
}

fn rows(difference: &Difference, table: &mut Table) {
    let Difference { cluster, subject, part, change, .. } = difference;
    let cluster = if cluster.is_empty() { "the hub" } else { cluster };
    // Entries that only one plan has.
    let had = match part {
        Part::Action => "planned",
        Part::Status => "written",
        Part::Need => "needed",
    };
    let mut row = |verb: &str, path: &str, old: Cell, new: Cell| {
        let step = if verb.is_empty() { part.as_str() } else { verb };
        let arrow = Cell::inked(Ink::Dim, "→");
        table.row([
            cluster.into(),
            name_of(difference).into(),
            step.into(),
            path.into(),
            old,
            arrow,
            new,
            subject.into(),
        ]);
    };
    match change {
        Change::OnlyOld(verb) => row(verb, "", Cell::inked(Ink::Red, had), value::NONE.into()),
        Change::OnlyNew(verb) => row(verb, "", value::NONE.into(), Cell::inked(Ink::Green, had)),
        Change::Differs { verb, fields } => {
            for field in fields {
                let side = |it: &Option<Value>| Cell::from(it.as_ref().map_or(value::NONE.to_owned(), value::short));
                let path = if field.place == "id" { "(masked)" } else { &field.place };
                row(verb, path, side(&field.old), side(&field.new));
            }
        }
    }
}

/// The object, or the needed list of objects.
fn name_of(Difference { target, label_selector, .. }: &Difference) -> String {
    match (target.name.as_str(), label_selector.as_str()) {
        ("", "") => format!("{target} (all)"),
        ("", selector) => format!("{target} ({selector})"),
        _ => target.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;
    use fleetfold::session::compare::compare;
    use fleetfold_core::api::plan::PlanAnswer;

    const OLD: &str = r#"{"actions":[
        {"id":"1","subject":"P/acme/metrics","cluster":"","verb":"patch","wave":0,"reason":{"code":"c","text":"t"},"target":{"apiVersion":"g/v1","kind":"Plugin","namespace":"acme","name":"metrics-eu-1"},
         "patch":[{"op":"replace","path":"/spec/optionValues/3/value","value":5}]},
        {"id":"2","subject":"S/s","cluster":"eu-1","verb":"create","wave":0,"reason":{"code":"c","text":"t"},"target":{"apiVersion":"v1","kind":"Secret","namespace":"n","name":"s"},"body":{"data":"***"}}],
      "held":[],"needs":[{"cluster":"eu-1","apiVersion":"v1","kind":"Service","namespace":"n"}],"status":[],"digest":"sha256:a"}"#;

    const NEW: &str = r#"{"actions":[
        {"id":"3","subject":"P/acme/metrics","cluster":"","verb":"patch","wave":0,"reason":{"code":"c","text":"t"},"target":{"apiVersion":"g/v1","kind":"Plugin","namespace":"acme","name":"metrics-eu-1"},
         "patch":[{"op":"replace","path":"/spec/optionValues/3/value","value":7}]},
        {"id":"4","subject":"S/s","cluster":"eu-1","verb":"create","wave":0,"reason":{"code":"c","text":"t"},"target":{"apiVersion":"v1","kind":"Secret","namespace":"n","name":"s"},"body":{"data":"***"}}],
      "held":[{"id":"5","subject":"S/s","cluster":"eu-1","verb":"delete","wave":0,"reason":{"code":"c","text":"t"},"target":{"apiVersion":"v1","kind":"Service","namespace":"n","name":"web"},"held":{"code":"deletes","hint":"h","text":"t"}}],
      "needs":[],"status":[],"digest":"sha256:b"}"#;

    #[test]
    fn every_difference_is_one_line() {
        let finding = r#"{"severity":"error","code":"bad-selector","message":"no","at":{"document":"A/b","file":"f.yaml","line":3,"column":1}}"#;
        let findings = Sides { old: Finding::all(&[read_answer(finding)]), new: Vec::new() };
        let compared = compare(&read_answer(OLD), &read_answer(NEW));
        let want = "\
the plans differ in 3 steps, 1 need on the hub, eu-1

CLUSTER   TARGET                     STEP     PATH                         OLD          NEW       FOR
the hub   Plugin/acme/metrics-eu-1   patch    /spec/optionValues/3/value   5        →   7         P/acme/metrics
eu-1      Service/n (all)            need                                  needed   →   <none>
eu-1      Secret/n/s                 create   (masked)                     \"2\"      →   \"4\"       S/s
eu-1      Service/n/web              delete                                <none>   →   planned   S/s

only one of them finds
  MODULE   SEVERITY   CODE           DOCUMENT   AT           MESSAGE
  old      error      bad-selector   A/b        f.yaml:3:1   no

old digest sha256:a
new digest sha256:b
";
        assert_eq!(table(&compared, &findings, Palette::PLAIN), want);
    }

    #[test]
    fn equal_plans_are_one_line_and_a_digest() {
        let plan: PlanAnswer = read_answer(OLD);
        let nothing = Sides { old: Vec::new(), new: Vec::new() };
        let shown = table(&compare(&plan, &plan), &nothing, Palette::PLAIN);
        assert_eq!(shown, "the plans are the same\n\ndigest sha256:a\n");
        let hidden = PlanAnswer { digest: "sha256:c".to_owned(), ..plan.clone() };
        let shown = table(&compare(&plan, &hidden), &nothing, Palette::PLAIN);
        assert!(shown.starts_with("only the digests of the plans differ"), "{shown}");
    }
}
