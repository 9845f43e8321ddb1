package main

import (
	"slices"
	"strings"

	"fleetfold.dev/oracles/internal/splitmix"
)

// cases are texts, most of them valid. A text whose answer would be left to chance is drawn anew.
func cases(seed uint64) func() source {
	chance := splitmix.New(seed)
	return func() source {
		for {
			text := (&draw{Source: chance}).stream()
			if chance.Percent(15) {
				text = (&draw{Source: chance}).hurt(text)
			}
			if !warningsIn([]byte(text)).Ambiguous && !warningsInStream(text).Ambiguous {
				return source{Text: text}
			}
		}
	}
}

// draw writes one text. It knows the anchors set so far, so that most aliases have something to stand for.
type draw struct {
	*splitmix.Source
	scalars, mappings, others []string
	names                     int
}

func (d *draw) stream() string {
	text := d.document()
	for d.Percent(8) {
		text += splitmix.Pick(d.Source, "---\n", "---\n", "--- # next\n", "---  \n", "...\n---\n", "...\n",
			"---\n---\n")
		d.scalars, d.mappings, d.others = nil, nil, nil
		text += d.document()
	}
	if d.Percent(25) {
		text = strings.TrimSuffix(text, "\n")
	}
	switch kind := d.Below(100); {
	case kind < 6:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case kind < 7:
		text = strings.ReplaceAll(text, "\n", "\r")
	}
	if d.Percent(2) {
		text = "\ufeff" + text
	}
	return text
}

func (d *draw) document() string {
	start := splitmix.Pick(d.Source, "", "", "", "", "", "", "# top\n", "\n", "---\n", "---\n", "--- # doc\n",
		"  \n# a\n\n")
	if d.Percent(2) {
		start = splitmix.Pick(d.Source, "%YAML 1.1\n---\n", "%YAML 1.2\n---\n", "%TAG !e! tag:yaml.org,2002:\n---\n",
			"%TAG !! !x\n---\n", "%FOO a\n---\n")
	}
	switch kind := d.Below(100); {
	case kind < 62:
		return start + d.mapping(0, 3)
	case kind < 77:
		return start + d.list(0, 3)
	case kind < 87:
		return start + d.flow(0, 3) + d.note() + "\n"
	case kind < 90:
		return start + d.block(-1)
	case kind < 99:
		return start + d.scalar(-1, true) + d.note() + "\n"
	default:
		return start
	}
}

// mapping is a block mapping whose first line stands at column already.
func (d *draw) mapping(column, depth int) string {
	margin := strings.Repeat(" ", column)
	text := ""
	for i := range 1 + d.Below(4) {
		if i > 0 {
			text += d.between() + margin
		}
		text += d.entry(column, depth)
		if d.Percent(5) {
			text += d.between() + margin + d.merge() + d.note() + "\n"
		}
	}
	if d.Percent(4) {
		text = "<<: {m0: " + d.token() + "}\n" + margin + text
	}
	return text
}

// entry is a key with its value, to the last line break.
func (d *draw) entry(column, depth int) string {
	if d.Percent(4) {
		key := "? " + splitmix.Pick(d.Source, d.key(), d.key(), d.block(column))
		if d.Percent(3) {
			key = "? [a, b]"
		}
		if !strings.HasSuffix(key, "\n") {
			key += d.note() + "\n"
		}
		if d.Percent(25) {
			return key
		}
		return key + strings.Repeat(" ", column) + ":" + d.after(column, depth)
	}
	return d.key() + splitmix.Pick(d.Source, ":", ":", ":", ":", ":", " :") + d.after(column, depth)
}

// key is an implicit key.
func (d *draw) key() string {
	switch kind := d.Below(100); {
	case kind < 58:
		d.names++
		return d.word() + string(rune('0'+d.names%10))
	case kind < 80:
		for {
			if token := d.token(); token != "~" && token != "<<" && !strings.EqualFold(token, "null") || d.Percent(4) {
				return token
			}
		}
	case kind < 86:
		return d.single(0, false)
	case kind < 93:
		return d.double(0, false)
	case kind < 96:
		return splitmix.Pick(d.Source, "!!str ", "!foo ", "! ") + d.token()
	case kind < 98:
		name, file := d.anchor(&d.scalars)
		file()
		return "&" + name + " " + d.word() + name
	case len(d.scalars) > 0 && d.Percent(70):
		return "*" + splitmix.Pick(d.Source, d.scalars...) + splitmix.Pick(d.Source, "", " ")
	default:
		return strings.Repeat("k", splitmix.Pick(d.Source, 2, 3, 4, 5, 128, 128, 1023, 1024, 1025))
	}
}

// merge is a merge key with its value, on one line.
func (d *draw) merge() string {
	key := splitmix.Pick(d.Source, "<<", "<<", "<<", "<<", "!!merge <<", "\"<<\"", "'<<'", "!!str <<")
	pick := func() string {
		if len(d.mappings) > 0 && d.Percent(85) {
			return "*" + splitmix.Pick(d.Source, d.mappings...)
		}
		return "{m" + string(rune('0'+d.Below(10))) + ": " + d.token() + "}"
	}
	switch kind := d.Below(100); {
	case kind < 60:
		return key + ": " + pick()
	case kind < 92:
		return key + ": [" + pick() + ", " + pick() + "]"
	case kind < 95:
		return key + ": []"
	default:
		return key + ": " + splitmix.Pick(d.Source, "", "a", "[a]", "null", "[[]]")
	}
}

// list is a block list whose first line stands at column already.
func (d *draw) list(column, depth int) string {
	margin := strings.Repeat(" ", column)
	text := "-" + d.item(column, depth)
	for range d.Below(4) {
		text += d.between() + margin + "-" + d.item(column, depth)
	}
	return text
}

// item is what follows a dash, to the last line break.
func (d *draw) item(column, depth int) string {
	if depth > 0 && d.Percent(30) {
		gap := 1 + d.Below(3)
		if d.Percent(65) {
			return strings.Repeat(" ", gap) + d.mapping(column+1+gap, depth-1)
		}
		return strings.Repeat(" ", gap) + d.list(column+1+gap, depth-1)
	}
	return d.after(column, depth)
}

// after is what follows the colon or dash of a collection at column, to the last line break.
func (d *draw) after(column, depth int) string {
	gap := splitmix.Pick(d.Source, " ", " ", " ", " ", " ", "  ")
	kind := d.Below(100)
	if depth == 0 && kind < 40 {
		kind += 40
	}
	switch {
	case kind < 26:
		before, file := d.properties(&d.mappings)
		defer file()
		inner := column + 1 + d.Below(4)
		return before + d.note() + "\n" + strings.Repeat(" ", inner) + d.mapping(inner, depth-1)
	case kind < 40:
		before, file := d.properties(&d.others)
		defer file()
		inner := column + splitmix.Pick(d.Source, 1, 2, 2, 4)
		return before + d.note() + "\n" + strings.Repeat(" ", inner) + d.list(inner, depth-1)
	case kind < 52:
		before, file := d.properties(&d.others)
		defer file()
		return before + gap + d.flow(column, 2) + d.note() + "\n"
	case kind < 61:
		before, file := d.properties(&d.scalars)
		defer file()
		return before + gap + d.block(column)
	case kind < 65:
		return splitmix.Pick(d.Source, "", "", " ", "  ") + d.note() + "\n"
	case kind < 70:
		return gap + d.alias() + d.note() + "\n"
	case kind < 77:
		return gap + d.tagged() + d.note() + "\n"
	default:
		before, file := d.properties(&d.scalars)
		defer file()
		return before + gap + d.scalar(column, true) + d.note() + "\n"
	}
}

// scalar is a plain or quoted scalar under a parent at column.
func (d *draw) scalar(column int, spans bool) string {
	switch d.Below(5) {
	case 0:
		return d.single(column, spans)
	case 1:
		return d.double(column, spans)
	default:
		return d.plain(column, spans)
	}
}

func (d *draw) alias() string {
	all := append(append(append([]string{}, d.scalars...), d.mappings...), d.others...)
	if d.Percent(2) {
		return splitmix.Pick(d.Source, "*nowhere", "&z [*z]")
	}
	if len(all) == 0 {
		return d.word()
	}
	return "*" + splitmix.Pick(d.Source, all...)
}

// anchor makes a name. From here on the name stands for nothing else; once the node is written, file
// makes it known under what it stands for.
func (d *draw) anchor(under *[]string) (name string, file func()) {
	name = splitmix.Pick(d.Source, "a", "b-1", "C_2", "d", "e", "f9")
	for _, all := range []*[]string{&d.scalars, &d.mappings, &d.others} {
		*all = slices.DeleteFunc(*all, func(it string) bool { return it == name })
	}
	return name, func() {
		if !slices.Contains(*under, name) {
			*under = append(*under, name)
		}
	}
}

// properties are a tag or an anchor before a value, mostly neither.
func (d *draw) properties(under *[]string) (text string, file func()) {
	switch kind := d.Below(100); {
	case kind < 84:
		return "", func() {}
	case kind < 97:
		name, file := d.anchor(under)
		return " &" + name, file
	case under == &d.scalars:
		return " !!str", func() {}
	default:
		return splitmix.Pick(d.Source, " !foo", " !!map", " !!seq", " !", " !!str", " !foo &q"), func() {}
	}
}

// note is a comment at the end of a line, or blanks, or nothing.
func (d *draw) note() string {
	switch kind := d.Below(100); {
	case kind < 84:
		return ""
	case kind < 94:
		return splitmix.Pick(d.Source, " # note", "  #note: {", " # é", " #")
	default:
		return splitmix.Pick(d.Source, " ", "   ", "\t")
	}
}

// between is what may stand between two lines of a block collection.
func (d *draw) between() string {
	if d.Percent(88) {
		return ""
	}
	return splitmix.Pick(d.Source, "\n", "\n\n", "# note\n", "    # note\n", " \n", "\n# a\n  # b\n")
}
