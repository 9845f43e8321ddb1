use super::*;

fn value(text: &str) -> Value {
    crate::value::json::parse(text).expect("a test writes JSON")
}

const ASKED: Request<'static> =
    Request { verb: "create", group: "g", resource: "clusters", subresource: "label", name: "k:v" };

fn role(rules: &str) -> Value {
    value(&format!(r#"{{"kind":"ClusterRole","metadata":{{"name":"r"}},"rules":{rules}}}"#))
}

fn binding(subject: &str) -> Value {
    value(&format!(
        r#"{{"kind":"ClusterRoleBinding","metadata":{{"name":"b"}},"roleRef":{{"kind":"ClusterRole","name":"r"}},"subjects":[{subject}]}}"#
    ))
}

#[track_caller]
fn check_rule(rule: &str, want: bool) {
    let documents = [role(&format!("[{rule}]")), binding(r#"{"kind":"User","name":"eve"}"#)];
    let mut out = Vec::new();
    let rbac = Rbac::read(&documents, &mut out);
    assert_eq!(out, []);
    assert_eq!(rbac.allows(&User::new("eve".into(), None), ASKED).is_some(), want, "{rule}");
}

#[track_caller]
fn check_subject(subject: &str, user: &str, groups: Option<&[&str]>, want: bool) {
    let documents = [role(r#"[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]"#), binding(subject)];
    let rbac = Rbac::read(&documents, &mut Vec::new());
    let groups = groups.map(|it| it.iter().map(|it| Text::from(*it)).collect());
    assert_eq!(rbac.allows(&User::new(user.into(), groups), ASKED).is_some(), want, "{subject} {user}");
}

#[test]
fn a_rule_needs_verb_group_resource_and_name() {
    check_rule(
        r#"{"apiGroups":["g"],"resources":["clusters/label"],"verbs":["create"],"resourceNames":["k:v"]}"#,
        true,
    );
    check_rule(r#"{"apiGroups":["g"],"resources":["clusters/label"],"verbs":["get"]}"#, false);
    check_rule(r#"{"apiGroups":["h"],"resources":["clusters/label"],"verbs":["create"]}"#, false);
    check_rule(r#"{"apiGroups":["g"],"resources":["clusters"],"verbs":["create"]}"#, false);
    check_rule(
        r#"{"apiGroups":["g"],"resources":["clusters/label"],"verbs":["create"],"resourceNames":["k:w"]}"#,
        false,
    );
    check_rule(r#"{"apiGroups":["g"],"resources":["clusters/label"]}"#, false);
    check_rule(r#"{"nonResourceURLs":["*"],"verbs":["*"]}"#, false);
}

#[test]
fn a_star_is_a_wildcard_everywhere_but_in_names() {
    check_rule(r#"{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}"#, true);
    check_rule(r#"{"apiGroups":["*"],"resources":["*/label"],"verbs":["*"]}"#, true);
    check_rule(r#"{"apiGroups":["*"],"resources":["clusters/*"],"verbs":["*"]}"#, false);
    check_rule(r#"{"apiGroups":["*"],"resources":["*/*"],"verbs":["*"]}"#, false);
    check_rule(r#"{"apiGroups":["*"],"resources":["*"],"verbs":["*"],"resourceNames":["*"]}"#, false);
    check_rule(r#"{"apiGroups":["*"],"resources":["*"],"verbs":["*"],"resourceNames":["k:*"]}"#, false);
    check_rule(r#"{"apiGroups":["*"],"resources":["*"],"verbs":["*"],"resourceNames":[]}"#, true);
}

#[test]
fn subjects_are_users_groups_and_service_accounts() {
    check_subject(r#"{"kind":"User","name":"eve"}"#, "eve", None, true);
    check_subject(r#"{"kind":"User","name":"eve"}"#, "Eve", None, false);
    check_subject(r#"{"kind":"Group","name":"dev"}"#, "eve", Some(&["dev"]), true);
    check_subject(r#"{"kind":"Group","name":"dev"}"#, "dev", None, false);
    check_subject(r#"{"kind":"ServiceAccount","namespace":"n","name":"a"}"#, "system:serviceaccount:n:a", None, true);
    check_subject(r#"{"kind":"ServiceAccount","namespace":"n","name":"a"}"#, "system:serviceaccount:m:a", None, false);
    check_subject(r#"{"kind":"ServiceAccount","namespace":"n","name":"a"}"#, "a", None, false);
}

#[test]
fn groups_are_implied_only_where_none_are_given() {
    let everybody = r#"{"kind":"Group","name":"system:authenticated"}"#;
    check_subject(everybody, "eve", None, true);
    check_subject(everybody, "eve", Some(&["dev"]), false);
    check_subject(everybody, "system:anonymous", None, false);
    check_subject(r#"{"kind":"Group","name":"system:unauthenticated"}"#, "system:anonymous", None, true);
    let accounts = r#"{"kind":"Group","name":"system:serviceaccounts:n"}"#;
    check_subject(accounts, "system:serviceaccount:n:a", None, true);
    check_subject(accounts, "system:serviceaccount:m:a", None, false);
}

#[test]
fn masters_need_no_binding() {
    let masters = User::new("root".into(), Some(vec![MASTERS.into()]));
    assert_eq!(Rbac::default().allows(&masters, ASKED), Some(Grant::Masters));
}

#[test]
fn what_cannot_be_read_grants_nothing_and_is_named() {
    for (document, place) in [
        (role(r#"{"verbs":["*"]}"#), "/rules"),
        (role(r#"["all"]"#), "/rules/0"),
        (role(r#"[{"verbs":[1]}]"#), "/rules/0/verbs/0"),
        (value(r#"{"kind":"ClusterRole","metadata":{}}"#), "/metadata/name"),
        (value(r#"{"kind":"ClusterRole","metadata":{"name":"r","labels":{"on":true}}}"#), "/metadata/labels/on"),
        (
            value(
                r#"{"kind":"ClusterRole","metadata":{"name":"r"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabel":{}}]}}"#,
            ),
            "/aggregationRule/clusterRoleSelectors/0/matchLabel",
        ),
        (binding(r#"{"kind":"Robot","name":"eve"}"#), "/subjects/0/kind"),
        (binding(r#"{"kind":"User"}"#), "/subjects/0/name"),
        (binding(r#"{"kind":"ServiceAccount","name":"a"}"#), "/subjects/0/namespace"),
        (
            value(r#"{"kind":"ClusterRoleBinding","metadata":{"name":"b"},"roleRef":{"kind":"Role","name":"r"}}"#),
            "/roleRef/kind",
        ),
    ] {
        let mut out = Vec::new();
        let rbac = Rbac::read([&document], &mut out);
        assert!(rbac.roles.is_empty() && rbac.bindings.is_empty(), "{document:?}");
        let places: Vec<_> = out.iter().map(|it| (it.code, it.at.path.as_ref().map(ToString::to_string))).collect();
        assert_eq!(places, [(Code::BadRbac, Some(place.to_string()))]);
    }
}

#[test]
fn a_long_chain_of_aggregation_comes_to_an_end() {
    const LENGTH: usize = 2_000;
    let link = |at: usize| {
        value(&format!(
            r#"{{"kind":"ClusterRole","metadata":{{"name":"r{at}","labels":{{"at":"{at}"}}}},
                "aggregationRule":{{"clusterRoleSelectors":[{{"matchLabels":{{"at":"{}"}}}}]}}}}"#,
            at + 1
        ))
    };
    let mut documents: Vec<Value> = (0..LENGTH).map(link).collect();
    documents.push(value(&format!(
        r#"{{"kind":"ClusterRole","metadata":{{"name":"end","labels":{{"at":"{LENGTH}"}}}},
            "rules":[{{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}}]}}"#
    )));
    documents.push(value(
        r#"{"kind":"ClusterRoleBinding","metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"r0"},
            "subjects":[{"kind":"User","name":"eve"}]}"#,
    ));
    let rbac = Rbac::read(&documents, &mut Vec::new());
    let grant = rbac.allows(&User::new("eve".into(), None), ASKED);
    let want = Grant::Rule {
        binding: "ClusterRoleBinding/b".into(),
        role: "ClusterRole/end".into(),
        aggregated_by: Some("ClusterRole/r0".into()),
        rule: 0,
    };
    assert_eq!(grant, Some(want));
}
