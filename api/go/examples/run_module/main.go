// A module in a Go program: run_module MODULE.tally INPUT.npy prints what a run costs and gives. INPUT.npy has bytes in
// the shape of the module's only parameter; its result has 16 bits.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"tally"
	"unsafe"
)

// The elements of a file of NumPy's format 1.0: a header whose length is at its bytes 8 and 9.
func readNpy(path string) ([]int8, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(file) < 10 || 10+int(file[8])+256*int(file[9]) >= len(file) {
		return nil, errors.New("no .npy file with elements")
	}
	elements := file[10+int(file[8])+256*int(file[9]):]
	return unsafe.Slice((*int8)(unsafe.Pointer(&elements[0])), len(elements)), nil
}

func runModule(path string, image []int8) error {
	module, err := tally.LoadFile(path, tally.LoadOptions{}) // a module that is valid, or an error
	if err != nil {
		return err
	}
	defer module.Close()
	info, _ := module.Info()
	result, err := module.Result(0)
	if err != nil {
		return err
	}
	scores := make([]int16, 1)
	for _, dim := range result.Shape {
		scores = make([]int16, len(scores)*int(dim))
	}
	plan, err := module.Plan(tally.PlanOptions{}) // for any number of goroutines at once
	if err != nil {
		return err
	}
	defer plan.Close()
	options := tally.RunOptions{GasLimit: 20_000_000}
	err = plan.Run(context.Background(), []tally.Tensor{tally.Dense(image)}, []tally.Tensor{tally.Dense(scores)}, options)
	if err != nil {
		return err
	}
	digest, err := tally.DigestOf(tally.Dense(scores, result.Shape...))
	fmt.Printf("%d gas, digest %s\n", info.Gas, digest)
	return err
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: run_module MODULE.tally INPUT.npy")
		os.Exit(2)
	}
	image, err := readNpy(os.Args[2])
	if err == nil {
		err = runModule(os.Args[1], image)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
