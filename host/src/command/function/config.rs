//! The configuration of the function.

use std::path::PathBuf;

use fleetfold::meta::Meta;
use fleetfold_core::Value;
use fleetfold_core::diagnostic::Code;
use fleetfold_core::value::path::Pointer;
use fleetfold_core::value::suggest::suggest;

use super::list::ResourceList;
use super::refused::Refused;
use crate::command::fleet::empty_map;
use crate::render::finding::{Finding, Severity};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    Lint,
    Render,
}

const TASKS: &[(&str, Task)] = &[("lint", Task::Lint), ("render", Task::Render)];

/// The lowest severity that fails; `never` is not a severity.
const FAIL_ON: &[(&str, Option<Severity>)] = &[
    ("error", Some(Severity::Error)),
    ("warning", Some(Severity::Warning)),
    ("info", Some(Severity::Info)),
    ("never", None),
];

/// Every field, with its task if only one task has it.
const FIELDS: &[(&str, Option<Task>)] = &[
    ("run", None),
    ("files", None),
    ("settings", None),
    ("failOn", Some(Task::Lint)),
    ("clusters", Some(Task::Render)),
    ("selector", Some(Task::Render)),
    ("subjects", Some(Task::Render)),
    ("folder", Some(Task::Render)),
    ("keep", Some(Task::Render)),
];

#[derive(Debug, PartialEq)]
pub struct Config {
    pub task: Task,
    pub files: Vec<PathBuf>,
    pub settings: Option<Value>,
    pub fail_on: Option<Severity>,
    /// Empty for all.
    pub clusters: Vec<String>,
    pub selector: Option<String>,
    pub subjects: Vec<String>,
    pub folder: String,
    pub keep: bool,
}

impl Config {
    /// Without a configuration, the task is `lint`.
    pub fn read(list: &ResourceList) -> Result<Config, Refused> {
        let empty = empty_map();
        let mut reader =
            Reader { list, fields: &empty, at: Pointer::of(["functionConfig"]), plain: false, found: Vec::new() };
        let config = list.config();
        if let Some(config) = config {
            reader.open(config);
        }
        reader.check_names();
        let config = Config {
            task: reader.word("run", TASKS).unwrap_or(Task::Lint),
            files: reader.texts("files").into_iter().map(PathBuf::from).collect(),
            settings: reader.map("settings"),
            fail_on: reader.word("failOn", FAIL_ON).unwrap_or(Some(Severity::Error)),
            clusters: reader.texts("clusters"),
            selector: reader.text("selector"),
            subjects: reader.texts("subjects"),
            folder: reader.text("folder").unwrap_or_default(),
            keep: reader.bool("keep"),
        };
        reader.check_task(config.task);
        if reader.found.is_empty() { Ok(config) } else { Err(Refused::Config(reader.found)) }
    }
}

struct Reader<'a> {
    list: &'a ResourceList,
    fields: &'a Value,
    at: Pointer,
    /// A ConfigMap, in which every value is a string.
    plain: bool,
    found: Vec<Finding>,
}

impl<'a> Reader<'a> {
    fn error(&mut self, code: Code, at: &Pointer, message: String, hint: impl Into<String>) {
        self.found.push(self.list.written().finding(Severity::Error, code, at, message, hint.into()));
    }

    fn open(&mut self, config: &'a Value) {
        let (kind, version) = (Meta::of(config).kind(), Meta::of(config).api_version());
        self.plain = kind == "ConfigMap" && version == "v1";
        if !self.plain && (kind != "Fleetfold" || version != "fleetfold.dev/v1alpha1") {
            let message = format!("the configuration is of the kind `{kind}` of `{version}`");
            let hint = "it is a `Fleetfold` of `fleetfold.dev/v1alpha1`, or a ConfigMap";
            return self.error(Code::UnknownValue, &self.at.child("kind"), message, hint);
        }
        let holder = if self.plain { "data" } else { "spec" };
        self.at = self.at.child(holder);
        match config.get(holder) {
            Some(fields @ Value::Map(_)) => self.fields = fields,
            None | Some(Value::Null) => {}
            Some(other) => {
                let message = format!("`{holder}` is {}, not an object", other.kind());
                self.error(Code::WrongType, &self.at.clone(), message, "write a field a line, as `run: render`");
            }
        }
        // A field next to `spec` would be ignored silently.
        let beside = config.as_map().into_iter().flat_map(|it| it.keys());
        for name in beside.filter(|name| FIELDS.iter().any(|(field, _)| *field == name.as_str())) {
            let at = Pointer::of(["functionConfig", name.as_str()]);
            self.error(
                Code::UnknownField,
                &at,
                format!("`{name}` is outside of `{holder}`"),
                format!("put it into `{holder}`"),
            );
        }
    }

    fn check_names(&mut self) {
        let known: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
        for name in self.fields.as_map().into_iter().flat_map(|it| it.keys()) {
            if !known.contains(&name.as_str()) {
                let at = self.at.child(name.as_str());
                self.error(
                    Code::UnknownField,
                    &at,
                    format!("there is no field `{name}`"),
                    suggest(name, &known, "one of"),
                );
            }
        }
    }

    /// A field of another task: either the field or the task is a mistake.
    fn check_task(&mut self, task: Task) {
        let word = |task: Task| TASKS.iter().find(|(_, it)| *it == task).map_or("", |(word, _)| word);
        for (name, only) in FIELDS {
            if let (Some(only), Some(_)) = (only.filter(|it| *it != task), self.fields.get(name)) {
                let message = format!("`{name}` is for `run: {}`, and this is `run: {}`", word(only), word(task));
                let hint = format!("leave it out, or write `run: {}`", word(only));
                self.error(Code::UnknownValue, &self.at.child(*name), message, hint);
            }
        }
    }

    /// A field with its location, if it is set.
    fn field(&self, name: &str) -> Option<(&'a Value, Pointer)> {
        Some((self.fields.get(name).filter(|it| !it.is_null())?, self.at.child(name)))
    }

    fn wrong(&mut self, name: &str, value: &Value, at: &Pointer, wanted: &str, hint: &str) {
        self.error(Code::WrongType, at, format!("`{name}` is {}, not {wanted}", value.kind()), hint);
    }

    fn text(&mut self, name: &str) -> Option<String> {
        let (value, at) = self.field(name)?;
        if value.as_text().is_none() {
            self.wrong(name, value, &at, "a text", "quote it");
        }
        value.as_text().map(str::to_owned).filter(|it| !it.is_empty())
    }

    fn word<T: Copy>(&mut self, name: &str, known: &[(&str, T)]) -> Option<T> {
        let word = self.text(name)?;
        let found = known.iter().find(|(it, _)| *it == word).map(|(_, value)| *value);
        if found.is_none() {
            let words: Vec<&str> = known.iter().map(|(it, _)| *it).collect();
            let hint = suggest(&word, &words, "one of");
            self.error(Code::UnknownValue, &self.at.child(name), format!("there is no `{name}: {word}`"), hint);
        }
        found
    }

    /// A list; in a ConfigMap, separated by commas.
    fn texts(&mut self, name: &str) -> Vec<String> {
        let Some((value, at)) = self.field(name) else { return Vec::new() };
        if let (true, Some(text)) = (self.plain, value.as_text()) {
            return text.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect();
        }
        let texts: Option<Vec<String>> =
            value.as_list().and_then(|list| list.iter().map(|it| it.as_text().map(str::to_owned)).collect());
        texts.unwrap_or_else(|| {
            self.wrong(name, value, &at, "a list of texts", "write it as `[a, b]`");
            Vec::new()
        })
    }

    fn bool(&mut self, name: &str) -> bool {
        let Some((value, at)) = self.field(name) else { return false };
        match (value.as_bool(), value.as_text().filter(|_| self.plain)) {
            (Some(bool), _) => bool,
            (_, Some("true")) => true,
            (_, Some("false")) => false,
            _ => {
                self.wrong(name, value, &at, "true or false", "write `true` or `false`");
                false
            }
        }
    }

    fn map(&mut self, name: &str) -> Option<Value> {
        let (value, at) = self.field(name)?;
        if value.as_map().is_none() {
            self.wrong(
                name,
                value,
                &at,
                "an object",
                "settings have a structure: use the kind Fleetfold, and its `spec`",
            );
        }
        Some(value.clone()).filter(|it| it.as_map().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(config: &str) -> Result<Config, Vec<String>> {
        let text =
            format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig: {config}\n");
        Config::read(&ResourceList::read(text).unwrap()).map_err(|refused| match refused {
            Refused::Config(found) => {
                found.iter().map(|it| format!("{} {}; {}", it.path, it.message, it.hint)).collect()
            }
            Refused::Failed(failure) => panic!("{failure:?}"),
        })
    }

    fn of_spec(spec: &str) -> Result<Config, Vec<String>> {
        read(&format!("{{apiVersion: fleetfold.dev/v1alpha1, kind: Fleetfold, spec: {spec}}}"))
    }

    #[test]
    fn without_a_configuration_everything_is_linted() {
        let plain = read("null").unwrap();
        assert_eq!((plain.task, plain.fail_on), (Task::Lint, Some(Severity::Error)));
        assert_eq!(of_spec("{}").unwrap(), plain);
    }

    #[test]
    fn a_config_map_says_the_same_in_texts() {
        let spec = of_spec("{run: render, clusters: [a, b], keep: true, folder: out, files: [x]}").unwrap();
        let data = "{run: render, clusters: 'a, b', keep: 'true', folder: out, files: x}";
        assert_eq!(read(&format!("{{apiVersion: v1, kind: ConfigMap, data: {data}}}")).unwrap(), spec);
        assert_eq!(of_spec("{failOn: never}").unwrap().fail_on, None);
    }

    #[test]
    fn everything_that_is_wrong_is_told_with_what_was_meant() {
        let want = [
            "/functionConfig/spec/cluster there is no field `cluster`; did you mean `clusters`?",
            "/functionConfig/spec/run there is no `run: rendr`; did you mean `render`?",
            "/functionConfig/spec/files `files` is a string, not a list of texts; write it as `[a, b]`",
        ];
        assert_eq!(of_spec("{run: rendr, cluster: a, files: x}").unwrap_err(), want);
        let want = "/functionConfig/spec/clusters `clusters` is for `run: render`, and this is `run: lint`; leave it \
            out, or write `run: render`";
        assert_eq!(of_spec("{clusters: [a]}").unwrap_err(), [want]);
        let outside = "{apiVersion: fleetfold.dev/v1alpha1, kind: Fleetfold, run: render}";
        assert_eq!(read(outside).unwrap_err(), ["/functionConfig/run `run` is outside of `spec`; put it into `spec`"]);
        assert_eq!(read("{apiVersion: v1, kind: Secret}").unwrap_err().len(), 1);
        assert_eq!(read("[]").unwrap_err().len(), 1);
        assert_eq!(of_spec("[]").unwrap_err().len(), 1);
        assert_eq!(of_spec("{settings: 1}").unwrap_err().len(), 1);
    }
}
