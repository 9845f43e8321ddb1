//! The arguments of a component, checked against the flags that its bundle lists, or else the known flags of
//! cert-manager.

use super::bundle::{Bundle, CERT_MANAGER, Component};
use super::overrides::Overrides;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Error};
use crate::engine::flags::{self, Flags, check_name, flag_value, has_flag, unchecked};
use crate::object::kinds::flags::FlagType;
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::suggest::did_you_mean;
use crate::value::{Text, Value};

/// The arguments of `base` with `flags` laid over them; `at` is where the flags are written.
///
/// # Errors
///
/// `unknown-flag`, `bad-flag-value`, and `no-mold` if the flags are not known: a container must not fail to start
/// because of its arguments. In compat mode nothing is checked.
pub fn arguments(
    overrides: &Overrides,
    component: &Component,
    flags: &Flags,
    base: &[Text],
    at: &Pointer,
) -> Result<Vec<String>, Error> {
    let bundle = overrides.bundle;
    let checked = match (overrides.mode, bundle.flag_types(&component.name)) {
        (Mode::Compat, _) => unchecked(flags, base),
        (Mode::Strict, Some(rows)) => FlagSet { overrides, component, rows }.arguments(flags, base),
        (Mode::Strict, None) if bundle.product == CERT_MANAGER => {
            let checked = flags::arguments(&component.name, Some(&bundle.written), flags, base, Mode::Strict);
            checked.map_err(|error| match unknown_flag(&error, flags, base) {
                Some(name) => {
                    let hint = elsewhere(overrides, component, &name).or_else(|| error.hint.clone());
                    Error { hint, ..error }
                }
                None => error,
            })
        }
        (Mode::Strict, None) => Err(unknown_flags(bundle, component)),
    };
    checked.map_err(|error| match error.code {
        Code::UnsupportedVersion | Code::UnknownComponent => unknown_flags(bundle, component).at(at),
        _ => placed(error, at),
    })
}

fn unknown_flags(bundle: &Bundle, component: &Component) -> Error {
    let Bundle { product, written, .. } = bundle;
    let message = format!("the flags of the {} of `{product}` {written} are not known", component.name);
    Error::new(Code::NoMold, message).hint("list them in the bundle under `molds`")
}

/// The same error, at the place of the flags in the document.
fn placed(error: Error, at: &Pointer) -> Error {
    let below = error.pointer();
    let below = Pointer::of(below.segments().skip(1).cloned());
    error.at(at.join(&below))
}

/// The flags of a component as its bundle lists them.
struct FlagSet<'a> {
    overrides: &'a Overrides<'a>,
    component: &'a Component,
    rows: &'a [(Text, FlagType)],
}

impl FlagSet<'_> {
    fn arguments(&self, flags: &Flags, base: &[Text]) -> Result<Vec<String>, Error> {
        let mut union = SortedMap::new();
        let base = Flags::Arguments(base.to_vec());
        for (field, flags) in [("base", &base), ("flags", flags)] {
            for (name, value, at) in given(flags, field)? {
                let takes = self.takes(&name, &at)?;
                union.insert(name.clone(), flag_value(&name, takes, &value, &at)?);
            }
        }
        Ok(union.into_iter().map(|(name, value)| format!("--{name}={value}")).collect())
    }

    fn takes(&self, name: &str, at: &Pointer) -> Result<FlagType, Error> {
        let found = self.rows.iter().find(|(flag, _)| flag == name).map(|(_, takes)| *takes);
        found.ok_or_else(|| {
            let message =
                format!("the {} of {} has no flag `{name}`", self.component.name, self.overrides.bundle.written);
            let hint = elsewhere(self.overrides, self.component, name)
                .or_else(|| did_you_mean(name, self.rows.iter().map(|(flag, _)| flag.as_str())));
            Error::new(Code::UnknownFlag, message).at(at).maybe_hint(hint)
        })
    }
}

/// The name of the unknown flag that an error is about, if it is about one.
fn unknown_flag(error: &Error, flags: &Flags, base: &[Text]) -> Option<Text> {
    let base = Flags::Arguments(base.to_vec());
    let given =
        [("base", &base), ("flags", flags)].into_iter().filter_map(|(field, it)| given(it, field).ok()).flatten();
    let mut here = given.filter(|(_, _, at)| error.code == Code::UnknownFlag && *at == error.pointer());
    here.next().map(|(name, ..)| name)
}

/// Which of the other bundles have the flag, by their own lists or by the known flags of cert-manager.
fn elsewhere(overrides: &Overrides, component: &Component, name: &str) -> Option<String> {
    let knows = |it: &&Bundle| match it.flag_types(&component.name) {
        Some(rows) => rows.iter().any(|(flag, _)| flag == name),
        None => it.product == CERT_MANAGER && has_flag(&component.name, &it.written, name),
    };
    // Latest first.
    let known: Vec<&Bundle> = overrides.index.bundles.iter().filter(knows).collect();
    let (first, last) = (known.last()?, known.first()?);
    let version = &overrides.bundle.version;
    Some(if first.version > *version {
        format!("known since {}", first.written)
    } else if last.version < *version {
        format!("known until {}", last.written)
    } else {
        let known: Vec<&str> = known.iter().map(|it| it.written.as_str()).collect();
        format!("known in {}", known.join(", "))
    })
}

/// Flags by name with what they are given, each with its place.
fn given(flags: &Flags, field: &str) -> Result<Vec<(Text, Value, Pointer)>, Error> {
    let mut given = Vec::new();
    match flags {
        Flags::Named(flags) => {
            for (name, value) in flags.iter() {
                let at = Pointer::of([field, name]);
                check_name(name, &at)?;
                given.push((name.clone(), value.clone(), at));
            }
        }
        Flags::Arguments(arguments) => {
            for (index, argument) in arguments.iter().enumerate().filter(|(_, it)| !it.is_empty()) {
                let at = Pointer::of([field.to_string(), index.to_string()]);
                let (flag, value) =
                    argument.split_once('=').map_or((argument.as_str(), None), |(it, value)| (it, Some(value)));
                let name = flag.strip_prefix("--").filter(|it| !it.is_empty() && !it.starts_with('-'));
                let name = name.ok_or_else(|| {
                    let message = format!("the argument `{argument}` is not a flag");
                    Error::new(Code::UnknownFlag, message).at(&at).hint("an argument is written `--name=value`")
                })?;
                given.push((name.into(), value.map_or(Value::Bool(true), Value::text), at));
            }
        }
    }
    Ok(given)
}
