package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"fleetfold.dev/oracles/internal/splitmix"
)

// managedLabel is on every object that a federation makes.
const managedLabel = "kubefed.io/managed"

// fleet is the input of a whole plan: one template for every cluster, three layers of five options over it, and what
// each cluster shows.
type fleet struct {
	clusters  []cluster
	placement *metav1.LabelSelector
	template  []byte
	global    layer
	classes   map[class]layer
	order     []class
	own       []layer
	live      [][]byte
}

// class is what clusters of one environment in one region share.
type class struct{ environment, region string }

// layer is a list of RFC 6902 operations, as JSON and ready to run.
type layer struct {
	operations []operation
	text       []byte
	edits      []edit
}

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

func newLayer(operations ...operation) layer {
	return layer{operations: operations, text: compact(operations), edits: compiled(operations)}
}

func newFleet(count int) (*fleet, error) {
	f := &fleet{
		clusters:  clusters(count),
		placement: placement(),
		template:  compact(deployment()),
		global:    globalLayer(),
		classes:   map[class]layer{},
	}
	for _, environment := range []string{"dev", "stage", "prod"} {
		for region := range 8 {
			it := class{environment, fmt.Sprintf("region-%d", region)}
			f.classes[it] = classLayer(it)
			f.order = append(f.order, it)
		}
	}
	template, err := decoded(f.template)
	if err != nil {
		return nil, err
	}
	for i := range f.clusters {
		f.own = append(f.own, ownLayer(i, f.clusters[i].Name))
		f.live = append(f.live, f.shown(i, kruntime.DeepCopyJSON(template)))
	}
	return f, nil
}

// layers are those of one cluster, lowest first.
func (f *fleet) layers(i int) [3]layer {
	labels := f.clusters[i].Labels
	return [3]layer{f.global, f.classes[class{labels["environment"], labels["region"]}], f.own[i]}
}

// placement has four expressions, which every cluster satisfies.
func placement() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: "environment", Operator: metav1.LabelSelectorOpIn, Values: []string{"dev", "stage", "prod"}},
		{Key: "team", Operator: metav1.LabelSelectorOpExists},
		{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"retired"}},
		{Key: "example.com/excluded", Operator: metav1.LabelSelectorOpDoesNotExist},
	}}
}

const memory = "/spec/template/spec/containers/0/resources/limits/memory"

func globalLayer() layer {
	return newLayer(
		operation{"replace", "/spec/revisionHistoryLimit", 3},
		operation{"replace", "/spec/template/spec/containers/0/args/0", "--log-level=warning"},
		operation{"replace", "/spec/template/spec/containers/1/image", "registry.example.com/network/proxy:2.32.1"},
		operation{"replace", memory, "512Mi"},
		operation{"add", "/metadata/labels/example.com~1channel", "stable"},
	)
}

// classLayer sets the memory again that the global layer sets.
func classLayer(it class) layer {
	limit := map[string]string{"dev": "256Mi", "stage": "768Mi", "prod": "1Gi"}[it.environment]
	return newLayer(
		operation{"replace", memory, limit},
		operation{"replace", "/spec/template/spec/containers/0/env/0/value",
			"metrics." + it.region + "." + it.environment + ".example.com"},
		operation{"replace", "/spec/template/spec/containers/1/env/0/value",
			"gateway." + it.region + ".example.com:8443"},
		operation{"add", "/metadata/labels/example.com~1environment", it.environment},
		operation{"add", "/spec/template/spec/nodeSelector/topology.kubernetes.io~1region", it.region},
	)
}

// ownLayer has values that no other cluster has.
func ownLayer(i int, name string) layer {
	return newLayer(
		operation{"add", "/metadata/labels/example.com~1cluster", name},
		operation{"replace", "/spec/template/spec/containers/0/env/1/value", name + ".fleet.example.com"},
		operation{"replace", "/spec/template/spec/containers/1/env/1/value", name},
		operation{"add", "/metadata/annotations/example.com~1serial", fmt.Sprintf("%08d", i)},
		operation{"add", "/spec/template/metadata/annotations/example.com~1revision",
			fmt.Sprintf("%016x", splitmix.New(uint64(i)).Next())},
	)
}

// shown is what a cluster shows: what it should have, as many replicas as its own controllers chose, what the API
// server adds, and in one of ten clusters another image.
func (f *fleet) shown(i int, value object) []byte {
	chance := splitmix.New(seed ^ uint64(i+1)*0x9E3779B97F4A7C15)
	for _, it := range f.layers(i) {
		for _, edit := range it.edits {
			edit.run(value)
		}
	}
	metadata, spec := value["metadata"].(object), value["spec"].(object)
	metadata["labels"].(object)[managedLabel] = "true"
	metadata["finalizers"] = list{"example.com/drain"}
	spec["replicas"] = 3 + chance.Below(10)
	if chance.Below(10) == 0 {
		first := spec["template"].(object)["spec"].(object)["containers"].(list)[0].(object)
		first["image"] = "registry.example.com/observability/metrics:1.3.9"
	}
	// So that a cluster shows 6,379 bytes in the mean, with one entry of managed fields and no message.
	completed(value)("")
	metadata["managedFields"] = metadata["managedFields"].(list)[:1]
	metadata["uid"] = fmt.Sprintf("6f0d0a1e-3b52-4c57-9f55-%012d", i)
	metadata["resourceVersion"] = fmt.Sprint(184_000_000 + i)
	return compact(value)
}
