//! The time that answers are for.

use fleetfold::clock;
use fleetfold_core::value::Text;

/// What depends on the time, such as a toleration that ends, is as of then.
#[derive(Debug, clap::Args)]
pub struct TimeArgs {
    /// The time to answer for, in RFC 3339; default: now
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

impl TimeArgs {
    /// As requests take it.
    pub fn now(&self) -> Option<Text> {
        Some(self.now.clone().unwrap_or_else(clock::now).into())
    }
}
