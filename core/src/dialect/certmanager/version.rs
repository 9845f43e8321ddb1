//! Versions of a product, and which of them can be installed.

/// `v1.3.1` or `1.3.1`, also with a pre-release behind it. Versions are in the order of semantic versioning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(semver::Version);

impl Version {
    pub fn parse(text: &str) -> Option<Version> {
        let text = text.strip_prefix('v').unwrap_or(text);
        // Two builds of a version are the same version. `semver` would order them.
        let (text, _) = text.split_once('+').unwrap_or((text, ""));
        semver::Version::parse(text).ok().map(Version)
    }

    pub fn is_release(&self) -> bool {
        self.0.pre.is_empty()
    }

    /// Whether the minor version equals that of `latest` or the previous one.
    pub fn is_in_window_of(&self, latest: &Version) -> bool {
        let (this, latest) = (&self.0, &latest.0);
        let before = crate::seeded!(VersionWindowIsWider, latest.minor.checked_sub(1), latest.minor.checked_sub(2));
        this.major == latest.major && (this.minor == latest.minor || Some(this.minor) == before)
    }

    /// The minor versions that can be installed while this is the latest version, latest first.
    pub fn window(&self) -> String {
        let semver::Version { major, minor, .. } = self.0;
        let before = minor.checked_sub(1).map(|minor| format!(" and v{major}.{minor}"));
        format!("v{major}.{minor}{}", before.unwrap_or_default())
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
        for text in ["", "v1", "v1.2", "v1.2.3.4", "v1.02.3", "v1.2.x", "v1.2.3-", "v1.2.3-01", "latest", "v-1.2.3"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn builds_of_a_version_are_equal() {
        assert_eq!(Version::parse("v1.2.3+7"), Version::parse("1.2.3"));
        assert_eq!(Version::parse("v1.2.3-rc.1+7"), Version::parse("v1.2.3-rc.1+8"));
        assert!(Version::parse("v1.2.3+7").is_some_and(|it| it.is_release()));
        assert!(Version::parse("v1.2.3-rc.1").is_some_and(|it| !it.is_release()));
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
