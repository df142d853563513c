"""The tool under test and the files that its tests feed it. Runs as TEST.py TALLY, in the runfiles of the test."""

import ast
import base64
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None
    print("ran: the command line: schemas of --json: not run: python3-jsonschema not installed: ./dev setup bindings", flush=True)

TALLY = os.path.abspath(sys.argv.pop(1))
SCHEMAS = pathlib.Path("docs/schemas").absolute()
DIGITS = os.path.abspath("examples/digits")
GRID = "image=1/16,0,0,16"

CVM_GRAPH = {
    "version": "cvm_1.1.0",
    "postprocess": "argmax",
    "nodes": [{"op": "null", "name": "data", "inputs": []},
              {"op": "null", "name": "w", "inputs": []},
              {"op": "cvm_op", "name": "sum", "inputs": [[0, 0, 0], [1, 0, 0]],
               "attrs": {"func_name": "elemwise_add"}}],
    "heads": [[2, 0, 0]],
    "attrs": {"shape": ["list_shape", [[2, 2]] * 3], "storage_id": ["list_int", [0, 1, 2]],
              "precision": ["list_int", [8, 8, -1]], "op_attrs": ["list_str", ["{}"] * 3]},
}


def tally(*args, **kwargs):
    """Ends with an exception when the tool hangs, or says in JSON what its schema does not."""
    kwargs = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8", "timeout": 120} | kwargs
    run = subprocess.run([TALLY, *args], **kwargs)
    if run.stdout and "--json" in args:
        hold_to_schema(args, json.loads(run.stdout))
    return run


def hold_to_schema(args, said):
    """docs/schemas/COMMAND.json, or error.json for a refusal that says no more."""
    if jsonschema is None:
        return
    command = [word for word in args if re.fullmatch("[-a-z]+", os.fsdecode(word))][:2 if args[0] in ("export", "log") else 1]
    name = "error" if set(said) == {"error"} else "-".join(map(os.fsdecode, command))
    jsonschema.validate(said, json.loads((SCHEMAS / f"{name}.json").read_text()))


NEGATIVE = """tally 1
profile core
param %0 "x" [2] in [-5, 5]
%1 = negative %0
result %1 "y"
"""


class ToolTest(unittest.TestCase):
    """Tests that call the tool in a folder of their own. What a subclass sets up begins with super().setUpClass()."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def call(cls, *args):
        return tally(*args, cwd=cls.folder)

    @classmethod
    def done(cls, *args):
        run = cls.call(*args)
        assert run.returncode == 0, run.stderr
        return run.stdout

    def refused(self, label, *args):
        run = self.call(*args)
        self.assertEqual(run.returncode, 1, run)
        self.assertTrue(run.stderr.startswith(f"error[{label}]: "), run.stderr)
        return run.stdout


def write_npy(path, dtype, shape, payload):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (dtype, tuple(shape))
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + payload)


def npy_parts(npy):
    """The header, and where the elements begin."""
    data = 10 + struct.unpack_from("<H", npy, 8)[0]
    return ast.literal_eval(npy[10:data].decode()), data


def read_npy(path):
    """The shape, and the elements as one list."""
    npy = pathlib.Path(path).read_bytes()
    header, data = npy_parts(npy)
    kind = {"|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q", "<f4": "f"}[header["descr"]]
    return header["shape"], list(memoryview(npy[data:]).cast(kind))


def write_cvm_params(path, values=(0, 1, 3, -3)):
    """The weight `w` of CVM_GRAPH."""
    with open(path, "wb") as file:
        file.write(struct.pack("<QQQQ1sQ", 0xF7E58D4F05049CB7, 0, 1, 1, b"w", 1))
        file.write(struct.pack("<QQiiiBBHqqq4b", 0xDD5E40F096B4A13F, 0, 1, 0, 2, 0, 8, 1, 2, 2, 4, *values))


def value_digest(npy):
    """What a trace has of a value that is one leaf (docs/spec/commitment.md#tensors), and where its elements begin."""
    header, data = npy_parts(npy)
    storage = {"|i1": 0, "<i2": 1, "<i4": 2, "<i8": 3}[header["descr"]]
    dims = b"".join(bytes([dim]) if dim < 24 else bytes([24, dim]) for dim in header["shape"])
    root = hashlib.sha256(b"\0" + npy[data:]).digest()
    head = bytes([0xa4, 1, storage, 2, 0x80 + len(header["shape"])]) + dims + bytes.fromhex("031904000458 20") + root
    return hashlib.sha256(b"\x10" + head).digest(), data


def claim_another_element(folder, entry, byte):
    """Alters a byte of the elements of a value in the folder of a run, and commits to it, as a dishonest party does."""
    path = os.path.join(folder, "values", f"{entry:06}.npy")
    with open(path, "rb") as file:
        npy = bytearray(file.read())
    honest, data = value_digest(npy)
    npy[data + byte] ^= 1
    with open(path, "wb") as file:
        file.write(npy)
    trace = os.path.join(folder, "trace.cbor")
    with open(trace, "rb") as file:
        entries = file.read()
    assert honest in entries
    with open(trace, "wb") as file:
        file.write(entries.replace(honest, value_digest(npy)[0]))


def field(number, value):
    """One field of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


# The parts of an ONNX graph.
FLOAT, UINT8, INT64, BOOL = 1, 2, 7, 9


def info(name, element, *dims):
    shape = b"".join(field(1, field(1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, element) + field(2, shape)))


def node(op, inputs, output, *attributes):
    return field(1, b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, op) +
                 b"".join(field(5, attribute) for attribute in attributes))


def int_attribute(name, value):
    return field(1, name) + field(3, value) + field(20, 2)


class NegativeTest(ToolTest):
    """With the module NEGATIVE as m.tally, and x.npy for its input."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "m.tallytxt").write_text(NEGATIVE)
        cls.done("asm", "m.tallytxt", "-o", "m.tally")
        write_npy(cls.folder / "x.npy", "|i1", [2], bytes([1, 2]))


def sign_lie(folder, honest, key, lie):
    """The receipt of another result than the run gives, in the form of a receipt and signed by OpenSSL."""
    envelope = json.loads((folder / honest).read_text())
    statement = json.loads(base64.b64decode(envelope["payload"]))
    assert statement["predicateType"] == "urn:tally:receipt:1"
    claim = base64.b64decode(statement["predicate"]["claim"])
    results = bytes.fromhex(statement["subject"][0]["digest"]["tallyIoMap"])
    other = claim.replace(results, bytes(32))
    assert other != claim
    old, new = (hashlib.sha256(b"\x14" + c).digest() for c in (claim, other))
    core = base64.b64decode(statement["predicate"]["core"]).replace(old, new)
    statement["predicate"] |= {"claim": base64.b64encode(other).decode(), "core": base64.b64encode(core).decode()}
    statement["subject"][0]["digest"]["tallyIoMap"] = bytes(32).hex()
    payload = json.dumps(statement, separators=(",", ":")).encode()
    kind = envelope["payloadType"].encode()
    (folder / "signed").write_bytes(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload))
    subprocess.run(["openssl", "pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", "signed", "-out", "signature"],
                   cwd=folder, check=True)
    envelope["payload"] = base64.b64encode(payload).decode()
    envelope["signatures"][0]["sig"] = base64.b64encode((folder / "signature").read_bytes()).decode()
    (folder / lie).write_text(json.dumps(envelope, separators=(",", ":")) + "\n")
