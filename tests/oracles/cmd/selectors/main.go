// Command selectors answers whether a label selector picks a set of labels, the way Kubernetes does.
//
//	{"selector": <metav1.LabelSelector> | null | "<kubectl -l>", "labels": {…}}
//	→  {"verdict": true|false} | {"error": "…"}
//
// An object is decoded as the API server decodes with strict field validation: exact field names, none
// unknown, none twice. A null or missing selector picks nothing.
//
// `selectors generate -seed N -count N` writes such cases instead of answering them.
package main

import (
	"encoding/json"
	"errors"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	kjson "sigs.k8s.io/json"

	"fleetfold.dev/oracles/internal/lines"
)

type selection struct {
	Selector json.RawMessage   `json:"selector"`
	Labels   map[string]string `json:"labels"`
}

type answer struct {
	Verdict bool `json:"verdict"`
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "generate" {
		lines.Exit(lines.Generate(os.Args[2:], os.Stdout, cases))
		return
	}
	lines.Exit(lines.Answer(os.Stdin, os.Stdout, verdict))
}

func verdict(it selection) any {
	selector, err := parse(it.Selector)
	if err != nil {
		return lines.Refuse(err)
	}
	return answer{Verdict: selector.Matches(labels.Set(it.Labels))}
}

func parse(raw json.RawMessage) (labels.Selector, error) {
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, err
		}
		return labels.Parse(text)
	}
	if len(raw) == 0 {
		raw = json.RawMessage("null")
	}
	var object *metav1.LabelSelector
	strict, err := kjson.UnmarshalStrict(raw, &object)
	if err := errors.Join(append(strict, err)...); err != nil {
		return nil, err
	}
	return metav1.LabelSelectorAsSelector(object)
}
