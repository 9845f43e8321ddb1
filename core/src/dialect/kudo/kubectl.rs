//! Commands for hints.

use crate::workspace::plan::Target;

/// `kubectl annotate` for an object, up to the annotation.
pub fn annotate(target: &Target) -> String {
    let identity = target.identity();
    let kind = identity.kind.to_ascii_lowercase();
    let kind = if identity.group.is_empty() { kind } else { format!("{kind}.{}", identity.group) };
    let namespace = if identity.namespace.is_empty() { String::new() } else { format!(" -n {}", identity.namespace) };
    format!("kubectl annotate{namespace} {kind}/{}", identity.name)
}
