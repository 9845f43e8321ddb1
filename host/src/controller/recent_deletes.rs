//! What was deleted recently. It is kept in the status of the FleetPlan, so that the limits on deletes also hold over
//! restarts, changes of the leader, and runs of `fleetfold apply`.
//!
//! 1. A delete is recorded when the API server confirms it, with the count that the engine gave its action.
//! 2. Deletes within a minute are one entry, with the time of the last of them, so that none is forgotten too early.
//! 3. Entries that are older than the window are removed. Of more than [`MOST`] the oldest are merged.

use std::time::Duration;

use fleetfold_core::Value;
use fleetfold_core::api::plan::{Precondition, RecentDeleteInput, TakesAnswer};
use fleetfold_core::object::Timestamp;
use fleetfold_crds::{FleetPlanStatus, RecentDeletes};

use super::fleet_plan::status::{fleet_plan_target, new_fleet_plan, read_status};
use crate::clock::now;
use crate::cluster::{ApiError, Cluster, Effect, UnknownFields};
use crate::meta::Meta;

/// The FleetPlan to which `apply` writes, unless there are only others.
const DEFAULT_NAME: &str = "fleetfold";

/// How often a write is repeated while others write the same FleetPlan.
const MOST_TRIES: u32 = 10;

const MOST: usize = 100;
const SECONDS_A_MINUTE: i64 = 60;

/// Adds what an action took to a list in the order of time.
pub fn record(list: &mut Vec<RecentDeletes>, took: &TakesAnswer, time: &str) {
    list.push(RecentDeletes { time: time.to_owned(), objects: took.objects, clusters: took.clusters });
}

/// The entries within the window, few of them.
pub fn pruned(list: &[RecentDeletes], window_seconds: i64, now: &str) -> Vec<RecentDeletes> {
    let now = seconds(now);
    let is_within = |it: &&RecentDeletes| match (seconds(&it.time), now) {
        (Some(at), Some(now)) => now.saturating_sub(at) < window_seconds,
        // A time that cannot be read must not free the budget.
        _ => window_seconds > 0,
    };
    let mut kept: Vec<RecentDeletes> = Vec::new();
    for entry in list.iter().filter(is_within) {
        match kept.last_mut().filter(|it| is_same_minute(&it.time, &entry.time)) {
            Some(last) => merge(last, entry),
            None => kept.push(entry.clone()),
        }
    }
    let surplus = kept.len().saturating_sub(MOST);
    let rest = kept.split_off(surplus);
    let oldest = kept.into_iter().reduce(|mut all, it| {
        merge(&mut all, &it);
        all
    });
    let mut rest = rest.into_iter();
    let first = match (oldest, rest.next()) {
        (Some(mut oldest), Some(first)) => {
            merge(&mut oldest, &first);
            Some(oldest)
        }
        (oldest, first) => oldest.or(first),
    };
    first.into_iter().chain(rest).collect()
}

/// The list as `plan` takes it.
pub fn to_input(list: &[RecentDeletes]) -> Vec<RecentDeleteInput> {
    let input = |it: &RecentDeletes| RecentDeleteInput {
        // The engine refuses a time that it cannot read, and counts an entry without one.
        at: seconds(&it.time).map(|_| it.time.as_str().into()),
        objects: Some(it.objects.max(0)),
        clusters: Some(it.clusters.max(0)),
    };
    list.iter().map(input).collect()
}

/// What the runners of a hub deleted recently, by their FleetPlans; nothing where the hub does not have the kind.
///
/// # Errors
///
/// The FleetPlans cannot be read, although the hub has the kind.
pub async fn of_hub(hub: &Cluster) -> Result<Vec<RecentDeleteInput>, ApiError> {
    match hub.list(&fleet_plan_target(""), "").await {
        Ok(listed) => {
            let entries = |it: &Value| of_status(&read_status(it)).to_vec();
            Ok(to_input(&listed.objects.iter().flat_map(entries).collect::<Vec<_>>()))
        }
        Err(ApiError::NotServed { .. } | ApiError::NotFound { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Adds what was deleted without a runner to a FleetPlan of the hub: to `fleetfold`, else to the first one, else to a
/// new one.
///
/// # Errors
///
/// The hub does not have the kind, or the FleetPlan cannot be written.
pub async fn save(hub: &Cluster, took: &[RecentDeletes], window_seconds: i64) -> Result<(), ApiError> {
    for round in 1.. {
        match save_once(hub, took, window_seconds).await {
            Err(ApiError::Conflict { .. }) if round < MOST_TRIES => {
                tokio::time::sleep(Duration::from_millis(20) * round).await;
            }
            result => return result,
        }
    }
    Ok(())
}

async fn save_once(hub: &Cluster, took: &[RecentDeletes], window_seconds: i64) -> Result<(), ApiError> {
    let listed = hub.list(&fleet_plan_target(""), "").await?.objects;
    let live = match chosen(&listed) {
        Some(live) => live.clone(),
        None => hub.create(&new_fleet_plan(DEFAULT_NAME), Effect::Real).await?,
    };
    let meta = Meta::of(&live);
    let before = read_status(&live);
    let all: Vec<RecentDeletes> = of_status(&before).iter().chain(took).cloned().collect();
    let status = with_recent_deletes(&live, &pruned(&all, window_seconds, &now()));
    let precondition =
        Precondition { uid: Some(meta.uid().into()), resource_version: Some(meta.resource_version().into()) };
    let target = fleet_plan_target(meta.name());
    hub.put_status(&target, &status, UnknownFields::Dropped, Some(&precondition)).await.map(drop)
}

fn chosen(listed: &[Value]) -> Option<&Value> {
    listed.iter().find(|it| Meta::of(it).name() == DEFAULT_NAME).or_else(|| listed.first())
}

/// The status of a FleetPlan with this list. Its other fields stay as they are.
pub fn with_recent_deletes(live: &Value, list: &[RecentDeletes]) -> Value {
    let mut status = match Meta::of(live).status() {
        Some(status) if status.as_map().is_some() => status.clone(),
        _ => Value::map([] as [(&str, Value); 0]),
    };
    let written = serde_json::to_value(list).and_then(serde_json::from_value::<Value>).expect("a list is JSON");
    if let Some(map) = status.as_map_mut() {
        map.insert("recentDeletes", written);
    }
    status
}

pub fn of_status(status: &FleetPlanStatus) -> &[RecentDeletes] {
    status.recent_deletes.as_deref().unwrap_or_default()
}

fn merge(into: &mut RecentDeletes, entry: &RecentDeletes) {
    into.objects = into.objects.saturating_add(entry.objects);
    into.clusters = into.clusters.saturating_add(entry.clusters);
    into.time.clone_from(&entry.time);
}

fn is_same_minute(one: &str, other: &str) -> bool {
    let minute = |it: &str| seconds(it).map(|it| it.div_euclid(SECONDS_A_MINUTE));
    minute(one).is_some() && minute(one) == minute(other)
}

fn seconds(time: &str) -> Option<i64> {
    Timestamp::parse(time).ok().map(|it| it.seconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(time: &str, objects: i64) -> RecentDeletes {
        RecentDeletes { time: format!("2026-01-01T{time}Z"), objects, clusters: 0 }
    }

    fn parse(text: &str) -> Value {
        fleetfold_core::value::json::parse(text).unwrap()
    }

    #[test]
    fn the_rest_of_a_status_stays_beside_the_list() {
        let live = parse(
            r#"{"status":{"digest":"d","new":{"field":1},"recentDeletes":[{"time":"2026-01-01T10:00:00Z","objects":1,"clusters":0}]}}"#,
        );
        let list = [RecentDeletes { clusters: 3, ..entry("10:29:30", 2) }];
        let want = r#"{"digest":"d","new":{"field":1},"recentDeletes":[{"clusters":3,"objects":2,"time":"2026-01-01T10:29:30Z"}]}"#;
        assert_eq!(with_recent_deletes(&live, &list), parse(want));
        for none in ["{}", r#"{"status":null}"#] {
            assert_eq!(
                of_status(&read_status(&Value::map([("status", with_recent_deletes(&parse(none), &list))]))),
                list
            );
        }
    }

    #[test]
    fn deletes_without_a_runner_go_to_the_default_fleet_plan_or_the_first() {
        let named = |names: &[&str]| -> Vec<Value> { names.iter().map(|it| new_fleet_plan(it)).collect() };
        let name = |names: &[&str]| chosen(&named(names)).map(|it| Meta::of(it).name().to_owned());
        assert_eq!(name(&["eu", "fleetfold", "us"]).as_deref(), Some("fleetfold"));
        assert_eq!(name(&["eu", "us"]).as_deref(), Some("eu"));
        assert_eq!(name(&[]), None);
    }

    #[test]
    fn entries_of_a_minute_are_one_with_the_later_time() {
        let list = [entry("10:00:01", 1), entry("10:00:59", 2), entry("10:01:00", 3)];
        let want = [entry("10:00:59", 3), entry("10:01:00", 3)];
        assert_eq!(pruned(&list, 3600, "2026-01-01T10:30:00Z"), want);
    }

    #[test]
    fn what_is_older_than_the_window_is_forgotten() {
        let list = [entry("09:00:00", 1), entry("09:30:01", 2)];
        assert_eq!(pruned(&list, 3600, "2026-01-01T10:30:00Z"), [entry("09:30:01", 2)]);
        assert_eq!(pruned(&list, 0, "2026-01-01T10:30:00Z"), []);
    }

    #[test]
    fn an_unreadable_time_counts() {
        let list = [RecentDeletes { time: "yesterday".into(), objects: 2, clusters: 1 }];
        assert_eq!(pruned(&list, 3600, "2026-01-01T10:30:00Z"), list);
        let input = to_input(&list);
        assert_eq!(input.iter().map(|it| (it.at.is_none(), it.objects)).collect::<Vec<_>>(), [(true, Some(2))]);
    }

    #[test]
    fn many_entries_are_merged_and_none_is_lost() {
        let list: Vec<RecentDeletes> =
            (0..250).map(|it| entry(&format!("{:02}:{:02}:00", it / 60, it % 60), 1)).collect();
        let kept = pruned(&list, 24 * 3600, "2026-01-01T10:30:00Z");
        assert_eq!(kept.len(), MOST);
        assert_eq!(kept.iter().map(|it| it.objects).sum::<i64>(), 250);
    }
}
