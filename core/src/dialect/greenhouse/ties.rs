//! Overrides of the same precedence that set one option differently, in an order that a hub may not share.

use super::overrides::{Override, OverrideRank};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::fold::{Folded, Layer, Setting, replaces};
use crate::object::document::Identity;
use crate::value::path::OptionStep;
use crate::value::sorting::sort_by;
use crate::workspace::settings::Precedence;

/// What decides over the order of the overrides of a stack.
#[derive(Debug)]
pub struct Ties {
    /// The index of the layer of the first override.
    first: usize,
    overrides: Vec<OverrideRank>,
}

/// An option that an override sets for a cluster.
struct OptionSetting<'a> {
    steps: &'a [OptionStep],
    /// The index of the override.
    index: usize,
    layer: &'a Layer,
    setting: &'a Setting,
}

impl Ties {
    /// The overrides, lowest first, of which the first one is the layer `first`.
    pub fn new(overrides: &[Override], first: usize, precedence: Precedence) -> Ties {
        let overrides = overrides.iter().map(|it| it.override_rank(precedence));
        Ties { first, overrides: overrides.collect() }
    }

    /// Options that one of two overrides decides only because of its name, or because it is new. Of all pairs of
    /// overrides only those with the deciding one are compared: there are as many as options are set.
    pub fn undecided(&self, layers: &[Layer], applied: &[&Layer], folded: &Folded) -> Vec<Diagnostic> {
        let said = self.said(layers, applied);
        let mut by_steps: Vec<&OptionSetting> = said.iter().collect();
        sort_by(&mut by_steps, |a, b| a.steps.cmp(b.steps));
        let mut found = Vec::new();
        for (order, higher) in said.iter().enumerate().filter(|(_, it)| decides(it, folded)) {
            let start = by_steps.partition_point(|it| it.steps < higher.steps);
            let below = by_steps.iter().skip(start).take_while(|it| it.steps.starts_with(higher.steps));
            for lower in below.filter(|it| differs(higher, it)) {
                if let Some(why) = self.why(higher, lower) {
                    found.push(((higher.index, lower.index, order), finding(higher, lower, why)));
                }
            }
        }
        sort_by(&mut found, |(a, _), (b, _)| a.cmp(b));
        // Of what a map replaces, one option is enough.
        found.dedup_by(|(a, _), (b, _)| a == b);
        found.into_iter().filter_map(|(_, finding)| finding).collect()
    }

    fn why(&self, higher: &OptionSetting, lower: &OptionSetting) -> Option<&'static str> {
        self.overrides.get(higher.index)?.undecided(*self.overrides.get(lower.index)?)
    }

    /// All that overrides set in the layers that apply, lowest first.
    fn said<'a>(&self, layers: &'a [Layer], applied: &[&'a Layer]) -> Vec<OptionSetting<'a>> {
        let mut ahead = layers.iter().enumerate();
        let mut said = Vec::new();
        for layer in applied {
            // Both are in the same order, and only the layer of one cluster is not among those of the stack.
            let mut rest = ahead.clone();
            let Some((rank, layer)) = rest.find(|(_, it)| std::ptr::eq(*it, *layer)) else { continue };
            ahead = rest;
            let index = rank.checked_sub(self.first).filter(|it| *it < self.overrides.len());
            let Some(index) = index else { continue };
            let its =
                layer.set.iter().map(|setting| OptionSetting { steps: setting.place.steps(), index, layer, setting });
            said.extend(its);
        }
        said
    }
}

/// Whether the cluster gets what an override sets.
fn decides(it: &OptionSetting, folded: &Folded) -> bool {
    let winner = folded.origins.get(&it.setting.path).and_then(|it| it.first());
    winner.is_some_and(|winner| winner.document == it.layer.document)
}

fn differs(higher: &OptionSetting, lower: &OptionSetting) -> bool {
    let (above, under) = (higher.setting, lower.setting);
    lower.index < higher.index && replaces(above, under) && under.source != above.source
}

fn finding(higher: &OptionSetting, lower: &OptionSetting, why: &str) -> Option<Diagnostic> {
    let other = lower.layer.document.as_deref().map(Identity::to_string).unwrap_or_default();
    let message = format!("`{}` is also set by `{other}`, of the same precedence: {why}", higher.setting.path);
    let finding = Diagnostic::info(Code::UndecidedOrder, message).of(higher.layer.document.as_deref()?);
    Some(finding.at(higher.setting.at.clone()).hint("narrow one of them, or set the option in one of them only"))
}
