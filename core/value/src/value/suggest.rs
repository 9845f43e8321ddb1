//! The name that was probably meant.

/// The candidate nearest to `word`, if one is near enough to be worth suggesting: at most a third of the letters off.
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
    let allowed = (length / 3).max(1);
    let candidates = candidates.into_iter().filter(|_| length <= LONGEST);
    candidates
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The candidate that `word` misspells: at most two letters off, one in a short word. Stricter than [`nearest`], for words
/// that may also be right.
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

/// The name that was probably meant, or else all of them after a word such as `one of`.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::suggest::suggest;
///
/// assert_eq!(suggest("slect", &["select", "fold"], "one of"), "did you mean `select`?");
/// assert_eq!(suggest("xyz", &["select", "fold"], "one of"), "one of: select, fold");
/// ```
pub fn suggest(word: &str, known: &[&str], listed: &str) -> String {
    did_you_mean(word, known.iter().copied()).unwrap_or_else(|| format!("{listed}: {}", known.join(", ")))
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
    }
}
