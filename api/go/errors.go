package tally

// #include <tally.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// Error is a refusal. Its Label identifies it and never changes (docs/spec/errors.md).
type Error struct {
	Status  int    // a status code of gRPC
	Stage   string // whose fault: malformed, invalid, refused, proof, file, request or fault
	Label   string
	Message string // the values at fault, for people
}

func (e *Error) Error() string { return fmt.Sprintf("tally: %s: %s", e.Label, e.Message) }

// call runs a function of tally.h with a place for its error.
func call(function func(*C.tally_error) C.tally_status) error {
	var e C.tally_error
	e.size = C.size_t(unsafe.Sizeof(e))
	if function(&e) == C.TALLY_OK {
		return nil
	}
	return &Error{int(e.status), C.GoString(&e.stage[0]), C.GoString(&e.label[0]), C.GoString(&e.message[0])}
}

// text reads a text of at most 64 KiB.
func text(function func(*C.char, C.size_t, *C.size_t, *C.tally_error) C.tally_status) (string, error) {
	buffer := make([]byte, 1<<16)
	var size C.size_t
	err := call(func(e *C.tally_error) C.tally_status {
		return function((*C.char)(unsafe.Pointer(&buffer[0])), C.size_t(len(buffer)), &size, e)
	})
	if err != nil {
		return "", err
	}
	return string(buffer[:size]), nil
}

// pointer is where the bytes of a slice are, which may be empty.
func pointer(bytes []byte) unsafe.Pointer {
	if len(bytes) == 0 {
		return unsafe.Pointer(&[1]byte{})
	}
	return unsafe.Pointer(&bytes[0])
}

// Digest is a SHA-256 digest.
type Digest [32]byte

func (d *Digest) c() *C.uint8_t { return (*C.uint8_t)(&d[0]) }

func (d Digest) String() string { return fmt.Sprintf("%x", d[:]) }

func digestOf(bytes [32]C.uint8_t) (d Digest) {
	for i, b := range bytes {
		d[i] = byte(b)
	}
	return d
}
