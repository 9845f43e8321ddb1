//! Option paths: how Helm's `--set` names a place in a tree.

use std::fmt;

use super::{PathError, Pointer};
use crate::value::Text;

/// The highest index an option path may name: beyond it a typo would ask for a list of millions.
const MAX_INDEX: usize = 65_536;

/// The name of a plugin option: keys joined by dots, `[n]` for the n-th element of a list, `\` before a dot, bracket or
/// backslash that belongs to a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OptionPath(Vec<OptionStep>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptionStep {
    Key(Text),
    Index(usize),
}

impl OptionPath {
    /// # Errors
    ///
    /// A path starts with a key, no key is empty, an index is a number up to 65,536 in closed brackets.
    pub fn parse(text: &str) -> Result<OptionPath, PathError> {
        // Most options are one plain key.
        if !text.is_empty() && !text.bytes().any(is_special) {
            return Ok(OptionPath(vec![OptionStep::Key(text.into())]));
        }
        let mut steps = Vec::new();
        let mut key = Some(String::new());
        let mut chars = text.chars().enumerate().peekable();
        let mut end = 0;
        while let Some((at, char)) = chars.next() {
            end = at + 1;
            match char {
                '.' => {
                    close(&mut steps, key.replace(String::new()), at)?;
                }
                '[' => {
                    close(&mut steps, key.take(), at)?;
                    let digits: String =
                        std::iter::from_fn(|| chars.next_if(|(_, it)| *it != ']')).map(|(_, it)| it).collect();
                    let index = digits.parse().ok().filter(|index| *index <= MAX_INDEX);
                    let (Some(index), Some(_)) = (index, chars.next()) else {
                        let hint = format!(
                            "write a number up to {MAX_INDEX} between `[` and `]`, or `\\[` for a key that has a \
                             bracket"
                        );
                        return Err(PathError::new("not an index", at).hint(hint));
                    };
                    steps.push(OptionStep::Index(index));
                }
                _ => {
                    let char = match char {
                        '\\' => match chars.next() {
                            Some((_, escaped)) => escaped,
                            None => return Err(PathError::new("nothing follows the last `\\`", at)),
                        },
                        _ => char,
                    };
                    match &mut key {
                        Some(key) => key.push(char),
                        None => return Err(PathError::new("a dot or the end must follow `]`", at)),
                    }
                }
            }
        }
        close(&mut steps, key, end)?;
        Ok(OptionPath(steps))
    }

    /// Appends a key, escaped for a path.
    pub fn write_key(key: &str, out: &mut String) {
        if !key.bytes().any(is_special) {
            return out.push_str(key);
        }
        for char in key.chars() {
            if matches!(char, '.' | '[' | '\\') {
                out.push('\\');
            }
            out.push(char);
        }
    }

    pub fn steps(&self) -> &[OptionStep] {
        &self.0
    }

    /// The place of the option in the tree of all options.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_value::value::path::OptionPath;
    ///
    /// let path = OptionPath::parse("ingress.hosts[0].name").unwrap();
    /// assert_eq!(path.pointer().to_string(), "/ingress/hosts/0/name");
    /// ```
    pub fn pointer(&self) -> Pointer {
        Pointer::of(self.0.iter().map(|step| match step {
            OptionStep::Key(key) => key.clone(),
            OptionStep::Index(index) => index.to_string().into(),
        }))
    }
}

/// Whether a byte means something in a path. A `]` alone does not.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'.' | b'[' | b'\\')
}

/// Ends a key. After an index there is none to end.
fn close(steps: &mut Vec<OptionStep>, key: Option<String>, at: usize) -> Result<(), PathError> {
    match key {
        None => Ok(()),
        Some(key) if key.is_empty() => Err(PathError::new("an empty key", at)),
        Some(key) => {
            steps.push(OptionStep::Key(key.into()));
            Ok(())
        }
    }
}

impl fmt::Display for OptionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                OptionStep::Index(index) => write!(f, "[{index}]")?,
                OptionStep::Key(key) => {
                    if at > 0 {
                        f.write_str(".")?;
                    }
                    let mut written = String::new();
                    OptionPath::write_key(key, &mut written);
                    f.write_str(&written)?;
                }
            }
        }
        Ok(())
    }
}

/// Reads what `Display` prints.
///
/// ```
/// use fleetfold_value::value::path::OptionPath;
///
/// let host: OptionPath = r"ingress.hosts[0].annotations.example\.com/team".parse()?;
/// assert_eq!(host.pointer().to_string(), "/ingress/hosts/0/annotations/example.com~1team");
/// assert_eq!(host.to_string(), r"ingress.hosts[0].annotations.example\.com/team");
/// # Ok::<(), fleetfold_value::value::path::PathError>(())
/// ```
impl std::str::FromStr for OptionPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<OptionPath, PathError> {
        OptionPath::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn round(text: &str, steps: usize) {
        let path = OptionPath::parse(text).unwrap();
        assert_eq!((path.to_string().as_str(), path.steps().len()), (text, steps));
    }

    #[track_caller]
    fn refuses(text: &str, offset: usize) {
        assert_eq!(OptionPath::parse(text).unwrap_err().offset, offset, "{text}");
    }

    #[test]
    fn paths_print_back() {
        round("image.tag", 2);
        round("hosts[0].name", 3);
        round("matrix[1][2]", 3);
        round(r"annotations.a\.b/c", 2);
        round(r"odd\[key\\", 1);
    }

    #[test]
    fn a_bad_path_says_where() {
        refuses("", 0);
        refuses("a..b", 2);
        refuses("a.", 2);
        refuses("a[x]", 1);
        refuses("a[0", 1);
        refuses("a[0]b", 4);
        refuses("a[65537]", 1);
        refuses("a\\", 1);
        refuses("[0]", 0);
    }
}
