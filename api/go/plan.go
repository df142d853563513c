package tally

// #include <stdlib.h>
// #include <tally.h>
import "C"

import (
	"context"
	"runtime"
	"unsafe"
)

// PlanOptions says how a plan is made.
type PlanOptions struct {
	Engine      string // "": cpu. Results are the same on every engine
	Arch        string // the level of instructions of the cpu engine; "": all there are
	Threads     int    // for a run; 0: one
	MemoryLimit int64  // bytes that it keeps and a run takes; more: api_plan_memory. 0: none
}

// Plan is what an engine makes of a module once. Many goroutines may run it at once.
type Plan struct{ handle C.tally_plan }

// Plan prepares the module for an engine.
func (m *Module) Plan(options PlanOptions) (*Plan, error) {
	defer runtime.KeepAlive(m)
	var o C.tally_plan_options
	o.size = C.size_t(unsafe.Sizeof(o))
	o.threads = C.int32_t(options.Threads)
	o.memory_limit = C.int64_t(options.MemoryLimit)
	for text, to := range map[*string]**C.char{&options.Engine: &o.engine, &options.Arch: &o.arch} {
		if *text != "" {
			*to = C.CString(*text)
			defer C.free(unsafe.Pointer(*to))
		}
	}
	p := &Plan{}
	err := call(func(e *C.tally_error) C.tally_status { return C.tally_plan_make(m.handle, &o, &p.handle, e) })
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(p, (*Plan).Close)
	return p, nil
}

// Close gives the plan up; runs that are in flight end by themselves.
func (p *Plan) Close() {
	runtime.SetFinalizer(p, nil)
	C.tally_plan_close(p.handle)
	p.handle = C.tally_plan{}
}

// Memory is what the plan keeps and what a run takes besides, in bytes.
func (p *Plan) Memory() (kept, run int64, err error) {
	defer runtime.KeepAlive(p)
	var i C.tally_plan_info
	i.size = C.size_t(unsafe.Sizeof(i))
	err = call(func(e *C.tally_error) C.tally_status { return C.tally_plan_get_info(p.handle, &i, e) })
	return int64(i.kept_bytes), int64(i.memory_bytes), err
}

// RunOptions are limits that every node compares in the same way; 0: none.
type RunOptions struct {
	GasLimit    int64 // the module's gas above it: gas_limit
	MemoryLimit int64 // the module's arena above it: memory_limit
	Check       bool  // compare each value with the references, which takes as long as they do
}

// withRun calls `run` with options that the context cancels.
func withRun(ctx context.Context, options RunOptions, run func(*C.tally_run_options) error) error {
	var o C.tally_run_options
	o.size = C.size_t(unsafe.Sizeof(o))
	o.gas_limit = C.int64_t(options.GasLimit)
	o.memory_limit = C.int64_t(options.MemoryLimit)
	if options.Check {
		o.check = 1
	}
	if ctx.Done() == nil {
		return run(&o)
	}
	err := call(func(e *C.tally_error) C.tally_status { return C.tally_cancellation_make(&o.cancellation, e) })
	if err != nil {
		return err
	}
	defer C.tally_cancellation_close(o.cancellation)
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ctx.Done():
			C.tally_cancel(o.cancellation, nil)
		case <-ended:
		}
	}()
	err = run(&o)
	close(ended)
	<-watched
	if refusal, ok := err.(*Error); ok && refusal.Label == "cancelled" && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Run gives one result for each result of the module, in the memory of `results`. It copies elements to and from C.
// Where the context ends first, it returns the error of the context.
func (p *Plan) Run(ctx context.Context, inputs, results []Tensor, options RunOptions) error {
	defer runtime.KeepAlive(p)
	in, out := newCTensors(inputs), newCTensors(results)
	defer in.free()
	defer out.free()
	err := withRun(ctx, options, func(o *C.tally_run_options) error {
		return call(func(e *C.tally_error) C.tally_status {
			return C.tally_plan_run(p.handle, in.array, in.count, out.array, out.count, o, e)
		})
	})
	if err == nil {
		out.copyBack(results)
	}
	return err
}
