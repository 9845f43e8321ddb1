// Command cel answers what a CEL expression is worth, the way cel-go with its strings extension says.
//
//	{"expression": "…", "variables": {…}}
//	→  {"class": "value", "value": …} | {"class": "compile" | "runtime", "error": "…"}
//
// Every variable is declared as dyn, as Greenhouse declares its own; a whole JSON number is an int, another a double.
//
// A value is written so that nothing is lost: {"double": "<bits in hex>"}, {"uint": "…"}, {"map": [[key, value], …]},
// {"other": "<type>"}; null, booleans, ints, strings and lists are themselves.
//
// `cel generate -seed N -count N` writes cases instead of answering them.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"

	"fleetfold.dev/oracles/internal/lines"
)

type question struct {
	Expression string          `json:"expression"`
	Variables  json.RawMessage `json:"variables"`
}

type answer struct {
	Class string `json:"class"`
	Value any    `json:"value"`
	Error string `json:"error,omitempty"`
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "generate" {
		lines.Exit(lines.Generate(os.Args[2:], os.Stdout, cases))
		return
	}
	lines.Exit(lines.Answer(os.Stdin, os.Stdout, func(it question) any { return reply(it) }))
}

func reply(it question) answer {
	variables, err := read(it.Variables)
	if err != nil {
		return answer{Class: "compile", Error: err.Error()}
	}
	options := []cel.EnvOption{ext.Strings()}
	for name := range variables {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return answer{Class: "compile", Error: err.Error()}
	}
	ast, issues := env.Compile(it.Expression)
	if issues.Err() != nil {
		return answer{Class: "compile", Error: issues.Err().Error()}
	}
	program, err := env.Program(ast)
	if err != nil {
		return answer{Class: "compile", Error: err.Error()}
	}
	value, _, err := program.Eval(variables)
	if err != nil {
		return answer{Class: "runtime", Error: err.Error()}
	}
	return answer{Class: "value", Value: write(value)}
}

// read decodes the variables; whole numbers stay whole.
func read(raw json.RawMessage) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var all map[string]any
	if err := decoder.Decode(&all); err != nil {
		return nil, err
	}
	for name, value := range all {
		number, err := native(value)
		if err != nil {
			return nil, err
		}
		all[name] = number
	}
	return all, nil
}

func native(value any) (any, error) {
	var err error
	switch it := value.(type) {
	case json.Number:
		if whole, err := strconv.ParseInt(it.String(), 10, 64); err == nil {
			return whole, nil
		}
		return it.Float64()
	case []any:
		for i := range it {
			if it[i], err = native(it[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range it {
			if it[key], err = native(it[key]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

func write(value ref.Val) any {
	switch it := value.(type) {
	case types.Null:
		return nil
	case types.Bool, types.Int, types.String:
		return it.Value()
	case types.Uint:
		return map[string]any{"uint": strconv.FormatUint(uint64(it), 10)}
	case types.Double:
		return map[string]any{"double": fmt.Sprintf("%016x", math.Float64bits(float64(it)))}
	case traits.Lister:
		all := []any{}
		for each := it.Iterator(); each.HasNext() == types.True; {
			all = append(all, write(each.Next()))
		}
		return all
	case traits.Mapper:
		all := []any{}
		for each := it.Iterator(); each.HasNext() == types.True; {
			key := each.Next()
			all = append(all, []any{write(key), write(it.Get(key))})
		}
		return map[string]any{"map": all}
	default:
		return map[string]any{"other": value.Type().TypeName()}
	}
}
