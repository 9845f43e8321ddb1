//! Formats the result of each cluster; clusters with equal results are grouped.

use fleetfold_core::Value;
use fleetfold_core::api::Refusal;
use fleetfold_core::api::effective::{EffectiveAnswer, LayerAnswer, ProductAnswer, ResultAnswer};
use fleetfold_core::api::retain::RetainedField;
use fleetfold_core::api::subjects::SubjectAnswer;
use fleetfold_core::value::Text;
use fleetfold_core::value::path::Pointer;
use serde::Serialize;

use super::location::Location;
use super::style::{Ink, Palette, clean};
use super::table::{Cell, Table};
use super::{clusters, counted, name_of, value};

/// A subject: the results of its clusters, or why it has none.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Subject {
    Results(EffectiveAnswer),
    Failed {
        #[serde(flatten)]
        answer: SubjectAnswer,
        /// Where the document is that cannot be read.
        #[serde(skip)]
        at: String,
    },
}

impl Subject {
    pub fn name(&self) -> &str {
        match self {
            Subject::Results(answer) => &answer.subject,
            Subject::Failed { answer, .. } => &answer.subject,
        }
    }

    fn results(&self) -> &[ResultAnswer] {
        match self {
            Subject::Results(answer) => &answer.results,
            Subject::Failed { .. } => &[],
        }
    }

    /// Whether the subject or one of its clusters has an error.
    pub fn has_error(&self) -> bool {
        matches!(self, Subject::Failed { .. }) || self.results().iter().any(|it| it.error.is_some())
    }

    /// The names of the objects of a subject, or the subject itself if it has none.
    pub fn object_names(&self) -> Vec<String> {
        let objects = self.results().iter().flat_map(|it| it.objects.iter().flatten());
        let mut names: Vec<String> = objects.map(|it| name_of(&it.object)).filter(|it| !it.is_empty()).collect();
        names.sort();
        names.dedup();
        if names.is_empty() { vec![self.name().to_owned()] } else { names }
    }

    /// Formats the results of the requested clusters, or of all. With `origins`, also the values that each
    /// winner overrides.
    pub fn table(&self, origins: bool, requested: &[&String], palette: Palette) -> String {
        let mut out = palette.paint(Ink::Bold, &clean(self.name()));
        out.push('\n');
        match self {
            Subject::Failed { answer, at } => {
                out.push_str(&format!("\n  {}\n", palette.paint(Ink::Yellow, "keeps its last state")));
                let at = Some(at.clone()).filter(|it| !it.is_empty());
                let error = answer.error.as_ref().map(|it| Refusal { at: at.or_else(|| it.at.clone()), ..it.clone() });
                refusal(error.as_ref(), palette, &mut out);
            }
            Subject::Results(answer) if answer.results.is_empty() => match requested {
                [] => out.push_str("\n  selects no cluster\n"),
                requested => out.push_str(&format!("\n  does not select {}\n", clusters(requested))),
            },
            Subject::Results(_) => {}
        }
        for it in self.results() {
            out.push('\n');
            result(it, self.name(), origins, palette, &mut out);
        }
        out
    }
}

fn result(result: &ResultAnswer, subject: &str, origins: bool, palette: Palette, out: &mut String) {
    // Of a cluster set or a placement, the clusters are the result.
    let is_selection = result.options.is_none() && result.objects.is_none() && result.error.is_none();
    let names = if is_selection { every(&result.clusters) } else { clusters(&result.clusters) };
    out.push_str(&format!("  {}", palette.paint(Ink::Green, &names)));
    if let Some(group) = &result.group {
        let name = group.name.as_ref().filter(|it| !it.is_empty());
        let name = name.map(|it| format!(" `{}`", clean(it))).unwrap_or_default();
        out.push_str(&format!("  (decision group {}{name})", group.index));
    }
    if result.kept == Some(true) {
        out.push_str(&format!("  {}", palette.paint(Ink::Yellow, "keeps its last state")));
    }
    out.push('\n');
    refusal(result.error.as_ref(), palette, out);
    out.push_str(&options(result, subject, origins, palette));
    for object in result.objects.iter().flatten() {
        object_fields(object, origins, palette, out);
    }
}

/// All names, on lines of at most 100 columns.
fn every(names: &[Text]) -> String {
    const WIDTH: usize = 100;
    let (mut out, mut column) = (String::new(), 0);
    for (index, name) in names.iter().enumerate() {
        let name = clusters(&[name]);
        if index > 0 {
            let breaks = column + name.chars().count() > WIDTH;
            out.push_str(if breaks { ",\n  " } else { ", " });
            column = if breaks { 0 } else { column };
        }
        column += name.chars().count() + 2;
        out.push_str(&name);
    }
    out
}

fn refusal(error: Option<&Refusal>, palette: Palette, out: &mut String) {
    let Some(Refusal { at, code, hint, message }) = error else { return };
    let title = palette.paint(Ink::Red, &format!("error[{}]", clean(code)));
    out.push_str(&format!("    {title}: {}\n", clean(message)));
    for (label, text) in [("at", at), ("hint", hint)] {
        if let Some(text) = text.as_ref().filter(|it| !it.is_empty()) {
            out.push_str(&format!("    {label}: {}\n", clean(text)));
        }
    }
}

fn options(result: &ResultAnswer, subject: &str, origins: bool, palette: Palette) -> String {
    let mut table = Table::new(["OPTION", "VALUE", "FROM", "DOCUMENT", "AT"]);
    for option in result.options.iter().flatten() {
        let chain = result.origins.as_ref().and_then(|it| it.get(&option.path)).map_or(&[][..], Vec::as_slice);
        let shown = value::of(&option.value, &option.value_from);
        let (document, at) = (document(chain.first(), subject), at(chain.first(), origins));
        table.row([(&option.path).into(), shown.into(), (&option.from).into(), document, at]);
        for lost in chain.iter().skip(1).filter(|_| origins) {
            let [shown, layer] = hidden(lost);
            table.row(["".into(), shown, layer, self::document(Some(lost), subject), self::at(Some(lost), origins)]);
        }
    }
    // An option that contains the cluster name differs in each cluster: one line represents all of them.
    let per_cluster = result.own.as_ref().and_then(|it| it.values().next());
    for option in per_cluster.into_iter().flatten() {
        let shown = Cell::inked(Ink::Dim, "(differs per cluster)");
        table.row([(&option.path).into(), shown, (&option.from).into(), "".into(), "".into()]);
    }
    table.render("    ", palette)
}

/// The fields of an object that another layer than the base sets.
fn object_fields(made: &ProductAnswer, origins: bool, palette: Palette, out: &mut String) {
    let mut title = palette.paint(Ink::Bold, &clean(&name_of(&made.object)));
    title.push_str(&format!("  (wave {})", made.wave));
    if origins && let Some(base) = &made.base {
        title.push_str(&format!("  base {}", clean(&Location::from(base).to_string())));
    }
    out.push_str(&format!("    {title}\n"));
    let retained = made.retained.as_deref().unwrap_or_default();
    let mut table = Table::new(["FIELD", "VALUE", "FROM", "AT"]);
    for (path, chain) in made.origins.iter().flatten() {
        let shown = find(&made.object, path).map_or_else(|| "(removed)".to_owned(), value::short);
        let layer = chain.first().map_or("", |it| it.layer.as_str());
        let rule = retained.iter().find(|it| *path == it.path && layer == LIVE);
        let from = rule.map_or_else(|| layer.to_owned(), kept_by);
        table.row([path.into(), shown.into(), from.into(), at(chain.first(), origins)]);
        for lost in chain.iter().skip(1).filter(|_| origins) {
            let [shown, layer] = hidden(lost);
            table.row(["".into(), shown, layer, at(Some(lost), origins)]);
        }
    }
    let is_told = |path: &str| made.origins.as_ref().is_some_and(|it| it.contains_key(path));
    for kept in retained.iter().filter(|it| !is_told(&it.path)) {
        let shown = find(&made.object, &kept.path).map_or_else(String::new, value::short);
        table.row([(&kept.path).into(), shown.into(), kept_by(kept).into(), "".into()]);
    }
    for local in made.local.iter().flatten() {
        let fate = if local.stays { "stays" } else { "is removed" };
        let set_by: Vec<&str> = local.managers.iter().map(|it| it.as_str()).collect();
        let from = if set_by.is_empty() { LIVE.to_owned() } else { format!("{LIVE} ({})", set_by.join(", ")) };
        table.row([(&local.path).into(), fate.into(), from.into(), (&local.why).into()]);
    }
    let of_layers = made.origins.iter().flatten().map(|(path, _)| path.as_str());
    let known: Vec<&str> = of_layers.chain(retained.iter().map(|it| it.path.as_str())).collect();
    let mut written = Vec::new();
    leaves(&made.object, &mut Pointer::root(), &known, &mut written);
    for (path, value) in written.iter().take(MAX_BASE_FIELDS) {
        table.row([path.into(), value::short(value).into(), BASE.into(), "".into()]);
    }
    out.push_str(&table.render("      ", palette));
    if let Some(more) = written.len().checked_sub(MAX_BASE_FIELDS).filter(|it| *it > 0) {
        let more = counted(i64::try_from(more).unwrap_or(i64::MAX), "more field");
        out.push_str(&format!("      {more}; `-o yaml` prints the object\n"));
    }
}

/// How many fields of the base a table shows.
const MAX_BASE_FIELDS: usize = 12;

/// The layer of values that the subject itself has.
const BASE: &str = "base";

/// The fields that the title of an object has.
const IN_TITLE: [&str; 4] = ["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace"];

/// The leaves of an object that no layer and no live object gave.
fn leaves<'a>(value: &'a Value, at: &mut Pointer, known: &[&str], out: &mut Vec<(String, &'a Value)>) {
    let path = at.to_string();
    if known.contains(&path.as_str()) || IN_TITLE.contains(&path.as_str()) {
        return;
    }
    match value {
        Value::Map(map) if !map.is_empty() => {
            for (key, inner) in map.iter() {
                at.push(key.clone());
                leaves(inner, at, known, out);
                at.pop();
            }
        }
        Value::List(items) if !items.is_empty() => {
            for (index, inner) in items.iter().enumerate() {
                at.push(index.to_string());
                leaves(inner, at, known, out);
                at.pop();
            }
        }
        _ => out.push((path, value)),
    }
}

/// The layer of values that controllers in the cluster wrote.
const LIVE: &str = "live";

/// The rule that retained a value of the live object.
fn kept_by(retained: &RetainedField) -> String {
    format!("{LIVE} ({})", retained.rule)
}

/// A value that the winner of a chain overrides, and its layer.
fn hidden(lost: &LayerAnswer) -> [Cell; 2] {
    [Cell::inked(Ink::Dim, value::of(&lost.value, &lost.value_from)), Cell::inked(Ink::Dim, &lost.layer)]
}

/// The document of a layer; that of the subject is in the title.
fn document(origin: Option<&LayerAnswer>, subject: &str) -> Cell {
    origin.and_then(|it| it.document.as_deref()).filter(|it| *it != subject).unwrap_or_default().into()
}

fn at(origin: Option<&LayerAnswer>, origins: bool) -> Cell {
    let location = origin.filter(|_| origins).map(|it| Location::from(it).to_string());
    Cell::inked(Ink::Dim, location.unwrap_or_default())
}

/// The value at a JSON pointer.
fn find<'a>(object: &'a Value, pointer: &str) -> Option<&'a Value> {
    Pointer::parse(pointer).ok()?.get(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;

    fn read(text: &str) -> Subject {
        Subject::Results(read_answer(text))
    }

    const OPTIONS: &str = r#"{"subject":"PluginPreset/acme/metrics","results":[
        {"clusters":["eu-1","eu-2","eu-3","eu-4","eu-5"],
         "options":[{"from":"preset","path":"replicas","value":3},{"from":"defaults","path":"token","valueFrom":{"secret":{"key":"k","name":"s"}}}],
         "origins":{"replicas":[{"layer":"preset","value":3,"file":"f.yaml","line":2,"column":3},{"layer":"defaults","value":1}],"token":[{"layer":"defaults"}]},
         "own":{"eu-1":[{"from":"injected","path":"global.greenhouse.clusterName","value":"eu-1"}],"eu-2":[]},"values":{"replicas":3}},
        {"clusters":["us-1"],"error":{"code":"bad-expression","message":"it fails","at":"/x","hint":"mend it"}}]}"#;

    #[test]
    fn equal_clusters_are_one_table() {
        let answer = read(OPTIONS);
        let want = "\
PluginPreset/acme/metrics

  eu-1, eu-2 and 3 more
    OPTION                          VALUE                                    FROM
    replicas                        3                                        preset
    token                           from {\"secret\":{\"key\":\"k\",\"name\":\"s\"}}   defaults
    global.greenhouse.clusterName   (differs per cluster)                    injected

  us-1
    error[bad-expression]: it fails
    at: /x
    hint: mend it
";
        assert_eq!(answer.table(false, &[], Palette::PLAIN), want);
        assert!(answer.has_error());
        assert_eq!(answer.object_names(), ["PluginPreset/acme/metrics"]);
    }

    #[test]
    fn origins_show_what_is_hidden() {
        let shown = read(OPTIONS).table(true, &[], Palette::PLAIN);
        assert!(shown.contains("preset     f.yaml:2:3\n"), "{shown}");
        let lost = shown.lines().find(|line| line.trim_start().starts_with("1 ")).unwrap();
        assert!(lost.ends_with("defaults"), "{shown}");
    }

    #[test]
    fn an_option_of_another_document_names_it() {
        let answer = read(
            r#"{"subject":"PluginPreset/acme/metrics","results":[{"clusters":["a"],
              "options":[{"from":"plugin-override","path":"x","value":1},{"from":"preset","path":"y","value":2}],
              "origins":{"x":[{"layer":"plugin-override","document":"PluginOverride/acme/eu","value":1},
                {"layer":"plugin-override","document":"PluginOverride/acme/all","value":3}],
                "y":[{"layer":"preset","document":"PluginPreset/acme/metrics","value":2}]}}]}"#,
        );
        let want = "\
PluginPreset/acme/metrics

  a
    OPTION   VALUE   FROM              DOCUMENT
    x        1       plugin-override   PluginOverride/acme/eu
    y        2       preset
";
        assert_eq!(answer.table(false, &[], Palette::PLAIN), want);
        assert!(answer.table(true, &[], Palette::PLAIN).contains("PluginOverride/acme/all"));
    }

    #[test]
    fn a_subject_that_cannot_be_read_names_its_line() {
        let answer = read_answer(
            r#"{"dialect":"greenhouse","subject":"PluginPreset/acme/metrics","error":{"code":"bad-selector","message":"m","at":"/spec"}}"#,
        );
        let failed = Subject::Failed { answer, at: "f.yaml:3:5".to_owned() };
        let want = "\
PluginPreset/acme/metrics

  keeps its last state
    error[bad-selector]: m
    at: f.yaml:3:5
";
        assert_eq!(failed.table(false, &[], Palette::PLAIN), want);
        assert!(failed.has_error());
    }

    #[test]
    fn objects_show_what_varies() {
        let answer = read(
            r#"{"subject":"FederatedDeployment/n/web","results":[{"clusters":["a"],"objects":[
              {"object":{"kind":"Service","metadata":{"namespace":"n","name":"web"},"spec":{"type":"NodePort","clusterIP":"10.0.0.1","ports":[{"nodePort":30000,"port":80}]}},
               "wave":2,"base":{"file":"f.yaml","line":4,"column":1},
               "origins":{"/spec/ports/0/port":[{"layer":"cluster-override","value":80,"file":"f.yaml","line":9,"column":7}],"/spec/x":[{"layer":"cluster-override"}],"/spec/ports/0/nodePort":[{"layer":"live","value":30000}]},
               "retained":[{"path":"/spec/clusterIP","rule":"service-cluster-ip","mode":"conditional"},{"path":"/spec/ports/0/nodePort","rule":"service-node-port","mode":"conditional"}]}]}]}"#,
        );
        let want = "\
FederatedDeployment/n/web

  a
    Service/n/web  (wave 2)
      FIELD                    VALUE       FROM
      /spec/ports/0/nodePort   30000       live (service-node-port)
      /spec/ports/0/port       80          cluster-override
      /spec/x                  (removed)   cluster-override
      /spec/clusterIP          10.0.0.1    live (service-cluster-ip)
      /spec/type               NodePort    base
";
        assert_eq!(answer.table(false, &[], Palette::PLAIN), want);
        assert_eq!(answer.object_names(), ["Service/n/web"]);
        assert!(answer.table(true, &[], Palette::PLAIN).contains("base f.yaml:4:1"));
    }

    #[test]
    fn a_cluster_set_lists_its_clusters() {
        let answer = read(r#"{"subject":"ManagedClusterSet/dev","results":[{"clusters":["a","b"]}]}"#);
        assert_eq!(answer.table(false, &[], Palette::PLAIN), "ManagedClusterSet/dev\n\n  a, b\n");
        let none = read(r#"{"subject":"ManagedClusterSet/dev","results":[]}"#);
        assert_eq!(none.table(false, &[], Palette::PLAIN), "ManagedClusterSet/dev\n\n  selects no cluster\n");
        let requested = "f".to_owned();
        assert_eq!(none.table(false, &[&requested], Palette::PLAIN), "ManagedClusterSet/dev\n\n  does not select f\n");
        let many = read(r#"{"subject":"ManagedClusterSet/dev","results":[{"clusters":["a","b","c","d","e"]}]}"#);
        assert_eq!(many.table(false, &[], Palette::PLAIN), "ManagedClusterSet/dev\n\n  a, b, c, d, e\n");
    }
}
