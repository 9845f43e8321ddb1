//! Colours for terminals, and text that is safe to print on one.

use std::env;
use std::fmt::Write;
use std::io::IsTerminal;

use clap::ValueEnum;
use fleetfold_core::yaml::is_invisible;

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Blue,
}

/// Colours text, unless colours are off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    on: bool,
}

impl Palette {
    #[cfg(test)]
    pub const PLAIN: Palette = Palette { on: false };

    pub fn new(color: Color, stream: &impl IsTerminal) -> Palette {
        let set = |name: &str| env::var_os(name).is_some_and(|it| !it.is_empty());
        let on = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                stream.is_terminal() && !set("NO_COLOR") && env::var_os("TERM").is_none_or(|it| it != "dumb")
            }
        };
        Palette { on }
    }

    pub fn paint(self, ink: Ink, text: &str) -> String {
        if !self.on || text.is_empty() {
            return text.to_owned();
        }
        let code = match ink {
            Ink::Bold => "1",
            Ink::Dim => "2",
            Ink::Red => "1;31",
            Ink::Green => "32",
            Ink::Yellow => "1;33",
            Ink::Blue => "1;34",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// The text on one line, with control and bidirectional characters escaped.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if is_invisible(char) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(char));
            }
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_move_the_cursor() {
        assert_eq!(clean("a\u{1b}[2Jb\nc\u{202e}d\u{e9}"), "a\\u{1b}[2Jb\\nc\\u{202e}d\u{e9}");
    }

    #[test]
    fn plain_is_plain() {
        assert_eq!(Palette::PLAIN.paint(Ink::Red, "x"), "x");
        assert_eq!(Palette { on: true }.paint(Ink::Red, "x"), "\u{1b}[1;31mx\u{1b}[0m");
        assert_eq!(Palette { on: true }.paint(Ink::Red, ""), "");
    }
}
