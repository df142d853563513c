package tally

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"
)

// A module of the folder that TALLY_TEST_MODULES names: negative.tally, y = -x of 2 x 3 elements in [-100, 100], and
// long.tally, which takes minutes. //examples/embed:embed_test makes them.
func load(t *testing.T, name string) *Module {
	folder := os.Getenv("TALLY_TEST_MODULES")
	if folder == "" {
		t.Skip("TALLY_TEST_MODULES names no folder with negative.tally and long.tally")
	}
	m, err := LoadFile(filepath.Join(folder, name), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func plan(t *testing.T, name string) *Plan {
	p, err := load(t, name).Plan(PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func label(err error) string {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal.Label
	}
	return ""
}

func TestModule(t *testing.T) {
	m := load(t, "negative.tally")
	info, err := m.Info()
	if err != nil || info.Params != 1 || info.Results != 1 || info.Profile != "core" {
		t.Error(info, err)
	}
	value, err := m.Param(0)
	want := Value{Name: "x", Shape: []int64{2, 3}, Storage: I8, Lowest: -100, Highest: 100, Grid: &Grid{3, 4, -2}}
	if err != nil || !reflect.DeepEqual(value, want) {
		t.Error(value, err)
	}
	if _, err := m.Result(1); label(err) != "api_index" {
		t.Error(err)
	}
	id, err := m.ID()
	if err != nil || id == (Digest{}) {
		t.Error(id, err)
	}
	m.Close()
	if _, err := m.ID(); label(err) != "api_handle" {
		t.Error(err)
	}
}

func TestModuleOfBytesAndFiles(t *testing.T) {
	want, _ := load(t, "negative.tally").ID()
	path := filepath.Join(os.Getenv("TALLY_TEST_MODULES"), "negative.tally")
	bytes, _ := os.ReadFile(path)
	m, err := LoadBytes(bytes, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file, _ := os.Open(path)
	n, err := Load(file, LoadOptions{})
	file.Close()
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range []*Module{m, n} {
		if id, err := module.ID(); id != want || err != nil {
			t.Error(id, err)
		}
	}
	if _, err := LoadBytes(bytes, LoadOptions{GasLimit: 1}); label(err) != "gas_limit" {
		t.Error(err)
	}
	if _, err := LoadBytes(nil, LoadOptions{}); label(err) != "bad_magic" && label(err) != "unexpected_end" {
		t.Error(err)
	}
}

func TestRun(t *testing.T) {
	p := plan(t, "negative.tally")
	x, y := []int8{1, 2, 3, 4, 5, 6}, make([]int32, 6)
	ctx := context.Background()
	if err := p.Run(ctx, []Tensor{Dense(x)}, []Tensor{Dense(y)}, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(y, []int32{-1, -2, -3, -4, -5, -6}) {
		t.Error(y)
	}
	if err := p.Run(ctx, []Tensor{Dense(x, 3, 2)}, []Tensor{Dense(y)}, RunOptions{}); label(err) != "input_shape" {
		t.Error(err)
	}
	if err := p.Run(ctx, nil, []Tensor{Dense(y)}, RunOptions{}); label(err) != "input_count" {
		t.Error(err)
	}
	if err := p.Run(ctx, []Tensor{Dense(x)}, []Tensor{Dense(y[:5])}, RunOptions{}); label(err) != "api_tensor" {
		t.Error(err)
	}
	if err := p.Run(ctx, []Tensor{Dense(x)}, []Tensor{Dense(y)}, RunOptions{GasLimit: 1}); label(err) != "gas_limit" {
		t.Error(err)
	}
	p.Close()
	if err := p.Run(ctx, []Tensor{Dense(x)}, []Tensor{Dense(y)}, RunOptions{}); label(err) != "api_handle" {
		t.Error(err)
	}
}

func TestManyGoroutines(t *testing.T) {
	p := plan(t, "negative.tally")
	var group sync.WaitGroup
	for g := int8(0); g < 8; g++ {
		group.Add(1)
		go func(g int8) {
			defer group.Done()
			x, y := []int8{g, g, g, g, g, g}, make([]int8, 6)
			for i := 0; i < 100; i++ {
				err := p.Run(context.Background(), []Tensor{Dense(x)}, []Tensor{Dense(y)}, RunOptions{})
				if err != nil || y[5] != -g {
					t.Error(y, err)
				}
			}
		}(g)
	}
	group.Wait()
}

func TestContextsEndRuns(t *testing.T) {
	p := plan(t, "long.tally")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	x, y := []int8{1}, []int8{0}
	if err := p.Run(ctx, []Tensor{Dense(x)}, []Tensor{Dense(y)}, RunOptions{}); err != context.DeadlineExceeded {
		t.Error(err)
	}
}

func TestReceipt(t *testing.T) {
	p := plan(t, "negative.tally")
	key, err := GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := key.Public()
	x, y := []int8{1, 2, 3, 4, 5, 6}, make([]int8, 6)
	ctx, nonce := context.Background(), &Digest{7}
	receipt, err := p.RunSigned(ctx, []Tensor{Dense(x)}, []Tensor{Dense(y)}, RunOptions{}, key, nonce)
	if err != nil || y[0] != -1 {
		t.Fatal(y, err)
	}
	written, _ := receipt.Text()
	read, err := ParseReceipt([]byte(written))
	if err != nil {
		t.Fatal(err)
	}
	if found, err := read.Verify(public, Evidence{Nonce: nonce}); !found.Holds || err != nil {
		t.Error(found, err)
	}
	if found, err := read.Verify(public, Evidence{Nonce: &Digest{8}}); found.Label != "receipt_nonce" || err != nil {
		t.Error(found, err)
	}
	if found, err := read.Verify(public, Evidence{Results: &Digest{8}}); found.Label != "receipt_results" || err != nil {
		t.Error(found, err)
	}
	accused, err := read.Verify(public, Evidence{Certificate: []byte("none")})
	if err != nil || !accused.Holds || accused.Compared != (Compared{Certificate: true}) || accused.Message == "" {
		t.Error(accused, err)
	}
	if found, err := read.Recompute(ctx, p, []Tensor{Dense(x)}, RunOptions{}); found.Word != "REPRODUCED" || err != nil {
		t.Error(found, err)
	}
	if info, err := read.Info(); info.Status != "ok" || *info.Nonce != *nonce || info.Trace != nil || err != nil {
		t.Error(info, err)
	}
	x[0] = 101
	refused, err := p.RunSigned(ctx, []Tensor{Dense(x)}, []Tensor{Dense(y)}, RunOptions{}, key, nil)
	if label(err) != "input_interval" || refused == nil {
		t.Error(err)
	}
	pem, _ := key.PEM()
	if _, err := ParseKey([]byte(pem)); err != nil {
		t.Error(err)
	}
	publicPEM, _ := public.PEM()
	if _, err := ParsePublicKey([]byte(publicPEM)); err != nil {
		t.Error(err)
	}
	if _, err := ParseKey([]byte("none")); label(err) != "key_format" {
		t.Error(err)
	}
}

func TestLibrary(t *testing.T) {
	if Version() == "" || len(Engines()) != 4 || Engines()[2].Name != "cpu" {
		t.Error(Version(), Engines())
	}
	if verdict := CheckCertificate([]byte("none")); verdict.Convicted || verdict.Label == "" {
		t.Error(verdict)
	}
}
