//! The origin of a value: every layer that sets it, winner first.

use crate::choice;
use crate::diagnostic::ReasonCode;
use crate::engine::fold::{Folded, Layer, LayerValue, Setting, Source, is_above};
use crate::engine::rendered::{Origin, PatchLayer, RenderedObject};
use crate::engine::select::{Cluster, Reason, Selector, explain, selects};
use crate::value::path::{OptionPath, Pointer};
use crate::workspace::compare::{Cause, setter};
use crate::workspace::store::View;
use crate::workspace::subject::{Subject, UnusedLayer};

/// One layer in the chain of a value.
#[derive(Clone, Debug)]
pub struct Link {
    pub cause: Cause,
    pub source: Option<Source>,
    pub state: LayerState,
    /// Why the layer does not apply.
    pub reason: Option<Reason>,
    /// Why it is above the next one.
    pub beats: Option<String>,
}

choice! {
    /// Whether the value of a layer is used.
    pub enum LayerState {
        Wins = "wins",
        /// It gives part of a merged value.
        Merged = "merged",
        Shadowed = "shadowed",
        NotApplied = "not-applied",
        /// The live object gave it.
        Retained = "retained",
    }
}

/// An option as a request names it: options are matched by exact text, and lie inside each other by place.
#[derive(Clone, Copy, Debug)]
pub struct OptionName<'a> {
    pub path: &'a str,
    pub place: &'a OptionPath,
}

/// The chain of an option. Without a layer that sets it, it is empty.
pub fn option_chain(
    view: View,
    subject: &dyn Subject,
    cluster: &Cluster,
    folded: &Folded,
    option: OptionName,
) -> Vec<Link> {
    let OptionName { path, place } = option;
    let applied = folded.chain(path, place);
    let mut chain: Vec<Link> = applied
        .iter()
        .enumerate()
        .map(|(rank, origin)| Link {
            cause: setter(origin),
            source: origin.source.clone(),
            state: match rank {
                0 => LayerState::Wins,
                _ if folded.has_part_of(path, place, origin) => LayerState::Merged,
                _ => LayerState::Shadowed,
            },
            reason: through_parent(origin, path),
            beats: applied.get(rank + 1).and_then(|next| subject.beats(view, &setter(origin), &setter(next))),
        })
        .collect();
    for layer in subject.option_layers().iter().rev() {
        if let Some(reason) = layer.when.as_ref().and_then(|when| not_selected(when, cluster)) {
            chain.extend(not_applied(layer, option, &reason));
        }
    }
    for UnusedLayer { layer, reason } in subject.unused_layers(view) {
        chain.extend(not_applied(&layer, option, &reason));
    }
    chain
}

/// The value of a layer that does not apply, for an option.
fn not_applied(layer: &Layer, option: OptionName, reason: &Reason) -> Vec<Link> {
    let here = layer.set.iter().filter(|it| sets(it, option));
    here.map(|setting| {
        let origin = layer.document.clone().map(|document| Origin { document, path: setting.at.clone() });
        Link {
            cause: Cause { layer: layer.name.clone(), origin },
            source: Some(setting.source.clone()),
            state: LayerState::NotApplied,
            reason: Some(reason.clone()),
            beats: None,
        }
    })
    .collect()
}

/// Whether an entry sets an option or a parent of it.
fn sets(setting: &Setting, option: OptionName) -> bool {
    setting.path == option.path || is_above(&setting.place, option.place)
}

/// How a layer that sets a parent of an option bears on the option.
fn through_parent(origin: &LayerValue, path: &str) -> Option<Reason> {
    let parent = origin.via.as_ref()?;
    let text = match (&origin.source, origin.deep) {
        (None, true) => format!("the layer merges `{parent}`, which removes `{path}`"),
        (None, false) => {
            format!("the layer sets `{parent}` without `{path}`, which removes what lower layers set there")
        }
        (Some(_), true) => format!("the layer merges `{parent}`, which has `{path}`"),
        (Some(_), false) => format!("the layer sets `{parent}`, which has `{path}`"),
    };
    Some(Reason { code: ReasonCode::ParentOption, text, holds: true })
}

/// The chain of a place of an object: the layers that set it or a place around it, down to the base.
pub fn object_chain(subject: &dyn Subject, cluster: &Cluster, product: &RenderedObject, path: &Pointer) -> Vec<Link> {
    let mut chain = Vec::new();
    match product.nearest(path) {
        Some((place, said)) => {
            // A value also sets everything inside it.
            let rest = Pointer::of(path.segments().skip(place.segments().len()).cloned());
            for (rank, it) in said.iter().enumerate() {
                let retained = it.origin.is_none();
                chain.push(Link {
                    cause: Cause { layer: it.layer.clone(), origin: it.origin.clone() },
                    source: it.value.as_ref().and_then(|it| rest.get(it)).cloned().map(Source::Value),
                    state: match (rank, retained) {
                        (0, true) => LayerState::Retained,
                        (0, false) => LayerState::Wins,
                        _ => LayerState::Shadowed,
                    },
                    reason: None,
                    beats: None,
                });
            }
        }
        None => {
            if let Some(value) = path.get(&product.object) {
                let source = Some(Source::Value(value.clone()));
                chain.push(Link {
                    cause: product.cause(path),
                    source,
                    state: LayerState::Wins,
                    reason: None,
                    beats: None,
                });
            }
        }
    }
    for layer in subject.patch_layers().iter().rev() {
        if let Some(reason) = layer.when.as_ref().and_then(|when| not_selected(when, cluster)) {
            chain.extend(patches_at(layer, path, &reason));
        }
    }
    chain
}

fn patches_at(layer: &PatchLayer, path: &Pointer, reason: &Reason) -> Vec<Link> {
    let here = layer
        .operations
        .iter()
        .filter(|(operation, _)| operation.place().is_some_and(|it| it.contains(path) || path.contains(it)));
    here.map(|(operation, at)| {
        let origin = Origin { document: layer.document.clone(), path: at.clone() };
        Link {
            cause: Cause { layer: layer.name.clone(), origin: Some(origin) },
            source: operation.value.clone().map(Source::Value),
            state: LayerState::NotApplied,
            reason: Some(reason.clone()),
            beats: None,
        }
    })
    .collect()
}

/// Why a layer is not for a cluster, if it is not.
fn not_selected(when: &Selector, cluster: &Cluster) -> Option<Reason> {
    if selects(when, cluster) {
        return None;
    }
    let against: Vec<String> = explain(when, cluster).into_iter().filter(|it| !it.holds).map(|it| it.text).collect();
    Some(Reason { code: ReasonCode::ClusterNotSelected, text: against.join("; "), holds: false })
}

/// The value at the end of a path in a result.
pub fn option_value(folded: &Folded, OptionName { path, place }: OptionName) -> Option<Source> {
    let option = folded.options.iter().find(|it| it.path == path).map(|it| it.source.clone());
    let of_winner = || folded.chain(path, place).into_iter().next().and_then(|it| it.source);
    option.or_else(|| folded.value_at(place)).or_else(of_winner)
}
