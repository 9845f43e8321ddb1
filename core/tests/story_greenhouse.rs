//! The stories of seed 000: three ways to override the options of plugins, and what becomes of the Plugins.

mod fleet;

use fleet::{Fleet, actions, effective, examples, held, list, value};
use fleetfold_core::Value;
use fleetfold_core::api::configure::{Configure, LimitsInput};
use fleetfold_core::api::effective::Effective;
use fleetfold_core::api::explain::LinkAnswer;
use fleetfold_core::api::plan::PlanRequest;
use fleetfold_core::diagnostic::Mode;
use fleetfold_core::workspace::Precedence;

const PRESET: &str = "PluginPreset/my-org/my-preset";

fn story(name: &str) -> Fleet {
    let mut fleet = Fleet::default();
    limit(&mut fleet, None);
    fleet.load_file(&examples("stories").join(name).join("fleet.yaml"));
    fleet
}

/// Deletes are no matter here; an empty selection may be.
fn limit(fleet: &mut Fleet, empty_selection: Option<bool>) {
    let limits =
        LimitsInput { deletes: Some(100), delete_percent: Some(100), empty_selection, ..LimitsInput::default() };
    fleet.call(Configure { limits: Some(limits), ..Configure::default() });
}

fn add(fleet: &mut Fleet, story: &str, file: &str) {
    fleet.load_file(&examples("stories").join(story).join(file));
}

/// The value, or the reference, that a cluster ends with, and the layer it is from.
#[track_caller]
fn option(fleet: &mut Fleet, cluster: &str, path: &str) -> (String, String) {
    let answer = fleet.call(Effective { clusters: Some(vec![cluster.into()]), ..effective(PRESET) });
    let result = answer.results.first().unwrap_or_else(|| panic!("{answer:?}"));
    let option = result.options.iter().flatten().find(|it| it.path == path).unwrap_or_else(|| panic!("no {path}"));
    let said = option.value.0.as_ref().or(option.value_from.0.as_ref()).unwrap();
    let said = said.as_text().map_or_else(|| said.to_canonical(), String::from);
    (said, option.from.to_string())
}

#[track_caller]
fn check(fleet: &mut Fleet, cluster: &str, path: &str, said: &str, from: &str) {
    assert_eq!(option(fleet, cluster, path), (said.into(), from.into()), "{path} of {cluster}");
}

/// Loads an override of its own kind.
fn plugin_override(fleet: &mut Fleet, name: &str, created: &str, clusters: bool, definitions: bool, set: &str) {
    let clusters = if clusters { r#""clusterSelector":{"clusterNames":["my-cluster"]},"# } else { "" };
    let definitions = if definitions { r#""pluginDefinitionNames":["my-plugindefinition"],"# } else { "" };
    fleet.load_documents([value(&format!(
        r#"{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginOverride",
            "metadata":{{"name":"{name}","namespace":"my-org","creationTimestamp":"{created}"}},
            "spec":{{{clusters}{definitions}"overrides":[{{"path":"my-option","value":"{set}"}}]}}}}"#
    ))]);
}

const MORNING: &str = "2024-08-14T08:00:00Z";
const NOON: &str = "2024-08-14T12:00:00Z";

#[test]
fn option_one_overrides_the_value_of_the_selected_cluster_alone() {
    let mut fleet = story("000-1-plugin-override");
    check(&mut fleet, "my-cluster", "my-option", "value-default", "preset");
    add(&mut fleet, "000-1-plugin-override", "override.yaml");
    check(&mut fleet, "my-cluster", "my-option", "value-override", "plugin-override");
    check(&mut fleet, "other-cluster", "my-option", "value-default", "preset");
    check(&mut fleet, "my-cluster", "my-option-3", "from-definition", "definition-default");
}

#[test]
fn the_more_specific_override_comes_last_whenever_it_was_made() {
    let mut fleet = story("000-1-plugin-override");
    plugin_override(&mut fleet, "for-all", NOON, false, false, "for-all");
    check(&mut fleet, "my-cluster", "my-option", "for-all", "plugin-override");
    plugin_override(&mut fleet, "for-the-cluster", MORNING, true, false, "for-the-cluster");
    check(&mut fleet, "my-cluster", "my-option", "for-the-cluster", "plugin-override");
    check(&mut fleet, "other-cluster", "my-option", "for-all", "plugin-override");
    plugin_override(&mut fleet, "for-the-definition", MORNING, false, true, "for-the-definition");
    check(&mut fleet, "my-cluster", "my-option", "for-the-definition", "plugin-override");
    plugin_override(&mut fleet, "for-both", MORNING, true, true, "for-both");
    check(&mut fleet, "my-cluster", "my-option", "for-both", "plugin-override");
}

#[test]
fn the_diagram_of_the_seed_ranks_the_cluster_above_the_definition() {
    let mut fleet = story("000-1-plugin-override");
    plugin_override(&mut fleet, "for-the-cluster", NOON, true, false, "for-the-cluster");
    plugin_override(&mut fleet, "for-the-definition", MORNING, false, true, "for-the-definition");
    check(&mut fleet, "my-cluster", "my-option", "for-the-definition", "plugin-override");
    fleet.call(Configure { precedence: Some(Precedence::ClusterOverDefinition), ..Configure::default() });
    check(&mut fleet, "my-cluster", "my-option", "for-the-cluster", "plugin-override");
    check(&mut fleet, "other-cluster", "my-option", "for-the-definition", "plugin-override");
}

#[test]
fn of_two_alike_overrides_the_one_made_first_is_applied_first() {
    let mut fleet = story("000-1-plugin-override");
    plugin_override(&mut fleet, "a", NOON, false, false, "second");
    plugin_override(&mut fleet, "b", MORNING, false, false, "first");
    check(&mut fleet, "my-cluster", "my-option", "second", "plugin-override");
    plugin_override(&mut fleet, "a", MORNING, false, false, "second");
    check(&mut fleet, "my-cluster", "my-option", "first", "plugin-override");
}

#[test]
fn option_two_puts_the_cluster_above_the_organization() {
    let mut fleet = story("000-2-organization-and-cluster");
    add(&mut fleet, "000-2-organization-and-cluster", "overrides.yaml");
    check(&mut fleet, "other-cluster", "my-option", "value-of-the-organization", "organization-override");
    check(&mut fleet, "my-cluster", "my-option", "value-of-the-cluster", "cluster-override");
    let (of_organization, of_cluster) = (
        r#"{"secret":{"key":"my-key","name":"my-secret"}}"#,
        r#"{"secret":{"key":"my-key","name":"my-cluster-secret"}}"#,
    );
    check(&mut fleet, "other-cluster", "my-option-2", of_organization, "organization-override");
    check(&mut fleet, "my-cluster", "my-option-2", of_cluster, "cluster-override");
}

#[test]
fn option_three_overrides_in_the_preset_itself() {
    let mut fleet = story("000-3-cluster-option-overrides");
    add(&mut fleet, "000-3-cluster-option-overrides", "preset.yaml");
    check(&mut fleet, "my-cluster", "my-option", "value-override", "cluster-option-override");
    check(&mut fleet, "other-cluster", "my-option", "value-default", "preset");
    let explained = fleet.explain(PRESET, "my-cluster", "my-option");
    let link = |it: LinkAnswer| {
        format!("{} {} {}:{}", it.layer, it.state.as_str(), it.file.unwrap_or_default(), it.line.unwrap())
    };
    let chain: Vec<String> = explained.chain.unwrap().into_iter().map(link).collect();
    let want = [
        "cluster-option-override wins preset.yaml:16",
        "preset shadowed preset.yaml:11",
        "definition-default shadowed fleet.yaml:23",
    ];
    assert_eq!(chain, want);
}

#[test]
fn every_option_is_written_into_the_plugins_and_into_nothing_else() {
    let mut fleet = story("000-1-plugin-override");
    add(&mut fleet, "000-1-plugin-override", "override.yaml");
    let plan = fleet.settle_at_once();
    let want = ["0 create Plugin/my-org/my-preset-my-cluster", "0 create Plugin/my-org/my-preset-other-cluster"];
    assert_eq!(actions(&plan), want);
    let plugin = fleet.get("", "Plugin/my-org/my-preset-my-cluster").unwrap().clone();
    let want = r#"{"clusterName":"my-cluster","optionValues":[{"name":"my-option","value":"value-override"},{"name":"my-option-3","value":"from-definition"}],"pluginDefinitionRef":{"kind":"PluginDefinition","name":"my-plugindefinition"},"releaseNamespace":"my-namespace"}"#;
    assert_eq!(plugin.get("spec").unwrap().to_canonical(), want);
    let applied = plugin.at(&["status", "appliedOverrides"]).unwrap().to_canonical();
    assert_eq!(applied, r#"[{"document":"PluginOverride/my-org/my-overrides","options":["my-option"]}]"#);
}

#[test]
fn removing_an_override_gives_the_bytes_of_never_having_set_it() {
    let mut untouched = story("000-1-plugin-override");
    untouched.settle_at_once();
    let mut fleet = story("000-1-plugin-override");
    fleet.settle_at_once();
    add(&mut fleet, "000-1-plugin-override", "override.yaml");
    assert_eq!(actions(&fleet.settle_at_once()), ["0 patch Plugin/my-org/my-preset-my-cluster"]);
    fleet.unload(["PluginOverride/my-org/my-overrides"]);
    assert_eq!(actions(&fleet.settle_at_once()), ["0 patch Plugin/my-org/my-preset-my-cluster"]);
    for name in ["my-preset-my-cluster", "my-preset-other-cluster"] {
        let name = format!("Plugin/my-org/{name}");
        assert_eq!(bytes(&fleet, &name), bytes(&untouched, &name));
    }
}

/// An object without what every write changes.
fn bytes(fleet: &Fleet, name: &str) -> String {
    let mut object = fleet.get("", name).unwrap_or_else(|| panic!("no {name}")).clone();
    let metadata = object.get_mut("metadata").and_then(Value::as_map_mut).unwrap();
    metadata.remove("resourceVersion");
    metadata.remove("uid");
    metadata.remove("ownerReferences");
    // A status that says nothing is no status.
    let empty = object.get("status").is_some_and(Value::is_empty);
    if let Some(map) = object.as_map_mut().filter(|_| empty) {
        map.remove("status");
    }
    object.to_canonical()
}

const LONE: &str = r#"{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Plugin","metadata":{"name":"lone","namespace":"my-org"},"spec":{"pluginDefinitionRef":{"kind":"PluginDefinition","name":"my-plugindefinition"},"clusterName":"my-cluster","optionValues":[{"name":"my-option-3","value":"mine"},{"name":"my-option","value":"also-mine"}]}}"#;

/// The option values of the Plugin without a preset, as they are written now.
fn written(fleet: &Fleet) -> String {
    let plugin = lone(fleet);
    plugin.at(&["spec", "optionValues"]).unwrap().to_canonical()
}

fn lone(fleet: &Fleet) -> Value {
    fleet.document_named("Plugin/my-org/lone")
}

#[test]
fn a_plugin_without_a_preset_gets_back_what_its_user_wrote() {
    let mut fleet = story("000-1-plugin-override");
    fleet.load_documents([value(LONE)]);
    fleet.settle_at_once();
    assert_eq!(written(&fleet), value(LONE).at(&["spec", "optionValues"]).unwrap().to_canonical());
    add(&mut fleet, "000-1-plugin-override", "override.yaml");
    fleet.settle_at_once();
    let overridden = r#"[{"name":"my-option-3","value":"mine"},{"name":"my-option","value":"value-override"}]"#;
    assert_eq!(written(&fleet), overridden);
    let applied = lone(&fleet).at(&["status", "appliedOverrides"]).unwrap().to_canonical();
    assert_eq!(applied, r#"[{"document":"PluginOverride/my-org/my-overrides","options":["my-option"]}]"#);
    fleet.unload(["PluginOverride/my-org/my-overrides"]);
    fleet.settle_at_once();
    assert_eq!(lone(&fleet).get("spec"), value(LONE).get("spec"));
    assert_eq!(lone(&fleet).at(&["metadata", "annotations"]), None);
}

#[test]
fn what_the_user_edits_under_an_override_is_the_users() {
    let mut fleet = story("000-1-plugin-override");
    fleet.load_documents([value(LONE)]);
    add(&mut fleet, "000-1-plugin-override", "override.yaml");
    fleet.settle_at_once();
    let edited = lone(&fleet)
        .to_canonical()
        .replace(r#"{"name":"my-option","value":"value-override"}"#, r#"{"name":"my-option","value":"edited"}"#);
    fleet.load_documents([value(&edited)]);
    fleet.settle_at_once();
    assert_eq!(
        written(&fleet),
        r#"[{"name":"my-option-3","value":"mine"},{"name":"my-option","value":"value-override"}]"#
    );
    fleet.unload(["PluginOverride/my-org/my-overrides"]);
    fleet.settle_at_once();
    assert_eq!(written(&fleet), r#"[{"name":"my-option-3","value":"mine"},{"name":"my-option","value":"edited"}]"#);
}

/// Loads a cluster of the story with other labels.
fn relabel(fleet: &mut Fleet, labels: &str) {
    fleet.load_documents([value(&format!(
        r#"{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Cluster","metadata":{{"name":"my-cluster","namespace":"my-org","labels":{labels}}}}}"#
    ))]);
}

#[test]
fn a_cluster_that_leaves_loses_its_plugin_and_gets_it_again_when_it_is_back() {
    let mut fleet = story("000-1-plugin-override");
    fleet.settle_at_once();
    let before = bytes(&fleet, "Plugin/my-org/my-preset-my-cluster");
    relabel(&mut fleet, "{}");
    assert_eq!(actions(&fleet.settle_at_once()), ["0 delete Plugin/my-org/my-preset-my-cluster"]);
    relabel(&mut fleet, r#"{"fleet":"all"}"#);
    assert_eq!(actions(&fleet.settle_at_once()), ["0 create Plugin/my-org/my-preset-my-cluster"]);
    assert_eq!(bytes(&fleet, "Plugin/my-org/my-preset-my-cluster"), before);
}

/// The preset of the story with another spec.
fn change_preset(fleet: &mut Fleet, change: impl Fn(&mut fleetfold_core::value::Map)) {
    let mut preset = fleet.document_named(PRESET);
    change(preset.get_mut("spec").and_then(Value::as_map_mut).unwrap());
    fleet.load_documents([preset]);
}

#[test]
fn retain_keeps_the_plugin_of_a_cluster_that_leaves() {
    let mut fleet = story("000-1-plugin-override");
    change_preset(&mut fleet, |spec| drop(spec.insert("deletionPolicy", "Retain")));
    fleet.settle_at_once();
    relabel(&mut fleet, "{}");
    fleet.settle_at_once();
    let plugin = fleet.get("", "Plugin/my-org/my-preset-my-cluster").expect("it is kept").clone();
    assert_eq!(plugin.at(&["metadata", "ownerReferences"]), None);
    assert_eq!(plugin.text_at(&["metadata", "labels", "greenhouse.sap/pluginpreset"]), "my-preset");
    fleet.call(Configure { mode: Some(Mode::Compat), ..Configure::default() });
    let original = ["0 delete Plugin/my-org/my-preset-my-cluster", "0 patch Plugin/my-org/my-preset-other-cluster"];
    assert_eq!(actions(&fleet.plan()), original, "the original deletes it, and owns the other one");
}

#[test]
fn a_bad_selector_keeps_every_plugin() {
    let mut fleet = story("000-1-plugin-override");
    fleet.settle_at_once();
    change_preset(&mut fleet, |spec| {
        spec.insert("clusterSelector", value(r#"{"matchExpressions":[{"key":"fleet","operator":"In","values":[]}]}"#));
    });
    assert_eq!(fleet.codes(PlanRequest::default()), ["operator-values"]);
    assert_eq!(actions(&fleet.plan()), Vec::<String>::new());
}

#[test]
fn a_selector_that_picks_nobody_does_not_delete_everything() {
    let mut fleet = story("000-1-plugin-override");
    fleet.settle_at_once();
    change_preset(&mut fleet, |spec| drop(spec.insert("clusterSelector", value(r#"{"matchLabels":{"fleet":"al"}}"#))));
    let plan = fleet.plan();
    assert_eq!(actions(&plan), Vec::<String>::new());
    assert_eq!(held(&plan), ["empty-selection", "empty-selection"]);
    limit(&mut fleet, Some(true));
    assert_eq!(actions(&fleet.plan()).len(), 2);
}

#[test]
fn a_plugin_that_the_preset_did_not_make_is_left_alone() {
    let mut fleet = story("000-1-plugin-override");
    let foreign = r#"{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Plugin","metadata":{"name":"my-preset-my-cluster","namespace":"my-org"},"spec":{"pluginDefinitionRef":{"kind":"PluginDefinition","name":"my-plugindefinition"},"clusterName":"my-cluster"}}"#;
    fleet.put("", value(foreign));
    assert_eq!(actions(&fleet.settle_at_once()), ["0 create Plugin/my-org/my-preset-other-cluster"]);
    assert!(fleet.codes(PlanRequest::default()).contains(&"plugin-skipped".into()));
    assert_eq!(condition(&fleet, "PluginSkipped"), ("True".into(), "my-preset-my-cluster".into()));
}

/// Whether a condition of the preset holds, and what it says.
fn condition(fleet: &Fleet, name: &str) -> (String, String) {
    let preset = fleet.document_named(PRESET);
    let conditions = preset.at(&["status", "statusConditions", "conditions"]).and_then(Value::as_list).unwrap();
    let found = conditions.iter().find(|it| it.text_at(&["type"]) == name).unwrap();
    (found.text_at(&["status"]).into(), found.text_at(&["message"]).into())
}

#[test]
fn the_preset_says_how_its_clusters_stand() {
    let mut fleet = story("000-1-plugin-override");
    fleet.settle_at_once();
    assert_eq!(condition(&fleet, "Ready"), ("False".into(), "0 of 2 plugins are ready".into()));
    for cluster in ["my-cluster", "other-cluster"] {
        fleet.edit("", &format!("Plugin/my-org/my-preset-{cluster}"), |plugin| {
            let status = r#"{"statusConditions":{"conditions":[{"type":"Ready","status":"True"}]}}"#;
            plugin.as_map_mut().unwrap().insert("status", value(status));
        });
    }
    fleet.settle();
    assert_eq!(condition(&fleet, "Ready"), ("True".into(), "ready".into()));
    fleet.unload(["PluginDefinition/my-org/my-plugindefinition"]);
    fleet.settle();
    let missing = "the definition `my-plugindefinition` is not there";
    assert_eq!(condition(&fleet, "Ready"), ("False".into(), missing.into()));
    assert_eq!(condition(&fleet, "PluginDefinitionNotFound").0, "True");
}

#[test]
fn deleting_the_preset_deletes_or_releases_its_plugins() {
    for (policy, left) in [("Delete", 0), ("Retain", 2)] {
        let mut fleet = story("000-1-plugin-override");
        change_preset(&mut fleet, |spec| drop(spec.insert("deletionPolicy", policy)));
        fleet.settle_at_once();
        fleet.start_deleting(PRESET);
        fleet.settle_at_once();
        assert_eq!(fleet.names("").len(), left, "{policy}");
    }
}

#[test]
fn the_example_is_brought_about_in_one_round() {
    let mut fleet = Fleet::example("greenhouse");
    let plan = fleet.settle_at_once();
    let want = [
        "0 patch Plugin/acme/certs-lab",
        "0 create Plugin/acme/certs-eu-1",
        "0 create Plugin/acme/certs-eu-2",
        "0 create Plugin/acme/certs-us-1",
        "0 patch Plugin/acme/metrics-eu-1",
        "0 create Plugin/acme/metrics-eu-2",
        "0 create Plugin/acme/metrics-us-1",
    ];
    assert_eq!(actions(&plan), want);
    let plugin = fleet.get("", "Plugin/acme/metrics-eu-1").unwrap();
    assert_eq!(plugin.text_at(&["spec", "releaseName"]), "metrics-eu-1", "once set, it stays");
    let applied = list(plugin.get("status").unwrap(), "appliedOverrides");
    let documents: Vec<&str> = applied.iter().map(|it| it.text_at(&["document"])).collect();
    let want = [
        "Organization/acme",
        "PluginOverride/acme/quiet",
        "PluginOverride/acme/europe",
        "PluginOverride/acme/metrics-patched",
        "PluginOverride/acme/metrics-eu-1",
        "PluginPreset/acme/metrics",
    ];
    assert_eq!(documents, want);
}
