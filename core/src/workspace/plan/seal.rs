//! Replaces the contents of Secrets in the published digests of a plan.
//!
//! More people can read a digest than Secrets: it is in the status of a FleetPlan, in logs and in plan files. Anyone
//! who knows the rest of an action could try short values until the digest fits. So:
//!
//! 1. With a key (`configure.digestKey`), each secret value is replaced by its HMAC-SHA256 under that key.
//! 2. Without a key the plain values are hashed: an approval must cover the written values, and core has no randomness
//!    to create a key.
//! 3. An action on an object without a Secret in it is hashed unchanged, even if a string of it is a copy of one.
//!
//! All programs with the key get the same digest: the runner, `plan --from-cluster` and `apply`.

use super::Action;
use crate::object::redacted::Visibility;
use crate::object::secrets;
use crate::value::text::hex;
use crate::value::{Text, Value};
use crate::workspace::settings::DigestKey;
use crate::workspace::store::Store;

impl Action {
    /// Sets the hashes, after a change of the content.
    pub(super) fn seal(&mut self, store: &Store) {
        let values: Vec<Option<Value>> = self.patch.iter().map(|it| it.value.clone()).collect();
        self.hash = self.content_hash(self.body.as_ref(), &values);
        self.sealed_hash = self.hash;
        let Some(DigestKey(key)) = &store.settings.digest_key else { return };
        if let Some((mut body, mut patch)) = self.masked() {
            let in_body = self.body.iter().zip(&mut body);
            let in_patch = values.iter().flatten().zip(patch.iter_mut().flatten());
            in_body.chain(in_patch).for_each(|(value, masked)| seal_leaves(value, masked, key));
            self.sealed_hash = self.content_hash(body.as_ref(), &patch);
        }
    }

    /// The body and the values of the patch without anything secret. Nothing if they have nothing secret.
    fn masked(&self) -> Option<(Option<Value>, Vec<Option<Value>>)> {
        let objects: Vec<&Value> = self.live.iter().chain(&self.body).collect();
        // Nearly all actions end here.
        if self.concealed.is_empty() && !objects.iter().any(|it| secrets::has_secret(it)) {
            return None;
        }
        let visibility = Visibility::Redacted(&objects);
        let mask = |mut value: Value| {
            self.concealed.mask(&mut value);
            value
        };
        let body = self.body.clone().map(|mut it| {
            secrets::redact(&mut it);
            mask(it)
        });
        let values = self.patch.iter().map(|it| {
            let place = it.place().cloned().unwrap_or_default();
            it.value.clone().map(|value| mask(visibility.show(value, &place).into_value()))
        });
        let values: Vec<Option<Value>> = values.collect();
        let is_same = body == self.body && self.patch.iter().zip(&values).all(|(it, value)| it.value == *value);
        (!is_same).then_some((body, values))
    }
}

/// Puts the HMAC of each value in the place of its mask.
fn seal_leaves(value: &Value, masked: &mut Value, key: &Text) {
    if value == masked {
        return;
    }
    if let (Value::List(values), Some(items)) = (value, masked.as_list_mut()) {
        values.iter().zip(items).for_each(|(value, masked)| seal_leaves(value, masked, key));
    } else if let (Value::Map(values), Some(map)) = (value, masked.as_map_mut()) {
        values.iter().zip(map.iter_mut()).for_each(|((_, value), (_, masked))| seal_leaves(value, masked, key));
    } else {
        *masked = hex(&hmac_sha256::HMAC::mac(value.to_canonical(), key.as_bytes())).into();
    }
}
