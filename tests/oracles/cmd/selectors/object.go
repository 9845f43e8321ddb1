package main

import (
	"encoding/json"
	"strings"

	"fleetfold.dev/oracles/internal/splitmix"
)

// object is a metav1.LabelSelector as JSON text. It is written by hand, not marshalled: half of what
// matters here (null, absent, twice, wrong case, wrong type) has no Go value.
func (d *draw) object() string {
	switch kind := d.Below(100); {
	case kind < 3:
		return "null"
	case kind < 7:
		return splitmix.Pick(d.Source, `{}`, `{"matchLabels":null}`, `{"matchExpressions":null}`,
			`{"matchLabels":{},"matchExpressions":[]}`)
	case kind < 72:
		return d.selector(false)
	case kind < 96:
		return d.selector(true)
	default:
		return splitmix.Pick(d.Source, `[]`, `true`, `1`, `[{"matchLabels":{}}]`, `{"matchLabels":[]}`,
			`{"matchExpressions":{}}`,
			`{"matchLabels":"a=b"}`, `{"matchExpressions":[null]}`, `{"matchExpressions":["a"]}`,
			`{"matchExpressions":[{}]}`)
	}
}

func (d *draw) selector(broken bool) string {
	var fields []string
	if d.Percent(60) {
		field := `"matchLabels":{` + strings.Join(d.pairs(broken), ",") + `}`
		fields = append(fields, field)
		if broken && d.Percent(6) {
			fields = append(fields, field)
		}
	}
	if d.Percent(75) {
		all := d.list(3, func() string { return d.expression(broken) })
		fields = append(fields, `"matchExpressions":[`+strings.Join(all, ",")+`]`)
	}
	if broken && d.Percent(15) {
		fields = append(fields, splitmix.Pick(d.Source, `"MatchLabels":{"a":"a"}`, `"matchlabels":{}`,
			`"matchExpression":[]`, `"other":null`, `"":1`))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// pairs are entries of matchLabels, each key once unless broken.
func (d *draw) pairs(broken bool) []string {
	seen := map[string]bool{}
	var all []string
	for range d.Below(4) {
		key, value := d.key(broken), quote(d.value(broken))
		if seen[key] && !(broken && d.Percent(50)) {
			continue
		}
		seen[key] = true
		if broken && d.Percent(15) {
			value = splitmix.Pick(d.Source, `null`, `1`, `true`, `["a"]`, `{}`, `1.5`)
		}
		all = append(all, quote(key)+":"+value)
	}
	return all
}

func (d *draw) expression(broken bool) string {
	operator := splitmix.Pick(d.Source, "In", "NotIn", "Exists", "DoesNotExist")
	fields := []string{`"key":` + quote(d.key(broken))}
	listed := operator == "In" || operator == "NotIn"
	if broken && d.Percent(25) {
		listed = !listed
	}
	shown := quote(operator)
	if broken && d.Percent(25) {
		shown = splitmix.Pick(d.Source, `"in"`, `"IN"`, `"notIn"`, `"NotExists"`, `"exists"`, `"Equals"`, `"="`, `"Gt"`,
			`"Lt"`, `""`, `" In"`, `null`, `1`)
	}
	fields = append(fields, `"operator":`+shown)
	if listed {
		items := []string{quote(d.value(broken))}
		for range d.Below(4) {
			items = append(items, quote(d.value(broken)))
		}
		if broken && d.Percent(15) {
			items = append(items, splitmix.Pick(d.Source, `null`, `1`, `true`, `[]`))
		}
		fields = append(fields, `"values":[`+strings.Join(items, ",")+`]`)
	} else if d.Percent(40) {
		fields = append(fields, splitmix.Pick(d.Source, `"values":null`, `"values":[]`))
	}
	if broken && d.Percent(12) {
		drop := d.Below(len(fields))
		fields = append(fields[:drop], fields[drop+1:]...)
	}
	if broken && d.Percent(8) {
		fields = append(fields, splitmix.Pick(d.Source, `"Key":"a"`, `"value":"a"`, `"key":"a"`, `"values":"a"`,
			`"extra":{}`))
	}
	if d.Percent(30) {
		for i := len(fields) - 1; i > 0; i-- {
			j := d.Below(i + 1)
			fields[i], fields[j] = fields[j], fields[i]
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(quoted)
}
