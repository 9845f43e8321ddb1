//! Kubernetes objects: their identities, their documents, and the tables about their kinds.

/// Base64 for the contents of Secrets.
#[doc(hidden)] // Public only because tests of hosts write Secrets with it.
pub mod base64;
pub(crate) mod concealed;
pub(crate) mod document;
pub mod fields;
pub mod folder;
pub(crate) mod identity;
pub mod kinds;
pub(crate) mod labels;
pub mod managed_fields;
pub(crate) mod redacted;
pub mod secrets;
pub(crate) mod structural;
pub(crate) mod timestamp;
pub(crate) mod weight;

pub use concealed::Concealed;
pub use document::{Document, Identity, Reference};
pub use identity::{ObjectName, group_of, is_terminating, not_another};
pub use labels::{Labels, check_key as check_label_key, check_value as check_label_value};
pub use redacted::{Redacted, Visibility};
pub use structural::Definition as StructuralDefinition;
pub use timestamp::{Timestamp, TimestampError};
pub use weight::{depth, weight};
