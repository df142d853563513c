#!/usr/bin/env python3
"""A client of the suite that asks the tool `tally`: tally_client.py TALLY validate | run FILE..."""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TALLY = sys.argv[1]
# Tally states the memory of two engines; the suite limits the arena, which is that of the reference.
ENGINE = "reference"


def asked(*arguments):
    """What the tool prints as JSON, or its label."""
    report = json.loads(subprocess.run([TALLY, *arguments, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    return {"error": report["error"]["label"]} if "error" in report else report


def validate(module):
    report = asked("validate", module)
    if "error" in report:
        return report
    return {"id": report["module_id"], "functions": [report, *report["functions"]]}


def npy(tensor):
    """The tensor as an .npy file of 64-bit integers."""
    header = "{'descr': '<i8', 'fortran_order': False, 'shape': %s, }" % (tuple(tensor["shape"]),)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = struct.pack("<%dq" % len(tensor["values"]), *tensor["values"])
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values


def run(module, path):
    asks = json.loads(pathlib.Path(path).read_text())
    names = [param["name"] for param in asked("info", module)["params"]] if asks["inputs"] else []
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["run", module, "--engine", ENGINE, "--output", f"{folder}/out"]
        for name, tensor in zip(names, asks["inputs"]):
            file = pathlib.Path(folder, f"{len(arguments)}.npy")
            file.write_bytes(npy(tensor))
            arguments += ["--input", f"{name}={file}"]
        for limit in ("gas_limit", "memory_limit"):
            if limit in asks:
                arguments += ["--" + limit.replace("_", "-"), str(asks[limit])]
        report = asked(*arguments)
    if "error" in report:
        return report
    return {"results": [{"shape": json.loads(r["shape"]), "storage": r["storage"], "digest": r["digest"]}
                        for r in report["results"]]}


command, files = sys.argv[2], sys.argv[3:]
with ThreadPoolExecutor() as pool:  # most of the time goes to starting processes and waiting for disks
    answers = pool.map(validate, files) if command == "validate" else pool.map(run, files[::2], files[1::2])
    for answer in answers:
        print(json.dumps(answer))
