//! The name that was probably meant.

/// The candidate nearest to `word`, if one is near enough to suggest: at most a third of the letters off.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::suggest::nearest;
///
/// let fields = ["matchLabels", "matchExpressions"];
/// assert_eq!(nearest("matchLabel", fields), Some("matchLabels"));
/// assert_eq!(nearest("replicas", fields), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // No name is this long: comparing it would only cost time.
    const LONGEST: usize = 64;
    let length = word.chars().take(LONGEST + 1).count();
    let mut allowed = (length / 3).max(1);
    let letters = Letters::of(word);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|_| length <= LONGEST) {
        if !letters.may_be_near(candidate, allowed) {
            continue;
        }
        let found = (distance(word, candidate), candidate);
        if found.0 <= allowed && best.is_none_or(|best| found < best) {
            best = Some(found);
            // One that is farther off is not the nearest any more.
            allowed = found.0;
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// How many findings get a suggestion. With thousands of unknown names, comparing each with thousands of known ones
/// would take longer than everything else.
const HINTS: usize = 100;

/// Suggestions for a list of unknown names: the first of them get one.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::suggest::Hints;
///
/// let mut hints = Hints::default();
/// assert_eq!(hints.did_you_mean("replica", ["replicas"]).as_deref(), Some("did you mean `replicas`?"));
/// (0..100).for_each(|_| drop(hints.did_you_mean("replica", ["replicas"])));
/// assert_eq!(hints.did_you_mean("replica", ["replicas"]), None, "later findings have no hint");
/// ```
#[derive(Debug)]
pub struct Hints {
    left: usize,
}

impl Default for Hints {
    fn default() -> Hints {
        Hints::first(HINTS)
    }
}

impl Hints {
    /// For lists that are many themselves: only the first few of each get one.
    pub fn first(findings: usize) -> Hints {
        Hints { left: findings }
    }

    pub fn did_you_mean<'a>(&mut self, word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
        self.left = self.left.checked_sub(1)?;
        did_you_mean(word, candidates)
    }

    /// As [`suggest`]; later findings list the known names.
    pub fn suggest(&mut self, word: &str, known: &[&str], listed: &str) -> String {
        self.did_you_mean(word, known.iter().copied()).unwrap_or_else(|| list(known, listed))
    }
}

/// What two words must share to be near each other, read in one pass over each.
struct Letters {
    length: usize,
    /// A bit for each letter; letters may share one.
    set: u64,
}

impl Letters {
    fn of(word: &str) -> Letters {
        let mut letters = Letters { length: 0, set: 0 };
        for letter in word.chars().flat_map(char::to_lowercase) {
            letters.length += 1;
            letters.set |= 1 << (u32::from(letter) & 63);
        }
        letters
    }

    /// Each change adds a letter, drops one, or does both.
    fn may_be_near(&self, candidate: &str, allowed: usize) -> bool {
        // A letter has up to four bytes, and its lower case up to three letters.
        let longest = self.length.saturating_add(allowed).saturating_mul(12);
        if candidate.len() > longest {
            return false;
        }
        let other = Letters::of(candidate);
        let only = |a: u64, b: u64| usize::try_from((a & !b).count_ones()).unwrap_or(usize::MAX);
        self.length.abs_diff(other.length) <= allowed
            && only(self.set, other.set) <= allowed
            && only(other.set, self.set) <= allowed
    }
}

/// The candidate that `word` misspells: at most two letters off, one in a short word. Stricter than [`nearest`], for
/// words that may also be right.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::suggest::close;
///
/// assert_eq!(close("PluginOveride", ["PluginOverride"]), Some("PluginOverride"));
/// assert_eq!(close("PluginDefinitionCatalog", ["PluginDefinition"]), None);
/// ```
pub fn close<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const SHORT: usize = 8;
    let allowed = if word.len() < SHORT { 1 } else { 2 };
    nearest(word, candidates).filter(|it| distance(word, it) <= allowed)
}

/// `did you mean …?`, if there is something near.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|name| format!("did you mean `{name}`?"))
}

/// The name that was probably meant, or else all of them after a word such as `one of`; empty if there are none.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::suggest::suggest;
///
/// assert_eq!(suggest("slect", &["select", "fold"], "one of"), "did you mean `select`?");
/// assert_eq!(suggest("xyz", &["select", "fold"], "one of"), "one of: select, fold");
/// assert_eq!(suggest("xyz", &[], "one of"), "");
/// ```
pub fn suggest(word: &str, known: &[&str], listed: &str) -> String {
    did_you_mean(word, known.iter().copied()).unwrap_or_else(|| list(known, listed))
}

/// The known names after a word such as `one of`. Of very many, the first are listed.
fn list(known: &[&str], listed: &str) -> String {
    const LISTED: usize = 50;
    let names = known.get(..LISTED).unwrap_or(known).join(", ");
    match known.len().saturating_sub(LISTED) {
        _ if known.is_empty() => String::new(),
        0 => format!("{listed}: {names}"),
        more => format!("{listed}: {names} and {more} more"),
    }
}

/// Letters to insert, drop, change or swap with their neighbour, case not counting.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let cluster_result = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
    let mut before = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (cluster_result(&above, j + 1) + 1)
                .min(cluster_result(&row, j) + 1)
                .min(cluster_result(&above, j) + usize::from(x != y));
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(cluster_result(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    cluster_result(&above, b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        assert_eq!(nearest("slect", ["select", "fold"]), Some("select"));
        assert_eq!(nearest("flod", ["select", "fold"]), Some("fold"));
        assert_eq!(nearest("Clusters", ["clusters"]), Some("clusters"));
        assert_eq!(nearest("banana", ["select", "fold"]), None);
        assert_eq!(nearest("b", ["a", "c"]), Some("a"), "of two that are equally near, the first by name");
    }

    #[test]
    fn a_filter_never_hides_a_near_word() {
        let words =
            ["", "a", "Ab", "ba", "abc", "bcd", "acb", "replicas", "replcia", "Replicass", "İi", "ii", "ß", "ss"];
        for word in words {
            for candidate in words {
                let allowed = (word.chars().count() / 3).max(1);
                let is_near = distance(word, candidate) <= allowed;
                assert_eq!(nearest(word, [candidate]).is_some(), is_near, "{word} and {candidate}");
            }
        }
    }

    #[test]
    fn only_the_first_findings_get_a_hint() {
        let mut hints = Hints::default();
        let given = (0..1000).filter(|_| hints.did_you_mean("slect", ["select"]).is_some()).count();
        assert_eq!(given, HINTS);
    }
}
