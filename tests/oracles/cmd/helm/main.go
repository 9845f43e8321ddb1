// Command helm returns the tree of values that Helm computes from options or from files of values.
//
//	{"sets": [{"path": "a.b[0]", "value": …}, …]}  →  {"object": …} | {"error": "…"}
//	{"chart": {…}, "files": [{…}, …]}              →  {"object": …, "layered": …}
//
// The first form has `--set-json` arguments in their order; Greenhouse passes its options this way. The second form
// has the values of a chart and files of values for it, as `helm install -f` takes them: `object` is what templates
// get, where Helm merges the files first and coalesces the result with the chart. `layered` coalesces each file with
// the result of everything below it.
//
// `helm generate -seed N -count N` writes cases instead of answering them.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"os"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/strvals"

	"fleetfold.dev/oracles/internal/lines"
)

type set struct {
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`
}

type question struct {
	Sets  []set            `json:"sets,omitempty"`
	Chart map[string]any   `json:"chart,omitempty"`
	Files []map[string]any `json:"files,omitempty"`
}

type answered struct {
	Object  map[string]any `json:"object"`
	Layered map[string]any `json:"layered,omitempty"`
}

func main() {
	// Helm logs values that do not fit as warnings.
	log.SetOutput(io.Discard)
	if len(os.Args) > 1 && os.Args[1] == "generate" {
		lines.Exit(lines.Generate(os.Args[2:], os.Stdout, cases))
		return
	}
	lines.Exit(lines.Answer(os.Stdin, os.Stdout, answer))
}

func answer(it question) any {
	if it.Sets != nil {
		object, err := placed(it.Sets)
		if err != nil {
			return lines.Refuse(err)
		}
		return answered{Object: object}
	}
	object, err := coalesced(it.Chart, merged(it.Files))
	if err != nil {
		return lines.Refuse(err)
	}
	layered := it.Chart
	for _, file := range it.Files {
		if layered, err = coalesced(layered, file); err != nil {
			return lines.Refuse(err)
		}
	}
	return answered{Object: object, Layered: layered}
}

func placed(sets []set) (map[string]any, error) {
	object := map[string]any{}
	for _, it := range sets {
		if err := strvals.ParseJSON(fmt.Sprintf("%s=%s", it.Path, it.Value), object); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// merged joins files as `-f` does (`mergeMaps` of Helm's package `values`): maps merge, anything else replaces.
func merged(files []map[string]any) map[string]any {
	result := map[string]any{}
	for _, file := range files {
		result = over(result, file)
	}
	return result
}

func over(below, above map[string]any) map[string]any {
	result := maps.Clone(below)
	for key, value := range above {
		lower, isLower := result[key].(map[string]any)
		upper, isUpper := value.(map[string]any)
		if isLower && isUpper {
			result[key] = over(lower, upper)
		} else {
			result[key] = value
		}
	}
	return result
}

// coalesced is what templates get from the values of a user and those of a chart. Helm changes its arguments, so that
// it gets copies.
func coalesced(defaults, values map[string]any) (map[string]any, error) {
	defaults, err := copied(defaults)
	if err != nil {
		return nil, err
	}
	values, err = copied(values)
	if err != nil {
		return nil, err
	}
	return chartutil.CoalesceValues(&chart.Chart{Metadata: &chart.Metadata{Name: "c"}, Values: defaults}, values)
}

func copied(table map[string]any) (map[string]any, error) {
	text, err := json.Marshal(table)
	if err != nil {
		return nil, err
	}
	result := map[string]any{}
	return result, json.Unmarshal(text, &result)
}
