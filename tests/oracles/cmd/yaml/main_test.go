package main

import (
	"strings"
	"testing"

	"fleetfold.dev/oracles/internal/lines"
)

func TestWordsOfYAML11AreBooleansAlsoAsKeys(t *testing.T) {
	check(t, "[no, off, n, yes, on, y, Y, yES]", `[false,false,false,true,true,true,true,"yES"]`)
	check(t, "on: 1\nn: 2", `{"false":2,"true":1}`)
}

func TestNumbers(t *testing.T) {
	check(t, "[012, 08, 1_000, 0o14, 0x1F, 0b11, 0b-1]", `[10,8,1000,12,31,3,-1]`)
	check(t, "[18446744073709551615, 18446744073709551616, 1e400]",
		`[18446744073709551615,18446744073709552000,"1e400"]`)
	check(t, "{1.0: a, 1234567.0: b, 012: c}", `{"1":"a","1.234567e+06":"b","10":"c"}`)
	refuse(t, ".inf")
	refuse(t, "a: .nan")
	refuse(t, "18446744073709551615: a")
}

func TestTimesStayText(t *testing.T) {
	check(t, "[12:30:45, 2020-01-01]", `["12:30:45","2020-01-01"]`)
}

func TestMergeKeysApplyWhereTheyStand(t *testing.T) {
	check(t, "a: &x {b: 1}\nc: {<<: *x, d: 2}", `{"a":{"b":1},"c":{"b":1,"d":2}}`)
	check(t, "b: 2\n<<: {b: 1}", `{"b":1}`)
	check(t, "<<: [{b: 1}, {b: 2}]", `{"b":1}`)
}

func TestTags(t *testing.T) {
	check(t, "[!!binary aGk=, !foo 1, !!str 1, !!float 1, !!int '0x10']", `["hi","1","1",1,16]`)
	refuse(t, "!!int a")
}

func TestRefusals(t *testing.T) {
	refuse(t, `"\ud83d\ude00"`)
	refuse(t, "&a [*a]")
	refuse(t, "~: a")
	refuse(t, "a: \x01")
	refuse(t, bomb())
}

func TestWarningsAreReported(t *testing.T) {
	for text, want := range map[string]warnings{
		"a: 1\na: 2":              {Duplicate: true},
		"- yes: 1\n  true: 2":     {Duplicate: true},
		"- - {a: {1: a, '1': b}}": {Duplicate: true, Ambiguous: true},
		"<<: {1: a}\n'1': b":      {Ambiguous: true},
		"<<: {a: 1}\na: 2":        {},
		"[1] foo":                 {Dropped: true},
		" a: 1\nb: 2":             {Dropped: true},
		"a: 1\n---\nb: 2":         {},
		"a: 1\n...\n":             {},
		"# nothing":               {},
	} {
		if got := warningsIn([]byte(text)); got != want {
			t.Errorf("%q gives %+v, want %+v", text, got, want)
		}
	}
	if got, ok := decode(source{Text: "a: 1\n...\nb: 2\n---\nc: 3\n"}).(decoded); !ok || !got.Dropped {
		t.Errorf("a document behind a line of dots gives %+v", got)
	}
	if got, ok := decode(source{Text: `{"a":[{"b":1,"b":2}]}`}).(decoded); !ok || !got.Duplicate {
		t.Errorf("a JSON document with a name twice gives %+v", got)
	}
}

func TestDecoderEndsEveryLine(t *testing.T) {
	check(t, "a: |\n  x", `{"a":"x"}`)
	checkStream(t, "a: |\n  x", `{"a":"x\n"}`)
}

func TestDecoderSplitsAsKubectlDoes(t *testing.T) {
	checkStream(t, "a: yes\n---\n# nothing\n---\nb: 1\n", `{"a":true}`, `{"b":1}`)
	checkStream(t, `{"a":1.0}{"b":2}`, `{"a":1.0}`, `{"b":2}`)
	checkStream(t, "{\"a\":1}\n---\nb: 2\n", `{"a":1}`, `{"b":2}`)
	checkStream(t, "")
	if _, ok := decode(source{Text: "--- a"}).(lines.Failure); !ok {
		t.Error("text after a separator was accepted")
	}
}

func TestMostGeneratedTextsAreValidAndNoneAmbiguous(t *testing.T) {
	const count = 5000
	next, again := cases(1), cases(1)
	valid, duplicate := 0, 0
	for range count {
		it := next()
		if it != again() {
			t.Fatal("the same seed gave another text")
		}
		if got, ok := convert(it).(converted); ok {
			valid++
			if got.Duplicate {
				duplicate++
			}
			if got.Ambiguous {
				t.Errorf("%q is ambiguous", it.Text)
			}
		}
	}
	t.Logf("%d texts: %d valid, %d of those with a duplicate", count, valid, duplicate)
	if valid < count*70/100 || valid > count*90/100 {
		t.Errorf("%d of %d texts are valid", valid, count)
	}
	if duplicate == 0 || duplicate > valid/10 {
		t.Errorf("%d of %d valid texts have a duplicate", duplicate, valid)
	}
}

// bomb is nine levels of nine aliases each.
func bomb() string {
	text := "a0: &a0 x\n"
	for level := '1'; level <= '9'; level++ {
		below := "*a" + string(level-1)
		text += "a" + string(level) + ": &a" + string(level) + " [" + strings.Repeat(below+", ", 8) + below + "]\n"
	}
	return text
}

func check(t *testing.T, text, want string) {
	t.Helper()
	if got, ok := convert(source{Text: text}).(converted); !ok || got.JSON != want {
		t.Errorf("%q gives %+v, want %s", text, convert(source{Text: text}), want)
	}
}

func refuse(t *testing.T, text string) {
	t.Helper()
	if got, ok := convert(source{Text: text}).(lines.Failure); !ok || got.Error == "" {
		t.Errorf("%q gives %+v, want an error", text, convert(source{Text: text}))
	}
}

func checkStream(t *testing.T, text string, want ...string) {
	t.Helper()
	got, ok := decode(source{Text: text}).(decoded)
	if !ok || strings.Join(got.Documents, "|") != strings.Join(want, "|") {
		t.Errorf("%q gives %+v, want %v", text, decode(source{Text: text}), want)
	}
}
