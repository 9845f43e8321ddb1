package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"fleetfold.dev/oracles/internal/lines"
)

func check(t *testing.T, asked, want string) {
	t.Helper()
	var it question
	if err := json.Unmarshal([]byte(asked), &it); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(answer(it))
	if err != nil || string(got) != want {
		t.Errorf("%s\n got  %s %v\n want %s", asked, got, err, want)
	}
}

func TestOptionsArePlacedInTheirOrder(t *testing.T) {
	check(t, `{"sets":[{"path":"a.b","value":1},{"path":"a.c[1]","value":"x"},{"path":"x\\.y","value":null}]}`,
		`{"object":{"a":{"b":1,"c":[null,"x"]},"x.y":null}}`)
	check(t, `{"sets":[{"path":"a","value":{"b":1}},{"path":"a.c","value":2}]}`, `{"object":{"a":{"b":1,"c":2}}}`)
	check(t, `{"sets":[{"path":"a.b","value":1},{"path":"a","value":2}]}`, `{"object":{"a":2}}`)
}

func TestWhatDoesNotFitIsAnError(t *testing.T) {
	var it question
	if err := json.Unmarshal([]byte(`{"sets":[{"path":"a","value":1},{"path":"a.b","value":2}]}`), &it); err != nil {
		t.Fatal(err)
	}
	if failure, isFailure := answer(it).(lines.Failure); !isFailure || failure.Error == "" {
		t.Errorf("got %v, want an error", answer(it))
	}
}

func TestTheLastFileWinsAndANullRemovesADefault(t *testing.T) {
	both := func(object string) string { return fmt.Sprintf(`{"object":%s,"layered":%s}`, object, object) }
	check(t, `{"chart":{"a":1,"b":{"c":1,"d":1},"e":1},"files":[{"b":{"c":2}},{"b":{"c":3},"e":null}]}`,
		both(`{"a":1,"b":{"c":3,"d":1}}`))
	check(t, `{"chart":{"a":{"b":1}},"files":[{"a":2}]}`, both(`{"a":2}`))
	check(t, `{"chart":{"a":1},"files":[]}`, both(`{"a":1}`))
}

func TestFilesMergeBeforeTheyMeetTheChart(t *testing.T) {
	check(t, `{"chart":{"a":{"b":1}},"files":[{"a":2},{"a":{"c":3}}]}`,
		`{"object":{"a":{"b":1,"c":3}},"layered":{"a":{"c":3}}}`)
}

// Helm and the engine differ here; see the table in tests/tests/helm_oracle.rs.
func TestBelowANullIsAnErrorAndBelowAnElementReplacesIt(t *testing.T) {
	check(t, `{"sets":[{"path":"a","value":null},{"path":"a.b","value":1}]}`,
		`{"error":"unable to parse key: interface conversion: interface {} is nil, not map[string]interface {}"}`)
	check(t, `{"sets":[{"path":"a[0]","value":1},{"path":"a[0].b","value":2}]}`, `{"object":{"a":[{"b":2}]}}`)
}

func TestTheSameSeedGivesTheSameCases(t *testing.T) {
	one, again := cases(7), cases(7)
	kinds := map[bool]int{}
	for range 200 {
		first, err := json.Marshal(one())
		second, other := json.Marshal(again())
		if err != nil || other != nil || string(first) != string(second) {
			t.Fatalf("%s is not %s", first, second)
		}
		var it question
		if err := json.Unmarshal(first, &it); err != nil {
			t.Fatal(err)
		}
		kinds[it.Sets != nil]++
	}
	if kinds[true] < 60 || kinds[false] < 60 {
		t.Errorf("the kinds of cases are %v", kinds)
	}
}
