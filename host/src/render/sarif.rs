//! Formats findings as SARIF 2.1.0, for code scanning services.

use std::collections::BTreeSet;
use std::fmt::Write;

use fleetfold::VERSION;
use fleetfold_core::Value;

use super::finding::{Finding, Severity};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub fn log(findings: &[Finding]) -> Value {
    let codes: BTreeSet<&str> = findings.iter().map(|it| it.code.as_str()).collect();
    let rules = codes.iter().map(|code| Value::map([("id", *code)]));
    let driver =
        Value::map([("name", Value::text("fleetfold")), ("version", VERSION.into()), ("rules", Value::list(rules))]);
    let results = findings.iter().map(|finding| result(finding, &codes));
    let run = Value::map([
        ("tool", Value::map([("driver", driver)])),
        // Columns count characters, not UTF-16 units.
        ("columnKind", Value::text("unicodeCodePoints")),
        ("results", Value::list(results)),
    ]);
    Value::map([("$schema", Value::text(SCHEMA)), ("version", "2.1.0".into()), ("runs", Value::list([run]))])
}

fn result(finding: &Finding, codes: &BTreeSet<&str>) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    let text = match finding.hint.as_str() {
        "" => finding.message.clone(),
        hint => format!("{}\nhint: {hint}", finding.message),
    };
    let rule = codes.iter().position(|code| *code == finding.code).unwrap_or(0);
    let mut fields = vec![
        ("ruleId", Value::text(&finding.code)),
        ("ruleIndex", rule.into()),
        ("level", level.into()),
        ("message", Value::map([("text", text)])),
    ];
    let location = location(finding);
    if !location.is_empty() {
        fields.push(("locations", Value::list([Value::map(location)])));
    }
    Value::map(fields)
}

fn location(finding: &Finding) -> Vec<(&'static str, Value)> {
    let mut location = Vec::new();
    if !finding.file.is_empty() {
        let mut physical = vec![("artifactLocation", Value::map([("uri", uri(&finding.file))]))];
        let region: Vec<(&str, usize)> =
            [("startLine", finding.line), ("startColumn", finding.column.filter(|_| finding.line.is_some()))]
                .into_iter()
                .filter_map(|(key, number)| Some((key, number?)))
                .collect();
        if !region.is_empty() {
            physical.push(("region", Value::map(region)));
        }
        location.push(("physicalLocation", Value::map(physical)));
    }
    if !finding.document.is_empty() {
        let name = format!("{}{}", finding.document, finding.path);
        location.push(("logicalLocations", Value::list([Value::map([("fullyQualifiedName", name)])])));
    }
    location
}

/// A path as a URI reference, percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.trim_start_matches("./").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;

    #[test]
    fn a_log_has_its_rules_results_and_places() {
        let findings: Vec<_> = read_answer(
            r#"[
              {"severity":"warning","code":"b","message":"m","hint":"h","at":{"document":"A/b","path":"/c","file":"./a b.yaml","line":3,"column":4}},
              {"severity":"info","code":"a","message":"n"}]"#,
        );
        let log = log(&Finding::all(&findings));
        let at = concat!(
            r#"{"logicalLocations":[{"fullyQualifiedName":"A/b/c"}],"#,
            r#""physicalLocation":{"artifactLocation":{"uri":"a%20b.yaml"},"region":{"startColumn":4,"startLine":3}}}"#
        );
        let results = [
            format!(
                r#"{{"level":"warning","locations":[{at}],"message":{{"text":"m\nhint: h"}},"ruleId":"b","ruleIndex":1}}"#
            ),
            r#"{"level":"note","message":{"text":"n"},"ruleId":"a","ruleIndex":0}"#.to_owned(),
        ];
        let rules = r#"[{"id":"a"},{"id":"b"}]"#;
        let tool = format!(r#"{{"driver":{{"name":"fleetfold","rules":{rules},"version":"{VERSION}"}}}}"#);
        let run = format!(r#"{{"columnKind":"unicodeCodePoints","results":[{}],"tool":{tool}}}"#, results.join(","));
        let want = format!(r#"{{"$schema":"{SCHEMA}","runs":[{run}],"version":"2.1.0"}}"#);
        assert_eq!(log.to_canonical(), want);
    }

    #[test]
    fn a_path_is_a_reference() {
        assert_eq!(uri("/a/é"), "file:///a/%C3%A9");
        assert_eq!(uri("a:b#c"), "a%3Ab%23c");
    }
}
