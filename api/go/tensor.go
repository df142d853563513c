package tally

// #include <stdlib.h>
// #include <tally.h>
import "C"

import "unsafe"

// Storage is how elements are stored.
type Storage int32

// The storages: signed integers.
const (
	I8  Storage = C.TALLY_I8
	I16 Storage = C.TALLY_I16
	I32 Storage = C.TALLY_I32
	I64 Storage = C.TALLY_I64
)

// Integer is an element of a tensor.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64
}

// Tensor is a dense row-major tensor over the elements of a slice, from Dense.
type Tensor struct {
	bytes   []byte
	storage Storage
	shape   []int64
}

// Dense is a tensor over `elements`, in the shape of its parameter or result, or in `shape`.
func Dense[T Integer](elements []T, shape ...int64) Tensor {
	var zero T
	width := int(unsafe.Sizeof(zero))
	t := Tensor{shape: shape}
	for s := I8; s <= I64; s++ {
		if width == 1<<s {
			t.storage = s
		}
	}
	if len(elements) > 0 {
		t.bytes = unsafe.Slice((*byte)(unsafe.Pointer(&elements[0])), len(elements)*width)
	}
	return t
}

// cTensors are tensors in C's memory: C may not be given Go's memory by way of memory.
type cTensors struct {
	array *C.tally_tensor
	count C.size_t
	used  []unsafe.Pointer
}

func (c *cTensors) allocate(size int) unsafe.Pointer {
	memory := C.malloc(C.size_t(size + 1))
	c.used = append(c.used, memory)
	return memory
}

// newCTensors copies the elements of `tensors` too.
func newCTensors(tensors []Tensor) *cTensors {
	c := &cTensors{count: C.size_t(len(tensors))}
	size := int(unsafe.Sizeof(C.tally_tensor{}))
	c.array = (*C.tally_tensor)(c.allocate(size * len(tensors)))
	for i, given := range tensors {
		var t C.tally_tensor
		t.data = c.allocate(len(given.bytes))
		t.bytes = C.size_t(len(given.bytes))
		t.storage = C.int32_t(given.storage)
		copy(unsafe.Slice((*byte)(t.data), len(given.bytes)), given.bytes)
		if len(given.shape) > 0 {
			t.rank = C.int32_t(len(given.shape))
			shape := c.allocate(8 * len(given.shape))
			copy(unsafe.Slice((*int64)(shape), len(given.shape)), given.shape)
			t.shape = (*C.int64_t)(shape)
		}
		c.all()[i] = t
	}
	return c
}

func (c *cTensors) all() []C.tally_tensor { return unsafe.Slice(c.array, int(c.count)) }

// copyBack copies elements to where those of `tensors` are.
func (c *cTensors) copyBack(tensors []Tensor) {
	for i, t := range c.all() {
		copy(tensors[i].bytes, unsafe.Slice((*byte)(t.data), int(t.bytes)))
	}
}

func (c *cTensors) free() {
	for _, memory := range c.used {
		C.free(memory)
	}
}

// DigestOf is the digest of a value of a run, which `tally run` prints. The tensor has a shape, and the
// storage that the module says.
func DigestOf(tensor Tensor) (digest Digest, err error) {
	c := newCTensors([]Tensor{tensor})
	defer c.free()
	err = call(func(e *C.tally_error) C.tally_status { return C.tally_tensor_digest(c.array, digest.c(), e) })
	return digest, err
}
