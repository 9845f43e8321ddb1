//! The layers of one preset or plugin, and what a cluster gets from them.

use std::sync::Arc;

use super::definition::{Definition, Wanted, catalog_parts};
use super::entries::{Part, Reader, expression_of};
use super::expression;
use super::ties::Ties;
use super::{CATALOG, GROUP, ORGANIZATION, OVERRIDE, identity, inject, overrides, steps};
use crate::cel::Allowance;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::fold::{Effective, Folded, Layer, Setting, Source, fold_applied, fold_compat_sorted};
use crate::engine::rendered::Rendered;
use crate::engine::select::layer_index::LayerIndex;
use crate::engine::select::{Cluster, decides};
use crate::object::concealed::Concealed;
use crate::object::document::Identity;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::{OptionPath, OptionStep, Pointer};
use crate::value::sorting::sort_by;
use crate::value::text::order;
use crate::value::{Text, Value};
use crate::workspace::store::{Scope, View};
use crate::workspace::subject::{Dependency, ResultCache};

#[derive(Debug)]
pub struct Stack {
    pub document: Arc<Identity>,
    pub scope: Scope,
    pub wanted: Wanted,
    /// Nothing is written while it is not loaded.
    pub definition: Option<Definition>,
    pub depends: Vec<Dependency>,
    /// Lowest first, but for those of the clusters.
    pub layers: Vec<Layer>,
    /// The errors of each layer.
    errors: Vec<Vec<Diagnostic>>,
    index: LayerIndex,
    /// How many layers are below those of the clusters.
    below_clusters: u32,
    injected: [Layer; 2],
    has_expressions: bool,
    /// The steps that its expressions may take for one cluster.
    steps: u64,
    /// The plain values of secret options, of all layers but those of the clusters: also those that do not apply are
    /// shown.
    concealed: Arc<Concealed>,
    ties: Ties,
    /// Where a missing option would be set.
    place: Pointer,
}

/// What a stack is made from.
pub struct StackInput {
    pub wanted: Wanted,
    /// The `optionValues`, as they were written.
    pub values: Part,
    /// The layers above all overrides.
    pub above: Vec<Part>,
    /// The team that the plugin belongs to.
    pub owner: Text,
    /// The place of the option values.
    pub place: Pointer,
}

/// A layer that applies, with its errors.
type Applied<'a> = (&'a Layer, &'a [Diagnostic]);

impl Stack {
    pub fn new(view: View, reader: Reader, input: StackInput, out: &mut Vec<Diagnostic>) -> Stack {
        let document: Arc<Identity> = Arc::new(reader.document.identity.clone());
        let (namespace, mode) = (&document.namespace, reader.mode);
        let StackInput { wanted, values, above, owner, place } = input;
        let definition = wanted.find(view, out);
        if definition.is_none() {
            out.push(wanted.missing(view, &document));
        }
        let mut parts: Vec<Part> = definition.iter().map(|it| it.defaults.clone()).collect();
        parts.extend(catalog_parts(view, namespace, &wanted.name, mode, out));
        parts.push(values);
        let up_to_values = parts.len();
        parts.extend(overrides::of_organization(view, namespace, out));
        let below_clusters = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        let mut depends: Vec<Dependency> = wanted.candidates.iter().cloned().map(Dependency::Document).collect();
        let all = overrides::for_definition(view, namespace, &wanted.name, out);
        let ties = Ties::new(&all, parts.len(), view.settings.precedence);
        for it in all {
            parts.push(it.part);
            depends.extend(it.depends);
        }
        parts.extend(above);
        report_shadowed(&parts, up_to_values, mode, out);
        if let Some(definition) = &definition {
            let named = ["preset", "plugin", "cluster-option-override", "catalog"];
            for part in parts.iter().filter(|it| named.contains(&it.layer.name.as_str())) {
                definition.report_undeclared(part, out);
            }
        }
        let injected = inject::layers(view, &document, &owner);
        parts.extend(injected.iter().map(|it| Part { layer: it.clone(), errors: Vec::new() }));
        let index = LayerIndex::of(parts.iter().map(|it| it.layer.when.as_ref()));
        let (layers, errors): (Vec<Layer>, Vec<_>) = parts.into_iter().map(|it| (it.layer, it.errors)).unzip();
        depends.push(Dependency::Document(identity(ORGANIZATION, "", namespace)));
        depends.push(Dependency::kind(GROUP, OVERRIDE, Some(namespace)));
        depends.push(Dependency::kind(GROUP, CATALOG, Some(namespace)));
        let scope = super::scope_of(namespace);
        let steps = steps::of_namespace(view, namespace);
        let has_expressions = layers.iter().any(has_expressions);
        let mut concealed = Concealed::default();
        if let Some(definition) = &definition {
            layers.iter().for_each(|it| definition.conceal(it, &mut concealed));
        }
        Stack {
            document,
            scope,
            wanted,
            definition,
            depends,
            layers,
            errors,
            index,
            below_clusters,
            injected,
            has_expressions,
            steps,
            concealed: Arc::new(concealed),
            ties,
            place,
        }
    }

    /// What a cluster gets. Clusters for which the same layers apply share it.
    ///
    /// # Errors
    ///
    /// Labels of the cluster cannot be read, or an expression fails for it; in compat mode also options that cannot
    /// both be placed.
    pub fn effective(&self, view: View, cluster: &Cluster, cache: &mut ResultCache) -> Result<Arc<Rendered>, Error> {
        self.check_labels(view, cluster)?;
        let ranks = self.index.applying(cluster);
        let mode = view.settings.mode;
        let rendered = match overrides::of_cluster(view, &self.scope, &cluster.name, &mut Vec::new()) {
            None => cache.get_or(ranks, |ranks| self.fold(&self.at_ranks(ranks), Arc::clone(&self.concealed), mode))?,
            Some(its) => {
                let mut concealed = Concealed::over(Arc::clone(&self.concealed));
                if let Some(definition) = &self.definition {
                    definition.conceal(&its.layer, &mut concealed);
                }
                Arc::new(self.fold(&self.with_cluster(&ranks, &its), Arc::new(concealed), mode)?)
            }
        };
        self.expression_options(view, cluster)?;
        Ok(rendered)
    }

    /// Whether it is known which layers apply to a cluster.
    ///
    /// # Errors
    ///
    /// Labels of the cluster cannot be read, so it keeps what it has.
    fn check_labels(&self, view: View, cluster: &Cluster) -> Result<(), Error> {
        if view.store.unreadable_clusters().next().is_none() {
            return Ok(());
        }
        let mut conditions = self.layers.iter().filter_map(|it| it.when.as_ref());
        if cluster.labels.is_unknown() || conditions.any(|it| decides(it, cluster).is_none()) {
            let message = format!("the labels of the cluster `{}` cannot be read", cluster.name);
            return Err(Error::new(Code::BadLabelValue, message));
        }
        Ok(())
    }

    /// The options that name the cluster: the injected ones, and the values of expressions.
    pub fn per_cluster_options(&self, view: View, cluster: &Cluster) -> Vec<Effective> {
        let mut options = inject::per_cluster(&self.scope, cluster);
        let rendered = self.expression_options(view, cluster).unwrap_or_default();
        let injected: SortedSet<Text> = options.iter().map(|it| it.path.clone()).collect();
        let expressions = rendered.into_iter().filter(|it| !injected.contains(&it.path));
        let expressions: Vec<Effective> = expressions.collect();
        options.extend(expressions);
        sort_by(&mut options, |a, b| a.path.cmp(&b.path));
        options
    }

    /// Whether its expressions may take another number of steps now.
    pub fn is_outdated(&self, view: View) -> bool {
        self.steps != steps::of_namespace(view, &self.document.namespace)
    }

    /// The layers that apply to a cluster, lowest first.
    pub fn applied<'a>(&'a self, cluster: &Cluster, its: Option<&'a Part>) -> Vec<&'a Layer> {
        let ranks = self.index.applying(cluster);
        let applied = match its {
            Some(its) => self.with_cluster(&ranks, its),
            None => self.at_ranks(&ranks),
        };
        applied.into_iter().map(|(layer, _)| layer).collect()
    }

    fn at_ranks(&self, ranks: &[u32]) -> Vec<Applied<'_>> {
        ranks.iter().filter_map(|rank| self.at_rank(*rank)).collect()
    }

    fn at_rank(&self, rank: u32) -> Option<Applied<'_>> {
        let at = usize::try_from(rank).ok()?;
        Some((self.layers.get(at)?, self.errors.get(at)?.as_slice()))
    }

    fn with_cluster<'a>(&'a self, ranks: &[u32], its: &'a Part) -> Vec<Applied<'a>> {
        let is_below = |rank: u32| {
            crate::seeded!(ClusterOverrideIsOneTooHigh, rank < self.below_clusters, rank <= self.below_clusters)
        };
        let (below, above): (Vec<u32>, Vec<u32>) = ranks.iter().partition(|rank| is_below(**rank));
        let mut applied = self.at_ranks(&below);
        applied.push((&its.layer, &its.errors));
        applied.extend(self.at_ranks(&above));
        applied
    }

    fn fold(&self, applied: &[Applied], concealed: Arc<Concealed>, mode: Mode) -> Result<Rendered, Error> {
        let layers: Vec<&Layer> = applied.iter().map(|(layer, _)| *layer).collect();
        let mut found = Vec::new();
        let declares = self.definition.as_ref().is_some_and(|it| it.declares);
        let folded = match mode {
            Mode::Compat if declares => fold_compat_sorted(&layers, &mut found)?,
            mode => fold_applied(&layers, mode, &mut found)?,
        };
        found.extend(applied.iter().flat_map(|(_, errors)| errors.iter().cloned()));
        self.check(&folded, mode, &mut found);
        found.extend(self.ties.undecided(&self.layers, &layers, &folded));
        Ok(Rendered { options: Some(folded), diagnostics: found, concealed, ..Rendered::default() })
    }

    /// The plain values of secret options, of a result and of the live Plugin.
    pub fn concealed_with(&self, rendered: &Rendered, live: Option<&Value>) -> Arc<Concealed> {
        let mut further = Concealed::over(Arc::clone(&rendered.concealed));
        if let (Some(definition), Some(live)) = (&self.definition, live) {
            definition.conceal_live(live, &mut further);
        }
        if further.has_unshared() { Arc::new(further) } else { Arc::clone(&rendered.concealed) }
    }

    /// Checks the types of values, and reports required options that are not set.
    fn check(&self, folded: &Folded, mode: Mode, out: &mut Vec<Diagnostic>) {
        let Some(definition) = &self.definition else { return };
        for option in folded.options.iter().filter(|it| expression_of(&it.source).is_none()) {
            let winner = folded.origins.get(&option.path).and_then(|it| it.first());
            let set_by = winner.filter(|it| it.layer != definition.defaults.layer.name);
            if let Some((origin, finding)) = set_by.zip(definition.check(&option.path, &option.source, mode)) {
                let finding = finding.at(origin.at.clone());
                out.push(match origin.document.as_deref() {
                    Some(document) => finding.of(document),
                    None => finding,
                });
            }
        }
        for option in definition.options.iter().filter(|it| it.required) {
            if !is_set(folded, &option.name) {
                let message = format!("the definition requires `{}`, and nothing sets it", option.name);
                out.push(
                    Diagnostic::error(Code::MissingOption, message)
                        .of(&self.document)
                        .at(self.place.clone())
                        .hint("set it here or in an override"),
                );
            }
        }
    }

    /// The values of expressions for a cluster.
    fn expression_options(&self, view: View, cluster: &Cluster) -> Result<Vec<Effective>, Error> {
        let its = overrides::of_cluster(view, &self.scope, &cluster.name, &mut Vec::new());
        if !self.has_expressions && !its.as_ref().is_some_and(|it| has_expressions(&it.layer)) {
            return Ok(Vec::new());
        }
        let applied = self.applied(cluster, its.as_ref());
        let variables = inject::variables(&self.injected, &inject::per_cluster(&self.scope, cluster));
        let mut rendered = Vec::new();
        let mut allowance = Allowance::new(self.steps);
        for (layer, setting, text) in winning_expressions(&applied) {
            let source = self.render(view, cluster, (layer, setting), text, &variables, &mut allowance)?;
            rendered.push(Effective { path: setting.path.clone(), from: layer.name.clone(), source, origin: None });
        }
        Ok(rendered)
    }

    fn render(
        &self,
        view: View,
        cluster: &Cluster,
        (layer, Setting { path, at, .. }): (&Layer, &Setting),
        text: &str,
        variables: &Value,
        allowance: &mut Allowance,
    ) -> Result<Source, Error> {
        let refuse = |code: Code, message: &str, hint: Option<String>| {
            let message = format!("the expression of `{path}` for the cluster `{}`: {message}", cluster.name);
            let error = Error::new(code, message).maybe_hint(hint);
            // The place of an error is in the subject's own document.
            match &layer.document {
                Some(document) if *document == self.document => error.at(at),
                Some(document) => Error { message: format!("{} (in `{document}`)", error.message), ..error },
                None => error,
            }
        };
        if !view.settings.expressions {
            let hint = Some("configure `expressions: true`, or write a value".into());
            return Err(refuse(Code::ExpressionsOff, "expressions are switched off", hint));
        }
        let value = expression::render(text, &[("global", variables.clone())], view.settings.mode, allowance);
        let source = Source::Value(value.map_err(|error| refuse(error.code, &error.message, error.hint))?);
        let finding = self.definition.as_ref().and_then(|it| it.check(path, &source, view.settings.mode));
        match finding.filter(|it| it.severity == Severity::Error) {
            Some(finding) => Err(refuse(finding.code, &finding.message, finding.hint)),
            None => Ok(source),
        }
    }
}

/// The expressions that no higher layer replaces, lowest layer first.
fn winning_expressions<'a>(applied: &[&'a Layer]) -> Vec<(&'a Layer, &'a Setting, &'a str)> {
    let mut higher: SortedSet<&Text> = SortedSet::new();
    let mut replaced: SortedSet<&[OptionStep]> = SortedSet::new();
    let mut winning = Vec::new();
    for layer in applied.iter().rev() {
        let expressions = layer.set.iter().rev().filter_map(|it| Some((*layer, it, expression_of(&it.source)?)));
        winning.extend(expressions.filter(|(_, it, _)| {
            let steps = it.place.steps();
            let parents = (1..steps.len()).filter_map(|depth| steps.get(..depth));
            !higher.contains(&it.path) && !parents.into_iter().any(|it| replaced.contains(&it))
        }));
        higher.extend(layer.set.iter().map(|it| &it.path));
        replaced.extend(layer.set.iter().filter(|it| !it.deep).map(|it| it.place.steps()));
    }
    winning.reverse();
    winning
}

/// Whether an option has a value or a reference, directly or through a parent.
fn is_set(folded: &Folded, name: &str) -> bool {
    let is_option = || folded.options.binary_search_by(|it| order(&it.path, name)).is_ok();
    let value = OptionPath::parse(name).ok().and_then(|it| folded.value_at(&it));
    value.is_some_and(|it| !matches!(it, Source::Value(Value::Null))) || is_option()
}

fn has_expressions(layer: &Layer) -> bool {
    layer.set.iter().any(|it| expression_of(&it.source).is_some())
}

/// Tells of values of the preset or plugin itself that an override for all clusters always replaces.
fn report_shadowed(parts: &[Part], up_to_values: usize, mode: Mode, out: &mut Vec<Diagnostic>) {
    let Some((up_to_values, above)) = parts.split_at_checked(up_to_values) else { return };
    let Some(Part { layer: values, .. }) = up_to_values.last() else { return };
    // The highest layer first; of one path or place, the first one counts.
    let always = above.iter().rev().filter(|it| it.layer.when.is_none());
    let always: Vec<_> = always.flat_map(|it| it.layer.set.iter().map(|set| (&it.layer, set))).collect();
    let (mut by_path, mut by_place) = (SortedMap::new(), SortedMap::new());
    for (rank, (_, it)) in always.iter().enumerate().filter(|(_, (_, it))| !it.deep) {
        by_path.entry(&it.path).or_insert(rank);
        by_place.entry(it.place.steps()).or_insert(rank);
    }
    for setting in &values.set {
        let steps = setting.place.steps();
        let parents = (1..steps.len()).filter_map(|depth| by_place.get(steps.get(..depth)?));
        let above = parents.filter(|_| mode == Mode::Strict).min();
        let winner = by_path.get(&setting.path).into_iter().chain(above).min().and_then(|rank| always.get(*rank));
        if let (Some((layer, it)), Some(document)) = (winner, values.document.as_deref()) {
            let by = layer.document.as_deref().map(Identity::to_string).unwrap_or_default();
            let what = if it.path == setting.path { "it".into() } else { format!("`{}`", it.path) };
            let message = format!("`{}` has no effect here: `{by}` sets {what} for every cluster", setting.path);
            out.push(
                Diagnostic::warning(Code::ShadowedOption, message)
                    .of(document)
                    .at(setting.at.clone())
                    .hint("remove it here, or narrow the override to some clusters"),
            );
        }
    }
}
