// Command patch answers what a JSON patch makes of an object.
//
//	{"object": {…}, "patch": [{"op": …, "path": …, …}, …]}  →  {"object": …} | {"error": "…"}
//
// Without a flag the answer is that of json-patch 4.12.0, which KubeFed ran on; as in KubeFed an operation without
// `op` is a replace. With -v5 it is that of json-patch 5.9.11, which Karmada runs on. Numbers pass as written.
// Where the library panics or would bring the process down, the answer is an error that says so.
//
// `patch generate -seed N -count N` writes cases instead of answering them.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	v4 "github.com/evanphx/json-patch"
	v5 "github.com/evanphx/json-patch/v5"

	"fleetfold.dev/oracles/internal/lines"
)

type patching struct {
	Object json.RawMessage `json:"object"`
	Patch  json.RawMessage `json:"patch"`
}

type patched struct {
	Object json.RawMessage `json:"object"`
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "generate" {
		lines.Exit(lines.Generate(os.Args[2:], os.Stdout, cases))
		return
	}
	five := flag.Bool("v5", false, "answer as json-patch 5.9.11")
	flag.Parse()
	apply := applyV4
	if *five {
		apply = applyV5
	}
	lines.Exit(lines.Answer(os.Stdin, os.Stdout, func(it patching) any { return answer(it, apply) }))
}

func answer(it patching, apply func(patching) ([]byte, error)) (reply any) {
	defer func() {
		if cause := recover(); cause != nil {
			reply = lines.Refuse(fmt.Errorf("panic: %v", cause))
		}
	}()
	object, err := apply(it)
	if err != nil {
		return lines.Refuse(err)
	}
	return patched{Object: object}
}

func applyV4(it patching) ([]byte, error) {
	patch, err := v4.DecodePatch(it.Patch)
	if err != nil {
		return nil, err
	}
	replace := json.RawMessage(`"replace"`)
	for _, operation := range patch {
		if _, named := operation["op"]; !named && operation != nil {
			operation["op"] = &replace
		}
	}
	return patch.Apply(it.Object)
}

func applyV5(it patching) ([]byte, error) {
	patch, err := v5.DecodePatch(it.Patch)
	if err != nil {
		return nil, err
	}
	for _, operation := range patch {
		if from, err := operation.From(); err == nil && operation.Kind() == "move" && strings.HasSuffix(from, "/") {
			return nil, errKnot
		}
	}
	return patch.Apply(it.Object)
}

// errKnot stands for a crash. To version 5 the empty name means the object it is looked up in, so moving the
// member of that name can put an object into itself; writing the result then overflows the stack, which no
// recover catches.
var errKnot = errors.New("fatal: moving from an empty name can tie the object into itself")
