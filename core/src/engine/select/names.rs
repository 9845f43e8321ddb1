//! The names of clusters that a selector lists.

use std::ops::Deref;

use crate::value::Text;
use crate::value::sorting::sort;

/// Names in the order in which they were written, and found by search: a long list is not walked for every cluster.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::select::Names;
///
/// let names = Names::from(vec!["us-1".into(), "eu-1".into()]);
/// assert!(names.contains("eu-1") && !names.contains("eu-2"));
/// assert_eq!(names.first().unwrap(), "us-1");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    written: Vec<Text>,
    /// Empty where there are few: those are compared one by one.
    sorted: Vec<Text>,
}

/// Up to so many names are compared one by one.
const FEW: usize = 8;

impl Names {
    pub fn contains(&self, name: &str) -> bool {
        match self.sorted.is_empty() {
            true => self.written.iter().any(|it| it == name),
            false => self.sorted.binary_search_by(|it| it.as_str().cmp(name)).is_ok(),
        }
    }
}

impl From<Vec<Text>> for Names {
    fn from(written: Vec<Text>) -> Names {
        let mut sorted = Vec::new();
        if written.len() > FEW {
            sorted.clone_from(&written);
            sort(&mut sorted);
        }
        Names { written, sorted }
    }
}

impl Deref for Names {
    type Target = [Text];

    fn deref(&self) -> &[Text] {
        &self.written
    }
}

impl IntoIterator for Names {
    type Item = Text;
    type IntoIter = std::vec::IntoIter<Text>;

    fn into_iter(self) -> Self::IntoIter {
        self.written.into_iter()
    }
}

impl<'a> IntoIterator for &'a Names {
    type Item = &'a Text;
    type IntoIter = std::slice::Iter<'a, Text>;

    fn into_iter(self) -> Self::IntoIter {
        self.written.iter()
    }
}
