//! Formats explanations of a value, a cluster, an action or a permission, and the differences of two clusters.

use fleetfold_core::Value;

use super::style::{Ink, Palette, clean};
use super::table::{Cell, Table};
use super::{list, place, text, texts, value};

/// A value, then every layer that sets it, winner first.
pub fn chain(title: &str, answer: &Value, palette: Palette) -> String {
    let shown = value::of(answer, "value", "valueFrom");
    let mut out = format!("{}  {}\n", palette.paint(Ink::Bold, &clean(title)), clean(&shown));
    let mut table = Table::new(["STATE", "LAYER", "VALUE", "AT", "WHY"]);
    for layer in list(answer, "chain") {
        let state = text(layer, "state");
        let ink = match state {
            "wins" => Ink::Green,
            "retained" => Ink::Yellow,
            _ => Ink::Dim,
        };
        let has_value = layer.get("value").is_some() || layer.get("valueFrom").is_some();
        let shown = if has_value { value::of(layer, "value", "valueFrom") } else { String::new() };
        let why = layer.text_at(&["reason", "text"]);
        table.row([
            Cell::inked(ink, state),
            text(layer, "layer").into(),
            shown.into(),
            place(layer).into(),
            why.into(),
        ]);
    }
    out.push_str(&table.render("", palette));
    out
}

/// Whether a subject selects a cluster, requirement by requirement.
pub fn selection(subject: &str, cluster: &str, answer: &Value, palette: Palette) -> String {
    let selected = answer.get("selected").and_then(Value::as_bool).unwrap_or(false);
    let verdict =
        if selected { palette.paint(Ink::Green, "selects") } else { palette.paint(Ink::Red, "does not select") };
    let mut out = format!("{} {verdict} {}\n", clean(subject), clean(cluster));
    let mut table = Table::new(["HOLDS", "REASON", "AT"]);
    for reason in list(answer, "reasons") {
        table.row([yes(reason, "holds"), text(reason, "text").into(), place(reason).into()]);
    }
    out.push_str(&table.render("", palette));
    out
}

/// The same for many clusters, one line each with the deciding reason.
pub fn selections(answers: &[(&str, Value)], palette: Palette) -> String {
    let mut table = Table::new(["CLUSTER", "SELECTED", "REASON"]);
    for (cluster, answer) in answers {
        let selected = answer.get("selected").and_then(Value::as_bool);
        let decides = |reason: &&Value| reason.get("holds").and_then(Value::as_bool) == selected;
        let reason = list(answer, "reasons").iter().find(decides).map_or("", |it| text(it, "text"));
        table.row([super::clusters(&[cluster]).into(), yes(answer, "selected"), reason.into()]);
    }
    table.render("", palette)
}

/// A permission: the permissions checked for each label, and the one that granted it.
pub fn permission(user: &str, answer: &Value, palette: Palette) -> String {
    let allowed = answer.get("allowed").and_then(Value::as_bool).unwrap_or(false);
    let verdict = if allowed { palette.paint(Ink::Green, "may") } else { palette.paint(Ink::Red, "may not") };
    let mut out = format!("{} {verdict} make this change\n", clean(user));
    let mut table = Table::new(["LABEL", "CHANGE", "GRANTED", "BY", "ASKED"]);
    for check in list(answer, "checks") {
        let by = check.get("grantedBy").map(grant).unwrap_or_default();
        let mut asked = texts(check, "asked").into_iter();
        let first = asked.next().unwrap_or_default();
        let [label, change] = ["label", "change"].map(|key| text(check, key).into());
        table.row([label, change, yes(check, "granted"), by.into(), first.into()]);
        // The next permission is checked only if the previous one did not grant.
        for next in asked {
            table.row(["".into(), "".into(), "".into(), "".into(), next.into()]);
        }
    }
    out.push_str(&table.render("", palette));
    for (key, label) in [("joins", "joins"), ("leaves", "leaves")] {
        let sets = texts(answer, key);
        if !sets.is_empty() {
            out.push_str(&format!("{label}: {}\n", clean(&sets.join(", "))));
        }
    }
    let needs = list(answer, "needs").len();
    if needs > 0 {
        out.push_str(&format!("{needs} access reviews are needed first; `-o json` prints them\n"));
    }
    out
}

/// The differences of two clusters, each with the layer that causes it.
pub fn differences(left: &str, right: &str, answer: &Value, palette: Palette) -> String {
    let differences = list(answer, "differences");
    if differences.is_empty() {
        return format!("{} and {} get the same\n", clean(left), clean(right));
    }
    let mut table = Table::new(["OBJECT", "PATH", left, right, "LAYER", "AT"]);
    for it in differences {
        let cause = it.get("cause").unwrap_or(&Value::Null);
        table.row([
            text(it, "object").into(),
            text(it, "path").into(),
            value::of(it, "left", "leftFrom").into(),
            value::of(it, "right", "rightFrom").into(),
            text(cause, "layer").into(),
            place(cause).into(),
        ]);
    }
    table.render("", palette)
}

fn yes(holder: &Value, key: &str) -> Cell {
    match holder.get(key).and_then(Value::as_bool) {
        Some(true) => Cell::inked(Ink::Green, "yes"),
        _ => Cell::inked(Ink::Red, "no"),
    }
}

/// The binding, role and rule that granted, or the group with all permissions.
fn grant(by: &Value) -> String {
    let rule = by.get("rule").and_then(Value::as_int).map(|it| format!("rule {it}"));
    let named = ["binding", "role", "group"].iter().map(|key| text(by, key).to_owned()).filter(|it| !it.is_empty());
    named.chain(rule).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleetfold_core::value::json::parse;

    #[test]
    fn a_chain_lists_the_losers_with_reasons() {
        let answer = parse(
            r#"{"value":5,"chain":[
              {"layer":"cluster-option-override","document":"PluginPreset/acme/metrics","path":"/spec","file":"fleet.yaml","line":31,"column":11,"value":5,"state":"wins"},
              {"layer":"preset","document":"PluginPreset/acme/metrics","path":"/spec/plugin","value":3,"state":"shadowed"},
              {"layer":"plugin-override","document":"PluginOverride/acme/us","value":9,"state":"not-applied","reason":{"code":"cluster-not-selected","text":"it does not select eu-1"}}]}"#,
        );
        let want = "\
replicas on eu-1  5
STATE         LAYER                     VALUE   AT                                       WHY
wins          cluster-option-override   5       fleet.yaml:31:11
shadowed      preset                    3       PluginPreset/acme/metrics /spec/plugin
not-applied   plugin-override           9       PluginOverride/acme/us                   it does not select eu-1
";
        assert_eq!(chain("replicas on eu-1", &answer.unwrap(), Palette::PLAIN), want);
    }

    #[test]
    fn a_cluster_is_explained_by_requirement() {
        let answer = parse(
            r#"{"selected":false,"reasons":[{"code":"requirement-met","text":"env is prod","holds":true},
                {"code":"requirement-not-met","text":"tier is not gold","holds":false,"file":"f.yaml","line":1,"column":2}]}"#,
        )
        .unwrap();
        let want = "\
PluginPreset/a/b does not select eu-1
HOLDS   REASON             AT
yes     env is prod
no      tier is not gold   f.yaml:1:2
";
        assert_eq!(selection("PluginPreset/a/b", "eu-1", &answer, Palette::PLAIN), want);
        let want = "CLUSTER   SELECTED   REASON\neu-1      no         tier is not gold\n";
        assert_eq!(selections(&[("eu-1", answer)], Palette::PLAIN), want);
    }

    #[test]
    fn a_permission_lists_checks_and_the_grant() {
        let answer = parse(
            r#"{"allowed":false,"joins":["devset"],"leaves":[],"checks":[
                {"label":"k:dev","change":"add","granted":false,"asked":["a","b"]},
                {"label":"k:x","change":"remove","granted":true,"asked":["c"],"grantedBy":{"binding":"ClusterRoleBinding/x","role":"ClusterRole/y","rule":0}}]}"#,
        );
        let want = "\
eve may not make this change
LABEL   CHANGE   GRANTED   BY                                            ASKED
k:dev   add      no                                                      a
                                                                         b
k:x     remove   yes       ClusterRoleBinding/x, ClusterRole/y, rule 0   c
joins: devset
";
        assert_eq!(permission("eve", &answer.unwrap(), Palette::PLAIN), want);
    }

    #[test]
    fn two_clusters_are_columns() {
        let answer = parse(
            r#"{"differences":[{"path":"replicas","left":5,"right":3,"cause":{"layer":"override","file":"f.yaml","line":3,"column":1}},
                {"path":"/spec/x","object":"Service/n/web","right":"y"}]}"#,
        );
        let want = "\
OBJECT          PATH       eu-1     us-1   LAYER      AT
                replicas   5        3      override   f.yaml:3:1
Service/n/web   /spec/x    <none>   \"y\"
";
        assert_eq!(differences("eu-1", "us-1", &answer.unwrap(), Palette::PLAIN), want);
        assert_eq!(differences("a", "b", &parse("{}").unwrap(), Palette::PLAIN), "a and b get the same\n");
    }
}
