//! Kubernetes objects: their identities, their documents, and the tables about their kinds.

pub mod base64;
pub mod concealed;
pub mod document;
pub mod fields;
pub mod folder;
pub mod identity;
pub mod kinds;
pub mod labels;
pub mod managed_fields;
pub mod redacted;
pub mod secrets;
pub mod structural;
pub mod timestamp;
pub mod weight;
