//! Stands in for what Secrets hold. Equal stays equal and changed stays changed, so that an engine comes to the same plan
//! with it; what was there cannot be found out, not even by guessing, without a key that is made at each start.
//!
//! Which places those are is the engine's to say (`mask`): wherever it would write a mask, a keyed digest is put.

use std::fmt;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fleetfold_core::Value;
use fleetfold_core::object::secrets;
use fleetfold_core::value::Text;
use fleetfold_core::value::json;
use ring::hmac;

use super::token::random_bytes;
use crate::guest::hex;

/// Covers with one key.
pub struct Veil(hmac::Key);

/// How the value at a place is written. What is below `data` is data, whatever it is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Nothing special so far.
    Object,
    /// As a Secret keeps it: base64.
    Encoded,
    /// As `stringData` gives it. The server encodes it, so its stand-in must become the other one when that is done.
    Plain,
    /// An annotation: where it is a copy of an object, its stand-in is one too.
    Copy,
}

impl Veil {
    /// A veil of its own for every start.
    ///
    /// # Errors
    ///
    /// The system gives no random bytes.
    pub fn new() -> io::Result<Veil> {
        Ok(Veil(hmac::Key::new(hmac::HMAC_SHA256, &random_bytes()?)))
    }

    /// Puts a stand-in wherever the value holds what a Secret keeps to itself, and in the copies that annotations hold.
    pub fn cover(&self, value: &mut Value) {
        let mut masked = value.clone();
        secrets::cover(&mut masked);
        self.replace(value, &masked, Form::Object);
    }

    fn replace(&self, value: &mut Value, masked: &Value, form: Form) {
        if let (Some(items), Some(masked)) = (value.as_list_mut(), masked.as_list()) {
            items.iter_mut().zip(masked).for_each(|(item, masked)| self.replace(item, masked, form));
        } else if let (Some(map), Some(masked)) = (value.as_map_mut(), masked.as_map()) {
            for (key, value) in map.iter_mut() {
                let form = match (form, key.as_str()) {
                    (Form::Object, "annotations") => Form::Copy,
                    (Form::Object, "stringData") => Form::Plain,
                    (Form::Object, "data") => Form::Encoded,
                    _ => form,
                };
                self.replace(value, masked.get(key).unwrap_or(&Value::Null), form);
            }
        } else {
            let copy = if form == Form::Copy { self.copy(value) } else { None };
            match copy {
                Some(copy) => *value = copy,
                None if masked.as_text() == Some(secrets::MASK) => *value = self.stand_in(value, form),
                None => {}
            }
        }
    }

    /// The text of an object that holds Secrets, with stand-ins in it.
    fn copy(&self, value: &Value) -> Option<Value> {
        let mut object = json::parse(value.as_text().filter(|it| it.trim_start().starts_with('{'))?).ok()?;
        secrets::holds_secret(&object).then(|| {
            self.cover(&mut object);
            Value::text(object.to_canonical())
        })
    }

    fn stand_in(&self, value: &Value, form: Form) -> Value {
        let text = value.as_text().map_or_else(|| Text::from(value.to_canonical().as_str()), Text::from);
        let digest = |text: &str| hex(hmac::sign(&self.0, text.as_bytes()).as_ref());
        match form {
            Form::Plain => digest(&STANDARD.encode(text.as_bytes())).into(),
            _ => STANDARD.encode(digest(&text)).into(),
        }
    }
}

impl fmt::Debug for Veil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Veil")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(veil: &Veil, text: &str) -> Value {
        let mut value = json::parse(text).unwrap();
        veil.cover(&mut value);
        value
    }

    #[test]
    fn equal_stays_equal_and_changed_stays_changed() {
        let veil = Veil::new().unwrap();
        let secret = |content: &str| covered(&veil, &format!(r#"{{"kind":"Secret","data":{{"a":"{content}"}}}}"#));
        assert_eq!(secret("eA=="), secret("eA=="));
        assert_ne!(secret("eA=="), secret("eQ=="));
        assert_ne!(secret("eA=="), covered(&Veil::new().unwrap(), r#"{"kind":"Secret","data":{"a":"eA=="}}"#));
        assert!(STANDARD.decode(secret("eA==").text_at(&["data", "a"])).is_ok());
    }

    #[test]
    fn what_is_given_plain_is_what_a_server_keeps_encoded() {
        let secret = r#"{"kind":"Secret","data":{"a":"Y2FuYXJ5"},"stringData":{"b":"canary"}}"#;
        let covered = covered(&Veil::new().unwrap(), secret);
        assert_eq!(covered.text_at(&["data", "a"]), STANDARD.encode(covered.text_at(&["stringData", "b"])));
    }

    #[test]
    fn copies_and_secrets_within_others_are_covered_too() {
        let veil = Veil::new().unwrap();
        let copy = r#"{\"kind\":\"Secret\",\"data\":{\"a\":\"Y2FuYXJ5\"}}"#;
        let annotations = format!(r#"{{"kubectl.kubernetes.io/last-applied-configuration":"{copy}","note":"{{}}"}}"#);
        for object in [
            format!(r#"{{"kind":"Secret","metadata":{{"annotations":{annotations}}},"data":{{"a":"Y2FuYXJ5"}}}}"#),
            format!(r#"{{"kind":"Bundle","metadata":{{"annotations":{annotations}}}}}"#),
            r#"{"kind":"Bundle","spec":{"objects":[{"kind":"Secret","data":{"a":"Y2FuYXJ5"}}]}}"#.to_owned(),
            r#"{"kind":"Secret","stringData":{"annotations":"{\"kind\":\"Secret\",\"canary\":1}"}}"#.to_owned(),
            r#"{"kind":"Secret","data":{"a":["Y2FuYXJ5",7]}}"#.to_owned(),
        ] {
            let text = covered(&veil, &object).to_canonical();
            assert!(!text.contains("Y2FuYXJ5") && !text.contains("canary"), "{text}");
        }
        let kept =
            covered(&veil, r#"{"kind":"ConfigMap","data":{"a":"kept"},"metadata":{"annotations":{"note":"{}"}}}"#);
        assert_eq!(
            kept.to_canonical(),
            r#"{"data":{"a":"kept"},"kind":"ConfigMap","metadata":{"annotations":{"note":"{}"}}}"#
        );
    }
}
