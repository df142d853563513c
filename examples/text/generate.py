#!/usr/bin/env python3
"""Writes text, one character after the other, by the module of text.onnx and a module that draws (sampler.tallytxt).

    generate.py TALLY TEXT.tally SAMPLER.tally [--characters 200] [--prompt 0] [--seed 0] [--engine cpu]

The prompt is a window of data/held_out_ids.npy, by its number. All that is computed is in the two modules, drawing too, so
every engine on every machine writes the same text. `seed` is where the iterations of the draws start.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import tempfile

CONTEXT = 64
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
    def __init__(self, tally, module, sampler, engine, folder):
        self.tally, self.module, self.sampler, self.engine, self.folder = tally, module, sampler, engine, folder

    def run(self, module, **inputs):
        arguments = [f"--input={name}={path}" for name, path in inputs.items()]
        done = subprocess.run(
            [self.tally, "run", module, "--engine", self.engine, "--output", str(self.folder), "--json", *arguments],
            capture_output=True, text=True,
        )
        if done.returncode != 0:
            raise SystemExit(json.loads(done.stdout)["error"]["message"])

    def next_id(self, ids, iteration):
        write_npy(self.folder / "ids.npy", "|u1", (1, CONTEXT), bytes(ids[-CONTEXT:]))
        write_npy(self.folder / "iteration.npy", "<i8", (), struct.pack("<q", iteration))
        self.run(self.module, ids=self.folder / "ids.npy")
        self.run(self.sampler, probabilities=self.folder / "next.npy", iteration=self.folder / "iteration.npy")
        return payload_of(self.folder / "id.npy")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tally", "module", "sampler"):
        parser.add_argument(name)
    parser.add_argument("--characters", type=int, default=200)
    parser.add_argument("--prompt", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", default="cpu")
    options = parser.parse_args()
    ids = list(payload_of(HELD_OUT)[options.prompt * CONTEXT :][:CONTEXT])
    print(text_of(ids), end="|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        writer = Writer(options.tally, options.module, options.sampler, options.engine, pathlib.Path(folder))
        for i in range(options.characters):
            ids.append(writer.next_id(ids, options.seed + i))
            print(text_of(ids[-1:]), end="", flush=True)
    print()


if __name__ == "__main__":
    main()
