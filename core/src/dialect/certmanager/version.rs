//! Versions of a product, and which of them can be installed.

use crate::value::Text;

/// `v1.3.1` or `1.3.1`, also with a pre-release behind it. Versions are in the order of semantic versioning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    /// A pre-release comes before its release.
    stage: Stage,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Before(Vec<Part>),
    Release,
}

/// A part of a pre-release between dots; numbers come before texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Text(Text),
}

impl Version {
    pub fn parse(text: &str) -> Option<Version> {
        let text = text.strip_prefix('v').unwrap_or(text);
        // What stands behind a plus sign is about the build and tells no versions apart.
        let (text, _) = text.split_once('+').unwrap_or((text, ""));
        let (numbers, stage) = match text.split_once('-') {
            Some((numbers, parts)) => (numbers, Stage::Before(parts.split('.').map(part).collect::<Option<_>>()?)),
            None => (text, Stage::Release),
        };
        let mut numbers = numbers.split('.').map(number);
        let (major, minor, patch) = (numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(Version { major, minor, patch, stage })
    }

    pub fn is_release(&self) -> bool {
        self.stage == Stage::Release
    }

    /// Whether it is of the minor of `latest` or of the one before.
    pub fn is_in_window_of(&self, latest: &Version) -> bool {
        self.major == latest.major && (self.minor == latest.minor || Some(self.minor) == latest.minor.checked_sub(1))
    }

    /// The minors that can be installed while this is the latest version, latest first.
    pub fn window(&self) -> String {
        let before = self.minor.checked_sub(1).map(|minor| format!(" and v{}.{minor}", self.major));
        format!("v{}.{}{}", self.major, self.minor, before.unwrap_or_default())
    }
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|it: &u64| it.to_string() == text)
}

fn part(text: &str) -> Option<Part> {
    match number(text) {
        Some(number) => Some(Part::Number(number)),
        None => (!text.is_empty()).then(|| Part::Text(text.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_in_the_order_of_semantic_versioning() {
        let order = ["v1.2.0-alpha.2", "v1.2.0-alpha.10", "v1.2.0-beta", "1.2.0", "v1.2.1", "v1.10.0", "v2.0.0"];
        let read: Vec<Version> = order.iter().filter_map(|it| Version::parse(it)).collect();
        assert_eq!(read.len(), order.len());
        assert!(read.is_sorted_by(|a, b| a < b), "{read:?}");
    }

    #[test]
    fn what_is_no_version_is_none() {
        for text in ["", "v1", "v1.2", "v1.2.3.4", "v1.02.3", "v1.2.x", "v1.2.3-", "latest", "v-1.2.3"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_window_is_the_latest_minor_and_the_one_before() {
        let latest = Version::parse("v1.3.1").unwrap();
        for (version, inside) in [("v1.3.0", true), ("v1.2.9", true), ("v1.1.0", false), ("v0.3.1", false)] {
            assert_eq!(Version::parse(version).unwrap().is_in_window_of(&latest), inside, "{version}");
        }
        assert_eq!(latest.window(), "v1.3 and v1.2");
        assert_eq!(Version::parse("v2.0.4").unwrap().window(), "v2.0");
    }
}
