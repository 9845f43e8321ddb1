package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func testFleet(t *testing.T, count int) *fleet {
	t.Helper()
	f, err := newFleet(count)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The hash of the research note covers texts that the note does not give, so ours is pinned.
func TestBothPipelinesGiveThePinnedLines(t *testing.T) {
	f := testFleet(t, 200)
	for name, pipeline := range map[string]func(*fleet, *sink) error{"today": today, "tuned": tuned} {
		got, err := hashed(f, pipeline)
		if want := "c3b98a67f3da7d5afbd06e437cbfc0bd974af6710dbaa326c75fe2e77346d747"; err != nil || got != want {
			t.Errorf("%s gives %s, error %v, want %s", name, got, err, want)
		}
	}
}

func TestTheFleetHasItsShape(t *testing.T) {
	f := testFleet(t, 1_000)
	size, lines := 0, sink{}
	for _, live := range f.live {
		size += len(live)
	}
	if mean := size / len(f.live); mean != 6379 {
		t.Errorf("a cluster shows %d bytes in the mean, want 6379", mean)
	}
	if err := tuned(f, &lines); err != nil || lines.noop != 899 || lines.update != 101 {
		t.Errorf("%d noop and %d update, error %v, want 899 and 101", lines.noop, lines.update, err)
	}
	if len(f.classes) != 24 || len(f.layers(0)[0].edits) != 5 || len(f.layers(0)[1].edits) != 5 ||
		len(f.layers(0)[2].edits) != 5 {
		t.Error("a layer has not five options, or there are not 24 classes")
	}
}

func TestLayersRunInOrderAndReplicasAreRetained(t *testing.T) {
	f := testFleet(t, 1)
	var got struct {
		Action, Cluster string
		Object          struct {
			Metadata struct{ ResourceVersion string }
			Spec     struct {
				Replicas int
				Template struct {
					Spec struct {
						Containers []struct {
							Resources struct{ Limits struct{ Memory string } }
						}
					}
				}
			}
		}
	}
	if err := today(f, &sink{then: func(line []byte) {
		if err := json.Unmarshal(line, &got); err != nil {
			t.Error(err)
		}
	}}); err != nil {
		t.Fatal(err)
	}
	// The class of this cluster is dev, whose memory is another than the global one and the template's.
	if memory := got.Object.Spec.Template.Spec.Containers[0].Resources.Limits.Memory; memory != "256Mi" ||
		f.clusters[0].Labels["environment"] != "dev" {
		t.Errorf("memory is %s", memory)
	}
	if got.Action != "noop" || got.Cluster != "cluster-000000" || got.Object.Metadata.ResourceVersion != "184000000" ||
		got.Object.Spec.Replicas != 4 {
		t.Errorf("got %+v", got)
	}
}

func TestAFleetIsWrittenAsRequests(t *testing.T) {
	folder := t.TempDir()
	if err := command([]string{"fleet", folder, "-clusters", "3"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "fleet-3.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	kinds, ops := map[string]int{}, map[string]int{}
	for line := range bytes.Lines(text) {
		var request struct {
			Op, Live  string
			Documents []struct{ Kind string }
		}
		if err := json.Unmarshal(line, &request); err != nil || (request.Op != "load" && request.Op != "configure") {
			t.Fatalf("%s: %v", line, err)
		}
		ops[request.Op]++
		for _, it := range request.Documents {
			kinds[it.Kind]++
		}
	}
	// The namespace of the control plane.
	if ops["configure"] != 1 {
		t.Errorf("%d requests configure, want 1", ops["configure"])
	}
	for kind, want := range map[string]int{"KubeFedCluster": 3, "FederatedTypeConfig": 1, "KubeFedConfig": 1,
		"FederatedDeployment": 1, "Deployment": 3} {
		if kinds[kind] != want {
			t.Errorf("%d of %s, want %d", kinds[kind], kind, want)
		}
	}
}

func TestAPlanIsMeasured(t *testing.T) {
	got, err := plan(20, 1)
	if err != nil || got.Today <= got.Tuned || got.Tuned <= 0 || got.Noop+got.Update != 20 {
		t.Errorf("got %+v, error %v", got, err)
	}
}
