//! Where two results differ, which layer causes that, and which values a higher layer hides.

use crate::engine::diff::{Edit, edits};
use crate::engine::fold::{Folded, LayerValue, Source};
use crate::engine::rendered::{Chain, FieldOrigin, Origin, Rendered, RenderedObject};
use crate::object::document::Identity;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::results::SubjectEntry;

/// How one result differs from another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    pub changes: Vec<Change>,
    /// What changed without effect.
    pub shadowed: Vec<Shadow>,
}

/// One value that differs between two results.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// An option path, or a JSON pointer into the object.
    pub path: String,
    /// The same in an object; of options the root.
    pub place: Pointer,
    /// Of a dialect that gives objects.
    pub object: Option<Identity>,
    pub before: Option<Source>,
    pub after: Option<Source>,
    pub cause: Cause,
}

/// A value of a layer that another layer overrides.
#[derive(Clone, Debug, PartialEq)]
pub struct Shadow {
    pub path: String,
    pub object: Option<Identity>,
    pub by: Cause,
}

/// The layer that sets a value, and the location of the setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    pub layer: Text,
    pub origin: Option<Origin>,
}

/// The changes from one result to another.
pub fn compare(before: &Rendered, after: &Rendered) -> Delta {
    let mut delta = Delta::default();
    if before.options.is_some() || after.options.is_some() {
        let nothing = Folded::default();
        let (before, after) = (before.options.as_ref(), after.options.as_ref());
        compare_options(before.unwrap_or(&nothing), after.unwrap_or(&nothing), &mut delta);
    }
    if before.group != after.group {
        let shown = |rendered: &Rendered| rendered.group.as_ref().map(|it| Source::Value(it.to_value()));
        delta.changes.push(Change {
            path: "group".into(),
            place: Pointer::root(),
            object: None,
            before: shown(before),
            after: shown(after),
            cause: Cause { layer: "decision-group".into(), origin: None },
        });
    }
    for product in &after.objects {
        let identity = identity_of(product);
        match before.objects.iter().find(|it| identity_of(it) == identity) {
            Some(earlier) => compare_products(earlier, product, &identity, &mut delta),
            None => delta.changes.push(whole(product, identity, |value| (None, Some(value)))),
        }
    }
    // What is kept is not gone.
    for product in before.objects.iter().filter(|_| !after.keeps) {
        let identity = identity_of(product);
        if !after.objects.iter().any(|it| identity_of(it) == identity) {
            delta.changes.push(whole(product, identity, |value| (Some(value), None)));
        }
    }
    delta
}

fn compare_options(before: &Folded, after: &Folded, delta: &mut Delta) {
    let (mut old, mut new) = (before.options.iter().peekable(), after.options.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(a), Some(b)) => crate::value::text::order(&a.path, &b.path),
        };
        let a = if order.is_le() { old.next() } else { None };
        let b = if order.is_ge() { new.next() } else { None };
        let Some(path) = b.or(a).map(|it| &it.path) else { return };
        let chain = |folded: &Folded| folded.origins.get(path).unwrap_or_default().to_vec();
        let (was, is) = (chain(before), chain(after));
        let winner = is.first().or(was.first()).map(setter);
        let (before, after) = (a.map(|it| it.source.clone()), b.map(|it| it.source.clone()));
        let (path, object) = (path.to_string(), None);
        match winner {
            Some(cause) if before != after => {
                let place = Pointer::root();
                delta.changes.push(Change { path, place, object, before, after, cause });
            }
            Some(by) if says(&was) != says(&is) => delta.shadowed.push(Shadow { path, object, by }),
            _ => {}
        }
    }
}

/// The values of the layers below the winner.
fn says(chain: &[LayerValue]) -> Vec<(&Text, Option<&Source>)> {
    chain.iter().skip(1).map(|it| (&it.layer, it.source.as_ref())).collect()
}

/// The layer that set an option, and where.
pub fn setter(origin: &LayerValue) -> Cause {
    let place = origin.document.clone().map(|document| Origin { document, path: origin.at.clone() });
    Cause { layer: origin.layer.clone(), origin: place }
}

fn identity_of(product: &RenderedObject) -> Identity {
    Identity::of(&product.object).unwrap_or_default()
}

fn whole(
    product: &RenderedObject,
    object: Identity,
    sides: impl Fn(Source) -> (Option<Source>, Option<Source>),
) -> Change {
    let (before, after) = sides(Source::Value(product.object.clone()));
    let cause = Cause { layer: "base".into(), origin: Some(product.base.clone()) };
    Change { path: String::new(), place: Pointer::root(), object: Some(object), before, after, cause }
}

fn compare_products(before: &RenderedObject, after: &RenderedObject, object: &Identity, delta: &mut Delta) {
    for Edit { path, .. } in edits(&before.object, &after.object) {
        let (was, is) = (path.get(&before.object), path.get(&after.object));
        let cause = match is {
            Some(_) => after.cause(&path),
            None => before.cause(&path),
        };
        let source = |value: &Value| Source::Value(value.clone());
        delta.changes.push(Change {
            path: path.to_string(),
            object: Some(object.clone()),
            before: was.map(source),
            after: is.map(source),
            place: path,
            cause,
        });
    }
    for (path, chain) in &after.origins {
        let earlier = before.origins.iter().find(|(it, _)| it == path).map(|(_, chain)| chain.as_slice());
        let same = path.get(&before.object) == path.get(&after.object);
        let below = |chain: &[FieldOrigin]| chain.iter().skip(1).map(|it| it.value.clone()).collect::<Vec<_>>();
        if let (true, Some(earlier), Some(winner)) = (same, earlier, chain.first())
            && below(earlier) != below(chain)
        {
            let by = Cause { layer: winner.layer.clone(), origin: winner.origin.clone() };
            delta.shadowed.push(Shadow { path: path.to_string(), object: Some(object.clone()), by });
        }
    }
}

impl RenderedObject {
    /// What was touched at a place or nearest around it; where nothing was, what was touched first inside it.
    pub fn nearest(&self, path: &Pointer) -> Option<&(Pointer, Chain)> {
        let around = self.origins.iter().filter(|(it, _)| it.contains(path));
        let inside = || self.origins.iter().find(|(it, _)| path.contains(it));
        around.max_by_key(|(it, _)| it.segments().len()).or_else(inside)
    }

    /// What decides over a place: the layer that touched it or something around it, else the base.
    pub fn cause(&self, path: &Pointer) -> Cause {
        match self.nearest(path).and_then(|(_, chain)| chain.first()) {
            Some(winner) => Cause { layer: winner.layer.clone(), origin: winner.origin.clone() },
            None => {
                let Origin { document, path: root } = self.base.clone();
                Cause { layer: "base".into(), origin: Some(Origin { document, path: root.join(path) }) }
            }
        }
    }
}

/// A value in which two clusters differ, and the layer that makes the difference.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterDifference {
    /// From the left cluster to the right one.
    pub change: Change,
    pub cause: Cause,
}

/// Where the results of two clusters differ.
///
/// The layer that makes the difference is the winner of one side:
/// 1. The other side's, if the layer that wins here has a value there too: it is overridden there.
/// 2. Else the one of the higher precedence: without it there would be no difference.
pub fn compare_clusters(entry: &SubjectEntry, left: &Rendered, right: &Rendered) -> Vec<ClusterDifference> {
    let backwards = compare(right, left).changes;
    let changes = compare(left, right).changes.into_iter();
    let difference = |change: Change| {
        let other = backwards.iter().find(|it| it.path == change.path && it.object == change.object);
        let cause = match other {
            Some(other) if has_value(right, &change.path, &other.cause) => &change.cause,
            Some(other) if has_value(left, &change.path, &change.cause) => &other.cause,
            other => more_specific(&change.cause, other.map(|it| &it.cause), entry),
        };
        ClusterDifference { cause: cause.clone(), change }
    };
    changes.map(difference).collect()
}

/// Whether a layer has a value for an option.
fn has_value(rendered: &Rendered, path: &str, cause: &Cause) -> bool {
    let chain = rendered.options.as_ref().and_then(|folded| folded.origins.get(path));
    chain.into_iter().flatten().any(|it| setter(it) == *cause)
}

fn more_specific<'c>(right: &'c Cause, left: Option<&'c Cause>, entry: &SubjectEntry) -> &'c Cause {
    let precedence = |cause: &Cause| {
        let Ok(subject) = entry.subject() else { return None };
        let options = subject.option_layers().iter().rposition(|it| it.name == cause.layer);
        options.or_else(|| subject.patch_layers().iter().rposition(|it| it.name == cause.layer))
    };
    left.filter(|left| precedence(left) > precedence(right)).unwrap_or(right)
}
