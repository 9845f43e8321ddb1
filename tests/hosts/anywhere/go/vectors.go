// The raw module under wazero: answers every vector and prints the same digest as every other host. With `answers` it
// prints the answers themselves, with `bytes` standard input is one request, whatever it is made of.
//
//	fleetfold vectors DIR --requests | anywhere MODULE PAGES MILLISECONDS [answers|bytes]
package main

import (
	"bufio"
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
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("wanted: MODULE PAGES MILLISECONDS [answers|bytes]")
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
	open, err := load(wasm, uint32(pages), time.Duration(milliseconds)*time.Millisecond)
	if err != nil {
		return err
	}
	input, err := io.ReadAll(bufio.NewReader(os.Stdin))
	if err != nil {
		return err
	}
	switch mode := append(args, "digest", "")[3]; mode {
	case "bytes":
		answers, err := open([]string{string(input)})
		fmt.Println(append(answers, "")[0])
		return err
	case "answers":
		return each(input, func(requests []string) error {
			answers, err := open(requests)
			for _, answer := range answers {
				fmt.Println(answer)
			}
			if err != nil {
				fmt.Printf("failed: %q\n", err.Error())
			}
			return nil
		})
	default:
		return digest(input, open)
	}
}

// What answers the requests of one vector, in a workspace of its own.
type workspace func(requests []string) ([]string, error)

// Compiled once, for as many workspaces as are wanted.
func load(wasm []byte, pages uint32, deadline time.Duration) (workspace, error) {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(pages).WithCloseOnContextDone(true)
	runtime := wazero.NewRuntimeWithConfig(ctx, config)
	module, err := runtime.CompileModule(ctx, wasm)
	if err != nil {
		return nil, err
	}
	return func(requests []string) (answers []string, err error) {
		ctx, cancel := context.WithTimeout(ctx, deadline)
		defer cancel()
		instance, err := runtime.InstantiateModule(ctx, module, wazero.NewModuleConfig())
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
	}, nil
}

func digest(input []byte, open workspace) error {
	hash, answered := sha256.New(), 0
	err := each(input, func(requests []string) error {
		answers, err := open(requests)
		for _, answer := range answers {
			io.WriteString(hash, answer+"\n")
		}
		answered++
		return err
	})
	if err == nil {
		fmt.Printf("answers sha256:%x\n%d answered\n", hash.Sum(nil), answered)
	}
	return err
}

// Each line is one vector: a JSON list of requests.
func each(input []byte, with func(requests []string) error) error {
	for _, line := range bytes.Split(bytes.TrimRight(input, "\n"), []byte("\n")) {
		var requests []string
		if err := json.Unmarshal(line, &requests); err != nil {
			return err
		}
		if err := with(requests); err != nil {
			return err
		}
	}
	return nil
}
