//! `fold`: layers in order, later wins, with the origin of every value.

use std::collections::{BTreeMap, BTreeSet};

use super::null::{Explicit, Given};
use super::record::Spot;
use super::select::ClusterInput;
use super::{Mode, Operation};
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::fold::{Effective, Folded, Layer, Origin, Setting, Source, fold};
use crate::path::{OptionPath, PathError, Pointer};
use crate::select::{Cluster, Selector};
use crate::value::{Text, Value};
use crate::{choice, mask, record};

record! {
    request
    /// Lays layers over each other, lowest first.
    pub struct Fold {
        /// The layers in order; later ones win.
        layers "layers": Vec<LayerInput>,
        /// The cluster that `when` is asked about.
        cluster "cluster": Option<ClusterInput>,
        /// `compat`: the answer of Greenhouse.
        mode "mode": Option<Mode>,
    }
}

record! {
    request
    /// One source of values.
    pub struct LayerInput {
        name "name": Text,
        /// For which clusters, as a selector of any form; without it, for all.
        when "when": Given,
        set "set": Vec<SettingInput>,
    }
}

record! {
    request
    /// One option that a layer sets.
    pub struct SettingInput {
        /// The option path, such as `image.tag`.
        path "path": Text,
        value "value": Given,
        /// A reference instead of a value. It stays one.
        value_from "valueFrom": Option<Value>,
        /// `deep`: maps merge, null drops a key.
        merge "merge": Option<Merge>,
    }
}

choice! {
    /// How a value meets what is below it.
    pub enum Merge {
        #[default]
        Replace = "replace",
        Deep = "deep",
    }
}

record! {
    answer
    /// The effective options of one cluster.
    pub struct FoldAnswer {
        /// By path.
        options "options": Vec<OptionAnswer>,
        /// For each option the layers that set it, winner first.
        origins "origins": BTreeMap<Text, Vec<OriginAnswer>>,
        /// The tree that Helm would get; references are left out.
        values "values": Value,
    }
}

record! {
    answer
    /// One effective option.
    pub struct OptionAnswer {
        /// The layer that set it.
        from "from": Text,
        path "path": Text,
        value "value": Option<Explicit>,
        value_from "valueFrom": Option<Value>,
    }
}

record! {
    answer
    /// What one layer says about an option.
    pub struct OriginAnswer {
        layer "layer": Text,
        /// Set where the value was merged into what is below.
        merge "merge": Option<Merge>,
        value "value": Option<Explicit>,
        value_from "valueFrom": Option<Value>,
    }
}

impl Operation for Fold {
    const NAME: &'static str = "fold";
    type Answer = FoldAnswer;

    fn answer(self, out: &mut Vec<Diagnostic>) -> Result<FoldAnswer, Error> {
        let mode = self.mode.unwrap_or_default();
        warn_repeated_names(&self.layers, out);
        let layers = self.layers.into_iter().enumerate();
        let layers = layers.map(|(index, layer)| layer.read(index, mode, out)).collect::<Result<Vec<_>, _>>()?;
        let mut folded = fold(&layers, self.cluster.map(Cluster::from).as_ref(), mode, out)?;
        if mask::holds_secret(&folded.values) {
            cover_parts(&mut folded);
        }
        let origins =
            folded.origins.into_iter().map(|(path, chain)| (path, chain.into_iter().map(OriginAnswer::from).collect()));
        Ok(FoldAnswer {
            options: folded.options.into_iter().map(OptionAnswer::from).collect(),
            origins: origins.collect(),
            values: folded.values,
        })
    }
}

/// Options and origins are parts of the tree of values, and as secret as it is where they stand.
fn cover_parts(folded: &mut Folded) {
    let Folded { options, origins, values } = folded;
    let options = options.iter_mut().map(|it| (&it.path, &mut it.source));
    let origins = origins.iter_mut().flat_map(|(path, chain)| chain.iter_mut().map(move |it| (path, &mut it.source)));
    for (path, source) in options.chain(origins) {
        if let (Source::Value(value), Ok(path)) = (source, OptionPath::parse(path)) {
            mask::cover_part(value, &path.pointer(), values);
        }
    }
}

fn warn_repeated_names(layers: &[LayerInput], out: &mut Vec<Diagnostic>) {
    let mut seen = BTreeSet::new();
    for (index, layer) in layers.iter().enumerate().filter(|(_, layer)| !seen.insert(&layer.name)) {
        let message = format!("two layers are called `{}`, so origins cannot tell them apart", layer.name);
        let path = Pointer::of(["layers".into(), index.to_string(), "name".into()]);
        out.push(Diagnostic::warning(Code::DuplicateLayer, message).at(path));
    }
}

impl LayerInput {
    fn read(self, index: usize, mode: Mode, out: &mut Vec<Diagnostic>) -> Result<Layer, Error> {
        let layers = Spot::ROOT.key("layers");
        let spot = layers.index(index);
        let when = self.when.0.map(|when| Selector::parse(&when, mode, None, &spot.key("when"))).transpose()?;
        let set_spot = spot.key("set");
        let mut set = Vec::with_capacity(self.set.len());
        for (at, setting) in self.set.into_iter().enumerate() {
            set.extend(setting.read(&set_spot.index(at), out)?);
        }
        Ok(Layer { name: self.name, when, set })
    }
}

impl SettingInput {
    /// Nothing for an entry that has no source, or two: it is told and left out.
    fn read(self, at: &Spot, out: &mut Vec<Diagnostic>) -> Result<Option<Setting>, Error> {
        let place = OptionPath::parse(&self.path).map_err(|PathError { message, offset, hint }| {
            let message = format!("the option path `{}` is wrong at character {}: {message}", self.path, offset + 1);
            Error::new(Code::BadOptionPath, message).at(at.key("path")).maybe_hint(hint)
        })?;
        let source = match (self.value.0, self.value_from) {
            (Some(value), None) => Source::Value(value),
            (None, Some(reference)) => Source::Reference(reference),
            (value, _) => {
                let has = if value.is_some() {
                    "both a `value` and a `valueFrom`"
                } else {
                    "neither a `value` nor a `valueFrom`"
                };
                let message = format!("the option `{}` has {has}, and is left out", self.path);
                out.push(Diagnostic::error(Code::OptionSource, message).at(at.pointer()));
                return Ok(None);
            }
        };
        let deep = self.merge == Some(Merge::Deep);
        Ok(Some(Setting { path: self.path, place, source, deep, at: at.pointer() }))
    }
}

fn split(source: Source) -> (Option<Explicit>, Option<Value>) {
    match source {
        Source::Value(value) => (Some(Explicit(value)), None),
        Source::Reference(reference) => (None, Some(reference)),
    }
}

impl From<Effective> for OptionAnswer {
    fn from(option: Effective) -> OptionAnswer {
        let (value, value_from) = split(option.source);
        OptionAnswer { from: option.from, path: option.path, value, value_from }
    }
}

impl From<Origin> for OriginAnswer {
    fn from(origin: Origin) -> OriginAnswer {
        let (value, value_from) = split(origin.source);
        OriginAnswer { layer: origin.layer, value, value_from, merge: origin.deep.then_some(Merge::Deep) }
    }
}
