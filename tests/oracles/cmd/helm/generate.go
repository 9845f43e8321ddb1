package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"fleetfold.dev/oracles/internal/splitmix"
)

// Few names, so that the generated paths and tables overlap.
var names = []string{"a", "b", "c", "d"}

// Every type of leaf.
var leaves = []any{nil, true, false, 0, 1, -7, 1.5, "", "x", "y", "1", "true", []any{}, map[string]any{}}

// Half of the cases are options, half are files of values.
func cases(seed uint64) func() question {
	d := &draw{splitmix.New(seed)}
	return func() question {
		if d.Percent(50) {
			return question{Sets: d.sets()}
		}
		it := question{Chart: d.table(3), Files: []map[string]any{}}
		for range d.Below(4) {
			it.Files = append(it.Files, d.table(3))
		}
		return it
	}
}

type draw struct{ *splitmix.Source }

// sets has each path once: Greenhouse keeps one entry for each option before Helm gets them.
func (d *draw) sets() []set {
	var sets []set
	for range 1 + d.Below(5) {
		value, err := json.Marshal(d.value(2))
		if err != nil {
			panic(err)
		}
		path := d.path()
		if !slices.ContainsFunc(sets, func(it set) bool { return it.Path == path }) {
			sets = append(sets, set{Path: path, Value: value})
		}
	}
	return sets
}

func (d *draw) value(depth int) any {
	switch kind := d.Below(10); {
	case depth > 0 && kind < 4:
		return d.table(depth)
	case depth > 0 && kind < 6:
		list := []any{}
		for range d.Below(3) {
			list = append(list, d.value(depth-1))
		}
		return list
	default:
		return splitmix.Pick(d.Source, leaves...)
	}
}

func (d *draw) table(depth int) map[string]any {
	table := map[string]any{}
	for range d.Below(5) {
		table[splitmix.Pick(d.Source, names...)] = d.value(depth - 1)
	}
	return table
}

func (d *draw) path() string {
	path := splitmix.Pick(d.Source, names...)
	for d.Percent(55) {
		switch d.Below(5) {
		case 0, 1:
			path += fmt.Sprintf("[%d]", d.Below(3))
		case 2:
			path += `\.` + splitmix.Pick(d.Source, names...)
		default:
			path += "." + splitmix.Pick(d.Source, names...)
		}
	}
	return path
}
