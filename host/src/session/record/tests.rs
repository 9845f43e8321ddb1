use std::fs;
use std::os::unix::fs::PermissionsExt;

use fleetfold_core::Workspace;

use super::*;

const REQUESTS: [&str; 3] = [
    r#"{"documents":[{"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster","metadata":{"name":"eu-1"}}],"op":"load"}"#,
    r#"{"now":"2026-01-01T00:00:00Z","op":"plan"}"#,
    r#"{"op":"clusters","selector":"}\n\",\"request\":é"}"#,
];

/// A temporary file for a record.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("fleetfold-record-{name}-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        Place(path)
    }

    /// A record of all requests.
    fn recorded(self) -> Place {
        let mut recorder = Recorder::create(&self.0, "sha256:abc").unwrap();
        let mut engine = Workspace::default();
        for request in REQUESTS {
            let said = Engine::call(&mut engine, request.as_bytes());
            recorder.write(request, &said);
        }
        assert!(recorder.is_recording());
        self
    }

    fn edited(self, edit: impl FnOnce(String) -> String) -> Place {
        let text = fs::read_to_string(&self.0).unwrap();
        fs::write(&self.0, edit(text)).unwrap();
        self
    }

    fn replay(&self) -> Result<Replay, ReplayError> {
        replay(&self.0, &mut Workspace::default(), None)
    }

    #[track_caller]
    fn fails(&self, message: &str, hint: &str) {
        let error = self.replay().unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.hint().contains(hint), "{}", error.hint());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn a_record_replays_with_the_same_answers() {
    let place = Place::new("same").recorded();
    let replay = place.replay().unwrap();
    assert!(replay.is_same(), "{replay:?}");
    assert_eq!((replay.requests, replay.version.as_str()), (3, VERSION));
    assert!(replay.is_of_other("sha256:def") && !replay.is_of_other("sha256:abc"));
    let [plan] = replay.plans.as_slice() else { panic!("{replay:?}") };
    assert_eq!((plan.line, plan.now.as_str(), plan.actions), (3, "2026-01-01T00:00:00Z", 0));
    assert!(plan.digest.starts_with("sha256:"), "{plan:?}");
}

#[test]
fn every_line_holds_its_request_byte_for_byte() {
    let place = Place::new("bytes").recorded();
    let text = fs::read_to_string(&place.0).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0], format!(r#"{{"fleetfold":{{"module":"sha256:abc","version":"{VERSION}"}}}}"#));
    for (line, request) in lines[1..].iter().zip(REQUESTS) {
        assert!(line.starts_with(r#"{"answer":"sha256:"#), "{line}");
        assert!(line.ends_with(&format!(r#","request":{request}}}"#)), "{line}");
    }
}

#[test]
fn a_different_answer_is_reported_with_its_line() {
    let place = Place::new("other").recorded();
    let place = place.edited(|text| text.replace("eu-1", "eu-2").replace(r#""op":"clusters""#, r#""op":"none""#));
    let replay = place.replay().unwrap();
    let found: Vec<_> = replay.differences.iter().map(|it| (it.line, it.op.as_str(), it.refused.as_deref())).collect();
    assert_eq!(found, [(4, "none", Some("unknown-op"))]);
    assert_ne!(replay.differences[0].recorded, replay.differences[0].now);
}

#[test]
fn a_record_is_private_and_replaces_no_file() {
    let place = Place::new("mode").recorded();
    assert_eq!(fs::metadata(&place.0).unwrap().permissions().mode() & 0o777, 0o600);
    let error = Recorder::create(&place.0, "sha256:abc").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
}

#[test]
fn a_failed_write_ends_the_record() {
    let file = File::open("/dev/null").unwrap();
    let mut recorder = Recorder { path: "/dev/null".into(), file: Some(file) };
    recorder.write(REQUESTS[0], "{}");
    assert!(!recorder.is_recording());
    recorder.write(REQUESTS[1], "{}");
}

#[test]
fn errors_in_a_record_name_the_line() {
    Place::new("none").fails("cannot be read", "--record");
    let recorded = |name: &str| Place::new(name).recorded();
    recorded("empty").edited(|_| String::new()).fails("line 1 of", "from its beginning");
    recorded("head").edited(|text| text.replacen("fleetfold", "x", 1)).fails("line 1 of", "from its beginning");
    recorded("cut").edited(|text| text[..text.len() - 9].to_owned()).fails("line 4 of", "leave the last line out");
    recorded("hole").edited(|text| text.replacen("\"op\"", "op", 1)).fails("line 2 of", "record again");
}

#[test]
fn a_record_has_no_key_of_digests_and_is_replayed_with_one() {
    let key = "the-key-of-digests";
    let secret = r#"{"apiVersion":"types.kubefed.io/v1beta1","kind":"FederatedSecret","metadata":{"name":"s","namespace":"n"},"spec":{"placement":{"clusters":[{"name":"eu"}]},"template":{"data":{"a":"c2VjcmV0"}}}}"#;
    let cluster = r#"{"apiVersion":"core.kubefed.io/v1beta1","kind":"KubeFedCluster","metadata":{"name":"eu","namespace":"kube-federation-system"}}"#;
    let types = r#"{"apiVersion":"core.kubefed.io/v1beta1","kind":"FederatedTypeConfig","metadata":{"name":"secrets","namespace":"kube-federation-system"},"spec":{"federatedType":{"group":"types.kubefed.io","kind":"FederatedSecret","version":"v1beta1"},"propagation":"Enabled","targetType":{"kind":"Secret","scope":"Namespaced","version":"v1"}}}"#;
    let config = r#"{"apiVersion":"core.kubefed.io/v1beta1","kind":"KubeFedConfig","metadata":{"name":"kubefed","namespace":"kube-federation-system"},"spec":{"scope":"Namespaced"}}"#;
    let requests = [
        request_text(&Configure { digest_key: Some(key.into()), paused: Some(false), ..Configure::default() }),
        format!(r#"{{"op":"load","documents":[{config},{types},{cluster},{secret}]}}"#),
        r#"{"op":"load","documents":[],"live":"eu","complete":true}"#.to_owned(),
        r#"{"op":"load","documents":[],"live":"","complete":true}"#.to_owned(),
        r#"{"op":"plan"}"#.to_owned(),
    ];
    let place = Place::new("key");
    let mut recorder = Recorder::create(&place.0, "sha256:abc").unwrap();
    let mut engine = Workspace::default();
    for request in &requests {
        recorder.write(request, &Engine::call(&mut engine, request.as_bytes()));
    }
    let text = fs::read_to_string(&place.0).unwrap();
    assert!(!text.contains(key) && text.contains(r#""paused":false"#), "{text}");
    let with = |key| replay(&place.0, &mut Workspace::default(), key).unwrap();
    assert!(with(Some(key)).is_same(), "{:?}", with(Some(key)));
    assert!(with(Some(key)).plans[0].actions > 0);
    assert!(!with(Some(key)).lacks_digest_key && with(None).lacks_digest_key);
    assert_eq!(with(None).differences.iter().map(|it| it.op.as_str()).collect::<Vec<_>>(), ["plan"]);
}
