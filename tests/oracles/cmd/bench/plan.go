package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"

	jsonpatch "github.com/evanphx/json-patch/v5"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	kruntime "k8s.io/apimachinery/pkg/runtime"
)

// planFigures are the answer of plan: W4 of TARGETS.md.
type planFigures struct {
	Today  int64 `json:"w4_today_ns"`
	Tuned  int64 `json:"w4_tuned_ns"`
	Noop   int   `json:"noop"`
	Update int   `json:"update"`
	Bytes  int   `json:"bytes"`
	// SHA-256 over all lines.
	Hash string `json:"sha256"`
}

// plan measures both pipelines over a whole fleet, today's once and the tuned one as often as asked: today's takes ten
// times as long, and disturbs itself the less.
func plan(count, samples int) (planFigures, error) {
	runtime.GOMAXPROCS(1)
	f, err := newFleet(count)
	if err != nil {
		return planFigures{}, err
	}
	var out planFigures
	if out.Hash, err = hashed(f, tuned); err != nil {
		return planFigures{}, err
	}
	var counts [2]sink
	pass := func(pipeline func(*fleet, *sink) error, into *sink) func() error {
		return func() error {
			*into = sink{}
			return pipeline(f, into)
		}
	}
	if out.Today, err = least(1, pass(today, &counts[0])); err != nil {
		return planFigures{}, err
	}
	if out.Tuned, err = least(samples, pass(tuned, &counts[1])); err != nil {
		return planFigures{}, err
	}
	one, other := counts[0], counts[1]
	if one.noop != other.noop || one.update != other.update || one.bytes != other.bytes {
		return planFigures{}, fmt.Errorf("the pipelines disagree: %+v and %+v", one, other)
	}
	out.Noop, out.Update, out.Bytes = one.noop, one.update, one.bytes
	return out, nil
}

func hashed(f *fleet, pipeline func(*fleet, *sink) error) (string, error) {
	hash := sha256.New()
	err := pipeline(f, &sink{then: func(line []byte) { hash.Write(line) }})
	return hex.EncodeToString(hash.Sum(nil)), err
}

func least(samples int, pass func() error) (int64, error) {
	best := int64(0)
	for sample := range samples {
		runtime.GC()
		cost, err := spent(1, pass)
		if err != nil {
			return 0, err
		}
		if sample == 0 || cost.Nanoseconds() < best {
			best = cost.Nanoseconds()
		}
	}
	return best, nil
}

// sink takes plan lines. What is done with them costs the pipelines nothing: they are counted, and handed on if asked.
type sink struct {
	noop, update, bytes int
	then                func(line []byte)
}

// today does everything for each cluster anew, as fleet controllers do: it builds the selector, decodes the template,
// and applies each layer by way of bytes.
func today(f *fleet, lines *sink) error {
	for i := range f.clusters {
		selector, err := metav1.LabelSelectorAsSelector(f.placement)
		if err != nil {
			return err
		}
		if !selector.Matches(labels.Set(f.clusters[i].Labels)) {
			continue
		}
		value, err := decoded(f.template)
		if err != nil {
			return err
		}
		for _, it := range f.layers(i) {
			if value, err = patched(value, it.text); err != nil {
				return err
			}
		}
		if err := finish(f, i, value, lines); err != nil {
			return err
		}
	}
	return nil
}

// tuned does once what can be done once, and edits a copy in place.
func tuned(f *fleet, lines *sink) error {
	selector, err := metav1.LabelSelectorAsSelector(f.placement)
	if err != nil {
		return err
	}
	template, err := decoded(f.template)
	if err != nil {
		return err
	}
	for i := range f.clusters {
		if !selector.Matches(labels.Set(f.clusters[i].Labels)) {
			continue
		}
		value := kruntime.DeepCopyJSON(template)
		for _, it := range f.layers(i) {
			for _, edit := range it.edits {
				edit.run(value)
			}
		}
		if err := finish(f, i, value, lines); err != nil {
			return err
		}
	}
	return nil
}

// finish retains, compares and writes: the same for both.
func finish(f *fleet, i int, desired object, lines *sink) error {
	live, err := decoded(f.live[i])
	if err != nil {
		return err
	}
	retain(desired, live)
	action := "noop"
	if contains(live, desired) {
		lines.noop++
	} else {
		action = "update"
		lines.update++
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]any{"action": action, "cluster": f.clusters[i].Name,
		"object": desired}); err != nil {
		return err
	}
	lines.bytes += line.Len()
	if lines.then != nil {
		lines.then(line.Bytes())
	}
	return nil
}

// retain keeps what the cluster's own controllers wrote: the version, finalizers, annotations that only it has, and the
// number of replicas. The label of a managed object comes last.
func retain(desired, live object) {
	have, want := live["metadata"].(object), desired["metadata"].(object)
	for _, key := range []string{"resourceVersion", "finalizers"} {
		if value, ok := have[key]; ok {
			want[key] = value
		}
	}
	kept := want["annotations"].(object)
	for key, value := range have["annotations"].(object) {
		if _, ok := kept[key]; !ok {
			kept[key] = value
		}
	}
	desired["spec"].(object)["replicas"] = live["spec"].(object)["replicas"]
	want["labels"].(object)[managedLabel] = "true"
}

func decoded(text []byte) (object, error) {
	var it unstructured.Unstructured
	err := it.UnmarshalJSON(text)
	return it.Object, err
}

func patched(value object, steps []byte) (object, error) {
	text, err := (&unstructured.Unstructured{Object: value}).MarshalJSON()
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(steps)
	if err != nil {
		return nil, err
	}
	if text, err = patch.Apply(text); err != nil {
		return nil, err
	}
	return decoded(text)
}
