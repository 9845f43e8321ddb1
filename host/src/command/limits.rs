//! The flags for limits: on a plan before actions are held, and on one change before it is denied.

use std::time::Duration;

use fleetfold::args::duration;
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

    /// Count the deletes of this long as deletes of one plan; `0s` counts each plan by itself
    #[arg(long, value_name = "DURATION", value_parser = window)]
    delete_window: Option<Duration>,

    /// Hold deletes of this kind, beside the kinds that the settings protect; may be given again
    #[arg(long = "protect", value_name = "KIND")]
    protected: Vec<String>,

    /// Let objects of this kind be deleted that the settings protect; may be given again
    #[arg(long = "unprotect", value_name = "KIND")]
    unprotected: Vec<String>,

    /// Let a subject delete everything it had, because it selects no cluster or others than before
    #[arg(long)]
    allow_empty_selection: bool,
}

impl LimitArgs {
    /// The limits as `configure` takes them, if any is given.
    pub fn settings(&self) -> Option<LimitsInput> {
        let LimitArgs {
            max_deletes,
            max_delete_percent,
            max_changes,
            delete_window,
            protected,
            unprotected,
            allow_empty_selection,
        } = self;
        let is_given = [max_deletes, max_delete_percent, max_changes].iter().any(|it| it.is_some())
            || delete_window.is_some()
            || !protected.is_empty()
            || !unprotected.is_empty()
            || *allow_empty_selection;
        let kinds = |given: &[String]| (!given.is_empty()).then(|| given.iter().map(Into::into).collect());
        is_given.then(|| LimitsInput {
            deletes: max_deletes.map(Into::into),
            delete_percent: max_delete_percent.map(Into::into),
            changes: max_changes.map(Into::into),
            window_seconds: delete_window.map(|it| i64::try_from(it.as_secs()).unwrap_or(i64::MAX)),
            protected_kinds: None,
            protect: kinds(protected),
            unprotect: kinds(unprotected),
            empty_selection: allow_empty_selection.then_some(true),
        })
    }
}

/// A duration, or zero for none.
fn window(text: &str) -> Result<Duration, String> {
    if matches!(text, "0" | "0s") { Ok(Duration::ZERO) } else { duration(text) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Flags {
        #[command(flatten)]
        limits: LimitArgs,
    }

    fn settings(flags: &[&str]) -> Option<LimitsInput> {
        Flags::try_parse_from(std::iter::once(&"test").chain(flags)).ok()?.limits.settings()
    }

    #[test]
    fn protect_adds_and_unprotect_removes() {
        let limits =
            settings(&["--protect", "Service", "--protect=ConfigMap", "--unprotect", "Secret"]).expect("limits");
        assert_eq!(limits.protected_kinds, None);
        assert_eq!(limits.protect, Some(vec!["Service".into(), "ConfigMap".into()]));
        assert_eq!(limits.unprotect, Some(vec!["Secret".into()]));
    }

    #[test]
    fn a_window_is_a_duration_or_none() {
        let seconds = |text| settings(&["--delete-window", text]).and_then(|it| it.window_seconds);
        assert_eq!((seconds("90m"), seconds("0s"), seconds("1x")), (Some(5400), Some(0), None));
    }
}
