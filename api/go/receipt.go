package tally

// #include <stdlib.h>
// #include <tally.h>
import "C"

import (
	"context"
	"runtime"
	"unsafe"
)

// Key is an Ed25519 key that signs receipts.
type Key struct{ handle C.tally_key }

func newKey(get func(*C.tally_key, *C.tally_error) C.tally_status) (*Key, error) {
	k := &Key{}
	if err := call(func(e *C.tally_error) C.tally_status { return get(&k.handle, e) }); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(k, func(k *Key) { C.tally_key_close(k.handle) })
	return k, nil
}

// GenerateKey makes a key from the random numbers of the system.
func GenerateKey() (*Key, error) {
	return newKey(func(k *C.tally_key, e *C.tally_error) C.tally_status { return C.tally_key_generate(k, e) })
}

// ParseKey reads PKCS #8 in PEM.
func ParseKey(pem []byte) (*Key, error) {
	return newKey(func(k *C.tally_key, e *C.tally_error) C.tally_status {
		return C.tally_key_from_pem((*C.char)(pointer(pem)), C.size_t(len(pem)), k, e)
	})
}

// PEM of the key, which is secret.
func (k *Key) PEM() (string, error) {
	defer runtime.KeepAlive(k)
	return text(func(t *C.char, capacity C.size_t, size *C.size_t, e *C.tally_error) C.tally_status {
		return C.tally_key_pem(k.handle, t, capacity, size, e)
	})
}

// PublicKey is whose receipts are trusted.
type PublicKey struct{ handle C.tally_public_key }

func newPublicKey(get func(*C.tally_public_key, *C.tally_error) C.tally_status) (*PublicKey, error) {
	k := &PublicKey{}
	if err := call(func(e *C.tally_error) C.tally_status { return get(&k.handle, e) }); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(k, func(k *PublicKey) { C.tally_public_key_close(k.handle) })
	return k, nil
}

// Public key of a key.
func (k *Key) Public() (*PublicKey, error) {
	defer runtime.KeepAlive(k)
	return newPublicKey(func(p *C.tally_public_key, e *C.tally_error) C.tally_status {
		return C.tally_key_public(k.handle, p, e)
	})
}

// ParsePublicKey reads SubjectPublicKeyInfo in PEM.
func ParsePublicKey(pem []byte) (*PublicKey, error) {
	return newPublicKey(func(k *C.tally_public_key, e *C.tally_error) C.tally_status {
		return C.tally_public_key_from_pem((*C.char)(pointer(pem)), C.size_t(len(pem)), k, e)
	})
}

// PEM of the public key.
func (k *PublicKey) PEM() (string, error) {
	defer runtime.KeepAlive(k)
	return text(func(t *C.char, capacity C.size_t, size *C.size_t, e *C.tally_error) C.tally_status {
		return C.tally_public_key_pem(k.handle, t, capacity, size, e)
	})
}

// Receipt is a claim that a run gave what it gave, signed by who ran it.
type Receipt struct{ handle C.tally_receipt }

func owned(r *Receipt) *Receipt {
	runtime.SetFinalizer(r, func(r *Receipt) { C.tally_receipt_close(r.handle) })
	return r
}

// ParseReceipt reads the text of a receipt. Its signature is not looked at.
func ParseReceipt(receipt []byte) (*Receipt, error) {
	r := &Receipt{}
	err := call(func(e *C.tally_error) C.tally_status {
		return C.tally_receipt_parse((*C.char)(pointer(receipt)), C.size_t(len(receipt)), &r.handle, e)
	})
	if err != nil {
		return nil, err
	}
	return owned(r), nil
}

// Text of the receipt: what ParseReceipt reads, and `tally verify`.
func (r *Receipt) Text() (string, error) {
	defer runtime.KeepAlive(r)
	return text(func(t *C.char, capacity C.size_t, size *C.size_t, e *C.tally_error) C.tally_status {
		return C.tally_receipt_text(r.handle, t, capacity, size, e)
	})
}

// RunSigned is Run, and the receipt of the run. A run that is refused for its gas, memory or inputs has one too, beside
// the error. `nonce` is what the requester drew, or nil.
func (p *Plan) RunSigned(ctx context.Context, inputs, results []Tensor, options RunOptions, key *Key,
	nonce *Digest) (*Receipt, error) {
	defer runtime.KeepAlive(p)
	defer runtime.KeepAlive(key)
	in, out := newCTensors(inputs), newCTensors(results)
	defer in.free()
	defer out.free()
	var o C.tally_receipt_options
	o.size = C.size_t(unsafe.Sizeof(o))
	if nonce != nil {
		o.nonce = (*C.uint8_t)(in.allocate(len(nonce)))
		copy(unsafe.Slice((*byte)(unsafe.Pointer(o.nonce)), len(nonce)), nonce[:])
	}
	r := &Receipt{}
	err := withRun(ctx, options, func(run *C.tally_run_options) error {
		return call(func(e *C.tally_error) C.tally_status {
			return C.tally_plan_run_signed(p.handle, in.array, in.count, out.array, out.count, run, key.handle, &o,
				&r.handle, e)
		})
	})
	if err == nil {
		out.copyBack(results)
	}
	if r.handle.handle == 0 {
		return nil, err
	}
	return owned(r), err
}

// ReceiptInfo is what a receipt says. Nil: it does not say it.
type ReceiptInfo struct {
	Claim, Module, Inputs, Key Digest
	Results, Nonce, Trace      *Digest
	Gas, IssuedAt              uint64
	Status                     string // "ok", or the label of a refusal
}

// Info of the receipt.
func (r *Receipt) Info() (ReceiptInfo, error) {
	defer runtime.KeepAlive(r)
	var i C.tally_receipt_info
	i.size = C.size_t(unsafe.Sizeof(i))
	err := call(func(e *C.tally_error) C.tally_status { return C.tally_receipt_get_info(r.handle, &i, e) })
	where := func(has C.int32_t, bytes [32]C.uint8_t) *Digest {
		if has == 0 {
			return nil
		}
		d := digestOf(bytes)
		return &d
	}
	return ReceiptInfo{digestOf(i.claim), digestOf(i.module), digestOf(i.inputs), digestOf(i.key),
		where(i.has_results, i.results), where(i.has_nonce, i.nonce), where(i.has_trace, i.trace),
		uint64(i.gas), uint64(i.issued_at), C.GoString(&i.status[0])}, err
}

// Finding is a word and its reason (docs/spec/receipt.md).
type Finding struct {
	Holds                bool
	Word, Label, Message string
	Compared             Compared
}

// Compared says what was looked at, beside digests and signature, and is what the receipt says.
type Compared struct{ Module, Inputs, Results, Trace, Certificate bool }

func find(ask func(*C.tally_finding, *C.tally_error) C.tally_status) (Finding, error) {
	var f C.tally_finding
	f.size = C.size_t(unsafe.Sizeof(f))
	err := call(func(e *C.tally_error) C.tally_status { return ask(&f, e) })
	has := func(bit C.uint32_t) bool { return f.compared&bit != 0 }
	compared := Compared{has(C.TALLY_COMPARED_MODULE), has(C.TALLY_COMPARED_INPUTS), has(C.TALLY_COMPARED_RESULTS),
		has(C.TALLY_COMPARED_TRACE), has(C.TALLY_COMPARED_CERTIFICATE)}
	return Finding{f.holds == 1, C.GoString(&f.word[0]), C.GoString(&f.label[0]), C.GoString(&f.message[0]),
		compared}, err
}

// Evidence is what a verifier has beside the key. All that is not nil is compared.
type Evidence struct {
	Nonce       *Digest // the request's
	Results     *Digest // Module.ResultsDigest of those at hand
	Certificate []byte  // a file that is said to convict the receipt
	Expansion   *Digest // the digest of the one that the executor has sent in a dispute
}

// Verify says whether the receipt is what it says: signature, digests, and what is at hand.
func (r *Receipt) Verify(key *PublicKey, given Evidence) (Finding, error) {
	defer runtime.KeepAlive(r)
	defer runtime.KeepAlive(key)
	var evidence C.tally_evidence
	evidence.size = C.size_t(unsafe.Sizeof(evidence))
	evidence.key = key.handle
	place := func(bytes []byte) *C.uint8_t {
		return (*C.uint8_t)(C.CBytes(bytes)) // not nil for no bytes: C.CBytes allocates one at least
	}
	for digest, to := range map[**C.uint8_t]*Digest{
		&evidence.nonce: given.Nonce, &evidence.results: given.Results, &evidence.expansion: given.Expansion} {
		if to != nil {
			*digest = place(to[:])
			defer C.free(unsafe.Pointer(*digest))
		}
	}
	if given.Certificate != nil {
		evidence.certificate = place(given.Certificate)
		evidence.certificate_size = C.size_t(len(given.Certificate))
		defer C.free(unsafe.Pointer(evidence.certificate))
	}
	return find(func(f *C.tally_finding, e *C.tally_error) C.tally_status {
		return C.tally_receipt_verify(r.handle, &evidence, f, e)
	})
}

// Recompute runs the claim again and says whether it gives the same.
func (r *Receipt) Recompute(ctx context.Context, plan *Plan, inputs []Tensor, options RunOptions) (found Finding, err error) {
	defer runtime.KeepAlive(r)
	defer runtime.KeepAlive(plan)
	in := newCTensors(inputs)
	defer in.free()
	err = withRun(ctx, options, func(o *C.tally_run_options) (err error) {
		found, err = find(func(f *C.tally_finding, e *C.tally_error) C.tally_status {
			return C.tally_receipt_recompute(r.handle, plan.handle, in.array, in.count, o, f, e)
		})
		return err
	})
	return found, err
}

// Verdict of the judge of certificates (docs/spec/certificate.md).
type Verdict struct {
	Convicted   bool    // whoever signed this claim with this trace
	Claim       Digest  // compare it with what somebody has signed
	Trace       *Digest // nil: the claim is wrong with any
	Expansion   *Digest // not nil: nobody is convicted but who has answered with it in a dispute; anybody can invent one
	Label, Text string
}

// CheckCertificate judges a certificate of fraud, of any bytes.
func CheckCertificate(certificate []byte) Verdict {
	var v C.tally_verdict
	v.size = C.size_t(unsafe.Sizeof(v))
	C.tally_check_certificate((*C.uint8_t)(pointer(certificate)), C.size_t(len(certificate)), &v)
	verdict := Verdict{Convicted: v.convicted == 1, Claim: digestOf(v.claim), Label: C.GoString(&v.label[0]),
		Text: C.GoString(&v.text[0])}
	if v.has_trace == 1 {
		trace := digestOf(v.trace)
		verdict.Trace = &trace
	}
	if v.has_columns == 1 {
		expansion := digestOf(v.columns)
		verdict.Expansion = &expansion
	}
	return verdict
}
