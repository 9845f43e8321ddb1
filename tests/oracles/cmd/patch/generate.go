package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"fleetfold.dev/oracles/internal/splitmix"
)

// Names of members: plain, in need of escaping, and such that look like something else.
var names = []string{"a", "b", "c", "spec", "metadata", "labels", "x/y", "m~n", "~1", "", "0", "-", "é", "a.b"}

// Scalars stay text all the way, so that every digit arrives.
var scalars = []string{
	`null`, `true`, `false`, `0`, `1`, `-1`, `3`, `9007199254740993`, `-9223372036854775808`, `1.5`, `1e3`,
	`""`, `"a"`, `"b"`, `"<&>"`, `"é\n\"\\"`, `"\u2028😀"`,
}

func cases(seed uint64) func() patching {
	d := &draw{splitmix.New(seed)}
	return func() patching {
		object := d.object(3)
		var operations []string
		for range splitmix.Pick(d.Source, 1, 1, 1, 2, 2, 3, 4) {
			operations = append(operations, d.operation(object))
		}
		patch := "[" + strings.Join(operations, ",") + "]"
		if d.Below(1000) < 5 {
			patch = splitmix.Pick(d.Source, `[]`, `null`, `{}`, `[null]`, `["add"]`, `[[]]`, `[{}]`)
		}
		return patching{Object: json.RawMessage(text(object)), Patch: json.RawMessage(patch)}
	}
}

type draw struct{ *splitmix.Source }

func (d *draw) value(depth int) any {
	switch kind := d.Below(10); {
	case depth > 0 && kind < 3:
		return d.object(depth)
	case depth > 0 && kind < 6:
		list := []any{}
		for range d.Below(4) {
			list = append(list, d.value(depth-1))
		}
		return list
	default:
		return json.RawMessage(splitmix.Pick(d.Source, scalars...))
	}
}

func (d *draw) object(depth int) map[string]any {
	object := map[string]any{}
	for range d.Below(6) {
		object[splitmix.Pick(d.Source, names...)] = d.value(depth - 1)
	}
	return object
}

// operation is one step for object, as text; most are well formed, and most of those point at something.
func (d *draw) operation(object any) string {
	kind := splitmix.Pick(d.Source, "add", "add", "add", "remove", "remove", "replace", "replace", "replace", "test",
		"move", "copy")
	var path string
	var there any
	if kind == "add" {
		path = d.addable(object)
	} else {
		path, there = d.existing(object)
	}
	if d.Percent(18) {
		path = d.wrong(path)
	}
	members := []string{`"op":` + text(kind), `"path":` + text(path)}
	switch kind {
	case "add", "replace":
		members = append(members, `"value":`+text(d.value(2)))
	case "test":
		if there == nil || d.Percent(25) {
			there = d.value(1)
		}
		members = append(members, `"value":`+text(there))
	case "move", "copy":
		from := path
		if d.Percent(90) {
			path = d.addable(object)
		} else {
			path += "/" + splitmix.Pick(d.Source, "a", "0", "-")
		}
		members[1] = `"path":` + text(path)
		members = append(members, `"from":`+text(from))
	}
	if d.Percent(5) {
		members = d.malformed(members)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// existing is a pointer to a place in value, and what is there. The root is rare.
func (d *draw) existing(value any) (string, any) {
	path := ""
	for steps := 0; ; steps++ {
		var token string
		var next any
		switch at := value.(type) {
		case map[string]any:
			keys := sortedKeys(at)
			if len(keys) == 0 || d.Below(100) < stop(steps) {
				return path, value
			}
			token = splitmix.Pick(d.Source, keys...)
			next = at[token]
		case []any:
			if len(at) == 0 || d.Below(100) < stop(steps) {
				return path, value
			}
			i := d.Below(len(at))
			token, next = fmt.Sprint(i), at[i]
			if d.Percent(6) {
				token = fmt.Sprint(i - len(at))
			}
		default:
			return path, value
		}
		path += "/" + escaped(token)
		value = next
	}
}

// stop is how likely a walk ends after so many steps.
func stop(steps int) int {
	if steps == 0 {
		return 2
	}
	return 35
}

// addable is a pointer to where something may be put: in a place that is there, or beside it.
func (d *draw) addable(object any) string {
	path, there := d.existing(object)
	switch at := there.(type) {
	case map[string]any:
		return path + "/" + escaped(splitmix.Pick(d.Source, names...))
	case []any:
		return path + "/" + splitmix.Pick(d.Source, "-", "0", fmt.Sprint(d.Below(len(at)+1)), fmt.Sprint(len(at)), "-1")
	default:
		return path
	}
}

// wrong bends a pointer so that it mostly points nowhere.
func (d *draw) wrong(path string) string {
	last := strings.LastIndex(path, "/")
	parent := path[:max(last, 0)]
	return splitmix.Pick(d.Source,
		parent+"/missing", path+"/missing", path+"/missing/deeper", "/missing"+path, path+"/0", parent+"/9",
		parent+"/-", parent+"/-1", parent+"/-9",
		parent+"/01", parent+"/+1", parent+"/1e0", parent+"/ 1", parent+"/1.0", path+"/", path+"/~2", parent+"/~",
		strings.TrimPrefix(path, "/"), "a/b", "", "/", "//", "/metadata/labels/new",
		strings.ReplaceAll(path, "~", "~0"), parent+"/99999999999999999999")
}

// malformed spoils the members of an operation.
func (d *draw) malformed(members []string) []string {
	at := d.Below(len(members))
	switch d.Below(4) {
	case 0:
		return append(members[:at:at], members[at+1:]...)
	case 1:
		return append(members, splitmix.Pick(d.Source, `"extra":1`, `"from":"/a"`, `"value":null`, `"OP":"add"`))
	case 2:
		members[0] = splitmix.Pick(d.Source, `"op":"Add"`, `"op":""`, `"op":null`, `"op":1`, `"op":"merge"`,
			`"op":"append"`, `"Op":"add"`)
	default:
		members[1] = splitmix.Pick(d.Source, `"path":null`, `"path":1`, `"path":[]`, `"path":{}`, `"Path":"/a"`)
	}
	return members
}
