package main

import (
	"strings"

	"fleetfold.dev/oracles/internal/splitmix"
)

// flow is a list or mapping in brackets; lines inside it continue right of column.
func (d *draw) flow(column, depth int) string {
	gap := func() string {
		switch kind := d.Below(100); {
		case kind < 70:
			return splitmix.Pick(d.Source, "", "", " ")
		case kind < 80:
			return splitmix.Pick(d.Source, "  ", "\t")
		case kind < 95:
			return "\n" + strings.Repeat(" ", column+1+d.Below(4))
		default:
			return " # note\n" + strings.Repeat(" ", column+1)
		}
	}
	open, end := "[", "]"
	item := d.flowItem
	if d.Percent(50) {
		open, end, item = "{", "}", d.flowEntry
	}
	var items []string
	for range d.Below(5) {
		items = append(items, gap()+item(column, depth)+gap())
	}
	text := strings.Join(items, ",")
	if len(items) > 0 && d.Percent(10) {
		text += "," + gap()
	}
	return open + text + end
}

func (d *draw) flowItem(column, depth int) string {
	if d.Percent(12) {
		return d.flowEntry(column, depth)
	}
	return d.flowValue(column, depth)
}

func (d *draw) flowEntry(column, depth int) string {
	switch kind := d.Below(100); {
	case kind < 72:
		return d.key() + ": " + d.flowValue(column, depth)
	case kind < 84:
		return d.double(0, false) + ":" + d.flowValue(column, depth)
	case kind < 90:
		return d.key()
	case kind < 94:
		return d.key() + ": "
	case kind < 97:
		return "? " + d.key() + " : " + d.flowValue(column, depth)
	default:
		return splitmix.Pick(d.Source, "? "+d.key(), d.merge(), d.key()+":"+d.token())
	}
}

func (d *draw) flowValue(column, depth int) string {
	if depth > 0 && d.Percent(25) {
		return d.flow(column, depth-1)
	}
	switch kind := d.Below(100); {
	case kind < 80:
		return d.scalar(column, d.Percent(30))
	case kind < 88:
		return d.alias() + " "
	case kind < 96:
		return d.tagged() + " "
	default:
		name, file := d.anchor(&d.scalars)
		defer file()
		return "&" + name + " " + d.token()
	}
}

// hurt breaks a text in one to three places, the way slips of hand and of tools do.
func (d *draw) hurt(text string) string {
	marks := []rune(" \t\n:-?,[]{}#&*!|>'\"%@`~=<.0aé\\\r\u0085\u2028\u2029\u00a0\ufeff\x01\x7f\ufffe")
	for range 1 + d.Below(3) {
		if d.Percent(35) {
			text = d.hurtLine(text)
			continue
		}
		runes := []rune(text)
		at := d.Below(len(runes) + 1)
		mark := splitmix.Pick(d.Source, marks...)
		switch {
		case d.Percent(45):
			runes = append(runes[:at], append([]rune{mark}, runes[at:]...)...)
		case at < len(runes) && d.Percent(60):
			runes = append(runes[:at], runes[at+1:]...)
		case at < len(runes):
			runes[at] = mark
		}
		text = string(runes)
	}
	return text
}

func (d *draw) hurtLine(text string) string {
	all := strings.SplitAfter(text, "\n")
	at := d.Below(len(all))
	switch d.Below(6) {
	case 0:
		all[at] = " " + all[at]
	case 1:
		all[at] = "\t" + all[at]
	case 2:
		all[at] = strings.TrimPrefix(all[at], " ")
	case 3:
		all[at] += all[at]
	case 4:
		all[at] = ""
	default:
		all[at] += splitmix.Pick(d.Source, "---\n", "...\n", "\t\n", "- \n", "? \n", "#\n", "}\n", "%YAML 1.1\n",
			"--- |\n", "---x\n")
	}
	return strings.Join(all, "")
}
