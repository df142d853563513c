// Reads a log as any other client does, with golang.org/x/mod/sumdb: log_client LOG VERIFIER RECEIPT.proof..
//
// Checks the signed note, all tiles against its root, every entry, growth from every tenth size, and the proofs.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tiles reads the files of C2SP tlog-tiles, which do not name the height 8.
type tiles struct{ folder string }

func (t tiles) Height() int { return 8 }

func (t tiles) ReadTiles(asked []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range asked {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(t.folder, path))
		if err != nil && tile.W < 256 { // the log has deleted it since there is a full one
			full := tile
			full.W = 256
			data, err = os.ReadFile(filepath.Join(t.folder, strings.Replace(full.Path(), "tile/8/", "tile/", 1)))
			if err == nil {
				data = data[:tile.W*tlog.HashSize]
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// treeOf is the tree of a checkpoint that the log has signed.
func treeOf(text []byte, verifier note.Verifier) tlog.Tree {
	opened, err := note.Open(text, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := base64.StdEncoding.DecodeString(lines[2])
	check(err)
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], root)
	return tree
}

// entries of a log of that size.
func entries(folder string, size int64) [][]byte {
	var all [][]byte
	for number := int64(0); number*256 < size; number++ {
		tile := tlog.Tile{H: 8, L: 0, N: number, W: 256}
		if rest := size - number*256; rest < 256 {
			tile.W = int(rest)
		}
		data, err := os.ReadFile(filepath.Join(folder, strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1)))
		check(err)
		for len(data) > 0 {
			length := int(binary.BigEndian.Uint16(data))
			all = append(all, data[2:2+length])
			data = data[2+length:]
		}
	}
	return all
}

func main() {
	folder := os.Args[1]
	verifier, err := note.NewVerifier(os.Args[2])
	check(err)
	text, err := os.ReadFile(filepath.Join(folder, "checkpoint"))
	check(err)
	tree := treeOf(text, verifier)
	reader := tlog.TileHashReader(tree, tiles{folder})
	logged := entries(folder, tree.N)
	for i, entry := range logged {
		proof, err := tlog.ProveRecord(tree.N, int64(i), reader)
		check(err)
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, int64(i), tlog.RecordHash(entry)))
	}
	for earlier := int64(1); earlier < tree.N; earlier += 10 {
		proof, err := tlog.ProveTree(tree.N, earlier, reader)
		check(err)
		hash, err := tlog.TreeHash(earlier, reader)
		check(err)
		check(tlog.CheckTree(proof, tree.N, tree.Hash, earlier, hash))
	}
	for _, path := range os.Args[3:] {
		text, err := os.ReadFile(path)
		check(err)
		head, checkpoint, _ := strings.Cut(string(text), "\n\n")
		lines := strings.Split(head, "\n")
		index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
		check(err)
		var proof tlog.RecordProof
		for _, line := range lines[2:] {
			hash, err := tlog.ParseHash(line)
			check(err)
			proof = append(proof, hash)
		}
		of := treeOf([]byte(checkpoint), verifier)
		check(tlog.CheckRecord(proof, of.N, of.Hash, index, tlog.RecordHash(logged[index])))
	}
	fmt.Println(tree.N, len(os.Args)-3)
}
