//! The table of operators, functions and methods, with their parameter and result types.

use super::CelError;
use super::parse::FORMS;
use fleetfold_value::value::Position;
use fleetfold_value::value::suggest::did_you_mean;

/// How a function is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Style {
    /// `-a`
    Prefix,
    /// `a + b`
    Infix,
    /// `f(a)`
    Global,
    /// `a.f()`
    Member,
}

/// The operation behind all overloads of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    Not,
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Index,
    Size,
    ToInt,
    ToUint,
    ToDouble,
    ToText,
    ToBool,
    ToDyn,
    TypeOf,
    Contains,
    StartsWith,
    EndsWith,
    Matches,
    CharAt,
    IndexOf,
    LastIndexOf,
    LowerAscii,
    UpperAscii,
    Trim,
    Reverse,
    Quote,
    Replace,
    Split,
    Substring,
    Join,
    Format,
}

/// One overload.
///
/// A letter is a type: `b`ool, `i`nt, `u`int, `d`ouble, `s`tring, `t`ype; `A` and `B` types that must be the same
/// throughout, `L` a list of `A`, `M` a map from `A` to `B`, `S` a list of strings, `D` a list of anything, `*`
/// anything, `N` any number. `y` bytes, `r` durations and `p` timestamps are not supported, but the check depends on
/// them: null fits a time, and the first row that fits settles a type that is not known yet. So the rows keep cel-go's
/// order.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) style: Style,
    pub(super) takes: &'static str,
    pub(super) gives: char,
    op: Op,
}

const fn row(name: &'static str, style: Style, takes: &'static str, gives: char, op: Op) -> Row {
    Row { name, style, takes, gives, op }
}

use Style::{Global, Infix, Member, Prefix};

const ROWS: &[Row] = &[
    row("!", Prefix, "b", 'b', Op::Not),
    row("-", Prefix, "d", 'd', Op::Negate),
    row("-", Prefix, "i", 'i', Op::Negate),
    row("+", Infix, "yy", 'y', Op::Add),
    row("+", Infix, "dd", 'd', Op::Add),
    row("+", Infix, "rr", 'r', Op::Add),
    row("+", Infix, "rp", 'p', Op::Add),
    row("+", Infix, "pr", 'p', Op::Add),
    row("+", Infix, "ii", 'i', Op::Add),
    row("+", Infix, "LL", 'L', Op::Add),
    row("+", Infix, "ss", 's', Op::Add),
    row("+", Infix, "uu", 'u', Op::Add),
    row("-", Infix, "dd", 'd', Op::Subtract),
    row("-", Infix, "rr", 'r', Op::Subtract),
    row("-", Infix, "ii", 'i', Op::Subtract),
    row("-", Infix, "pr", 'p', Op::Subtract),
    row("-", Infix, "pp", 'r', Op::Subtract),
    row("-", Infix, "uu", 'u', Op::Subtract),
    row("*", Infix, "dd", 'd', Op::Multiply),
    row("*", Infix, "ii", 'i', Op::Multiply),
    row("*", Infix, "uu", 'u', Op::Multiply),
    row("/", Infix, "dd", 'd', Op::Divide),
    row("/", Infix, "ii", 'i', Op::Divide),
    row("/", Infix, "uu", 'u', Op::Divide),
    row("%", Infix, "ii", 'i', Op::Remainder),
    row("%", Infix, "uu", 'u', Op::Remainder),
    row("==", Infix, "AA", 'b', Op::Equal),
    row("!=", Infix, "AA", 'b', Op::Unequal),
    row("<", Infix, "bb", 'b', Op::Less),
    row("<", Infix, "ii", 'b', Op::Less),
    row("<", Infix, "uu", 'b', Op::Less),
    row("<", Infix, "dd", 'b', Op::Less),
    row("<", Infix, "ss", 'b', Op::Less),
    row("<", Infix, "yy", 'b', Op::Less),
    row("<", Infix, "pp", 'b', Op::Less),
    row("<", Infix, "rr", 'b', Op::Less),
    row("<", Infix, "NN", 'b', Op::Less),
    row("<=", Infix, "bb", 'b', Op::LessOrEqual),
    row("<=", Infix, "ii", 'b', Op::LessOrEqual),
    row("<=", Infix, "uu", 'b', Op::LessOrEqual),
    row("<=", Infix, "dd", 'b', Op::LessOrEqual),
    row("<=", Infix, "ss", 'b', Op::LessOrEqual),
    row("<=", Infix, "yy", 'b', Op::LessOrEqual),
    row("<=", Infix, "pp", 'b', Op::LessOrEqual),
    row("<=", Infix, "rr", 'b', Op::LessOrEqual),
    row("<=", Infix, "NN", 'b', Op::LessOrEqual),
    row(">", Infix, "bb", 'b', Op::Greater),
    row(">", Infix, "ii", 'b', Op::Greater),
    row(">", Infix, "uu", 'b', Op::Greater),
    row(">", Infix, "dd", 'b', Op::Greater),
    row(">", Infix, "ss", 'b', Op::Greater),
    row(">", Infix, "yy", 'b', Op::Greater),
    row(">", Infix, "pp", 'b', Op::Greater),
    row(">", Infix, "rr", 'b', Op::Greater),
    row(">", Infix, "NN", 'b', Op::Greater),
    row(">=", Infix, "bb", 'b', Op::GreaterOrEqual),
    row(">=", Infix, "ii", 'b', Op::GreaterOrEqual),
    row(">=", Infix, "uu", 'b', Op::GreaterOrEqual),
    row(">=", Infix, "dd", 'b', Op::GreaterOrEqual),
    row(">=", Infix, "ss", 'b', Op::GreaterOrEqual),
    row(">=", Infix, "yy", 'b', Op::GreaterOrEqual),
    row(">=", Infix, "pp", 'b', Op::GreaterOrEqual),
    row(">=", Infix, "rr", 'b', Op::GreaterOrEqual),
    row(">=", Infix, "NN", 'b', Op::GreaterOrEqual),
    row("in", Infix, "AL", 'b', Op::In),
    row("in", Infix, "AM", 'b', Op::In),
    row("[]", Infix, "Li", 'A', Op::Index),
    row("[]", Infix, "MA", 'B', Op::Index),
    row("size", Global, "y", 'i', Op::Size),
    row("size", Global, "L", 'i', Op::Size),
    row("size", Global, "M", 'i', Op::Size),
    row("size", Global, "s", 'i', Op::Size),
    row("size", Member, "y", 'i', Op::Size),
    row("size", Member, "L", 'i', Op::Size),
    row("size", Member, "M", 'i', Op::Size),
    row("size", Member, "s", 'i', Op::Size),
    row("int", Global, "i", 'i', Op::ToInt),
    row("int", Global, "d", 'i', Op::ToInt),
    row("int", Global, "r", 'i', Op::ToInt),
    row("int", Global, "s", 'i', Op::ToInt),
    row("int", Global, "p", 'i', Op::ToInt),
    row("int", Global, "u", 'i', Op::ToInt),
    row("uint", Global, "u", 'u', Op::ToUint),
    row("uint", Global, "d", 'u', Op::ToUint),
    row("uint", Global, "i", 'u', Op::ToUint),
    row("uint", Global, "s", 'u', Op::ToUint),
    row("double", Global, "d", 'd', Op::ToDouble),
    row("double", Global, "i", 'd', Op::ToDouble),
    row("double", Global, "s", 'd', Op::ToDouble),
    row("double", Global, "u", 'd', Op::ToDouble),
    row("string", Global, "s", 's', Op::ToText),
    row("string", Global, "b", 's', Op::ToText),
    row("string", Global, "y", 's', Op::ToText),
    row("string", Global, "d", 's', Op::ToText),
    row("string", Global, "r", 's', Op::ToText),
    row("string", Global, "i", 's', Op::ToText),
    row("string", Global, "p", 's', Op::ToText),
    row("string", Global, "u", 's', Op::ToText),
    row("bool", Global, "b", 'b', Op::ToBool),
    row("bool", Global, "s", 'b', Op::ToBool),
    row("dyn", Global, "A", '*', Op::ToDyn),
    row("type", Global, "A", 't', Op::TypeOf),
    row("contains", Member, "ss", 'b', Op::Contains),
    row("startsWith", Member, "ss", 'b', Op::StartsWith),
    row("endsWith", Member, "ss", 'b', Op::EndsWith),
    row("matches", Member, "ss", 'b', Op::Matches),
    row("matches", Global, "ss", 'b', Op::Matches),
    row("charAt", Member, "si", 's', Op::CharAt),
    row("indexOf", Member, "ss", 'i', Op::IndexOf),
    row("indexOf", Member, "ssi", 'i', Op::IndexOf),
    row("lastIndexOf", Member, "ss", 'i', Op::LastIndexOf),
    row("lastIndexOf", Member, "ssi", 'i', Op::LastIndexOf),
    row("lowerAscii", Member, "s", 's', Op::LowerAscii),
    row("upperAscii", Member, "s", 's', Op::UpperAscii),
    row("trim", Member, "s", 's', Op::Trim),
    row("reverse", Member, "s", 's', Op::Reverse),
    row("strings.quote", Global, "s", 's', Op::Quote),
    row("replace", Member, "sss", 's', Op::Replace),
    row("replace", Member, "sssi", 's', Op::Replace),
    row("split", Member, "ss", 'S', Op::Split),
    row("split", Member, "ssi", 'S', Op::Split),
    row("substring", Member, "si", 's', Op::Substring),
    row("substring", Member, "sii", 's', Op::Substring),
    row("join", Member, "S", 's', Op::Join),
    row("join", Member, "Ss", 's', Op::Join),
    row("format", Member, "sD", 's', Op::Format),
];

/// Functions of cel-go that are not supported.
const ABSENT: &[&str] = &[
    "bytes",
    "duration",
    "timestamp",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getSeconds",
];

/// The overloads of one name.
pub(super) fn overloads(name: &str, style: Style) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |it| it.style == style && it.name == name)
}

pub(super) fn is_known(name: &str, style: Style) -> bool {
    overloads(name, style).next().is_some()
}

/// The operation of a call, if a function has this name and number of arguments.
pub(super) fn find(name: &str, style: Style, arguments: usize, at: Position) -> Result<Op, CelError> {
    if let Some(row) = overloads(name, style).find(|it| it.takes.len() == arguments) {
        return Ok(row.op);
    }
    if is_known(name, style) {
        return Err(CelError::bad(format!("`{name}` takes another number of arguments"), at));
    }
    if ABSENT.contains(&name) {
        return Err(CelError::bad(format!("`{name}` is not supported"), at));
    }
    let error = CelError::bad(format!("there is no function `{name}`"), at);
    if is_known(name, Member) {
        return Err(error.hint(format!("it is a method: write `text.{name}(…)`")));
    }
    if is_known(name, Global) {
        return Err(error.hint(format!("it is a function: write `{name}(…)`")));
    }
    let macros = FORMS.iter().map(|(name, _)| (*name, Member)).chain([("has", Global)]);
    let names = ROWS.iter().map(|it| (it.name, it.style)).chain(macros);
    let hint = did_you_mean(name, names.filter(|(_, it)| *it == style).map(|(name, _)| name));
    Err(CelError { hint, ..error })
}
