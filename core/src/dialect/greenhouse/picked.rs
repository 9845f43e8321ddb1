//! Which clusters a preset or an override is for. Besides labels and names it may name sets and a placement of Open
//! Cluster Management: `clusterSets: [dev]`, `placementRef: {name: web}`.

use crate::diagnostic::decode::Fields;
use crate::diagnostic::{Code, Error};
use crate::engine::select::{Members, Names, Selector, mentioned};
use crate::value::JsonPath;
use crate::value::suggest::did_you_mean;
use crate::value::{Map, Text, Value};
use crate::workspace::cluster_groups::GroupMembers;
use crate::workspace::store::View;
use crate::workspace::subject::Dependency;

const SETS: &str = "clusterSets";
const PLACEMENT: &str = "placementRef";

#[derive(Clone, Debug)]
pub struct Picked {
    pub selector: Selector,
    /// The clusters that the selector itself names.
    pub named: Vec<Text>,
    /// What decides over the sets and the placement.
    pub depends: Vec<Dependency>,
}

impl Picked {
    /// # Errors
    ///
    /// The selector cannot be read, or it names a set or a placement whose clusters are unknown. It never means "no
    /// clusters" then.
    pub fn read(view: View, value: &Value, namespace: &str, at: &JsonPath) -> Result<Picked, Error> {
        if let Value::List(items) = value
            && items.iter().any(|it| it.get(SETS).is_some() || it.get(PLACEMENT).is_some())
        {
            let read = |(index, item): (usize, &Value)| Picked::read_one(view, item, namespace, &at.index(index));
            return Ok(Picked::any_of(items.iter().enumerate().map(read).collect::<Result<_, _>>()?));
        }
        Picked::read_one(view, value, namespace, at)
    }

    /// The clusters that any of the selectors picks.
    fn any_of(all: Vec<Picked>) -> Picked {
        let mut any = Picked { selector: Selector::Nothing, named: Vec::new(), depends: Vec::new() };
        let mut selectors = Vec::new();
        for Picked { selector, named, depends } in all {
            selectors.push(selector);
            any.named.extend(named);
            any.depends.extend(depends);
        }
        Picked { selector: Selector::AnyOf(selectors), ..any }
    }

    fn read_one(view: View, value: &Value, namespace: &str, at: &JsonPath) -> Result<Picked, Error> {
        let mut rest = match value {
            Value::Map(map) => (**map).clone(),
            _ => Map::new(),
        };
        let (sets, placement) = (rest.remove(SETS), rest.remove(PLACEMENT));
        if sets.is_none() && placement.is_none() {
            let selector = Selector::parse(value, view.settings.mode, None, at).map_err(|error| meant(error, value))?;
            let named = mentioned(&selector).into_iter().cloned().collect();
            return Ok(Picked { selector, named, depends: Vec::new() });
        }
        let (mut members, mut depends): (Vec<Members>, _) = (Vec::new(), Vec::new());
        if let Some(sets) = sets {
            let at = at.key(SETS);
            let names = names(&sets, &at)?;
            if let Some(unknown) = view.cluster_groups().unknown_sets(view, &names).first() {
                let message =
                    format!("the cluster set `{unknown}` is not loaded or not valid, so its clusters are unknown");
                return Err(Error::new(Code::UnknownDocument, message).at(at));
            }
            members.extend(names.into_iter().map(|name| {
                let of = format!("the cluster set `{name}`");
                let GroupMembers { names, unknown } = view.cluster_groups().set_members(view, &[name]);
                Members { of, names, unknown, ignored: Names::default() }
            }));
            depends.extend(view.cluster_groups().set_dependencies());
        }
        if let Some(placement) = placement {
            let at = at.key(PLACEMENT);
            let mut fields = Fields::of(placement, &at, &["name", "namespace"])?;
            let (name, given): (Option<Text>, Option<Text>) = (fields.take("name")?, fields.take("namespace")?);
            let (name, given) = (name.unwrap_or_default(), given.unwrap_or_default());
            let (namespace, name) = (if given.is_empty() { namespace } else { &given }, name.as_str());
            let chosen = view.cluster_groups().placement_members(view, namespace, name).ok_or_else(|| {
                let message = format!(
                    "the placement `{namespace}/{name}` is not loaded, is quarantined or cannot be decided, so what \
                     it chooses is not known"
                );
                Error::new(Code::UnknownDocument, message).at(at)
            })?;
            let of = format!("the placement `{namespace}/{name}`");
            let GroupMembers { names, unknown } = chosen;
            members.push(Members { of, names, unknown, ignored: Names::default() });
            depends.extend(view.cluster_groups().placement_dependencies(namespace, name));
        }
        let (mut any, mut named) = (Vec::new(), Vec::new());
        if !rest.is_empty() {
            let selector = Selector::parse(&rest.into(), view.settings.mode, None, at)?;
            named = mentioned(&selector).into_iter().cloned().collect();
            match selector {
                // What is ignored is ignored in sets, too; alone, it does not mean every other cluster.
                Selector::Union { labels, names, ignored } => {
                    members.iter_mut().for_each(|it| it.ignored.clone_from(&ignored));
                    let names = Some(names.unwrap_or_default());
                    if labels.is_some() || names.as_ref().is_some_and(|it| !it.is_empty()) || !ignored.is_empty() {
                        any.push(Selector::Union { labels, names, ignored });
                    }
                }
                other => any.push(other),
            }
        }
        any.extend(members.into_iter().map(|it| Selector::Members(Box::new(it))));
        let selector = match any.pop() {
            Some(only) if any.is_empty() => only,
            last => Selector::AnyOf(any.into_iter().chain(last).collect()),
        };
        Ok(Picked { selector, named, depends })
    }
}

/// The error of a selector with the field that was probably meant, where that is one of those of this file.
fn meant(error: Error, selector: &Value) -> Error {
    let items = selector.as_list().into_iter().flatten().chain([selector]);
    let mut fields = items.filter_map(Value::as_map).flat_map(Map::keys);
    let unknown = fields.find_map(|it| did_you_mean(it, [SETS, PLACEMENT]));
    match (error.code, unknown) {
        (Code::UnknownField, Some(hint)) => error.hint(hint),
        _ => error,
    }
}

fn names(value: &Value, at: &JsonPath) -> Result<Vec<Text>, Error> {
    let Value::List(items) = value else { return Err(at.wrong_type("a list of names", value)) };
    let name = |(index, item): (usize, &Value)| match item {
        Value::Text(name) => Ok(name.clone()),
        other => Err(at.index(index).wrong_type("a name", other)),
    };
    items.iter().enumerate().map(name).collect()
}
