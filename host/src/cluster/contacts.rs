//! Which endpoint got the credentials of a Secret before, so that they go nowhere else unnoticed.
//!
//! | the Secret | the endpoint | a runner | a command that only reads |
//! |---|---|---|---|
//! | was used before | is the same one | connects | connects |
//! | was never used | any | connects | connects with `--contact-members` |
//! | was used before | is another one, which the Secret itself names | connects | connects with `--contact-members` |
//! | was used before | is another one, which the document names | waits for approval | waits for approval |
//!
//! A Secret counts by its uid: whoever can replace it has its contents. An endpoint is its address with the
//! certificates that it is checked against. Runners record them in the status of their FleetPlan, and an annotation
//! there approves one.

use std::collections::{BTreeMap, BTreeSet};

use fleetfold_core::Value;
use fleetfold_crds::{FleetPlan, MemberContact};

use super::{ApiError, Cluster};
use crate::meta::Meta;
use crate::target::Target;

/// The annotation of a FleetPlan that approves endpoints by their digests, separated by commas.
pub const APPROVED_ENDPOINTS: &str = "fleetfold.dev/approved-endpoints";

/// Whether members are connected to for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstContact {
    Allowed,
    Refused,
}

/// What was contacted before, and what may be contacted now.
#[derive(Clone, Debug)]
pub struct Contacts {
    first: FirstContact,
    /// By the uid of the Secret.
    known: BTreeMap<String, MemberContact>,
    approved: BTreeSet<String>,
}

impl Contacts {
    pub fn new(first: FirstContact) -> Contacts {
        Contacts { first, known: BTreeMap::new(), approved: BTreeSet::new() }
    }

    /// Records that the endpoint got the credentials.
    pub fn record(&mut self, contact: MemberContact) {
        put(&mut self.known, contact);
    }

    /// What was recorded, over what a FleetPlan has.
    pub fn over(&self, recorded: &[MemberContact]) -> Vec<MemberContact> {
        let mut all = BTreeMap::new();
        for contact in recorded.iter().chain(self.known.values()) {
            put(&mut all, contact.clone());
        }
        all.into_values().collect()
    }

    /// Adds what the FleetPlans of the hub record and approve. What is known already stays.
    pub async fn read(mut self, hub: &Cluster) -> Result<Contacts, ApiError> {
        let all = Target {
            api_version: FleetPlan::API_VERSION.into(),
            kind: FleetPlan::KIND.into(),
            namespace: String::new(),
            name: String::new(),
        };
        let listed = match hub.list(&all, "").await {
            Ok(listed) => listed,
            // Without the kind, or without the right to read it, there is no record.
            Err(ApiError::NotServed { .. } | ApiError::Forbidden { .. }) => return Ok(self),
            Err(error) => return Err(error),
        };
        for plan in &listed.objects {
            self.approved.extend(approved_endpoints(plan));
            for contact in recorded(plan) {
                self.known.entry(contact.secret_uid.clone()).or_insert(contact);
            }
        }
        Ok(self)
    }

    /// Checks that the credentials may be sent to the endpoint. `is_in_secret`: the Secret names the endpoint.
    ///
    /// # Errors
    ///
    /// The endpoint must be approved, or nobody was to connect for the first time.
    pub fn check(&self, contact: &MemberContact, is_in_secret: bool) -> Result<(), ApiError> {
        let MemberContact { cluster, secret, endpoint, digest, .. } = contact;
        match self.known.get(&contact.secret_uid) {
            Some(known) if known.digest == *digest => Ok(()),
            Some(known) if !is_in_secret && !self.approved.contains(digest) => {
                let what = match &known.endpoint {
                    before if before == endpoint => format!("`{endpoint}` with other certificates"),
                    before => format!("`{endpoint}`, and they were used for `{before}` so far"),
                };
                Err(ApiError::EndpointHeld {
                    message: format!("the credentials in `Secret/{secret}` would go to {what}"),
                    hint: format!(
                        "if `{cluster}` moved, run `kubectl annotate --overwrite fleetplan/NAME \
                         {APPROVED_ENDPOINTS}={digest}` with the name of the runner"
                    ),
                })
            }
            Some(_) if !is_in_secret => Ok(()),
            _ if self.first == FirstContact::Allowed => Ok(()),
            _ => Err(ApiError::NoAccess {
                message: format!("`{cluster}` was not contacted: its credentials were never sent to `{endpoint}`"),
                hint: "let `fleetfold run` connect first, or add `--contact-members`".into(),
            }),
        }
    }
}

/// Adds a contact by the uid of its Secret. Several clusters may share a Secret and an endpoint, and they connect in
/// any order: the first one stays, or every restart would write another name.
fn put(known: &mut BTreeMap<String, MemberContact>, contact: MemberContact) {
    if known.get(&contact.secret_uid).is_none_or(|before| before.digest != contact.digest) {
        known.insert(contact.secret_uid.clone(), contact);
    }
}

/// The contacts in the status of a FleetPlan; unreadable ones are left out.
fn recorded(plan: &Value) -> Vec<MemberContact> {
    let listed = Meta::of(plan).status().and_then(|it| it.get("contacts")).and_then(Value::as_list);
    let read = |it: &Value| serde_json::to_value(it).and_then(serde_json::from_value).ok();
    listed.into_iter().flatten().filter_map(read).collect()
}

/// The digests that a FleetPlan approves.
pub fn approved_endpoints(plan: &Value) -> BTreeSet<String> {
    let approved = Meta::of(plan).annotation(APPROVED_ENDPOINTS).unwrap_or_default();
    approved.split(',').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(uid: &str, endpoint: &str) -> MemberContact {
        MemberContact {
            cluster: "berlin".to_owned(),
            digest: format!("sha256:{endpoint}"),
            endpoint: endpoint.to_owned(),
            secret: "fed/berlin".to_owned(),
            secret_uid: uid.to_owned(),
        }
    }

    /// `u` was used for `https://a`; answers the code of what keeps credentials from being sent.
    #[track_caller]
    fn check(first: FirstContact, uid: &str, endpoint: &str, is_in_secret: bool, want: Option<&str>) {
        let mut contacts = Contacts::new(first);
        contacts.record(contact("u", "https://a"));
        contacts.approved.insert("sha256:https://approved".to_owned());
        let found = contacts.check(&contact(uid, endpoint), is_in_secret);
        assert_eq!(found.err().as_ref().map(ApiError::code), want, "{uid} {endpoint}");
    }

    #[test]
    fn the_same_endpoint_is_contacted_again() {
        for first in [FirstContact::Allowed, FirstContact::Refused] {
            check(first, "u", "https://a", false, None);
            check(first, "u", "https://a", true, None);
        }
    }

    #[test]
    fn a_first_contact_must_be_allowed() {
        check(FirstContact::Allowed, "new", "https://b", false, None);
        check(FirstContact::Refused, "new", "https://b", false, Some("no-access"));
    }

    #[test]
    fn known_credentials_go_to_another_endpoint_only_with_approval() {
        for first in [FirstContact::Allowed, FirstContact::Refused] {
            check(first, "u", "https://b", false, Some("endpoint-held"));
            check(first, "u", "https://approved", false, None);
        }
    }

    #[test]
    fn a_secret_that_names_another_endpoint_is_as_a_new_one() {
        check(FirstContact::Allowed, "u", "https://b", true, None);
        check(FirstContact::Refused, "u", "https://b", true, Some("no-access"));
    }

    #[test]
    fn approvals_are_separated_by_commas() {
        let plan = format!(r#"{{"metadata":{{"annotations":{{"{APPROVED_ENDPOINTS}":"sha256:a, sha256:b,"}}}}}}"#);
        let plan = fleetfold_core::value::json::parse(&plan).expect("a test writes JSON");
        assert_eq!(approved_endpoints(&plan), ["sha256:a", "sha256:b"].map(str::to_owned).into());
    }

    #[test]
    fn what_was_recorded_is_laid_over_what_a_fleet_plan_has() {
        let mut contacts = Contacts::new(FirstContact::Allowed);
        contacts.record(contact("u", "https://b"));
        let before = [contact("t", "https://t"), contact("u", "https://a")];
        assert_eq!(contacts.over(&before), [contact("t", "https://t"), contact("u", "https://b")]);
    }

    #[test]
    fn clusters_that_share_a_secret_and_an_endpoint_do_not_take_turns_in_the_record() {
        let of = |cluster: &str| MemberContact { cluster: cluster.to_owned(), ..contact("u", "https://a") };
        let mut contacts = Contacts::new(FirstContact::Allowed);
        for cluster in ["berlin", "second"] {
            contacts.record(of(cluster));
        }
        assert_eq!(contacts.over(&[]), [of("berlin")]);
        assert_eq!(contacts.over(&[of("third")]), [of("third")]);
    }
}
