// Command helm answers what Helm makes of options and of values.
//
//	{"sets": [{"path": "a.b[0]", "value": …}, …]}      →  {"object": …} | {"error": "…"}
//	{"chart": {…}, "files": [{…}, …]}                 →  {"object": …}
//
// The first are `--set-json` arguments in their order, which Greenhouse uses for options. The second are the values of a
// chart, lowest, and files of values over them: files merge, and the result is coalesced with the chart.
//
// `helm generate -seed N -count N` writes cases instead of answering them.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
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

type built struct {
	Object map[string]any `json:"object"`
}

func main() {
	// Helm warns about values that do not fit in its log.
	log.SetOutput(io.Discard)
	if len(os.Args) > 1 && os.Args[1] == "generate" {
		lines.Exit(lines.Generate(os.Args[2:], os.Stdout, cases))
		return
	}
	lines.Exit(lines.Answer(os.Stdin, os.Stdout, answer))
}

func answer(it question) any {
	var object map[string]any
	var err error
	if it.Sets != nil {
		object, err = placed(it.Sets)
	} else {
		object, err = coalesced(it.Chart, it.Files)
	}
	if err != nil {
		return lines.Refuse(err)
	}
	return built{Object: object}
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

// coalesced is what templates get: MergeTables joins the files, the last one highest, and CoalesceValues the chart.
func coalesced(defaults map[string]any, files []map[string]any) (map[string]any, error) {
	merged := map[string]any{}
	for _, file := range files {
		merged = chartutil.MergeTables(file, merged)
	}
	values, err := chartutil.CoalesceValues(&chart.Chart{Metadata: &chart.Metadata{Name: "c"}, Values: defaults}, merged)
	return values, err
}
