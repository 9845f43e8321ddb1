//! Files that are given by name: a pipe, a device or a folder in their place is refused at once.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rcgen::{KeyPair, PKCS_ED25519};

/// A command that reads a file would not end before this: it waits for a writer, or reads zeros.
const DEADLINE: Duration = Duration::from_secs(60);

/// The arguments with which a command reads `FILE`; `TEXT`, `PRIVATE` and `PUBLIC` are files
/// that it can read.
const COMMANDS: [&[&str]; 19] = [
    &["apply", "FILE"],
    &["call", "--module", "FILE"],
    &["call", "--module", "TEXT", "--verify-key", "FILE"],
    &["run", "--replay", "FILE"],
    &["run", "--replay", "TEXT", "--digest-key-file", "FILE"],
    &["run", "--shadow", "FILE"],
    &["serve", "--port", "0", "--token-file", "FILE"],
    &["webhook", "--cert", "TEXT", "--key", "TEXT", "--module", "FILE"],
    &["module", "inspect", "FILE"],
    &["module", "annotate", "FILE", "--metadata", "TEXT", "-o", "OUT"],
    &["module", "sign", "FILE", "--key", "PRIVATE", "-o", "OUT"],
    &["module", "sign", "TEXT", "--key", "FILE", "-o", "OUT"],
    &["module", "verify", "FILE", "--key", "PUBLIC"],
    &["module", "verify", "TEXT", "--key", "FILE"],
    &["authorize", "-f", "TEXT", "--old", "FILE", "--new", "TEXT", "--user", "a"],
    &["compare", "-f", "TEXT", "builtin", "FILE"],
    &["what-if", "-f", "TEXT", "--change", "FILE"],
    &["lint", "-f", "FILE"],
    &["crds", "-f", "FILE"],
];

#[test]
fn every_command_refuses_a_pipe_a_device_and_a_folder() {
    let folder = std::env::temp_dir().join(format!("fleetfold-given-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("empty")).unwrap();
    fs::write(folder.join("text"), "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n").unwrap();
    let key = KeyPair::generate_for(&PKCS_ED25519).unwrap();
    fs::write(folder.join("private"), key.serialize_pem()).unwrap();
    fs::write(folder.join("public"), key.public_key_pem()).unwrap();
    let pipe = folder.join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
    for args in COMMANDS {
        for (path, kind) in [(pipe.clone(), "a pipe or a device"), (PathBuf::from("/dev/zero"), "a pipe or a device")] {
            check(&folder, args, &path, kind);
        }
        // A folder of documents is one without documents.
        let takes_folder = matches!(args, ["authorize", ..] | [.., "-f" | "--change", "FILE"]);
        check(&folder, args, &folder.join("empty"), if takes_folder { "" } else { "a folder, not a file" });
    }
    fs::remove_dir_all(folder).unwrap();
}

#[track_caller]
fn check(folder: &Path, args: &[&str], path: &Path, want: &str) {
    let replaced = args.iter().map(|arg| match *arg {
        "FILE" => path.display().to_string(),
        "TEXT" | "PRIVATE" | "PUBLIC" | "OUT" => folder.join(arg.to_lowercase()).display().to_string(),
        other => other.to_owned(),
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_fleetfold"));
    command.args(replaced).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // No hub: a command that goes on instead does not find one.
    let mut child = command.env("KUBECONFIG", folder.join("none")).spawn().unwrap();
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if start.elapsed() > DEADLINE => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let mut error = String::new();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    child.stdout.take().unwrap().read_to_string(&mut error).unwrap();
    let code = status.unwrap_or_else(|| panic!("{args:?} does not end with {}", path.display())).code();
    assert!(matches!(code, Some(1 | 2)), "{args:?} with {}: {code:?}\n{error}", path.display());
    assert!(error.contains("error") && error.contains(want), "{args:?} with {}:\n{error}", path.display());
    assert!(error.contains(&path.display().to_string()), "{args:?} with {}:\n{error}", path.display());
}
