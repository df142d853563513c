// Package tally runs Tally modules: integer networks whose results are the same bytes on every machine.
//
//	module, err := tally.LoadFile("digits.tally", tally.LoadOptions{})
//	plan, err := module.Plan(tally.PlanOptions{Threads: 2})
//	scores := make([]int16, 10)
//	err = plan.Run(ctx, []tally.Tensor{tally.Dense(image)}, []tally.Tensor{tally.Dense(scores)}, tally.RunOptions{})
//
// It is a thin layer over libtally, whose tally.h has the contract. All objects may be used by many goroutines at
// once. They are closed by Close, or by the garbage collector.
package tally

// #cgo pkg-config: tally
// #include <stdlib.h>
// #include <tally.h>
import "C"

import (
	"os"
	"runtime"
	"unsafe"
)

// Version is the release of libtally.
func Version() string { return C.GoString(C.tally_version()) }

// Engine is an engine of the specification.
type Engine struct {
	Name, Summary string // what it is for, or why it is not available
	Available     bool
}

// Engines lists all of them.
func Engines() (engines []Engine) {
	for i := 0; ; i++ {
		var info C.tally_engine_info
		info.size = C.size_t(unsafe.Sizeof(info))
		if C.tally_engine(C.size_t(i), &info, nil) != C.TALLY_OK {
			return engines
		}
		engines = append(engines, Engine{C.GoString(info.name), C.GoString(info.summary), info.available == 1})
	}
}

// LoadOptions are limits of what a module may be; 0: none.
type LoadOptions struct {
	MaxBytes    uint64 // bytes of the file; more: file_size
	GasLimit    int64  // gas of a run; more: gas_limit
	MemoryLimit int64  // bytes of a run's arena; more: memory_limit
}

func (o LoadOptions) c() C.tally_load_options {
	var options C.tally_load_options
	options.size = C.size_t(unsafe.Sizeof(options))
	options.max_bytes = C.uint64_t(o.MaxBytes)
	options.gas_limit = C.int64_t(o.GasLimit)
	options.memory_limit = C.int64_t(o.MemoryLimit)
	return options
}

// Module is a module that has been validated.
type Module struct{ handle C.tally_module }

func newModule(load func(*C.tally_module, *C.tally_error) C.tally_status) (*Module, error) {
	m := &Module{}
	if err := call(func(e *C.tally_error) C.tally_status { return load(&m.handle, e) }); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(m, (*Module).Close)
	return m, nil
}

// LoadFile maps the file: whoever can write to it changes the module.
func LoadFile(path string, options LoadOptions) (*Module, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	o := options.c()
	return newModule(func(m *C.tally_module, e *C.tally_error) C.tally_status {
		return C.tally_module_load_file(name, &o, m, e)
	})
}

// Load maps an open file, which may be closed then.
func Load(file *os.File, options LoadOptions) (*Module, error) {
	o := options.c()
	defer runtime.KeepAlive(file)
	return newModule(func(m *C.tally_module, e *C.tally_error) C.tally_status {
		return C.tally_module_load_descriptor(C.int(file.Fd()), &o, m, e)
	})
}

// LoadBytes copies the bytes.
func LoadBytes(bytes []byte, options LoadOptions) (*Module, error) {
	o := options.c()
	return newModule(func(m *C.tally_module, e *C.tally_error) C.tally_status {
		return C.tally_module_load_bytes(pointer(bytes), C.size_t(len(bytes)), &o, m, e)
	})
}

// Close gives the module up; plans keep it.
func (m *Module) Close() {
	runtime.SetFinalizer(m, nil)
	C.tally_module_close(m.handle)
	m.handle = C.tally_module{}
}

// ID is what claims name the module by.
func (m *Module) ID() (id Digest, err error) {
	defer runtime.KeepAlive(m)
	err = call(func(e *C.tally_error) C.tally_status { return C.tally_module_id(m.handle, id.c(), e) })
	return id, err
}

// ResultsDigest is the digest of results at hand, as claims have it.
func (m *Module) ResultsDigest(results []Tensor) (digest Digest, err error) {
	defer runtime.KeepAlive(m)
	given := newCTensors(results)
	defer given.free()
	err = call(func(e *C.tally_error) C.tally_status {
		return C.tally_module_results_digest(m.handle, given.array, given.count, digest.c(), e)
	})
	return digest, err
}

// Info is what validation proved.
type Info struct {
	Params, Results, Instructions  int
	Gas, ArenaBytes, ConstantBytes int64
	SpecVersion                    int
	Profile                        string
}

// Info of the module.
func (m *Module) Info() (Info, error) {
	defer runtime.KeepAlive(m)
	var i C.tally_module_info
	i.size = C.size_t(unsafe.Sizeof(i))
	err := call(func(e *C.tally_error) C.tally_status { return C.tally_module_get_info(m.handle, &i, e) })
	return Info{int(i.params), int(i.results), int(i.instructions), int64(i.gas), int64(i.arena_bytes),
		int64(i.constant_bytes), int(i.spec_version), C.GoString(&i.profile[0])}, err
}

// Grid says which reals integers are: (integer - ZeroPoint) * Multiplier * 2^-Shift.
type Grid struct{ Multiplier, Shift, ZeroPoint int64 }

// Value is a parameter or a result.
type Value struct {
	Name            string
	Shape           []int64
	Storage         Storage // the narrowest that holds the interval
	Lowest, Highest int64   // least and largest element
	Grid            *Grid   // nil: integers are just integers
}

func valueOf(get func(*C.tally_value_info, *C.tally_error) C.tally_status) (Value, error) {
	var i C.tally_value_info
	i.size = C.size_t(unsafe.Sizeof(i))
	if err := call(func(e *C.tally_error) C.tally_status { return get(&i, e) }); err != nil {
		return Value{}, err
	}
	v := Value{Name: C.GoString(&i.name[0]), Storage: Storage(i.storage), Lowest: int64(i.lowest), Highest: int64(i.highest)}
	for _, dim := range i.shape[:i.rank] {
		v.Shape = append(v.Shape, int64(dim))
	}
	if i.has_grid == 1 {
		v.Grid = &Grid{int64(i.multiplier), int64(i.shift), int64(i.zero_point)}
	}
	return v, nil
}

// Param is parameter number index.
func (m *Module) Param(index int) (Value, error) {
	defer runtime.KeepAlive(m)
	return valueOf(func(i *C.tally_value_info, e *C.tally_error) C.tally_status {
		return C.tally_module_param(m.handle, C.size_t(index), i, e)
	})
}

// Result is result number index.
func (m *Module) Result(index int) (Value, error) {
	defer runtime.KeepAlive(m)
	return valueOf(func(i *C.tally_value_info, e *C.tally_error) C.tally_status {
		return C.tally_module_result(m.handle, C.size_t(index), i, e)
	})
}
