//! `admit`: whether a change of an object is allowed.

use serde::{Deserialize, Serialize};

use super::Op;
use super::authorize::AuthorizeReview;
use super::configure::{natural, percent};
use super::plan::timestamp;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::authorize::Review;
use crate::object::redacted::Redacted;
use crate::value::JsonPath;
use crate::value::{Text, Value};
use crate::workspace::Workspace;
use crate::workspace::admit::{Limits, Permissions, ReviewOptions, admit};

/// Reviews a change of an object against the loaded documents. The workspace itself is not changed.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Admit {
    /// The `request` of an AdmissionReview of `admission.k8s.io/v1`, as the API server sends it.
    pub request: Value,
    /// Answers to the access reviews that were needed, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviews: Option<Vec<AuthorizeReview>>,
    /// What decides on permissions that no review covers: `reviews`, the default, requests more reviews; `roles` uses
    /// the loaded ClusterRoles and ClusterRoleBindings, and needs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Permissions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<AdmitLimits>,
    /// The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Text>,
}

/// Limits of one change or deletion: what it may do to clusters before it is denied. An absent limit does not apply.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AdmitLimits {
    /// Objects that it may delete from clusters; the smaller of number and share counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletes: Option<i64>,
    /// The same as a share of all objects that clusters get.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_percent: Option<i64>,
    /// Objects that it may change or add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<i64>,
}

/// The verdict. While there are `needs` it is not final: send the request again with the answers to all of them.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AdmitAnswer {
    pub allowed: bool,
    /// The stable code of the first reason for a denial.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Text>,
    /// The sets that the cluster would join, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joins: Option<Vec<Text>>,
    /// The sets that the cluster would leave, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves: Option<Vec<Text>>,
    /// Why it is denied and what to do, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The SubjectAccessReviews that must be answered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<Vec<Redacted>>,
    /// Warnings for the user, whether allowed or not: at most 20, each of at most 120 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// The rounds of a review: a host sends the request, answers the access reviews that the engine needs, and sends it
/// again with all answers, until the verdict is final.
///
/// # Example
///
/// ```
/// use fleetfold_core::{Workspace, api::admit::{Admit, ReviewRounds}, value::json};
///
/// let request = json::parse(r#"{"kind":{"group":"cluster.open-cluster-management.io","kind":"ManagedCluster"},
///     "name":"c1","operation":"CREATE","userInfo":{"username":"eve"},
///     "object":{"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster","metadata":{"name":"c1",
///     "labels":{"cluster.open-cluster-management.io/clusterset":"dev"}}}}"#)?;
/// let mut workspace = Workspace::default();
/// let mut rounds = ReviewRounds::new(Admit { request, ..Admit::default() });
/// let verdict = loop {
///     let request = rounds.next_request().expect("two rounds are enough here");
///     let verdict = workspace.call(request)?.answer;
///     let Some(needs) = &verdict.needs else { break verdict };
///     // A host asks its API server here.
///     needs.iter().for_each(|need| rounds.answer(need, false));
/// };
/// assert_eq!(verdict.code.as_deref(), Some("not-granted"));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReviewRounds {
    request: Admit,
    /// The rounds that are left.
    left: usize,
}

impl ReviewRounds {
    /// How often one change is sent at most. An engine that needs more does not accept the answers.
    pub const MAX_ROUNDS: usize = 4;

    /// Why there is no further request.
    pub const EXHAUSTED: &str = "the engine keeps requesting access reviews";

    pub fn new(request: Admit) -> ReviewRounds {
        let reviews = Some(request.reviews.clone().unwrap_or_default());
        ReviewRounds { request: Admit { reviews, ..request }, left: ReviewRounds::MAX_ROUNDS }
    }

    /// The request of the next round; none after [`ReviewRounds::MAX_ROUNDS`].
    pub fn next_request(&mut self) -> Option<Admit> {
        self.left = self.left.checked_sub(1)?;
        Some(self.request.clone())
    }

    /// Records whether a needed access review allows what it asks for.
    pub fn answer(&mut self, need: &Value, allowed: bool) {
        let attribute = |key| Text::from(need.text_at(&["spec", "resourceAttributes", key]));
        self.request.reviews.get_or_insert_default().push(AuthorizeReview {
            resource: attribute("resource"),
            subresource: attribute("subresource"),
            name: attribute("name"),
            verb: attribute("verb"),
            allowed,
        });
    }
}

impl Op for Admit {
    const NAME: &'static str = "admit";
    type Answer = AdmitAnswer;

    fn answer(self, workspace: &mut Workspace, _: &mut Vec<Diagnostic>) -> Result<AdmitAnswer, Error> {
        workspace.refresh(timestamp(self.now.as_deref())?);
        let reviews: Vec<Review> = self.reviews.unwrap_or_default().into_iter().map(Review::from).collect();
        let limits = self.limits.map(AdmitLimits::read).transpose()?;
        let means = ReviewOptions { reviews: &reviews, permissions: self.permissions.unwrap_or_default(), limits };
        let verdict = admit(workspace, &self.request, &means);
        let secrets = workspace.secret_values();
        let mask = |text: String| secrets.as_ref().and_then(|it| it.mask_text(&text)).unwrap_or(text);
        Ok(AdmitAnswer {
            allowed: verdict.allowed(),
            code: verdict.code().map(|code| Text::new_static(code.as_str())),
            message: verdict.message().map(mask),
            warnings: some(verdict.warnings().into_iter().map(mask).collect()),
            needs: some(verdict.needs.into_iter().map(Redacted::working).collect()),
            joins: some(verdict.joins),
            leaves: some(verdict.leaves),
        })
    }
}

impl AdmitLimits {
    fn read(self) -> Result<Limits, Error> {
        let AdmitLimits { deletes, delete_percent, changes } = self;
        let at = JsonPath::ROOT.key("limits");
        let (deletes, delete_percent) = (natural("deletes", deletes, &at)?, percent(delete_percent, &at)?);
        let changes = natural("changes", changes, &at)?;
        Ok(Limits { deletes, delete_percent, changes })
    }
}

fn some<T>(items: Vec<T>) -> Option<Vec<T>> {
    (!items.is_empty()).then_some(items)
}
