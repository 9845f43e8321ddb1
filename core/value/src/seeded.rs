//! Seeded bugs: deliberate faults in the engine, for the test that the vectors catch every one of them.
//!
//! 1. Without the feature `seeded-bugs`, `seeded!(Fault, right, wrong)` is `right`: the compiler drops `wrong` unread,
//!    and nothing else of this file is compiled.
//! 2. With the feature it is `wrong` while the fault is active, and `right` otherwise. At most one fault is active.
//! 3. A fault is one small mistake that a person could make, in one place of the source.
//!
//! `host/vectors/tests/seeded_bugs.rs` activates one fault after the other and prints the vectors that fail.

#[cfg(all(feature = "seeded-bugs", any(target_family = "wasm", not(debug_assertions))))]
compile_error!("the feature `seeded-bugs` is for tests: neither a module nor a release has faults in it");

/// The right expression. See `core/value/src/seeded.rs`.
#[cfg(not(feature = "seeded-bugs"))]
#[doc(hidden)]
#[macro_export]
macro_rules! seeded {
    ($fault:ident, $right:expr, $wrong:expr $(,)?) => {
        $right
    };
}

/// The right expression, or the wrong one while the fault is active.
#[cfg(feature = "seeded-bugs")]
#[doc(hidden)]
#[macro_export]
macro_rules! seeded {
    ($fault:ident, $right:expr, $wrong:expr $(,)?) => {
        if $crate::seeded::Fault::$fault.is_active() { $wrong } else { $right }
    };
}

#[cfg(feature = "seeded-bugs")]
pub use active::activate;

#[cfg(feature = "seeded-bugs")]
mod active {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Fault;

    /// The active fault, as its place in [`Fault::ALL`] from 1; 0 for none.
    static ACTIVE: AtomicUsize = AtomicUsize::new(0);

    /// Activates a fault in all threads, or none.
    pub fn activate(fault: Option<Fault>) {
        ACTIVE.store(fault.map_or(0, |it| it as usize + 1), Ordering::SeqCst);
    }

    impl Fault {
        #[doc(hidden)]
        pub fn is_active(self) -> bool {
            ACTIVE.load(Ordering::Relaxed) == self as usize + 1
        }
    }
}

#[cfg(feature = "seeded-bugs")]
macro_rules! faults {
    ($($(#[doc = $text:literal])+ $name:ident,)*) => {
        /// A deliberate fault, described by its comment.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fault {
            $($(#[doc = $text])+ $name,)*
        }

        impl Fault {
            /// Every fault with what it does.
            pub const ALL: &[(Fault, &str)] = &[$((Fault::$name, concat!($($text),+).trim_ascii_start()),)*];
        }
    };
}

#[cfg(feature = "seeded-bugs")]
faults! {
    /// A JSON number beyond 2^53 loses its last digits.
    JsonIntegersAreDoubles,
    /// `~0` and `~1` in a JSON pointer stay as they are written.
    PointerKeepsEscapes,
    /// An element of a list in a request may have unknown fields.
    UnknownFieldIsIgnored,
    /// Of two equal keys in a YAML map the last one counts, also in strict mode.
    YamlTakesDuplicateKeys,
    /// `>=` in CEL is `>`.
    CelGreaterOrEqual,
    /// Answers show the `stringData` of a Secret.
    StringDataIsShown,
    /// `NotIn` refuses a cluster that lacks the label.
    NotInRefusesAbsent,
    /// In a deep merge, null sets null in place of removing the key.
    MergedNullStays,
    /// A `test` in a JSON patch passes whatever the value is.
    PatchTestPasses,
    /// Retention pairs list elements by index instead of by merge key.
    RetentionPairsByIndex,
    /// Verbs that only the live role has are no difference.
    ExtraSetElementsMatch,
    /// The last owner by reference deletes an object that others claim.
    ClaimsDoNotHold,
    /// A workload whose init container uses a renewed Secret does not restart.
    InitContainersAreForgotten,
    /// `kube-api-burst` must be greater than `kube-api-qps`, not only equal.
    EqualRatesAreRefused,
    /// `*` in `resourceNames` grants every name.
    ResourceNameWildcard,
    /// Of equally scored clusters, the last by name is chosen.
    TiesAreReversed,
    /// A complete list with a label selector counts as one without a selector.
    SelectedListIsComplete,
    /// Actions are planned while the objects that they depend on are unknown.
    NeedsDoNotWithhold,
    /// A plan may delete one object more than its budget.
    DeleteBudgetIsOneMore,
    /// A subject may lose all of its objects at once.
    EmptySelectionIsNotHeld,
    /// The digest of a plan does not cover the clusters of its actions.
    DigestWithoutCluster,
    /// A finalizer goes while other steps of its subject are held.
    FinalizerDoesNotWait,
    /// `whatIf` does not restore the observed objects of a cluster.
    WhatIfLeavesObserved,
    /// New labels of a cluster do not invalidate the results for it.
    ClusterLabelsAreCached,
    /// Results that depend on the time stay those of the previous request.
    TimeIsCached,
    /// Admission denies a change that deletes exactly as much as the limit allows.
    AdmissionLimitIsExclusive,
    /// An error message shows the value of a loaded Secret.
    ErrorsShowSecrets,
    /// In Greenhouse, the first layer above the override of a cluster comes below it.
    ClusterOverrideIsOneTooHigh,
    /// In Open Cluster Management, a binding counts that has another name than its cluster set.
    BindingMayHaveAnyName,
    /// In KubeFed, an empty list of clusters leaves the choice to the selector.
    EmptyClusterListIsNone,
    /// KUDO releases an object before what takes its place is there.
    ReleaseDoesNotWait,
    /// cert-manager may be installed two minor versions below the latest one.
    VersionWindowIsWider,
}
