//! YAML that kubectl reads back as the same values.
//!
//! 1. Maps and lists are written as blocks, lists at the indentation of their key, empty ones as `{}` and `[]`.
//! 2. A string is plain only if no parser could read it as another type; otherwise it is quoted.
//! 3. A string of several lines is a literal block if that preserves every byte.

use std::fmt::Write;

use fleetfold_core::Value;

use super::json::write_number;
use super::style::is_hidden;

/// One document, without a `---`.
pub fn document(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::List(items) if !items.is_empty() => block(value, 0, false, &mut out),
        Value::Map(map) if !map.is_empty() => block(value, 0, false, &mut out),
        scalar => {
            leaf(scalar, 0, &mut out);
            out.push('\n');
        }
    }
    out
}

/// Whether a string can be plain: it starts with a letter or a slash, has no characters with a meaning in YAML, and is
/// not a word for another value.
pub fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let mut last = ' ';
    for char in text.chars() {
        let fits = match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '/' => true,
            '.' | '_' | '-' | '(' | ')' | '+' | '@' | '=' | ';' | '<' | '>' | '$' | '^' | '~' => last != ' ',
            // A colon before a space ends a key; repeated spaces are easily lost.
            ' ' => last != ' ' && last != ':',
            ':' => last != ' ' && last != ':',
            _ => false,
        };
        if !fits {
            return false;
        }
        last = char;
    }
    let starts = text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '/');
    starts && !matches!(last, ' ' | ':') && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Writes a non-empty list or map. `started`: the first line is already indented.
fn block(value: &Value, indent: usize, mut started: bool, out: &mut String) {
    let mut margin = |out: &mut String| {
        if !std::mem::take(&mut started) {
            out.push_str(&" ".repeat(indent));
        }
    };
    match value {
        Value::List(items) => {
            for item in items.iter() {
                margin(out);
                out.push_str("- ");
                entry(item, indent, true, out);
            }
        }
        Value::Map(map) => {
            for (key, item) in map.iter() {
                margin(out);
                write_key(key, indent, out);
                entry(item, indent, false, out);
            }
        }
        scalar => leaf(scalar, indent, out),
    }
}

/// Writes the value after a `- ` or a `key:`.
fn entry(value: &Value, indent: usize, in_list: bool, out: &mut String) {
    let is_block = matches!(value, Value::List(_) | Value::Map(_)) && !value.is_empty();
    match (is_block, in_list) {
        (true, true) => block(value, indent + 2, true, out),
        (true, false) => {
            out.push('\n');
            // A list has the indentation of its key.
            let deeper = if value.as_list().is_some() { indent } else { indent + 2 };
            block(value, deeper, false, out);
        }
        (false, _) => {
            if !in_list {
                out.push(' ');
            }
            leaf(value, indent + 2, out);
            out.push('\n');
        }
    }
}

/// A key with its colon. Parsers limit the length of a simple key.
fn write_key(key: &str, indent: usize, out: &mut String) {
    const SIMPLE: usize = 128;
    let mut written = String::new();
    if is_plain(key) {
        written.push_str(key);
    } else {
        quoted(key, &mut written);
    }
    if written.chars().count() <= SIMPLE {
        out.push_str(&written);
    } else {
        out.push_str("? ");
        out.push_str(&written);
        out.push('\n');
        out.push_str(&" ".repeat(indent));
    }
    out.push(':');
}

fn leaf(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
        Value::Number(number) => write_number(*number, out),
        Value::Text(text) if is_plain(text) => out.push_str(text),
        Value::Text(text) if is_literal(text) && indent > 0 => literal(text, indent, out),
        Value::Text(text) => quoted(text, out),
        Value::List(_) => out.push_str("[]"),
        Value::Map(_) => out.push_str("{}"),
    }
}

/// Whether a literal block preserves the text: it has several lines, the first one shows the indentation, the last one
/// ends with at most one line break, and no character is a line break or invalid in YAML.
fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.ends_with('\n')
        && !text.starts_with([' ', '\n', '\t'])
        && !body.ends_with([' ', '\t'])
        && !text.chars().any(|it| it != '\n' && it != '\t' && is_special(it))
}

fn literal(text: &str, indent: usize, out: &mut String) {
    out.push_str(if text.ends_with('\n') { "|" } else { "|-" });
    for line in text.lines() {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(&" ".repeat(indent));
            out.push_str(line);
        }
    }
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if is_special(char) => {
                let code = u32::from(char);
                let _ = if code <= 0xffff { write!(out, "\\u{code:04x}") } else { write!(out, "\\U{code:08x}") };
            }
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// Whether YAML does not count a character as printable, or it is invisible.
fn is_special(char: char) -> bool {
    is_hidden(char) || matches!(u32::from(char) & 0xffff, 0xfffe | 0xffff)
}

#[cfg(test)]
mod tests;
