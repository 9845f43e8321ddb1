//! Classes and searches find what comparing every override with every other finds.

use crate::Workspace;
use crate::value::{Value, json};

/// An override of one option.
#[derive(Debug)]
struct Written {
    definitions: Vec<u32>,
    /// One of two selectors.
    when: Option<u32>,
    created: Option<u32>,
    /// One of `OPTIONS`.
    option: usize,
}

/// The first one is a parent of the last one.
const OPTIONS: [&str; 3] = ["x", "y", "x.a"];

impl Written {
    fn document(&self, name: usize) -> String {
        let definitions: Vec<String> = self.definitions.iter().map(|it| format!("\"d{it}\"")).collect();
        let when =
            self.when.map_or(String::new(), |it| format!(r#","clusterSelector":{{"matchLabels":{{"k":"v{it}"}}}}"#));
        let created =
            self.created.map_or(String::new(), |it| format!(r#","creationTimestamp":"2026-01-0{}T00:00:00Z""#, it + 1));
        format!(
            r#"{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginOverride","metadata":{{"name":"o{name:02}",
                "namespace":"a"{created}}},"spec":{{"pluginDefinitionNames":[{}],
                "overrides":[{{"name":"{}","value":1}}]{when}}}}}"#,
            definitions.join(","),
            OPTIONS[self.option]
        )
    }

    fn rank(&self) -> u32 {
        u32::from(self.when.is_some()) + 2 * u32::from(!self.definitions.is_empty())
    }

    /// Whether it always hides another one that sets the same option or one below it.
    fn hides(&self, name: usize, other: &Written, other_name: usize) -> bool {
        let order = |it: &Written, name| (it.rank(), it.created.is_none(), it.created, name);
        let is_decided = self.rank() != other.rank() || (self.created.is_some() && other.created.is_some());
        let is_for_all = self.definitions.is_empty()
            || (!other.definitions.is_empty() && other.definitions.iter().all(|it| self.definitions.contains(it)));
        order(self, name) > order(other, other_name)
            && is_decided
            && is_for_all
            && (self.when.is_none() || self.when == other.when)
            && (self.option == other.option || (self.option, other.option) == (0, 2))
    }
}

#[test]
fn the_first_override_that_always_hides_another_is_named() {
    let mut state = 7_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((state >> 33) % below).unwrap()
    };
    let mut hidden = 0;
    for _ in 0..300 {
        let written: Vec<Written> = (0..10)
            .map(|_| Written {
                definitions: (0..3).filter(|_| next(3) == 0).collect(),
                when: Some(next(3)).filter(|it| *it < 2),
                created: Some(next(4)).filter(|it| *it < 3),
                option: usize::try_from(next(3)).unwrap(),
            })
            .collect();
        let documents: Vec<String> = written.iter().enumerate().map(|(name, it)| it.document(name)).collect();
        let mut workspace = Workspace::default();
        workspace.call_text(&format!(r#"{{"op":"load","documents":[{}]}}"#, documents.join(",")));
        let answer = json::parse(&workspace.call_text(r#"{"op":"lint"}"#)).unwrap();
        let found = answer.get("diagnostics").and_then(Value::as_list).unwrap();
        let found: Vec<(String, String)> = found
            .iter()
            .filter_map(|it| {
                let (_, rest) = it.text_at(&["message"]).split_once("no effect here: `PluginOverride/a/")?;
                let (by, _) = rest.split_once("` ")?;
                Some((it.text_at(&["at", "document"]).replace("PluginOverride/a/", ""), by.to_string()))
            })
            .collect();
        let wanted: Vec<(String, String)> = written
            .iter()
            .enumerate()
            .filter_map(|(name, it)| {
                let hides = |(by, other): &(usize, &Written)| *by != name && other.hides(*by, it, name);
                let (by, _) = written.iter().enumerate().find(hides)?;
                Some((format!("o{name:02}"), format!("o{by:02}")))
            })
            .collect();
        assert_eq!(found, wanted, "{written:?}");
        hidden += wanted.len();
    }
    assert!(hidden > 250, "{hidden}");
}
