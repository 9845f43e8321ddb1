//! Builds values from events: maps and lists, anchors, merge keys, and their limits.

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

use super::lexer::Lexer;
use super::places::{Path, PlacesBuilder};
use super::resolve::{Scalar, resolve};
use super::scalar::{self, Findings};
use super::scanner_input::{ScannerInput, place_of};
use super::syntax::{Progress, explain};
use super::syntax_error::SyntaxError;
use super::tagged::{self, Tagged};
use super::{Budget, Parsed};
use fleetfold_value::diagnostic::Code;
use fleetfold_value::diagnostic::Mode;
use fleetfold_value::value::Position;
use fleetfold_value::value::collections::{SortedMap, SortedSet};
use fleetfold_value::value::json::MAX_DEPTH;
use fleetfold_value::value::path::Pointer;
use fleetfold_value::value::{Map, Text, Value};

/// Reads the text of one document; `None` if it is empty. `separated` means that the document has its own `---`.
pub(super) fn build(
    text: &str,
    mode: Mode,
    lines_before: u32,
    separated: bool,
    findings: &mut Findings,
) -> Result<Option<Parsed>, SyntaxError> {
    let mut builder = Builder {
        lexer: Lexer::new(text),
        mode,
        findings,
        frames: Vec::new(),
        anchors: SortedMap::new(),
        budget: Budget::default(),
        places: PlacesBuilder::new(lines_before),
        root: None,
    };
    let mut events = Parser::new(ScannerInput::new(text));
    while let Some(event) = events.next_event() {
        let (event, span) = event.map_err(|error| {
            let top = builder.frames.first().map(|frame| frame.start.column);
            explain(&error, text, Progress { top, ended: builder.root.is_some(), reached: builder.lexer.reached() })
        })?;
        match event {
            Event::DocumentEnd => {
                builder.lexer.finish()?;
                break;
            }
            Event::DocumentStart(_) | Event::StreamEnd if builder.lexer.at_end_marker()? => {
                if separated {
                    builder.lexer.finish()?;
                    return Ok(None);
                }
                return Err(SyntaxError::bad(
                    "`...` ends a document, and there is none before it",
                    place_of(span.start),
                ));
            }
            // The parser sees no document, but kubectl would take a byte order mark for one.
            Event::StreamEnd => builder.lexer.finish()?,
            Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
            event => builder.event(event, span)?,
        }
    }
    let Builder { root, places, .. } = builder;
    Ok(root.map(|value| Parsed { value, places: places.finish() }))
}

struct Builder<'a, 'f> {
    lexer: Lexer<'a>,
    mode: Mode,
    findings: &'f mut Findings,
    frames: Vec<Frame>,
    anchors: SortedMap<usize, Node>,
    budget: Budget,
    places: PlacesBuilder,
    root: Option<Value>,
}

/// An open list or map.
struct Frame {
    items: Items,
    anchor: usize,
    start: Position,
    path: Path,
    flow: bool,
    /// Visits counted before this node.
    visits: u64,
    /// Levels below this one.
    height: usize,
}

enum Items {
    List(Vec<Value>),
    Map(Fields),
}

#[derive(Default)]
struct Fields {
    entries: Vec<(Text, Value)>,
    /// Keys as written, in document order.
    keys: Vec<(Text, Position)>,
    /// The first `looked_at` keys, indexed for merges.
    known: SortedSet<Text>,
    looked_at: usize,
    next: Next,
}

/// The role of a map's next node.
#[derive(Clone, Default)]
enum Next {
    #[default]
    Key,
    Value(Text, Position),
    Merge(Position),
}

/// A finished node.
#[derive(Clone)]
struct Node {
    value: Value,
    /// The node as a key, if it can be one.
    key: Option<Text>,
    /// The number of nodes in it, including those behind aliases.
    visits: u64,
    height: usize,
    is_alias: bool,
    merges: bool,
}

impl Builder<'_, '_> {
    fn event(&mut self, event: Event, span: Span) -> Result<(), SyntaxError> {
        let starts_node = !matches!(event, Event::SequenceEnd | Event::MappingEnd);
        if starts_node && matches!(self.frames.last(), Some(Frame { items: Items::List(_), flow: false, .. })) {
            self.lexer.entry()?;
        }
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag.as_deref(), span),
            Event::Alias(anchor) => self.alias(anchor, span),
            Event::SequenceStart(anchor, _) => {
                let flow = self.lexer.open('[')?;
                let start = match self.lexer.next_token()? {
                    // The parser reports a list that is not indented below its key only after the first dash.
                    Some(dash) if !flow => place_of(span.start).min(dash),
                    _ => place_of(span.start),
                };
                self.open(Items::List(Vec::new()), anchor, start, flow)
            }
            Event::MappingStart(anchor, _) => {
                let flow = self.lexer.open('{')?;
                self.open(Items::Map(Fields::default()), anchor, place_of(span.start), flow)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
    ) -> Result<(), SyntaxError> {
        let mut place = place_of(span.start);
        if style != ScalarStyle::Plain || !text.is_empty() {
            let start = self.lexer.scalar(text, style, span.end.index(), self.frames.is_empty())?;
            if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
                place = place.min(start);
            }
            if style == ScalarStyle::Literal {
                self.places.add_literal(place);
            }
        }
        let tag = tag.map(|tag| format!("{}{}", tag.handle, tag.suffix));
        let decoded;
        let scalar = match &tag {
            None if style == ScalarStyle::Plain => resolve(text),
            None => Scalar::Text(text),
            Some(tag) => match tagged::read(tag, text) {
                Tagged::Scalar(scalar) => scalar,
                Tagged::Decoded(text) => {
                    decoded = text;
                    Scalar::Text(&decoded)
                }
                Tagged::Mismatch => {
                    // If nothing follows, kubectl may read a longer tag.
                    self.lexer.next_token()?;
                    let message = format!("the value does not match its tag `{tag}`");
                    return Err(SyntaxError::bad(message, place));
                }
            },
        };
        let untagged = tag.is_none() && style == ScalarStyle::Plain;
        let is_key = self.expects_key();
        let merges = text == "<<" && tag.as_deref().map_or(untagged, tagged::merges);
        // kubectl does not count the key of a merge.
        if !(is_key && merges) {
            self.budget.visit(1, 0).map_err(|code| self.too_many(code, place))?;
        }
        // A node with an anchor can be a key in one place and a value in another.
        let refuse = |(code, message)| SyntaxError::new(code, message, place);
        let key = match is_key || anchor > 0 {
            true => scalar::key(&scalar, text, self.mode),
            false => Ok(None),
        };
        let key = match key {
            Err(refusal) if is_key => return Err(refuse(refusal)),
            key => key.unwrap_or_default(),
        };
        let value = match is_key && anchor == 0 {
            true => Value::Null,
            false => scalar::value(&scalar, text, self.mode).map_err(refuse)?,
        };
        if untagged && self.mode == Mode::Strict && !merges && self.findings.differs(text, &scalar) {
            let pointer = self.pointer(key.as_ref().filter(|_| is_key));
            self.findings.ambiguous(&scalar, is_key, pointer, place);
        }
        let node = Node { value, key, visits: 1, height: 0, is_alias: false, merges };
        self.finish(node, anchor, place)
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), SyntaxError> {
        let place = place_of(span.start);
        self.lexer.alias(span.end.index())?;
        let Some(node) = self.anchors.get(&anchor).cloned() else {
            return Err(SyntaxError::new(Code::BadAlias, "the alias is inside its own anchor", place));
        };
        if self.frames.len().saturating_add(node.height) > MAX_DEPTH {
            return Err(SyntaxError::too_deep(place));
        }
        self.budget.visit(1, node.visits).map_err(|code| self.too_many(code, place))?;
        let visits = node.visits.saturating_add(1);
        self.finish(Node { visits, is_alias: true, merges: false, ..node }, 0, place)
    }

    fn too_many(&self, code: Code, place: Position) -> SyntaxError {
        SyntaxError::new(code, "aliases expand to too many nodes", place).hint("write the values out")
    }

    fn open(&mut self, items: Items, anchor: usize, start: Position, flow: bool) -> Result<(), SyntaxError> {
        if self.expects_key() {
            let kind = if matches!(items, Items::List(_)) { "a list" } else { "a map" };
            return Err(SyntaxError::new(Code::BadKey, format!("a key cannot be {kind}"), start)
                .hint("a template in braces needs quotes"));
        }
        if self.frames.len() >= MAX_DEPTH {
            return Err(SyntaxError::too_deep(start));
        }
        let visits = self.budget.visits();
        let is_merged =
            matches!(self.frames.last(), Some(Frame { items: Items::Map(Fields { next: Next::Merge(_), .. }), .. }));
        // Nor does it count a list of merged maps, only the maps.
        if !(is_merged && matches!(items, Items::List(_))) {
            self.budget.visit(1, 0).map_err(|code| self.too_many(code, start))?;
        }
        let path = self.next_path();
        self.frames.push(Frame { items, anchor, start, path, flow, visits, height: 1 });
        Ok(())
    }

    fn close(&mut self) -> Result<(), SyntaxError> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if frame.flow {
            self.lexer.close()?;
        }
        let value = match frame.items {
            Items::List(items) => items.into(),
            Items::Map(fields) => fields.finish(self.mode)?.into(),
        };
        let visits = self.budget.visits().saturating_sub(frame.visits);
        let node = Node { value, key: None, visits, height: frame.height, is_alias: false, merges: false };
        self.finish(node, frame.anchor, frame.start)
    }

    /// Adds a finished node to its parent.
    fn finish(&mut self, node: Node, anchor: usize, place: Position) -> Result<(), SyntaxError> {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let path = self.next_path();
        let Some(frame) = self.frames.last_mut() else {
            self.places.add(Path::ROOT, place, None);
            self.root = Some(node.value);
            return Ok(());
        };
        frame.height = frame.height.max(node.height.saturating_add(1));
        let fields = match &mut frame.items {
            Items::List(items) => {
                self.places.add(path, place, None);
                items.push(node.value);
                return Ok(());
            }
            Items::Map(fields) => fields,
        };
        match std::mem::take(&mut fields.next) {
            Next::Key if node.merges => fields.next = Next::Merge(place),
            Next::Key => match node.key {
                Some(key) => fields.next = Next::Value(key, place),
                None => {
                    let message = format!("a key cannot be {}", node.value.kind());
                    return Err(SyntaxError::new(Code::BadKey, message, place).hint("put the key in quotes"));
                }
            },
            Next::Value(key, start) => {
                self.places.add(path, place, Some(start));
                fields.keys.push((key.clone(), start));
                fields.entries.push((key, node.value));
            }
            Next::Merge(start) => {
                let merged = merged(&node).ok_or_else(|| {
                    SyntaxError::bad("`<<` merges a map or a list of maps, and this is neither", place)
                })?;
                let new = fields.keys.get(fields.looked_at..).unwrap_or_default();
                fields.looked_at = fields.keys.len();
                fields.known.extend(new.iter().map(|(key, _)| key.clone()));
                let replaced = merged.iter().map(|(key, _)| key).find(|key| fields.known.contains(*key)).cloned();
                for (key, _) in &merged {
                    self.places.add(frame.path.child(key), place, Some(start));
                }
                fields.entries.extend(merged);
                if let Some(key) = replaced.filter(|_| self.mode == Mode::Strict) {
                    let pointer = self.pointer(Some(&key));
                    self.findings.overriding_merge(&key, pointer, start);
                }
            }
        }
        Ok(())
    }

    fn expects_key(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { items: Items::Map(Fields { next: Next::Key, .. }), .. }))
    }

    /// The path of the next node.
    fn next_path(&self) -> Path {
        match self.frames.last() {
            None => Path::ROOT,
            Some(Frame { items: Items::List(items), path, .. }) => path.index(items.len()),
            Some(Frame { items: Items::Map(fields), path, .. }) => match &fields.next {
                Next::Value(key, _) => path.child(key),
                Next::Merge(_) => path.child("<<"),
                Next::Key => *path,
            },
        }
    }

    /// The pointer of the next node, which is a key if `key` is given.
    fn pointer(&self, key: Option<&Text>) -> Pointer {
        let mut pointer = Pointer::root();
        for frame in &self.frames {
            match &frame.items {
                Items::List(items) => pointer.push(items.len().to_string()),
                Items::Map(fields) => match &fields.next {
                    Next::Value(key, _) => pointer.push(key.clone()),
                    Next::Merge(_) => pointer.push("<<"),
                    Next::Key => {}
                },
            }
        }
        if let Some(key) = key {
            pointer.push(key.clone());
        }
        pointer
    }
}

impl Fields {
    fn finish(self, mode: Mode) -> Result<Map, SyntaxError> {
        let (map, repeated) = Map::from_entries(self.entries);
        // A merged key may repeat another; written keys must not.
        let is_refused = fleetfold_value::seeded!(YamlTakesDuplicateKeys, mode == Mode::Strict, false);
        let error = repeated.filter(|_| is_refused).and_then(|_| SyntaxError::repeated(&self.keys));
        error.map_or(Ok(map), Err)
    }
}

/// The entries of a merge in the order they are set: in a list of maps the first one wins.
fn merged(node: &Node) -> Option<Vec<(Text, Value)>> {
    let entries = |map: &Map| map.iter().map(|(key, value)| (key.clone(), value.clone())).collect::<Vec<_>>();
    match &node.value {
        Value::Map(map) => Some(entries(map)),
        Value::List(maps) if !node.is_alias => {
            let maps: Option<Vec<_>> = maps.iter().rev().map(|map| map.as_map().map(entries)).collect();
            Some(maps?.into_iter().flatten().collect())
        }
        _ => None,
    }
}
