//! The metrics of the runner and of the webhook.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::cluster::ApiError;

type Labels = Vec<(&'static str, String)>;

/// From a millisecond to ten seconds.
const SECONDS: [f64; 9] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    actions: Family<Labels, Counter>,
    api_errors: Family<Labels, Counter>,
    plan_seconds: Histogram,
    in_flight: Gauge<i64, AtomicI64>,
    planned: Gauge<i64, AtomicI64>,
    held: Gauge<i64, AtomicI64>,
    unreachable: Gauge<i64, AtomicI64>,
    quarantined: Gauge<i64, AtomicI64>,
    shadow: Gauge<i64, AtomicI64>,
    shadow_plans: Counter<u64, AtomicU64>,
    is_leader: Gauge<i64, AtomicI64>,
    reviews: Family<Labels, Counter>,
    resyncs: Counter<u64, AtomicU64>,
    /// Without a sample where no certificate is served.
    certificate: Family<Labels, Gauge<i64, AtomicI64>>,
    is_ready: AtomicBool,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("fleetfold"),
            actions: Family::default(),
            api_errors: Family::default(),
            plan_seconds: Histogram::new(SECONDS),
            in_flight: Gauge::default(),
            planned: Gauge::default(),
            held: Gauge::default(),
            unreachable: Gauge::default(),
            quarantined: Gauge::default(),
            shadow: Gauge::default(),
            shadow_plans: Counter::default(),
            is_leader: Gauge::default(),
            reviews: Family::default(),
            resyncs: Counter::default(),
            certificate: Family::default(),
            is_ready: AtomicBool::new(false),
        };
        let registry = &mut metrics.registry;
        registry.register("actions", "Actions and status updates that were applied", metrics.actions.clone());
        registry.register("faults", "Errors, by step and code", metrics.api_errors.clone());
        registry.register("plan_seconds", "Duration of plans", metrics.plan_seconds.clone());
        registry.register("actions_in_flight", "Actions in flight", metrics.in_flight.clone());
        registry.register("plan_actions", "Actions of the latest plan", metrics.planned.clone());
        registry.register("plan_held", "Held actions of the latest plan", metrics.held.clone());
        registry.register("clusters_unreachable", "Unreachable members", metrics.unreachable.clone());
        let quarantined = metrics.quarantined.clone();
        registry.register("documents_quarantined", "Documents on which the engine exceeds a limit", quarantined);
        registry.register(
            "shadow_differences",
            "Differences between the plans of the shadow engine and of the engine",
            metrics.shadow.clone(),
        );
        let plans = metrics.shadow_plans.clone();
        registry.register("shadow_differing_plans", "Plans that differ in the shadow engine", plans);
        registry.register("leads", "Whether this runner writes", metrics.is_leader.clone());
        registry.register("admission_reviews", "Admission reviews", metrics.reviews.clone());
        registry.register("resyncs", "Resyncs of all objects", metrics.resyncs.clone());
        let certificate = metrics.certificate.clone();
        registry.register(
            "certificate_expiry_timestamp_seconds",
            "When the webhook's certificate expires",
            certificate,
        );
        metrics
    }
}

impl Metrics {
    pub fn planned(&self, took: Duration) {
        self.plan_seconds.observe(took.as_secs_f64());
    }

    pub fn plan_counts(&self, actions: usize, held: usize) {
        set(&self.planned, actions);
        set(&self.held, held);
    }

    pub fn in_flight(&self, count: usize) {
        set(&self.in_flight, count);
    }

    pub fn unreachable(&self, count: usize) {
        set(&self.unreachable, count);
    }

    pub fn quarantined(&self, count: usize) {
        set(&self.quarantined, count);
    }

    pub fn shadow_differs(&self, count: usize) {
        set(&self.shadow, count);
        self.shadow_plans.inc_by(u64::from(count > 0));
    }

    pub fn set_leader(&self, is_leader: bool) {
        set(&self.is_leader, usize::from(is_leader));
    }

    /// Counts an action by hub or member: a label with the name of each cluster would create too many series.
    pub fn acted(&self, cluster: &str) {
        let place = if cluster.is_empty() { "hub" } else { "member" };
        self.actions.get_or_create(&vec![("place", place.to_owned())]).inc();
    }

    pub fn api_error(&self, step: &str, error: &ApiError) {
        self.api_errors.get_or_create(&vec![("step", step.to_owned()), ("code", error.code().to_owned())]).inc();
    }

    pub fn reviewed(&self, allowed: bool) {
        let verdict = if allowed { "allowed" } else { "denied" };
        self.reviews.get_or_create(&vec![("verdict", verdict.to_owned())]).inc();
    }

    pub fn resynced(&self) {
        self.resyncs.inc();
    }

    /// Sets when the served certificate expires, in seconds since 1970.
    pub fn certificate_expires(&self, seconds: i64) {
        self.certificate.get_or_create(&Vec::new()).set(seconds);
    }

    /// Sets readiness: everything was read once.
    pub fn ready(&self, is_ready: bool) {
        self.is_ready.store(is_ready, Ordering::Relaxed);
    }

    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Relaxed)
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut out, &self.registry);
        out
    }
}

fn set(gauge: &Gauge<i64, AtomicI64>, count: usize) {
    gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
}
