//! The kinds of documents that a dialect reads on the hub. A runner watches these, and knows no kind by itself.

use crate::object::document::Identity;
use crate::object::fields::Fields;
use crate::value::Text;

/// One kind of documents.
#[derive(Clone, Debug)]
pub struct HubKind {
    pub group: Text,
    /// Ends in `*` if it covers every kind of the group with this prefix.
    pub kind: Text,
    /// Empty if `kind` covers several kinds.
    pub plural: Text,
    /// `Namespaced` or `Cluster`; empty if `kind` covers several kinds.
    pub scope: Text,
    /// The best version that is understood, and the others, best first.
    pub version: Text,
    pub older: &'static [&'static str],
    /// In kubectl's syntax, where only some objects are documents.
    pub label_selector: &'static str,
    /// Whether the server keeps the status apart from the rest.
    pub has_status: bool,
    /// The operations that an admission webhook must see.
    pub admits: &'static [&'static str],
    /// The fields of its `spec`, where they are checked.
    pub fields: Option<&'static Fields>,
    /// The fields of its `status`, if it is read.
    pub status_fields: Option<&'static Fields>,
}

const NAMESPACED: &str = "Namespaced";
const CLUSTER: &str = "Cluster";

/// What may bring a wrong document in. Letting one go needs no verdict.
const WRITES: &[&str] = &["CREATE", "UPDATE"];

impl HubKind {
    pub const fn namespaced(
        group: &'static str,
        kind: &'static str,
        plural: &'static str,
        version: &'static str,
    ) -> HubKind {
        HubKind::new(group, kind, plural, NAMESPACED, version)
    }

    pub const fn cluster_wide(
        group: &'static str,
        kind: &'static str,
        plural: &'static str,
        version: &'static str,
    ) -> HubKind {
        HubKind::new(group, kind, plural, CLUSTER, version)
    }

    /// Every kind of a group that begins like this; the server knows their plurals and scopes.
    pub const fn all_like(group: &'static str, pattern: &'static str, version: &'static str) -> HubKind {
        HubKind::new(group, pattern, "", "", version)
    }

    const fn new(
        group: &'static str,
        kind: &'static str,
        plural: &'static str,
        scope: &'static str,
        version: &'static str,
    ) -> HubKind {
        HubKind {
            group: Text::new_static(group),
            kind: Text::new_static(kind),
            plural: Text::new_static(plural),
            scope: Text::new_static(scope),
            version: Text::new_static(version),
            older: &[],
            label_selector: "",
            has_status: false,
            admits: &[],
            fields: None,
            status_fields: None,
        }
    }

    #[must_use]
    pub const fn or(mut self, older: &'static [&'static str]) -> HubKind {
        self.older = older;
        self
    }

    #[must_use]
    pub const fn labelled(mut self, selector: &'static str) -> HubKind {
        self.label_selector = selector;
        self
    }

    #[must_use]
    pub const fn with_status(mut self) -> HubKind {
        self.has_status = true;
        self
    }

    /// Its changes are judged before they are stored.
    #[must_use]
    pub const fn guarded(mut self) -> HubKind {
        self.admits = WRITES;
        self
    }

    #[must_use]
    pub const fn with_fields(mut self, spec: &'static Fields) -> HubKind {
        self.fields = Some(spec);
        self
    }

    #[must_use]
    pub const fn with_status_fields(mut self, status: &'static Fields) -> HubKind {
        self.status_fields = Some(status);
        self
    }

    pub fn is_namespaced(&self) -> bool {
        self.scope == NAMESPACED
    }

    /// Whether a document is of this kind.
    pub fn covers(&self, identity: &Identity) -> bool {
        self.group == identity.group
            && match self.kind.strip_suffix('*') {
                Some(prefix) => identity.kind.starts_with(prefix),
                None => self.kind == identity.kind,
            }
    }

    /// The same for a dialect that only reads it.
    #[must_use]
    pub fn unguarded(mut self) -> HubKind {
        self.admits = &[];
        self
    }

    /// All versions that are understood, best first.
    pub fn versions(&self) -> Vec<Text> {
        let older = self.older.iter().map(|it| Text::new_static(it));
        std::iter::once(self.version.clone()).chain(older).collect()
    }
}

/// An annotation of a namespace can pause its contents, so every dialect with subjects in namespaces reads it.
pub const NAMESPACE: HubKind = HubKind::cluster_wide("", "Namespace", "namespaces", "v1");
