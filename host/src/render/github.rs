//! Formats findings as workflow commands of GitHub, which become annotations of a pull request.

use super::finding::{Finding, Severity};

/// One line for each finding: `::error file=…,line=…,col=…,title=code::message`. Unknown parts are left out.
pub fn annotations(findings: &[Finding]) -> String {
    findings.iter().map(annotation).collect()
}

fn annotation(finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let number = |number: Option<usize>| number.map(|it| it.to_string()).unwrap_or_default();
    let properties = [
        ("file", finding.file.clone()),
        ("line", number(finding.line)),
        ("col", number(finding.column)),
        ("title", finding.code.clone()),
    ];
    let properties: Vec<String> = properties
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key}={}", escape(value, true)))
        .collect();
    let mut message = finding.message.clone();
    if finding.file.is_empty() && !finding.document.is_empty() {
        message = format!("{}: {message}", finding.location());
    }
    if !finding.hint.is_empty() {
        message = format!("{message}\nhint: {}", finding.hint);
    }
    format!("::{level} {}::{}\n", properties.join(","), escape(&message, false))
}

/// Escapes line breaks; in a property also commas and colons, which are separators.
fn escape(text: &str, in_property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if in_property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;

    #[track_caller]
    fn check(diagnostic: &str, want: &str) {
        assert_eq!(annotations(&Finding::all(&[read_answer(diagnostic)])), want);
    }

    #[test]
    fn a_finding_is_a_command() {
        check(
            r#"{"severity":"error","code":"bad-yaml","message":"100% wrong: a, b","hint":"fix","at":{"file":"a,b.yaml","line":1,"column":2}}"#,
            "::error file=a%2Cb.yaml,line=1,col=2,title=bad-yaml::100%25 wrong: a, b%0Ahint: fix\n",
        );
    }

    #[test]
    fn a_finding_without_a_file_names_its_document() {
        check(
            r#"{"severity":"info","code":"c","message":"m","at":{"document":"A/b","path":"/c"}}"#,
            "::notice title=c::A/b /c: m\n",
        );
        check(r#"{"severity":"warning","code":"c","message":"m"}"#, "::warning title=c::m\n");
    }
}
