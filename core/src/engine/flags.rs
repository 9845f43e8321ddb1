//! Checks flags against the flags of a component's version: a container must not fail to start because of its
//! arguments.

mod fit;

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Error};
use crate::object::kinds::flags::{Component, DEFAULT_BURST, DEFAULT_QPS, FLAGS, Flag, FlagType, SUPPORTED};
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::sorting::sort;
use crate::value::suggest::{did_you_mean, nearest, suggest};
use crate::value::{Map, Text, Value};
use fit::{FlagError, fit, float, int, join, wanted};

/// Flags as a document sets them.
#[derive(Clone, Debug)]
pub enum Flags {
    /// Flag names without dashes, as the seed's `containerArgOverrides` has them.
    Named(Map),
    /// Arguments of a container, as OpenShift's `overrideArgs` has them.
    Arguments(Vec<Text>),
}

/// The arguments that a component is started with: `flags` laid over the arguments of `base`.
///
/// 1. A flag in `flags` replaces every occurrence of that flag in `base`. An empty argument is dropped.
/// 2. Every flag of both must be one that the component has in this version, with a value that it takes. No version
///    means the latest.
/// 3. Each flag becomes one argument `--name=value`, a switch without a value `--name=true`; they are sorted by name.
/// 4. A flag that adds up (`controllers`, `feature-gates`…) may be given as a list or several times; its values are
///    joined with commas. Giving any other flag twice is an error.
///
/// In compat mode the arguments are those of the operators. Neither version nor flags are checked; the text before the
/// first `=` is the flag; the last of several wins; `--name=` becomes `--name`; a named flag without a value or with a
/// map is left out; and the arguments are sorted as texts.
///
/// # Errors
///
/// `unknown-component`, `unsupported-version`, `unknown-flag`, and `bad-flag-value`.
///
/// # Example
///
/// ```
/// # use fleetfold_core::diagnostic::Mode;
/// # use fleetfold_core::engine::flags::{Flags, arguments};
/// # use fleetfold_core::value::{Map, Value};
/// let flags = Flags::Named(Map::from_iter([("v", Value::text("4")), ("leader-elect", Value::from(true))]));
/// let args = arguments("controller", Some("v1.3.0"), &flags, &["--v=2".into()], Mode::Strict)?;
/// assert_eq!(args, ["--leader-elect=true", "--v=4"]);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn arguments(
    component: &str,
    version: Option<&str>,
    flags: &Flags,
    base: &[Text],
    mode: Mode,
) -> Result<Vec<String>, Error> {
    let component = component_named(component)?;
    if mode == Mode::Compat {
        return unchecked(flags, base);
    }
    let flag_set = FlagSet { component, minor: minor_of(version)? };
    let mut union = flag_set.arguments(base, "base")?;
    union.extend(match flags {
        Flags::Named(flags) => flag_set.named(flags)?,
        Flags::Arguments(arguments) => flag_set.arguments(arguments, "flags")?,
    });
    flag_set.check_rates(&union)?;
    Ok(union.into_iter().map(|(name, given)| format!("--{name}={}", given.value)).collect())
}

/// Whether a component of a version has a flag. False for a component or a version that is not known.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::flags::has_flag;
///
/// assert!(has_flag("controller", "v1.3.1", "v"));
/// assert!(!has_flag("controller", "v1.3.1", "colour"));
/// ```
pub fn has_flag(component: &str, version: &str, name: &str) -> bool {
    let (Ok(component), Ok(minor)) = (component_named(component), minor_of(Some(version))) else { return false };
    let flag_set = FlagSet { component, minor };
    FLAGS.iter().any(|flag| flag.name == name && flag_set.holds(flag))
}

/// Flags that passed, by name.
type Union = SortedMap<&'static str, FlagInput>;

struct FlagInput {
    value: String,
    at: Pointer,
}

struct FlagSet {
    component: Component,
    minor: u32,
}

impl FlagSet {
    fn named(&self, flags: &Map) -> Result<Union, Error> {
        let mut union = Union::new();
        for (name, value) in flags.iter() {
            let at = Pointer::of(["flags", name]);
            check_name(name, &at)?;
            let flag = self.flag(name, &at)?;
            let value = flag_value(flag.name, flag.takes, value, &at)?;
            union.insert(flag.name, FlagInput { value, at });
        }
        Ok(union)
    }

    fn arguments(&self, arguments: &[Text], field: &str) -> Result<Union, Error> {
        let mut union = Union::new();
        for (index, argument) in arguments.iter().enumerate().filter(|(_, argument)| !argument.is_empty()) {
            let at = Pointer::of([field.to_string(), index.to_string()]);
            let (name, value) = split_argument(argument, &at)?;
            let flag = self.flag(name, &at)?;
            let value = match value {
                Some(value) => value,
                None if flag.takes == FlagType::Bool => "true",
                None => return Err(bad_value(name, flag.takes, "nothing", &at).hint(format!("write `--{name}=value`"))),
            };
            check_value(flag.name, flag.takes, value, &at)?;
            match union.get_mut(flag.name) {
                None => {
                    union.insert(flag.name, FlagInput { value: value.into(), at });
                }
                Some(_) if !flag.takes.repeatable() => {
                    let message = format!("the flag `{name}` is given more than once");
                    return Err(Error::new(Code::BadFlagValue, message).at(at).hint("keep the one that is meant"));
                }
                // An empty list adds nothing, and a comma next to it would add an empty text.
                Some(given) if given.value.is_empty() || value.is_empty() => given.value.push_str(value),
                Some(given) => {
                    given.value.push(',');
                    given.value.push_str(value);
                }
            }
        }
        Ok(union)
    }

    /// The row of a flag.
    fn flag(&self, name: &str, at: &Pointer) -> Result<&'static Flag, Error> {
        FLAGS.iter().find(|flag| flag.name == name && self.holds(flag)).ok_or_else(|| {
            let message = format!("the {} of v1.{} has no flag `{name}`", self.component.name(), self.minor);
            Error::new(Code::UnknownFlag, message).at(at).maybe_hint(self.hint(name))
        })
    }

    fn holds(&self, flag: &Flag) -> bool {
        flag.of.contains(&self.component) && flag.in_minor(self.minor)
    }

    /// Where the flag is known; else the nearest name, of this version if it has one.
    fn hint(&self, name: &str) -> Option<String> {
        if let Some(elsewhere) = self.elsewhere(name) {
            return Some(elsewhere);
        }
        let here = FLAGS.iter().filter(|flag| self.holds(flag)).map(|flag| flag.name);
        did_you_mean(name, here).or_else(|| {
            let name = nearest(name, FLAGS.iter().map(|flag| flag.name))?;
            let elsewhere = self.elsewhere(name).map(|it| format!(", {it}")).unwrap_or_default();
            Some(format!("did you mean `{name}`{elsewhere}?"))
        })
    }

    /// Which version of this component has the flag, and which other component has it in this version.
    fn elsewhere(&self, name: &str) -> Option<String> {
        let rows = || FLAGS.iter().filter(|flag| flag.name == name);
        let ours = || rows().filter(|flag| flag.of.contains(&self.component));
        let since = ours().map(|flag| flag.since).filter(|since| *since > self.minor).min();
        let last = ours().filter_map(|flag| Some((flag.last?, flag.instead))).max();
        let others: Vec<_> = rows().filter(|flag| flag.in_minor(self.minor)).flat_map(|flag| flag.of).collect();
        let others: Vec<_> = Component::ALL.iter().filter(|it| others.contains(it)).map(|it| it.name()).collect();
        let parts = [
            since.map(|since| format!("known since v1.{since}.0")),
            last.map(|(last, _)| format!("removed in v1.{}.0", last.saturating_add(1))),
            last.and_then(|(_, instead)| instead).map(|other| format!("use {other}")),
            (!others.is_empty()).then(|| format!("a flag of the {}", others.join(" and the "))),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The controller compares the two rates when it starts, with its defaults for an unset rate.
    fn check_rates(&self, union: &Union) -> Result<(), Error> {
        let (burst, qps) = (union.get("kube-api-burst"), union.get("kube-api-qps"));
        let Some(FlagInput { at, .. }) = burst.or(qps) else { return Ok(()) };
        let burst_value = burst.and_then(|it| int(&it.value)).unwrap_or(DEFAULT_BURST);
        let qps_value = qps.and_then(|it| float(&it.value)).unwrap_or(DEFAULT_QPS);
        if crate::seeded!(EqualRatesAreRefused, burst_value as f32 >= qps_value, burst_value as f32 > qps_value) {
            return Ok(());
        }
        let hint = match (burst, qps) {
            (None, _) => Some(format!("`kube-api-burst` is {DEFAULT_BURST} when it is not given")),
            (_, None) => Some(format!("`kube-api-qps` is {DEFAULT_QPS} when it is not given")),
            _ => None,
        };
        let message = "the flag `kube-api-burst` must not be less than `kube-api-qps`";
        Err(Error::new(Code::BadFlagValue, message).at(at).maybe_hint(hint))
    }
}

fn component_named(name: &str) -> Result<Component, Error> {
    Component::ALL.iter().copied().find(|component| component.name() == name).ok_or_else(|| {
        let known: Vec<_> = Component::ALL.iter().map(|component| component.name()).collect();
        let message = format!("there is no component `{name}`");
        Error::new(Code::UnknownComponent, message).at(["component"]).hint(format!("one of: {}", known.join(", ")))
    })
}

/// The minor of a supported release `v1.minor.patch`: every patch release has the flags of its minor.
fn minor_of(version: Option<&str>) -> Result<u32, Error> {
    let latest = SUPPORTED.first().copied();
    let minor = version.map_or(latest, |version| {
        let (minor, patch) = version.strip_prefix("v1.")?.split_once('.')?;
        let is_number = patch.parse::<u32>().is_ok_and(|it| it.to_string() == patch);
        SUPPORTED.iter().copied().find(|it| is_number && it.to_string() == minor)
    });
    minor.ok_or_else(|| {
        let supported: Vec<_> = SUPPORTED.iter().map(|minor| format!("`v1.{minor}.0`")).collect();
        let hint = format!("supported: {}, and their patch releases", supported.join(" and "));
        let message = format!("the version `{}` is not supported", version.unwrap_or_default());
        Error::new(Code::UnsupportedVersion, message).at(["version"]).hint(hint)
    })
}

/// The text of a named flag's value, if the flag takes it.
///
/// # Errors
///
/// `bad-flag-value`.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::flags::flag_value;
/// use fleetfold_core::{object::kinds::flags::FlagType, value::path::Pointer};
///
/// let at = Pointer::of(["flags", "port"]);
/// assert_eq!(flag_value("port", FlagType::Int, &8080_i64.into(), &at)?, "8080");
/// assert!(flag_value("port", FlagType::Int, &"http".into(), &at).is_err());
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn flag_value(name: &str, takes: FlagType, value: &Value, at: &Pointer) -> Result<String, Error> {
    let value = written(name, takes, value, at)?;
    check_value(name, takes, &value, at)?;
    Ok(value)
}

/// A name that is one: no dashes in front, and no value behind.
pub(crate) fn check_name(name: &str, at: &Pointer) -> Result<(), Error> {
    let bare = name.trim_start_matches('-');
    let (bare, _) = bare.split_once('=').unwrap_or((bare, ""));
    if bare == name && !name.is_empty() {
        return Ok(());
    }
    let hint = match bare {
        "" => String::from("a flag is named without dashes, such as `v`"),
        bare => format!("a flag is named without dashes, and without its value: `{bare}`"),
    };
    Err(Error::new(Code::UnknownFlag, format!("`{name}` is not the name of a flag")).at(at).hint(hint))
}

/// `--name=value`, or `--name`.
fn split_argument<'a>(argument: &'a str, at: &Pointer) -> Result<(&'a str, Option<&'a str>), Error> {
    let (flag, value) = argument.split_once('=').map_or((argument, None), |(flag, value)| (flag, Some(value)));
    match flag.strip_prefix("--") {
        Some(name) if !name.is_empty() && !name.starts_with('-') => Ok((name, value)),
        _ => {
            let message = format!("the argument `{argument}` is not a flag");
            Err(Error::new(Code::UnknownFlag, message).at(at).hint("an argument is written `--name=value`"))
        }
    }
}

/// The text of a named flag's value. A boolean or a number in place of a string probably lacks quotes.
fn written(name: &str, takes: FlagType, value: &Value, at: &Pointer) -> Result<String, Error> {
    let numeric = matches!(
        takes,
        FlagType::Int
            | FlagType::PositiveInt
            | FlagType::Uint
            | FlagType::PositiveFloat
            | FlagType::Level
            | FlagType::Severity
    );
    match value {
        Value::Text(text) => return Ok(text.to_string()),
        Value::Bool(_) if takes == FlagType::Bool => return Ok(value.to_canonical()),
        Value::Number(_) if numeric => return Ok(value.to_canonical()),
        Value::List(items) if takes.repeatable() => {
            let mut texts = Vec::new();
            for (index, item) in items.iter().enumerate() {
                let at = || Pointer::of(at.segments().cloned().chain([index.to_string().into()]));
                texts.push(item.as_text().ok_or_else(|| bad_value(name, takes, item.kind(), &at()))?);
            }
            return Ok(join(takes, &texts));
        }
        _ => {}
    }
    let hint = match value {
        Value::Bool(_) | Value::Number(_) if takes == FlagType::Text => Some("put it in quotes".into()),
        Value::Null => Some("leave the flag out, or give it a value".into()),
        _ => None,
    };
    Err(bad_value(name, takes, value.kind(), at).maybe_hint(hint))
}

fn check_value(flag: &str, takes: FlagType, value: &str, at: &Pointer) -> Result<(), Error> {
    fit(takes, value).map_err(|why| match why {
        FlagError::Unreadable => bad_value(flag, takes, &format!("`{value}`"), at),
        FlagError::Unknown { name, known } => {
            let message = format!("the flag `{flag}` does not know `{name}`");
            Error::new(Code::BadFlagValue, message).at(at).hint(suggest(&name, known, "one of"))
        }
    })
}

fn bad_value(flag: &str, takes: FlagType, found: &str, at: &Pointer) -> Error {
    let message = format!("the flag `{flag}` takes {}, not {found}", wanted(takes));
    Error::new(Code::BadFlagValue, message).at(at)
}

/// What the operators do, nothing looked up: named flags are written out as the seed's does it, arguments are laid over
/// each other as OpenShift's does it.
///
/// # Errors
///
/// A named flag that is not the name of one.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::flags::{Flags, unchecked}};
///
/// let flags = Flags::Arguments(vec!["--v=4".into()]);
/// assert_eq!(unchecked(&flags, &["--v=2".into(), "--leader-elect".into()])?, ["--leader-elect", "--v=4"]);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn unchecked(flags: &Flags, base: &[Text]) -> Result<Vec<String>, Error> {
    let mut arguments: Vec<String> = base.iter().map(Text::to_string).collect();
    match flags {
        Flags::Arguments(flags) => arguments.extend(flags.iter().map(Text::to_string)),
        Flags::Named(flags) => {
            for (name, value) in flags.iter() {
                check_name(name, &Pointer::of(["flags", name]))?;
                arguments.extend(plain(value).map(|value| format!("--{name}={value}")));
            }
        }
    }
    let mut union = SortedMap::new();
    for argument in arguments.iter().filter(|argument| !argument.is_empty()) {
        let (flag, value) = argument.split_once('=').unwrap_or((argument, ""));
        union.insert(flag, value);
    }
    let written = |(flag, value): (&str, &str)| if value.is_empty() { flag.into() } else { format!("{flag}={value}") };
    let mut arguments: Vec<String> = union.into_iter().map(written).collect();
    sort(&mut arguments);
    Ok(arguments)
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Map(_) => None,
        Value::Bool(_) | Value::Number(_) => Some(value.to_canonical()),
        Value::Text(text) => Some(text.to_string()),
        Value::List(items) => Some(items.iter().filter_map(plain).collect::<Vec<_>>().join(",")),
    }
}
