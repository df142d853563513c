#!/usr/bin/env python3
"""Writes text, one character after the other, by the module of text.onnx or that of decoder.onnx.

    generate.py TALLY TEXT.tally SAMPLER.tally [--characters 200] [--prompt 0] [--seed 0] [--engine cpu]
    generate.py TALLY DECODER.tally SAMPLER.tally --cache ...
    generate.py TALLY MODULE.tally --greedy [--cache] --length 16 ...

The prompt is a window of data/held_out_ids.npy by its number, or the first `length` characters of it. All that is computed is in the
modules, drawing too (sampler.tallytxt), so every engine on every machine writes the same text. `seed` is where the iterations of the draws
start; greedy text takes the likeliest character instead. With --cache the module is decoder.onnx's: it takes one character and its own
states, and begins anew with the last 32 characters when its 64 places are full.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import tempfile

CONTEXT, KEPT = 64, 32
NUM_IDS = 96
CACHE = (4, 4, 64, 16)  # keys, or values
BYTES_OF_CACHE = 4 * 4 * 4 * 64 * 16
STATES = {"keys_after": "keys", "values_after": "values", "place_after": "place"}
HELD_OUT = pathlib.Path(__file__).absolute().parent / "data/held_out_ids.npy"


def write_npy(path, dtype, shape, payload):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + payload)


def payload_of(path):
    data = path.read_bytes()
    return data[10 + struct.unpack("<H", data[8:10])[0] :]


def text_of(ids):
    return "".join("\n" if i == 0 else chr(i + 31) for i in ids)


class Writer:
    def __init__(self, tally, module, engine, folder):
        self.tally, self.module, self.engine, self.folder = tally, module, engine, folder

    def run(self, module, inputs, *options):
        arguments = [f"--input={name}={path}" for name, path in inputs.items()]
        done = subprocess.run(
            [self.tally, "run", module, "--engine", self.engine, "--output", str(self.folder), "--json", *arguments, *options],
            capture_output=True, text=True,
        )
        if done.returncode != 0:
            raise SystemExit(json.loads(done.stdout)["error"]["message"])

    def likeliest(self, row):
        """Of a row of logits, which are written as floats."""
        size = 4 * NUM_IDS
        logits = struct.unpack(f"<{NUM_IDS}f", payload_of(self.folder / "logits.npy")[row * size : (row + 1) * size])
        return logits.index(max(logits))

    def draw(self, sampler, iteration):
        """By the probabilities of the last run."""
        write_npy(self.folder / "iteration.npy", "<i8", (), struct.pack("<q", iteration))
        self.run(sampler, {"probabilities": self.folder / "probabilities.npy", "iteration": self.folder / "iteration.npy"})
        return payload_of(self.folder / "id.npy")[0]

    def keep_probabilities(self):
        (self.folder / "next.npy").replace(self.folder / "probabilities.npy")


class WindowWriter(Writer):
    """The whole window again for each character; places after the text are not seen by those before them."""

    def read(self, ids, as_floats):
        window = ids[-CONTEXT:]
        write_npy(self.folder / "ids.npy", "|u1", (1, CONTEXT), bytes(window + [0] * (CONTEXT - len(window))))
        self.run(self.module, {"ids": self.folder / "ids.npy"}, *as_floats)
        self.keep_probabilities()
        return len(window) - 1


class CacheWriter(Writer):
    """One character after the other: those that were read are in the states."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.num_read, self.places = 0, CONTEXT

    def begin(self):
        self.places = 0
        for name in ("keys", "values"):
            write_npy(self.folder / f"{name}.npy", "<f4", CACHE, bytes(BYTES_OF_CACHE))

    def read(self, ids, as_floats):
        if self.places == CONTEXT:
            self.begin()
            self.num_read = max(0, len(ids) - (KEPT if self.num_read else CONTEXT))
        fresh = ids[self.num_read :]
        write_npy(self.folder / "ids.npy", "|u1", (len(fresh),), bytes(fresh))
        write_npy(self.folder / "place.npy", "<i8", (1,), struct.pack("<q", self.places))
        loops = [f"--loop={result}={state}" for result, state in STATES.items()]
        states = {state: self.folder / f"{state}.npy" for state in STATES.values()}
        # States are written as reals; the next run rounds them to the grid of its inputs, as a loop does.
        self.run(self.module, {"ids": self.folder / "ids.npy", **states}, *loops, "--float")
        for name in ("keys", "values"):
            write_npy(self.folder / f"{name}.npy", "<f4", CACHE, payload_of(self.folder / f"{name}_after.npy")[-BYTES_OF_CACHE:])
        write_npy(self.folder / "probabilities.npy", "<f4", (1, NUM_IDS), payload_of(self.folder / "next.npy")[-4 * NUM_IDS :])
        self.places += len(fresh)
        self.num_read = len(ids)
        return len(fresh) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tally", "module"):
        parser.add_argument(name)
    parser.add_argument("sampler", nargs="?")
    parser.add_argument("--characters", type=int, default=200)
    parser.add_argument("--prompt", type=int, default=0)
    parser.add_argument("--length", type=int, default=CONTEXT, choices=range(1, CONTEXT + 1), metavar="1..64")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", default="cpu")
    parser.add_argument("--greedy", action="store_true")
    parser.add_argument("--cache", action="store_true")
    options = parser.parse_args()
    if options.greedy == (options.sampler is not None):
        parser.error("a module that draws, or --greedy")
    if not options.greedy and not options.cache and options.length < CONTEXT:
        parser.error("the window's probabilities are those after its last place: --length is for --greedy and --cache")
    ids = list(payload_of(HELD_OUT)[options.prompt * CONTEXT :][: options.length])
    print(text_of(ids), end="|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        kind = CacheWriter if options.cache else WindowWriter
        writer = kind(options.tally, options.module, options.engine, pathlib.Path(folder))
        for i in range(options.characters):
            row = writer.read(ids, ["--float"] if options.greedy else [])
            ids.append(writer.likeliest(row) if options.greedy else writer.draw(options.sampler, options.seed + i))
            print(text_of(ids[-1:]), end="", flush=True)
    print()


if __name__ == "__main__":
    main()
