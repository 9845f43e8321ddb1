package main

import (
	"encoding/base64"
	"fmt"
	"strings"

	"fleetfold.dev/oracles/internal/splitmix"
)

// token is a plain scalar on one line that may stand in block and in flow.
func (d *draw) token() string {
	switch kind := d.Below(100); {
	case kind < 26:
		return d.word()
	case kind < 40:
		return d.spelled(splitmix.Pick(d.Source, "yes", "no", "on", "off", "y", "n", "true", "false"))
	case kind < 46:
		return splitmix.Pick(d.Source, "~", "null", "Null", "NULL", "nULL", "=", "<<", "~x", "none", "nil", "+", ".",
			"..", "....")
	case kind < 64:
		return d.integer()
	case kind < 76:
		return d.float()
	case kind < 80:
		return splitmix.Pick(d.Source, "12:30:45", "190:20:30", "1:1", "-1:30", "20:30.5", "0:0")
	case kind < 85:
		return splitmix.Pick(d.Source, "2020-01-01", "2020-1-2", "2020-13-01", "2020-01-01T10:00:00Z",
			"2020-01-01t10:00:00+01:00",
			"2020-01-01 10:00:00", "2020-01-01 10:00:00.5", "2020-01-01 10:00:00 -5", "2020-", "20200-01-01")
	default:
		return splitmix.Pick(d.Source, "a:b", "a::b", "http://x:80/y#z", "a#b", "-a", "--a", "a-", "a b", "a  b",
			"100%", "a&b", "a*b", "a!", "a|b", "a>b",
			"a'b", "a\"b", "$x", "/a/b", "(a)", "\\n", "a\tb", "é", "日本 語", "😀", "a\u00a0b", "\u00a0a", "0123abc",
			"1.2.3", "v1", "10Gi", "1e3x", "_", "__1", "<", "<<<", ";", "^")
	}
}

func (d *draw) word() string {
	return splitmix.Pick(d.Source, "a", "b", "c", "foo", "bar", "name", "spec", "some-name", "x_y", "A.b/c", "word",
		"tail")
}

// spelled is a word as it is, capitalised, in capitals or in a mix that means nothing.
func (d *draw) spelled(word string) string {
	switch d.Below(8) {
	case 0, 1, 2:
		return word
	case 3, 4:
		return strings.ToUpper(word[:1]) + word[1:]
	case 5, 6:
		return strings.ToUpper(word)
	default:
		return word[:1] + strings.ToUpper(word[1:])
	}
}

func (d *draw) sign() string { return splitmix.Pick(d.Source, "", "", "", "", "-", "+") }

// digits is a run of one to most digits of a base, underscores strewn in now and then.
func (d *draw) digits(alphabet string, most int) string {
	var text strings.Builder
	for range 1 + d.Below(most) {
		text.WriteByte(alphabet[d.Below(len(alphabet))])
		if d.Percent(5) {
			text.WriteString(splitmix.Pick(d.Source, "_", "_", "__"))
		}
	}
	return text.String()
}

func (d *draw) integer() string {
	switch d.Below(12) {
	case 0, 1, 2:
		return d.sign() + d.digits("0123456789", 6)
	case 3:
		return d.sign() + "0" + d.digits("01234567", 4)
	case 4:
		return d.sign() + "0" + d.digits("0123456789", 4)
	case 5:
		return d.sign() + splitmix.Pick(d.Source, "0x", "0X") + d.digits("0123456789abcdefABCDEF", 6)
	case 6:
		return d.sign() + splitmix.Pick(d.Source, "0o", "0O") + d.digits("012345678", 4)
	case 7:
		return d.sign() + splitmix.Pick(d.Source, "0b", "0B", "0b+", "0b-", "0b_") + d.digits("01", 6)
	case 8:
		return splitmix.Pick(d.Source, "012", "0o14", "0x1F", "0b11", "1_000", "0", "-0", "+0", "00", "08", "0x", "0b",
			"0o", "0b2", "1_", "-_1", "+_0", "0_7")
	case 9:
		return d.sign() + splitmix.Pick(d.Source, "9007199254740993", "9223372036854775807", "9223372036854775808",
			"9223372036854775809",
			"18446744073709551615", "18446744073709551616", "99999999999999999999999")
	case 10:
		return d.sign() + splitmix.Pick(d.Source, "0x7fffffffffffffff", "0x8000000000000000", "0x8000000000000001",
			"0xffffffffffffffff", "0x10000000000000000",
			"0777777777777777777777", "01777777777777777777777", "02000000000000000000000",
			"0b"+strings.Repeat("1", 63), "0b"+strings.Repeat("1", 64), "0b"+strings.Repeat("1", 65))
	default:
		return fmt.Sprint(d.Below(100))
	}
}

func (d *draw) float() string {
	exponent := ""
	if d.Percent(45) {
		exponent = splitmix.Pick(d.Source, "e", "E") + splitmix.Pick(d.Source, "", "-", "+") + d.digits("0123456789", 2)
	}
	switch d.Below(8) {
	case 0, 1, 2:
		return d.sign() + d.digits("0123456789", 4) + "." + d.digits("0123456789", 6) + exponent
	case 3:
		return d.sign() + d.digits("0123456789", 4) + "." + exponent
	case 4:
		return d.sign() + "." + d.digits("0123456789", 4) + exponent
	case 5:
		return d.sign() + d.digits("0123456789", 17) + exponent
	case 6:
		return splitmix.Pick(d.Source, ".inf", ".Inf", ".INF", "-.inf", "+.inf", "-.INF", ".iNF", ".nan", ".NaN",
			".NAN", "-.nan", "inf", "NaN", "Infinity")
	default:
		return splitmix.Pick(d.Source, "1e400", "-1e400", "1e-400", "1e308", "1.7976931348623157e308", "5e-324",
			"2e-324", "1e21", "1e20", "1e-6", "1e-7", "0.1", "-0.0", "0.0",
			"333333333.33333329", "1.0", "1e0", "0x1p-2", "1e", "e1", "1e+", ".e1", "1..2", "1.5.2", "123456.5",
			"1234567.0", "16777217.0", "1e39")
	}
}

// single is a single-quoted scalar; one that spans lines continues at column.
func (d *draw) single(column int, spans bool) string {
	var text strings.Builder
	for range d.Below(4) {
		text.WriteString(splitmix.Pick(d.Source, d.token(), "'", " ", "  ", "# ", ": ", "\\n", "\"", "{", "- ", "\t"))
		if spans && d.Percent(12) {
			text.WriteString(d.fold(column))
		}
	}
	return quoted("'", strings.ReplaceAll(text.String(), "'", "''"))
}

// double is a double-quoted scalar.
func (d *draw) double(column int, spans bool) string {
	var text strings.Builder
	for range d.Below(5) {
		switch d.Below(5) {
		case 0, 1:
			text.WriteString(strings.ReplaceAll(strings.ReplaceAll(d.token(), "\\", "\\\\"), "\"", "\\\""))
		case 2:
			text.WriteString(splitmix.Pick(d.Source, " ", "  ", " # ", ": ", "'", "[", "\t", "}"))
		default:
			text.WriteString(d.escape())
		}
		if spans && d.Percent(12) {
			text.WriteString(splitmix.Pick(d.Source, "", "\\") + d.fold(column))
		}
	}
	return quoted("\"", text.String())
}

func (d *draw) escape() string {
	if d.Below(1000) < 4 {
		return splitmix.Pick(d.Source, "\\/", "\\q", "\\ud83d\\ude00", "\\x4", "\\U00110000", "\\'", "\\ud800")
	}
	return splitmix.Pick(d.Source, "\\0", "\\a", "\\b", "\\t", "\\n", "\\v", "\\f", "\\r", "\\e", "\\ ", "\\\"", "\\\\",
		"\\N", "\\_", "\\L", "\\P",
		"\\x41", "\\xe9", "\\u00e9", "\\u2028", "\\U0001F600", "\\\t", "\\u0000", "\\uFFFD", "\\uffff")
}

// fold is one or more line breaks inside a quoted scalar, with the blanks around them.
func (d *draw) fold(column int) string {
	before := splitmix.Pick(d.Source, "", "", " ", "\t")
	breaks := strings.Repeat("\n", splitmix.Pick(d.Source, 1, 1, 1, 2, 3))
	return before + breaks + strings.Repeat(" ", column+1+d.Below(3))
}

// plain is an unquoted scalar; one that spans lines continues right of column.
func (d *draw) plain(column int, spans bool) string {
	text := d.token()
	for spans && d.Percent(10) {
		text += strings.Repeat("\n", splitmix.Pick(d.Source, 1, 1, 2, 3)) + strings.Repeat(" ", column+1+d.Below(3)) +
			d.word()
	}
	return text
}

// block is a literal or folded scalar from its indicator to its last line break, under a parent at column (-1 for
// none).
func (d *draw) block(column int) string {
	indent := max(column, 0) + 1 + d.Below(4)
	if column < 0 {
		indent = 1 + d.Below(4)
	}
	chomp := splitmix.Pick(d.Source, "", "", "-", "+")
	header, pinned := chomp, false
	if d.Percent(15) {
		pinned = true
		digit := fmt.Sprint(indent - max(column, 0))
		header = splitmix.Pick(d.Source, digit+chomp, chomp+digit)
	}
	text := splitmix.Pick(d.Source, "|", ">") + header + splitmix.Pick(d.Source, "", "", "", " ", " # note", "#note") +
		"\n"
	margin := strings.Repeat(" ", indent)
	for range d.Below(3) {
		text += splitmix.Pick(d.Source, "", "", "\n", margin[:d.Below(indent+1)]+"\n")
	}
	first := true
	for range d.Below(6) {
		line := splitmix.Pick(d.Source, d.token(), d.word()+" "+d.token(), "# not a note", "key: value", "- item",
			"trailing  ", "---", "'quoted", "tab\tin", "{")
		switch {
		case first && !pinned:
			text += margin + line + "\n"
		case d.Percent(15):
			text += splitmix.Pick(d.Source, "", margin[:d.Below(indent)], margin, margin+"  ") + "\n"
		case d.Percent(20):
			text += margin + splitmix.Pick(d.Source, " ", "  ", "\t") + line + "\n"
		default:
			text += margin + line + "\n"
		}
		first = false
	}
	return text + strings.Repeat("\n", splitmix.Pick(d.Source, 0, 0, 0, 1, 2))
}

// tagged is a tag with a scalar on one line, mostly one that fits.
func (d *draw) tagged() string {
	tag := splitmix.Pick(d.Source, "!!str", "!!int", "!!float", "!!bool", "!!null", "!!binary", "!!timestamp", "!foo",
		"!", "!!foo", "!<tag:yaml.org,2002:str>", "!<x>", "!!merge", "!!set")
	if d.Percent(6) {
		return tag + " " + d.token()
	}
	text := d.token()
	switch tag {
	case "!!int":
		text = splitmix.Pick(d.Source, "12", "-7", "0x1F", "012", "1_000", "18446744073709551615")
	case "!!float":
		text = splitmix.Pick(d.Source, "1", "1.5", "012", "1e3", "-0.0", "9007199254740993", ".5")
	case "!!bool":
		text = splitmix.Pick(d.Source, "yes", "No", "true", "OFF", "y")
	case "!!null":
		text = splitmix.Pick(d.Source, "~", "null", "", "NULL")
	case "!!binary":
		text = base64.StdEncoding.EncodeToString([]byte(splitmix.Pick(d.Source, "", "hi", d.word(), "\xff\xfe", "é",
			"\x00")))
	case "!!timestamp":
		text = splitmix.Pick(d.Source, "2020-01-01", "2020-1-2T3:4:5Z", "2020-01-01 10:00:00")
	}
	switch {
	case text == "" && tag == "!!binary":
		return tag + " ''"
	case text != "" && d.Percent(25) && !strings.ContainsAny(text, "'\"\\"):
		return tag + " " + quoted(splitmix.Pick(d.Source, "'", "\""), text)
	default:
		return tag + " " + text
	}
}

func quoted(mark, text string) string { return mark + text + mark }
