//! Formats a plan: a summary, the actions by wave, the held actions and how to release them, the needs, the digest.

use std::collections::{BTreeMap, BTreeSet};

use fleetfold_core::Value;

use super::style::{Ink, Palette, clean};
use super::table::{Cell, Table};
use super::{clusters, counted, list, name_of, text, value};

pub fn plan(answer: &Value, palette: Palette) -> String {
    let (actions, held, needs) = (list(answer, "actions"), list(answer, "held"), list(answer, "needs"));
    let mut out = summary(answer, palette);
    for (wave, actions) in by_wave(actions) {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Bold, &format!("wave {wave}"))));
        for alike in alike(&actions) {
            action(&alike, palette, &mut out);
        }
    }
    if !held.is_empty() {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Yellow, "held")));
        for alike in alike(&held.iter().collect::<Vec<_>>()) {
            action(&alike, palette, &mut out);
            let why = alike.first().and_then(|it| it.get("held")).unwrap_or(&Value::Null);
            out.push_str(&format!("    held: {}\n", clean(text(why, "text"))));
            if !text(why, "hint").is_empty() {
                out.push_str(&format!("    hint: {}\n", clean(text(why, "hint"))));
            }
        }
    }
    if !needs.is_empty() {
        out.push_str(&format!("\n{}\n", palette.paint(Ink::Yellow, "to be seen first")));
        out.push_str(&needed(needs).render("  ", palette));
    }
    out.push_str(&format!("\ndigest {}\n", clean(text(answer, "digest"))));
    out
}

/// The action of an `explain` answer.
pub fn explained(answer: &Value, palette: Palette) -> String {
    let mut out = String::new();
    let Some(explained) = answer.get("action") else { return out };
    action(&[explained], palette, &mut out);
    if let Some(why) = explained.get("held") {
        out.push_str(&format!("    held: {}\n    hint: {}\n", clean(text(why, "text")), clean(text(why, "hint"))));
    }
    out
}

/// Whether there are actions, held actions or needs.
pub fn is_empty(answer: &Value) -> bool {
    ["actions", "held", "needs"].iter().all(|key| list(answer, key).is_empty())
}

/// The targets of all actions, one line each.
pub fn names(answer: &Value) -> Vec<String> {
    list(answer, "actions").iter().filter_map(|it| it.get("target")).map(name_of).collect()
}

/// The summary of a plan, in one or two lines.
pub fn summary(answer: &Value, palette: Palette) -> String {
    let actions = list(answer, "actions");
    let count = |verb: &str| actions.iter().filter(|it| text(it, "verb") == verb).count();
    let verbs = [("create", "to create"), ("patch", "to patch"), ("delete", "to delete")];
    let mut parts: Vec<String> = verbs.iter().map(|(verb, shown)| format!("{} {shown}", count(verb))).collect();
    for (verb, shown) in [("patch-status", "status"), ("event", "event")] {
        if count(verb) > 0 {
            parts.push(format!("{} {shown} to write", count(verb)));
        }
    }
    parts.push(format!("{} held", list(answer, "held").len()));
    let needs = i64::try_from(list(answer, "needs").len()).unwrap_or(i64::MAX);
    parts.push(format!("{} to be seen first", counted(needs, "object")));
    let statuses = list(answer, "status").len();
    if statuses > 0 {
        parts.push(format!("{statuses} with another status"));
    }
    format!("{}\n", palette.paint(Ink::Bold, &parts.join(", ")))
}

fn by_wave(actions: &[Value]) -> BTreeMap<i64, Vec<&Value>> {
    let mut waves: BTreeMap<i64, Vec<&Value>> = BTreeMap::new();
    for action in actions {
        waves.entry(action.get("wave").and_then(Value::as_int).unwrap_or(0)).or_default().push(action);
    }
    waves
}

/// Groups actions of one subject with the same verb, kind and reason, in the order of the first action of each group.
fn alike<'a>(actions: &[&'a Value]) -> Vec<Vec<&'a Value>> {
    const ALIKE: [&[&str]; 7] = [
        &["subject"],
        &["verb"],
        &["target", "apiVersion"],
        &["target", "kind"],
        &["reason", "code"],
        &["reason", "differences"],
        &["held"],
    ];
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<&Value>> = Vec::new();
    for action in actions {
        let key = Value::list(ALIKE.map(|path| action.at(path).cloned().unwrap_or_default())).to_canonical();
        let place = *places.entry(key).or_insert(groups.len());
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

fn action(alike: &[&Value], palette: Palette, out: &mut String) {
    let Some(first) = alike.first() else { return };
    let verb = text(first, "verb");
    let ink = match verb {
        "create" => Ink::Green,
        "delete" => Ink::Red,
        _ => Ink::Blue,
    };
    let named = |names: Vec<String>| clusters(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let targets = named(distinct(alike.iter().filter_map(|it| it.get("target")).map(name_of)));
    let on = named(distinct(alike.iter().map(|it| text(it, "cluster").to_owned())));
    let verb = palette.paint(ink, &clean(verb));
    out.push_str(&format!("  {verb} {} on {on}", palette.paint(Ink::Bold, &targets)));
    let subject = text(first, "subject");
    if !subject.is_empty() {
        out.push_str(&format!(" for {}", clean(subject)));
    }
    let reason = first.get("reason").unwrap_or(&Value::Null);
    if !text(reason, "text").is_empty() {
        out.push_str(&format!(": {}", clean(text(reason, "text"))));
        // A reason may name the cluster of the object.
        if alike.iter().any(|it| it.text_at(&["reason", "text"]) != text(reason, "text")) {
            out.push_str("; the others alike");
        }
    }
    out.push('\n');
    if let [alone] = alike
        && !text(alone, "id").is_empty()
    {
        out.push_str(&format!("    {}\n", palette.paint(Ink::Dim, &format!("id {}", clean(text(alone, "id"))))));
    }
    let mut table = Table::new(["PATH", "KIND", "LIVE", "", "DESIRED"]);
    for it in list(reason, "differences") {
        let side = |key| it.get(key).map_or_else(|| value::NONE.to_owned(), value::short);
        let arrow = Cell::inked(Ink::Dim, "→");
        table.row([
            text(it, "path").into(),
            text(it, "kind").into(),
            side("live").into(),
            arrow,
            side("desired").into(),
        ]);
    }
    out.push_str(&table.render("    ", palette));
}

fn needed(needs: &[Value]) -> Table {
    let mut table = Table::new(["KIND", "NAMESPACE", "NAME", "SELECTOR", "ON"]);
    let mut groups: Vec<(&Value, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for need in needs {
        let fields = ["apiVersion", "kind", "namespace", "name", "labelSelector"];
        let key = Value::list(fields.map(|key| need.get(key).cloned().unwrap_or_default())).to_canonical();
        let place = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, names)) => names.push(text(need, "cluster")),
            None => groups.push((need, vec![text(need, "cluster")])),
        }
    }
    for (need, names) in groups {
        let name = if text(need, "name").is_empty() { "(all)" } else { text(need, "name") };
        let selector = match need.get("labelSelector") {
            Some(Value::Text(text)) => text.to_string(),
            Some(other) => value::short(other),
            None => String::new(),
        };
        table.row([
            text(need, "kind").into(),
            text(need, "namespace").into(),
            name.into(),
            selector.into(),
            clusters(&names).into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleetfold_core::value::json::parse;

    const PLAN: &str = r#"{
      "actions":[
        {"id":"a1","subject":"S/n/s","cluster":"eu-1","verb":"create","target":{"apiVersion":"v1","kind":"Service","namespace":"n","name":"web"},"body":{},"wave":0,"reason":{"code":"absent","text":"it is not there"}},
        {"id":"a2","subject":"S/n/s","cluster":"eu-2","verb":"create","target":{"apiVersion":"v1","kind":"Service","namespace":"n","name":"web"},"body":{},"wave":0,"reason":{"code":"absent","text":"it is not there"}},
        {"id":"a3","subject":"S/n/s","cluster":"eu-1","verb":"patch","target":{"apiVersion":"apps/v1","kind":"Deployment","namespace":"n","name":"web"},"patch":[],"wave":1,
         "reason":{"code":"differs","text":"it differs","differences":[{"path":"/spec/replicas","kind":"changed","desired":5,"live":3}]}}],
      "held":[{"id":"h1","subject":"S/n/s","cluster":"","verb":"delete","target":{"apiVersion":"v1","kind":"Namespace","name":"old"},"wave":0,"reason":{"code":"unwanted","text":"nobody wants it"},
         "held":{"code":"protected","text":"Namespaces are protected","hint":"annotate it"}}],
      "needs":[{"cluster":"eu-1","apiVersion":"v1","kind":"Secret","namespace":"n"},{"cluster":"eu-2","apiVersion":"v1","kind":"Secret","namespace":"n"}],
      "status":[{}],"digest":"sha256:abc"}"#;

    #[test]
    fn a_plan_is_shown_by_wave_and_ends_with_its_digest() {
        let want = "\
2 to create, 1 to patch, 0 to delete, 1 held, 2 objects to be seen first, 1 with another status

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

to be seen first
  KIND     NAMESPACE   NAME    ON
  Secret   n           (all)   eu-1, eu-2

digest sha256:abc
";
        assert_eq!(plan(&parse(PLAN).unwrap(), Palette::PLAIN), want);
    }

    #[test]
    fn many_that_are_alike_are_one_line() {
        let action = |index: usize| {
            let target = [("kind", "Plugin".to_owned()), ("name", format!("metrics-{index}"))];
            Value::map([
                ("id", Value::from(index.to_string())),
                ("cluster", "".into()),
                ("verb", "create".into()),
                ("target", Value::map(target)),
                ("body", Value::map([("index", index)])),
                ("reason", Value::map([("text", format!("{index} is picked"))])),
            ])
        };
        let answer = Value::map([("actions", Value::list((0..9).map(action)))]);
        let want = "  create Plugin/metrics-0, Plugin/metrics-1 and 7 more on the hub: 0 is picked; the others alike\n";
        let shown = plan(&answer, Palette::PLAIN);
        assert!(shown.starts_with("9 to create") && shown.contains(want), "{shown}");
    }

    #[test]
    fn names_are_those_of_the_targets() {
        let answer = parse(PLAN).unwrap();
        assert_eq!(names(&answer), ["Service/n/web", "Service/n/web", "Deployment/n/web"]);
        assert!(!is_empty(&answer));
        assert!(is_empty(&parse(r#"{"actions":[],"held":[],"needs":[],"status":[],"digest":"sha256:abc"}"#).unwrap()));
    }

    #[test]
    fn an_action_is_explained_with_its_differences() {
        let answer =
            Value::map([("action", parse(PLAN).unwrap().get("actions").unwrap().as_list().unwrap()[2].clone())]);
        let shown = explained(&answer, Palette::PLAIN);
        assert!(shown.starts_with("  patch Deployment/n/web on eu-1 for S/n/s: it differs\n"), "{shown}");
        assert!(shown.contains("/spec/replicas   changed   3      →   5\n"), "{shown}");
    }
}
