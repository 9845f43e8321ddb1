//! One action of a plan, and how it is applied.

use fleetfold_core::Value;
use fleetfold_core::api::patch::OperationAnswer;
use fleetfold_core::api::plan::{ActionAnswer, Precondition, TakesAnswer};
use fleetfold_core::object::Identity;
use fleetfold_core::object::Redacted;

use crate::cluster::{ApiError, Cluster, Effect};
use crate::target::Target;

/// A cluster and an object in it.
pub type ObjectKey = (String, Identity);

/// One action of a plan.
#[derive(Clone, Debug, Default)]
pub struct Action {
    pub id: String,
    pub subject: String,
    pub cluster: String,
    pub verb: String,
    /// The part of the object that a patch is sent to, such as `status`.
    pub subresource: Option<String>,
    pub target: Target,
    pub wave: i64,
    pub reason: String,
    /// What it takes, which counts against the limits.
    pub takes: Option<TakesAnswer>,
    pub(super) body: Value,
    pub(super) patch: Vec<OperationAnswer>,
    pub(super) precondition: Option<Precondition>,
}

impl From<ActionAnswer> for Action {
    fn from(action: ActionAnswer) -> Action {
        Action {
            target: Target::from(&action.target),
            id: action.id,
            subject: action.subject,
            cluster: action.cluster.to_string(),
            verb: action.verb.to_string(),
            subresource: action.subresource.map(|it| it.to_string()),
            wave: action.wave,
            reason: action.reason.text,
            takes: action.takes,
            body: action.body.0.map(Redacted::into_value).unwrap_or_default(),
            patch: action.patch.unwrap_or_default(),
            precondition: action.precondition,
        }
    }
}

impl Action {
    pub fn key(&self) -> ObjectKey {
        (self.cluster.clone(), self.target.identity())
    }

    /// Applies the action; returns the resulting object, or nothing after a delete.
    pub async fn apply(&self, cluster: &Cluster, effect: Effect) -> Result<Option<Value>, ApiError> {
        let precondition = self.precondition.as_ref();
        match self.verb.as_str() {
            "create" => cluster.create(&self.body, effect).await.map(Some),
            "patch" => match self.subresource.as_deref() {
                None => cluster.patch(&self.target, &self.patch, precondition, effect).await.map(Some),
                Some("status") => cluster.patch_status(&self.target, &self.patch, precondition, effect).await.map(Some),
                Some(other) => Err(ApiError::Invalid {
                    message: format!("this runner knows no subresource `{other}`; is the module a newer one?"),
                }),
            },
            "delete" => cluster.delete(&self.target, precondition, effect).await.map(|()| None),
            verb => Err(ApiError::Invalid {
                message: format!("this runner knows no verb `{verb}`; is the module a newer one?"),
            }),
        }
    }
}
