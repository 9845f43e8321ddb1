// Command bench is the Go side of the benchmarks: what the same work costs with the libraries that fleet
// controllers use.
//
//	bench write DIR                                  writes the inputs, which depend on nothing but a fixed seed
//	bench run DIR [-samples 9]                       measures on those inputs and prints one JSON line
//	bench fleet DIR [-clusters 10000]                writes a whole fleet as requests of the JSON contract
//	bench plan [-clusters 10000] [-samples 3]        measures a whole plan of that fleet and prints one JSON line
//
// Figures are nanoseconds of CPU time of the process an operation, garbage collection included, on one core:
// the minimum over the samples.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"fleetfold.dev/oracles/internal/lines"
)

func main() { lines.Exit(command(os.Args[1:])) }

func command(args []string) error {
	if len(args) < 1 {
		return errors.New("usage: bench write DIR | bench run DIR [-samples 9] | " +
			"bench fleet DIR [-clusters 10000] | bench plan [-clusters 10000] [-samples 3]")
	}
	verb, args := args[0], args[1:]
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	folder, samples, count := "", 1, 1
	if verb != "plan" {
		if len(args) < 1 {
			return fmt.Errorf("%s needs a folder", verb)
		}
		folder, args = args[0], args[1:]
	}
	if verb == "run" || verb == "plan" {
		flags.IntVar(&samples, "samples", map[string]int{"run": 9, "plan": 3}[verb],
			"how often to measure each operation")
	}
	if verb == "fleet" || verb == "plan" {
		flags.IntVar(&count, "clusters", 10_000, "how many clusters the fleet has")
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if samples < 1 || count < 1 {
		return errors.New("-samples and -clusters must be at least 1")
	}
	switch verb {
	case "write":
		return write(folder)
	case "run":
		figures, err := run(folder, samples)
		if err != nil {
			return err
		}
		return tell(figures)
	case "fleet":
		return writeFleet(folder, count)
	case "plan":
		figures, err := plan(count, samples)
		if err != nil {
			return err
		}
		return tell(figures)
	default:
		return fmt.Errorf("unknown command %q", verb)
	}
}

func tell(figures any) error {
	out := lines.NewWriter(os.Stdout)
	return errors.Join(out.Write(figures), out.Flush())
}
