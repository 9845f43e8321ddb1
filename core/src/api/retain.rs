//! `retain`: carries values of the live object over into the desired one.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::Upstream;
use crate::engine::retain::{Retention, Rules, retain, warn_unknown};
use crate::object::kinds::retention::{KARMADA, KUBEFED, NONE, STRICT, Table};
use crate::object::labels::check_key;
use crate::object::redacted::Redacted;
use crate::value::JsonPath;
use crate::value::index_text;
use crate::value::path::{PathError, Pointer, RetentionPath};
use crate::value::{Map, Text, Value};
use crate::workspace::Workspace;

/// Carries values of the live object over into the desired one.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Retain {
    /// The desired object.
    pub desired: Map,
    /// The live object; null before it is created.
    pub live: Value,
    /// Rules beside the built-in ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<RetainRules>,
    /// Whether the built-in rules apply; true by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builtin: Option<bool>,
    /// Whether `spec.replicas` belongs to the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retain_replicas: Option<bool>,
    /// `compat`: the answer of the upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// In compat mode, which upstream: `kubefed` (the default) or `karmada`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<Upstream>,
}

/// Further fields to retain if the template does not set them.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetainRules {
    /// Retention paths, such as `spec.foo[].bar`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<Text>>,
    /// Keys of labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<Text>>,
}

/// The result, and the values that the live object gave.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetainAnswer {
    /// The desired object with the retained values.
    pub object: Redacted,
    /// The retained values, by path.
    pub retained: Vec<RetainedField>,
}

/// A value that the live object gave.
#[derive(Clone, Debug, PartialEq, Hash, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RetainedField {
    /// `always`, `conditional` or `union`.
    pub mode: Text,
    /// Where it is in the result, as a JSON pointer.
    pub path: String,
    /// The built-in rule, the retention path, or `label:` and the key.
    pub rule: Text,
}

impl Op for Retain {
    const NAME: &'static str = "retain";
    type Answer = RetainAnswer;

    fn answer(self, _: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<RetainAnswer, Error> {
        if !matches!(self.live, Value::Map(_) | Value::Null) {
            return Err(JsonPath::ROOT.key("live").wrong_type("a map or null", &self.live));
        }
        let table = self.table()?;
        let retain_replicas = self.retain_replicas.unwrap_or(false);
        let karmada = self.mode == Some(Mode::Compat) && self.dialect == Some(Upstream::Karmada);
        if retain_replicas && karmada {
            let message = "`retainReplicas` does nothing here: Karmada goes by a label of the object";
            let hint = "set the label `resourcetemplate.karmada.io/retain-replicas` to `true`";
            out.push(Diagnostic::warning(Code::WrongDialect, message).at(Pointer::of(["retainReplicas"])).hint(hint));
        }
        let desired = Value::from(self.desired);
        let custom = self.rules.unwrap_or(RetainRules { fields: None, labels: None });
        let fields = paths(custom.fields.unwrap_or_default())?;
        warn_unknown(&fields, &desired, out);
        let rules = Rules {
            builtin: if self.builtin.unwrap_or(true) { table } else { NONE },
            phase: None,
            fields,
            labels: labels(custom.labels.unwrap_or_default())?,
            retain_replicas,
        };
        let answer = retain(&desired, &self.live, &rules, out)?;
        Ok(RetainAnswer { retained: RetainedField::list(&answer.retained), object: answer.object.into() })
    }
}

impl RetainedField {
    pub fn list(retained: &[Retention]) -> Vec<RetainedField> {
        let field = |it: &Retention| RetainedField {
            path: it.path.written(),
            rule: it.rule.clone(),
            mode: it.mode.as_str().into(),
        };
        retained.iter().map(field).collect()
    }
}

impl Retain {
    fn table(&self) -> Result<Table, Error> {
        match (self.mode.unwrap_or_default(), self.dialect) {
            (Mode::Strict, _) => Ok(STRICT),
            (Mode::Compat, None | Some(Upstream::Kubefed)) => Ok(KUBEFED),
            (Mode::Compat, Some(Upstream::Karmada)) => Ok(KARMADA),
            (Mode::Compat, Some(dialect)) => {
                let message = format!("`{}` retains nothing", dialect.as_str());
                Err(Error::new(Code::WrongDialect, message).at(["dialect"]).hint("one of: kubefed, karmada"))
            }
        }
    }
}

fn paths(fields: Vec<Text>) -> Result<Vec<RetentionPath>, Error> {
    let parse = |(index, text): (usize, Text)| {
        RetentionPath::parse(&text).map_err(|PathError { message, offset, hint }| {
            let message = format!("the retention path `{text}` is wrong at character {}: {message}", offset + 1);
            Error::new(Code::BadRetentionPath, message).at(["rules", "fields", &index_text(index)]).maybe_hint(hint)
        })
    };
    fields.into_iter().enumerate().map(parse).collect()
}

fn labels(keys: Vec<Text>) -> Result<Vec<Text>, Error> {
    let check = |(index, key): (usize, Text)| {
        check_key(&key).map_err(|error| error.at(["rules", "labels", &index_text(index)]))?;
        Ok(key)
    };
    keys.into_iter().enumerate().map(check).collect()
}
