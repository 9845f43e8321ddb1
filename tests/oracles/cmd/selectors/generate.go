package main

import (
	"encoding/json"
	"strings"

	"fleetfold.dev/oracles/internal/splitmix"
)

// The alphabet is small so that selectors and labels meet often. Selectors and labels draw from the same
// lists; those whose names start with bad appear in selectors only.
var (
	name63    = strings.Repeat("n", 62) + "9"
	prefix253 = strings.Repeat("p.", 126) + "p"

	keys = []string{
		"a", "b", "env", "tier", "n", "in", "notin", "A.b_c-1", "example.com/zone", "app.kubernetes.io/name",
		name63, prefix253 + "/" + name63, "x/y",
	}
	values = []string{
		"", "a", "b", "prod", "dev", "in", "notin", "A", "x_y.z-1", "true", "null",
		"1", "5", "10", "007", "9223372036854775807", "9223372036854775808", name63,
	}
	numbers = []string{"0", "1", "4", "5", "6", "10", "007", "9223372036854775806", "9223372036854775807"}

	badKeys = []string{
		"", "/", "/a", "a/", "a/b/c", "A.com/a", "a..b/c", "-a/b", "a_b/c", "-a", "a-", "_a", "a.", ".a", "a b", "a*",
		"é", "a\u00a0", "日本",
		name63 + "n", prefix253 + "p/a", "x/" + name63 + "n", "a:b", "a@b", "a\\b", "a\"b", "😀",
	}
	badValues = []string{
		"-a", "a-", "_", ".", "a/b", "a b", "a*", "é", "ß", "a:b", name63 + "n", "a\tb", "\"a\"", "'a'", "+5", "-5",
		"1.", "😀", "a\u2028",
	}
	badNumbers = []string{"", "a", "1.5", "1_000", "0x10", "9223372036854775808", "1e3", "+5", "-5"}
)

func cases(seed uint64) func() selection {
	draw := &draw{splitmix.New(seed)}
	return func() selection {
		it := selection{Labels: draw.labels()}
		if draw.Percent(50) {
			text, err := json.Marshal(draw.text())
			if err != nil {
				panic(err) // a string always marshals
			}
			it.Selector = text
		} else {
			it.Selector = json.RawMessage(draw.object())
		}
		return it
	}
}

type draw struct{ *splitmix.Source }

func (d *draw) labels() map[string]string {
	set := map[string]string{}
	for range d.Below(7) {
		set[splitmix.Pick(d.Source, keys...)] = splitmix.Pick(d.Source, values...)
	}
	if d.Percent(40) {
		set["n"] = splitmix.Pick(d.Source, numbers...)
	}
	return set
}

func (d *draw) key(broken bool) string {
	if broken && d.Percent(35) {
		return splitmix.Pick(d.Source, badKeys...)
	}
	return splitmix.Pick(d.Source, keys...)
}

func (d *draw) value(broken bool) string {
	if broken && d.Percent(35) {
		return splitmix.Pick(d.Source, badValues...)
	}
	return splitmix.Pick(d.Source, values...)
}

func (d *draw) list(most int, item func() string) []string {
	var all []string
	for range d.Below(most + 1) {
		all = append(all, item())
	}
	return all
}

// text is a selector in kubectl's syntax: whole, with a broken part, hurt by an edit, or junk.
func (d *draw) text() string {
	switch kind := d.Below(100); {
	case kind < 68:
		return d.requirements(false)
	case kind < 80:
		return d.requirements(true)
	case kind < 97:
		return d.hurt(d.requirements(false))
	default:
		return strings.Join(d.list(12, func() string { return string(rune(' ' + d.Below(95))) }), "")
	}
}

func (d *draw) requirements(broken bool) string {
	all := d.list(4, func() string { return d.requirement(broken) })
	text := d.gap() + strings.Join(all, d.gap()+","+d.gap()) + d.gap()
	if broken && d.Percent(30) {
		text = splitmix.Pick(d.Source, text+",", ","+text, text+",,a", text+"(", text+")", text+"=", text+" a",
			text+"!", text+" in")
	}
	return text
}

func (d *draw) requirement(broken bool) string {
	key, gap := d.key(broken), d.gap
	switch d.Below(9) {
	case 0:
		return key + gap() + "=" + gap() + d.value(broken)
	case 1:
		return key + gap() + "==" + gap() + d.value(broken)
	case 2:
		return key + gap() + "!=" + gap() + d.value(broken)
	case 3:
		return key + " " + gap() + "in" + gap() + d.set(broken)
	case 4:
		return key + " " + gap() + "notin" + gap() + d.set(broken)
	case 5:
		return key
	case 6:
		return "!" + gap() + key
	case 7:
		number := splitmix.Pick(d.Source, numbers...)
		if broken {
			number = splitmix.Pick(d.Source, badNumbers...)
		}
		return splitmix.Pick(d.Source, "n", key) + gap() + splitmix.Pick(d.Source, ">", "<") + gap() + number
	default:
		if !broken {
			return key + "=" + d.value(false)
		}
		operator := splitmix.Pick(d.Source, "===", "=!", ">=", "<=", "<>", " IN ", " NotIn ", " gt ", " lt ", " exists",
			"!", "!==", "~", " not in ", " = = ")
		return key + operator + splitmix.Pick(d.Source, d.value(true), d.set(true))
	}
}

// set is a list in parentheses; an empty place in it stands for the empty value.
func (d *draw) set(broken bool) string {
	items := strings.Join(d.list(4, func() string { return d.gap() + d.value(broken) + d.gap() }), ",")
	if broken && d.Percent(30) {
		return splitmix.Pick(d.Source, items, "("+items, items+")", "(("+items+")", "("+items+"))", "[ "+items+"]",
			"("+items+" b)", "(="+items+")")
	}
	return "(" + items + ")"
}

// gap is white space where none is needed.
func (d *draw) gap() string {
	return splitmix.Pick(d.Source, "", "", "", "", " ", " ", "  ", "\t", "\n", "\r\n")
}

// hurt edits one to three characters of text.
func (d *draw) hurt(text string) string {
	runes := []rune(text)
	for range 1 + d.Below(3) {
		at := d.Below(len(runes) + 1)
		mark := splitmix.Pick(d.Source, []rune(" ,()=!<>-_./aA9é\u2003\"'*&|")...)
		switch {
		case d.Percent(40):
			runes = append(runes[:at], append([]rune{mark}, runes[at:]...)...)
		case at < len(runes) && d.Percent(50):
			runes = append(runes[:at], runes[at+1:]...)
		case at < len(runes):
			runes[at] = mark
		}
	}
	return string(runes)
}
