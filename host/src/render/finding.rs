//! Formats findings as compilers do: message, location, the line with a caret, and a hint.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use fleetfold_core::api::place::PlaceAnswer;
use fleetfold_core::api::{self, Refusal};
pub use fleetfold_core::diagnostic::Severity;
use fleetfold_core::object::secrets::{Excerpt, Excerpts, MASK};

use super::location::Location;
use super::style::{Ink, Palette, clean};

/// The source texts, by the file names that locations use. The engine decides which of their lines may be shown.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    files: BTreeMap<String, String>,
    excerpts: OnceLock<Excerpts>,
}

impl Texts {
    pub fn new() -> Texts {
        Texts::default()
    }

    pub fn insert(&mut self, file: String, text: String) {
        self.files.insert(file, text);
        self.excerpts = OnceLock::new();
    }

    pub fn get(&self, file: &str) -> Option<&String> {
        self.files.get(file)
    }

    /// One of the texts, of which no more may be shown than beside the others.
    pub fn only(&self, file: &str) -> Texts {
        let files = self.files.get_key_value(file).map(|(name, text)| (name.clone(), text.clone()));
        Texts { files: files.into_iter().collect(), excerpts: OnceLock::from(self.excerpts().clone()) }
    }

    fn excerpts(&self) -> &Excerpts {
        self.excerpts.get_or_init(|| Excerpts::of(self.files.values().map(String::as_str)))
    }

    fn line(&self, file: &str, number: usize) -> Option<Excerpt> {
        self.excerpts().line(self.files.get(file)?, number)
    }
}

impl<const N: usize> From<[(String, String); N]> for Texts {
    fn from(files: [(String, String); N]) -> Texts {
        Texts { files: BTreeMap::from(files), ..Texts::default() }
    }
}

/// The color of a severity.
pub fn ink(severity: Severity) -> Ink {
    match severity {
        Severity::Info => Ink::Blue,
        Severity::Warning => Ink::Yellow,
        Severity::Error => Ink::Red,
    }
}

/// Whether a severity is at least as bad as another one. Errors come first in their order.
pub fn is_at_least(severity: Severity, least: Severity) -> bool {
    severity <= least
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
    /// All findings of an answer.
    pub fn all(findings: &[api::Finding]) -> Vec<Finding> {
        findings.iter().map(Finding::from).collect()
    }

    /// An error of the contract. Its `at` is `file:line:column`, or a pointer into the request.
    pub fn refused(refusal: &Refusal) -> Finding {
        let mut parts = refusal.at.as_deref().unwrap_or_default().rsplitn(3, ':');
        let mut number = || parts.next().and_then(|it| it.parse().ok());
        let (column, line) = (number(), number());
        let (file, line, column) = match (line, parts.next()) {
            (Some(_), Some(file)) => (file.to_owned(), line, column),
            _ => (String::new(), None, None),
        };
        Finding {
            severity: Severity::Error,
            code: refusal.code.to_string(),
            message: refusal.message.clone(),
            hint: refusal.hint.clone().unwrap_or_default(),
            document: String::new(),
            path: String::new(),
            file,
            line,
            column,
        }
    }

    /// The finding as the contract has it.
    pub fn to_answer(&self) -> api::Finding {
        let given = |text: &String| Some(text.clone()).filter(|it| !it.is_empty());
        let number = |number: Option<usize>| number.and_then(|it| i64::try_from(it).ok());
        let at = PlaceAnswer {
            document: given(&self.document),
            path: given(&self.path),
            file: given(&self.file),
            line: number(self.line),
            column: number(self.column),
        };
        api::Finding {
            at: Some(at).filter(PlaceAnswer::is_known),
            code: self.code.as_str().into(),
            hint: given(&self.hint),
            message: self.message.clone(),
            severity: self.severity,
        }
    }

    /// `file:line:column`, or document and path if the file is unknown.
    pub fn location(&self) -> String {
        let number = |number: Option<usize>| number.and_then(|it| i64::try_from(it).ok());
        let Finding { document, path, file, line, column, .. } = self;
        Location { document, path: path.clone(), file, line: number(*line), column: number(*column) }.to_string()
    }

    /// Sorts by location, then by severity; files keep the order of reading.
    pub fn sort(findings: &mut Vec<Finding>) {
        let key = |it: &Finding| (it.file.clone(), it.line, it.column, it.severity, it.code.clone());
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
        let title = palette.paint(ink(self.severity), &title);
        let mut out = format!("{title}{}\n", palette.paint(Ink::Bold, &format!(": {}", clean(&self.message))));
        let number = self.line.map(|line| line.to_string()).unwrap_or_default();
        let margin = " ".repeat(number.len());
        let blue = |text: &str| palette.paint(Ink::Blue, text);
        let location = self.location();
        if !location.is_empty() {
            out.push_str(&format!("{margin} {} {}\n", blue("-->"), clean(&location)));
        }
        if let Some((line, caret)) = self.excerpt(texts) {
            let bar = blue("|");
            out.push_str(&format!("{margin} {bar}\n{} {bar} {line}\n", blue(&number)));
            out.push_str(&format!("{margin} {bar} {}{}\n", " ".repeat(caret), palette.paint(ink(self.severity), "^")));
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
        let at = self.column?.checked_sub(1)?;
        let line = match texts.line(&self.file, self.line?)? {
            Excerpt::Line(line) => line,
            Excerpt::Redacted => return Some((MASK.to_owned(), 0)),
        };
        // A long line is shown from shortly before the caret.
        let skip = if at > WIDTH * 3 / 4 { at - WIDTH / 4 } else { 0 };
        let shown = |text: String| if text == "\\t" { " ".to_owned() } else { text };
        let chars: Vec<String> =
            line.chars().skip(skip).take(WIDTH).map(|it| shown(clean(it.encode_utf8(&mut [0; 4])))).collect();
        let caret = chars.iter().take(at - skip).map(|it| it.chars().count()).sum();
        Some((chars.concat().trim_end().to_owned(), caret))
    }
}

impl From<&api::Finding> for Finding {
    fn from(finding: &api::Finding) -> Finding {
        let location = finding.at.as_ref().map(Location::from).unwrap_or_default();
        let number = |number: Option<i64>| number.and_then(|it| usize::try_from(it).ok());
        Finding {
            severity: finding.severity,
            code: finding.code.to_string(),
            message: finding.message.clone(),
            hint: finding.hint.clone().unwrap_or_default(),
            document: location.document.to_owned(),
            path: location.path,
            file: location.file.to_owned(),
            line: number(location.line),
            column: number(location.column),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::read_answer;

    fn finding(text: &str) -> Finding {
        Finding::from(&read_answer::<api::Finding>(text))
    }

    const WHOLE: &str = r#"{"severity":"error","code":"bad-selector","message":"operator `In` needs at least one value",
        "at":{"document":"PluginPreset/acme/metrics","path":"/spec","file":"f.yaml","line":2,"column":10},
        "hint":"use `Exists` to accept any value"}"#;

    #[test]
    fn a_finding_shows_the_line_and_points_into_it() {
        let texts = Texts::from([("f.yaml".to_owned(), "kind: Pod\nvalues:\t[]\n".to_owned())]);
        let want = "error[bad-selector]: operator `In` needs at least one value\n  --> f.yaml:2:10\n  |\n2 | values: []\
            \n  |          ^\n  = in: PluginPreset/acme/metrics /spec\n  = hint: use `Exists` to accept any value\n";
        assert_eq!(finding(WHOLE).render(&texts, Palette::PLAIN), want);
    }

    #[test]
    fn a_line_of_a_secret_is_not_shown() {
        let secret = "kind: Secret\nstringData: {pin: 0777654321, other: hunter2}\n".to_owned();
        let texts =
            Texts::from([("f.yaml".to_owned(), secret), ("g.yaml".to_owned(), "kind: Pod\na: hunter2\n".into())]);
        for file in ["f.yaml", "g.yaml"] {
            let finding = Finding { file: file.to_owned(), ..finding(WHOLE) };
            let shown = finding.render(&texts, Palette::PLAIN);
            assert!(shown.contains("\n2 | (masked)\n  | ^\n") && !shown.contains("hunter2"), "{shown}");
        }
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
        assert_eq!(finding(WHOLE).to_answer(), read_answer(WHOLE));
    }

    #[test]
    fn an_error_has_the_location_of_its_text() {
        let at = |at: &str| {
            let refusal = Refusal { at: Some(at.into()), code: "c".into(), hint: None, message: "m".into() };
            let finding = Finding::refused(&refusal);
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
