//! The position of each value and key of a document in its text.

use fleetfold_value::value::Position;
use fleetfold_value::value::path::Pointer;

/// The line and column of every value and key of one document.
///
/// A fleet has many documents, so an entry takes 24 bytes whatever its path: pointers are 64-bit hashes in one sorted
/// list. (In a document crafted for a hash collision, one value gets a wrong line number.) Values below an alias and
/// merged keys have the position of the alias or the merge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    entries: Box<[Entry]>,
    /// The positions of literal block scalars (`|`).
    literals: Box<[Position]>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    path: Path,
    value: Position,
    /// Line zero for values without a key: the document itself, and list items.
    key: Position,
}

impl Places {
    /// The start of the value at this pointer.
    pub fn value(&self, pointer: &Pointer) -> Option<Position> {
        self.find(Path::of(pointer)).map(|entry| entry.value)
    }

    /// The start of the key of the value at this pointer; `None` for list items.
    pub fn key(&self, pointer: &Pointer) -> Option<Position> {
        self.find(Path::of(pointer)).map(|entry| entry.key).filter(|key| key.line > 0)
    }

    /// The start of the value, or of the innermost value around it that is in the text.
    pub fn nearest(&self, pointer: &Pointer) -> Option<Position> {
        let mut pointer = pointer.clone();
        loop {
            if let Some(place) = self.value(&pointer) {
                return Some(place);
            }
            pointer.pop()?;
        }
    }

    /// The start of the value at this pointer, if it is a literal block scalar (`|`).
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
    /// For a document that starts `lines_before` lines into its text.
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

    /// The later of two entries for one path wins, as for values.
    pub(super) fn finish(mut self) -> Places {
        self.entries.reverse();
        self.entries.sort_by_key(|entry| entry.path);
        self.entries.dedup_by_key(|entry| entry.path);
        Places { entries: self.entries.into_boxed_slice(), literals: self.literals.into_boxed_slice() }
    }
}

/// The hash of a pointer, computed segment by segment.
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
