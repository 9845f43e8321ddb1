// The raw module under wazero: answers every vector and prints the same digest as every other host. With `answers` it
// prints the answers themselves, and then that to a file, which is one request, whatever it is made of.
//
//	fleetfold vectors DIR --requests | anywhere MODULE PAGES MILLISECONDS [answers [FILE]]
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// What the module needs beyond WebAssembly 1.0, and nothing else: one that needs more is refused.
const features = api.CoreFeatureBulkMemoryOperations | api.CoreFeatureNonTrappingFloatToIntConversion |
	api.CoreFeatureSignExtensionOps

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("wanted: MODULE PAGES MILLISECONDS [answers [FILE]]")
	}
	pages, err := strconv.ParseUint(args[1], 10, 32)
	if err != nil {
		return err
	}
	milliseconds, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	wasm, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	host, err := load(ctx, wasm, uint32(pages))
	if err != nil {
		return err
	}
	host.deadline = time.Duration(milliseconds) * time.Millisecond
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	if len(args) == 3 {
		return printDigest(ctx, host, input)
	}
	if _, err := each(input, func(requests []string) error { return host.print(ctx, requests) }); err != nil ||
		len(args) == 4 {
		return err
	}
	request, err := os.ReadFile(args[4])
	if err != nil {
		return err
	}
	return host.print(ctx, []string{string(request)})
}

type host struct {
	runtime  wazero.Runtime
	module   wazero.CompiledModule
	deadline time.Duration
}

// Compiled once, for as many workspaces as are wanted.
func load(ctx context.Context, wasm []byte, pages uint32) (*host, error) {
	config := wazero.NewRuntimeConfig().WithCoreFeatures(features)
	runtime := wazero.NewRuntimeWithConfig(ctx, config.WithMemoryLimitPages(pages).WithCloseOnContextDone(true))
	module, err := runtime.CompileModule(ctx, wasm)
	return &host{runtime: runtime, module: module}, err
}

// One vector, in a workspace of its own and within the deadline.
func (h *host) answers(ctx context.Context, requests []string) (answers []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, h.deadline)
	defer cancel()
	instance, err := h.runtime.InstantiateModule(ctx, h.module, wazero.NewModuleConfig())
	if err != nil {
		return nil, err
	}
	defer instance.Close(ctx)
	for _, request := range requests {
		answer, err := Call(ctx, instance, request)
		if err != nil {
			return answers, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// A fault is one vector's own: it is printed, and what comes next is answered.
func (h *host) print(ctx context.Context, requests []string) error {
	answers, failed := h.answers(ctx, requests)
	for _, answer := range answers {
		fmt.Println(answer)
	}
	if failed != nil {
		fmt.Printf("failed: %q\n", failed.Error())
	}
	return nil
}

func printDigest(ctx context.Context, host *host, input []byte) error {
	hash := sha256.New()
	count, err := each(input, func(requests []string) error {
		answers, failed := host.answers(ctx, requests)
		for _, answer := range answers {
			io.WriteString(hash, answer+"\n")
		}
		return failed
	})
	if err == nil {
		fmt.Printf("answers sha256:%x\n%d answered\n", hash.Sum(nil), count)
	}
	return err
}

// Each line is one vector: a JSON list of requests. Says how many there were.
func each(input []byte, do func(requests []string) error) (int, error) {
	lines := bytes.Split(bytes.TrimRight(input, "\n"), []byte("\n"))
	for _, line := range lines {
		var requests []string
		if err := json.Unmarshal(line, &requests); err != nil {
			return 0, err
		}
		if err := do(requests); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}
