//! `effective`: what each cluster gets from a subject; equal results are told once.

use std::sync::Arc;

use super::fold::{OptionAnswer, cover_parts};
use super::null::Explicit;
use super::place::{PlaceAnswer, split};
use super::record::{Encode, Shape, Shaped};
use super::retain::RetainedField;
use super::{Refusal, WorkspaceOperation};
use crate::diagnostic::{Code, Diagnostic, Error, Location};
use crate::engine::fold::{Effective, Folded, with_per_cluster};
use crate::engine::rendered::{FieldOrigin, Origin, Rendered, RenderedObject};
use crate::engine::select::Cluster;
use crate::object::document::{Document, Identity, Reference};
use crate::object::secrets;
use crate::record;
use crate::value::JsonPath;
use crate::value::canonical::Writer;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::Pointer;
use crate::value::sorting::{sort, sort_by};
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::lint::place;
use crate::workspace::results::{ClusterResult, SubjectEntry};
use crate::workspace::store::{Store, View};
use crate::workspace::targets::Targets;

record! {
    request
    /// What each cluster gets from a subject.
    pub struct EffectiveRequest {
        /// What produces results: a PluginPreset, a federated object, a Placement and the like.
        subject "subject": Text,
        /// Only these clusters.
        clusters "clusters": Option<Vec<Text>>,
        /// Also say where every value comes from.
        origins "origins": Option<bool>,
        /// Carry what Secrets hold; only who writes objects to files or clusters needs it. Origins stay masked.
        reveal "reveal": Option<bool>,
    }
}

record! {
    answer
    /// By first cluster.
    pub struct EffectiveAnswer {
        subject "subject": String,
        results "results": Vec<Group>,
    }
}

record! {
    answer
    /// What some clusters get, all of them the same.
    pub struct ResultAnswer<'a> {
        clusters "clusters": Vec<Text>,
        /// Why these clusters cannot be answered.
        error "error": Option<Refusal>,
        /// Of a placement: the decision group.
        group "group": Option<GroupAnswer>,
        objects "objects": Option<Vec<ProductAnswer<'a>>>,
        options "options": Option<Vec<OptionAnswer<'a>>>,
        /// For each option the layers that set it, winner first.
        origins "origins": Option<SortedMap<Text, Vec<LayerAnswer>>>,
        /// Options that differ inside the group because they name the cluster.
        own "own": Option<SortedMap<Text, Vec<OptionAnswer<'a>>>>,
        /// The tree that Helm would get; references are left out.
        values "values": Option<&'a Value>,
    }
}

record! {
    answer
    /// A decision group of a placement.
    pub struct GroupAnswer {
        name "name": Option<Text>,
        index "index": i64,
    }
}

record! {
    answer
    /// An object that a cluster should have.
    pub struct ProductAnswer<'a> {
        object "object": Value,
        /// Where the object is written, before layers: values that `origins` does not have are its own.
        base "base": Option<PlaceAnswer>,
        /// By JSON pointer what layers and retention touched, winner first.
        origins "origins": Option<ProductOrigins<'a>>,
        /// What the live object gave.
        retained "retained": Option<Vec<RetainedField>>,
        wave "wave": i64,
    }
}

record! {
    answer
    /// What one layer says, and where.
    pub struct LayerAnswer {
        layer "layer": Text,
        document "document": Option<Text>,
        path "path": Option<Pointer>,
        file "file": Option<String>,
        line "line": Option<i64>,
        column "column": Option<i64>,
        value "value": Option<Explicit>,
        value_from "valueFrom": Option<Value>,
    }
}

/// Clusters with the same result, which is written already but for their names.
#[derive(Clone, Debug)]
pub struct Group {
    clusters: Vec<Text>,
    /// `{"clusters":[]`, then the rest.
    written: Arc<str>,
}

const NO_CLUSTERS: &str = "{\"clusters\":[]";

impl Encode for Group {
    fn write(&self, out: &mut Writer) {
        out.open('{');
        super::field(out, "\"clusters\":", &self.clusters);
        out.raw(self.written.strip_prefix(NO_CLUSTERS).unwrap_or_default());
    }
}

impl Shaped for Group {
    const SHAPE: Shape = ResultAnswer::SHAPE;
}

/// The subject that a request names.
pub fn subject_of(workspace: &Workspace, text: &Text, at: &JsonPath) -> Result<Identity, Error> {
    let found = Reference::parse(text).and_then(|it| workspace.store.find(&it)).map_err(|error| error.at(at))?;
    if workspace.results.get(&found.identity).is_none() {
        let message = format!("`{text}` produces no results");
        let hint = "a subject is a PluginPreset, Plugin, ManagedClusterSet, Placement, federated object, OperatorVersion or \
                    CertManagerDeployment of a dialect that is configured";
        return Err(Error::new(Code::NotASubject, message).at(at).hint(hint));
    }
    Ok(found.identity.clone())
}

/// The cluster that a request names, as its subject knows it.
pub fn cluster_of(store: &Store, state: &SubjectEntry, name: &Text, at: &JsonPath) -> Result<Cluster, Error> {
    let subject = state.subject().map_err(Error::clone)?;
    match subject.targets() {
        Targets::Hub if name.is_empty() => Ok(Cluster::default()),
        Targets::Hub => {
            let message = "the subject is of the hub, which is the cluster without a name";
            Err(Error::new(Code::UnknownCluster, message).at(at).hint("write `\"cluster\": \"\"`"))
        }
        Targets::Fleet(scope, _) => store.fleet(scope).and_then(|fleet| fleet.get(name)).cloned().ok_or_else(|| {
            let fleet = store.fleet(scope);
            let known = fleet.iter().flat_map(|fleet| fleet.clusters().map(|it| it.name.as_str()));
            let error =
                Error::new(Code::UnknownCluster, format!("there is no cluster `{name}` in the subject's fleet"));
            error.at(at).maybe_hint(crate::value::suggest::did_you_mean(name, known))
        }),
    }
}

impl WorkspaceOperation for EffectiveRequest {
    const NAME: &'static str = "effective";
    type Answer = EffectiveAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<EffectiveAnswer, Error> {
        workspace.refresh(None);
        let identity = subject_of(workspace, &self.subject, &JsonPath::ROOT.key("subject"))?;
        let Workspace { store, results, .. } = workspace;
        let Some(state) = results.get(&identity) else {
            return Ok(EffectiveAnswer { subject: identity.to_string(), results: Vec::new() });
        };
        let subject = state.subject().map_err(Error::clone)?;
        for (index, name) in self.clusters.iter().flatten().enumerate() {
            cluster_of(store, state, name, &JsonPath::ROOT.key("clusters").index(index))?;
        }
        out.extend(state.diagnostics().iter().cloned());
        let view = View { store, now: None };
        let picked: Vec<(&Text, &ClusterResult)> = match &self.clusters {
            None => state.cluster_results().iter().collect(),
            // Each is looked up: a few clusters of a large fleet must not cost the fleet.
            Some(names) => {
                let names: SortedSet<&Text> = names.iter().collect();
                names.into_iter().filter_map(|name| state.cluster_results().get_key_value(name)).collect()
            }
        };
        let own = |name: &Text| {
            let cluster = cluster_of(store, state, name, &JsonPath::ROOT).unwrap_or_default();
            subject.per_cluster_options(view, &cluster)
        };
        let shown = Shown { origins: self.origins.unwrap_or(false), secrets: self.reveals() };
        let groups = group(picked.into_iter(), store, shown, own, out);
        out.iter_mut().for_each(|it| place(it, store));
        Ok(EffectiveAnswer { subject: identity.to_string(), results: groups })
    }

    fn reveals(&self) -> bool {
        self.reveal.unwrap_or(false)
    }
}

/// What a result shows beside itself.
#[derive(Clone, Copy)]
struct Shown {
    origins: bool,
    /// What Secrets hold.
    secrets: bool,
}

/// What one write of a result needs to know of several clusters.
struct Draft<'a> {
    cluster_result: &'a ClusterResult,
    clusters: Vec<&'a Text>,
}

fn group<'a>(
    cluster_results: impl Iterator<Item = (&'a Text, &'a ClusterResult)>,
    store: &Store,
    shown: Shown,
    own: impl Fn(&Text) -> Vec<Effective>,
    out: &mut Vec<Diagnostic>,
) -> Vec<Group> {
    // Results that are shared are the same; others may still be equal, which their text tells.
    let mut shared: SortedMap<usize, usize> = SortedMap::new();
    let mut drafts: Vec<Draft> = Vec::new();
    for (name, cluster_result) in cluster_results {
        let key = match &cluster_result.rendered {
            Ok(rendered) => Arc::as_ptr(rendered).addr(),
            Err(error) => Arc::as_ptr(error).addr(),
        };
        let at = *shared.entry(key).or_insert(drafts.len());
        match drafts.get_mut(at) {
            Some(draft) => draft.clusters.push(name),
            None => drafts.push(Draft { cluster_result, clusters: vec![name] }),
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    // Like results begin alike, so that their texts are compared only where their fingerprints are equal.
    let mut known: SortedMap<(u64, Arc<str>), usize> = SortedMap::new();
    let mut sources = Sources { store, known: Vec::new() };
    let mut writer = if shown.secrets { Writer::default() } else { Writer::redacting(secrets::REDACTION) };
    let mut told = Vec::new();
    for draft in drafts {
        let own: SortedMap<Text, Vec<Effective>> =
            draft.clusters.iter().map(|name| ((*name).clone(), own(name))).filter(|(_, own)| !own.is_empty()).collect();
        if shown.origins
            && let Ok(rendered) = &draft.cluster_result.rendered
        {
            sources.learn(rendered);
        }
        write(draft.cluster_result, &sources, shown, &own, &mut told, &mut writer);
        let written = writer.take();
        let clusters = draft.clusters.into_iter().cloned();
        let key = (fingerprint(&written), Arc::clone(&written));
        match known.get(&key).and_then(|at| groups.get_mut(*at)) {
            Some(group) => group.clusters.extend(clusters),
            None => {
                known.insert(key, groups.len());
                groups.push(Group { clusters: clusters.collect(), written });
            }
        }
    }
    for group in &mut groups {
        sort(&mut group.clusters);
    }
    sort_by(&mut groups, |a, b| a.clusters.cmp(&b.clusters));
    for finding in told {
        if !out.contains(&finding) {
            out.push(finding);
        }
    }
    groups
}

/// A number that equal texts share and few others do.
fn fingerprint(text: &str) -> u64 {
    let (words, rest) = text.as_bytes().as_chunks();
    let sum = words.iter().fold(0_u64, |sum, word| sum.rotate_left(5).wrapping_add(u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| sum.rotate_left(5).wrapping_add(u64::from(*byte)))
}

fn write(
    cluster_result: &ClusterResult,
    sources: &Sources,
    shown: Shown,
    own: &SortedMap<Text, Vec<Effective>>,
    told: &mut Vec<Diagnostic>,
    writer: &mut Writer,
) {
    let mut answer = ResultAnswer {
        clusters: Vec::new(),
        error: None,
        group: None,
        objects: None,
        options: None,
        origins: None,
        own: None,
        values: None,
    };
    let rendered = match &cluster_result.rendered {
        Ok(rendered) => rendered,
        Err(error) => {
            answer.error = Some(Refusal::of(error));
            return answer.write(writer);
        }
    };
    told.extend(rendered.diagnostics.iter().cloned());
    let folded =
        rendered.options.as_ref().map(|folded| if shown.secrets { merged(folded, own) } else { single(folded, own) });
    if let Some(folded) = &folded {
        answer.options = Some(folded.options.iter().map(OptionAnswer::of).collect());
        answer.values = Some(&folded.values);
        answer.origins = shown.origins.then(|| option_origins(folded, sources.store));
    }
    if own.len() > 1 {
        let own = own.iter().map(|(name, own)| (name.clone(), own.iter().map(OptionAnswer::of).collect()));
        answer.own = Some(own.collect());
    }
    if !rendered.objects.is_empty() {
        answer.objects =
            Some(rendered.objects.iter().map(|it| ProductAnswer::of(it, sources, shown.origins)).collect());
    }
    answer.group = rendered
        .group
        .as_ref()
        .map(|it| GroupAnswer { name: Some(it.name.clone()).filter(|it| !it.is_empty()), index: it.index });
    answer.write(writer);
}

/// The options of one cluster with its own; of several, what they share.
fn merged(folded: &Folded, own: &SortedMap<Text, Vec<Effective>>) -> Folded {
    match own.values().next() {
        Some(only) if own.len() == 1 => with_per_cluster(folded, only),
        _ => folded.clone(),
    }
}

/// The same without what Secrets among them hold.
pub fn single(folded: &Folded, own: &SortedMap<Text, Vec<Effective>>) -> Folded {
    let mut folded = merged(folded, own);
    if secrets::holds_secret(&folded.values) {
        cover_parts(&mut folded);
    }
    folded
}

fn option_origins(folded: &Folded, store: &Store) -> SortedMap<Text, Vec<LayerAnswer>> {
    let mut origins = SortedMap::new();
    for (path, chain) in folded.origins.iter() {
        let chain = chain.iter().map(|it| {
            let cause = crate::workspace::compare::setter(it);
            LayerAnswer::of(&cause, split(Some(&it.source)), store)
        });
        origins.insert(path.clone(), chain.collect());
    }
    origins
}

impl LayerAnswer {
    pub fn of(
        cause: &crate::workspace::compare::Cause,
        (value, value_from): (Option<Explicit>, Option<Value>),
        store: &Store,
    ) -> LayerAnswer {
        let Location { document, path, file, place } =
            cause.origin.as_ref().map(|it| store.locate(it)).unwrap_or_default();
        let (line, column) = (place.map(|it| it.line.into()), place.map(|it| it.column.into()));
        let document = document.map(Text::from);
        LayerAnswer { layer: cause.layer.clone(), document, path, file, line, column, value, value_from }
    }
}

/// Finds documents by their identities, and keeps their names: in many results the same few have a word.
#[derive(Debug)]
pub struct Sources<'a> {
    store: &'a Store,
    /// By the place in memory of an identity, which results share.
    known: Vec<(usize, Option<&'a Document>, Text)>,
}

impl<'a> Sources<'a> {
    const MOST: usize = 16;

    fn layer(&self, touched: &FieldOrigin, value: Option<Explicit>) -> LayerAnswer {
        let mut answer = LayerAnswer {
            layer: touched.layer.clone(),
            document: None,
            path: None,
            file: None,
            line: None,
            column: None,
            value,
            value_from: None,
        };
        let Some(Origin { document, path }) = &touched.origin else { return answer };
        let (source, name) = self.find(document);
        answer.document = Some(name);
        answer.path = Some(path.clone());
        let (file, place) = source.map(|it| it.place(path)).unwrap_or_default();
        answer.file = file;
        (answer.line, answer.column) = (place.map(|it| it.line.into()), place.map(|it| it.column.into()));
        answer
    }

    /// Finds the documents that have a word in an outcome, before it is written.
    fn learn(&mut self, rendered: &Rendered) {
        let touched = rendered.objects.iter().flat_map(|it| &it.origins).flat_map(|(_, chain)| chain);
        for Origin { document, .. } in touched.filter_map(|it| it.origin.as_ref()) {
            // Where they are many after all, looking through what is known would cost more than it spares.
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

/// The origins of a product, written straight from it: they are as long as the object itself.
#[derive(Clone, Debug)]
pub struct ProductOrigins<'a> {
    product: &'a RenderedObject,
    sources: &'a Sources<'a>,
}

impl Encode for ProductOrigins<'_> {
    fn write(&self, out: &mut Writer) {
        let RenderedObject { object, origins, .. } = self.product;
        let mut touched: Vec<&(Pointer, Vec<FieldOrigin>)> = origins.iter().collect();
        sort_by(&mut touched, |(a, _), (b, _)| a.text_order(b));
        out.open('{');
        for (place, chain) in touched {
            // The writer covers what is a Secret, but cannot know what is a part of one.
            let is_hidden = secrets::is_hidden(&[object], place);
            let shown = |value: &Value| Explicit(if is_hidden { secrets::MASK.into() } else { value.clone() });
            out.pointer_key(place);
            out.list(chain, |out, it| self.sources.layer(it, it.value.as_ref().map(shown)).write(out));
        }
        out.close('}');
    }
}

impl Shaped for ProductOrigins<'_> {
    const SHAPE: Shape = SortedMap::<Text, Vec<LayerAnswer>>::SHAPE;
}

impl<'a> ProductAnswer<'a> {
    fn of(product: &'a RenderedObject, sources: &'a Sources<'a>, origins: bool) -> ProductAnswer<'a> {
        let RenderedObject { object, base, retained, wave, .. } = product;
        ProductAnswer {
            object: object.clone(),
            base: Some(PlaceAnswer::of(sources.store.locate(base))),
            origins: origins.then_some(ProductOrigins { product, sources }),
            retained: Some(RetainedField::list(retained)).filter(|it| !it.is_empty()),
            wave: *wave,
        }
    }
}

impl Rendered {
    /// The object that a request names, or the only one.
    pub fn object(&self, name: Option<&Text>, at: &JsonPath) -> Result<Option<&RenderedObject>, Error> {
        let named = |it: &&RenderedObject| {
            name.is_none_or(|name| Identity::of(&it.object).is_ok_and(|it| it.to_string() == **name))
        };
        let mut found = self.objects.iter().filter(named);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => {
                let names = self.objects.iter().filter_map(|it| Identity::of(&it.object).ok()).map(|it| it.to_string());
                let error = Error::new(Code::AmbiguousObject, "the subject gives several objects, and none is named");
                Err(error.at(at).hint(format!("one of: {}", names.collect::<Vec<_>>().join(", "))))
            }
            (one, _) => Ok(one),
        }
    }
}
