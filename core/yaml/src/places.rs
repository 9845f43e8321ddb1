//! Where each value and each key of a document stood in its text.

use fleetfold_value::value::Position;
use fleetfold_value::value::path::Pointer;

/// Answers the line and column of any value and key of one document.
///
/// A fleet holds many documents, so an entry is 24 bytes, whatever its path: pointers are kept as 64-bit hashes in one
/// sorted list. (A document crafted so that two of its pointers meet in one hash gets a wrong line number for one of
/// them, and nothing else.) Below an alias and for merged keys there is one entry, where the alias or the merge stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    entries: Box<[Entry]>,
    /// Where texts stand that are written line by line below a `|`.
    literals: Box<[Position]>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    path: Path,
    value: Position,
    /// Line zero where there is no key: the document itself, and elements of lists.
    key: Position,
}

impl Places {
    /// Where the value at this pointer starts.
    pub fn value(&self, pointer: &Pointer) -> Option<Position> {
        self.find(Path::of(pointer)).map(|entry| entry.value)
    }

    /// Where the key of the value at this pointer starts; nothing for elements of a list.
    pub fn key(&self, pointer: &Pointer) -> Option<Position> {
        self.find(Path::of(pointer)).map(|entry| entry.key).filter(|key| key.line > 0)
    }

    /// Where the value starts, or the innermost value around it that the text has.
    pub fn nearest(&self, pointer: &Pointer) -> Option<Position> {
        let mut pointer = pointer.clone();
        loop {
            if let Some(place) = self.value(&pointer) {
                return Some(place);
            }
            pointer.pop()?;
        }
    }

    /// Where the lines of a text start, if it is written line by line below a `|`.
    pub fn literal(&self, pointer: &Pointer) -> Option<Position> {
        self.value(pointer).filter(|place| self.literals.contains(place))
    }

    fn find(&self, path: Path) -> Option<&Entry> {
        let at = self.entries.binary_search_by_key(&path, |entry| entry.path).ok()?;
        self.entries.get(at)
    }
}

/// Collects places while a document is read.
#[derive(Debug)]
pub(super) struct PlacesBuilder {
    entries: Vec<Entry>,
    literals: Vec<Position>,
    lines_before: u32,
}

impl PlacesBuilder {
    /// For a document that starts after so many lines of its text.
    pub(super) fn new(lines_before: u32) -> PlacesBuilder {
        PlacesBuilder { entries: Vec::new(), literals: Vec::new(), lines_before }
    }

    pub(super) fn add(&mut self, path: Path, value: Position, key: Option<Position>) {
        let key = key.map_or(Position { line: 0, column: 0 }, |key| key.below(self.lines_before));
        self.entries.push(Entry { path, value: value.below(self.lines_before), key });
    }

    pub(super) fn add_literal(&mut self, place: Position) {
        self.literals.push(place.below(self.lines_before));
    }

    /// Of two entries for one path the later one stays, as with the values.
    pub(super) fn finish(mut self) -> Places {
        self.entries.reverse();
        self.entries.sort_by_key(|entry| entry.path);
        self.entries.dedup_by_key(|entry| entry.path);
        Places { entries: self.entries.into_boxed_slice(), literals: self.literals.into_boxed_slice() }
    }
}

/// The hash of a pointer, made step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Path(u64);

impl Path {
    pub(super) const ROOT: Path = Path(0xcbf2_9ce4_8422_2325);

    pub(super) fn child(self, segment: &str) -> Path {
        // The byte 0xff is in no UTF-8 text, so `a/b` and `ab` differ.
        let mix = |hash: u64, byte: u8| {
            let hash = (hash ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash ^ (hash >> 29)
        };
        Path(segment.bytes().chain([0xff]).fold(self.0, mix))
    }

    pub(super) fn index(self, index: usize) -> Path {
        self.child(&index.to_string())
    }

    fn of(pointer: &Pointer) -> Path {
        pointer.segments().fold(Path::ROOT, |path, segment| path.child(segment))
    }
}
