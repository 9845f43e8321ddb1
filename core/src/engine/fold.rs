//! Lays layers over each other, lowest first, and keeps who set each value.
//!
//! The unit is the option; a later layer replaces its value. An entry may ask for `merge: deep` instead: then maps
//! merge key by key and null drops a key. Option paths nest: a later `tls` replaces what earlier layers set at
//! `tls.enabled`, and a later `tls.enabled` is set inside an earlier `tls`. The origin of every value falls out of the
//! folding itself: an option's chain is the list of its contributions, winner first.

mod merge;
mod nested;
mod tree;

use merge::{Contribution, merge, warn_mismatches};
pub use nested::{is_above, project, replaces};

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::rendered::Origin;
use crate::engine::select::{Cluster, Selector, selects};
use crate::object::concealed::Concealed;
use crate::object::document::Identity;
use crate::object::weight::depth;
use crate::value::collections::SortedMap;
use crate::value::path::{OptionPath, OptionStep, PathError, Pointer};
use crate::value::sorting::sort_by;
use crate::value::text::order;
use crate::value::{Text, Value, index_text, json};

/// One source of values for a cluster. Its place in the list is its rank.
#[derive(Clone, Debug)]
pub struct Layer {
    pub name: Text,
    /// What it was read from, where that is a document.
    pub document: Option<Arc<Identity>>,
    /// For which clusters; without it, for all.
    pub when: Option<Selector>,
    pub set: Vec<Setting>,
}

impl Layer {
    /// A finding about this layer, which names the document that the layer was read from.
    fn finding(&self, finding: Diagnostic) -> Diagnostic {
        match &self.document {
            Some(document) => finding.of(document),
            None => finding,
        }
    }
}

/// One option that a layer sets.
#[derive(Clone, Debug)]
pub struct Setting {
    /// As it was written: options are matched by exact text.
    pub path: Text,
    pub place: OptionPath,
    pub source: Source,
    pub deep: bool,
    /// Its path in the request, or in the document it was read from.
    pub at: Pointer,
}

impl Setting {
    /// An option with a plain value, which replaces what lower layers set.
    ///
    /// # Errors
    ///
    /// The path is not an option path.
    pub fn new(path: &str, value: impl Into<Value>) -> Result<Setting, PathError> {
        let (place, source) = (OptionPath::parse(path)?, Source::Value(value.into()));
        Ok(Setting { path: path.into(), place, source, deep: false, at: Pointer::root() })
    }
}

/// How deep an option and its value may be nested together: the values of a result must fit into an answer that can be
/// read again. Each level has a path of its own, so that the cost grows with the square of the levels.
pub const MAX_LEVELS: usize = json::MAX_DEPTH - 8;

/// Refuses an option that is nested deeper than [`MAX_LEVELS`].
///
/// # Errors
///
/// [`Code::TooDeep`].
///
/// # Example
///
/// ```
/// use fleetfold_core::{diagnostic::Code, engine::fold::refuse_depth, value::{Value, path::OptionPath}};
///
/// let nested = |levels: usize| OptionPath::parse(&vec!["a"; levels].join(".")).unwrap();
/// assert!(refuse_depth("a.a", &nested(2), &Value::from(1_i64)).is_ok());
/// assert_eq!(refuse_depth("a.…", &nested(100), &Value::from(1_i64)).unwrap_err().code, Code::TooDeep);
/// ```
pub fn refuse_depth(path: &str, place: &OptionPath, value: &Value) -> Result<(), Error> {
    if place.steps().len().saturating_add(depth(value)) <= MAX_LEVELS {
        return Ok(());
    }
    let start: String = path.chars().take(40).collect();
    let shown = if start.len() < path.len() { format!("{start}…") } else { start };
    let message = format!("the option `{shown}` and its value are nested deeper than {MAX_LEVELS} levels");
    Err(Error::new(Code::TooDeep, message).hint("set an option higher up, or a value with fewer levels"))
}

/// Where the value of an option comes from.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Source {
    Value(Value),
    /// A reference, such as to a key of a Secret. It stays one: the engine never sees what it points to.
    Reference(Value),
}

impl Source {
    /// The source without what must not be shown.
    pub fn without(mut self, concealed: &Concealed) -> Source {
        if let Source::Value(value) = &mut self {
            concealed.mask(value);
        }
        self
    }
}

/// The effective options of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Folded {
    /// By path.
    pub options: Vec<Effective>,
    /// Winner first. A deeply merged map also has a chain for each of its leaves.
    pub origins: Origins,
    /// What Helm would get; references are left out.
    pub values: Value,
}

/// One effective option.
#[derive(Clone, Debug, PartialEq)]
pub struct Effective {
    pub path: Text,
    pub from: Text,
    pub source: Source,
    /// Where an option that names the cluster is written; others have that in their chain.
    pub origin: Option<Arc<Origin>>,
}

/// One layer in the chain of an option.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerValue {
    pub layer: Text,
    pub document: Option<Arc<Identity>>,
    /// The place of the setting in the document.
    pub at: Pointer,
    /// None where the layer sets a parent of the option, and has nothing for it there.
    pub source: Option<Source>,
    pub deep: bool,
    /// The option that the layer sets, where that is a parent of this one.
    pub via: Option<Text>,
}

/// The chain of every option and leaf, by path.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Sorted. All chains lie in one list: there is one for every leaf, and a list for each would cost more than they
    /// do.
    chains: Vec<(Text, Range<usize>)>,
    said: Vec<LayerValue>,
}

impl Folded {
    /// The options without what must not be shown.
    pub fn without(mut self, concealed: &Concealed) -> Folded {
        if concealed.is_empty() {
            return self;
        }
        let mask = |source: &mut Source| {
            if let Source::Value(value) = source {
                concealed.mask(value);
            }
        };
        self.options.iter_mut().for_each(|it| mask(&mut it.source));
        self.origins.for_each_mut(|_, it| it.source.iter_mut().for_each(mask));
        concealed.mask(&mut self.values);
        self
    }
}

impl Origins {
    fn push(&mut self, path: Text, chain: impl Iterator<Item = LayerValue>) {
        let start = self.said.len();
        self.said.extend(chain);
        self.chains.push((path, start..self.said.len()));
    }

    /// Sorts what was pushed in nearly the right order. Of two chains for one path, the later one counts.
    fn sort(&mut self) {
        sort_by(&mut self.chains, |(a, _), (b, _)| order(a, b));
        self.chains.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                std::mem::swap(later, earlier);
            }
            same
        });
    }

    /// The chain of an option or leaf, winner first.
    pub fn get(&self, path: &str) -> Option<&[LayerValue]> {
        let at = self.chains.binary_search_by(|(it, _)| order(it, path)).ok()?;
        self.said.get(self.chains.get(at)?.1.clone())
    }

    /// All chains, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &[LayerValue])> {
        self.chains.iter().filter_map(|(path, chain)| Some((path, self.said.get(chain.clone())?)))
    }

    pub fn for_each_mut(&mut self, mut visit: impl FnMut(&Text, &mut LayerValue)) {
        for (path, chain) in &self.chains {
            self.said.get_mut(chain.clone()).into_iter().flatten().for_each(|origin| visit(path, origin));
        }
    }
}

impl PartialEq for Origins {
    fn eq(&self, other: &Origins) -> bool {
        self.iter().eq(other.iter())
    }
}

/// Folds the layers that apply to `cluster`.
///
/// In compat mode the result is that of Greenhouse: if a layer has a name twice, later layers replace the first
/// occurrence while the last one wins; trees are built in list order; and options that cannot both be placed are an
/// error.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::fold::{Layer, Setting, fold};
/// use fleetfold_core::{diagnostic::Mode, engine::select::Cluster};
///
/// let layer = |name: &str, when: Option<&str>, replicas: i64| Layer {
///     name: name.into(),
///     document: None,
///     when: when.map(|it| it.parse().unwrap()),
///     set: vec![Setting::new("replicas", replicas).unwrap()],
/// };
/// let layers = [layer("default", None, 2), layer("preset", None, 3), layer("override", Some("env=prod"), 5)];
/// let prod = Cluster { name: "eu-1".into(), labels: [("env", "prod")].into_iter().collect(), ..Cluster::default() };
/// let folded = fold(&layers, Some(&prod), Mode::Strict, &mut Vec::new())?;
/// assert_eq!(folded.values.to_canonical(), r#"{"replicas":5}"#);
/// let chain: Vec<&str> = folded.origins.get("replicas").unwrap().iter().map(|it| it.layer.as_str()).collect();
/// assert_eq!(chain, ["override", "preset", "default"], "the winner is first");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn fold(
    layers: &[Layer],
    cluster: Option<&Cluster>,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Result<Folded, Error> {
    let mut applied = Vec::new();
    for (index, layer) in layers.iter().enumerate() {
        let applies = match (&layer.when, cluster) {
            (None, _) => true,
            (Some(selector), Some(cluster)) => selects(selector, cluster),
            (Some(_), None) => {
                let message = format!("the layer `{}` depends on the cluster, and none is given", layer.name);
                return Err(Error::new(Code::MissingCluster, message).at(["layers", &index_text(index), "when"]));
            }
        };
        if applies {
            applied.push(layer);
        }
    }
    fold_applied(&applied, mode, out)
}

/// Folds layers that are known to apply.
///
/// # Errors
///
/// In compat mode, options that cannot both be placed.
///
/// # Example
///
/// ```
/// use fleetfold_core::{diagnostic::Mode, engine::fold::{Layer, Setting, fold_applied}};
///
/// let set = vec![Setting::new("image.tag", "1.4.0").unwrap(), Setting::new("hosts[0]", "shop.example.com").unwrap()];
/// let layer = Layer { name: "preset".into(), document: None, when: None, set };
/// let folded = fold_applied(&[&layer], Mode::Strict, &mut Vec::new())?;
/// assert_eq!(folded.values.to_canonical(), r#"{"hosts":["shop.example.com"],"image":{"tag":"1.4.0"}}"#);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn fold_applied(applied: &[&Layer], mode: Mode, out: &mut Vec<Diagnostic>) -> Result<Folded, Error> {
    let applied: Vec<(usize, &Layer)> = applied.iter().copied().enumerate().collect();
    match mode {
        Mode::Strict => Ok(fold_strict(&applied, out)),
        Mode::Compat => fold_compat(&applied, ListOrder::AsWritten, out),
    }
}

/// Folds layers that are known to apply as Greenhouse does for a definition that declares options: it sorts the list by
/// name before Helm builds the tree.
///
/// # Errors
///
/// Options that cannot both be placed.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::fold::{Layer, Setting, fold_compat_sorted};
///
/// let set = vec![Setting::new("a.y", 2_i64).unwrap(), Setting::new("a", "x").unwrap()];
/// let layer = Layer { name: "preset".into(), document: None, when: None, set };
/// assert!(fold_compat_sorted(&[&layer], &mut Vec::new()).is_err(), "`a.y` does not fit below `a`");
/// ```
pub fn fold_compat_sorted(applied: &[&Layer], out: &mut Vec<Diagnostic>) -> Result<Folded, Error> {
    let applied: Vec<(usize, &Layer)> = applied.iter().copied().enumerate().collect();
    fold_compat(&applied, ListOrder::ByName, out)
}

/// In which order options are placed in the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListOrder {
    AsWritten,
    ByName,
}

fn fold_strict(applied: &[(usize, &Layer)], out: &mut Vec<Diagnostic>) -> Folded {
    let mut chains: SortedMap<&Text, Vec<Contribution>> = SortedMap::new();
    for (index, layer) in applied {
        for setting in &layer.set {
            let chain = chains.entry(&setting.path).or_default();
            // A layer speaks once for an option; of two entries the last one counts.
            if chain.last().is_some_and(|it| it.index == *index) {
                let message = format!("the layer `{}` sets `{}` twice; the last one counts", layer.name, setting.path);
                let mut path = setting.at.clone();
                path.push("path");
                out.push(layer.finding(Diagnostic::warning(Code::DuplicateOption, message).at(path)));
                chain.pop();
            }
            chain.push(Contribution::new(*index, layer, setting));
        }
    }
    let mut folded = Folded::default();
    let mut winners = Vec::with_capacity(chains.len());
    for (path, place, chain) in nested::with_parents(&chains) {
        let Some(winner) = chain.last() else { continue };
        warn_mismatches(&chain, out);
        folded.origins.push(path.clone(), chain.iter().rev().map(Contribution::origin));
        let source = match winner.value {
            Some(Value::Map(_)) if winner.setting.deep => Some(Source::Value(merge(path, &chain, &mut folded.origins))),
            Some(Value::Null) if winner.through_parent => None,
            _ => winner.source(),
        };
        // A parent without the key removes the option.
        let Some(source) = source else { continue };
        folded.options.push(Effective { path: path.clone(), from: winner.layer.name.clone(), source, origin: None });
        winners.push((winner.layer, tree::Entry { place, at: &winner.setting.at }));
    }
    folded.origins.sort();
    folded.values = tree::place(folded.options.iter().zip(winners), out);
    folded
}

/// A result with per-cluster options on top. An option of the layer that already won replaces the value of that layer;
/// any other option becomes a layer of its own.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::fold::{Effective, Folded, Source, with_per_cluster};
///
/// let name = Effective {
///     path: "global.cluster".into(),
///     from: "injected".into(),
///     source: Source::Value("eu-1".into()),
///     origin: None,
/// };
/// let folded = with_per_cluster(&Folded::default(), &[name]);
/// assert_eq!(folded.values.to_canonical(), r#"{"global":{"cluster":"eu-1"}}"#);
/// ```
pub fn with_per_cluster(folded: &Folded, per_cluster: &[Effective]) -> Folded {
    let mut all = folded.clone();
    let mut padding = tree::MAX_PADDING;
    let places = Places::of(per_cluster, &folded.options);
    for option in per_cluster {
        let Effective { path, from, source, origin } = option;
        match all.options.binary_search_by(|it| order(&it.path, path)) {
            Ok(at) => all.options.get_mut(at).into_iter().for_each(|it| *it = option.clone()),
            Err(at) => all.options.insert(at, option.clone()),
        }
        let mut chain = all.origins.get(path).unwrap_or_default().to_vec();
        match chain.first_mut().filter(|it| it.layer == *from) {
            // Its layer decides the meaning for this cluster.
            Some(top) => top.source = Some(source.clone()),
            None => {
                let (layer, source) = (from.clone(), Some(source.clone()));
                let document = origin.as_ref().map(|it| Arc::clone(&it.document));
                let at = origin.as_ref().map(|it| it.path.clone()).unwrap_or_default();
                chain.insert(0, LayerValue { layer, document, at, source, deep: false, via: None });
            }
        }
        all.origins.push(path.clone(), chain.into_iter());
        if let (Source::Value(value), Ok(place)) = (source, OptionPath::parse(path)) {
            // Conflicts were refused when the options were placed.
            let _ = tree::put(&mut all.values, place.steps(), value.clone(), &mut padding);
            put_children(&mut all, &place, &places, &mut padding);
        }
    }
    all.origins.sort();
    all
}

/// The options by their places in the tree, to find those below another one.
struct Places(SortedMap<Vec<OptionStep>, Vec<Text>>);

impl Places {
    fn of(per_cluster: &[Effective], shared: &[Effective]) -> Places {
        let mut places: SortedMap<Vec<OptionStep>, Vec<Text>> = SortedMap::new();
        for option in per_cluster.iter().chain(shared) {
            if let Ok(place) = OptionPath::parse(&option.path) {
                let paths = places.entry(place.steps().to_vec()).or_default();
                if !paths.contains(&option.path) {
                    paths.push(option.path.clone());
                }
            }
        }
        Places(places)
    }

    /// The options below a place, by path.
    fn below(&self, parent: &[OptionStep]) -> Vec<(&[OptionStep], &Text)> {
        let from = self.0.iter_from(parent).take_while(|(place, _)| place.starts_with(parent));
        let below = from.filter(|(place, _)| place.len() > parent.len());
        let mut below: Vec<_> =
            below.flat_map(|(place, paths)| paths.iter().map(|path| (place.as_slice(), path))).collect();
        sort_by(&mut below, |(_, a), (_, b)| order(a, b));
        below
    }
}

/// Puts the options below a path into the tree again, after the value of their parent was replaced there.
fn put_children(all: &mut Folded, parent: &OptionPath, places: &Places, padding: &mut usize) {
    let Folded { options, values, .. } = all;
    for (place, path) in places.below(parent.steps()) {
        let option = options.binary_search_by(|it| order(&it.path, path)).ok().and_then(|at| options.get(at));
        if let Some(Effective { source: Source::Value(value), .. }) = option {
            let _ = tree::put(values, place, value.clone(), padding);
        }
    }
}

fn fold_compat(applied: &[(usize, &Layer)], list_order: ListOrder, out: &mut Vec<Diagnostic>) -> Result<Folded, Error> {
    let mut list: Vec<Contribution> = Vec::new();
    let mut entries: SortedMap<&Text, Entries> = SortedMap::new();
    for (index, layer) in applied {
        for setting in &layer.set {
            let next = Contribution::new(*index, layer, setting);
            // The first entry of an earlier layer is replaced in its place; repeated entries of one layer are appended.
            let entries = entries.entry(&setting.path).or_default();
            match entries.of_earlier(*index).and_then(|at| list.get_mut(at)) {
                Some(place) => *place = next,
                None => {
                    entries.push(list.len());
                    list.push(next);
                }
            }
        }
    }
    if list_order == ListOrder::ByName {
        sort_by(&mut list, |a, b| order(&a.setting.path, &b.setting.path));
    }
    let winners: SortedMap<&Text, Contribution> = list.iter().map(|it| (&it.setting.path, *it)).collect();
    let mut folded = Folded::default();
    let said = said_of(applied);
    for (path, winner) in &winners {
        let said = said.get(path).map(Vec::as_slice).unwrap_or_default();
        let (path, from) = ((*path).clone(), winner.layer.name.clone());
        folded.origins.push(path.clone(), compat_chain(said, winner).into_iter());
        folded.options.push(Effective { path, from, source: winner.setting.source.clone(), origin: None });
    }
    folded.origins.sort();
    let settled: SortedMap<&Text, tree::Placed> = folded
        .options
        .iter()
        .zip(winners.values().map(|winner| winner.setting))
        .map(|(it, Setting { place, at, .. })| (&it.path, (it, tree::Entry { place, at })))
        .collect();
    folded.values = tree::place_in_order(list.iter().filter_map(|it| settled.get(&it.setting.path).copied()))?;
    nested::warn_of_children(&winners, &folded, out);
    Ok(folded)
}

/// The entries of one option in Greenhouse's list.
#[derive(Debug, Default)]
pub struct Entries {
    places: Vec<usize>,
    /// The layer that replaces them now, and how many it has replaced or added.
    layer: usize,
    done: usize,
}

impl Entries {
    /// The first entry that is of an earlier layer. It is replaced.
    pub fn of_earlier(&mut self, layer: usize) -> Option<usize> {
        if self.layer != layer {
            (self.layer, self.done) = (layer, 0);
        }
        let found = self.places.get(self.done).copied();
        self.done = self.done.saturating_add(usize::from(found.is_some()));
        found
    }

    /// Adds an entry at a place of the list, of the last requested layer.
    pub fn push(&mut self, place: usize) {
        self.places.push(place);
        self.done = self.places.len();
    }
}

/// All contributions by option, latest first.
fn said_of<'a>(applied: &[(usize, &'a Layer)]) -> SortedMap<&'a Text, Vec<Contribution<'a>>> {
    let mut said: SortedMap<&Text, Vec<Contribution>> = SortedMap::new();
    for (index, layer) in applied.iter().rev() {
        for setting in layer.set.iter().rev() {
            said.entry(&setting.path).or_default().push(Contribution::new(*index, layer, setting));
        }
    }
    said
}

/// All contributions to an option, winner first and then latest first. In Greenhouse the winner need not be the latest.
fn compat_chain(said: &[Contribution], winner: &Contribution) -> Vec<LayerValue> {
    let losers = said.iter().filter(|it| !std::ptr::eq(it.setting, winner.setting));
    std::iter::once(winner.origin()).chain(losers.map(|it| it.origin())).collect()
}
