use super::*;
use fleetfold_core::diagnostic::read::from_text;

#[test]
fn a_plan_is_the_same_as_itself() {
    let actions = action("create", r#""body":{"a":1}"#);
    let plan = plan(&actions, "", "", "");
    let compared = compare(&plan, &plan);
    assert!(compared.is_same());
    assert_eq!(compared.differences_value().to_canonical(), "[]");
    assert_eq!(compared.digests, ("sha256:0".to_owned(), "sha256:0".to_owned()));
}

#[test]
fn a_step_of_only_one_plan_has_its_verb() {
    let one = action("create", r#""body":{}"#);
    check((&one, "", "", ""), ("", "", "", ""), &["eu-1 S/n/s A/n/a action only old create"]);
    check(("", "", "", ""), ("", &one, "", ""), &["eu-1 S/n/s A/n/a action only new create"]);
}

#[test]
fn bodies_differ_by_field() {
    let old = action("create", r#""body":{"a":{"b~/":1,"c":[1,2]},"d":[1,1]}"#);
    let new = action("create", r#""body":{"a":{"b~/":2,"c":[1,3],"e":null},"d":[0,1,1]}"#);
    check(
        (&old, "", "", ""),
        (&new, "", "", ""),
        &[
            "eu-1 S/n/s A/n/a action create /a/b~0~1: 1 → 2",
            "eu-1 S/n/s A/n/a action create /a/c/1: 2 → 3",
            "eu-1 S/n/s A/n/a action create /a/e:  → null",
            "eu-1 S/n/s A/n/a action create /d/0:  → 0",
        ],
    );
}

#[test]
fn patches_differ_by_path_in_any_order() {
    let old = action(
        "patch",
        r#""patch":[{"op":"replace","path":"/a","value":{"x":1,"y":1}},{"op":"remove","path":"/b"},{"op":"add","path":"/c","value":1}]"#,
    );
    let new = action(
        "patch",
        r#""patch":[{"op":"replace","path":"/c","value":1},{"op":"replace","path":"/a","value":{"x":1,"y":2}}]"#,
    );
    check(
        (&old, "", "", ""),
        (&new, "", "", ""),
        &[
            "eu-1 S/n/s A/n/a action patch /a/y: 1 → 2",
            r#"eu-1 S/n/s A/n/a action patch /b: {"op":"remove"} → "#,
            r#"eu-1 S/n/s A/n/a action patch /c: {"op":"add","value":1} → {"op":"replace","value":1}"#,
        ],
    );
    let turned = action("patch", r#""patch":[{"op":"add","path":"/d","value":1},{"op":"remove","path":"/e"}]"#);
    let round = action("patch", r#""patch":[{"op":"remove","path":"/e"},{"op":"add","path":"/d","value":1}]"#);
    check((&turned, "", "", ""), (&round, "", "", ""), &[]);
}

#[test]
fn verb_wave_hold_and_version_differ_without_a_field() {
    let old = action("patch", r#""patch":[{"op":"remove","path":"/b"}],"wave":1"#);
    let new = action("create", r#""body":{},"wave":2"#);
    check(
        (&old, "", "", ""),
        (&new, "", "", ""),
        &[r#"eu-1 S/n/s A/n/a action create verb: "patch" → "create""#, "eu-1 S/n/s A/n/a action create wave: 1 → 2"],
    );
    let held = action("delete", r#""held":{"code":"deletes","hint":"h","text":"t"}"#);
    let free = action("delete", r#""precondition":{"uid":"1"}"#);
    check(("", &held, "", ""), (&free, "", "", ""), &[r#"eu-1 S/n/s A/n/a action delete held: "deletes" → "#]);
    let moved = free.replace("g/v1", "g/v2");
    check(
        (&free, "", "", ""),
        (&moved, "", "", ""),
        &[r#"eu-1 S/n/s A/n/a action delete apiVersion: "g/v1" → "g/v2""#],
    );
}

#[test]
fn redacted_data_differs_by_id() {
    let old = action("create", r#""body":{"data":"***"},"id":"1""#);
    let new = action("create", r#""body":{"data":"***"},"id":"2""#);
    check((&old, "", "", ""), (&new, "", "", ""), &[r#"eu-1 S/n/s A/n/a action create id: "1" → "2""#]);
    let mut other = plan("", "", "", "");
    other.digest = "sha256:1".to_owned();
    assert!(!compare(&plan("", "", "", ""), &other).is_same());
}

#[test]
fn a_recreated_object_has_two_steps() {
    let (delete, create) = (action("delete", r#""wave":0"#), action("create", r#""body":{"a":1},"wave":1"#));
    let (both, other) = (format!("{delete},{create}"), create.replace(r#""a":1"#, r#""a":2"#));
    check(
        (&both, "", "", ""),
        (&other, "", "", ""),
        &["eu-1 S/n/s A/n/a action create /a: 1 → 2", "eu-1 S/n/s A/n/a action only old delete"],
    );
}

#[test]
fn statuses_and_needs_are_compared_too() {
    let status = |phase: &str| {
        format!(
            r#"{{"subject":"S/n/s","cluster":"","target":{{"apiVersion":"g/v1","kind":"S","namespace":"n","name":"s"}},"status":{{"phase":"{phase}"}}}}"#
        )
    };
    let need = r#"{"cluster":"eu-1","apiVersion":"v1","kind":"Secret","namespace":"n","labelSelector":"a=b"}"#;
    check(
        ("", "", &status("a"), need),
        ("", "", &status("b"), ""),
        &[r#" S/n/s S/n/s status /status/phase: "a" → "b""#, "eu-1  Secret/n/ need only old "],
    );
    check(("", "", "", need), ("", "", &status("b"), need), &[" S/n/s S/n/s status only new "]);
}

#[test]
fn programs_get_every_side_that_there_is() {
    let compared = compare(
        &plan(&action("create", r#""body":{"a":1}"#), "", "", ""),
        &plan(&action("create", r#""body":{}"#), "", "", ""),
    );
    let target = r#"{"apiVersion":"g/v1","kind":"A","name":"a","namespace":"n"}"#;
    let want = format!(
        r#"[{{"cluster":"eu-1","fields":[{{"old":1,"path":"/a"}}],"part":"action","subject":"S/n/s","target":{target},"verb":"create"}}]"#
    );
    assert_eq!(compared.differences_value().to_canonical(), want);
    assert!(!compared.is_same());
}

/// An action with further fields; what these leave out has a default.
fn action(verb: &str, rest: &str) -> String {
    let missing =
        |key: &str, default: &str| if rest.contains(key) { String::new() } else { format!("{key}:{default},") };
    let (id, wave) = (missing(r#""id""#, r#""0""#), missing(r#""wave""#, "0"));
    format!(
        r#"{{"subject":"S/n/s","cluster":"eu-1","verb":"{verb}","target":{{"apiVersion":"g/v1","kind":"A","namespace":"n","name":"a"}},"reason":{{"code":"c","text":"t"}},{id}{wave}{rest}}}"#
    )
}

fn plan(actions: &str, held: &str, status: &str, needs: &str) -> PlanAnswer {
    from_text(&format!(
        r#"{{"actions":[{actions}],"held":[{held}],"status":[{status}],"needs":[{needs}],"digest":"sha256:0"}}"#
    ))
    .unwrap()
}

/// Actions, held, statuses and needs of both plans, and the expected differences.
#[track_caller]
fn check(old: (&str, &str, &str, &str), new: (&str, &str, &str, &str), want: &[&str]) {
    let compared = compare(&plan(old.0, old.1, old.2, old.3), &plan(new.0, new.1, new.2, new.3));
    let mut lines = Vec::new();
    for it in &compared.differences {
        let target = [&it.target.kind, &it.target.namespace, &it.target.name].map(String::as_str).join("/");
        let about = format!("{} {} {target} {}", it.cluster, it.subject, it.part.as_str());
        match &it.change {
            Change::OnlyOld(verb) => lines.push(format!("{about} only old {verb}")),
            Change::OnlyNew(verb) => lines.push(format!("{about} only new {verb}")),
            Change::Differs { verb, fields } => lines.extend(fields.iter().map(|field| {
                let side = |it: &Option<Value>| it.as_ref().map(Value::to_canonical).unwrap_or_default();
                let verb = if verb.is_empty() { String::new() } else { format!(" {verb}") };
                format!("{about}{verb} {}: {} → {}", field.place, side(&field.old), side(&field.new))
            })),
        }
    }
    assert_eq!(lines, want);
    assert_eq!(compared.is_same(), want.is_empty());
}
