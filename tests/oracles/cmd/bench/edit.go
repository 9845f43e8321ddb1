package main

import (
	"fmt"
	"strconv"
	"strings"
)

// edit is an operation whose path is split already: it runs in place.
type edit struct {
	parents []string
	last    string
	value   any
}

func compiled(operations []operation) []edit {
	edits := make([]edit, len(operations))
	for i, it := range operations {
		parts := strings.Split(it.Path, "/")[1:]
		for j, part := range parts {
			parts[j] = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		}
		value := it.Value
		if number, ok := value.(int); ok {
			value = int64(number) // as decoding gives it
		}
		edits[i] = edit{parts[:len(parts)-1], parts[len(parts)-1], value}
	}
	return edits
}

// run sets the value. The layers of this benchmark fit its template, so a place that is not there is a mistake in them.
func (e edit) run(root object) {
	var place any = root
	for _, part := range e.parents {
		switch at := place.(type) {
		case object:
			place = at[part]
		case list:
			place = at[index(part)]
		}
	}
	switch at := place.(type) {
	case object:
		at[e.last] = e.value
	case list:
		at[index(e.last)] = e.value
	default:
		panic(fmt.Sprintf("nothing holds %q", e.last))
	}
}

func index(part string) int {
	at, err := strconv.Atoi(part)
	if err != nil {
		panic(err)
	}
	return at
}
