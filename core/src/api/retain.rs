//! `retain`: values of the live object carried over into the desired one.

use super::Operation;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::Upstream;
use crate::engine::retain::{Retention, Rules, retain, warn_unknown};
use crate::object::kinds::retention::{KARMADA, KUBEFED, NONE, STRICT, Table};
use crate::object::labels::check_key;
use crate::record;
use crate::value::JsonPath;
use crate::value::index_text;
use crate::value::path::{PathError, Pointer, RetentionPath};
use crate::value::{Map, Text, Value};

record! {
    request
    /// Carries values of the live object over into the desired one.
    pub struct Retain {
        /// The object as the template gives it.
        desired "desired": Map,
        /// The object as the cluster has it; null before it is created.
        live "live": Value,
        /// Rules beside the built-in ones.
        rules "rules": Option<RetainRules>,
        /// Whether the built-in rules apply; they do when left out.
        builtin "builtin": Option<bool>,
        /// Whether `spec.replicas` belongs to the cluster.
        retain_replicas "retainReplicas": Option<bool>,
        /// `compat`: the answer of the original.
        mode "mode": Option<Mode>,
        /// In compat mode, which original: `kubefed` (when left out) or `karmada`.
        dialect "dialect": Option<Upstream>,
    }
}

record! {
    request
    /// What else is retained where the template does not set it.
    pub struct RetainRules {
        /// Retention paths, such as `spec.foo[].bar`.
        fields "fields": Option<Vec<Text>>,
        /// Keys of labels.
        labels "labels": Option<Vec<Text>>,
    }
}

record! {
    answer
    /// The result, and what of it the cluster gave.
    pub struct RetainAnswer {
        /// The desired object with what was carried over.
        object "object": Value,
        /// What was carried over, by path.
        retained "retained": Vec<RetainedField>,
    }
}

record! {
    answer
    /// A value that the live object gave.
    pub struct RetainedField {
        /// Where it is in the result, as a JSON pointer.
        path "path": String,
        /// The built-in rule, the retention path, or `label:` and the key.
        rule "rule": Text,
        /// `always`, `conditional` or `union`.
        mode "mode": &'static str,
    }
}

impl Operation for Retain {
    const NAME: &'static str = "retain";
    type Answer = RetainAnswer;

    fn answer(self, out: &mut Vec<Diagnostic>) -> Result<RetainAnswer, Error> {
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
        Ok(RetainAnswer { retained: RetainedField::list(&answer.retained), object: answer.object })
    }
}

impl RetainedField {
    pub fn list(retained: &[Retention]) -> Vec<RetainedField> {
        let field =
            |it: &Retention| RetainedField { path: it.path.clone(), rule: it.rule.clone(), mode: it.mode.as_str() };
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
