package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v2"
	streams "k8s.io/apimachinery/pkg/util/yaml"
)

// warnings say why the answer may not be the only reasonable one.
type warnings struct {
	Duplicate bool `json:"duplicate,omitempty"`
	Ambiguous bool `json:"ambiguous,omitempty"`
	Dropped   bool `json:"dropped,omitempty"`
}

func (w warnings) or(other warnings) warnings {
	return warnings{
		Duplicate: w.Duplicate || other.Duplicate,
		Ambiguous: w.Ambiguous || other.Ambiguous,
		Dropped:   w.Dropped || other.Dropped,
	}
}

// warningsIn looks at the first document of a text that reads without error.
//
// A mapping written inside a merge key (`<<: {a: 1, a: 2}`) is the one place where a duplicate is not seen: the
// decoder below drops merged entries before anyone can look at them.
func warningsIn(text []byte) warnings {
	var written asWritten
	var merged any
	if yaml.Unmarshal(text, &written) != nil || yaml.Unmarshal(text, &merged) != nil {
		return warnings{}
	}
	rest := afterFirst(text)
	return warnings{
		Duplicate: repeats(written.value),
		Ambiguous: collides(merged),
		Dropped:   rest != nil && !errors.Is(rest, io.EOF),
	}
}

// warningsInStream is the same for every part that kubectl would cut a YAML stream into. In a part, a second document
// (after a line of dots) is dropped too.
func warningsInStream(text string) warnings {
	var all warnings
	parts := streams.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		part, err := parts.Read()
		if err != nil {
			return all
		}
		all = all.or(warningsIn(part)).or(warnings{Dropped: afterFirst(part) == nil})
	}
}

// afterFirst is what reading on after the first document gives: nil for another document, io.EOF for the end of the
// text or of a text without any document, and else the error that the original never sees.
func afterFirst(text []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var value any
	if decoder.Decode(&value) != nil {
		return io.EOF
	}
	return decoder.Decode(&value)
}

// asWritten keeps every entry of every mapping, in order, merge keys left out.
type asWritten struct{ value any }

func (w *asWritten) UnmarshalYAML(unmarshal func(any) error) error {
	// The list goes first: a list of mappings also fits a MapSlice, and comes out empty.
	var list []asWritten
	if unmarshal(&list) == nil {
		items := make([]any, len(list))
		for i, it := range list {
			items[i] = it.value
		}
		w.value = items
		return nil
	}
	var mapping yaml.MapSlice
	if unmarshal(&mapping) == nil {
		w.value = mapping
		return nil
	}
	return unmarshal(&w.value)
}

// repeats reports whether a mapping as written has two keys that print alike.
func repeats(value any) bool {
	switch value := value.(type) {
	case yaml.MapSlice:
		seen := map[string]bool{}
		for _, entry := range value {
			if name := printed(entry.Key); seen[name] || repeats(entry.Value) {
				return true
			} else {
				seen[name] = true
			}
		}
	case []any:
		for _, item := range value {
			if repeats(item) {
				return true
			}
		}
	}
	return false
}

// collides reports whether a mapping, merges done and duplicates dropped, has two keys that print alike.
func collides(value any) bool {
	switch value := value.(type) {
	case map[any]any:
		seen := map[string]bool{}
		for key, item := range value {
			if name := printed(key); seen[name] || collides(item) {
				return true
			} else {
				seen[name] = true
			}
		}
	case []any:
		for _, item := range value {
			if collides(item) {
				return true
			}
		}
	}
	return false
}

// printed is a key as it appears in JSON. Only keys that can appear there get this far.
func printed(key any) string {
	switch key := key.(type) {
	case string:
		return key
	case int:
		return strconv.Itoa(key)
	case bool:
		return strconv.FormatBool(key)
	case float64:
		switch text := strconv.FormatFloat(key, 'g', -1, 32); text {
		case "+Inf":
			return ".inf"
		case "-Inf":
			return "-.inf"
		case "NaN":
			return ".nan"
		default:
			return text
		}
	default:
		return ""
	}
}

// repeatsName reports whether an object in a JSON text names a member twice.
func repeatsName(text json.RawMessage) bool {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return repeatsNameFrom(decoder)
}

// repeatsNameFrom reads one value.
func repeatsNameFrom(decoder *json.Decoder) bool {
	token, err := decoder.Token()
	if err != nil {
		return false
	}
	found, names := false, map[string]bool{}
	switch token {
	case json.Delim('{'):
		for decoder.More() {
			name, _ := decoder.Token()
			text, _ := name.(string)
			found = found || names[text]
			names[text] = true
			found = repeatsNameFrom(decoder) || found
		}
	case json.Delim('['):
		for decoder.More() {
			found = repeatsNameFrom(decoder) || found
		}
	default:
		return false
	}
	_, err = decoder.Token()
	return found && err == nil
}
