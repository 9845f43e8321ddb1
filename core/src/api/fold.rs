//! `fold`: layers in order, later wins, with the origin of every value.

use super::Operation;
use super::null::Given;
use super::record::{Encode, Shape, Shaped};
use super::select::ClusterInput;
use crate::choice;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::fold::{Effective, Folded, Layer, Origin, Origins, Setting, Source, fold};
use crate::engine::select::{Cluster, Selector};
use crate::object::secrets;
use crate::record;
use crate::value::JsonPath;
use crate::value::canonical::Writer;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::{OptionPath, PathError, Pointer};
use crate::value::{Text, Value};

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
        options "options": Vec<Effective>,
        /// For each option the layers that set it, winner first.
        origins "origins": Origins,
        /// The tree that Helm would get; references are left out.
        values "values": Value,
    }
}

record! {
    answer
    /// One effective option.
    pub struct OptionAnswer<'a> {
        /// The layer that set it.
        from "from": &'a Text,
        path "path": &'a Text,
        value "value": Option<&'a Value>,
        value_from "valueFrom": Option<&'a Value>,
    }
}

record! {
    answer
    /// What one layer says about an option.
    pub struct OriginAnswer<'a> {
        layer "layer": &'a Text,
        /// Set where the value was merged into what is below.
        merge "merge": Option<Merge>,
        value "value": Option<&'a Value>,
        value_from "valueFrom": Option<&'a Value>,
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
        if secrets::holds_secret(&folded.values) {
            cover_parts(&mut folded);
        }
        Ok(FoldAnswer { options: folded.options, origins: folded.origins, values: folded.values })
    }
}

/// Options and origins are parts of the tree of values, and as secret as it is where they stand.
pub fn cover_parts(folded: &mut Folded) {
    let Folded { options, origins, values } = folded;
    let cover = |path: &Text, source: &mut Source| {
        if let (Source::Value(value), Ok(path)) = (source, OptionPath::parse(path)) {
            secrets::cover_part(value, &path.pointer(), values);
        }
    };
    options.iter_mut().for_each(|it| cover(&it.path, &mut it.source));
    origins.for_each_mut(|path, origin| cover(path, &mut origin.source));
}

fn warn_repeated_names(layers: &[LayerInput], out: &mut Vec<Diagnostic>) {
    let mut seen = SortedSet::new();
    for (index, layer) in layers.iter().enumerate().filter(|(_, layer)| !seen.insert(&layer.name)) {
        let message = format!("two layers are called `{}`, so origins cannot tell them apart", layer.name);
        let path = Pointer::of(["layers".into(), index.to_string(), "name".into()]);
        out.push(Diagnostic::warning(Code::DuplicateLayer, message).at(path));
    }
}

impl LayerInput {
    fn read(self, index: usize, mode: Mode, out: &mut Vec<Diagnostic>) -> Result<Layer, Error> {
        let layers = JsonPath::ROOT.key("layers");
        let spot = layers.index(index);
        let when = self.when.0.map(|when| Selector::parse(&when, mode, None, &spot.key("when"))).transpose()?;
        let set_spot = spot.key("set");
        let mut set = Vec::with_capacity(self.set.len());
        for (at, setting) in self.set.into_iter().enumerate() {
            set.extend(setting.read(&set_spot.index(at), out)?);
        }
        Ok(Layer { name: self.name, document: None, when, set })
    }
}

impl SettingInput {
    /// Nothing for an entry that has no source, or two: it is told and left out.
    fn read(self, at: &JsonPath, out: &mut Vec<Diagnostic>) -> Result<Option<Setting>, Error> {
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

fn split(source: &Source) -> (Option<&Value>, Option<&Value>) {
    match source {
        Source::Value(value) => (Some(value), None),
        Source::Reference(reference) => (None, Some(reference)),
    }
}

impl<'a> OptionAnswer<'a> {
    pub fn of(option: &'a Effective) -> OptionAnswer<'a> {
        let (value, value_from) = split(&option.source);
        OptionAnswer { from: &option.from, path: &option.path, value, value_from }
    }
}

impl Encode for Effective {
    fn write(&self, out: &mut Writer) {
        OptionAnswer::of(self).write(out);
    }
}

impl Shaped for Effective {
    const SHAPE: Shape = OptionAnswer::SHAPE;
}

impl Encode for Origins {
    fn write(&self, out: &mut Writer) {
        out.open('{');
        for (path, chain) in self.iter() {
            out.key(path);
            chain.write(out);
        }
        out.close('}');
    }
}

impl Shaped for Origins {
    const SHAPE: Shape = SortedMap::<Text, Vec<OriginAnswer>>::SHAPE;
}

impl Encode for Origin {
    fn write(&self, out: &mut Writer) {
        let (value, value_from) = split(&self.source);
        let merge = self.deep.then_some(Merge::Deep);
        OriginAnswer { layer: &self.layer, merge, value, value_from }.write(out);
    }
}
