//! Which clusters a preset or an override is for. Besides labels and names it may name sets and a placement of Open
//! Cluster Management: `clusterSets: [dev]`, `placementRef: {name: web}`.

use crate::diagnostic::{Code, Error};
use crate::engine::select::{Selector, mentioned};
use crate::value::JsonPath;
use crate::value::collections::SortedSet;
use crate::value::{Map, Text, Value};
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
    /// The selector cannot be read, or it names a set or a placement of which nobody knows who is in it. It never means
    /// "no clusters" then.
    pub fn read(view: View, value: &Value, namespace: &str, at: &JsonPath) -> Result<Picked, Error> {
        let mut rest = match value {
            Value::Map(map) => (**map).clone(),
            _ => Map::new(),
        };
        let (sets, placement) = (rest.remove(SETS), rest.remove(PLACEMENT));
        if sets.is_none() && placement.is_none() {
            let selector = Selector::parse(value, view.settings.mode, None, at)?;
            let named = mentioned(&selector).into_iter().cloned().collect();
            return Ok(Picked { selector, named, depends: Vec::new() });
        }
        let (mut members, mut depends) = (SortedSet::new(), Vec::new());
        if let Some(sets) = sets {
            let at = at.key(SETS);
            let names = names(&sets, &at)?;
            if let Some(unknown) = view.cluster_groups().unknown_sets(view, &names).first() {
                let message = format!("the set `{unknown}` is not loaded or not valid, so who is in it is not known");
                return Err(Error::new(Code::UnknownDocument, message).at(at));
            }
            members.extend(view.cluster_groups().set_members(view, &names));
            depends.extend(view.cluster_groups().set_dependencies());
        }
        if let Some(placement) = placement {
            let at = at.key(PLACEMENT);
            let given = placement.text_at(&["namespace"]);
            let (namespace, name) = (if given.is_empty() { namespace } else { given }, placement.text_at(&["name"]));
            let chosen = view.cluster_groups().placement_members(view, namespace, name).ok_or_else(|| {
                let message =
                    format!("the placement `{namespace}/{name}` is not loaded, so what it chooses is not known");
                Error::new(Code::UnknownDocument, message).at(at)
            })?;
            members.extend(chosen);
            depends.extend(view.cluster_groups().placement_dependencies(namespace, name));
        }
        let members: Vec<Text> = members.into_iter().collect();
        if rest.is_empty() {
            return Ok(Picked { selector: Selector::Listed(members), named: Vec::new(), depends });
        }
        let selector = Selector::parse(&rest.into(), view.settings.mode, None, at)?;
        let named = mentioned(&selector).into_iter().cloned().collect();
        let selector = match selector {
            // What is ignored is ignored in sets, too.
            Selector::Union { labels, names, ignored } => {
                let names = names.unwrap_or_default().into_iter().chain(members).collect();
                Selector::Union { labels, names: Some(names), ignored }
            }
            other => Selector::AnyOf(vec![other, Selector::Listed(members)]),
        };
        Ok(Picked { selector, named, depends })
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
