package lines

import (
	"strings"
	"testing"
)

type number struct{ N int }

func double(it number) any { return number{N: 2 * it.N} }

func TestAnswersInOrderAndTakesALastLineWithoutBreak(t *testing.T) {
	var out strings.Builder
	if err := Answer(strings.NewReader("{\"N\":1}\n{\"N\":2}"), &out, double); err != nil {
		t.Fatal(err)
	}
	if want := "{\"N\":2}\n{\"N\":4}\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestStopsAtALineThatIsNoCase(t *testing.T) {
	var out strings.Builder
	err := Answer(strings.NewReader("{\"N\":1}\nnonsense\n{\"N\":3}\n"), &out, double)
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got error %v, want one that names line 2", err)
	}
	if want := "{\"N\":2}\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestGeneratesTheSameCasesFromTheSameSeed(t *testing.T) {
	counter := func(seed uint64) func() number {
		n := int(seed)
		return func() number { n++; return number{N: n} }
	}
	var out strings.Builder
	if err := Generate([]string{"-seed", "7", "-count", "2"}, &out, counter); err != nil {
		t.Fatal(err)
	}
	if want := "{\"N\":8}\n{\"N\":9}\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if err := Generate([]string{"-count", "1", "more"}, &out, counter); err == nil {
		t.Error("a stray argument was accepted")
	}
}
