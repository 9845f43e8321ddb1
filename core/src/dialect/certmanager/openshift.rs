//! `CertManager` of OpenShift's operator: overrides by component, merged into the manifests rather than replacing them.
//!
//! | field | over | how |
//! |---|---|---|
//! | `logLevel` | arguments | `--v` |
//! | `overrideArgs` | arguments | union by flag, the override wins |
//! | `overrideEnv` | variables | union by name, the override wins, sorted |
//! | `overrideLabels` | labels of the pods | by key |
//! | `overrideReplicas` | replicas | at least one |
//! | `overrideResources` | limits and requests | `cpu` and `memory` separately; a zero is ignored |
//! | `overrideScheduling` | node selector and tolerations | by key; a broader toleration absorbs a narrower one |
//! | `unsupportedConfigOverrides` | arguments | last, so that it wins |

use super::flags;
use super::overrides::{Container, Overrides, texts, wrong_type};
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::flags::Flags;
use crate::object::document::Document;
use crate::value::path::Pointer;
use crate::value::suggest::suggest;
use crate::value::{Map, Text, Value};

/// The fields of the spec and the components that they are about.
const CONFIGS: &[(&str, &str)] =
    &[("controllerConfig", "controller"), ("webhookConfig", "webhook"), ("cainjectorConfig", "cainjector")];

const FIELDS: &[&str] =
    &["overrideArgs", "overrideEnv", "overrideLabels", "overrideReplicas", "overrideResources", "overrideScheduling"];

const LEVELS: &[(&str, &str)] = &[("Normal", "--v=2"), ("Debug", "--v=4"), ("Trace", "--v=6"), ("TraceAll", "--v=8")];

/// The variables that the operator takes, and only for the controller.
const VARIABLES: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

/// The label that it takes.
const LABELS: &[&str] = &["azure.workload.identity/use"];

/// Whether `managementState` is `Unmanaged`.
pub fn is_unmanaged(document: &Document) -> bool {
    matches!(document.value.text_at(&["spec", "managementState"]), "Unmanaged" | "Removed")
}

/// Reads all overrides.
///
/// # Errors
///
/// An override that the operator refuses: a single one blocks the deployment, as in the operator.
pub fn read(overrides: &mut Overrides, out: &mut Vec<Diagnostic>) -> Result<(), Error> {
    let spec = Pointer::of(["spec"]);
    let others = [
        "managementState",
        "logLevel",
        "operatorLogLevel",
        "observedConfig",
        "unsupportedConfigOverrides",
        "defaultNetworkPolicy",
        "networkPolicies",
    ];
    let known: Vec<&str> = CONFIGS.iter().map(|(field, _)| *field).chain(others).collect();
    overrides.report_unknown_fields(&spec, &known, out);
    for (field, name) in CONFIGS {
        let at = spec.child(*field);
        overrides.report_unknown_fields(&at, FIELDS, out);
        let config = overrides.map(&at)?;
        let component = Component { name, at: &at, config: &config, container: overrides.container(name, &at)? };
        component.arguments(overrides)?;
        component.variables(overrides)?;
        component.labels(overrides)?;
        component.replicas(overrides)?;
        component.resources(overrides, out)?;
        component.scheduling(overrides)?;
    }
    Ok(())
}

/// The overrides of one component.
struct Component<'a> {
    name: &'static str,
    at: &'a Pointer,
    config: &'a Map,
    container: Container<'a>,
}

impl Component<'_> {
    /// Every layer of arguments lies over the one before.
    fn arguments(&self, overrides: &mut Overrides) -> Result<(), Error> {
        let mut arguments = self.container.arguments();
        let level = Pointer::of(["spec", "logLevel"]);
        let unsupported = Pointer::of(["spec", "unsupportedConfigOverrides", self.name, "args"]);
        let level_flag = match level.get(&overrides.document.value) {
            None | Some(Value::Null) => Vec::new(),
            Some(given) => {
                let known: Vec<&str> = LEVELS.iter().map(|(name, _)| *name).collect();
                let found = LEVELS.iter().find(|(name, _)| given.as_text() == Some(name));
                let (_, flag) = found.ok_or_else(|| unknown_value(&level, given, &known))?;
                vec![Text::new_static(flag)]
            }
        };
        let of = |at: &Pointer| match at.get(&overrides.document.value) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::List(items)) => texts(items, at),
            Some(other) => Err(wrong_type(at, "a list of arguments", other)),
        };
        let said = self.at.child("overrideArgs");
        let layers = [
            ("log-level", level_flag, level),
            ("argument-override", of(&said)?, said),
            ("unsupported-override", of(&unsupported)?, unsupported),
        ];
        for (layer, given, at) in layers.into_iter().filter(|(_, given, _)| !given.is_empty()) {
            let component = overrides.component(self.name, self.at)?;
            let flags = Flags::Arguments(given);
            let written = flags::arguments(overrides, component, &flags, &arguments, &at)?;
            overrides.lay(&self.container, "args", layer, &at, Value::list(written.iter().map(String::as_str)));
            arguments = written.into_iter().map(Text::from).collect();
        }
        Ok(())
    }

    fn variables(&self, overrides: &mut Overrides) -> Result<(), Error> {
        let at = self.at.child("overrideEnv");
        let given = match self.config.get("overrideEnv") {
            None | Some(Value::Null) => return Ok(()),
            Some(Value::List(given)) => given,
            Some(other) => return Err(wrong_type(&at, "a list of variables", other)),
        };
        let mut all = Map::new();
        let before = self.container.place.child("env").get(&self.container.manifest.object).and_then(Value::as_list);
        all_by_name(&mut all, before.into_iter().flatten());
        for (index, variable) in given.iter().enumerate() {
            let (at, name) = (at.child(index.to_string()).child("name"), variable.text_at(&["name"]));
            if !VARIABLES.contains(&name) || self.name != "controller" {
                let known = if self.name == "controller" { VARIABLES } else { &[] };
                return Err(unknown_value(&at, &Value::text(name), known));
            }
        }
        all_by_name(&mut all, given.iter());
        let all: Vec<Value> = all.into_iter().map(|(_, variable)| variable).collect();
        overrides.lay(&self.container, "env", "variable-override", &at, all.into());
        Ok(())
    }

    fn labels(&self, overrides: &mut Overrides) -> Result<(), Error> {
        let at = self.at.child("overrideLabels");
        for (key, value) in overrides.map(&at)?.iter() {
            let at = at.child(key.clone());
            if !LABELS.contains(&key.as_str()) {
                return Err(unknown_value(&at, &Value::Text(key.clone()), LABELS));
            }
            let value = value.as_text().ok_or_else(|| wrong_type(&at, "a string", value))?;
            self.lay(overrides, &["spec", "template", "metadata", "labels", key], "label-override", &at, value.into());
        }
        Ok(())
    }

    fn replicas(&self, overrides: &mut Overrides) -> Result<(), Error> {
        let at = self.at.child("overrideReplicas");
        match self.config.get("overrideReplicas") {
            None | Some(Value::Null) => Ok(()),
            Some(value) if value.as_int().is_some_and(|it| it > 0) => {
                self.lay(overrides, &["spec", "replicas"], "replica-override", &at, value.clone());
                Ok(())
            }
            Some(other) => Err(wrong_type(&at, "a whole number above zero", other)),
        }
    }

    fn resources(&self, overrides: &mut Overrides, out: &mut Vec<Diagnostic>) -> Result<(), Error> {
        let at = self.at.child("overrideResources");
        for side in ["limits", "requests"] {
            let at = at.child(side);
            for (resource, amount) in overrides.map(&at)?.iter() {
                let at = at.child(resource.clone());
                if is_zero(amount) {
                    let message = format!("`{resource}` of nothing is ignored, so the release's own amount stays");
                    let finding = Diagnostic::warning(Code::NoEffect, message).of(&overrides.document.identity);
                    out.push(finding.at(at).hint("an amount can be changed here, and not taken away"));
                    continue;
                }
                if !["cpu", "memory"].contains(&resource.as_str()) {
                    return Err(unknown_value(&at, &Value::Text(resource.clone()), &["cpu", "memory"]));
                }
                let place = self.container.place.child("resources").child(side).child(resource.clone());
                let place: Vec<&str> = place.segments().map(Text::as_str).collect();
                self.lay(overrides, &place, "resource-override", &at, amount.clone());
            }
        }
        Ok(())
    }

    fn scheduling(&self, overrides: &mut Overrides) -> Result<(), Error> {
        const POD: [&str; 3] = ["spec", "template", "spec"];
        let at = self.at.child("overrideScheduling");
        overrides.map(&at)?;
        let selector = at.child("nodeSelector");
        for (key, value) in overrides.map(&selector)?.iter() {
            let at = selector.child(key.clone());
            let value = value.as_text().ok_or_else(|| wrong_type(&at, "a string", value))?;
            let [a, b, c] = POD;
            self.lay(overrides, &[a, b, c, "nodeSelector", key], "scheduling-override", &at, value.into());
        }
        let at = at.child("tolerations");
        let given = match at.get(&overrides.document.value) {
            None | Some(Value::Null) => return Ok(()),
            Some(Value::List(given)) => given.to_vec(),
            Some(other) => return Err(wrong_type(&at, "a list of tolerations", other)),
        };
        let before = Pointer::of(POD).child("tolerations");
        let before = before.get(&self.container.manifest.object).and_then(Value::as_list).cloned().unwrap_or_default();
        let merged = merge_tolerations(before.into_iter().chain(given).collect());
        let [a, b, c] = POD;
        self.lay(overrides, &[a, b, c, "tolerations"], "scheduling-override", &at, merged.into());
        Ok(())
    }

    /// Lays a value over a place of the Deployment.
    fn lay(&self, overrides: &mut Overrides, place: &[&str], layer: &'static str, at: &Pointer, value: Value) {
        let target = self.container.manifest.identity.clone();
        let place = Pointer::of(place.iter().copied());
        overrides.merged.push(super::overrides::MergedManifest { target, place, layer, at: at.clone(), value });
    }
}

fn all_by_name<'v>(all: &mut Map, variables: impl Iterator<Item = &'v Value>) {
    for variable in variables {
        all.insert(variable.text_at(&["name"]), variable.clone());
    }
}

/// A quantity of zero: the operator cannot distinguish it from an absent one.
fn is_zero(amount: &Value) -> bool {
    match amount {
        Value::Text(text) => text.trim_end_matches(|it: char| it.is_ascii_alphabetic()).parse::<f64>() == Ok(0.0),
        other => other.is_null() || other.as_int() == Some(0),
    }
}

/// All tolerations but those that another one covers.
fn merge_tolerations(all: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for toleration in all {
        if !kept.iter().any(|it| covers(it, &toleration)) {
            kept.retain(|it| !covers(&toleration, it));
            kept.push(toleration);
        }
    }
    kept
}

/// Whether one toleration lets through everything that another one does.
fn covers(wide: &Value, narrow: &Value) -> bool {
    let same = |field: &str| wide.text_at(&[field]) == narrow.text_at(&[field]);
    let exists = |it: &Value| it.text_at(&["operator"]) == "Exists";
    let any_key = exists(wide) && wide.text_at(&["key"]).is_empty();
    let seconds = |it: &Value| it.get("tolerationSeconds").and_then(Value::as_int);
    // Without a number of seconds it lasts forever.
    let lasts = match (seconds(wide), seconds(narrow)) {
        (None, _) => true,
        (Some(wide), Some(narrow)) => narrow <= wide,
        (Some(_), None) => false,
    };
    (any_key || same("key"))
        && (wide.text_at(&["effect"]).is_empty() || same("effect"))
        && (exists(wide) || !exists(narrow) && same("value"))
        && lasts
}

fn unknown_value(at: &Pointer, found: &Value, known: &[&str]) -> Error {
    let (field, found) =
        (at.segments().next_back().map(Text::as_str).unwrap_or_default(), found.as_text().unwrap_or_default());
    let error = Error::new(Code::UnknownValue, format!("`{found}` cannot be overridden in `{field}`")).at(at);
    if known.is_empty() {
        error.hint("only the controller takes them")
    } else {
        error.hint(suggest(found, known, "one of"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(all: &str, want: &str) {
        let all = crate::value::json::parse(all).unwrap();
        let merged = merge_tolerations(all.as_list().unwrap().clone());
        assert_eq!(Value::from(merged).to_canonical(), want);
    }

    #[test]
    fn a_broader_toleration_absorbs_a_narrower_one() {
        let broad = r#"{"key":"infra","operator":"Exists"}"#;
        check(&format!(r#"[{broad},{{"key":"infra","operator":"Equal","value":"x"}}]"#), &format!("[{broad}]"));
        check(&format!(r#"[{{"effect":"NoSchedule","key":"infra","value":"x"}},{broad}]"#), &format!("[{broad}]"));
        check(r#"[{"key":"a","operator":"Exists"},{"operator":"Exists"}]"#, r#"[{"operator":"Exists"}]"#);
    }

    #[test]
    fn tolerations_of_other_taints_stay() {
        let two = r#"[{"key":"a","operator":"Exists"},{"key":"b","operator":"Exists"}]"#;
        check(two, two);
        let brief = r#"{"effect":"NoExecute","key":"a","operator":"Exists","tolerationSeconds":60}"#;
        let long = r#"{"effect":"NoExecute","key":"a","operator":"Exists","tolerationSeconds":600}"#;
        check(&format!("[{brief},{long}]"), &format!("[{long}]"));
    }

    #[test]
    fn zero_is_nothing() {
        for (amount, zero) in [("0", true), ("0m", true), ("0Mi", true), ("10m", false), ("1Gi", false)] {
            assert_eq!(is_zero(&Value::text(amount)), zero, "{amount}");
        }
    }
}
