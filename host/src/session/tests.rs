use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use fleetfold_core::Workspace;
use fleetfold_core::api::admit::Admit;
use fleetfold_core::api::load::{Load, Unload};
use fleetfold_core::value::json;
use fleetfold_core::{Value, api::configure::Configure};

use super::*;
use crate::engine::{error_answer, refusal};

/// The linked engine with limits: it is lost where it computes a preset that `heavy` names, or any preset with an
/// override that `heavy` names, or more presets than `most`. What depends on a document that is put aside is not
/// computed.
struct Fragile {
    workspace: Workspace,
    heavy: Arc<Mutex<BTreeSet<String>>>,
    most: usize,
    calls: Arc<Mutex<Vec<String>>>,
    /// The heavy subjects that are loaded, and what is put aside.
    loaded: BTreeSet<String>,
    quarantined: Vec<String>,
    is_lost: bool,
}

impl Fragile {
    fn breaks(&self, request: &Value) -> bool {
        let op = request.text_at(&["op"]);
        let heavy = self.heavy.lock().unwrap();
        let is_out = |it: &&String| self.quarantined.iter().any(|out| out == *it || out == "*");
        let presets = self.loaded.iter().filter(|it| it.starts_with("PluginPreset/") && !is_out(it));
        let mut others = self.loaded.iter().filter(|it| !it.starts_with("PluginPreset/"));
        let is_computed = !others.clone().any(|it| is_out(&it));
        match op {
            "plan" | "subjects" | "admit" if is_computed => {
                let mut presets = presets.peekable();
                presets.peek().is_some() && others.any(|it| heavy.contains(it))
                    || presets.clone().any(|it| heavy.contains(it))
                    || presets.count() > self.most
            }
            "load" => heavy.contains("load") && names(request).iter().any(|it| it.contains("unloadable")),
            _ => false,
        }
    }
}

fn names(request: &Value) -> Vec<String> {
    let documents = request.get("documents").and_then(Value::as_list).into_iter().flatten();
    documents.map(|it| Target::of(it).identity().to_string()).collect()
}

impl Engine for Fragile {
    fn call(&mut self, request: &[u8]) -> String {
        let text = std::str::from_utf8(request).unwrap();
        let value = json::parse(text).unwrap();
        self.calls.lock().unwrap().push(value.text_at(&["op"]).to_owned());
        self.is_lost = false;
        if self.breaks(&value) {
            self.fresh();
            return error_answer(&refusal("deadline-exceeded", "the call took longer than 2s", ""));
        }
        if value.get("live").is_none() {
            self.loaded.extend(names(&value));
        }
        for unloaded in value.get("refs").and_then(Value::as_list).into_iter().flatten() {
            let name = unloaded.as_text().unwrap_or_default().replace(".greenhouse.sap", "");
            self.loaded.remove(&name);
        }
        if let Some(list) = value.get("quarantined").and_then(Value::as_list) {
            self.quarantined = list.iter().map(|it| it.as_text().unwrap_or_default().to_owned()).collect();
        }
        Engine::call(&mut self.workspace, request)
    }

    fn fresh(&mut self) {
        (self.workspace, self.is_lost) = (Workspace::default(), true);
        (self.loaded, self.quarantined) = Default::default();
    }

    fn is_fresh(&self) -> bool {
        self.is_lost
    }
}

struct Bench {
    session: Session,
    heavy: Arc<Mutex<BTreeSet<String>>>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Bench {
    fn new() -> Bench {
        Bench::with_most(usize::MAX)
    }

    /// Whose engine computes at most this many presets.
    fn with_most(most: usize) -> Bench {
        let (heavy, calls) = (Arc::default(), Arc::default());
        let engine = Fragile {
            workspace: Workspace::default(),
            heavy: Arc::clone(&heavy),
            most,
            calls: Arc::clone(&calls),
            loaded: BTreeSet::new(),
            quarantined: Vec::new(),
            is_lost: false,
        };
        Bench { session: Session::new(Box::new(engine)), heavy, calls }
    }

    /// A fleet of one cluster and presets with these names.
    fn fleet(names: &[&str]) -> Bench {
        Bench::new().filled(names)
    }

    fn filled(mut self, names: &[&str]) -> Bench {
        let bench = &mut self;
        let cluster = r#"{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Cluster","metadata":{"name":"c1","namespace":"acme","labels":{"tier":"gold"}},"spec":{"accessMode":"direct"}}"#;
        let definition = r#"{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginDefinition","metadata":{"name":"d","namespace":"acme"},"spec":{"version":"1.0.0"}}"#;
        let mut documents = vec![json::parse(cluster).unwrap(), json::parse(definition).unwrap()];
        documents.extend(names.iter().map(|it| preset(it, "gold")));
        bench.load(documents);
        let live = Load { live: Some("".into()), documents: Some(Vec::new()), complete: Some(true), ..Load::default() };
        bench.session.change(live).unwrap();
        self
    }

    fn load(&mut self, documents: Vec<Value>) {
        self.session.change(Load { documents: Some(documents), ..Load::default() }).unwrap();
    }

    fn heavy(&self, name: &str) {
        self.heavy.lock().unwrap().insert(name.to_owned());
    }

    fn light(&self, name: &str) {
        self.heavy.lock().unwrap().remove(name);
    }

    /// The subjects of the planned actions.
    fn planned(&mut self) -> Result<Vec<String>, EngineError> {
        let plan = self.session.call(&PlanRequest::default())?;
        Ok(plan.answer.actions.iter().map(|it| it.subject.clone()).collect())
    }

    fn quarantined(&self) -> Vec<String> {
        self.session.quarantine().references()
    }

    fn count(&self, op: &str) -> usize {
        self.calls.lock().unwrap().iter().filter(|it| *it == op).count()
    }
}

fn preset(name: &str, tier: &str) -> Value {
    json::parse(&format!(
        r#"{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginPreset","metadata":{{"name":"{name}","namespace":"acme"}},"spec":{{"clusterSelector":{{"matchLabels":{{"tier":"{tier}"}}}},"plugin":{{"optionValues":[],"pluginDefinitionRef":{{"kind":"PluginDefinition","name":"d"}}}}}}}}"#
    ))
    .unwrap()
}

/// An override of an option of all presets.
fn override_of(name: &str, value: &str) -> Value {
    json::parse(&format!(
        r#"{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginOverride","metadata":{{"name":"{name}","namespace":"acme"}},"spec":{{"overrides":[{{"path":"o","value":"{value}"}}]}}}}"#
    ))
    .unwrap()
}

fn subject(name: &str) -> String {
    format!("PluginPreset/acme/{name}")
}

#[test]
fn a_call_that_exceeds_a_limit_is_answered_without_the_cause() {
    let mut bench = Bench::fleet(&["a", "b", "c", "d", "e"]);
    bench.heavy(&subject("c"));
    let want: Vec<String> = ["a", "b", "d", "e"].map(subject).to_vec();
    assert_eq!(bench.planned().unwrap(), want);
    assert_eq!(bench.quarantined(), [subject("c")]);
    let plan = bench.session.call(&PlanRequest::default()).unwrap();
    assert_eq!(plan.findings[0].code, "quarantined-document");
    assert!(bench.session.quarantine().iter().next().unwrap().message.contains("longer than 2s"));
}

#[test]
fn several_causes_are_found() {
    let mut bench = Bench::fleet(&["a", "b", "c", "d", "e"]);
    bench.heavy(&subject("a"));
    bench.heavy(&subject("e"));
    assert_eq!(bench.planned().unwrap(), ["b", "c", "d"].map(subject));
    assert_eq!(bench.quarantined(), ["a", "e"].map(subject));
}

#[test]
fn an_override_that_is_too_much_for_every_preset_is_the_one_cause() {
    let mut bench = Bench::fleet(&["a", "b", "c", "d", "e"]);
    bench.load(vec![override_of("light", "x"), override_of("big", &"x".repeat(1000))]);
    bench.heavy("PluginOverride/acme/big");
    let plan = bench.session.call(&PlanRequest::default()).unwrap();
    assert_eq!(bench.quarantined(), ["PluginOverride/acme/big"]);
    // The presets keep their last state, and the plan says why.
    assert!(plan.answer.actions.is_empty());
    let named = |it: &str| plan.findings.iter().any(|finding| finding.message.contains(it));
    assert!(named("it depends on `PluginOverride/acme/big`"), "{:?}", plan.findings);
    assert!(!named("nothing is planned for"), "{:?}", plan.findings);
    // Repaired, all are planned.
    bench.light("PluginOverride/acme/big");
    bench.load(vec![override_of("big", "y")]);
    assert!(bench.quarantined().is_empty());
    assert_eq!(bench.planned().unwrap().len(), 5);
}

#[test]
fn presets_that_are_each_too_much_are_blamed_and_not_what_good_ones_depend_on_too() {
    let mut bench = Bench::fleet(&["a", "b", "c", "d", "e"]);
    bench.load(vec![override_of("light", &"x".repeat(1000))]);
    ["b", "d", "e"].iter().for_each(|it| bench.heavy(&subject(it)));
    assert_eq!(bench.planned().unwrap(), ["a", "c"].map(subject));
    assert_eq!(bench.quarantined(), ["b", "d", "e"].map(subject));
    // The good ones may come after those that are too much.
    let mut bench = Bench::fleet(&["a", "b", "c", "d", "e"]);
    bench.load(vec![override_of("light", &"x".repeat(1000))]);
    ["a", "b", "c"].iter().for_each(|it| bench.heavy(&subject(it)));
    assert_eq!(bench.planned().unwrap(), ["d", "e"].map(subject));
    assert_eq!(bench.quarantined(), ["a", "b", "c"].map(subject));
}

#[test]
fn presets_that_are_too_much_only_together_are_planned_as_far_as_the_limit_allows() {
    let mut bench = Bench::with_most(3).filled(&["a", "b", "c", "d", "e"]);
    assert_eq!(bench.planned().unwrap(), ["a", "b", "c"].map(subject));
    assert_eq!(bench.quarantined(), ["d", "e"].map(subject));
}

#[test]
fn a_document_that_just_changed_is_found_with_few_calls() {
    let names: Vec<String> = (0..64).map(|it| format!("p{it:02}")).collect();
    let mut bench = Bench::fleet(&names.iter().map(String::as_str).collect::<Vec<_>>());
    bench.planned().unwrap();
    bench.heavy(&subject("new"));
    bench.load(vec![preset("new", "gold")]);
    let before = bench.count("plan");
    assert_eq!(bench.planned().unwrap().len(), 64);
    assert_eq!(bench.quarantined(), [subject("new")]);
    assert!(bench.count("plan") - before <= 3, "{} plans", bench.count("plan") - before);
}

#[test]
fn the_number_of_calls_is_limited() {
    let names: Vec<String> = (0..64).map(|it| format!("p{it:02}")).collect();
    let mut bench = Bench::fleet(&names.iter().map(String::as_str).collect::<Vec<_>>());
    // All but the last: that one shows that the definition is not the cause.
    names.iter().take(63).for_each(|it| bench.heavy(&subject(it)));
    let error = bench.planned().unwrap_err();
    assert!(!error.is_lost && error.is_limit());
    assert!(bench.count("plan") < 90, "{} plans", bench.count("plan"));
    // What was found stays put aside, so the next calls get further.
    let found = bench.quarantined().len();
    assert!(found > 0);
    let _ = bench.planned();
    assert!(bench.quarantined().len() > found);
}

#[test]
fn without_a_cause_the_error_stays_and_nothing_is_lost() {
    let mut bench = Bench::fleet(&["a", "b"]);
    // A request that fails whatever is put aside.
    bench.heavy("load");
    let unloadable = Load { documents: Some(vec![preset("unloadable", "gold")]), ..Load::default() };
    let error = bench.session.change(unloadable).unwrap_err();
    assert!(!error.is_lost && error.is_limit());
    assert!(error.hint().contains("the loaded state is kept"));
    assert_eq!(bench.planned().unwrap(), ["a", "b"].map(subject));
}

#[test]
fn a_document_that_changes_is_tried_again_at_once() {
    let mut bench = Bench::fleet(&["a", "b"]);
    bench.heavy(&subject("a"));
    assert_eq!(bench.planned().unwrap(), [subject("b")]);
    // Another version that asks for the same stays put aside.
    let mut touched = preset("a", "gold");
    touched =
        json::parse(&touched.to_canonical().replace(r#""name":"a","#, r#""name":"a","resourceVersion":"7","#)).unwrap();
    bench.load(vec![touched]);
    assert_eq!(bench.quarantined(), [subject("a")]);
    bench.light(&subject("a"));
    let mended = json::parse(
        &preset("a", "gold")
            .to_canonical()
            .replace(r#""optionValues":[]"#, r#""optionValues":[{"name":"o","value":1}]"#),
    )
    .unwrap();
    bench.load(vec![mended]);
    assert!(bench.quarantined().is_empty());
    assert_eq!(bench.planned().unwrap(), ["a", "b"].map(subject));
}

#[test]
fn a_document_that_is_unloaded_leaves_the_quarantine() {
    let mut bench = Bench::fleet(&["a", "b"]);
    bench.heavy(&subject("a"));
    bench.planned().unwrap();
    bench.session.change(Unload { refs: vec!["PluginPreset.greenhouse.sap/acme/a".into()] }).unwrap();
    assert!(bench.quarantined().is_empty());
    assert_eq!(bench.planned().unwrap(), [subject("b")]);
}

#[test]
fn attempts_have_growing_delays_and_end_with_success() {
    let mut bench = Bench::fleet(&["a", "b"]);
    bench.heavy(&subject("a"));
    bench.planned().unwrap();
    let mut waits = Vec::new();
    for _ in 0..9 {
        waits.extend(bench.session.quarantine.waits().iter().map(Duration::as_secs));
        bench.session.retry_quarantined(&PlanRequest::default());
        bench.session.quarantine.expire();
        bench.session.retry_quarantined(&PlanRequest::default());
    }
    assert_eq!(waits, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
    assert_eq!(bench.planned().unwrap(), [subject("b")], "what failed again is still left out");
    bench.light(&subject("a"));
    bench.session.quarantine.expire();
    bench.session.retry_quarantined(&PlanRequest::default());
    assert!(bench.quarantined().is_empty());
    assert_eq!(bench.planned().unwrap(), ["a", "b"].map(subject));
}

#[test]
fn a_review_that_exceeds_a_limit_costs_no_search() {
    let mut bench = Bench::fleet(&["a", "b"]);
    bench.heavy(&subject("a"));
    let review = Admit { request: json::parse("{}").unwrap(), ..Admit::default() };
    assert!(bench.session.call_once(&review).unwrap_err().is_lost);
    assert_eq!(bench.count("admit"), 1);
    assert!(bench.session.restore());
    bench.light(&subject("a"));
    assert_eq!(bench.planned().unwrap(), ["a", "b"].map(subject));
}

#[test]
fn a_session_that_starts_over_keeps_its_quarantine() {
    let mut bench = Bench::fleet(&["a", "b"]);
    bench.heavy(&subject("a"));
    bench.planned().unwrap();
    bench.session.reset();
    assert_eq!(bench.planned().unwrap(), Vec::<String>::new(), "nothing is loaded");
    assert_eq!(bench.quarantined(), [subject("a")]);
    bench.session.change(Configure::default()).unwrap();
}
