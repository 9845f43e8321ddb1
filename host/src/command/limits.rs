//! The flags for limits: on a plan before actions are held, and on one change before it is denied.

use fleetfold_core::api::admit::AdmitLimits;
use fleetfold_core::api::configure::LimitsInput;

/// The limits of a plan. The settings apply to those that are not given.
#[derive(Debug, Clone, clap::Args)]
pub struct LimitArgs {
    /// Hold deletes when there are more than this many
    #[arg(long, value_name = "N")]
    max_deletes: Option<u32>,

    /// Hold deletes when they are more than this part of what is managed
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    max_delete_percent: Option<u32>,

    /// Hold changes when there are more than this many
    #[arg(long, value_name = "N")]
    max_changes: Option<u32>,

    /// Hold deletes of this kind, in place of the kinds that the settings protect; may be given again
    #[arg(long = "protect", value_name = "KIND")]
    protected: Vec<String>,

    /// Let a selection that has become empty delete everything it had
    #[arg(long)]
    allow_empty_selection: bool,
}

impl LimitArgs {
    /// The limits as `configure` takes them, if any is given.
    pub fn settings(&self) -> Option<LimitsInput> {
        let LimitArgs { max_deletes, max_delete_percent, max_changes, protected, allow_empty_selection } = self;
        let is_given = [max_deletes, max_delete_percent, max_changes].iter().any(|it| it.is_some())
            || !protected.is_empty()
            || *allow_empty_selection;
        is_given.then(|| LimitsInput {
            deletes: max_deletes.map(Into::into),
            delete_percent: max_delete_percent.map(Into::into),
            changes: max_changes.map(Into::into),
            protected_kinds: (!protected.is_empty()).then(|| protected.iter().map(Into::into).collect()),
            empty_selection: allow_empty_selection.then_some(true),
        })
    }
}

/// The limits of one change. Those that are not given do not apply.
#[derive(Debug, Clone, clap::Args)]
pub struct ChangeLimitArgs {
    /// Deny a change that takes more than this many objects from clusters
    #[arg(long, value_name = "N")]
    max_deletes: Option<u32>,

    /// Deny a change that takes more than this part of all that clusters get
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    max_delete_percent: Option<u32>,

    /// Deny a change that changes or adds more than this many objects in clusters
    #[arg(long, value_name = "N")]
    max_changes: Option<u32>,
}

impl ChangeLimitArgs {
    /// The limits as `admit` takes them, if any is given.
    pub fn limits(&self) -> Option<AdmitLimits> {
        let ChangeLimitArgs { max_deletes, max_delete_percent, max_changes } = self;
        let is_given = [max_deletes, max_delete_percent, max_changes].iter().any(|it| it.is_some());
        is_given.then(|| AdmitLimits {
            deletes: max_deletes.map(Into::into),
            delete_percent: max_delete_percent.map(Into::into),
            changes: max_changes.map(Into::into),
        })
    }
}
