//! PluginDefinitions: the options that a plugin has, their types and their defaults.

use std::sync::Arc;

use super::entries::Part;
use super::{CATALOG, CLUSTER_DEFINITION, DEFINITION, GROUP, Quirk, identity};
use crate::choice;
use crate::diagnostic::Mode;
use crate::diagnostic::decode::Decode;
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::fold::{Layer, Setting, Source, project, refuse_depth};
use crate::object::concealed::Concealed;
use crate::object::document::{Document, Identity};
use crate::value::JsonPath;
use crate::value::collections::SortedMap;
use crate::value::path::{OptionPath, OptionStep, Pointer};
use crate::value::suggest::{Hints, suggest};
use crate::value::{Number, Text, Value};
use crate::workspace::store::View;

choice! {
    /// What an option takes.
    #[derive(Default)]
    pub enum OptionType {
        #[default]
        Text = "string",
        Secret = "secret",
        Bool = "bool",
        Int = "int",
        List = "list",
        Map = "map",
    }
}

/// The definition of a plugin, and the place of the reference.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The first one that is loaded is meant.
    pub candidates: Vec<Identity>,
    pub name: Text,
    pub at: Pointer,
}

#[derive(Clone, Debug)]
pub struct Definition {
    pub version: Text,
    /// Whether it has a list of options, even an empty one.
    pub declares: bool,
    pub options: Vec<Declared>,
    /// The place of each among the options, by name.
    places: SortedMap<Text, usize>,
    /// Where its options of the type `secret` lie.
    secrets: SecretPlaces,
    /// The defaults, and their errors.
    pub defaults: Part,
}

/// An option as a definition declares it.
#[derive(Clone, Debug)]
pub struct Declared {
    pub name: Text,
    pub takes: OptionType,
    pub required: bool,
    pub has_default: bool,
}

/// The places of options of the type `secret`, as a tree: a setting meets those above, at and below its place.
#[derive(Clone, Debug, Default)]
struct SecretPlaces {
    is_secret: bool,
    below: SortedMap<OptionStep, SecretPlaces>,
}

impl SecretPlaces {
    fn of(options: &[Declared]) -> SecretPlaces {
        let mut places = SecretPlaces::default();
        let secrets = options.iter().filter(|it| it.takes == OptionType::Secret);
        for place in secrets.filter_map(|it| OptionPath::parse(&it.name).ok()) {
            let mut here = &mut places;
            for step in place.steps() {
                here = here.below.entry(step.clone()).or_default();
            }
            here.is_secret = true;
        }
        places
    }

    fn is_empty(&self) -> bool {
        self.below.is_empty()
    }

    /// Adds what a value that is set at a place has where secrets belong.
    fn conceal(&self, place: &[OptionStep], value: &Value, concealed: &mut Concealed) {
        let mut here = self;
        for step in place {
            if here.is_secret {
                add_plain(value, concealed);
            }
            match here.below.get(step) {
                Some(next) => here = next,
                None => return,
            }
        }
        here.conceal_below(value, concealed);
    }

    /// Goes through the places or through the value, whichever has less.
    fn conceal_below(&self, value: &Value, concealed: &mut Concealed) {
        if self.is_secret {
            add_plain(value, concealed);
        }
        match value {
            Value::Map(map) if map.len() < self.below.len() => map.iter().for_each(|(key, value)| {
                if let Some(next) = self.below.get(&OptionStep::Key(key.clone())) {
                    next.conceal_below(value, concealed);
                }
            }),
            Value::List(items) if items.len() < self.below.len() => items.iter().enumerate().for_each(|(at, value)| {
                if let Some(next) = self.below.get(&OptionStep::Index(at)) {
                    next.conceal_below(value, concealed);
                }
            }),
            _ => self.below.iter().for_each(|(step, next)| {
                if let Some(value) = project(value, std::slice::from_ref(step)) {
                    next.conceal_below(value, concealed);
                }
            }),
        }
    }
}

/// Adds a value that is there in plain text, where a reference belongs.
fn add_plain(value: &Value, concealed: &mut Concealed) {
    if matches!(OptionType::Secret.accepts(value), Fit::No) {
        concealed.add(value);
    }
}

impl Wanted {
    /// Reads the reference of a plugin's spec. Older manifests have the bare name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn read(document: &Document, spec: &Value, at: &JsonPath, out: &mut Vec<Diagnostic>) -> Result<Wanted, Error> {
        let namespace = &document.identity.namespace;
        if let Some(reference) = spec.get("pluginDefinitionRef").filter(|it| !it.is_null()) {
            let (kind, name) = (reference.text_at(&["kind"]), reference.text_at(&["name"]));
            let at = at.key("pluginDefinitionRef");
            if name.is_empty() {
                return Err(Error::new(Code::MissingField, "the definition has no `name`").at(at.key("name")));
            }
            let candidate = match kind {
                "" | DEFINITION => identity(DEFINITION, namespace, name),
                CLUSTER_DEFINITION => identity(CLUSTER_DEFINITION, "", name),
                _ => {
                    let message = format!("unknown kind of definition `{kind}`");
                    let hint = suggest(kind, &[DEFINITION, CLUSTER_DEFINITION], "one of");
                    return Err(Error::new(Code::UnknownValue, message).at(at.key("kind")).hint(hint));
                }
            };
            return Ok(Wanted { candidates: vec![candidate], name: name.into(), at: at.pointer() });
        }
        let old = ["pluginDefinition", "pluginDefinitionName"].into_iter().find(|key| !spec.text_at(&[key]).is_empty());
        let Some(field) = old else {
            let message = "the plugin does not say which definition it is made from";
            return Err(Error::new(Code::MissingField, message).at(at.key("pluginDefinitionRef")));
        };
        let (name, at) = (spec.text_at(&[field]), at.key(field).pointer());
        let hint = format!("write `pluginDefinitionRef: {{kind: {DEFINITION}, name: {name}}}`");
        out.push(
            Diagnostic::info(Code::OldForm, format!("`{field}` is an older form of `pluginDefinitionRef`"))
                .of(&document.identity)
                .at(at.clone())
                .hint(hint),
        );
        let candidates = vec![identity(DEFINITION, namespace, name), identity(CLUSTER_DEFINITION, "", name)];
        Ok(Wanted { candidates, name: name.into(), at })
    }

    pub fn find(&self, view: View, out: &mut Vec<Diagnostic>) -> Option<Definition> {
        let document = self.candidates.iter().find_map(|it| view.document(it))?;
        Some(Definition::read(document, out))
    }

    /// The reference as a Plugin writes it.
    pub fn reference(&self, definition: &Definition) -> Value {
        let kind = definition.defaults.layer.document.as_deref().map(|it| it.kind.clone()).unwrap_or_default();
        Value::map([("kind", kind), ("name", self.name.clone())])
    }

    /// The diagnostic while it is not loaded.
    pub fn missing(&self, view: View, document: &Identity) -> Diagnostic {
        self.unknown(view, document, "nothing is written")
    }

    /// Says that it is not loaded, and what follows.
    pub fn unknown(&self, view: View, document: &Identity, follows: &str) -> Diagnostic {
        let known = [(DEFINITION, Some(document.namespace.as_str())), (CLUSTER_DEFINITION, None)];
        let known = known.into_iter().flat_map(|(kind, namespace)| view.store.of_kind(GROUP, kind, namespace));
        let known: Vec<&str> = known.map(|it| it.identity.name.as_str()).collect();
        let message = format!("the definition `{}` is not loaded, so {follows}", self.name);
        let finding = Diagnostic::warning(Code::UnknownDefinition, message).of(document).at(self.at.clone());
        match crate::value::suggest::did_you_mean(&self.name, known) {
            Some(hint) => finding.hint(hint),
            None => finding,
        }
    }
}

impl Definition {
    pub fn read(document: &Document, out: &mut Vec<Diagnostic>) -> Definition {
        let (mut options, mut set, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let list = document.value.at(&["spec", "options"]).and_then(Value::as_list);
        let spec = JsonPath::ROOT.key("spec");
        let at = spec.key("options");
        for (index, item) in list.into_iter().flatten().enumerate() {
            let at = at.index(index);
            match declared(item, &at, &mut found) {
                Ok((option, setting)) => {
                    options.push(option);
                    set.extend(setting);
                }
                Err(error) => found.push(error.into_diagnostic(Severity::Error)),
            }
        }
        let identity: Arc<Identity> = Arc::new(document.identity.clone());
        for finding in &mut found {
            finding.at.document = Some(identity.to_string());
        }
        let errors = found.iter().filter(|it| it.severity == Severity::Error).cloned().collect();
        out.append(&mut found);
        let layer = Layer { name: "definition-default".into(), document: Some(identity), when: None, set };
        Definition {
            version: document.value.text_at(&["spec", "version"]).into(),
            declares: list.is_some(),
            // Of two with one name, the first counts.
            places: options.iter().enumerate().rev().map(|(place, it)| (it.name.clone(), place)).collect(),
            secrets: SecretPlaces::of(&options),
            options,
            defaults: Part { layer, errors },
        }
    }

    pub fn get(&self, name: &str) -> Option<&Declared> {
        self.options.get(*self.places.get(name)?)
    }

    /// Reports options that a layer sets and the definition does not declare. A definition without options takes any.
    pub fn report_undeclared(&self, part: &Part, out: &mut Vec<Diagnostic>) {
        let document = part.layer.document.as_deref();
        let mut hints = Hints::default();
        for setting in part.layer.set.iter().filter(|it| self.is_undeclared(&it.path)) {
            let known = self.options.iter().map(|it| it.name.as_str());
            let message = format!("the definition declares no option `{}`", setting.path);
            let mut finding = Diagnostic::warning(Code::UndeclaredOption, message).at(setting.at.clone());
            finding.hint = hints.did_you_mean(&setting.path, known);
            out.push(match document {
                Some(document) => finding.of(document),
                None => finding,
            });
        }
    }

    pub fn is_undeclared(&self, path: &str) -> bool {
        !self.options.is_empty() && self.get(path).is_none() && !super::inject::is_tolerated(path)
    }

    /// Adds the plain values that a layer sets for options of the type `secret`, where references belong.
    pub fn conceal(&self, layer: &Layer, concealed: &mut Concealed) {
        if self.secrets.is_empty() {
            return;
        }
        for setting in &layer.set {
            if let Source::Value(value) = &setting.source {
                self.secrets.conceal(setting.place.steps(), value, concealed);
            }
        }
    }

    /// Adds those of the entries of a live Plugin.
    pub fn conceal_live(&self, plugin: &Value, concealed: &mut Concealed) {
        let entries = plugin.at(&["spec", "optionValues"]).and_then(Value::as_list);
        let set = entries.into_iter().flatten().filter_map(|it| {
            Setting::new(it.text_at(&["name"]), it.get("value").filter(|it| !it.is_null())?.clone()).ok()
        });
        let layer = Layer { name: Text::default(), document: None, when: None, set: set.collect() };
        self.conceal(&layer, concealed);
    }

    /// What is wrong with the value that an option ends with.
    pub fn check(&self, path: &str, source: &Source, mode: Mode) -> Option<Diagnostic> {
        let option = self.get(path)?;
        match source {
            Source::Value(value) => match option.takes.accepts(value) {
                Fit::Yes => None,
                Fit::Nearly => {
                    let message = format!("`{path}` takes an integer, and this is not one; Greenhouse accepts it");
                    Some(Diagnostic::warning(Code::OptionType, message))
                }
                Fit::No => Some(mismatch(path, option.takes, value)),
            },
            Source::Reference(_) if option.has_default && Quirk::DefaultHidesReference.is_kept(mode) => {
                let message =
                    format!("`{path}` has a default and is set by reference, of which Greenhouse keeps neither");
                Some(Diagnostic::error(Code::OptionSource, message))
            }
            Source::Reference(_) => None,
        }
    }
}

fn mismatch(path: &str, takes: OptionType, value: &Value) -> Diagnostic {
    let message = format!("`{path}` takes {}, not {}", takes.article(), value.kind());
    let finding = Diagnostic::error(Code::OptionType, message);
    match takes {
        OptionType::Secret => finding.hint("use `valueFrom: {secret: {name, key}}`"),
        OptionType::Text if matches!(value, Value::Bool(_) | Value::Number(_)) => finding.hint("quote it"),
        _ => finding,
    }
}

fn declared(item: &Value, at: &JsonPath, out: &mut Vec<Diagnostic>) -> Result<(Declared, Option<Setting>), Error> {
    let name = match item.get("name") {
        Some(Value::Text(name)) if !name.is_empty() => name.clone(),
        Some(Value::Text(_)) | None => {
            return Err(Error::new(Code::MissingField, "the option has no `name`").at(at.key("name")));
        }
        Some(other) => return Err(at.key("name").wrong_type("a string", other)),
    };
    let takes = OptionType::decode(item.get("type").cloned().unwrap_or_default(), &at.key("type"))?;
    if item.get("regex").is_some_and(|it| !it.is_empty()) {
        let message = format!("nothing enforces the pattern of `{name}`");
        out.push(Diagnostic::info(Code::UnenforcedPattern, message).at(at.key("regex").pointer()));
    }
    let required = item.get("required").and_then(Value::as_bool).unwrap_or(false);
    let given = item.get("default").filter(|it| !it.is_null());
    if let Some(default) = given.filter(|it| !takes.accepts_default(it)) {
        let finding = mismatch(&name, takes, default);
        out.push(match takes {
            OptionType::Secret => Diagnostic::error(Code::OptionType, format!("`{name}` is secret and has a default"))
                .at(at.key("default").pointer())
                .hint("a secret has no default: remove it"),
            _ => finding.at(at.key("default").pointer()),
        });
    }
    if let Ok(place) = OptionPath::parse(&name) {
        refuse_depth(&name, &place, given.unwrap_or(&Value::Null)).map_err(|error| error.at(at))?;
    }
    let has_default = given.is_some_and(|it| takes != OptionType::Secret || !it.is_empty());
    let setting = match (OptionPath::parse(&name), given.filter(|_| has_default)) {
        (Ok(place), Some(default)) => Some(Setting {
            path: name.clone(),
            place,
            source: Source::Value(default.clone()),
            deep: false,
            at: at.key("default").pointer(),
        }),
        (Ok(_), None) => None,
        (Err(error), _) => {
            let message = format!("the option `{name}` is wrong at character {}: {}", error.offset + 1, error.message);
            return Err(Error::new(Code::BadOptionPath, message).at(at.key("name")).maybe_hint(error.hint));
        }
    };
    Ok((Declared { name, takes, required, has_default }, setting))
}

/// Whether a value is of a type.
enum Fit {
    Yes,
    /// Greenhouse accepts it, though it is not one.
    Nearly,
    No,
}

impl OptionType {
    /// A secret is a reference, or a text that names a place in the vault.
    fn accepts(self, value: &Value) -> Fit {
        let fits = match (self, value) {
            (OptionType::Int, Value::Number(number)) => {
                return if number.as_int().is_some() { Fit::Yes } else { Fit::Nearly };
            }
            (OptionType::Secret, Value::Text(text)) => text.contains(VAULT),
            (OptionType::Text, Value::Text(_))
            | (OptionType::Bool, Value::Bool(_))
            | (OptionType::List, Value::List(_))
            | (OptionType::Map, Value::Map(_)) => true,
            _ => false,
        };
        if fits { Fit::Yes } else { Fit::No }
    }

    fn accepts_default(self, value: &Value) -> bool {
        match (self, value) {
            (OptionType::Int, Value::Number(number)) => matches!(number, Number::Int(_)),
            (OptionType::Secret, value) => matches!(value, Value::Text(text) if text.is_empty()),
            _ => matches!(self.accepts(value), Fit::Yes),
        }
    }

    fn article(self) -> &'static str {
        match self {
            OptionType::Text => "a string",
            OptionType::Secret => "a reference to a secret",
            OptionType::Bool => "a boolean",
            OptionType::Int => "an integer",
            OptionType::List => "a list",
            OptionType::Map => "a map",
        }
    }
}

/// What marks a text as a place in the vault.
const VAULT: &str = "vault+kvv2:///";

/// The layers of Catalogs that rewrite the defaults of a definition, by name of the Catalog.
pub fn catalog_parts(
    view: View,
    namespace: &str,
    definition: &str,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Vec<Part> {
    let catalogs = view.store.of_kind(GROUP, CATALOG, Some(namespace));
    let parts = catalogs.flat_map(|document| parts_of_catalog(document, |it| it == definition, mode, out));
    parts.map(|(_, part)| part).collect()
}

/// The layers of a Catalog that rewrite the defaults of definitions that are wanted, each with its definition.
pub fn parts_of_catalog<'d>(
    document: &'d Document,
    wanted: impl Fn(&str) -> bool,
    mode: Mode,
    out: &mut Vec<Diagnostic>,
) -> Vec<(&'d str, Part)> {
    let mut parts = Vec::new();
    let spec = JsonPath::ROOT.key("spec");
    let sources_at = spec.key("sources");
    let sources = document.value.at(&["spec", "sources"]).and_then(Value::as_list);
    for (number, source) in sources.into_iter().flatten().enumerate() {
        let source_at = sources_at.index(number);
        let overrides_at = source_at.key("overrides");
        let overrides = source.get("overrides").and_then(Value::as_list);
        for (index, item) in overrides.into_iter().flatten().enumerate() {
            let alias = Some(item.text_at(&["alias"])).filter(|it| !it.is_empty());
            let definition = alias.unwrap_or(item.text_at(&["name"]));
            if !wanted(definition) {
                continue;
            }
            let at = overrides_at.index(index);
            let reader = super::entries::Reader { document, mode };
            let options = item.get("optionsOverride");
            parts.push((definition, reader.part("catalog", None, options, &at.key("optionsOverride"), out)));
        }
    }
    parts
}
