//! The functions on strings: those of CEL, and those of cel-go's extension. Positions count characters.

use super::Budget;
use super::datum::Datum;
use super::functions::Op;
use super::pattern;
use fleetfold_value::value::sorting::sort_by;

use Datum::{Bool, Double, Int, List, Map, Text, Uint};

/// `None` if the function does not take arguments of these types.
pub(super) fn apply(op: Op, arguments: &[Datum], budget: &mut Budget) -> Result<Option<Datum>, String> {
    if let (Op::Join, [list, rest @ ..]) = (op, arguments) {
        return match rest {
            [] => join(list, "", budget),
            [Text(between)] => join(list, between, budget),
            _ => Ok(None),
        };
    }
    let [Text(text), rest @ ..] = arguments else { return Ok(None) };
    Ok(Some(match (op, rest) {
        (Op::Contains, [Text(part)]) => Bool(text.contains(part.as_str())),
        (Op::StartsWith, [Text(part)]) => Bool(text.starts_with(part.as_str())),
        (Op::EndsWith, [Text(part)]) => Bool(text.ends_with(part.as_str())),
        (Op::Matches, [Text(written)]) => Bool(pattern::matches(text, written, budget)?),
        (Op::LowerAscii, []) => Datum::text(text.to_ascii_lowercase()),
        (Op::UpperAscii, []) => Datum::text(text.to_ascii_uppercase()),
        (Op::Trim, []) => Datum::text(text.trim()),
        (Op::Reverse, []) => {
            budget.spend_characters(text.len())?;
            Datum::text(text.chars().rev().collect::<String>())
        }
        (Op::Quote, []) => {
            budget.spend_characters(text.len())?;
            Datum::text(quoted(text))
        }
        (Op::CharAt, [Int(at)]) => {
            let start = byte_at(text, *at)?;
            Datum::text(text.get(start..).unwrap_or_default().chars().take(1).collect::<String>())
        }
        (Op::Substring, [Int(start)]) => Datum::text(text.get(byte_at(text, *start)?..).unwrap_or_default()),
        (Op::Substring, [Int(start), Int(end)]) => {
            let range = byte_at(text, *start)?..byte_at(text, *end)?;
            Datum::text(text.get(range).ok_or("the range ends before it starts")?)
        }
        (Op::IndexOf, [Text(part)]) => Int(index_of(text, part, 0)?),
        (Op::IndexOf, [Text(part), Int(from)]) => Int(index_of(text, part, *from)?),
        (Op::LastIndexOf, [Text(part)]) => {
            let len = characters(text);
            Int(if part.is_empty() { len } else { last_index_of(text, part, len.saturating_sub(1).max(0), budget)? })
        }
        (Op::LastIndexOf, [Text(part), Int(from)]) => Int(last_index_of(text, part, *from, budget)?),
        (Op::Replace, [Text(old), Text(new)]) => replace(text, old, new, -1, budget)?,
        (Op::Replace, [Text(old), Text(new), Int(most)]) => replace(text, old, new, *most, budget)?,
        (Op::Split, [Text(by)]) => split(text, by, -1, budget)?,
        (Op::Split, [Text(by), Int(most)]) => split(text, by, *most, budget)?,
        (Op::Format, [list]) => match list.clone().open(budget)? {
            List(items) => format(text, &items, budget)?,
            _ => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

fn characters(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

/// The byte offset of a character. The end of the text is a valid position.
fn byte_at(text: &str, at: i64) -> Result<usize, String> {
    let starts = text.char_indices().map(|(start, _)| start).chain([text.len()]);
    let found = usize::try_from(at).ok().and_then(|at| starts.into_iter().nth(at));
    found.ok_or_else(|| "the place is outside of the string".into())
}

fn index_of(text: &str, part: &str, from: i64) -> Result<i64, String> {
    // As in cel-go, an empty string is found at every position, even past the end.
    if part.is_empty() {
        return Ok(from);
    }
    if from >= characters(text) {
        return Ok(-1);
    }
    let start = byte_at(text, from)?;
    let found = text.get(start..).and_then(|it| it.find(part)).map(|it| it.saturating_add(start));
    Ok(found.and_then(|it| text.get(..it)).map_or(-1, characters))
}

fn last_index_of(text: &str, part: &str, from: i64, budget: &mut Budget) -> Result<i64, String> {
    if part.is_empty() {
        return Ok(from);
    }
    if from < 0 {
        return Err("the place is outside of the string".into());
    }
    let last = usize::try_from(from).unwrap_or(usize::MAX);
    if last >= text.chars().count() {
        return Ok(-1);
    }
    budget.spend_product(text.len(), part.len(), 64)?;
    let starts_here = |(start, _): &(usize, char)| text.get(*start..).is_some_and(|it| it.starts_with(part));
    let found = text.char_indices().take(last.saturating_add(1)).filter(starts_here).last();
    Ok(found.and_then(|(start, _)| text.get(..start)).map_or(-1, characters))
}

/// Replaces up to `most` occurrences, or all if that is negative. An empty string occurs before, between and after all
/// characters.
fn replace(text: &str, old: &str, new: &str, most: i64, budget: &mut Budget) -> Result<Datum, String> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let count = text.matches(old).take(most).count();
    budget.spend_text(count.saturating_mul(new.len()).saturating_add(text.len()))?;
    Ok(Datum::text(text.replacen(old, new, most)))
}

/// Splits into up to `most` parts with the rest in the last one, or into all if that is negative. An empty separator
/// splits between all characters.
fn split(text: &str, by: &str, most: i64, budget: &mut Budget) -> Result<Datum, String> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut parts = Vec::new();
    let mut rest = Some(text).filter(|it| most > 0 && !(it.is_empty() && by.is_empty()));
    while let Some(it) = rest {
        budget.spend(1)?;
        let first = it.chars().next().map_or(0, char::len_utf8);
        let cut = match by.is_empty() {
            true => Some((first, first)).filter(|_| first < it.len()),
            false => it.find(by).map(|at| (at, at.saturating_add(by.len()))),
        };
        let cut = cut.filter(|_| parts.len().saturating_add(1) < most);
        let end = cut.map_or(it.len(), |(end, _)| end);
        parts.push(Datum::text(it.get(..end).unwrap_or_default()));
        rest = cut.and_then(|(_, next)| it.get(next..));
    }
    Ok(Datum::list(parts))
}

fn join(list: &Datum, between: &str, budget: &mut Budget) -> Result<Option<Datum>, String> {
    let List(items) = list.clone().open(budget)? else { return Ok(None) };
    let mut joined = String::new();
    for (at, item) in items.iter().enumerate() {
        let Text(text) = item else { return Ok(None) };
        budget.spend_text(text.len().saturating_add(between.len()).saturating_add(16))?;
        if at > 0 {
            joined.push_str(between);
        }
        joined.push_str(text);
    }
    Ok(Some(Datum::text(joined)))
}

/// A CEL literal in double quotes.
fn quoted(text: &str) -> String {
    const ESCAPES: &[(char, &str)] = &[
        ('\u{7}', "\\a"),
        ('\u{8}', "\\b"),
        ('\u{c}', "\\f"),
        ('\n', "\\n"),
        ('\r', "\\r"),
        ('\t', "\\t"),
        ('\u{b}', "\\v"),
        ('\\', "\\\\"),
        ('"', "\\\""),
    ];
    let mut quoted = String::from("\"");
    for it in text.chars() {
        match ESCAPES.iter().find(|(escaped, _)| *escaped == it) {
            Some((_, escape)) => quoted.push_str(escape),
            None => quoted.push(it),
        }
    }
    quoted.push('"');
    quoted
}

/// The parts of a format: a text and the clause behind it. `%s` takes anything, `%d` a number, `%%` is a percent sign.
pub(super) fn clauses(format: &str) -> Result<Vec<(String, Option<char>)>, String> {
    let (mut parts, mut text) = (Vec::new(), String::new());
    let mut rest = format.chars();
    while let Some(it) = rest.next() {
        match it {
            '%' => match rest.next() {
                Some('%') => text.push('%'),
                Some(clause @ ('s' | 'd')) => parts.push((std::mem::take(&mut text), Some(clause))),
                Some(other) => return Err(format!("`%{other}` is not supported in a format")),
                None => return Err("the format ends in `%`".into()),
            },
            other => text.push(other),
        }
    }
    parts.push((text, None));
    Ok(parts)
}

fn format(text: &str, items: &[Datum], budget: &mut Budget) -> Result<Datum, String> {
    budget.spend_characters(text.len())?;
    let mut items = items.iter();
    let mut filled = String::new();
    for (before, clause) in clauses(text)? {
        filled.push_str(&before);
        let Some(clause) = clause else { break };
        let item = items.next().ok_or("the format has more places than the list has items")?;
        if clause == 'd' && !matches!(item, Int(_) | Uint(_) | Double(_)) {
            return Err(format!("`%d` does not take {}", item.kind()));
        }
        write(item, &mut filled, budget)?;
    }
    budget.spend_text(filled.len())?;
    Ok(Datum::text(filled))
}

/// Formats a value: strings without quotes, maps sorted by key.
fn write(item: &Datum, out: &mut String, budget: &mut Budget) -> Result<(), String> {
    budget.spend(1)?;
    match item.clone().open(budget)? {
        Datum::Null => out.push_str("null"),
        Datum::Type(name) => out.push_str(name),
        Double(it) if it.is_nan() => out.push_str("NaN"),
        Double(it) if it.is_infinite() => out.push_str(if it > 0.0 { "Infinity" } else { "-Infinity" }),
        Double(it) => {
            // Up to 326 characters.
            let written = it.to_string();
            budget.spend_text(written.len())?;
            out.push_str(&written);
        }
        Text(text) => {
            budget.spend_text(text.len())?;
            out.push_str(&text);
        }
        List(items) => {
            out.push('[');
            for (at, it) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write(it, out, budget)?;
            }
            out.push(']');
        }
        Map(entries) => {
            let mut sorted: Vec<_> = entries.iter().map(|(key, value)| (key.written(), value)).collect();
            sort_by(&mut sorted, |(a, _), (b, _)| a.cmp(b));
            out.push('{');
            for (at, (key, value)) in sorted.into_iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                let key = key.ok_or("a key that is null cannot be written")?;
                budget.spend_text(key.len())?;
                out.push_str(&key);
                out.push_str(": ");
                write(value, out, budget)?;
            }
            out.push('}');
        }
        other => out.push_str(&other.written().unwrap_or_default()),
    }
    Ok(())
}
