package main

import (
	"encoding/json"
	"reflect"
	"testing"

	"fleetfold.dev/oracles/internal/lines"
)

func TestEmptyPicksAllAndNullPicksNothing(t *testing.T) {
	check(t, `{"selector":{},"labels":{"a":"b"}}`, true)
	check(t, `{"selector":"","labels":{"a":"b"}}`, true)
	check(t, `{"selector":null,"labels":{"a":"b"}}`, false)
	check(t, `{"labels":{"a":"b"}}`, false)
}

func TestObjects(t *testing.T) {
	check(t, `{"selector":{"matchLabels":{"a":"b"}},"labels":{"a":"b"}}`, true)
	check(t, `{"selector":{"matchExpressions":[{"key":"a","operator":"NotIn","values":["b"]}]},"labels":{}}`, true)
	check(t, `{"selector":{"matchExpressions":[{"key":"a","operator":"Exists"}]},"labels":{}}`, false)
	refuse(t, `{"selector":{"matchExpressions":[{"key":"a","operator":"In"}]}}`)
	refuse(t, `{"selector":{"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]}}`)
	refuse(t, `{"selector":{"matchlabels":{"a":"b"}}}`)
	refuse(t, `{"selector":{"matchLabels":{"a":"b","a":"b"}}}`)
	refuse(t, `{"selector":{"matchLabels":{"a":true}}}`)
}

func TestTexts(t *testing.T) {
	check(t, `{"selector":"env in (prod,stage),!legacy","labels":{"env":"prod"}}`, true)
	check(t, `{"selector":"n>9","labels":{"n":"10"}}`, true)
	check(t, `{"selector":"n<9","labels":{"n":"x"}}`, false)
	check(t, `{"selector":"a in (,b)","labels":{"a":""}}`, true)
	check(t, `{"selector":"in notin (in)","labels":{"in":"notin"}}`, true)
	refuse(t, `{"selector":"a,"}`)
	refuse(t, `{"selector":"a in b"}`)
	refuse(t, `{"selector":"!a=b"}`)
}

func TestMostGeneratedCasesAreValidAndManyMatch(t *testing.T) {
	const count = 20000
	next, again := cases(1), cases(1)
	var valid, picked, texts int
	for range count {
		it := next()
		if !reflect.DeepEqual(it, again()) {
			t.Fatal("the same seed gave another case")
		}
		if it.Selector[0] == '"' {
			texts++
		}
		if got, ok := verdict(it).(answer); ok {
			valid++
			if got.Verdict {
				picked++
			}
		}
		if got := verdict(selection{Selector: quoted(it.Labels), Labels: it.Labels}); got != (answer{Verdict: true}) {
			t.Fatalf("labels %v are not valid: %v", it.Labels, got)
		}
	}
	t.Logf("%d cases: %d texts, %d valid, %d of those picked", count, texts, valid, picked)
	if valid < count*60/100 || valid > count*90/100 {
		t.Errorf("%d of %d cases are valid", valid, count)
	}
	if picked < valid/5 || picked > valid*4/5 {
		t.Errorf("%d of %d valid cases match", picked, valid)
	}
	if texts < count*45/100 || texts > count*55/100 {
		t.Errorf("%d of %d cases are texts", texts, count)
	}
}

// quoted is the selector that asks for exactly these labels, so it is refused if one of them is invalid.
func quoted(set map[string]string) json.RawMessage {
	raw, err := json.Marshal(map[string]any{"matchLabels": set})
	if err != nil {
		panic(err)
	}
	return raw
}

func check(t *testing.T, line string, want bool) {
	t.Helper()
	if got := run(t, line); got != (answer{Verdict: want}) {
		t.Errorf("%s gives %v, want %v", line, got, want)
	}
}

func refuse(t *testing.T, line string) {
	t.Helper()
	if got, ok := run(t, line).(lines.Failure); !ok || got.Error == "" {
		t.Errorf("%s gives %v, want an error", line, got)
	}
}

func run(t *testing.T, line string) any {
	t.Helper()
	var it selection
	if err := json.Unmarshal([]byte(line), &it); err != nil {
		t.Fatal(err)
	}
	return verdict(it)
}
