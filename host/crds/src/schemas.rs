//! What the documents look like that no installed system brings a definition for.
//!
//! These are ours, or were proposed and never built. The kinds of other systems have definitions of their own; where a test
//! server lacks those, anything goes.

/// One kind, described.
#[derive(Debug)]
pub struct Described {
    pub group: &'static str,
    pub kind: &'static str,
    pub doc: &'static str,
    pub short_names: &'static [&'static str],
    pub columns: &'static [Column],
    pub spec: Field,
    /// Nothing where nobody writes one.
    pub status: Option<Field>,
}

/// A column that `kubectl get` prints: its name, its type and where it is.
pub type Column = (&'static str, &'static str, &'static str);

#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub doc: &'static str,
    pub shape: Shape,
    pub required: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Whatever it is.
    Any,
    /// A map of whatever it is.
    AnyMap,
    Bool,
    Int,
    Text,
    /// One of these.
    Word(&'static [&'static str]),
    Time,
    Fields(&'static [Field]),
    MapOf(&'static Shape),
    List(&'static Shape),
    /// Each once.
    Set(&'static Shape),
    /// Each told from the others by a key.
    ListBy(&'static str, &'static [Field]),
}

const fn may(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { name, doc, shape, required: false }
}

const fn must(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { name, doc, shape, required: true }
}

const AGE: Column = ("Age", "date", ".metadata.creationTimestamp");
const READY: Column = ("Ready", "string", ".status.conditions[?(@.type==\"Ready\")].status");

const GENERATION: Field = may("observedGeneration", Shape::Int, "The generation of the spec that the status is about.");

const CONDITIONS: Field = may(
    "conditions",
    Shape::ListBy(
        "type",
        &[
            must("type", Shape::Text, "What the condition is about."),
            must("status", Shape::Word(&["True", "False", "Unknown"]), "Whether it holds."),
            may("reason", Shape::Text, "Why, for programs."),
            may("message", Shape::Text, "Why, for people."),
            may("lastTransitionTime", Shape::Time, "Since when the status is what it is."),
            may("observedGeneration", Shape::Int, "The generation of the spec that the condition is about."),
        ],
    ),
    "How it stands.",
);

const DANGER_ZONE: Field = may(
    "dangerZone",
    Shape::Fields(&[
        may("imageOverrides", Shape::MapOf(&Shape::Text), "Other images, by component."),
        may(
            "containerArgOverrides",
            Shape::MapOf(&Shape::AnyMap),
            "Other arguments, by component: flags without dashes, and their values. They take the place of all others.",
        ),
    ]),
    "Changes to what is installed that nobody has tested together.",
);

const VERSION: Field =
    may("version", Shape::Text, "The version to install; the latest there is a bundle of if left out.");

const PHASE: Field = may("phase", Shape::Word(&["Pending", "Running"]), "`Running` once everything is healthy.");

const INSTALLED: Field = may("version", Shape::Text, "The version that is installed completely.");

const CRD_CONDITIONS: Field = may(
    "crdConditions",
    Shape::List(&Shape::Fields(&[
        must("name", Shape::Text, "The name of a definition."),
        may("conditions", Shape::List(&Shape::AnyMap), "What it says of itself."),
    ])),
    "How the definitions stand.",
);

const DEPLOYMENT_CONDITIONS: Field = may(
    "deploymentConditions",
    Shape::List(&Shape::Fields(&[
        must("namespacedName", Shape::Text, "The namespace and name of a Deployment."),
        may("conditions", Shape::List(&Shape::AnyMap), "What it says of itself."),
    ])),
    "How the Deployments stand.",
);

/// The state of a runner.
pub const FLEET_PLAN: &str = "FleetPlan";

pub const GROUP: &str = "fleetfold.dev";

pub const DESCRIBED: &[Described] = &[
    Described {
        group: "greenhouse.sap",
        kind: "PluginOverride",
        doc: "Changes options of plugins of an organization: of all of them, on some clusters, or of some definitions.",
        short_names: &[],
        columns: &[("Definitions", "string", ".spec.pluginDefinitionNames"), AGE],
        spec: must(
            "spec",
            Shape::Fields(&[
                may(
                    "pluginDefinitionNames",
                    Shape::Set(&Shape::Text),
                    "Only for plugins of these definitions; for all if left out.",
                ),
                may(
                    "clusterSelector",
                    // One selector, or a list of which any may hold.
                    Shape::Any,
                    "Only on the clusters that it picks, by labels or names; on all if left out.",
                ),
                must(
                    "overrides",
                    Shape::List(&Shape::Fields(&[
                        may("name", Shape::Text, "The option."),
                        may("path", Shape::Text, "The option; another word for `name`."),
                        may("value", Shape::Any, "What it is set to."),
                        may("valueFrom", Shape::AnyMap, "The Secret that holds what it is set to."),
                        may("expression", Shape::Text, "What works out, for each cluster, what it is set to."),
                        may(
                            "merge",
                            Shape::Word(&["deep", "replace"]),
                            "Whether a map is merged into what is there, or takes its place.",
                        ),
                    ])),
                    "The options with what they are set to.",
                ),
            ]),
            "Which plugins and clusters it is for, and what it sets.",
        ),
        status: None,
    },
    Described {
        group: GROUP,
        kind: "Bundle",
        doc: "The objects of one version of a product, ready to be installed.",
        short_names: &[],
        columns: &[("Product", "string", ".spec.product"), ("Version", "string", ".spec.version"), AGE],
        spec: must(
            "spec",
            Shape::Fields(&[
                must("product", Shape::Text, "The product that it is of."),
                must("version", Shape::Text, "Its version, as `v1.2.3`."),
                may(
                    "components",
                    Shape::ListBy(
                        "name",
                        &[
                            must("name", Shape::Text, "What overrides call it."),
                            must("deployment", Shape::Text, "The Deployment that it runs in."),
                            may("container", Shape::Text, "Its container; the only one of the Deployment if left out."),
                        ],
                    ),
                    "The parts that can be overridden.",
                ),
                may(
                    "molds",
                    Shape::MapOf(&Shape::List(&Shape::Fields(&[
                        must("flag", Shape::Text, "The flag, without dashes."),
                        must(
                            "type",
                            Shape::Word(&["bool", "int", "uint", "duration", "string", "strings"]),
                            "What it takes.",
                        ),
                    ]))),
                    "The flags that each component takes.",
                ),
                must("manifests", Shape::List(&Shape::AnyMap), "The objects."),
            ]),
            "What is in it.",
        ),
        status: None,
    },
    Described {
        group: GROUP,
        kind: "Installation",
        doc: "Installs a version of a product and keeps it as its bundle says.",
        short_names: &[],
        columns: &[
            ("Product", "string", ".spec.product"),
            ("Version", "string", ".status.version"),
            READY,
            ("Phase", "string", ".status.phase"),
            AGE,
        ],
        spec: must(
            "spec",
            Shape::Fields(&[must("product", Shape::Text, "The product to install."), VERSION, DANGER_ZONE]),
            "What to install.",
        ),
        status: Some(may(
            "status",
            Shape::Fields(&[GENERATION, INSTALLED, PHASE, CONDITIONS, CRD_CONDITIONS, DEPLOYMENT_CONDITIONS]),
            "What is installed, and how it is.",
        )),
    },
    Described {
        group: "operators.opdev.io",
        kind: "CertManagerDeployment",
        doc: "Installs a version of cert-manager and keeps it as its bundle says. Only the one called `cluster` counts.",
        short_names: &[],
        columns: &[("Version", "string", ".status.version"), READY, ("Phase", "string", ".status.phase"), AGE],
        spec: may("spec", Shape::Fields(&[VERSION, DANGER_ZONE]), "What to install."),
        status: Some(may(
            "status",
            Shape::Fields(&[INSTALLED, PHASE, CONDITIONS, CRD_CONDITIONS, DEPLOYMENT_CONDITIONS]),
            "What is installed, and how it is.",
        )),
    },
    Described {
        group: GROUP,
        kind: FLEET_PLAN,
        doc: "What a runner would do to the fleet now, what it waits for, and what was approved.",
        short_names: &["fplan"],
        columns: &[
            READY,
            ("Digest", "string", ".status.digest"),
            ("Actions", "integer", ".status.plan.actions"),
            ("Held", "integer", ".status.plan.held"),
            ("Approved", "string", ".status.approvedDigest"),
            AGE,
        ],
        spec: may("spec", Shape::Fields(&[]), "Nothing yet."),
        status: Some(may(
            "status",
            Shape::Fields(&[
                GENERATION,
                may("digest", Shape::Text, "Stands for everything that would be done; approve this."),
                may("approvedDigest", Shape::Text, "The digest that was approved last."),
                may(
                    "plan",
                    Shape::Fields(&[
                        may("actions", Shape::Int, "How many steps would be done now."),
                        may("held", Shape::Int, "How many steps are stopped."),
                        may("needs", Shape::Int, "How much must be seen before more can be said."),
                        may("create", Shape::Int, "How many of the steps create an object."),
                        may("patch", Shape::Int, "How many of the steps change an object."),
                        may("delete", Shape::Int, "How many of the steps delete an object."),
                    ]),
                    "How many steps there are.",
                ),
                may(
                    "held",
                    Shape::ListBy(
                        "id",
                        &[
                            must("id", Shape::Text, "Stays the same as long as what would be done does."),
                            may("subject", Shape::Text, "The document that asks for it."),
                            may("cluster", Shape::Text, "Where; empty for the hub."),
                            may("verb", Shape::Word(&["create", "patch", "delete"]), "What would be done."),
                            may("target", Shape::Text, "The object, as `Kind/namespace/name`."),
                            may("code", Shape::Text, "What stops it, for programs."),
                            may("text", Shape::Text, "What stops it, for people."),
                            may("hint", Shape::Text, "How to let it pass."),
                        ],
                    ),
                    "Steps that are stopped, the first of them where there are many.",
                ),
                may(
                    "clusters",
                    Shape::ListBy(
                        "name",
                        &[
                            must("name", Shape::Text, "The cluster."),
                            must("reachable", Shape::Bool, "Whether it answered."),
                            may("message", Shape::Text, "What was met when it did not."),
                        ],
                    ),
                    "The clusters, and whether they answer.",
                ),
                CONDITIONS,
            ]),
            "The plan as it stands.",
        )),
    },
];
