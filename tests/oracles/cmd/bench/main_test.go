package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestInputsHaveTheirSizes(t *testing.T) {
	for name, it := range map[string]struct {
		value any
		size  int
	}{
		"deployment": {deployment(), 4096},
		"live":       {live(), 6379},
		"values-1":   {values(1), 3237},
		"values-2":   {values(2), 1487},
		"values-3":   {values(3), 1486},
	} {
		if got := len(compact(it.value)); got != it.size {
			t.Errorf("%s has %d bytes, want %d", name, got, it.size)
		}
	}
	if got := len(clusters(1)[0].Labels); got != 12 {
		t.Errorf("a cluster has %d labels, want 12", got)
	}
}

func TestLiveContainsTheDeploymentUntilSomethingDiffers(t *testing.T) {
	desired, have := compact(deployment()), compact(live())
	for from, to := range map[string]string{
		`"replicas":3`: `"replicas":4`, `--log-level=info`: `--log-level=debug`,
		`"readOnlyRootFilesystem":true`: `"readOnlyRootFilesystem":null`,
	} {
		changed := bytes.Replace(have, []byte(from), []byte(to), 1)
		if bytes.Equal(changed, have) {
			t.Errorf("%s is not in the live object", from)
		}
		if matches, err := matchesBytes(desired, changed); err != nil || matches {
			t.Errorf("with %s: match %v, error %v", to, matches, err)
		}
	}
	if matches, err := matchesBytes(desired, have); err != nil || !matches {
		t.Errorf("in sync: match %v, error %v", matches, err)
	}
}

func TestHigherLayersWinAndLowerOnesStay(t *testing.T) {
	got, err := coalesced([3][]byte{[]byte(`{"a":1,"b":{"c":1,"d":1}}`), []byte(`{"b":{"c":2},"e":2}`),
		[]byte(`{"a":3,"e":null}`)})
	if err != nil {
		t.Fatal(err)
	}
	// A null in a higher layer takes the value away.
	if want := `{"a":3,"b":{"c":2,"d":1}}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWritesAndMeasures(t *testing.T) {
	folder := t.TempDir()
	if err := command([]string{"write", folder}); err != nil {
		t.Fatal(err)
	}
	var steps []struct{ Op string }
	if err := read(folder, "patch.json", &steps); err != nil || len(steps) != 5 {
		t.Errorf("patch.json has %d steps, error %v", len(steps), err)
	}
	got, err := run(folder, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got.SelectedSmall != 457 || got.SelectedLarge != 4625 {
		t.Errorf("selected %d and %d, want 457 and 4625", got.SelectedSmall, got.SelectedLarge)
	}
	for _, figure := range []int64{got.ScanSmall, got.ScanLarge, got.Patch, got.Match, got.MatchTyped, got.Coalesce} {
		if figure <= 0 {
			t.Errorf("a figure is missing in %+v", got)
		}
	}
	if got.ScanLarge < got.ScanSmall {
		t.Errorf("the large scan is cheaper than the small one: %+v", got)
	}
}

func TestAMismatchIsAnErrorNotAFigure(t *testing.T) {
	folder := t.TempDir()
	if err := command([]string{"write", folder}); err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(map[string]any{"kind": "Deployment"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "live.json"), other, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := matchPair(folder, 1); err == nil {
		t.Error("a live object that lacks the desired one was measured")
	}
}

func TestBadCallsAreRefused(t *testing.T) {
	for _, args := range [][]string{{}, {"run"}, {"fly", "x"}, {"run", "x", "-samples", "0"}, {"write", "x", "y"},
		{"plan", "x"}, {"plan", "-clusters", "0"}} {
		if command(args) == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
