//! The documents that have a word in results.

use std::sync::Arc;

use super::LayerAnswer;
use crate::engine::rendered::{FieldOrigin, Origin, Rendered};
use crate::object::document::{Document, Identity};
use crate::object::redacted::Redacted;
use crate::value::{MaybeAbsent, Text, Value};
use crate::workspace::store::Store;

/// Finds documents by their identities, and keeps their names: in many results the same few have a word.
#[derive(Debug)]
pub struct Sources<'a> {
    store: &'a Store,
    /// By the address of an identity, which results share.
    known: Vec<(usize, Option<&'a Document>, Text)>,
}

impl<'a> Sources<'a> {
    const MOST: usize = 16;

    pub fn new(store: &'a Store) -> Sources<'a> {
        Sources { store, known: Vec::new() }
    }

    /// What a layer gives to a place of an object.
    pub fn layer(&self, touched: &FieldOrigin, shown: impl FnOnce(&Value) -> Redacted) -> LayerAnswer {
        let mut answer = LayerAnswer {
            layer: touched.layer.clone(),
            document: None,
            path: None,
            file: None,
            line: None,
            column: None,
            value: MaybeAbsent(touched.value.as_ref().map(shown)),
            value_from: MaybeAbsent(None),
            via: None,
        };
        let Some(Origin { document, path }) = &touched.origin else { return answer };
        let (source, name) = self.find(document);
        answer.document = Some(name);
        answer.path = Some(path.clone());
        let (file, place) = source.map(|it| it.place(path)).unwrap_or_default();
        answer.file = file.map(Text::from);
        (answer.line, answer.column) = (place.map(|it| it.line.into()), place.map(|it| it.column.into()));
        answer
    }

    /// Finds the documents that have a word in a result, before it is shown.
    pub fn learn(&mut self, rendered: &Rendered) {
        let touched = rendered.objects.iter().flat_map(|it| &it.origins).flat_map(|(_, chain)| chain.iter());
        for Origin { document, .. } in touched.filter_map(|it| it.origin.as_ref()) {
            // If there are many, searching the known ones would cost more than it saves.
            if self.known(document).is_none() && self.known.len() < Self::MOST {
                let (found, name) = self.look_up(document);
                self.known.push((Arc::as_ptr(document).addr(), found, name));
            }
        }
    }

    fn find(&self, identity: &Arc<Identity>) -> (Option<&'a Document>, Text) {
        self.known(identity).unwrap_or_else(|| self.look_up(identity))
    }

    fn known(&self, identity: &Arc<Identity>) -> Option<(Option<&'a Document>, Text)> {
        let key = Arc::as_ptr(identity).addr();
        let (_, document, name) = self.known.iter().find(|(it, ..)| *it == key)?;
        Some((*document, name.clone()))
    }

    fn look_up(&self, identity: &Identity) -> (Option<&'a Document>, Text) {
        (self.store.document(identity), Text::from(identity.to_string()))
    }
}
