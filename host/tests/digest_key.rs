//! The key under which the values of Secrets enter digests and action ids.

mod server;

use std::path::Path;
use std::process::{Command, Output};

use fleetfold::digest::digest;
use fleetfold_core::api::plan::PlanAnswer;
use fleetfold_core::diagnostic::read::from_value_ignoring_unknown;
use fleetfold_core::value::json;
use server::{Folder, Server, failure};

/// A value that everybody could guess.
const SECRET: &str = "hunter2";
const ENCODED: &str = "aHVudGVyMg==";

const KEYS: [&str; 2] = ["9f0c2b7e5d1a4863", "0123456789abcdef"];

fn fleet(name: &str) -> Folder {
    let folder = Folder::new(&format!("digest-key-{name}"));
    folder.write(
        "fleet/fleet.yaml",
        format!(
            "apiVersion: core.kubefed.io/v1beta1
kind: KubeFedConfig
metadata: {{name: kubefed, namespace: kube-federation-system}}
spec: {{scope: Namespaced}}
---
apiVersion: core.kubefed.io/v1beta1
kind: KubeFedCluster
metadata: {{name: eu, namespace: kube-federation-system}}
---
apiVersion: core.kubefed.io/v1beta1
kind: FederatedTypeConfig
metadata: {{name: secrets, namespace: kube-federation-system}}
spec:
  federatedType: {{group: types.kubefed.io, kind: FederatedSecret, version: v1beta1}}
  propagation: Enabled
  targetType: {{kind: Secret, version: v1, scope: Namespaced}}
---
apiVersion: types.kubefed.io/v1beta1
kind: FederatedSecret
metadata: {{name: login, namespace: team}}
spec:
  placement: {{clusters: [{{name: eu}}]}}
  template: {{data: {{password: {ENCODED}}}}}
"
        ),
    );
    folder.write("fleet/live/eu/none.yaml", "");
    folder.write("fleet/live/_hub/none.yaml", "");
    KEYS.iter().enumerate().for_each(|(index, key)| folder.write(&format!("key-{index}"), format!("{key}\n")));
    folder
}

fn run(folder: &Folder, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fleetfold"));
    command.env("FLEETFOLD_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve-cache"));
    command.args(args).current_dir(&folder.0).output().unwrap()
}

/// The digest of the plan, and the id of the action that writes the Secret.
fn plan(folder: &Folder, key: &[&str]) -> (String, [String; 2]) {
    let output = run(folder, &[&["plan", "-f", "fleet", "-o", "json"], key].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let plan: PlanAnswer = from_value_ignoring_unknown(json::parse_answer(&text).unwrap()).unwrap();
    let action = plan.actions.into_iter().find(|it| it.target.kind == "Secret").expect("a Secret is written");
    (text, [plan.digest, action.id])
}

#[test]
fn each_key_gives_its_own_digests_and_none_shows_the_value_or_the_key() {
    let folder = fleet("plan");
    let (text, none) = plan(&folder, &[]);
    let (first_text, first) = plan(&folder, &["--digest-key-file", "key-0"]);
    let (second_text, second) = plan(&folder, &["--digest-key-file", "key-1"]);
    for (index, what) in ["digest", "id"].iter().enumerate() {
        assert!(none[index] != first[index] && first[index] != second[index] && none[index] != second[index], "{what}");
    }
    // Whoever has the same key has the same digest, however its file ends.
    folder.write("same", KEYS[0]);
    assert_eq!(plan(&folder, &["--digest-key-file", "same"]).1, first);

    let hashes = [SECRET, ENCODED].map(|it| digest(it.as_bytes()).trim_start_matches("sha256:").to_owned());
    for text in [&text, &first_text, &second_text] {
        for secret in [SECRET, ENCODED, KEYS[0], KEYS[1], &hashes[0], &hashes[1]] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
    // With the key, what anybody could compute from a guessed value is not there.
    for unkeyed in &none {
        assert!(!first_text.contains(unkeyed.as_str()), "{unkeyed}");
    }
}

#[test]
fn an_action_is_explained_by_its_id_under_the_key() {
    let folder = fleet("explain");
    let (_, [_, id]) = plan(&folder, &["--digest-key-file", "key-0"]);
    let explain = |key: &[&str]| run(&folder, &[&["explain", "-f", "fleet", "--action", &id][..], key].concat());
    assert_eq!(explain(&["--digest-key-file", "key-0"]).status.code(), Some(0));
    assert_eq!(explain(&["--digest-key-file", "key-1"]).status.code(), Some(2));
}

#[test]
fn a_key_is_not_taken_from_settings_and_not_published() {
    let folder = fleet("settings");
    let settings = format!("apiVersion: fleetfold.dev/v1\nkind: Settings\nspec: {{digestKey: {}}}\n", KEYS[0]);
    folder.write("fleet/fleetfold.yaml", &settings);
    let output = run(&folder, &["plan", "-f", "fleet"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("`digestKey` cannot be set in a settings file") && !said.contains(KEYS[0]), "{said}");
    assert!(said.contains("--digest-key-file"), "{said}");

    let server = Server::start_with(&["-f", folder.0.join("fleet").to_str().unwrap()]);
    let served = server.get("/v1/fleet").body;
    assert!(served.contains("`digestKey` cannot be set in a settings file"), "{served}");
    assert!(!served.contains(KEYS[0]), "{served}");
}

#[test]
fn the_page_over_files_has_no_key() {
    let folder = fleet("serve");
    let (fleet, key) = (folder.0.join("fleet"), folder.0.join("key-0"));
    let said = failure(&["--port", "0", "-f", fleet.to_str().unwrap(), "--digest-key-file", key.to_str().unwrap()]);
    assert!(said.contains("a digest key is given, and no hub is read"), "{said}");
}
