//! Preconditions of a deployment: its name, its version, and that no other document installs the product.

use super::bundle::{Bundle, BundleIndex};
use super::overrides::wrong_type;
use super::version::Version;
use super::{KINDS, Kind};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Error};
use crate::object::document::Document;
use crate::object::identity::is_terminating;
use crate::object::labels;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::observed::{HUB, Observation};
use crate::workspace::store::View;

/// # Errors
///
/// The document is not one that is acted on.
pub fn check(view: View, document: &Document, kind: &Kind) -> Result<(), Error> {
    let (identity, at) = (&document.identity, Pointer::of(["metadata", "name"]));
    if let Some(name) = kind.name.filter(|it| identity.name != *it) {
        let message = format!("a {} must be called `{name}`, and nothing else is acted on", identity.kind);
        return Err(Error::new(Code::WrongName, message).at(at).hint(format!("call it `{name}`")));
    }
    if labels::check_value(&identity.name).is_err() {
        let message = "its objects carry its name as a label, and this name is too long for one";
        return Err(Error::new(Code::WrongName, message).at(at).hint("a label has at most 63 characters"));
    }
    let product = kind.product(&document.value);
    if product.is_empty() {
        let at = Pointer::of(["spec", "product"]);
        return Err(Error::new(Code::MissingField, "the field `product` is missing").at(at));
    }
    let others =
        KINDS.iter().flat_map(|it| view.store.of_kind(it.group, it.kind, None).map(move |document| (it, document)));
    let mut others = others.filter(|(_, it)| it.identity != *identity && !is_terminating(&it.value));
    // A document with another name is ignored, so it does not conflict; nor does one that is being deleted.
    let is_going = is_terminating(&document.value);
    let other = others
        .find(|(kind, it)| kind.product(&it.value) == product && kind.name.is_none_or(|name| it.identity.name == name));
    if let Some((_, other)) = other.filter(|_| !is_going) {
        let message = format!("`{}` of `{}` installs `{product}` too", other.identity, other.identity.group);
        return Err(Error::new(Code::SecondInstallation, message).hint("keep one of them"));
    }
    Ok(())
}

/// The bundle to install, and the reason.
///
/// # Errors
///
/// No version can be chosen, or the requested one is not available.
pub fn choose<'s>(
    document: &Document,
    product: &str,
    index: &'s BundleIndex,
    mode: Mode,
) -> Result<(&'s Bundle, String), Error> {
    let at = Pointer::of(["spec", "version"]);
    let asked = match at.get(&document.value) {
        None | Some(Value::Null) => None,
        Some(Value::Text(version)) => Some(version),
        Some(other) => return Err(wrong_type(&at, "a string", other)),
    };
    let latest = index.bundles.iter().find(|it| it.version.is_release()).or(index.bundles.first());
    let broken = || index.broken.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let (bundle, why) = match (asked, latest) {
        (None, _) if !index.broken.is_empty() => {
            let message = format!("the latest version is not known while {} cannot be read", broken());
            return Err(Error::new(Code::BadBundle, message).hint("correct the bundle, or set `spec.version`"));
        }
        (Some(_), None) if !index.broken.is_empty() => {
            let message = format!("no bundle of `{product}` can be read: {}", broken());
            return Err(Error::new(Code::BadBundle, message).hint("correct the bundle"));
        }
        (_, None) => {
            let message = format!("no bundle of `{product}` is loaded");
            let hint = format!("load a `Bundle` whose `spec.product` is `{product}`");
            return Err(Error::new(Code::NoBundle, message).hint(hint));
        }
        (None, Some(latest)) => {
            refuse_downgrade(document, latest, mode)?;
            (latest, format!("`{}` is the latest version that has a bundle", latest.written))
        }
        (Some(asked), Some(latest)) => {
            let wanted = Version::parse(asked);
            let found = index.bundles.iter().find(|it| Some(&it.version) == wanted.as_ref());
            let supported = |it: &&Bundle| mode == Mode::Compat || is_supported(&it.version, &latest.version);
            let Some(found) = found.filter(supported) else {
                let message = format!("the version `{asked}` of `{product}` is not supported");
                let loaded: Vec<String> =
                    index.bundles.iter().filter(supported).map(|it| format!("`{}`", it.written)).collect();
                let why = match found {
                    Some(_) => format!("only {} can be installed", latest.version.window()),
                    None if !index.broken.is_empty() => format!("it has no bundle that can be read ({})", broken()),
                    None => "it has no bundle".into(),
                };
                let hint = format!("{why}; supported: {}", loaded.join(", "));
                return Err(Error::new(Code::UnsupportedVersion, message).at(&at).hint(hint));
            };
            (found, format!("`spec.version` asks for `{asked}`"))
        }
    };
    let same: Vec<&Bundle> = index.bundles.iter().filter(|it| it.version == bundle.version).collect();
    if let [one, other, ..] = same.as_slice() {
        let message = format!("`{}` and `{}` are both of `{product}` {}", one.document, other.document, bundle.written);
        return Err(Error::new(Code::DuplicateBundle, message).hint("keep one of them"));
    }
    Ok((bundle, why))
}

/// Versions newer than the latest release are pre-releases that were requested by name.
pub fn is_supported(version: &Version, latest: &Version) -> bool {
    version >= latest || version.is_in_window_of(latest)
}

/// The version in the status of a deployment; empty if there is none.
pub fn installed(view: View, document: &Document) -> Text {
    let live = match view.store.observed(HUB).map(|it| it.observation(&document.identity)) {
        Some(Observation::Present(live)) => live.text_at(STATUS_VERSION),
        _ => "",
    };
    Text::from(if live.is_empty() { document.value.text_at(STATUS_VERSION) } else { live })
}

const STATUS_VERSION: &[&str] = &["status", "version"];

/// A removed bundle must not downgrade the cluster: definitions may not survive that. If the document has no status,
/// the plan checks the installed objects: see `plan::hold_downgrade`.
fn refuse_downgrade(document: &Document, latest: &Bundle, mode: Mode) -> Result<(), Error> {
    let installed = document.value.text_at(STATUS_VERSION);
    match Version::parse(installed) {
        Some(version) if version > latest.version && mode == Mode::Strict => {
            let message = format!("`{installed}` is installed, and the latest bundle is of `{}`", latest.written);
            let hint = format!("load the bundle of `{installed}`, or set `spec.version` to `{}`", latest.written);
            Err(Error::new(Code::Downgrade, message).hint(hint))
        }
        _ => Ok(()),
    }
}
