use super::*;
use crate::engine::patch::patch;

const NOW: &str = "2026-01-02T03:04:05Z";

fn value(text: &str) -> Value {
    json::parse(text).expect("a test writes JSON")
}

fn secret(name: &str, version: &str) -> Value {
    value(&format!(
        r#"{{"kind":"Secret","metadata":{{"name":"{name}","namespace":"n","resourceVersion":"{version}",
            "annotations":{{"cert-manager.io/issuer-kind":"Issuer"}}}},"data":{{"tls.key":"aGlkZGVu"}}}}"#
    ))
}

/// A Deployment that takes the secrets `a` and `b`, with `metadata` and `template` as the rest of the two maps.
fn workload(metadata: &str, template: &str) -> Value {
    value(&format!(
        r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"w","namespace":"n"{metadata}}},
            "spec":{{"template":{{{template}"spec":{{"volumes":[{{"secret":{{"secretName":"a"}}}},
            {{"projected":{{"sources":[{{"secret":{{"name":"b"}}}}]}}}}]}}}}}}}}"#
    ))
}

fn ask(secret: &Value, workload: &Value, mode: Mode) -> Refreshed {
    let now = Timestamp::parse(NOW).expect("a moment");
    refresh(secret, std::slice::from_ref(workload), now, mode, &mut Vec::new()).expect("an answer")
}

/// The workload after its restart.
#[track_caller]
fn restarted(secret: &Value, workload: &Value, mode: Mode) -> Value {
    let refreshed = ask(secret, workload, mode);
    let [restart] = refreshed.restarts.as_slice() else { panic!("it restarts: {refreshed:?}") };
    patch(workload.clone(), &restart.operations, Mode::Strict, &mut Vec::new()).expect("the patch applies")
}

/// Every shape of the maps that the patch must reach, with today's prefix and the older one.
fn shapes() -> Vec<Value> {
    let mut shapes = Vec::new();
    for prefix in PREFIXES {
        let opt_in = format!(r#""{prefix}/allow-restart":"true""#);
        let record = format!(r#""{prefix}/secret-resource-versions""#);
        for annotations in [
            opt_in.clone(),
            format!(r#"{opt_in},{record}:"{{\"a\":\"1\",\"other\":\"7\"}}""#),
            format!(r#"{opt_in},{record}:"not json""#),
            format!(r#"{opt_in},{record}:"[]""#),
            format!(r#"{opt_in},{record}:"{{\"a\":1}}""#),
        ] {
            for labels in ["", r#","labels":null"#, r#","labels":{"app":"w"}"#] {
                for template in [
                    "",
                    r#""metadata":null,"#,
                    r#""metadata":{},"#,
                    r#""metadata":{"labels":{},"annotations":{"x":"y"}},"#,
                ] {
                    shapes.push(workload(&format!(r#","annotations":{{{annotations}}}{labels}"#), template));
                }
            }
        }
    }
    shapes
}

#[test]
fn a_restarted_workload_is_up_to_date() {
    let shapes = shapes();
    assert_eq!(shapes.len(), 120);
    for workload in shapes {
        for secret in [secret("a", "42"), secret("b", "42")] {
            let after = restarted(&secret, &workload, Mode::Strict);
            let again = ask(&secret, &after, Mode::Strict);
            assert_eq!(again.restarts, [], "{}", after.to_canonical());
            assert_eq!(again.skipped.iter().map(|(_, skip)| *skip).collect::<Vec<_>>(), [Skip::UpToDate]);
        }
    }
}

#[test]
fn two_secrets_renewed_in_the_same_second_both_change_the_template() {
    for workload in shapes() {
        let first = restarted(&secret("a", "42"), &workload, Mode::Strict);
        let second = restarted(&secret("b", "43"), &first, Mode::Strict);
        let template = |it: &Value| it.at(&["spec", "template"]).cloned();
        assert_ne!(template(&workload), template(&first));
        assert_ne!(template(&first), template(&second));
        assert_eq!(ask(&secret("a", "42"), &second, Mode::Strict).restarts, []);
    }
}

#[test]
fn a_restart_changes_nothing_but_its_labels_and_annotations() {
    for workload in shapes() {
        let mut after = restarted(&secret("a", "42"), &workload, Mode::Strict);
        let mut before = workload;
        for object in [&mut before, &mut after] {
            for metadata in [METADATA, TEMPLATE_METADATA] {
                strip(object, metadata);
            }
        }
        assert_eq!(before, after);
    }
}

/// Takes out what a restart writes, and the maps that are empty without it.
fn strip(object: &mut Value, metadata: &[&str]) {
    let Some((last, parents)) = metadata.split_last() else { return };
    let parent = parents.iter().try_fold(object, |value, key| value.get_mut(key)).and_then(Value::as_map_mut);
    let Some(parent) = parent else { return };
    if let Some(map) = parent.get_mut(last).and_then(Value::as_map_mut) {
        for field in ["labels", "annotations"] {
            if let Some(entries) = map.get_mut(field).and_then(Value::as_map_mut) {
                entries.retain(|key, _| !key.ends_with("/time-restarted") && !key.ends_with("-versions"));
            }
        }
        map.retain(|_, value| !value.is_empty());
    }
    if parent.get(last).is_some_and(Value::is_empty) {
        parent.remove(last);
    }
}

#[test]
fn in_compat_the_second_renewal_of_a_minute_rolls_nothing() {
    let workload = workload(
        r#","labels":{"app":"w"},"annotations":{"certmanagerdeployment.opdev.io/allow-restart":"true"}"#,
        r#""metadata":{"labels":{"app":"w"}},"#,
    );
    let first = restarted(&secret("a", "42"), &workload, Mode::Compat);
    let second = restarted(&secret("a", "43"), &first, Mode::Compat);
    assert_eq!(first.at(&["spec", "template"]), second.at(&["spec", "template"]));
    assert_eq!(ask(&secret("b", "42"), &workload, Mode::Compat).restarts, [], "a projected volume does not count");
}

#[test]
fn the_time_is_a_legal_label_value() {
    let now = Timestamp::parse(NOW).expect("a moment");
    for label in [now.label(), now.minute_label()] {
        assert_eq!(crate::object::labels::check_value(&label), Ok(()));
    }
}
