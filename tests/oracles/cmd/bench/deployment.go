package main

import (
	"fmt"
	"maps"
	"strings"
)

type (
	object = map[string]any
	list   = []any
)

// deployment is the desired object: 2 containers, 12 environment entries, exactly 4,096 bytes.
func deployment() any {
	labels := func() object {
		return object{"app.kubernetes.io/name": "metrics", "app.kubernetes.io/part-of": "observability",
			"app.kubernetes.io/version": "1.4.2"}
	}
	annotations := object{"example.com/contact": "team-observability@example.com", "example.com/obsolete": "true"}
	value := object{
		"apiVersion": "apps/v1",
		"kind":       "Deployment",
		"metadata": object{"name": "metrics", "namespace": "observability", "labels": labels(),
			"annotations": annotations},
		"spec": object{
			"replicas":             3,
			"minReadySeconds":      10,
			"revisionHistoryLimit": 5,
			"selector":             object{"matchLabels": object{"app.kubernetes.io/name": "metrics"}},
			"strategy": object{"type": "RollingUpdate",
				"rollingUpdate": object{"maxSurge": "25%", "maxUnavailable": 1}},
			"template": object{
				"metadata": object{"labels": labels(),
					"annotations": object{"example.com/scrape": "true", "example.com/port": "9090"}},
				"spec": object{
					"serviceAccountName": "metrics",
					"priorityClassName":  "cluster-critical",
					"securityContext":    object{"runAsNonRoot": true, "runAsUser": 65532, "fsGroup": 65532},
					"nodeSelector":       object{"kubernetes.io/os": "linux"},
					"tolerations": list{object{"key": "dedicated", "operator": "Equal", "value": "observability",
						"effect": "NoSchedule"}},
					"topologySpreadConstraints": list{object{
						"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
						"whenUnsatisfiable": "ScheduleAnyway",
						"labelSelector":     object{"matchLabels": object{"app.kubernetes.io/name": "metrics"}},
					}},
					"containers": list{
						container("metrics", "registry.example.com/observability/metrics:1.4.2", 9090, 8),
						container("proxy", "registry.example.com/network/proxy:2.31.0", 8443, 4),
					},
					"volumes": list{
						object{"name": "config", "configMap": object{"name": "metrics-config"}},
						object{"name": "certificates", "secret": object{"secretName": "metrics-tls"}},
						object{"name": "cache", "emptyDir": object{"sizeLimit": "1Gi"}},
					},
				},
			},
		},
	}
	return stretched(value, 4096, func(filler string) { annotations["example.com/description"] = filler })
}

func container(name, image string, port, entries int) any {
	environment := list{}
	for i := range entries {
		entry := object{"name": fmt.Sprintf("%s_OPTION_%02d", strings.ToUpper(name), i),
			"value": fmt.Sprintf("value-%02d", i)}
		if i%4 == 3 {
			delete(entry, "value")
			entry["valueFrom"] = object{"configMapKeyRef": object{"name": "metrics-config",
				"key": fmt.Sprintf("option-%02d", i)}}
		}
		environment = append(environment, entry)
	}
	probe := func(path string, seconds int) any {
		return object{"httpGet": object{"path": path, "port": "main", "scheme": "HTTP"}, "periodSeconds": seconds,
			"failureThreshold": 3}
	}
	return object{
		"name":  name,
		"image": image,
		"args":  list{"--log-level=info", "--config=/etc/" + name + "/config.yaml"},
		"env":   environment,
		"ports": list{object{"name": "main", "containerPort": port, "protocol": "TCP"}},
		"resources": object{"requests": object{"cpu": "100m", "memory": "128Mi"},
			"limits": object{"memory": "256Mi"}},
		"livenessProbe":  probe("/healthz", 20),
		"readinessProbe": probe("/readyz", 5),
		"startupProbe":   probe("/startz", 2),
		"securityContext": object{
			"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
			"capabilities": object{"drop": list{"ALL"}},
		},
		"volumeMounts": list{
			object{"name": "config", "mountPath": "/etc/" + name, "readOnly": true},
			object{"name": "cache", "mountPath": "/var/cache/" + name},
		},
	}
}

// patch has 5 operations: 2 replace, 2 add, 1 remove.
func patch() any {
	return list{
		object{"op": "replace", "path": "/spec/replicas", "value": 7},
		object{"op": "replace", "path": "/spec/template/spec/containers/0/image",
			"value": "registry.example.com/observability/metrics:1.5.0"},
		object{"op": "add", "path": "/metadata/labels/example.com~1region", "value": "region-1"},
		object{"op": "add", "path": "/spec/template/spec/containers/0/env/-",
			"value": object{"name": "REGION", "value": "region-1"}},
		object{"op": "remove", "path": "/metadata/annotations/example.com~1obsolete"},
	}
}

// live is what a cluster shows for the deployment when nothing needs to be done; 6,379 bytes, the mean of the research
// note.
func live() any {
	value := deployment().(object)
	return stretched(value, 6379, completed(value))
}

// completed adds what a cluster shows beyond what was sent to it: what the API server fills in, a status and managed
// fields. It answers how to set the one text of it that may be of any length.
func completed(value object) func(filler string) {
	metadata := value["metadata"].(object)
	metadata["uid"] = "6f0d0a1e-3b52-4c57-9f55-0c9a7f3d2b11"
	metadata["resourceVersion"] = "184467440"
	metadata["generation"] = 12
	metadata["creationTimestamp"] = "2026-01-01T00:00:00Z"
	metadata["annotations"].(object)["deployment.kubernetes.io/revision"] = "12"
	metadata["managedFields"] = list{managed("fleetfold", "Apply", ""),
		managed("kube-controller-manager", "Update", "status")}

	spec := value["spec"].(object)
	spec["progressDeadlineSeconds"] = 600
	pod := spec["template"].(object)["spec"].(object)
	maps.Copy(pod, object{
		"dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
		"serviceAccount": "metrics", "terminationGracePeriodSeconds": 30,
	})
	for _, it := range pod["containers"].(list) {
		it := it.(object)
		it["imagePullPolicy"] = "IfNotPresent"
		it["terminationMessagePath"] = "/dev/termination-log"
		it["terminationMessagePolicy"] = "File"
		for _, probe := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
			it[probe].(object)["successThreshold"] = 1
			it[probe].(object)["timeoutSeconds"] = 1
		}
	}
	for _, it := range pod["volumes"].(list)[:2] {
		for _, kind := range []string{"configMap", "secret"} {
			if source, ok := it.(object)[kind].(object); ok {
				source["defaultMode"] = 420
			}
		}
	}
	condition := func(kind, reason string) object {
		return object{"type": kind, "status": "True", "reason": reason, "message": "",
			"lastTransitionTime": "2026-01-01T00:01:00Z", "lastUpdateTime": "2026-01-01T00:01:00Z"}
	}
	progressing := condition("Progressing", "NewReplicaSetAvailable")
	replicas := spec["replicas"]
	value["status"] = object{
		"observedGeneration": 12, "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
		"availableReplicas": replicas,
		"conditions":        list{condition("Available", "MinimumReplicasAvailable"), progressing},
	}
	return func(filler string) { progressing["message"] = filler }
}

func managed(manager, operation, subresource string) any {
	fields := object{"f:status": object{"f:conditions": object{}, "f:replicas": object{}, "f:readyReplicas": object{},
		"f:updatedReplicas": object{}, "f:observedGeneration": object{}}}
	entry := object{"manager": manager, "operation": operation, "apiVersion": "apps/v1", "time": "2026-01-01T00:00:00Z",
		"fieldsType": "FieldsV1"}
	if subresource != "" {
		entry["subresource"] = subresource
	} else {
		environment := object{}
		for i := range 4 {
			environment[fmt.Sprintf(`k:{"name":"METRICS_OPTION_%02d"}`, i)] = object{".": object{}, "f:name": object{},
				"f:value": object{}}
		}
		fields = object{"f:spec": object{"f:replicas": object{}, "f:selector": object{},
			"f:template": object{"f:spec": object{"f:containers": object{
				`k:{"name":"metrics"}`: object{".": object{}, "f:name": object{}, "f:image": object{},
					"f:env": environment},
			}}}}}
	}
	entry["fieldsV1"] = fields
	return entry
}
