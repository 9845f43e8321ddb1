// Command yaml answers how Kubernetes reads a YAML text. The rules are written down in YAML.md.
//
//	{"text": "…"}  →  {"json": "<JSON text>"} | {"error": "…"}
//
// The answer is that of sigs.k8s.io/yaml YAMLToJSON: the first document of the text. With -decoder it is
// what kubectl reads from a file of that text, empty and null documents left out:
//
//	{"text": "…"}  →  {"documents": ["<JSON text>", …]} | {"error": "…"}
//
// Either carries what a stricter reader may object to:
//
//   - "duplicate": true if a mapping names a key twice; the last one wins here.
//   - "dropped": true if the text goes on after what was read (`[1] foo`); here the rest vanishes without a word.
//   - "ambiguous": true if two keys differ in type and print alike (`1` and `"1"`); the original picks one of the
//     values at random, so nothing can be compared.
//
// `yaml generate -seed N -count N` writes cases instead of answering them.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"strings"

	streams "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"fleetfold.dev/oracles/internal/lines"
)

type source struct {
	Text string `json:"text"`
}

type converted struct {
	JSON string `json:"json"`
	warnings
}

type decoded struct {
	Documents []string `json:"documents"`
	warnings
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "generate" {
		lines.Exit(lines.Generate(os.Args[2:], os.Stdout, cases))
		return
	}
	decoder := flag.Bool("decoder", false, "split the text into documents as kubectl does")
	flag.Parse()
	reply := convert
	if *decoder {
		reply = decode
	}
	lines.Exit(lines.Answer(os.Stdin, os.Stdout, reply))
}

func convert(it source) any {
	text, err := yaml.YAMLToJSON([]byte(it.Text))
	if err != nil {
		return lines.Refuse(err)
	}
	return converted{JSON: string(text), warnings: warningsIn([]byte(it.Text))}
}

func decode(it source) any {
	answer := decoded{Documents: []string{}, warnings: warningsInStream(it.Text)}
	stream := streams.NewYAMLOrJSONDecoder(strings.NewReader(it.Text), 4096)
	for {
		var raw json.RawMessage
		err := stream.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return answer
		}
		if err != nil {
			return lines.Refuse(err)
		}
		raw = bytes.TrimSpace(raw)
		if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
			continue
		}
		answer.Documents = append(answer.Documents, string(raw))
		answer.Duplicate = answer.Duplicate || repeatsName(raw)
	}
}
