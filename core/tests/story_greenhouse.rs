//! The stories of seed 000: three ways to override the options of plugins, and what becomes of the Plugins.

mod fleet;

use fleet::{Fleet, actions, examples, list, value};
use fleetfold_core::Value;

const PRESET: &str = "PluginPreset/my-org/my-preset";

fn story(name: &str) -> Fleet {
    let mut fleet = Fleet::default();
    fleet.call(r#"{"op":"configure","limits":{"deletes":100,"deletePercent":100}}"#);
    fleet.load_file(&examples("stories").join(name).join("fleet.yaml"));
    fleet
}

fn add(fleet: &mut Fleet, story: &str, file: &str) {
    fleet.load_file(&examples("stories").join(story).join(file));
}

/// The value, or the reference, that a cluster ends with, and the layer it is from.
#[track_caller]
fn option(fleet: &mut Fleet, cluster: &str, path: &str) -> (String, String) {
    let answer = fleet.call(&format!(r#"{{"op":"effective","subject":"{PRESET}","clusters":["{cluster}"]}}"#));
    let results = list(&answer, "results");
    let options = list(results.first().unwrap_or_else(|| panic!("{}", answer.to_canonical())), "options");
    let option = options.iter().find(|it| it.text_at(&["path"]) == path).unwrap_or_else(|| panic!("no {path}"));
    let said = option.get("value").or(option.get("valueFrom")).unwrap();
    let said = said.as_text().map_or_else(|| said.to_canonical(), String::from);
    (said, option.text_at(&["from"]).into())
}

#[track_caller]
fn check(fleet: &mut Fleet, cluster: &str, path: &str, said: &str, from: &str) {
    assert_eq!(option(fleet, cluster, path), (said.into(), from.into()), "{path} of {cluster}");
}

/// An override of its own kind, as JSON.
fn plugin_override(name: &str, created: &str, clusters: bool, definitions: bool, set: &str) -> String {
    let clusters = if clusters { r#""clusterSelector":{"clusterNames":["my-cluster"]},"# } else { "" };
    let definitions = if definitions { r#""pluginDefinitionNames":["my-plugindefinition"],"# } else { "" };
    format!(
        r#"{{"op":"load","documents":[{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"PluginOverride",
            "metadata":{{"name":"{name}","namespace":"my-org","creationTimestamp":"{created}"}},
            "spec":{{{clusters}{definitions}"overrides":[{{"path":"my-option","value":"{set}"}}]}}}}]}}"#
    )
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
    fleet.call(&plugin_override("for-all", NOON, false, false, "for-all"));
    check(&mut fleet, "my-cluster", "my-option", "for-all", "plugin-override");
    fleet.call(&plugin_override("for-the-cluster", MORNING, true, false, "for-the-cluster"));
    check(&mut fleet, "my-cluster", "my-option", "for-the-cluster", "plugin-override");
    check(&mut fleet, "other-cluster", "my-option", "for-all", "plugin-override");
    fleet.call(&plugin_override("for-the-definition", MORNING, false, true, "for-the-definition"));
    check(&mut fleet, "my-cluster", "my-option", "for-the-definition", "plugin-override");
    fleet.call(&plugin_override("for-both", MORNING, true, true, "for-both"));
    check(&mut fleet, "my-cluster", "my-option", "for-both", "plugin-override");
}

#[test]
fn the_diagram_of_the_seed_ranks_the_cluster_above_the_definition() {
    let mut fleet = story("000-1-plugin-override");
    fleet.call(&plugin_override("for-the-cluster", NOON, true, false, "for-the-cluster"));
    fleet.call(&plugin_override("for-the-definition", MORNING, false, true, "for-the-definition"));
    check(&mut fleet, "my-cluster", "my-option", "for-the-definition", "plugin-override");
    fleet.call(r#"{"op":"configure","precedence":"cluster-over-definition"}"#);
    check(&mut fleet, "my-cluster", "my-option", "for-the-cluster", "plugin-override");
    check(&mut fleet, "other-cluster", "my-option", "for-the-definition", "plugin-override");
}

#[test]
fn of_two_alike_overrides_the_one_made_first_is_applied_first() {
    let mut fleet = story("000-1-plugin-override");
    fleet.call(&plugin_override("a", NOON, false, false, "second"));
    fleet.call(&plugin_override("b", MORNING, false, false, "first"));
    check(&mut fleet, "my-cluster", "my-option", "second", "plugin-override");
    fleet.call(&plugin_override("a", MORNING, false, false, "second"));
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
    let explained =
        fleet.call(&format!(r#"{{"op":"explain","subject":"{PRESET}","cluster":"my-cluster","path":"my-option"}}"#));
    let chain: Vec<String> = list(&explained, "chain")
        .iter()
        .map(|it| {
            let line = it.get("line").and_then(Value::as_int).unwrap();
            format!("{} {} {}:{line}", it.text_at(&["layer"]), it.text_at(&["state"]), it.text_at(&["file"]))
        })
        .collect();
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
    fleet.call(r#"{"op":"unload","refs":["PluginOverride/my-org/my-overrides"]}"#);
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
    let reference = fleetfold_core::object::document::Reference::parse("Plugin/my-org/lone").unwrap();
    fleet.workspace.find(&reference).unwrap().value.clone()
}

#[test]
fn a_plugin_without_a_preset_gets_back_what_its_user_wrote() {
    let mut fleet = story("000-1-plugin-override");
    fleet.call(&format!(r#"{{"op":"load","documents":[{LONE}]}}"#));
    fleet.settle_at_once();
    assert_eq!(written(&fleet), value(LONE).at(&["spec", "optionValues"]).unwrap().to_canonical());
    add(&mut fleet, "000-1-plugin-override", "override.yaml");
    fleet.settle_at_once();
    let overridden = r#"[{"name":"my-option-3","value":"mine"},{"name":"my-option","value":"value-override"}]"#;
    assert_eq!(written(&fleet), overridden);
    let applied = lone(&fleet).at(&["status", "appliedOverrides"]).unwrap().to_canonical();
    assert_eq!(applied, r#"[{"document":"PluginOverride/my-org/my-overrides","options":["my-option"]}]"#);
    fleet.call(r#"{"op":"unload","refs":["PluginOverride/my-org/my-overrides"]}"#);
    fleet.settle_at_once();
    assert_eq!(lone(&fleet).get("spec"), value(LONE).get("spec"));
    assert_eq!(lone(&fleet).at(&["metadata", "annotations"]), None);
}

#[test]
fn what_the_user_edits_under_an_override_is_the_users() {
    let mut fleet = story("000-1-plugin-override");
    fleet.call(&format!(r#"{{"op":"load","documents":[{LONE}]}}"#));
    add(&mut fleet, "000-1-plugin-override", "override.yaml");
    fleet.settle_at_once();
    let edited = lone(&fleet)
        .to_canonical()
        .replace(r#"{"name":"my-option","value":"value-override"}"#, r#"{"name":"my-option","value":"edited"}"#);
    fleet.call(&format!(r#"{{"op":"load","documents":[{edited}]}}"#));
    fleet.settle_at_once();
    assert_eq!(
        written(&fleet),
        r#"[{"name":"my-option-3","value":"mine"},{"name":"my-option","value":"value-override"}]"#
    );
    fleet.call(r#"{"op":"unload","refs":["PluginOverride/my-org/my-overrides"]}"#);
    fleet.settle_at_once();
    assert_eq!(written(&fleet), r#"[{"name":"my-option-3","value":"mine"},{"name":"my-option","value":"edited"}]"#);
}

/// Loads a cluster of the story with other labels.
fn relabel(fleet: &mut Fleet, labels: &str) {
    fleet.call(&format!(
        r#"{{"op":"load","documents":[{{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Cluster","metadata":{{"name":"my-cluster","namespace":"my-org","labels":{labels}}}}}]}}"#
    ));
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
    let reference = fleetfold_core::object::document::Reference::parse(PRESET).unwrap();
    let mut preset = fleet.workspace.find(&reference).unwrap().value.clone();
    change(preset.get_mut("spec").and_then(Value::as_map_mut).unwrap());
    fleet.ok(Value::map([("op", Value::text("load")), ("documents", Value::list([preset]))]));
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
    fleet.call(r#"{"op":"configure","mode":"compat"}"#);
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
    assert_eq!(fleet.told(r#"{"op":"plan"}"#), ["operator-values"]);
    assert_eq!(actions(&fleet.plan()), Vec::<String>::new());
}

#[test]
fn a_selector_that_picks_nobody_does_not_delete_everything() {
    let mut fleet = story("000-1-plugin-override");
    fleet.settle_at_once();
    change_preset(&mut fleet, |spec| drop(spec.insert("clusterSelector", value(r#"{"matchLabels":{"fleet":"al"}}"#))));
    let plan = fleet.plan();
    assert_eq!(actions(&plan), Vec::<String>::new());
    let held: Vec<String> = list(&plan, "held").iter().map(|it| it.text_at(&["held", "code"]).into()).collect();
    assert_eq!(held, ["empty-selection", "empty-selection"]);
    fleet.call(r#"{"op":"configure","limits":{"deletes":100,"deletePercent":100,"emptySelection":true}}"#);
    assert_eq!(actions(&fleet.plan()).len(), 2);
}

#[test]
fn a_plugin_that_the_preset_did_not_make_is_left_alone() {
    let mut fleet = story("000-1-plugin-override");
    let foreign = r#"{"apiVersion":"greenhouse.sap/v1alpha1","kind":"Plugin","metadata":{"name":"my-preset-my-cluster","namespace":"my-org"},"spec":{"pluginDefinitionRef":{"kind":"PluginDefinition","name":"my-plugindefinition"},"clusterName":"my-cluster"}}"#;
    fleet.put("", value(foreign));
    assert_eq!(actions(&fleet.settle_at_once()), ["0 create Plugin/my-org/my-preset-other-cluster"]);
    assert!(fleet.told(r#"{"op":"plan"}"#).contains(&"plugin-skipped".to_string()));
    assert_eq!(condition(&fleet, "PluginSkipped"), ("True".into(), "my-preset-my-cluster".into()));
}

/// Whether a condition of the preset holds, and what it says.
fn condition(fleet: &Fleet, name: &str) -> (String, String) {
    let reference = fleetfold_core::object::document::Reference::parse(PRESET).unwrap();
    let preset = &fleet.workspace.find(&reference).unwrap().value;
    let conditions = preset.at(&["status", "statusConditions", "conditions"]).and_then(Value::as_list).unwrap();
    let found = conditions.iter().find(|it| it.text_at(&["type"]) == name).unwrap();
    (found.text_at(&["status"]).into(), found.text_at(&["message"]).into())
}

#[test]
fn the_preset_says_how_its_clusters_stand() {
    let mut fleet = story("000-1-plugin-override");
    fleet.settle_at_once();
    assert_eq!(condition(&fleet, "Ready"), ("False".into(), "0 of 0 plugins are ready".into()));
    for cluster in ["my-cluster", "other-cluster"] {
        fleet.edit("", &format!("Plugin/my-org/my-preset-{cluster}"), |plugin| {
            let status = r#"{"statusConditions":{"conditions":[{"type":"Ready","status":"True"}]}}"#;
            plugin.as_map_mut().unwrap().insert("status", value(status));
        });
    }
    fleet.settle();
    assert_eq!(condition(&fleet, "Ready"), ("True".into(), "ready".into()));
    fleet.call(r#"{"op":"unload","refs":["PluginDefinition/my-org/my-plugindefinition"]}"#);
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
