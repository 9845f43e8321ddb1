//! What the runner deleted recently. It is kept in the status of the FleetPlan, so that the limits on deletes also hold
//! over restarts and changes of the leader.
//!
//! 1. A delete is recorded when the API server confirms it, with the count that the engine gave its action.
//! 2. Deletes within a minute are one entry, with the time of the last of them, so that none is forgotten too early.
//! 3. Entries that are older than the window are removed. Of more than [`MOST`] the oldest are merged.

use fleetfold_core::Value;
use fleetfold_core::api::plan::{RecentDeleteInput, TakesAnswer};
use fleetfold_core::object::Timestamp;
use fleetfold_crds::{FleetPlanStatus, RecentDeletes};

use super::fleet_plan::{FLEET_PLAN_API_VERSION, FLEET_PLAN_KIND, read_status};
use crate::cluster::{ApiError, Cluster};
use crate::target::Target;

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
    let all = Target {
        api_version: FLEET_PLAN_API_VERSION.into(),
        kind: FLEET_PLAN_KIND.into(),
        namespace: String::new(),
        name: String::new(),
    };
    match hub.list(&all, "").await {
        Ok(listed) => {
            let entries = |it: &Value| of_status(&read_status(it)).to_vec();
            Ok(to_input(&listed.objects.iter().flat_map(entries).collect::<Vec<_>>()))
        }
        Err(ApiError::NotServed { .. } | ApiError::NotFound { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
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
