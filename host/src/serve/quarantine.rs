//! Loads a snapshot into its first engine, and plans it once. Documents on which that exceeds a limit are put aside:
//! the snapshot then has the setting `quarantined` and a diagnostic, so every page and every call knows.

use std::collections::BTreeSet;
use std::time::Duration;

use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::plan::PlanRequest;
use fleetfold_core::api::request_text;
use fleetfold_core::diagnostic::read::from_value;

use super::fleet_snapshot::{FleetSnapshot, Published, SettingsFile};
use super::load_guest;
use crate::clock::now;
use crate::engine::Engine;
use crate::guest::{Guest, Limits, Module};
use crate::session::blame::{self, LoadedDocument, Workbench, documents_of};

/// The snapshot as it is served, and an engine with it.
///
/// # Errors
///
/// The snapshot cannot be loaded.
pub fn load(module: &Module, limits: Limits, snapshot: FleetSnapshot) -> Result<(Published, Guest), String> {
    let has_fleet = snapshot.source.is_some();
    let quarantined = quarantined(&snapshot);
    let published = Published::new(snapshot);
    let mut bench = Bench { guest: load_guest(module, limits, &published)?, published: &published };
    let request = request_text(&PlanRequest { now: Some(now().into()), ..PlanRequest::default() });
    if !has_fleet || bench.send(&request, None).is_some() {
        let guest = bench.guest;
        return Ok((published, guest));
    }
    let found = blame::search(&mut bench, &request, &quarantined, &BTreeSet::new());
    let published = match found.blamed.is_empty() {
        true => published,
        false => published.with_quarantined(&quarantined, &found.blamed),
    };
    let guest = load_guest(module, limits, &published)?;
    Ok((published, guest))
}

/// What the settings of a snapshot put aside; those that come later count.
fn quarantined(snapshot: &FleetSnapshot) -> Vec<String> {
    let read = |it: &SettingsFile| from_value::<Configure>(it.configure.clone()).ok()?.quarantined;
    let lists = snapshot.settings.iter().rev().find_map(read);
    lists.into_iter().flatten().map(String::from).collect()
}

struct Bench<'a> {
    guest: Guest,
    published: &'a Published,
}

impl Workbench for Bench<'_> {
    fn send(&mut self, request: &str, deadline: Option<Duration>) -> Option<String> {
        self.guest.set_deadline(deadline);
        let response = Engine::call(&mut self.guest, request.as_bytes());
        self.guest.set_deadline(None);
        (!self.guest.is_fresh()).then_some(response)
    }

    fn restore(&mut self) -> bool {
        !self.guest.is_fresh() || self.published.load(&mut self.guest).is_ok()
    }

    fn deadline(&self) -> Option<Duration> {
        Some(self.guest.deadline())
    }

    fn loaded_documents(&self) -> Vec<LoadedDocument> {
        self.published.loads().iter().flat_map(documents_of).collect()
    }
}
