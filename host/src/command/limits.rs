//! The flags for limits: on a plan before actions are held, and on one change before it is denied.

use fleetfold_core::Value;

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
    pub fn settings(&self) -> Option<Value> {
        let mut limits = given([self.max_deletes, self.max_delete_percent, self.max_changes]);
        if !self.protected.is_empty() {
            limits.push(("protectedKinds", Value::list(self.protected.iter().map(String::as_str))));
        }
        if self.allow_empty_selection {
            limits.push(("emptySelection", true.into()));
        }
        (!limits.is_empty()).then(|| Value::map(limits))
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
    pub fn limits(&self) -> Option<Value> {
        let limits = given([self.max_deletes, self.max_delete_percent, self.max_changes]);
        (!limits.is_empty()).then(|| Value::map(limits))
    }
}

/// The given numbers, by name.
fn given(numbers: [Option<u32>; 3]) -> Vec<(&'static str, Value)> {
    let names = ["deletes", "deletePercent", "changes"];
    names.into_iter().zip(numbers).filter_map(|(name, number)| Some((name, number?.into()))).collect()
}
