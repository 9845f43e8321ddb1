//! `fold`: layers in order, later wins, with the origin of every value.

use serde::{Deserialize, Serialize};

use super::Op;
use super::place::{split, split_revealing_if};
use super::select::ClusterInput;
use crate::choice;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::fold::{Effective, Folded, Layer, LayerValue, Setting, Source, fold, refuse_depth};
use crate::engine::select::Selector;
use crate::object::redacted::Redacted;
use crate::object::secrets;
use crate::value::JsonPath;
use crate::value::MaybeAbsent;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::{OptionPath, PathError, Pointer};
use crate::value::{Text, Value};
use crate::workspace::Workspace;

/// Folds layers, lowest first.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fold {
    /// The layers in order; later ones win.
    pub layers: Vec<LayerInput>,
    /// The cluster that `when` is evaluated for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterInput>,
    /// `compat`: the answer of Greenhouse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// One source of values.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerInput {
    pub name: Text,
    /// For which clusters, as a selector of any form; without it, for all.
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub when: MaybeAbsent<Value>,
    pub set: Vec<SettingInput>,
}

/// One option that a layer sets.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SettingInput {
    /// The option path, such as `image.tag`.
    pub path: Text,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value: MaybeAbsent<Value>,
    /// A reference instead of a value; it is not resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_from: Option<Value>,
    /// `deep`: maps merge, null drops a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<Merge>,
}

choice! {
    /// How a value combines with the one below it.
    #[derive(Default)]
    pub enum Merge {
        #[default]
        Replace = "replace",
        Deep = "deep",
    }
}

/// The effective options of one cluster.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoldAnswer {
    /// By path.
    pub options: Vec<OptionAnswer>,
    /// For each option the layers that set it, winner first.
    pub origins: SortedMap<Text, Vec<OriginAnswer>>,
    /// The tree that Helm would get; references are left out.
    pub values: Redacted,
}

/// One effective option.
#[derive(Clone, Debug, PartialEq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OptionAnswer {
    /// The layer that set it.
    pub from: Text,
    pub path: Text,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value: MaybeAbsent<Redacted>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value_from: MaybeAbsent<Redacted>,
}

/// The value of one layer for an option.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OriginAnswer {
    pub layer: Text,
    /// Set if the value was merged into the one below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<Merge>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value: MaybeAbsent<Redacted>,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value_from: MaybeAbsent<Redacted>,
    /// The option that the layer sets, if it is a parent of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<Text>,
}

impl Op for Fold {
    const NAME: &'static str = "fold";
    type Answer = FoldAnswer;

    fn answer(self, _: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<FoldAnswer, Error> {
        let mode = self.mode.unwrap_or_default();
        warn_repeated_names(&self.layers, out);
        let layers = self.layers.into_iter().enumerate();
        let layers = layers.map(|(index, layer)| layer.read(index, mode, out)).collect::<Result<Vec<_>, _>>()?;
        let cluster = self.cluster.map(|it| it.read(&JsonPath::ROOT.key("cluster"))).transpose()?;
        let mut folded = fold(&layers, cluster.as_ref(), mode, out)?;
        if secrets::holds_secret(&folded.values) {
            redact_parts(&mut folded);
        }
        let origins =
            folded.origins.iter().map(|(path, chain)| (path.clone(), chain.iter().map(OriginAnswer::of).collect()));
        Ok(FoldAnswer {
            options: folded.options.into_iter().map(|it| OptionAnswer::of(it, false)).collect(),
            origins: origins.collect(),
            values: folded.values.into(),
        })
    }
}

/// Options and origins are parts of the tree of values, and as secret as their place in it.
pub fn redact_parts(folded: &mut Folded) {
    let Folded { options, origins, values } = folded;
    let redact = |path: &Text, source: Option<&mut Source>| {
        if let (Some(Source::Value(value)), Ok(path)) = (source, OptionPath::parse(path)) {
            secrets::redact_part(value, &path.pointer(), values);
        }
    };
    options.iter_mut().for_each(|it| redact(&it.path, Some(&mut it.source)));
    origins.for_each_mut(|path, origin| redact(path, origin.source.as_mut()));
}

fn warn_repeated_names(layers: &[LayerInput], out: &mut Vec<Diagnostic>) {
    let mut seen = SortedSet::new();
    for (index, layer) in layers.iter().enumerate().filter(|(_, layer)| !seen.insert(&layer.name)) {
        let message = format!("two layers are called `{}`, so origins cannot distinguish them", layer.name);
        let path = Pointer::of(["layers".into(), index.to_string(), "name".into()]);
        out.push(Diagnostic::warning(Code::DuplicateLayer, message).at(path));
    }
}

impl LayerInput {
    fn read(self, index: usize, mode: Mode, out: &mut Vec<Diagnostic>) -> Result<Layer, Error> {
        let layers = JsonPath::ROOT.key("layers");
        let at = layers.index(index);
        let when = self.when.0.map(|when| Selector::parse(&when, mode, None, &at.key("when"))).transpose()?;
        let set_at = at.key("set");
        let mut set = Vec::with_capacity(self.set.len());
        for (at, setting) in self.set.into_iter().enumerate() {
            set.extend(setting.read(&set_at.index(at), out)?);
        }
        Ok(Layer { name: self.name, document: None, when, set })
    }
}

impl SettingInput {
    /// `None` for an entry with no source or two: it is reported and left out.
    fn read(self, at: &JsonPath, out: &mut Vec<Diagnostic>) -> Result<Option<Setting>, Error> {
        let place = OptionPath::parse(&self.path).map_err(|PathError { message, offset, hint }| {
            let message = format!("the option path `{}` is wrong at character {}: {message}", self.path, offset + 1);
            Error::new(Code::BadOptionPath, message).at(at.key("path")).maybe_hint(hint)
        })?;
        let value = self.value.0.as_ref().unwrap_or(&Value::Null);
        refuse_depth(&self.path, &place, value).map_err(|error| error.at(at.pointer()))?;
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

impl OptionAnswer {
    pub fn of(option: Effective, reveal: bool) -> OptionAnswer {
        let (value, value_from) = split_revealing_if(reveal, Some(option.source));
        OptionAnswer { from: option.from, path: option.path, value, value_from }
    }
}

impl OriginAnswer {
    fn of(origin: &LayerValue) -> OriginAnswer {
        let (value, value_from) = split(origin.source.clone());
        let (layer, via) = (origin.layer.clone(), origin.via.clone());
        OriginAnswer { layer, merge: origin.deep.then_some(Merge::Deep), value, value_from, via }
    }
}
