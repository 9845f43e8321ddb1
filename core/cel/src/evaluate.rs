//! Evaluates the tree.

use std::sync::Arc;

use super::datum::{Datum, Key, TYPES};
use super::operators;
use super::parse::{Form, Kind, Node};
use super::{Allowance, Budget, CelError, MAX_STEPS};
use fleetfold_value::diagnostic::Code;
use fleetfold_value::value::Position;
use fleetfold_value::value::collections::SortedMap;
use fleetfold_value::value::suggest::did_you_mean;
use fleetfold_value::value::{Text, Value};

pub(super) fn evaluate(root: &Node, variables: &[(&str, Value)], allowance: &mut Allowance) -> Result<Value, CelError> {
    let steps = allowance.left().min(MAX_STEPS);
    let names = variables.iter().map(|(name, value)| (Text::from(*name), Datum::from(value))).collect();
    let mut run = Run { names, variables: variables.len(), budget: Budget::new(steps) };
    let result = run.node(root).and_then(|it| it.into_value(&mut run.budget).map_err(|it| Fault::new(root, it)));
    allowance.spend(steps.saturating_sub(run.budget.left), root.at)?;
    // What ran out is what all evaluations share, and not the limit of this one.
    let is_shared = run.budget.is_exceeded && steps < MAX_STEPS;
    result.map_err(|fault| if is_shared { allowance.exceeded(fault.at) } else { fault.into_cel_error() })
}

struct Run {
    /// The innermost last; the variables are the first.
    names: Vec<(Text, Datum)>,
    variables: usize,
    budget: Budget,
}

/// Why an evaluation failed. `&&`, `||` and macros absorb most faults, so the hint is computed only for the fault that
/// is returned.
struct Fault {
    at: Position,
    message: String,
    /// A map and the field that it lacks.
    missing: Option<(Datum, Text)>,
    /// The argument has another type than the overload that the check chose.
    unsettled: bool,
}

impl Fault {
    fn new(node: &Node, message: impl Into<String>) -> Fault {
        Fault { at: node.at, message: message.into(), missing: None, unsettled: false }
    }

    fn into_cel_error(self) -> CelError {
        let keys = |of: Datum| match of.open(&mut Budget::new(1000)) {
            Ok(Datum::Map(entries)) => entries.iter().filter_map(|(key, _)| key.written()).collect(),
            _ => Vec::new(),
        };
        let near = self.missing.and_then(|(of, field)| did_you_mean(&field, keys(of).iter().map(Text::as_str)));
        let hint = near.or(self.unsettled.then(|| "wrap the argument in `dyn(…)`".into()));
        CelError { hint, ..CelError::new(Code::ExpressionFailed, self.message, self.at) }
    }
}

impl Run {
    fn node(&mut self, node: &Node) -> Result<Datum, Fault> {
        let fault = |message: String| Fault::new(node, message);
        self.budget.spend(1).map_err(fault)?;
        match &node.kind {
            Kind::Literal(datum) => Ok(datum.clone()),
            Kind::Name { name, root } => {
                let visible = if *root { self.variables } else { self.names.len() };
                let mut names = self.names.get(..visible).unwrap_or_default().iter().rev();
                if let Some((_, found)) = names.find(|(it, _)| it == name) {
                    return Ok(found.clone());
                }
                let named = TYPES.iter().find(|it| **it == name.as_str());
                named.map(|it| Datum::Type(it)).ok_or_else(|| fault(format!("the variable `{name}` has no value")))
            }
            Kind::Select { of, field } => {
                let of = self.node(of)?;
                let key = Datum::Text(field.clone());
                match of.get(&key, &mut self.budget).map_err(fault)? {
                    Some(found) => Ok(found),
                    None if of.kind() == "map" => {
                        let message = format!("the map has no field `{field}`");
                        Err(Fault { missing: Some((of, field.clone())), ..fault(message) })
                    }
                    None => Err(fault(format!("cannot read `.{field}` of {}, which has no fields", of.kind()))),
                }
            }
            Kind::Has { of, field } => match self.node(of)? {
                of if of.kind() == "list" => {
                    Err(fault(format!("cannot read `.{field}` of a list, which has no fields")))
                }
                of => {
                    let found = of.get(&Datum::Text(field.clone()), &mut self.budget).map_err(fault)?;
                    Ok(Datum::Bool(found.is_some()))
                }
            },
            Kind::Call { op, name, arguments, settled, .. } => {
                let arguments: Vec<Datum> = arguments.iter().map(|it| self.node(it)).collect::<Result<_, _>>()?;
                if let Some(message) = operators::unsettled(*op, name, &arguments, *settled) {
                    return Err(Fault { unsettled: true, ..fault(message) });
                }
                operators::apply(*op, name, &arguments, &mut self.budget).map_err(fault)
            }
            Kind::List(items) => {
                let items: Vec<Datum> = items.iter().map(|it| self.node(it)).collect::<Result<_, _>>()?;
                Ok(Datum::list(items))
            }
            Kind::Map(entries) => self.map(node, entries),
            Kind::Logic { stop, terms } => {
                let mut failed = None;
                for term in terms {
                    match self.bool(term) {
                        Ok(it) if it == *stop => return Ok(Datum::Bool(it)),
                        Ok(_) => {}
                        Err(fault) => self.absorb(&mut failed, fault)?,
                    }
                }
                failed.map_or(Ok(Datum::Bool(!stop)), Err)
            }
            Kind::Choose(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                if self.bool(condition)? { self.node(then) } else { self.node(otherwise) }
            }
            Kind::Each { form, name, over, test, item } => {
                let over = self.node(over)?.open(&mut self.budget).map_err(fault)?;
                let items: Arc<Vec<Datum>> = match over {
                    Datum::List(items) => items,
                    Datum::Map(entries) => {
                        self.budget.spend(entries.len()).map_err(fault)?;
                        Arc::new(entries.iter().map(|(key, _)| key.clone()).collect())
                    }
                    other => return Err(fault(format!("cannot iterate over {}", other.kind()))),
                };
                let depth = self.names.len();
                let result = self.each(*form, name, &items, test.as_deref(), item.as_deref());
                self.names.truncate(depth);
                result
            }
        }
    }

    fn bool(&mut self, node: &Node) -> Result<bool, Fault> {
        match self.node(node)? {
            Datum::Bool(it) => Ok(it),
            other => Err(Fault::new(node, format!("this must be a bool, and is {}", other.kind()))),
        }
    }

    /// Keeps the first fault for later. Without steps left it is returned at once, as nothing more can be evaluated.
    fn absorb(&mut self, failed: &mut Option<Fault>, fault: Fault) -> Result<(), Fault> {
        if self.budget.left == 0 {
            return Err(fault);
        }
        failed.get_or_insert(fault);
        Ok(())
    }

    fn map(&mut self, node: &Node, nodes: &[Node]) -> Result<Datum, Fault> {
        let mut entries: Vec<(Datum, Datum)> = Vec::new();
        let mut places: SortedMap<Key, usize> = SortedMap::new();
        for pair in nodes.chunks(2) {
            let [key, value] = pair else { continue };
            let (key, value) = (self.node(key)?, self.node(value)?);
            let fault = |message: String| Fault::new(node, message);
            let Some(index) = Key::of(&key) else {
                return Err(fault(format!("a {} cannot be a key", key.kind())));
            };
            self.budget.spend(1).and_then(|()| self.budget.spend_text(index.len())).map_err(fault)?;
            match places.get(&index).and_then(|at| entries.get_mut(*at)) {
                Some(entry) => entry.1 = value,
                None => {
                    // NaN equals no key, not even itself.
                    if !index.is_nan() {
                        places.insert(index, entries.len());
                    }
                    entries.push((key, value));
                }
            }
        }
        Ok(Datum::Map(Arc::new(entries)))
    }

    /// A macro over items. `all` and `exists` continue after a fault, because a later item can decide.
    fn each(
        &mut self,
        form: Form,
        name: &Text,
        items: &[Datum],
        test: Option<&Node>,
        item: Option<&Node>,
    ) -> Result<Datum, Fault> {
        let (mut failed, mut kept, mut count) = (None, Vec::new(), 0usize);
        let at = self.names.len();
        self.names.push((name.clone(), Datum::Null));
        for it in items {
            if let Some(slot) = self.names.get_mut(at) {
                slot.1 = it.clone();
            }
            let passes = match test.map(|test| self.bool(test)).transpose() {
                Ok(passes) => passes.unwrap_or(true),
                Err(fault) if matches!(form, Form::All | Form::Exists) => {
                    self.absorb(&mut failed, fault)?;
                    continue;
                }
                Err(fault) => return Err(fault),
            };
            match form {
                Form::All if !passes => return Ok(Datum::Bool(false)),
                Form::Exists if passes => return Ok(Datum::Bool(true)),
                Form::ExistsOne if passes => count = count.saturating_add(1),
                Form::Filter if passes => kept.push(it.clone()),
                Form::Map if passes => kept.extend(item.map(|item| self.node(item)).transpose()?),
                _ => {}
            }
        }
        match form {
            Form::All | Form::Exists => failed.map_or(Ok(Datum::Bool(form == Form::All)), Err),
            Form::ExistsOne => Ok(Datum::Bool(count == 1)),
            Form::Filter | Form::Map => Ok(Datum::list(kept)),
        }
    }
}
