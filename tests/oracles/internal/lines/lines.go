// Package lines speaks JSON lines: one case in, one answer out.
package lines

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// Failure is the answer to a case that the original refuses.
type Failure struct {
	Error string `json:"error"`
}

// Refuse turns an error of the original into its answer.
func Refuse(err error) Failure { return Failure{Error: err.Error()} }

// Answer decodes each line of in as a case and writes the reply to it as one line of out.
// A line that is not a case ends the run: the caller is broken, not the original.
//
// Replies are flushed whenever no further case is waiting, so a caller may also talk in turns.
func Answer[C any](in io.Reader, out io.Writer, reply func(C) any) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := NewWriter(out)
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) == 0 {
			return writer.Flush()
		}
		var it C
		if err := json.Unmarshal(line, &it); err != nil {
			return errors.Join(fmt.Errorf("line %d is not a case: %w", number, err), writer.Flush())
		}
		if err := writer.Write(reply(it)); err != nil {
			return err
		}
		if reader.Buffered() == 0 {
			if err := writer.Flush(); err != nil {
				return err
			}
		}
	}
}

// Writer writes values as JSON lines, characters as they are (no HTML escapes).
type Writer struct {
	buffer  *bufio.Writer
	encoder *json.Encoder
}

// NewWriter buffers lines for out; they appear at Flush.
func NewWriter(out io.Writer) *Writer {
	buffer := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	return &Writer{buffer: buffer, encoder: encoder}
}

// Write adds one line.
func (w *Writer) Write(value any) error { return w.encoder.Encode(value) }

// Flush sends all lines written so far.
func (w *Writer) Flush() error { return w.buffer.Flush() }

// Generate runs `generate -seed N -count N`: args are what follows the word, start gives case after case.
func Generate[C any](args []string, out io.Writer, start func(seed uint64) func() C) error {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	seed := flags.Uint64("seed", 1, "where the cases start")
	count := flags.Int("count", 1000, "how many cases")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	next, writer := start(*seed), NewWriter(out)
	for range *count {
		if err := writer.Write(next()); err != nil {
			return err
		}
	}
	return writer.Flush()
}

// Exit ends the process, with the error told if there is one.
func Exit(err error) {
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
