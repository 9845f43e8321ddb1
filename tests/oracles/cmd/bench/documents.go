package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// writeFleet puts a fleet into folder as requests of the JSON contract, one a line: first the documents, then what each
// cluster shows.
func writeFleet(folder string, count int) error {
	f, err := newFleet(count)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, fmt.Sprintf("fleet-%d.jsonl", count))
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	for _, request := range f.requests() {
		out.Write(compact(request)) // the first error is kept for Flush
		out.WriteByte('\n')
	}
	for i := range f.clusters {
		out.WriteString(`{"complete":true,"documents":[`)
		out.Write(f.live[i])
		out.WriteString(`],"live":"` + f.clusters[i].Name + `","op":"load"}` + "\n")
	}
	return errors.Join(out.Flush(), file.Close())
}

// requests name the control plane's namespace, load the clusters, many at a time, and then what is federated to them.
func (f *fleet) requests() []any {
	const many = 1000
	load := func(documents list) any { return object{"op": "load", "documents": documents} }
	requests := []any{object{"op": "configure", "kubefed": object{"namespaces": list{federation}}}}
	for some := range slices.Chunk(f.clusters, many) {
		documents := list{}
		for _, it := range some {
			documents = append(documents, object{
				"apiVersion": "core.kubefed.io/v1beta1", "kind": "KubeFedCluster",
				"metadata": object{"name": it.Name, "namespace": federation, "labels": it.Labels},
				"spec":     object{"apiEndpoint": "https://" + it.Name + ".example.com:6443"},
				"status":   object{"conditions": list{object{"type": "Ready", "status": "True"}}},
			})
		}
		requests = append(requests, load(documents))
	}
	return append(requests, load(list{controlPlane(), typeConfig(), f.federated()}))
}

// federation is the namespace of everything federated: the control plane serves it alone, so that placements are not
// narrowed further by that of a namespace.
const federation = "observability"

func controlPlane() any {
	return object{
		"apiVersion": "core.kubefed.io/v1beta1", "kind": "KubeFedConfig",
		"metadata": object{"name": "kubefed", "namespace": federation},
		"spec":     object{"scope": "Namespaced"},
	}
}

func typeConfig() any {
	resource := func(group, version, kind, plural string) any {
		return object{"group": group, "version": version, "kind": kind, "pluralName": plural, "scope": "Namespaced"}
	}
	return object{
		"apiVersion": "core.kubefed.io/v1beta1", "kind": "FederatedTypeConfig",
		"metadata": object{"name": "deployments.apps", "namespace": federation},
		"spec": object{
			"federatedType": resource("types.kubefed.io", "v1beta1", "FederatedDeployment", "federateddeployments"),
			"targetType":    resource("apps", "v1", "Deployment", "deployments"),
			"propagation":   "Enabled",
		},
	}
}

// federated is the template with its layers. Name and namespace of the target are those of the federated object.
func (f *fleet) federated() any {
	template := deployment().(object)
	metadata := template["metadata"].(object)
	name, namespace := metadata["name"], metadata["namespace"]
	delete(metadata, "name")
	delete(metadata, "namespace")
	delete(template, "apiVersion")
	delete(template, "kind")

	overrides := list{object{"clusterSelector": object{}, "clusterOverrides": f.global.operations}}
	for _, it := range f.order {
		selector := object{"matchLabels": object{"environment": it.environment, "region": it.region}}
		overrides = append(overrides, object{"clusterSelector": selector, "clusterOverrides": f.classes[it].operations})
	}
	for i, it := range f.clusters {
		overrides = append(overrides, object{"clusterName": it.Name, "clusterOverrides": f.own[i].operations})
	}
	return object{
		"apiVersion": "types.kubefed.io/v1beta1", "kind": "FederatedDeployment",
		"metadata": object{"name": name, "namespace": namespace},
		"spec": object{
			"placement":      object{"clusterSelector": f.placement},
			"retainReplicas": true,
			"template":       template,
			"overrides":      overrides,
		},
	}
}
