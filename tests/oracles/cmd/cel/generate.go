package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"fleetfold.dev/oracles/internal/splitmix"
)

// kind is what an expression is meant to be worth.
type kind int

const (
	boolean kind = iota
	integer
	unsigned
	double
	text
	texts
	integers
	anything
	table
	kinds
)

// cases gives expressions that mostly fit their types and variables that mostly have what is asked of them.
func cases(seed uint64) func() question {
	draw := &draw{Source: splitmix.New(seed)}
	return func() question {
		variables, err := json.Marshal(draw.variables())
		if err != nil {
			panic(err) // maps of plain values always marshal
		}
		return question{Expression: draw.whole(), Variables: variables}
	}
}

type draw struct {
	*splitmix.Source
	scope []local
}

// local is a name that a macro has bound.
type local struct {
	name string
	kind kind
}

var (
	words = []string{"", "a", "b", "prod", "dev", "eu-de-1", "a-b-c", "héllo wörld", "x", "aaa", "abcabc", " pad ",
		"Å😀z", "1", "-7", "2.5", "true", "f",
		"v1.31.2", "tab\there", "line\nbreak", "quote'\"\\", "100%", "NaN", "1e400", "+3", "007", "9223372036854775808"}
	wholes = []string{"0", "1", "2", "3", "5", "7", "10", "-1", "-3", "42", "1000000", "0x10", "-0x1F",
		"9007199254740993",
		"9223372036854775807", "-9223372036854775808"}
	reals = []string{"0.0", "1.0", "2.5", "-1.5", "1e3", "1.5e-7", "123456789.0", "1e21", "-0.0", ".5", "3.0",
		"9007199254740993.0",
		"9223372036854775807.0", "0.1"}
	naturals = []string{"0u", "1u", "2u", "7u", "0xFFu", "18446744073709551615u", "3U"}
	patterns = []string{"a", "^a", "b$", "^$", "", ".", "^v1\\.(30|31)\\.\\d+$", "[a-c]+", "^[^-]*-", "(a|b)*c", "x?",
		"a{2}", "^a{1,2}$", "a{2,}", "\\w+\\s\\w+",
		"\\bprod\\b", "[\\d.]+", "\\Bb", "a.c", "(?:ab)+c", "[]a]", "[a-]", "a+?", "^\\S+$", "[^\\w]", "[^\\d\\s]",
		"a{,2}", "a|", "(", ")", "[", "a**", "*a", "+", "\\",
		"[z-a]", "a{3,2}", "a{1001}", "(?i)A", "\\pL", "[[:alpha:]]", "\\x41", "\\Aa", "c\\z", "\\_", "ö", "[à-ü]",
		"^*", "(){2}", "a{2}{2}", "[a\\-z]", "x*y*z*",
		"-", "\\-", "{", "}", "]", "a{b}"}
)

// variables has one shape, in which parts are missing or of another kind now and then.
func (d *draw) variables() map[string]any {
	labels := map[string]any{}
	for _, key := range []string{"env", "region", "tier", "a-b"} {
		if d.Percent(75) {
			labels[key] = d.word()
		}
	}
	taints := []any{}
	for range d.Below(3) {
		taints = append(taints, map[string]any{"key": d.word(),
			"effect": splitmix.Pick(d.Source, "NoSelect", "PreferNoSelect"), "weight": d.Below(9)})
	}
	cluster := map[string]any{
		"name": d.word(), "labels": labels, "taints": taints, "accepted": d.Percent(50), "generation": d.Below(20) - 5,
		"weight": splitmix.Pick[any](d.Source, 0.5, 2.25, -1.75, 1e30, 3),
		"status": map[string]any{"version": splitmix.Pick(d.Source, "v1.30.1", "v1.31.0", ""),
			"cpu": splitmix.Pick[any](d.Source, 4, "8", nil, 2.5)},
		"none": nil,
	}
	if d.Percent(10) {
		delete(cluster, splitmix.Pick(d.Source, "labels", "status", "name", "weight"))
	}
	return map[string]any{
		"cluster": cluster, "n": d.Below(12) - 3, "x": splitmix.Pick[any](d.Source, 2.5, -0.5, 1e21, 3.25),
		"s": d.word(), "b": d.Percent(50),
		"ns": d.list(func() any { return d.Below(9) - 2 }), "ts": d.list(func() any { return d.word() }),
		"mixed": d.list(func() any {
			return splitmix.Pick[any](d.Source, 1, 2.5, "a", true, nil, []any{1}, map[string]any{"a": 1}, 0, "")
		}),
		"m": map[string]any{"a": 1, "b": d.Below(5), d.word(): 3},
	}
}

func (d *draw) word() string { return splitmix.Pick(d.Source, words...) }

func (d *draw) list(item func() any) []any {
	all := []any{}
	for range d.Below(5) {
		all = append(all, item())
	}
	return all
}

// whole is an expression: as its type wants it, hurt by an edit, or a row of tokens.
func (d *draw) whole() string {
	d.scope = nil
	switch share := d.Below(100); {
	case share < 86:
		return d.expression(kind(d.Below(int(kinds))), 1+d.Below(4))
	case share < 96:
		return d.hurt(d.expression(kind(d.Below(int(kinds))), 1+d.Below(3)))
	default:
		return d.tokens()
	}
}

func (d *draw) expression(of kind, depth int) string {
	if d.Percent(3) {
		of = kind(d.Below(int(kinds)))
	}
	if depth <= 0 || d.Percent(8) {
		return d.leaf(of)
	}
	if d.Percent(6) {
		return "dyn(" + d.expression(of, depth-1) + ")"
	}
	if d.Percent(7) {
		return d.choice(of, depth)
	}
	if d.Percent(5) {
		return "[" + d.expression(of, depth-1) + ", " + d.expression(of, depth-1) + "][" +
			splitmix.Pick(d.Source, "0", "1", "2", "n", "1u", "dyn(1.0)", "dyn(0.5)") + "]"
	}
	switch of {
	case boolean:
		return d.boolean(depth)
	case integer:
		return d.integer(depth)
	case unsigned:
		return splitmix.Pick(d.Source, "uint("+d.number(depth-1)+")",
			d.operation(unsigned, depth, "+", "-", "*", "/", "%"), d.leaf(unsigned))
	case double:
		return splitmix.Pick(d.Source,
			"double("+splitmix.Pick(d.Source, d.number(depth-1), d.expression(text, depth-1))+")",
			d.operation(double, depth, "+", "-", "*", "/"), "-("+d.expression(double, depth-1)+")")
	case text:
		return d.text(depth)
	case texts, integers:
		return d.rows(of, depth)
	case table:
		return d.table(depth)
	default:
		return d.expression(kind(d.Below(int(anything))), depth)
	}
}

func (d *draw) choice(of kind, depth int) string {
	return fmt.Sprintf("(%s ? %s : %s)", d.expression(boolean, depth-1), d.expression(of, depth-1),
		d.expression(of, depth-1))
}

// operation is `a ? b` of one kind, in parentheses or not: how tightly operators bind is part of the question.
func (d *draw) operation(of kind, depth int, operators ...string) string {
	body := d.expression(of, depth-1) + d.gap() + splitmix.Pick(d.Source, operators...) + d.gap() +
		d.expression(of, depth-1)
	if d.Percent(50) {
		return "(" + body + ")"
	}
	return body
}

func (d *draw) number(depth int) string {
	return d.expression(splitmix.Pick(d.Source, integer, unsigned, double), depth)
}

func (d *draw) boolean(depth int) string {
	at := depth - 1
	switch d.Below(14) {
	case 0:
		return d.operation(boolean, depth, "&&", "||", "&&", "||", "==", "!=", "<")
	case 1:
		return d.expression(boolean, at) + " && " + d.expression(boolean, at) + " && " + d.expression(boolean, at)
	case 2:
		return d.expression(boolean, at) + " || " + d.expression(boolean, at) + " && " + d.expression(boolean, at)
	case 3:
		return splitmix.Pick(d.Source, "!", "!!", "!!!", "! ") +
			splitmix.Pick(d.Source, "("+d.expression(boolean, at)+")", d.leaf(boolean))
	case 4:
		return d.number(at) + " " + d.comparison() + " " + d.number(at)
	case 5:
		return d.operation(text, depth, "==", "!=", "<", "<=", ">", ">=")
	case 6:
		of := kind(d.Below(int(kinds)))
		return d.expression(of, at) + splitmix.Pick(d.Source, " == ", " != ") + d.expression(of, at)
	case 7:
		return "dyn(" + d.expression(kind(d.Below(int(kinds))), at) + ") == " +
			d.expression(kind(d.Below(int(kinds))), at)
	case 8:
		return d.expression(text, at) + "." + splitmix.Pick(d.Source, "contains", "startsWith", "endsWith") + "(" +
			d.expression(text, at) + ")"
	case 9:
		return d.expression(text, at) + ".matches(" + d.quote(splitmix.Pick(d.Source, patterns...)) + ")"
	case 10:
		if d.Percent(50) {
			return d.expression(text, at) + " in " +
				splitmix.Pick(d.Source, d.expression(texts, at), "m", "cluster.labels", "cluster",
					d.expression(table, at))
		}
		return d.expression(integer, at) + " in " +
			splitmix.Pick(d.Source, d.expression(integers, at), "mixed", "{1: 'a', 2: 'b'}", d.leaf(text))
	case 11:
		return "has(" + d.path() + ")"
	case 12:
		return d.macro(splitmix.Pick(d.Source, "all", "exists", "exists_one"), depth)
	default:
		return splitmix.Pick(d.Source,
			"bool("+splitmix.Pick(d.Source, d.expression(text, at), d.expression(boolean, at))+")",
			"type("+d.expression(anything, at)+") == "+splitmix.Pick(d.Source, "int", "string", "list", "map",
				"null_type", "double", "uint", "bool", "type(1)"))
	}
}

func (d *draw) comparison() string {
	return splitmix.Pick(d.Source, "<", "<=", ">", ">=", "==", "!=")
}

func (d *draw) integer(depth int) string {
	at := depth - 1
	switch d.Below(7) {
	case 0, 1:
		return d.operation(integer, depth, "+", "-", "*", "/", "%")
	case 2:
		return splitmix.Pick(d.Source, "-", "--", "- ", "---") +
			splitmix.Pick(d.Source, d.leaf(integer), "("+d.expression(integer, at)+")")
	case 3:
		of := d.expression(splitmix.Pick(d.Source, text, texts, integers, table), at)
		return splitmix.Pick(d.Source, "size("+of+")", of+".size()")
	case 4:
		return "int(" + splitmix.Pick(d.Source, d.number(at), d.expression(text, at)) + ")"
	case 5:
		return d.expression(text, at) + "." + splitmix.Pick(d.Source, "indexOf", "lastIndexOf") + "(" +
			d.expression(text, at) + splitmix.Pick(d.Source, "", ", "+d.expression(integer, at-1)) + ")"
	default:
		return d.operation(integer, depth, "+", "-") + " * " + d.leaf(integer)
	}
}

func (d *draw) text(depth int) string {
	at := depth - 1
	of := d.expression(text, at)
	switch d.Below(13) {
	case 0, 1:
		return d.operation(text, depth, "+")
	case 2:
		return "string(" +
			splitmix.Pick(d.Source, d.number(at), d.expression(boolean, at), d.expression(anything, at)) + ")"
	case 3:
		return of + ".charAt(" + d.expression(integer, at-1) + ")"
	case 4:
		return of + "." + splitmix.Pick(d.Source, "lowerAscii", "upperAscii", "trim", "reverse") + "()"
	case 5:
		return of + ".replace(" + d.expression(text, at-1) + ", " + d.expression(text, at-1) +
			splitmix.Pick(d.Source, "", ", "+d.leaf(integer)) + ")"
	case 6:
		return of + ".substring(" + splitmix.Pick(d.Source, "0", "1", d.leaf(integer)) +
			splitmix.Pick(d.Source, "", ", "+splitmix.Pick(d.Source, "1", "2", d.leaf(integer))) + ")"
	case 7, 8:
		return d.expression(texts, at) + ".join(" + splitmix.Pick(d.Source, "", "'-'", d.expression(text, at-1)) + ")"
	case 9:
		return "strings.quote(" + of + ")"
	case 10:
		return d.quote(splitmix.Pick(d.Source, "%s-%d", "%s", "%d%%", "a%sb%sc", "none", "%s %s", "%x", "%", "%.2f")) +
			".format([" +
			splitmix.Pick(d.Source, "", d.expression(anything, at)+", "+d.expression(integer, at),
				d.expression(anything, at), d.expression(integer, at)) + "])"
	default:
		return of
	}
}

func (d *draw) rows(of kind, depth int) string {
	at := depth - 1
	item := integer
	if of == texts {
		item = text
	}
	switch d.Below(6) {
	case 0, 1:
		var all []string
		for range d.Below(4) {
			all = append(all, d.expression(item, at))
		}
		return "[" + strings.Join(all, ", ") + splitmix.Pick(d.Source, "", "", ",") + "]"
	case 2:
		return d.operation(of, depth, "+")
	case 3:
		if of == texts {
			return d.expression(text, at) + ".split(" + d.expression(text, at-1) +
				splitmix.Pick(d.Source, "", ", "+d.leaf(integer)) + ")"
		}
		return d.leaf(of)
	case 4:
		name := d.name()
		over := d.expression(of, at)
		return over + ".filter(" + name + ", " + d.bound(name, item, boolean, at) + ")"
	default:
		name := d.name()
		from, over := item, d.expression(of, at)
		if d.Percent(40) {
			from, over = integer, d.expression(integers, at)
		}
		test := ""
		if d.Percent(30) {
			test = d.bound(name, from, boolean, at) + ", "
		}
		return over + ".map(" + name + ", " + test + d.bound(name, from, item, at) + ")"
	}
}

func (d *draw) table(depth int) string {
	at := depth - 1
	var all []string
	for range d.Below(4) {
		key := splitmix.Pick(d.Source, text, text, text, integer, boolean, unsigned, double, anything)
		all = append(all, d.leaf(key)+": "+d.expression(splitmix.Pick(d.Source, integer, integer, anything), at))
	}
	return "{" + strings.Join(all, ", ") + splitmix.Pick(d.Source, "", "", ",") + "}"
}

// macro asks something of all items. The keys of a map come in no order in the original, so only what does not
// depend on the order is asked of them.
func (d *draw) macro(form string, depth int) string {
	name := d.name()
	switch d.Below(4) {
	case 0:
		return d.expression(texts, depth-1) + "." + form + "(" + name + ", " +
			d.bound(name, text, boolean, depth-1) + ")"
	case 1:
		return splitmix.Pick(d.Source, "m", "cluster.labels", "cluster", "{'a': 1, 'b': 2}") + "." + form + "(" + name +
			", " + d.bound(name, text, boolean, depth-1) + ")"
	case 2:
		return splitmix.Pick(d.Source, "mixed", "cluster.taints") + "." + form + "(" + name + ", " +
			d.bound(name, anything, boolean, depth-1) + ")"
	default:
		return d.expression(integers, depth-1) + "." + form + "(" + name + ", " +
			d.bound(name, integer, boolean, depth-1) + ")"
	}
}

func (d *draw) name() string { return splitmix.Pick(d.Source, "i", "j", "it", "n", "s") }

// bound is an expression in which a name stands for an item.
func (d *draw) bound(name string, of, wanted kind, depth int) string {
	d.scope = append(d.scope, local{name, of})
	body := d.expression(wanted, depth)
	if d.Percent(40) {
		switch {
		case wanted == boolean && of == integer:
			body = name + " " + d.comparison() + " " + d.leaf(integer)
		case wanted == boolean && of == text:
			body = name + "." + splitmix.Pick(d.Source, "startsWith", "contains", "endsWith") + "(" + d.leaf(text) + ")"
		case wanted == boolean:
			body = splitmix.Pick(d.Source, name+" == 1", name+".effect == 'NoSelect'", "has("+name+".key)", name+" > 0",
				name+".weight < 5 && "+name+".key != ''")
		case wanted == text && of == text:
			body = name + splitmix.Pick(d.Source, ".upperAscii()", " + '!'", "")
		case wanted == of:
			body = name
		}
	}
	d.scope = d.scope[:len(d.scope)-1]
	return body
}

func (d *draw) path() string {
	return splitmix.Pick(d.Source, "cluster.name", "cluster.labels", "cluster.labels.env", "cluster.labels.tier",
		"cluster.nope", "cluster.nope.deep",
		"cluster.status.cpu", "cluster.name.x", "cluster.none.x", "cluster.taints.x", "m.a", "s.a", "n.a", "mixed.a",
		"{'a': 1}.a", "{'a': 1}.b", "(m).a", "cluster['labels'].env", "cluster", "ns[0].a")
}

func (d *draw) leaf(of kind) string {
	if d.Percent(35) {
		for _, it := range d.scope {
			if it.kind == of && d.Percent(60) {
				return it.name
			}
		}
	}
	pick := func(all ...string) string { return splitmix.Pick(d.Source, all...) }
	switch of {
	case boolean:
		return pick("true", "false", "b", "cluster.accepted", "true", "false")
	case integer:
		return pick(pick(wholes...), pick(wholes[:9]...), pick(wholes[:9]...), "n", "cluster.generation", "m.a",
			"m['b']", "ns[0]", "cluster.taints[0].weight", ".n", "cluster.status.cpu")
	case unsigned:
		return pick(naturals...)
	case double:
		return pick(pick(reals...), "x", "cluster.weight")
	case text:
		return pick(d.quote(d.word()), d.quote(d.word()), "s", "cluster.name", "cluster.labels.env",
			"cluster.labels['a-b']", "cluster.labels.region", "ts[0]", "ts[1]", "cluster.status.version")
	case texts:
		return pick("ts", "['a', 'b', 'c']", "[]", "['x']", "ts")
	case integers:
		return pick("ns", "[1, 2, 3]", "[]", "[3]", "ns", "[0, -1]")
	case table:
		return pick("m", "cluster.labels", "{}", "{'a': 1}", "cluster", "{1: 2, 3: 4}", "cluster.status")
	default:
		return pick("null", "mixed[0]", "mixed[1]", "mixed", "cluster.none", "cluster.status.cpu", "cluster.taints",
			"1", "'a'", "2.5", "true", "[1]", "m", "cluster", "int", "[null, 1]")
	}
}

// quote writes a string literal in one of its many forms.
func (d *draw) quote(word string) string {
	plain := !strings.ContainsAny(word, "'\"\\\n")
	switch kind := d.Below(8); {
	case kind == 0 && plain:
		return `"` + word + `"`
	case kind == 1 && plain:
		return `r'` + word + `'`
	case kind == 2 && plain:
		return `"""` + word + `"""`
	case kind == 3 && !strings.Contains(word, "'"):
		return `R'''` + word + `'''`
	case kind == 4:
		var all strings.Builder
		for _, it := range word {
			fmt.Fprintf(&all, `\U%08x`, it)
		}
		return `'` + all.String() + `'`
	default:
		return `'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\011`).Replace(word) + `'`
	}
}

// gap is white space where none is needed.
func (d *draw) gap() string {
	return splitmix.Pick(d.Source, " ", " ", " ", "", "  ", "\n", "\t", " // note\n")
}

// hurt edits one or two characters of text.
func (d *draw) hurt(text string) string {
	runes := []rune(text)
	for range 1 + d.Below(2) {
		at := d.Below(len(runes) + 1)
		mark := splitmix.Pick(d.Source, []rune(" ,()[]{}.=!<>-+*/%&|?:'\"\\`aAzx019ueé$#@\n;")...)
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

// tokens is a row of tokens that may or may not be an expression.
func (d *draw) tokens() string {
	var all []string
	for range 1 + d.Below(9) {
		all = append(all, splitmix.Pick(d.Source, "n", "s", "cluster", "m", "1", "2u", "0.5", "'a'", "r\"b\"", "b'c'",
			"true", "null", "(", ")", "[", "]", "{", "}", ",", ".", ":", "?",
			"+", "-", "*", "/", "%", "==", "!=", "<", "<=", "&&", "||", "!", "in", "has", "size", "map", "if", "while",
			"int", "duration", "timestamp", "9223372036854775808", "0x", "1e5", "1e", "foo", "`a`", "-1"))
	}
	return strings.Join(all, splitmix.Pick(d.Source, "", " ", " "))
}
