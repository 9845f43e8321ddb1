//! Which values of a live object are carried over into the desired one: three tables, one row per rule.
//!
//! [`STRICT`] is Fleetfold's own table. [`KUBEFED`] and [`KARMADA`] reproduce their upstream; surprising behaviour is a
//! named [`Quirk`] of its row. Where an upstream crashes, the result is an error.
//!
//! Two things of Karmada are left out. Its rules for Pods and owner references go through Go's types, so its result
//! also gains empty fields and loses unknown ones; ours changes the retained fields only. And the kinds that it treats
//! by bundled Lua scripts have no rows: a script is not a table.

use super::lists::Key;
use crate::object::identity::group_of;

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub name: &'static str,
    pub kinds: Kinds,
    /// Where, as a retention path.
    pub path: &'static str,
    pub mode: Keep,
    /// Whether layers come before the rule or after it.
    pub phase: Phase,
    /// What the live value must be.
    pub wanted: Wanted,
    /// All of these must hold.
    pub when: &'static [When],
    pub pairs: Pairs,
    pub quirks: &'static [Quirk],
    /// Why the value belongs to the cluster.
    pub note: &'static str,
}

/// A table of rules.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Whose rules these are, for messages.
    pub upstream: &'static str,
    pub rows: &'static [Rule],
    /// Whether a value of the wrong type blocks the update, as in KubeFed and Karmada, or is skipped with a warning.
    pub refuses: bool,
}

/// When the live value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The live value always wins.
    Always,
    /// The live value wins if the template has none.
    Conditional,
    /// Entries that the template does not have are added to its own.
    Union,
}

impl Keep {
    pub fn as_str(self) -> &'static str {
        match self {
            Keep::Always => "always",
            Keep::Conditional => "conditional",
            Keep::Union => "union",
        }
    }
}

/// Before the layers, so that an override may still change the value, or after them, so that it may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Before,
    After,
}

/// The kinds that a rule is for.
#[derive(Clone, Copy, Debug)]
pub enum Kinds {
    Every,
    /// Of this API group, in any version.
    InGroup(&'static str, &'static str),
    /// Of exactly this `apiVersion`.
    InVersion(&'static str, &'static str),
    /// Of any API group: only the name of the kind is compared.
    Named(&'static str),
    /// All kinds but those of these names.
    NotNamed(&'static [&'static str]),
}

impl Kinds {
    /// Whether the rule covers this kind.
    pub fn contains(self, api_version: &str, kind: &str) -> bool {
        match self {
            Kinds::Every => true,
            Kinds::InGroup(group, name) => name == kind && group == group_of(api_version),
            Kinds::InVersion(version, name) => name == kind && version == api_version,
            Kinds::Named(name) => name == kind,
            Kinds::NotNamed(names) => !names.contains(&kind),
        }
    }
}

/// What a live value must be to be carried over. Of these, `Text`, `PositiveInt`, `SomeTexts` and `SomeList` take an
/// empty or zero value as none.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    Any,
    Text,
    Int,
    PositiveInt,
    Texts,
    SomeTexts,
    List,
    SomeList,
    /// A list of maps, each with a text under `name`.
    NamedList,
    Map,
    TextMap,
}

/// What else must hold for a rule to apply.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// The request enables it.
    RetainReplicas,
    /// The desired object has this key at its root.
    DesiredHas(&'static str),
    /// The desired object has something at this path.
    DesiredAt(&'static [&'static str]),
    /// The desired object, with the rules above applied, has this label.
    Label(&'static str, &'static str),
    /// The desired object is a Secret of this type. With `or_live`, a template without a type takes the live type.
    SecretType { is: &'static str, or_live: bool },
    /// Both objects have the same value there, or none, with the rules above applied.
    Agree(&'static [&'static str]),
}

/// How the elements of lists on the path are paired.
#[derive(Clone, Copy, Debug)]
pub enum Pairs {
    /// As the list is kept: by its keys, by name, by place.
    ByKind,
    /// By the first of these groups of keys, then the rest by the next.
    ByKeys(&'static [&'static [Key]]),
    /// By values compared without defaults; the last of several partners wins.
    ByRaw(&'static [&'static str]),
}

/// Upstream behaviour beyond the mode of a rule. Strict mode uses only [`EmptyIsUnset`](Quirk::EmptyIsUnset).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quirk {
    /// An empty or zero desired value counts as unset: a server fills the field in.
    EmptyIsUnset,
    /// A live object without the field takes it away from the desired one.
    AbsentRemoves,
    /// A live object without the field blocks the update.
    AbsentIsError,
    /// A value of the wrong type counts as none.
    WrongIsAbsent,
    /// A desired value of the wrong type, null included, blocks the update.
    DesiredMustFit,
    /// A desired object without the list gets an empty one.
    WritesEmptyList,
    /// Where both sides have no entries, the field becomes null.
    WritesNull,
    /// Live keys that this live annotation lists were sent from above, so they are dropped with the template's.
    Tracked(&'static str),
}

impl Quirk {
    /// Whether a live object without the value matters.
    pub fn minds_absence(self) -> bool {
        matches!(self, AbsentRemoves | AbsentIsError | DesiredMustFit | WritesNull)
    }
}

const fn rule(name: &'static str, kinds: Kinds, path: &'static str, mode: Keep, wanted: Wanted) -> Rule {
    let phase = Phase::Before;
    Rule { name, kinds, path, mode, phase, wanted, when: &[], pairs: Pairs::ByKind, quirks: &[], note: "" }
}

impl Rule {
    const fn after(self) -> Rule {
        Rule { phase: Phase::After, ..self }
    }

    const fn when(self, when: &'static [When]) -> Rule {
        Rule { when, ..self }
    }

    const fn pairs(self, pairs: Pairs) -> Rule {
        Rule { pairs, ..self }
    }

    const fn quirks(self, quirks: &'static [Quirk]) -> Rule {
        Rule { quirks, ..self }
    }

    const fn note(self, note: &'static str) -> Rule {
        Rule { note, ..self }
    }
}

use Keep::{Always, Conditional, Union};
use Kinds::{Every, InGroup, InVersion, Named, NotNamed};
use Quirk::{
    AbsentIsError, AbsentRemoves, DesiredMustFit, EmptyIsUnset, Tracked, WritesEmptyList, WritesNull, WrongIsAbsent,
};
use Wanted::{Any, Int, List, Map, NamedList, PositiveInt, SomeList, SomeTexts, Text, TextMap, Texts};

const TOKEN: &str = "kubernetes.io/service-account-token";

/// The ports of a Service: the same port, else the same number, else the same name, as the API server itself goes by.
const SERVICE_PORTS: Pairs = {
    const NAME: Key = Key { name: "name", default: Some("") };
    const PORT: Key = Key { name: "port", default: None };
    const PROTOCOL: Key = Key { name: "protocol", default: Some("TCP") };
    Pairs::ByKeys(&[&[NAME, PROTOCOL, PORT], &[PROTOCOL, PORT], &[NAME, PROTOCOL]])
};

const ADMISSION: &str = "admissionregistration.k8s.io";
const WEBHOOK_CA: &str = "webhooks[].clientConfig.caBundle";

/// What an injector writes into objects that the cert-manager deployment operator replaces. KubeFed erases it unless a
/// rule of its user retains it.
pub const INJECTED: Table = Table {
    upstream: "Fleetfold",
    refuses: false,
    rows: &[
        rule(
            "validating-webhook-ca",
            InGroup(ADMISSION, "ValidatingWebhookConfiguration"),
            WEBHOOK_CA,
            Conditional,
            Text,
        ),
        rule("mutating-webhook-ca", InGroup(ADMISSION, "MutatingWebhookConfiguration"), WEBHOOK_CA, Conditional, Text),
        rule(
            "conversion-webhook-ca",
            InGroup("apiextensions.k8s.io", "CustomResourceDefinition"),
            "spec.conversion.webhook.clientConfig.caBundle",
            Conditional,
            Text,
        )
        .when(&[When::DesiredAt(&["spec", "conversion", "webhook", "clientConfig"])]),
    ],
};

/// Our rules. What a template really sets wins, unless it can only be known in the cluster.
pub const STRICT: Table = Table {
    upstream: "Fleetfold",
    refuses: false,
    rows: &[
        rule("resource-version", Every, "metadata.resourceVersion", Always, Text)
            .after()
            .note("an update names the version that it replaces"),
        rule("finalizers", Every, "metadata.finalizers", Union, Texts)
            .note("controllers of the cluster add theirs, and deletion waits for them"),
        rule("annotations", Every, "metadata.annotations", Union, Map)
            .note("controllers of the cluster keep notes here"),
        rule("owner-references", Every, "metadata.ownerReferences", Conditional, List)
            .note("owners live in the cluster and are named by uid"),
        rule("status", Every, "status", Always, Map).after().note("the cluster reports it"),
        rule("service-cluster-ip", InGroup("", "Service"), "spec.clusterIP", Conditional, Text)
            .quirks(&[EmptyIsUnset])
            .note("the API server gives it out, and it cannot change"),
        rule("service-cluster-ips", InGroup("", "Service"), "spec.clusterIPs", Conditional, SomeTexts)
            .when(&[When::Agree(&["spec", "clusterIP"])])
            .quirks(&[EmptyIsUnset])
            .note("the first of them is the clusterIP, so they go together"),
        rule(
            "service-health-check-node-port",
            InGroup("", "Service"),
            "spec.healthCheckNodePort",
            Conditional,
            PositiveInt,
        )
        .quirks(&[EmptyIsUnset])
        .note("the API server gives it out, and it cannot change"),
        rule("service-node-port", InGroup("", "Service"), "spec.ports[].nodePort", Conditional, PositiveInt)
            .pairs(SERVICE_PORTS)
            .quirks(&[EmptyIsUnset])
            .note("the API server gives it out, and clients outside remember it"),
        rule("service-account-secrets", InGroup("", "ServiceAccount"), "secrets", Union, List)
            .note("the cluster makes tokens, and makes them again when they vanish"),
        rule("service-account-image-pull-secrets", InGroup("", "ServiceAccount"), "imagePullSecrets", Union, List)
            .note("registries' controllers add theirs"),
        rule("pod-node-name", InGroup("", "Pod"), "spec.nodeName", Conditional, Text)
            .quirks(&[EmptyIsUnset])
            .note("the scheduler sets it, and it cannot change"),
        rule("pod-service-account-name", InGroup("", "Pod"), "spec.serviceAccountName", Conditional, Text)
            .quirks(&[EmptyIsUnset])
            .note("admission fills it in, and it cannot change"),
        rule("pod-volumes", InGroup("", "Pod"), "spec.volumes", Union, List)
            .note("admission adds the volume of the service account's token"),
        rule("pod-volume-mounts", InGroup("", "Pod"), "spec.containers[].volumeMounts", Union, List)
            .note("admission mounts the service account's token"),
        rule("pod-init-volume-mounts", InGroup("", "Pod"), "spec.initContainers[].volumeMounts", Union, List)
            .note("admission mounts the service account's token"),
        rule("claim-volume-name", InGroup("", "PersistentVolumeClaim"), "spec.volumeName", Conditional, Text)
            .quirks(&[EmptyIsUnset])
            .note("the volume that the claim was bound to, which cannot change"),
        rule("volume-claim-ref", InGroup("", "PersistentVolume"), "spec.claimRef", Conditional, Map)
            .quirks(&[EmptyIsUnset])
            .note("the claim that holds the volume"),
        rule("job-selector", InGroup("batch", "Job"), "spec.selector.matchLabels", Union, Map)
            .note("the job controller adds the job's uid, and it cannot change"),
        rule("job-template-labels", InGroup("batch", "Job"), "spec.template.metadata.labels", Union, Map)
            .note("the job controller adds the job's uid, and it cannot change"),
        rule("service-account-token", InGroup("", "Secret"), "data", Always, Map)
            .when(&[When::SecretType { is: TOKEN, or_live: true }])
            .note("the token controller of the cluster fills it in"),
        rule("replicas", Every, "spec.replicas", Always, Int)
            .when(&[When::RetainReplicas, When::DesiredHas("spec")])
            .note("an autoscaler of the cluster decides"),
    ],
};

/// KubeFed v0.10: the live value nearly always wins, and only the name of the kind is compared.
pub const KUBEFED: Table = Table {
    upstream: "KubeFed",
    refuses: true,
    rows: &[
        rule("resource-version", Every, "metadata.resourceVersion", Always, Text)
            .quirks(&[AbsentRemoves, WrongIsAbsent]),
        rule("finalizers", Every, "metadata.finalizers", Always, Texts).quirks(&[AbsentRemoves, WrongIsAbsent]),
        rule("annotations", Every, "metadata.annotations", Always, TextMap).quirks(&[AbsentRemoves, WrongIsAbsent]),
        rule("service-health-check-node-port", Named("Service"), "spec.healthCheckNodePort", Always, PositiveInt),
        rule("service-cluster-ip", Named("Service"), "spec.clusterIP", Always, Text),
        rule("service-cluster-ips", Named("Service"), "spec.clusterIPs", Always, SomeTexts),
        rule("service-node-port", Named("Service"), "spec.ports[].nodePort", Always, Any)
            .pairs(Pairs::ByRaw(&["name", "protocol", "port"]))
            .quirks(&[WritesEmptyList]),
        rule("service-account-secrets", Named("ServiceAccount"), "secrets", Conditional, SomeList)
            .quirks(&[EmptyIsUnset, DesiredMustFit]),
        rule("replicas", NotNamed(&["Service", "ServiceAccount"]), "spec.replicas", Always, Int)
            .when(&[When::RetainReplicas]),
    ],
};

/// Karmada v1.16 to v1.19: it retains after its overrides, merges metadata by key, and compares the exact `apiVersion`.
pub const KARMADA: Table = Table {
    upstream: "Karmada",
    refuses: true,
    rows: &[
        rule("resource-version", Every, "metadata.resourceVersion", Always, Text)
            .after()
            .quirks(&[AbsentRemoves, WrongIsAbsent]),
        rule("finalizers", Every, "metadata.finalizers", Always, Texts).after().quirks(&[AbsentRemoves, WrongIsAbsent]),
        rule("owner-references", Every, "metadata.ownerReferences", Always, List)
            .after()
            .quirks(&[AbsentRemoves, WrongIsAbsent]),
        rule("annotations", Every, "metadata.annotations", Union, TextMap)
            .after()
            .quirks(&[WrongIsAbsent, Tracked("resourcetemplate.karmada.io/managed-annotations")]),
        rule("labels", Every, "metadata.labels", Union, TextMap)
            .after()
            .quirks(&[WrongIsAbsent, Tracked("resourcetemplate.karmada.io/managed-labels")]),
        rule(
            "service-health-check-node-port",
            InVersion("v1", "Service"),
            "spec.healthCheckNodePort",
            Always,
            PositiveInt,
        )
        .after(),
        rule("service-cluster-ip", InVersion("v1", "Service"), "spec.clusterIP", Always, Text).after(),
        rule("service-account-secrets", InVersion("v1", "ServiceAccount"), "secrets", Union, NamedList)
            .after()
            .pairs(Pairs::ByRaw(&["name"]))
            .quirks(&[DesiredMustFit, WritesNull]),
        rule(
            "service-account-image-pull-secrets",
            InVersion("v1", "ServiceAccount"),
            "imagePullSecrets",
            Union,
            NamedList,
        )
        .after()
        .pairs(Pairs::ByRaw(&["name"]))
        .quirks(&[DesiredMustFit, WritesNull]),
        rule("pod-node-name", InVersion("v1", "Pod"), "spec.nodeName", Always, Text).after().quirks(&[AbsentRemoves]),
        rule("pod-service-account-name", InVersion("v1", "Pod"), "spec.serviceAccountName", Always, Text)
            .after()
            .quirks(&[AbsentRemoves]),
        rule("pod-volumes", InVersion("v1", "Pod"), "spec.volumes", Always, SomeList).after().quirks(&[AbsentRemoves]),
        rule("pod-volume-mounts", InVersion("v1", "Pod"), "spec.containers[].volumeMounts", Always, SomeList)
            .after()
            .pairs(Pairs::ByRaw(&["name"]))
            .quirks(&[AbsentRemoves]),
        rule("pod-init-volume-mounts", InVersion("v1", "Pod"), "spec.initContainers[].volumeMounts", Always, SomeList)
            .after()
            .pairs(Pairs::ByRaw(&["name"]))
            .quirks(&[AbsentRemoves]),
        rule("claim-volume-name", InVersion("v1", "PersistentVolumeClaim"), "spec.volumeName", Always, Text).after(),
        rule("volume-claim-ref", InVersion("v1", "PersistentVolume"), "spec.claimRef", Always, Any).after(),
        rule("job-selector", InVersion("batch/v1", "Job"), "spec.selector.matchLabels", Always, TextMap).after(),
        rule("job-template-labels", InVersion("batch/v1", "Job"), "spec.template.metadata.labels", Always, TextMap)
            .after(),
        rule("service-account-token", InVersion("v1", "Secret"), "data", Always, TextMap)
            .after()
            .when(&[When::SecretType { is: TOKEN, or_live: false }]),
        rule("replicas", InVersion("apps/v1", "Deployment"), "spec.replicas", Always, Int)
            .after()
            .when(&[When::Label("resourcetemplate.karmada.io/retain-replicas", "true")])
            .quirks(&[AbsentIsError]),
    ],
};

/// Why a value that a built-in rule keeps belongs to the cluster.
pub fn note(rule: &str) -> Option<&'static str> {
    STRICT.rows.iter().find(|it| it.name == rule).map(|it| it.note)
}

/// No rules: only the user's own.
pub const NONE: Table = Table { upstream: "Fleetfold", refuses: false, rows: &[] };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::path::RetentionPath;

    #[test]
    fn every_row_has_a_path_that_parses_and_a_name_of_its_own() {
        for table in [STRICT, KUBEFED, KARMADA] {
            let mut names = crate::value::collections::SortedSet::new();
            for rule in table.rows {
                assert_eq!(RetentionPath::parse(rule.path).unwrap().to_string(), rule.path);
                assert!(names.insert(rule.name), "{} stands there twice", rule.name);
            }
        }
    }

    #[test]
    fn every_rule_of_ours_says_why() {
        assert!(STRICT.rows.iter().all(|rule| !rule.note.is_empty()));
    }

    #[test]
    fn the_rules_of_kubefed_and_karmada_have_the_names_that_ours_have() {
        let ours: Vec<_> = STRICT.rows.iter().map(|rule| rule.name).collect();
        let theirs = [KUBEFED, KARMADA].map(|table| table.rows).concat();
        assert!(theirs.iter().all(|rule| ours.contains(&rule.name) || rule.name == "labels"));
    }
}
