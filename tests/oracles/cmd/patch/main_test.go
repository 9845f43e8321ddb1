package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"fleetfold.dev/oracles/internal/lines"
)

const object = `{"kind":"Deployment","spec":{"replicas":9007199254740993,"args":["a","b"],"x/y":{"m~n":1}}}`

func TestBothVersionsApplyAndKeepDigits(t *testing.T) {
	patch := `[{"op":"replace","path":"/spec/args/1","value":9007199254740993},` +
		`{"op":"add","path":"/spec/args/-","value":"c"},` +
		`{"op":"remove","path":"/spec/x~1y/m~0n"},{"op":"test","path":"/kind","value":"Deployment"},` +
		`{"op":"copy","from":"/spec/args/0","path":"/first"},{"op":"move","from":"/kind","path":"/type"}]`
	want := `{"first":"a","spec":{"args":["a",9007199254740993,"c"],"replicas":9007199254740993,"x/y":{}},` +
		`"type":"Deployment"}`
	check(t, applyV4, patch, want)
	check(t, applyV5, patch, want)
}

func TestVersionsDifferOnReplaceOfAMissingKey(t *testing.T) {
	patch := `[{"op":"replace","path":"/new","value":1},{"op":"remove","path":"/spec"}]`
	check(t, applyV4, patch, `{"kind":"Deployment","new":1}`)
	refuse(t, applyV5, patch)
}

func TestAMissingOpIsAReplaceInKubeFedOnly(t *testing.T) {
	patch := `[{"path":"/spec","value":1}]`
	check(t, applyV4, patch, `{"kind":"Deployment","spec":1}`)
	refuse(t, applyV5, patch)
}

func TestRefusals(t *testing.T) {
	for _, patch := range []string{
		`[{"op":"add","path":"/missing/a","value":1}]`,
		`[{"op":"remove","path":"/missing"}]`,
		`[{"op":"remove","path":"/spec/args/2"}]`,
		`[{"op":"test","path":"/kind","value":"Service"}]`,
		`[{"op":"merge","path":"/kind","value":"Service"}]`,
	} {
		refuse(t, applyV4, patch)
		refuse(t, applyV5, patch)
	}
}

func TestAPanicOfTheLibraryIsAnAnswer(t *testing.T) {
	refuse(t, applyV4, `[{"op":"add","path":"/a","value":null},{"op":"add","path":"/a/b","value":1}]`)
}

func TestAKnotIsAnAnswer(t *testing.T) {
	patch := `[{"op":"add","path":"/","value":1},{"op":"move","from":"/","path":"/a"}]`
	refuse(t, applyV5, patch)
	check(t, applyV4, `[{"op":"remove","path":"/spec"},`+patch[1:], `{"a":1,"kind":"Deployment"}`)
}

func TestManyGeneratedPatchesApply(t *testing.T) {
	const count = 10000
	next, again := cases(1), cases(1)
	applied := [2]int{}
	for range count {
		it := next()
		if other := again(); !bytes.Equal(it.Object, other.Object) || !bytes.Equal(it.Patch, other.Patch) {
			t.Fatal("the same seed gave another case")
		}
		for i, apply := range []func(patching) ([]byte, error){applyV4, applyV5} {
			switch got := answer(it, apply).(type) {
			case patched:
				applied[i]++
				if !json.Valid(got.Object) {
					t.Errorf("%s patched by %s is not JSON: %s", it.Object, it.Patch, got.Object)
				}
			}
		}
	}
	t.Logf("%d cases: %d applied by version 4, %d by version 5", count, applied[0], applied[1])
	for i, n := range applied {
		if n < count*45/100 || n > count*85/100 {
			t.Errorf("version %d applies %d of %d", i+4, n, count)
		}
	}
}

func check(t *testing.T, apply func(patching) ([]byte, error), patch, want string) {
	t.Helper()
	got, ok := answer(patching{Object: []byte(object), Patch: []byte(patch)}, apply).(patched)
	if !ok {
		t.Errorf("%s is refused", patch)
		return
	}
	// Version 5 keeps the order of members; a Go map does not.
	var sorted any
	decoder := json.NewDecoder(bytes.NewReader(got.Object))
	decoder.UseNumber()
	if err := decoder.Decode(&sorted); err != nil {
		t.Fatal(err)
	}
	if text(sorted) != want {
		t.Errorf("%s gives %s, want %s", patch, text(sorted), want)
	}
}

func refuse(t *testing.T, apply func(patching) ([]byte, error), patch string) {
	t.Helper()
	if got, ok := answer(patching{Object: []byte(object), Patch: []byte(patch)}, apply).(lines.Failure); !ok {
		t.Errorf("%s gives %v, want an error", patch, got)
	}
}
