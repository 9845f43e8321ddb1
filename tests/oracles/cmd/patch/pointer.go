package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// escaped is one token of a JSON pointer.
func escaped(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

func sortedKeys(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }

// text is value as JSON.
func text(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // only strings, lists, maps and valid raw texts come here
	}
	return string(raw)
}
