//! Redacts Secret data with pseudonyms: keyed digests. Equal values get equal pseudonyms, so an engine computes the
//! same plan; the values cannot be guessed without the key, which is made at each start.
//!
//! The engine decides which values are redacted (`mask`): a pseudonym replaces every value that it would mask.

use std::fmt;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fleetfold_core::Value;
use fleetfold_core::object::secrets;
use fleetfold_core::value::Text;
use ring::hmac;

use super::token::random_bytes;
use crate::digest::hex;

/// Pseudonymizes with one key.
pub struct Redaction(hmac::Key);

/// How a value is encoded. Everything below `data` is data, whatever its key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Not in Secret data.
    Object,
    /// Base64, as in `data`.
    Encoded,
    /// Plain text, as in `stringData`. The server encodes it, and so must yield the pseudonym of the encoded value.
    Plain,
    /// An annotation, which may contain a copy of an object.
    Copy,
}

impl Redaction {
    /// Makes a new key.
    ///
    /// # Errors
    ///
    /// The system returns no random bytes.
    pub fn new() -> io::Result<Redaction> {
        Ok(Redaction(hmac::Key::new(hmac::HMAC_SHA256, &random_bytes()?)))
    }

    /// Replaces all Secret data in a value, also in copies inside annotations.
    pub fn pseudonymize(&self, value: &mut Value) {
        let mut masked = value.clone();
        secrets::redact(&mut masked);
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
                None if masked.as_text() == Some(secrets::MASK) => *value = self.pseudonym(value, form),
                None => {}
            }
        }
    }

    /// The JSON text of an object with Secrets, pseudonymized.
    fn copy(&self, value: &Value) -> Option<Value> {
        let mut object = secrets::secret_in_annotation(value.as_text()?)?;
        self.pseudonymize(&mut object);
        Some(Value::text(object.to_canonical()))
    }

    fn pseudonym(&self, value: &Value, form: Form) -> Value {
        let text = value.as_text().map_or_else(|| Text::from(value.to_canonical().as_str()), Text::from);
        let digest = |text: &str| hex(hmac::sign(&self.0, text.as_bytes()).as_ref());
        match form {
            Form::Plain => digest(&STANDARD.encode(text.as_bytes())).into(),
            _ => STANDARD.encode(digest(&text)).into(),
        }
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redaction")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleetfold_core::value::json;

    fn redacted(redaction: &Redaction, text: &str) -> Value {
        let mut value = json::parse(text).unwrap();
        redaction.pseudonymize(&mut value);
        value
    }

    #[test]
    fn equal_values_have_equal_pseudonyms() {
        let redaction = Redaction::new().unwrap();
        let secret =
            |content: &str| redacted(&redaction, &format!(r#"{{"kind":"Secret","data":{{"a":"{content}"}}}}"#));
        assert_eq!(secret("eA=="), secret("eA=="));
        assert_ne!(secret("eA=="), secret("eQ=="));
        assert_ne!(secret("eA=="), redacted(&Redaction::new().unwrap(), r#"{"kind":"Secret","data":{"a":"eA=="}}"#));
        assert!(STANDARD.decode(secret("eA==").text_at(&["data", "a"])).is_ok());
    }

    #[test]
    fn plain_and_encoded_values_have_matching_pseudonyms() {
        let secret = r#"{"kind":"Secret","data":{"a":"Y2FuYXJ5"},"stringData":{"b":"canary"}}"#;
        let secret = redacted(&Redaction::new().unwrap(), secret);
        assert_eq!(secret.text_at(&["data", "a"]), STANDARD.encode(secret.text_at(&["stringData", "b"])));
    }

    #[test]
    fn copies_and_nested_secrets_are_redacted_too() {
        let redaction = Redaction::new().unwrap();
        let copy = r#"{\"kind\":\"Secret\",\"data\":{\"a\":\"Y2FuYXJ5\"}}"#;
        let annotations = format!(r#"{{"kubectl.kubernetes.io/last-applied-configuration":"{copy}","note":"{{}}"}}"#);
        for object in [
            format!(r#"{{"kind":"Secret","metadata":{{"annotations":{annotations}}},"data":{{"a":"Y2FuYXJ5"}}}}"#),
            format!(r#"{{"kind":"Bundle","metadata":{{"annotations":{annotations}}}}}"#),
            r#"{"kind":"Bundle","spec":{"objects":[{"kind":"Secret","data":{"a":"Y2FuYXJ5"}}]}}"#.to_owned(),
            r#"{"kind":"Secret","stringData":{"annotations":"{\"kind\":\"Secret\",\"canary\":1}"}}"#.to_owned(),
            r#"{"kind":"Secret","data":{"a":["Y2FuYXJ5",7]}}"#.to_owned(),
        ] {
            let text = redacted(&redaction, &object).to_canonical();
            assert!(!text.contains("Y2FuYXJ5") && !text.contains("canary"), "{text}");
        }
        let kept = redacted(
            &redaction,
            r#"{"kind":"ConfigMap","data":{"a":"kept"},"metadata":{"annotations":{"note":"{}"}}}"#,
        );
        assert_eq!(
            kept.to_canonical(),
            r#"{"data":{"a":"kept"},"kind":"ConfigMap","metadata":{"annotations":{"note":"{}"}}}"#
        );
    }
}
