// Command bench is the Go side of the benchmarks: what the same work costs with the libraries that fleet
// controllers use.
//
//	bench write DIR               writes the inputs, which depend on nothing but a fixed seed
//	bench run DIR [-samples 9]    measures on those inputs and prints one JSON line
//
// Figures are nanoseconds of CPU time of the process an operation, garbage collection included, on one core:
// the minimum over the samples.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"fleetfold.dev/peers/internal/lines"
)

func main() { lines.Exit(command(os.Args[1:])) }

func command(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: bench write DIR | bench run DIR [-samples 9]")
	}
	verb, folder := args[0], args[1]
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	samples := 0
	if verb == "run" {
		flags.IntVar(&samples, "samples", 9, "how often to measure each operation")
	}
	if err := flags.Parse(args[2:]); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	switch verb {
	case "write":
		return write(folder)
	case "run":
		if samples < 1 {
			return errors.New("-samples must be at least 1")
		}
		figures, err := run(folder, samples)
		if err != nil {
			return err
		}
		out := lines.NewWriter(os.Stdout)
		return errors.Join(out.Write(figures), out.Flush())
	default:
		return fmt.Errorf("unknown command %q", verb)
	}
}
