package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"helm.sh/helm/v3/pkg/chartutil"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	kruntime "k8s.io/apimachinery/pkg/runtime"
)

// figures are the answer of run, named after the workloads of TARGETS.md.
type figures struct {
	ScanSmall     int64 `json:"w1_10k_ns"`
	ScanLarge     int64 `json:"w1_100k_ns"`
	SelectedSmall int   `json:"w1_selected_10k"`
	SelectedLarge int   `json:"w1_selected_100k"`
	Patch         int64 `json:"w2_ns"`
	Match         int64 `json:"w3_ns"`
	MatchTyped    int64 `json:"w3_typed_ns"`
	Coalesce      int64 `json:"w8_ns"`
}

// run measures each operation on the inputs in folder. An operation that gives the wrong answer is an error: a
// benchmark of it would mean nothing.
func run(folder string, samples int) (figures, error) {
	runtime.GOMAXPROCS(1)
	var out figures
	for _, part := range []func() error{
		func() (err error) {
			out.ScanSmall, out.SelectedSmall, err = scan(folder, "clusters-10000.json", samples)
			return err
		},
		func() (err error) {
			out.ScanLarge, out.SelectedLarge, err = scan(folder, "clusters-100000.json", samples)
			return err
		},
		func() (err error) { out.Patch, err = patchBytes(folder, samples); return err },
		func() (err error) { out.Match, out.MatchTyped, err = matchPair(folder, samples); return err },
		func() (err error) { out.Coalesce, err = coalesce(folder, samples); return err },
	} {
		if err := part(); err != nil {
			return figures{}, err
		}
	}
	return out, nil
}

// scan is W1: the selector built once, asked about every cluster.
func scan(folder, name string, samples int) (int64, int, error) {
	var rule metav1.LabelSelector
	var fleet []cluster
	if err := errors.Join(read(folder, "selector.json", &rule), read(folder, name, &fleet)); err != nil {
		return 0, 0, err
	}
	selector, err := metav1.LabelSelectorAsSelector(&rule)
	if err != nil {
		return 0, 0, err
	}
	selected := 0
	cost, err := measure(samples, func() error {
		selected = 0
		for i := range fleet {
			if selector.Matches(labels.Set(fleet[i].Labels)) {
				selected++
			}
		}
		return nil
	})
	return cost, selected, err
}

// patchBytes is W2: object and patch as bytes, the result as bytes.
func patchBytes(folder string, samples int) (int64, error) {
	object, steps, err := readPair(folder, "deployment.json", "patch.json")
	if err != nil {
		return 0, err
	}
	return measure(samples, func() error {
		patch, err := jsonpatch.DecodePatch(steps)
		if err != nil {
			return err
		}
		_, err = patch.Apply(object)
		return err
	})
}

// matchPair is W3, from bytes and from typed objects.
func matchPair(folder string, samples int) (fromBytes, fromTyped int64, err error) {
	desired, live, err := readPair(folder, "deployment.json", "live.json")
	if err != nil {
		return 0, 0, err
	}
	var want, have appsv1.Deployment
	if err := errors.Join(json.Unmarshal(desired, &want), json.Unmarshal(live, &have)); err != nil {
		return 0, 0, err
	}
	fromBytes, err = measure(samples, func() error { return agree(matchesBytes(desired, live)) })
	if err != nil {
		return 0, 0, err
	}
	fromTyped, err = measure(samples, func() error { return agree(matchesTyped(&want, &have)) })
	return fromBytes, fromTyped, err
}

func agree(matches bool, err error) error {
	if err == nil && !matches {
		return errors.New("live.json does not contain deployment.json")
	}
	return err
}

// coalesce is W8: three layers of values as bytes, the highest over the lower ones, the result as bytes. CoalesceTables
// writes into both of its arguments, so each layer is copied first, as a caller must who keeps its layers.
func coalesce(folder string, samples int) (int64, error) {
	var layers [3][]byte
	for i := range layers {
		text, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("values-%d.json", i+1)))
		if err != nil {
			return 0, err
		}
		layers[i] = text
	}
	return measure(samples, func() error {
		_, err := coalesced(layers)
		return err
	})
}

func coalesced(layers [3][]byte) ([]byte, error) {
	var trees [3]map[string]any
	for i, text := range layers {
		if err := json.Unmarshal(text, &trees[i]); err != nil {
			return nil, err
		}
	}
	result := kruntime.DeepCopyJSON(trees[2])
	for _, lower := range []map[string]any{trees[1], trees[0]} {
		result = chartutil.CoalesceTables(result, kruntime.DeepCopyJSON(lower))
	}
	return json.Marshal(result)
}

// measure is the least CPU time an operation took, over samples of at least 50 ms each.
func measure(samples int, operation func() error) (int64, error) {
	const least = 50 * time.Millisecond
	rounds := 1
	for {
		cost, err := spent(rounds, operation)
		if err != nil {
			return 0, err
		}
		if cost >= least {
			break
		}
		rounds *= 2
	}
	best := time.Duration(0)
	for sample := range samples {
		// Each sample starts with a swept heap, so that none pays for the one before.
		runtime.GC()
		cost, err := spent(rounds, operation)
		if err != nil {
			return 0, err
		}
		if sample == 0 || cost < best {
			best = cost
		}
	}
	return best.Nanoseconds() / int64(rounds), nil
}

func spent(rounds int, operation func() error) (time.Duration, error) {
	start, err := used()
	if err != nil {
		return 0, err
	}
	for range rounds {
		if err := operation(); err != nil {
			return 0, err
		}
	}
	end, err := used()
	return end - start, err
}

// used is the CPU time of this process so far, in user and kernel mode.
func used() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

func read(folder, name string, into any) error {
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func readPair(folder, first, second string) ([]byte, []byte, error) {
	one, err := os.ReadFile(filepath.Join(folder, first))
	if err != nil {
		return nil, nil, err
	}
	two, err := os.ReadFile(filepath.Join(folder, second))
	return one, two, err
}
