//! Formats the result of each cluster; clusters with equal results are grouped.

use fleetfold_core::Value;
use fleetfold_core::value::path::Pointer;

use super::style::{Ink, Palette, clean};
use super::table::{Cell, Table};
use super::{clusters, list, name_of, place, text, texts, value};

/// Formats an `effective` answer. With `origins`, also the values that each winner overrides.
pub fn subject(answer: &Value, origins: bool, palette: Palette) -> String {
    let mut out = palette.paint(Ink::Bold, &clean(text(answer, "subject")));
    out.push('\n');
    let results = list(answer, "results");
    if answer.get("error").is_some() {
        out.push('\n');
        refusal(answer, palette, &mut out);
    } else if results.is_empty() {
        out.push_str("\n  no cluster\n");
    }
    for it in results {
        out.push('\n');
        result(it, origins, palette, &mut out);
    }
    out
}

/// Whether the subject or one of its clusters has an error.
pub fn has_error(answer: &Value) -> bool {
    answer.get("error").is_some() || list(answer, "results").iter().any(|result| result.get("error").is_some())
}

/// The names of the objects of a subject, or the subject itself if it has none.
pub fn names(answer: &Value) -> Vec<String> {
    let objects = list(answer, "results").iter().flat_map(|result| list(result, "objects"));
    let mut names: Vec<String> =
        objects.filter_map(|it| it.get("object")).map(name_of).filter(|it| !it.is_empty()).collect();
    names.sort();
    names.dedup();
    if names.is_empty() { vec![text(answer, "subject").to_owned()] } else { names }
}

fn result(result: &Value, origins: bool, palette: Palette, out: &mut String) {
    let names = texts(result, "clusters");
    out.push_str(&format!("  {}", palette.paint(Ink::Green, &clusters(&names))));
    if let Some(group) = result.get("group") {
        let index = group.get("index").and_then(Value::as_int).unwrap_or(0);
        let name = Some(text(group, "name")).filter(|it| !it.is_empty());
        let name = name.map(|it| format!(" `{}`", clean(it))).unwrap_or_default();
        out.push_str(&format!("  (decision group {index}{name})"));
    }
    out.push('\n');
    refusal(result, palette, out);
    out.push_str(&options(result, origins, palette));
    for object in list(result, "objects") {
        object_fields(object, origins, palette, out);
    }
}

fn refusal(holder: &Value, palette: Palette, out: &mut String) {
    if let Some(error) = holder.get("error") {
        let title = palette.paint(Ink::Red, &format!("error[{}]", clean(text(error, "code"))));
        out.push_str(&format!("    {title}: {}\n", clean(text(error, "message"))));
        for (key, label) in [("at", "at"), ("hint", "hint")] {
            let said = text(error, key);
            if !said.is_empty() {
                out.push_str(&format!("    {label}: {}\n", clean(said)));
            }
        }
    }
}

fn options(result: &Value, origins: bool, palette: Palette) -> String {
    let mut table = Table::new(["OPTION", "VALUE", "FROM", "AT"]);
    for option in list(result, "options") {
        let path = text(option, "path");
        let chain = result.get("origins").map_or(&[][..], |it| list(it, path));
        let shown = value::of(option, "value", "valueFrom");
        table.row([path.into(), shown.into(), text(option, "from").into(), at(chain.first(), origins)]);
        hidden(chain, origins, &mut table);
    }
    // An option that contains the cluster name differs in each cluster: one line represents all of them.
    let own = result.get("own").and_then(Value::as_map).and_then(|own| own.iter().next());
    for option in own.and_then(|(_, options)| options.as_list()).into_iter().flatten() {
        let shown = Cell::inked(Ink::Dim, "(its own in each)");
        table.row([text(option, "path").into(), shown, text(option, "from").into(), "".into()]);
    }
    table.render("    ", palette)
}

/// The fields of an object that another layer than the base sets.
fn object_fields(made: &Value, origins: bool, palette: Palette, out: &mut String) {
    let object = made.get("object").unwrap_or(&Value::Null);
    let mut title = palette.paint(Ink::Bold, &clean(&name_of(object)));
    if let Some(wave) = made.get("wave").and_then(Value::as_int) {
        title.push_str(&format!("  (wave {wave})"));
    }
    match made.get("cluster").and_then(Value::as_text) {
        Some("") => title.push_str("  on the hub"),
        Some(cluster) => title.push_str(&format!("  on {}", clean(cluster))),
        None => {}
    }
    if origins && let Some(base) = made.get("base") {
        title.push_str(&format!("  base {}", clean(&place(base))));
    }
    out.push_str(&format!("    {title}\n"));
    let retained = list(made, "retained");
    let mut table = Table::new(["FIELD", "VALUE", "FROM", "AT"]);
    for (path, chain) in made.get("origins").and_then(Value::as_map).into_iter().flat_map(|it| it.iter()) {
        let chain = chain.as_list().map_or(&[][..], Vec::as_slice);
        let shown = find(object, path).map_or_else(|| "(removed)".to_owned(), value::short);
        let layer = chain.first().map_or("", |it| text(it, "layer"));
        let rule = retained.iter().find(|it| text(it, "path") == path.as_str() && layer == LIVE);
        let from = rule.map_or_else(|| layer.to_owned(), kept_by);
        table.row([path.as_str().into(), shown.into(), from.into(), at(chain.first(), origins)]);
        hidden(chain, origins, &mut table);
    }
    let is_told = |path: &str| made.at(&["origins", path]).is_some();
    for kept in retained.iter().filter(|it| !is_told(text(it, "path"))) {
        let path = text(kept, "path");
        let shown = find(object, path).map_or_else(String::new, value::short);
        table.row([path.into(), shown.into(), kept_by(kept).into(), "".into()]);
    }
    out.push_str(&table.render("      ", palette));
}

/// The layer of values that controllers in the cluster wrote.
const LIVE: &str = "live";

/// The rule that retained a value of the live object.
fn kept_by(retained: &Value) -> String {
    format!("{LIVE} ({})", text(retained, "rule"))
}

/// The values that the winner of a chain overrides, one line each.
fn hidden(chain: &[Value], origins: bool, table: &mut Table) {
    for lost in chain.iter().skip(1).filter(|_| origins) {
        let shown = Cell::inked(Ink::Dim, value::of(lost, "value", "valueFrom"));
        table.row(["".into(), shown, Cell::inked(Ink::Dim, text(lost, "layer")), at(Some(lost), origins)]);
    }
}

fn at(origin: Option<&Value>, origins: bool) -> Cell {
    Cell::inked(Ink::Dim, origin.filter(|_| origins).map(place).unwrap_or_default())
}

/// The value at a JSON pointer.
fn find<'a>(object: &'a Value, pointer: &str) -> Option<&'a Value> {
    Pointer::parse(pointer).ok()?.get(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleetfold_core::value::json;

    const OPTIONS: &str = r#"{"subject":"PluginPreset/acme/metrics","results":[
        {"clusters":["eu-1","eu-2","eu-3","eu-4","eu-5"],
         "options":[{"from":"preset","path":"replicas","value":3},{"from":"defaults","path":"token","valueFrom":{"secret":{"key":"k","name":"s"}}}],
         "origins":{"replicas":[{"layer":"preset","value":3,"file":"f.yaml","line":2,"column":3},{"layer":"defaults","value":1}],"token":[{"layer":"defaults"}]},
         "own":{"eu-1":[{"from":"injected","path":"global.greenhouse.clusterName","value":"eu-1"}],"eu-2":[]},"values":{"replicas":3}},
        {"clusters":["us-1"],"error":{"code":"bad-expression","message":"it fails","at":"/x","hint":"mend it"}}]}"#;

    #[test]
    fn equal_clusters_are_one_table() {
        let answer = json::parse(OPTIONS).unwrap();
        let want = "\
PluginPreset/acme/metrics

  eu-1, eu-2 and 3 more
    OPTION                          VALUE                                    FROM
    replicas                        3                                        preset
    token                           from {\"secret\":{\"key\":\"k\",\"name\":\"s\"}}   defaults
    global.greenhouse.clusterName   (its own in each)                        injected

  us-1
    error[bad-expression]: it fails
    at: /x
    hint: mend it
";
        assert_eq!(subject(&answer, false, Palette::PLAIN), want);
        assert!(has_error(&answer));
        assert_eq!(names(&answer), ["PluginPreset/acme/metrics"]);
    }

    #[test]
    fn origins_show_what_is_hidden() {
        let shown = subject(&json::parse(OPTIONS).unwrap(), true, Palette::PLAIN);
        assert!(shown.contains("preset     f.yaml:2:3\n"), "{shown}");
        let lost = shown.lines().find(|line| line.trim_start().starts_with("1 ")).unwrap();
        assert!(lost.ends_with("defaults"), "{shown}");
    }

    #[test]
    fn objects_show_what_varies() {
        let answer = json::parse(
            r#"{"subject":"FederatedDeployment/n/web","results":[{"clusters":["a"],"objects":[
              {"object":{"kind":"Service","metadata":{"namespace":"n","name":"web"},"spec":{"clusterIP":"10.0.0.1","ports":[{"nodePort":30000,"port":80}]}},
               "wave":2,"cluster":"","base":{"file":"f.yaml","line":4,"column":1},
               "origins":{"/spec/ports/0/port":[{"layer":"cluster-override","value":80,"file":"f.yaml","line":9,"column":7}],"/spec/x":[{"layer":"cluster-override"}],"/spec/ports/0/nodePort":[{"layer":"live","value":30000}]},
               "retained":[{"path":"/spec/clusterIP","rule":"service-cluster-ip","mode":"conditional"},{"path":"/spec/ports/0/nodePort","rule":"service-node-port","mode":"conditional"}]}]}]}"#,
        )
        .unwrap();
        let want = "\
FederatedDeployment/n/web

  a
    Service/n/web  (wave 2)  on the hub
      FIELD                    VALUE       FROM
      /spec/ports/0/nodePort   30000       live (service-node-port)
      /spec/ports/0/port       80          cluster-override
      /spec/x                  (removed)   cluster-override
      /spec/clusterIP          10.0.0.1    live (service-cluster-ip)
";
        assert_eq!(subject(&answer, false, Palette::PLAIN), want);
        assert_eq!(names(&answer), ["Service/n/web"]);
        assert!(subject(&answer, true, Palette::PLAIN).contains("base f.yaml:4:1"));
    }

    #[test]
    fn a_cluster_set_lists_its_clusters() {
        let answer = json::parse(r#"{"subject":"ManagedClusterSet/dev","results":[{"clusters":["a","b"]}]}"#).unwrap();
        assert_eq!(subject(&answer, false, Palette::PLAIN), "ManagedClusterSet/dev\n\n  a, b\n");
        let none = json::parse(r#"{"subject":"ManagedClusterSet/dev","results":[]}"#).unwrap();
        assert_eq!(subject(&none, false, Palette::PLAIN), "ManagedClusterSet/dev\n\n  no cluster\n");
    }
}
