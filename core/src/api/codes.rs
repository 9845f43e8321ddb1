//! The page of codes: every stable name that answers carry, with what it means.

use crate::diagnostic::{Code, ReasonCode};
use crate::value::sorting::sort;

const HEAD: &str = "# Codes

Answers carry these names, and programs may branch on them: none of them ever changes its meaning. A **finding** is in
`error` or in `diagnostics`, with a place and mostly a hint; a **reason** says why something was decided. This page is written by
`npm run types`.
";

/// All codes as a page in Markdown.
pub fn codes() -> String {
    let mut page = String::from(HEAD);
    let findings = Code::ALL.iter().map(|(code, doc)| (code.as_str(), *doc));
    let reasons = ReasonCode::ALL.iter().map(|(code, doc)| (code.as_str(), *doc));
    table(&mut page, "Findings", &mut { findings });
    table(&mut page, "Reasons", &mut { reasons });
    page
}

fn table(page: &mut String, title: &str, rows: &mut dyn Iterator<Item = (&'static str, &'static str)>) {
    page.push_str(&format!("\n## {title}\n\n| code | means |\n|---|---|\n"));
    let mut rows: Vec<(&str, &str)> = rows.collect();
    sort(&mut rows);
    for (code, doc) in rows {
        page.push_str(&format!("| `{code}` |{} |\n", doc.replace('|', "\\|")));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_code_has_a_row() {
        let page = super::codes();
        assert!(page.contains("| `unknown-op` | No op has this name. |"), "{page}");
        assert!(page.contains("| `requirement-met` | The cluster satisfies the requirement. |"), "{page}");
    }
}
