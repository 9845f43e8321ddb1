//! Formats explanations of a value, a cluster, an action or a permission, and the differences of two clusters.

use fleetfold_core::api::authorize::{AuthorizeAnswer, AuthorizeCheck, AuthorizeGrant, AuthorizeObject};
use fleetfold_core::api::diff::DiffAnswer;
use fleetfold_core::api::explain::{ExplainAnswer, LinkAnswer};
use fleetfold_core::diagnostic::ReasonCode;
use fleetfold_core::value::Text;
use fleetfold_core::workspace::LayerState;

use super::location::Location;
use super::style::{Ink, Palette, clean};
use super::table::{Cell, Table};
use super::{counted, value};

/// Which layers a chain shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    All,
    /// Those for other clusters are a count.
    OfCluster,
}

/// A value, then every layer that sets it, winner first.
pub fn chain(title: &str, answer: &ExplainAnswer, rows: Rows, palette: Palette) -> String {
    let shown = value::of(&answer.value, &answer.value_from);
    let mut out = format!("{}  {}\n", palette.paint(Ink::Bold, &clean(title)), clean(&shown));
    let mut table = Table::new(["STATE", "LAYER", "DOCUMENT", "VALUE", "AT", "WHY"]);
    let (folded, layers): (Vec<&LinkAnswer>, Vec<&LinkAnswer>) =
        answer.chain.iter().flatten().partition(|it| rows == Rows::OfCluster && is_for_others(it));
    for layer in layers {
        let ink = match layer.state {
            LayerState::Wins | LayerState::Merged => Ink::Green,
            LayerState::Retained => Ink::Yellow,
            LayerState::Shadowed | LayerState::NotApplied => Ink::Dim,
        };
        let has_value = !layer.value.is_absent() || !layer.value_from.is_absent();
        let shown = if has_value { value::of(&layer.value, &layer.value_from) } else { String::new() };
        let rule = layer.rule.as_ref().map(|it| match &it.at {
            Some(at) => format!("retained by `{}` at {}", it.name, Location::from(at)),
            None => format!("retained by the built-in rule `{}`", it.name),
        });
        let reason = layer.reason.as_ref().map(|it| it.text.clone());
        let why: Vec<String> = reason.or(rule).into_iter().chain(layer.beats.clone()).collect();
        let location = Location::from(layer).to_string();
        let document = layer.document.as_deref().unwrap_or_default();
        // Without a file the location is the document.
        let at = if location.starts_with(document) { "" } else { &location };
        table.row([
            Cell::inked(ink, layer.state.as_str()),
            (&layer.layer).into(),
            document.into(),
            shown.into(),
            at.into(),
            why.join("; ").into(),
        ]);
    }
    out.push_str(&table.render("", palette));
    // A value that only the live object has is of no layer, and has a reason instead.
    for reason in answer.reasons.iter().flatten() {
        out.push_str(&format!("{}\n", clean(&reason.text)));
    }
    if !folded.is_empty() {
        let total = counted(i64::try_from(folded.len()).unwrap_or(i64::MAX), "layer");
        out.push_str(&format!("{total} for other clusters; `--all` lists them\n"));
    }
    out
}

fn is_for_others(layer: &LinkAnswer) -> bool {
    layer.reason.as_ref().is_some_and(|it| it.code == ReasonCode::ClusterNotSelected.as_str())
}

/// Whether a subject selects a cluster, requirement by requirement.
pub fn selection(subject: &str, cluster: &str, answer: &ExplainAnswer, palette: Palette) -> String {
    let verdict = match answer.selected {
        Some(true) => palette.paint(Ink::Green, "selects"),
        _ => palette.paint(Ink::Red, "does not select"),
    };
    let mut out = format!("{} {verdict} {}\n", clean(subject), clean(cluster));
    let mut table = Table::new(["HOLDS", "REASON"]);
    for reason in answer.reasons.iter().flatten() {
        table.row([yes(reason.holds), (&reason.text).into()]);
    }
    out.push_str(&table.render("", palette));
    out
}

/// The same for many clusters, one line each with the deciding reason.
pub fn selections(answers: &[(Text, ExplainAnswer)], palette: Palette) -> String {
    let mut table = Table::new(["CLUSTER", "SELECTED", "REASON"]);
    for (cluster, answer) in answers {
        let mut reasons = answer.reasons.iter().flatten();
        let reason = reasons.find(|it| Some(it.holds) == answer.selected).map_or("", |it| &it.text);
        table.row([super::clusters(&[cluster]).into(), yes(answer.selected == Some(true)), reason.into()]);
    }
    table.render("", palette)
}

/// Whether a user may change labels, and what follows.
#[derive(Debug, Clone, Copy)]
pub struct Permission<'a> {
    allowed: bool,
    checks: &'a [AuthorizeCheck],
    joins: &'a [Text],
    leaves: &'a [Text],
    /// How many access reviews are missing.
    needs: usize,
    /// Whether the user may write the cluster at all, where that is known.
    object: Option<&'a AuthorizeObject>,
}

impl<'a> From<&'a ExplainAnswer> for Permission<'a> {
    fn from(answer: &'a ExplainAnswer) -> Permission<'a> {
        Permission {
            allowed: answer.allowed == Some(true),
            checks: answer.checks.as_deref().unwrap_or_default(),
            joins: answer.joins.as_deref().unwrap_or_default(),
            leaves: answer.leaves.as_deref().unwrap_or_default(),
            needs: 0,
            object: answer.object.as_ref(),
        }
    }
}

impl<'a> From<&'a AuthorizeAnswer> for Permission<'a> {
    fn from(answer: &'a AuthorizeAnswer) -> Permission<'a> {
        let AuthorizeAnswer { allowed, checks, joins, leaves, needs, object } = answer;
        let needs = needs.as_ref().map_or(0, Vec::len);
        Permission { allowed: *allowed, checks, joins, leaves, needs, object: object.as_ref() }
    }
}

impl Permission<'_> {
    /// Whether the change goes through: its labels are granted, and the cluster may be written as far as that is known.
    pub fn is_granted(&self) -> bool {
        self.allowed && self.object.is_none_or(|it| it.granted)
    }
}

/// A permission: the permissions checked for each label, and the one that granted it.
pub fn permission(user: &str, permission: Permission, palette: Palette) -> String {
    let Permission { allowed, checks, joins, leaves, needs, object } = permission;
    let verdict =
        if permission.is_granted() { palette.paint(Ink::Green, "may") } else { palette.paint(Ink::Red, "may not") };
    let mut out = format!("user {} {verdict} make this change\n", clean(user));
    if let Some(object) = object {
        out.push_str(&format!("{}\n", clean(&object.text)));
    } else if allowed && checks.is_empty() {
        out.push_str("the change needs no label permission; whether the user may update the cluster is not known\n");
    }
    let mut table = Table::new(["LABEL", "CHANGE", "GRANTED", "BY", "ASKED"]);
    for check in checks {
        let by = check.granted_by.as_ref().map(grant).unwrap_or_default();
        let mut asked = check.asked.iter();
        let first = asked.next().map_or("", String::as_str);
        table.row([(&check.label).into(), (&check.change).into(), yes(check.granted), by.into(), first.into()]);
        // The next permission is checked only if the previous one did not grant.
        for next in asked {
            table.row(["".into(), "".into(), "".into(), "".into(), next.into()]);
        }
    }
    out.push_str(&table.render("", palette));
    for (sets, label) in [(joins, "joins"), (leaves, "leaves")] {
        if !sets.is_empty() {
            let sets: Vec<&str> = sets.iter().map(Text::as_str).collect();
            out.push_str(&format!("{label}: {}\n", clean(&sets.join(", "))));
        }
    }
    if needs > 0 {
        out.push_str(&format!("{needs} access reviews are needed first; `-o json` prints them\n"));
    }
    out
}

/// The differences of two clusters, each with the layer that causes it.
pub fn differences(left: &str, right: &str, answer: &DiffAnswer, palette: Palette) -> String {
    if answer.differences.is_empty() {
        return format!("{} and {} get the same\n", clean(left), clean(right));
    }
    let mut table = Table::new(["OBJECT", "PATH", left, right, "LAYER", "AT"]);
    for it in &answer.differences {
        table.row([
            it.object.as_deref().unwrap_or_default().into(),
            (&it.path).into(),
            value::of(&it.left, &it.left_from).into(),
            value::of(&it.right, &it.right_from).into(),
            it.cause.as_ref().map_or("", |it| &it.layer).into(),
            it.cause.as_ref().map(|it| Location::from(it).to_string()).unwrap_or_default().into(),
        ]);
    }
    table.render("", palette)
}

fn yes(holds: bool) -> Cell {
    if holds { Cell::inked(Ink::Green, "yes") } else { Cell::inked(Ink::Red, "no") }
}

/// The binding, role and rule that granted, or the group with all permissions.
fn grant(by: &AuthorizeGrant) -> String {
    let named = [by.binding.as_deref(), by.role.as_deref(), by.group.as_deref()].into_iter().flatten();
    let rule = by.rule.map(|it| format!("rule {it}"));
    named.map(str::to_owned).chain(rule).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;

    #[test]
    fn a_chain_lists_the_losers_with_reasons() {
        let answer = read_answer(
            r#"{"value":5,"chain":[
              {"layer":"cluster-option-override","document":"PluginPreset/acme/metrics","path":"/spec","file":"fleet.yaml","line":31,"column":11,"value":5,"state":"wins","beats":"above `preset`"},
              {"layer":"preset","document":"PluginPreset/acme/metrics","path":"/spec/plugin","value":3,"state":"shadowed"},
              {"layer":"plugin-override","document":"PluginOverride/acme/us","value":9,"state":"not-applied","reason":{"code":"cluster-not-selected","holds":false,"text":"it does not select eu-1"}}]}"#,
        );
        let want = "\
replicas on eu-1  5
STATE         LAYER                     DOCUMENT                    VALUE   AT                 WHY
wins          cluster-option-override   PluginPreset/acme/metrics   5       fleet.yaml:31:11   above `preset`
shadowed      preset                    PluginPreset/acme/metrics   3
not-applied   plugin-override           PluginOverride/acme/us      9                          it does not select eu-1
";
        assert_eq!(chain("replicas on eu-1", &answer, Rows::All, Palette::PLAIN), want);
        let folded = chain("replicas on eu-1", &answer, Rows::OfCluster, Palette::PLAIN);
        assert!(folded.ends_with("1 layer for other clusters; `--all` lists them\n"), "{folded}");
    }

    #[test]
    fn a_reason_does_not_hide_why_a_layer_is_above_the_next() {
        let answer = read_answer(
            r#"{"value":1,"chain":[{"layer":"preset","value":1,"state":"wins","beats":"above `defaults`",
              "reason":{"code":"parent-option","holds":true,"text":"the layer sets `tls`"}}]}"#,
        );
        let shown = chain("tls.on on a", &answer, Rows::All, Palette::PLAIN);
        assert!(shown.contains("the layer sets `tls`; above `defaults`\n"), "{shown}");
    }

    #[test]
    fn a_local_change_prints_its_reason() {
        let answer = read_answer(
            r#"{"chain":[],"reasons":[{"code":"local-change","holds":false,"text":"only the live object has `/data/x`"}]}"#,
        );
        let shown = chain("/data/x on ber", &answer, Rows::All, Palette::PLAIN);
        assert_eq!(shown, "/data/x on ber  <none>\nonly the live object has `/data/x`\n");
    }

    #[test]
    fn a_cluster_is_explained_by_requirement() {
        let answer = read_answer(
            r#"{"selected":false,"reasons":[{"code":"requirement-met","text":"env is prod","holds":true},
                {"code":"requirement-not-met","text":"tier is not gold","holds":false}]}"#,
        );
        let want = "\
PluginPreset/a/b does not select eu-1
HOLDS   REASON
yes     env is prod
no      tier is not gold
";
        assert_eq!(selection("PluginPreset/a/b", "eu-1", &answer, Palette::PLAIN), want);
        let want = "CLUSTER   SELECTED   REASON\neu-1      no         tier is not gold\n";
        assert_eq!(selections(&[("eu-1".into(), answer)], Palette::PLAIN), want);
    }

    #[test]
    fn a_permission_lists_checks_and_the_grant() {
        let answer: ExplainAnswer = read_answer(
            r#"{"allowed":false,"joins":["devset"],"leaves":[],"checks":[
                {"label":"k:dev","change":"add","granted":false,"asked":["a","b"]},
                {"label":"k:x","change":"remove","granted":true,"asked":["c"],"grantedBy":{"binding":"ClusterRoleBinding/x","role":"ClusterRole/y","rule":0}}]}"#,
        );
        let want = "\
user eve may not make this change
LABEL   CHANGE   GRANTED   BY                                            ASKED
k:dev   add      no                                                      a
                                                                         b
k:x     remove   yes       ClusterRoleBinding/x, ClusterRole/y, rule 0   c
joins: devset
";
        assert_eq!(permission("eve", Permission::from(&answer), Palette::PLAIN), want);
    }

    #[test]
    fn two_clusters_are_columns() {
        let answer = read_answer(
            r#"{"differences":[{"path":"replicas","left":5,"right":3,"cause":{"layer":"override","file":"f.yaml","line":3,"column":1}},
                {"path":"/spec/x","object":"Service/n/web","right":"y"}]}"#,
        );
        let want = "\
OBJECT          PATH       eu-1     us-1   LAYER      AT
                replicas   5        3      override   f.yaml:3:1
Service/n/web   /spec/x    <none>   \"y\"
";
        assert_eq!(differences("eu-1", "us-1", &answer, Palette::PLAIN), want);
        assert_eq!(
            differences("a", "b", &read_answer(r#"{"differences":[]}"#), Palette::PLAIN),
            "a and b get the same\n"
        );
    }
}
