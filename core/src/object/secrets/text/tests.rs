use super::*;

const CANARY: &str = "hunter2";

/// Redacts a text with the canary in it, and checks what every redaction promises.
#[track_caller]
fn check(text: &str, want: &str) {
    let redacted = redact_text(text);
    assert_eq!(redacted.text, want);
    assert!(!redacted.text.contains(CANARY));
    assert_eq!(redacted.text.matches('\n').count(), text.matches('\n').count());
    assert!(!redacted.documents.is_empty());
    assert_eq!(redact_text(&redacted.text).text, redacted.text, "redacting twice");
}

#[test]
fn other_documents_keep_every_byte() {
    let text = "# hunter2\nkind: ConfigMap # x\ndata: {a: hunter2}\n---\nkind: Secret\n---\n{kind: Pod, b: [\n";
    let redacted = redact_text(text);
    assert_eq!(redacted.text, text);
    assert_eq!(redacted.documents.iter().map(|it| it.line).collect::<Vec<_>>(), [5]);
}

#[test]
fn values_are_replaced_on_their_lines() {
    check(
        "# hunter2\nkind: Secret\nmetadata:\n  name: a # hunter2\ndata:\n  x: hunter2\n  y: >-\n    hunter2\n\n    \
         # hunter2\n  z:\n    - hunter2\n    - [hunter2]\ntype: Opaque\n",
        "\nkind: Secret\nmetadata:\n  name: a\ndata:\n  x: \"(masked)\"\n  y: \"(masked)\"\n\n\n\n  \
         z:\n    - \"(masked)\"\n    - [\"(masked)\"]\ntype: Opaque\n",
    );
}

#[test]
fn values_in_brackets_are_replaced_together() {
    check(
        "kind: Secret\nstringData: {a: hunter2,\n  b: hunter2} # hunter2\ntype: Opaque\n",
        "kind: Secret\nstringData: {\"a\":\"(masked)\",\"b\":\"(masked)\"}\n\ntype: Opaque\n",
    );
}

#[test]
fn secrets_inside_of_lists_and_wrappers_are_found() {
    check(
        "kind: List\nitems:\n- kind: ConfigMap\n  data:\n    a: b\n- data:\n    a: hunter2\n  kind: Secret\n",
        "kind: List\nitems:\n- kind: ConfigMap\n  data:\n    a: b\n- data:\n    a: \"(masked)\"\n  kind: Secret\n",
    );
    check(
        "kind: SecretList\nitems:\n- data:\n    a: hunter2\n",
        "kind: SecretList\nitems:\n- data:\n    a: \"(masked)\"\n",
    );
    check(
        "kind: FederatedSecret\nspec:\n  template:\n    data: {k: hunter2}\n",
        "kind: FederatedSecret\nspec:\n  template:\n    data: {\"k\":\"(masked)\"}\n",
    );
}

#[test]
fn manifests_in_strings_are_replaced() {
    check(
        "kind: ConfigMap\ndata:\n  t.yaml: |\n    kind: Secret\n    data: {k: hunter2}\n  u: v\n",
        "kind: ConfigMap\ndata:\n  t.yaml: \"(masked)\"\n\n\n  u: v\n",
    );
    check(
        "kind: ConfigMap\nmetadata:\n  annotations:\n    last: '{\"kind\":\"Secret\",\"data\":{\"k\":\"hunter2\"}}'\n",
        "kind: ConfigMap\nmetadata:\n  annotations:\n    last: \"(masked)\"\n",
    );
    check(
        "kind: ConfigMap\ndata:\n  chart: |\n    kind: Secret\n    {{ x }}: hunter2\n",
        "kind: ConfigMap\ndata:\n  chart: \"(masked)\"\n\n\n",
    );
}

#[test]
fn a_string_that_only_names_the_kind_stays() {
    for text in [
        "a: the kind Secret\n",
        "a: 'kind: Secrets'\n",
        "kind: SealedSecret\ndata:\n  a: hunter2\n",
        "a: |\n  kind: Pod\n",
    ] {
        assert_eq!(redact_text(text), RedactedText { text: text.to_owned(), documents: Vec::new() });
    }
}

#[test]
fn json_becomes_one_line() {
    check(
        "{\n  \"kind\": \"Secret\",\n  \"data\": {\"a\": \"hunter2\"}\n}\n",
        "{\"data\":{\"a\":\"(masked)\"},\"kind\":\"Secret\"}\n\n\n\n",
    );
    check(
        "{\"kind\":\"Pod\"}{\"kind\":\"Secret\",\"data\":{\"a\":\"hunter2\"}}",
        "{\"kind\":\"Pod\"}{\"data\":{\"a\":\"(masked)\"},\"kind\":\"Secret\"}",
    );
}

#[test]
fn notations_that_cannot_be_kept_become_one_line() {
    check(
        "---\nkind: Secret\ndata: &x\n  a: hunter2\nstringData: *x\n---\na: 1\n",
        "---\n{\"data\":{\"a\":\"(masked)\"},\"kind\":\"Secret\",\"stringData\":{\"a\":\"(masked)\"}}\n\n\n\n---\na: 1\n",
    );
    check(
        "kind: Secret\nmetadata:\n  annotations:\n    a: x #y\n    b: 'x #y'\ndata:\n  a: hunter2",
        "{\"data\":{\"a\":\"(masked)\"},\"kind\":\"Secret\",\"metadata\":{\"annotations\":{\"a\":\"x\",\"b\":\"x #y\"}}}\n\n\n\n\n\n",
    );
}

#[test]
fn a_part_that_cannot_be_read_is_replaced_if_it_mentions_a_secret() {
    check(
        "a: 1\n--- # hunter2\nkind: Secret\nstringData: {half: [hunter2\n",
        "a: 1\n---\n# (masked): this cannot be read, and may be a Secret\n\n",
    );
    check("kind: Secret\ndata: {a: hunter2}\ndata: {}\n", "# (masked): this cannot be read, and may be a Secret\n\n\n");
}

#[test]
fn line_breaks_of_windows_stay() {
    check(
        "kind: Secret\r\ndata:\r\n  a: hunter2\r\ntype: x\r\n",
        "kind: Secret\r\ndata:\r\n  a: \"(masked)\"\r\ntype: x\r\n",
    );
}

#[test]
fn names_and_lines_are_those_of_the_documents() {
    let text = "a: 1\n---\n# x\nkind: Secret\nmetadata: {name: a, namespace: shop}\n---\n\
                kind: List\nitems: [{kind: Secret}]\n";
    let documents = redact_text(text).documents;
    let names: Vec<_> = documents.iter().map(|it| it.name.as_ref().map(ToString::to_string)).collect();
    assert_eq!(names, [Some("Secret/shop/a".to_owned()), Some("List/".to_owned())]);
    assert_eq!(documents.iter().map(|it| it.line).collect::<Vec<_>>(), [4, 7]);
}
