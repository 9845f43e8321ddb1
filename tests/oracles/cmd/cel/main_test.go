package main

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestAnswers(t *testing.T) {
	check(t, `1 + n`, `{"class":"value","value":3}`)
	check(t, `x / 2.0`, `{"class":"value","value":{"double":"3fe8000000000000"}}`)
	check(t, `{'a': [1u, null]}`, `{"class":"value","value":{"map":[["a",[{"uint":"1"},null]]]}}`)
	check(t, `type(n)`, `{"class":"value","value":{"other":"type"}}`)
	check(t, `m.a.split('-').join('_').upperAscii()`, `{"class":"value","value":"A_B"}`)
}

func TestRefusals(t *testing.T) {
	for expression, want := range map[string]string{
		`1 +`: "compile", `nope`: "compile", `1 + 'a'`: "compile", `n + 'a'`: "runtime", `m.b`: "runtime",
		`1 / 0`: "runtime",
	} {
		if got := ask(expression); got.Class != want || got.Error == "" {
			t.Errorf("%s gives %v, want an error of class %s", expression, got, want)
		}
	}
}

func TestGeneratedCasesAreOfEveryClass(t *testing.T) {
	const count = 5000
	next, again := cases(1), cases(1)
	classes := map[string]int{}
	for range count {
		it := next()
		if !reflect.DeepEqual(it, again()) {
			t.Fatal("the same seed gave another case")
		}
		classes[reply(it).Class]++
	}
	t.Logf("%d cases: %v", count, classes)
	for class, least := range map[string]int{"value": 45, "runtime": 15, "compile": 12} {
		if classes[class] < count*least/100 {
			t.Errorf("%d of %d cases are of class %s", classes[class], count, class)
		}
	}
}

func check(t *testing.T, expression, want string) {
	t.Helper()
	got, err := json.Marshal(ask(expression))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s gives %s, want %s", expression, got, want)
	}
}

func ask(expression string) answer {
	return reply(question{Expression: expression, Variables: json.RawMessage(`{"n":2,"x":1.5,"m":{"a":"a-b"}}`)})
}
