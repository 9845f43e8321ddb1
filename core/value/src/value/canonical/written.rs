//! The spans of shared values in a text, so that each is written once and copied from then on.

/// The spans of values by their addresses. A later value replaces an earlier one with the same slot.
///
/// An address identifies a value only until it is dropped: written values must outlive the writer, as the parts of one
/// answer do.
#[derive(Debug, Default)]
pub struct Written {
    /// Empty until a span is recorded.
    slots: Vec<Span>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Span {
    address: usize,
    start: usize,
    end: usize,
}

impl Written {
    const SLOTS: usize = 2048;
    /// A shorter text is written as fast as found.
    const SHORTEST: usize = 48;
    /// In a shorter text no value repeats often enough for the slots to pay off.
    const FROM: usize = 8 * 1024;

    /// The span of the value at this address.
    pub fn find(&self, address: usize) -> Option<(usize, usize)> {
        let span = self.slots.get(slot(address))?;
        (span.address == address).then_some((span.start, span.end))
    }

    /// Records the span of a value.
    pub fn record(&mut self, address: usize, start: usize, end: usize) {
        if end < Written::FROM || end.saturating_sub(start) < Written::SHORTEST {
            return;
        }
        if self.slots.is_empty() {
            self.slots.resize(Written::SLOTS, Span::default());
        }
        if let Some(span) = self.slots.get_mut(slot(address)) {
            *span = Span { address, start, end };
        }
    }
}

fn slot(address: usize) -> usize {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let hash = (address as u64).wrapping_mul(ODD) >> 32;
    usize::try_from(hash).map_or(0, |it| it % Written::SLOTS)
}

#[cfg(test)]
mod tests {
    use crate::value::canonical::{to_text, to_text_marking};
    use crate::value::ser::SHARED_PART;
    use crate::value::{Value, json};

    #[test]
    fn what_is_shared_is_written_as_if_it_were_not() {
        let part = r#"{"a":["long enough to be copied rather than written once more",{"b":[1,2.5,null,true]}],"c":{}}"#;
        let shared = json::parse(part).unwrap();
        let mut other = shared.clone();
        other.as_map_mut().unwrap().insert("c", "\"\n");
        // Far beyond the length from which spans are recorded, and beyond the slots.
        let many: Vec<Value> = (0..3000_i64)
            .map(|at| match at % 3 {
                0 => shared.clone(),
                1 => Value::map([("own", Value::from(at)), ("shared", shared.clone())]),
                _ => Value::list([other.clone(), Value::map([(at.to_string(), other.get("a").unwrap().clone())])]),
            })
            .collect();
        let value = Value::list(many);
        assert_eq!(to_text(&value).unwrap(), value.to_canonical());
    }

    /// A part of an answer that several of its parts share.
    struct Part(Vec<Marked>);

    /// A value whose spans are requested.
    #[derive(serde::Serialize)]
    struct Marked(String);

    impl serde::Serialize for Part {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_newtype_struct(SHARED_PART, &self.0)
        }
    }

    #[test]
    fn a_copied_part_has_the_marks_of_the_first() {
        let parts: Vec<Part> = (0..40).map(|at| Part(vec![Marked("x".repeat(at)), Marked("y".repeat(60))])).collect();
        let answer: Vec<&Part> = (0..2000).map(|at| &parts[at * 7 % parts.len()]).collect();
        let (text, marks) = to_text_marking(&answer, "Marked").unwrap();
        let plain: Vec<Vec<&String>> = answer.iter().map(|it| it.0.iter().map(|it| &it.0).collect()).collect();
        assert_eq!(text, to_text(&plain).unwrap());
        let marked: Vec<&str> = marks.iter().map(|(start, end)| text[*start..*end].trim_matches('"')).collect();
        assert_eq!(marked, plain.concat());
    }
}
