//! Formats findings as compilers do: message, location, the line with a caret, and a hint.

use std::collections::BTreeMap;

use fleetfold_core::Value;

use super::style::{Ink, Palette, clean};
use super::{list, text};

/// The source texts, by the file names that locations use.
pub type Texts = BTreeMap<String, String>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Info,
    Warning,
    Error,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    pub fn ink(self) -> Ink {
        match self {
            Severity::Info => Ink::Blue,
            Severity::Warning => Ink::Yellow,
            Severity::Error => Ink::Red,
        }
    }
}

/// A diagnostic of the contract.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub severity: Severity,
    pub code: String,
    pub message: String,
    pub hint: String,
    pub document: String,
    pub path: String,
    pub file: String,
    pub line: Option<usize>,
    pub column: Option<usize>,
}

impl Finding {
    /// All diagnostics of an answer.
    pub fn all(answer: &Value) -> Vec<Finding> {
        list(answer, "diagnostics").iter().map(Finding::read).collect()
    }

    /// An error of the contract. Its `at` is `file:line:column`, or a pointer into the request.
    pub fn error(error: &Value) -> Finding {
        let mut finding = Finding { severity: Severity::Error, ..Finding::read(error) };
        let mut parts = text(error, "at").rsplitn(3, ':');
        let mut number = || parts.next().and_then(|it| it.parse().ok());
        (finding.column, finding.line) = (number(), number());
        match (finding.line, parts.next()) {
            (Some(_), Some(file)) => finding.file = file.to_owned(),
            _ => (finding.column, finding.line) = (None, None),
        }
        finding
    }

    /// A diagnostic of the contract.
    pub fn read(value: &Value) -> Finding {
        let at = value.get("at").unwrap_or(&Value::Null);
        let number = |key| at.get(key).and_then(Value::as_int).and_then(|it| usize::try_from(it).ok());
        Finding {
            severity: match text(value, "severity") {
                "error" => Severity::Error,
                "warning" => Severity::Warning,
                _ => Severity::Info,
            },
            code: text(value, "code").to_owned(),
            message: text(value, "message").to_owned(),
            hint: text(value, "hint").to_owned(),
            document: text(at, "document").to_owned(),
            path: text(at, "path").to_owned(),
            file: text(at, "file").to_owned(),
            line: number("line"),
            column: number("column"),
        }
    }

    /// The finding as a diagnostic of the contract.
    pub fn to_value(&self) -> Value {
        let number = |number: Option<usize>| number.map_or(Value::Null, Value::from);
        let some = |entries: &[(&'static str, Value)]| {
            Value::map(entries.iter().filter(|(_, value)| !value.is_empty()).cloned())
        };
        let at = some(&[
            ("document", Value::text(&self.document)),
            ("path", Value::text(&self.path)),
            ("file", Value::text(&self.file)),
            ("line", number(self.line)),
            ("column", number(self.column)),
        ]);
        some(&[
            ("severity", Value::text(self.severity.as_str())),
            ("code", Value::text(&self.code)),
            ("message", Value::text(&self.message)),
            ("at", at),
            ("hint", Value::text(&self.hint)),
        ])
    }

    /// `file:line:column`, or document and path if the file is unknown.
    pub fn place(&self) -> String {
        super::place(self.to_value().get("at").unwrap_or(&Value::Null))
    }

    /// Sorts by location, then by severity; files keep the order of reading.
    pub fn sort(findings: &mut Vec<Finding>) {
        let key = |it: &Finding| (it.file.clone(), it.line, it.column, std::cmp::Reverse(it.severity), it.code.clone());
        findings.sort_by_cached_key(key);
        findings.dedup();
    }

    /// ```text
    /// error[bad-selector]: operator `In` needs at least one value
    ///   --> fleet.yaml:12:9
    ///    |
    /// 12 |       values: []
    ///    |               ^
    ///    = hint: use `Exists` to accept any value
    /// ```
    pub fn render(&self, texts: &Texts, palette: Palette) -> String {
        let title = format!("{}[{}]", self.severity.as_str(), clean(&self.code));
        let title = palette.paint(self.severity.ink(), &title);
        let mut out = format!("{title}{}\n", palette.paint(Ink::Bold, &format!(": {}", clean(&self.message))));
        let number = self.line.map(|line| line.to_string()).unwrap_or_default();
        let margin = " ".repeat(number.len());
        let blue = |text: &str| palette.paint(Ink::Blue, text);
        let place = self.place();
        if !place.is_empty() {
            out.push_str(&format!("{margin} {} {}\n", blue("-->"), clean(&place)));
        }
        if let Some((line, caret)) = self.excerpt(texts) {
            let bar = blue("|");
            out.push_str(&format!("{margin} {bar}\n{} {bar} {line}\n", blue(&number)));
            out.push_str(&format!("{margin} {bar} {}{}\n", " ".repeat(caret), palette.paint(self.severity.ink(), "^")));
        }
        if !self.document.is_empty() && !self.file.is_empty() {
            let inside = format!("{} {}", self.document, self.path);
            out.push_str(&format!("{margin} {} in: {}\n", blue("="), clean(inside.trim_end())));
        }
        if !self.hint.is_empty() {
            out.push_str(&format!("{margin} {} hint: {}\n", blue("="), clean(&self.hint)));
        }
        out
    }

    /// The line, shortened if it is long, and the column of the caret.
    fn excerpt(&self, texts: &Texts) -> Option<(String, usize)> {
        const WIDTH: usize = 100;
        let line = texts.get(&self.file)?.lines().nth(self.line?.checked_sub(1)?)?;
        let at = self.column?.checked_sub(1)?;
        // A long line is shown from shortly before the caret.
        let skip = if at > WIDTH * 3 / 4 { at - WIDTH / 4 } else { 0 };
        let shown = |text: String| if text == "\\t" { " ".to_owned() } else { text };
        let chars: Vec<String> =
            line.chars().skip(skip).take(WIDTH).map(|it| shown(clean(it.encode_utf8(&mut [0; 4])))).collect();
        let caret = chars.iter().take(at - skip).map(|it| it.chars().count()).sum();
        Some((chars.concat().trim_end().to_owned(), caret))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleetfold_core::value::json;

    fn finding(text: &str) -> Finding {
        Finding::read(&json::parse(text).unwrap())
    }

    const WHOLE: &str = r#"{"severity":"error","code":"bad-selector","message":"operator `In` needs at least one value",
        "at":{"document":"PluginPreset/acme/metrics","path":"/spec","file":"f.yaml","line":2,"column":10},
        "hint":"use `Exists` to accept any value"}"#;

    #[test]
    fn a_finding_shows_the_line_and_points_into_it() {
        let texts = Texts::from([("f.yaml".to_owned(), "a: 1\nvalues:\t[]\n".to_owned())]);
        let want = "error[bad-selector]: operator `In` needs at least one value\n  --> f.yaml:2:10\n  |\n2 | values: []\n  |          ^\n  = in: PluginPreset/acme/metrics /spec\n  = hint: use `Exists` to accept any value\n";
        assert_eq!(finding(WHOLE).render(&texts, Palette::PLAIN), want);
    }

    #[test]
    fn unknown_parts_are_left_out() {
        let finding = finding(r#"{"severity":"info","code":"c","message":"m\u001b[2J","at":{"document":"A/b"}}"#);
        assert_eq!(finding.render(&Texts::new(), Palette::PLAIN), "info[c]: m\\u{1b}[2J\n --> A/b\n");
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let texts = Texts::from([("f.yaml".to_owned(), format!("\n{}X{}", "a".repeat(400), "b".repeat(400)))]);
        let finding = Finding { column: Some(401), ..finding(WHOLE) };
        let shown = finding.render(&texts, Palette::PLAIN);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[3].len(), 4 + 100);
        assert_eq!(lines[3].find('X'), lines[4].find('^'));
    }

    #[test]
    fn a_finding_round_trips() {
        let value = json::parse(WHOLE).unwrap();
        assert_eq!(Finding::read(&value).to_value(), value);
    }

    #[test]
    fn an_error_has_the_location_of_its_text() {
        let at = |at: &str| {
            let finding = Finding::error(&Value::map([("code", "c"), ("message", "m"), ("at", at)]));
            (finding.file, finding.line, finding.column)
        };
        assert_eq!(at("a:b.yaml:3:5"), ("a:b.yaml".to_owned(), Some(3), Some(5)));
        assert_eq!(at("/refs/0"), (String::new(), None, None));
        assert_eq!(at("3:5"), (String::new(), None, None));
    }

    #[test]
    fn findings_are_sorted_without_duplicates() {
        let early = Finding { line: Some(1), ..finding(WHOLE) };
        let mut all = vec![finding(WHOLE), early.clone(), finding(WHOLE)];
        Finding::sort(&mut all);
        assert_eq!(all, [early, finding(WHOLE)]);
    }
}
