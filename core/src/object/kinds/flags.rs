//! The flags that each cert-manager component takes, by version.
//!
//! Read from the Go sources of v1.1.0, v1.2.0, v1.3.0, v1.3.1, v1.4.0, v1.5.0, v1.6.0 and v1.7.0 (the option structs of
//! the three commands, klog, feature gates, and what controller-runtime adds to the cainjector). The rows of v1.2 and
//! v1.3 were also tested with the programs built from v1.2.0 and v1.3.0. Patch releases that were read (v1.1.1, v1.3.1,
//! v1.4.4, v1.5.3) have the flags of their minor. Two boundaries are not history: `since` 1 means v1.1 or earlier, and
//! no `last` means that v1.7 still has it.
//!
//! Only the versions in [`SUPPORTED`] can be requested; the other rows are for "known since" and "removed in". `--help`
//! has no row: a component with it prints its help and exits.

use Component::{Cainjector, Controller, Webhook};
use FlagType::{
    Addresses, Bool, Duration, Gates, Int, Level, Location, Modules, Names, OneOf, PositiveFloat, PositiveInt,
    Severity, Text, Texts, Uint,
};

/// The minors of v1 that have a mold, latest first: the latest and the one before.
pub const SUPPORTED: &[u32] = &[3, 2];

/// A program of the product, with flags of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    Controller,
    Webhook,
    Cainjector,
}

impl Component {
    pub const ALL: &[Component] = &[Controller, Webhook, Cainjector];

    pub fn name(self) -> &'static str {
        match self {
            Controller => "controller",
            Webhook => "webhook",
            Cainjector => "cainjector",
        }
    }
}

/// What a flag takes, as narrow as the component itself is when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagType {
    Bool,
    /// 64 bits; `0x`, `0o`, `0b` and `0` prefixes count, as in Go.
    Int,
    /// An [`Int`] above zero.
    PositiveInt,
    /// An [`Int`] that has no sign.
    Uint,
    /// 32 bits, decimal, above zero.
    PositiveFloat,
    /// A Go duration: `1h30m`, `1.5s`, `0`.
    Duration,
    Text,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Comma-separated texts; repeating the flag adds to them.
    Texts,
    /// [`Texts`] that are each `host:port`.
    Addresses,
    /// [`Texts`] that are each `*` or one of these names, or one of them after a `-`.
    Names(&'static [&'static str]),
    /// Comma-separated `name=bool` with these names; repeating the flag adds to them.
    Gates(&'static [&'static str]),
    /// klog's verbosity: 32 bits, decimal.
    Level,
    /// klog's severity: its name in any case, or its number.
    Severity,
    /// klog's comma-separated `pattern=level`; repeating the flag replaces them.
    Modules,
    /// klog's `file.go:line`, or nothing.
    Location,
}

impl FlagType {
    /// Whether giving the flag again adds to what it was given before.
    pub fn repeatable(self) -> bool {
        matches!(self, Texts | Addresses | Names(_) | Gates(_))
    }
}

/// One row: a flag of `of` with one meaning over the minors `since..=last`.
#[derive(Debug)]
pub struct Flag {
    pub of: &'static [Component],
    pub name: &'static str,
    pub takes: FlagType,
    pub since: u32,
    pub last: Option<u32>,
    /// The replacement, if the component reports the flag as deprecated.
    pub instead: Option<&'static str>,
}

impl Flag {
    pub fn in_minor(&self, minor: u32) -> bool {
        self.since <= minor && self.last.is_none_or(|last| minor <= last)
    }

    const fn instead(mut self, other: &'static str) -> Flag {
        self.instead = Some(other);
        self
    }
}

const fn row(of: &'static [Component], name: &'static str, takes: FlagType, since: u32, last: Option<u32>) -> Flag {
    Flag { of, name, takes, since, last, instead: None }
}

const C: &[Component] = &[Controller];
const W: &[Component] = &[Webhook];
const I: &[Component] = &[Cainjector];
const CI: &[Component] = &[Controller, Cainjector];
const WI: &[Component] = &[Webhook, Cainjector];
const ALL: &[Component] = Component::ALL;

/// Every flag, by name.
#[rustfmt::skip]
pub const FLAGS: &[Flag] = &[
    //  of   name                                          takes              since last
    row(C,   "acme-http01-solver-image",                   Text,                  1, None),
    row(C,   "acme-http01-solver-nameservers",             Addresses,             7, None),
    row(C,   "acme-http01-solver-resource-limits-cpu",     Text,                  1, None),
    row(C,   "acme-http01-solver-resource-limits-memory",  Text,                  1, None),
    row(C,   "acme-http01-solver-resource-request-cpu",    Text,                  1, None),
    row(C,   "acme-http01-solver-resource-request-memory", Text,                  1, None),
    row(ALL, "add_dir_header",                             Bool,                  1, None),
    row(ALL, "alsologtostderr",                            Bool,                  1, None),
    row(W,   "api-server-host",                            Text,                  3, None),
    row(C,   "auto-certificate-annotations",               Texts,                 1, None),
    row(C,   "cluster-issuer-ambient-credentials",         Bool,                  1, None),
    row(C,   "cluster-resource-namespace",                 Text,                  1, None),
    row(W,   "config",                                     Text,                  7, None),
    // v1.2 takes any name here, and leaves out what it does not know without a word.
    row(C,   "controllers",                                Texts,                 1, Some(2)),
    row(C,   "controllers",                                Names(CONTROLLERS),    3, None),
    row(C,   "copied-annotation-prefixes",                 Texts,                 5, None),
    row(C,   "default-issuer-group",                       Text,                  1, None),
    row(C,   "default-issuer-kind",                        OneOf(ISSUER_KINDS),   1, None),
    row(C,   "default-issuer-name",                        Text,                  1, None),
    row(C,   "dns01-check-retry-period",                   Duration,              1, None),
    row(C,   "dns01-recursive-nameservers",                Addresses,             1, None),
    row(C,   "dns01-recursive-nameservers-only",           Bool,                  1, None),
    row(C,   "dns01-self-check-nameservers",               Addresses,             1, Some(6))
        .instead("the flag `dns01-recursive-nameservers`"),
    row(W,   "dynamic-serving-ca-secret-name",             Text,                  1, None),
    row(W,   "dynamic-serving-ca-secret-namespace",        Text,                  1, None),
    row(W,   "dynamic-serving-dns-names",                  Texts,                 1, None),
    row(C,   "enable-certificate-owner-ref",               Bool,                  1, None),
    row(C,   "enable-profiling",                           Bool,                  2, None),
    row(WI,  "enable-profiling",                           Bool,                  7, None),
    row(C,   "feature-gates",                              Gates(FEATURE_GATES),  1, None),
    row(W,   "feature-gates",                              Gates(FEATURE_GATES),  7, None),
    row(W,   "healthz-port",                               Int,                   1, None),
    row(C,   "issuer-ambient-credentials",                 Bool,                  1, None),
    row(C,   "kube-api-burst",                             PositiveInt,           1, None),
    row(C,   "kube-api-qps",                               PositiveFloat,         1, None),
    row(ALL, "kubeconfig",                                 Text,                  1, None),
    row(CI,  "leader-elect",                               Bool,                  1, None),
    row(C,   "leader-election-lease-duration",             Duration,              1, None),
    row(I,   "leader-election-lease-duration",             Duration,              2, None),
    row(CI,  "leader-election-namespace",                  Text,                  1, None),
    row(C,   "leader-election-renew-deadline",             Duration,              1, None),
    row(I,   "leader-election-renew-deadline",             Duration,              2, None),
    row(C,   "leader-election-retry-period",               Duration,              1, None),
    row(I,   "leader-election-retry-period",               Duration,              2, None),
    row(ALL, "log-flush-frequency",                        Duration,              1, None),
    row(ALL, "log_backtrace_at",                           Location,              1, None),
    row(ALL, "log_dir",                                    Text,                  1, None),
    row(ALL, "log_file",                                   Text,                  1, None),
    row(ALL, "log_file_max_size",                          Uint,                  1, None),
    row(ALL, "logtostderr",                                Bool,                  1, None),
    row(C,   "master",                                     Text,                  1, None),
    row(I,   "master",                                     Text,                  1, Some(3))
        .instead("the flag `kubeconfig`"),
    row(C,   "max-concurrent-challenges",                  Int,                   1, None),
    row(C,   "metrics-listen-address",                     Text,                  1, None),
    row(CI,  "namespace",                                  Text,                  1, None),
    row(ALL, "one_output",                                 Bool,                  4, None),
    row(ALL, "profiler-address",                           Text,                  7, None),
    row(C,   "renew-before-expiry-duration",               Duration,              1, Some(1)),
    row(C,   "renew-before-expiry-duration",               Duration,              2, Some(2))
        .instead("`spec.renewBefore` of each Certificate"),
    row(W,   "secure-port",                                Int,                   1, None),
    row(ALL, "skip_headers",                               Bool,                  1, None),
    row(ALL, "skip_log_headers",                           Bool,                  1, None),
    row(ALL, "stderrthreshold",                            Severity,              1, None),
    row(W,   "tls-cert-file",                              Text,                  1, None),
    row(W,   "tls-cipher-suites",                          Texts,                 1, None),
    row(W,   "tls-min-version",                            Text,                  1, None),
    row(W,   "tls-private-key-file",                       Text,                  1, None),
    row(ALL, "v",                                          Level,                 1, None),
    row(ALL, "vmodule",                                    Modules,               1, None),
];

const ISSUER_KINDS: &[&str] = &["ClusterIssuer", "Issuer"];

/// As of v1.3; later gates are not listed, because their versions are not supported.
const FEATURE_GATES: &[&str] = &["AllAlpha", "AllBeta", "ValidateCAA"];

/// The controllers inside the controller, as of v1.3.
const CONTROLLERS: &[&str] = &[
    "certificaterequests-approver",
    "certificaterequests-issuer-acme",
    "certificaterequests-issuer-ca",
    "certificaterequests-issuer-selfsigned",
    "certificaterequests-issuer-vault",
    "certificaterequests-issuer-venafi",
    "certificates-issuing",
    "certificates-key-manager",
    "certificates-metrics",
    "certificates-readiness",
    "certificates-request-manager",
    "certificates-revision-manager",
    "certificates-trigger",
    "challenges",
    "clusterissuers",
    "ingress-shim",
    "issuers",
    "orders",
];

/// The defaults of the controller, which compares the two when it starts.
pub const DEFAULT_BURST: i64 = 50;
pub const DEFAULT_QPS: f32 = 20.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_by_name() {
        assert!(FLAGS.is_sorted_by_key(|flag| flag.name));
    }

    #[test]
    fn no_two_rows_speak_of_one_flag_in_one_version() {
        for (at, flag) in FLAGS.iter().enumerate() {
            assert!(flag.last.is_none_or(|last| flag.since <= last), "{flag:?}");
            for other in FLAGS.iter().skip(at + 1).filter(|it| it.name == flag.name) {
                let shared = other.of.iter().any(|component| flag.of.contains(component));
                let overlap = (1..=9).any(|minor| flag.in_minor(minor) && other.in_minor(minor));
                assert!(!(shared && overlap), "{flag:?} and {other:?}");
            }
        }
    }
}
