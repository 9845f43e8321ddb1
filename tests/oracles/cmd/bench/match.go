package main

import "encoding/json"

// matchesBytes decodes both objects and asks whether live contains desired.
func matchesBytes(desired, live []byte) (bool, error) {
	var want, have any
	if err := json.Unmarshal(desired, &want); err != nil {
		return false, err
	}
	if err := json.Unmarshal(live, &have); err != nil {
		return false, err
	}
	return contains(have, want), nil
}

// matchesTyped does the same with typed objects, by way of their JSON, as an operator does that has them as structs.
func matchesTyped(desired, live any) (bool, error) {
	want, err := json.Marshal(desired)
	if err != nil {
		return false, err
	}
	have, err := json.Marshal(live)
	if err != nil {
		return false, err
	}
	return matchesBytes(want, have)
}

// contains reports whether live has all that desired asks for.
//
//  1. null asks for nothing: a typed object writes it for what was never set.
//  2. An object: each of its members, further ones are tolerated.
//  3. A list: the same length, item by item.
//  4. A scalar: the same.
func contains(live, desired any) bool {
	switch desired := desired.(type) {
	case nil:
		return true
	case map[string]any:
		live, ok := live.(map[string]any)
		if !ok {
			return false
		}
		for key, want := range desired {
			have, ok := live[key]
			if !ok && want != nil || !contains(have, want) {
				return false
			}
		}
		return true
	case []any:
		live, ok := live.([]any)
		if !ok || len(live) != len(desired) {
			return false
		}
		for i, want := range desired {
			if !contains(live[i], want) {
				return false
			}
		}
		return true
	default:
		return live == desired
	}
}
