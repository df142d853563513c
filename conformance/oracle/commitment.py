"""Digests of tensors and the id of a module, computed from docs/spec/commitment.md with hashlib alone.

`python3 conformance/oracle/commitment.py` writes serializer/vectors/commitment.json; with --check it compares it instead.
"""

import hashlib
import json
import math
import pathlib
import sys
from fractions import Fraction

PATH = pathlib.Path(__file__).absolute().parents[2] / "serializer/vectors/commitment.json"
ELEMENT_BYTES = [1, 2, 4, 8]  # i8, i16, i32, i64
LEAF_BYTES = 1024


def sha256(data):
    return hashlib.sha256(data).digest()


def leaves(data, storage, dims):
    fiber = ELEMENT_BYTES[storage] * (dims[-1] if dims else 1)
    fibers = [data[i : i + fiber] for i in range(0, len(data), fiber)]
    if fiber >= LEAF_BYTES:
        return [f[i : i + LEAF_BYTES] for f in fibers for i in range(0, fiber, LEAF_BYTES)]
    per_leaf = LEAF_BYTES // fiber
    return [b"".join(fibers[i : i + per_leaf]) for i in range(0, len(fibers), per_leaf)]


def tree_root(items):
    """RFC 6962, section 2.1, as it is written there."""
    if len(items) == 1:
        return sha256(b"\x00" + items[0])
    split = 1
    while split * 2 < len(items):
        split *= 2
    return sha256(b"\x01" + tree_root(items[:split]) + tree_root(items[split:]))


def cbor_head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if value < 1 << (8 * size):
            return bytes([major << 5 | code]) + value.to_bytes(size, "big")
    raise ValueError(value)


def cbor(value):
    if isinstance(value, int):
        return cbor_head(0, value) if value >= 0 else cbor_head(1, -1 - value)
    if isinstance(value, bytes):
        return cbor_head(2, len(value)) + value
    if isinstance(value, str):
        return cbor_head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return cbor_head(4, len(value)) + b"".join(map(cbor, value))
    return cbor_head(5, len(value)) + b"".join(cbor(k) + cbor(v) for k, v in sorted(value.items()))


def tensor_header(data, storage, dims):
    return cbor({1: storage, 2: dims, 3: LEAF_BYTES, 4: tree_root(leaves(data, storage, dims))})


def tensor_digest(data, storage, dims):
    return sha256(b"\x10" + tensor_header(data, storage, dims))


def channels_last(data, storage, dims):
    """The elements of [N, C, spatial..] in the order [N, spatial.., C]."""
    size, (images, channels), positions = ELEMENT_BYTES[storage], dims[:2], math.prod(dims[2:])
    element = lambda n, c, p: ((n * channels + c) * positions + p) * size
    return b"".join(data[element(n, c, p) : element(n, c, p) + size]
                    for n in range(images) for p in range(positions) for c in range(channels))


def value_header(data, storage, dims):
    if len(dims) not in (4, 5) or dims[1] <= 16:
        return tensor_header(data, storage, dims)
    root = tree_root(leaves(channels_last(data, storage, dims), storage, [dims[0], *dims[2:], dims[1]]))
    return cbor({1: storage, 2: dims, 3: LEAF_BYTES, 4: root, 5: 1})


def value_digest(data, storage, dims):
    return sha256(b"\x10" + value_header(data, storage, dims))


def tensor_case(storage, dims):
    data = bytes((i * 167 + i // 251) % 256 for i in range(ELEMENT_BYTES[storage] * math.prod(dims)))
    return {
        "storage": storage,
        "dims": dims,
        "leaves": len(leaves(data, storage, dims)),
        "root": tree_root(leaves(data, storage, dims)).hex(),
        "digest": tensor_digest(data, storage, dims).hex(),
        "value_digest": value_digest(data, storage, dims).hex(),
    }


def golden_module():
    """The example of docs/spec/binary.md: y = x + [10, 300]."""
    constant = bytes.fromhex("0a002c01")
    header = bytes.fromhex("8974616c6c790d0a" "01" "01" "01000000")
    functions = bytes.fromhex("011000000000000000" "01" "010102090a" "02" "811e00" "81020001" "0102")
    metadata = bytes.fromhex("017800" "017901050208")
    metadata_digest = sha256(b"\x1b" + metadata)
    program = header + functions + b"\x01" + tensor_digest(constant, 1, [2]) + metadata_digest
    return {
        "constant_root": tree_root([constant]).hex(),
        "constant_header": tensor_header(constant, 1, [2]).hex(),
        "constant_digest": tensor_digest(constant, 1, [2]).hex(),
        "metadata_digest": metadata_digest.hex(),
        "program": program.hex(),
        "module_id": sha256(b"\x11" + program).hex(),
    }


def varint(value):
    return bytes([value & 127 | 128]) + varint(value >> 7) if value > 127 else bytes([value])


def signed(value):
    return varint(2 * value if value >= 0 else -2 * value - 1)


def recipe_constant():
    """An i16 constant of 600 elements that is given by its recipe: docs/spec/recipes.md, function identity."""
    recipe = {"function": 39, "alpha": [0, 1], "beta": [0, 1], "in": [3, 1], "out": [5, 2], "zero_in": -1, "zero_out": 7,
              "first": -300, "lo": -300, "hi": 1000}
    step = Fraction(recipe["in"][0], 2 ** recipe["in"][1]) / Fraction(recipe["out"][0], 2 ** recipe["out"][1])
    entries = [math.floor((recipe["first"] + k - recipe["zero_in"]) * step + Fraction(1, 2)) + recipe["zero_out"]
               for k in range(600)]
    data = b"".join(min(max(v, recipe["lo"]), recipe["hi"]).to_bytes(2, "little", signed=True) for v in entries)
    fields = [recipe[name] for name in ("alpha", "beta", "in", "out", "zero_in", "zero_out", "first", "lo", "hi")]
    numbers = [v for field in fields for v in (field if isinstance(field, list) else [field])]
    entry = bytes([4 + 1, 1]) + varint(600) + bytes([recipe["function"]]) + b"".join(map(signed, numbers)) + sha256(data)
    return recipe | {"count": 600, "sha256": sha256(data).hex(), "entry": entry.hex(),
                     "digest": sha256(b"\x1c" + entry).hex()}


def document():
    tensors = [
        tensor_case(storage, dims)
        for storage, dims in [
            (0, []), (3, []), (0, [1]), (1, [2]), (0, [2, 3]), (0, [1023]), (0, [1024]), (0, [1025]), (0, [5, 300]),
            (0, [3, 1500]), (1, [2, 512]), (1, [3, 513]), (2, [3, 200]), (2, [2, 3, 1000]), (3, [4, 128]), (3, [9, 100]),
            (0, [64, 3, 7, 7]), (0, [1000, 70]), (0, [1, 16, 9, 70]), (0, [1, 17, 9, 70]), (1, [2, 600, 2, 3]),
            (2, [1, 40, 3, 2, 5]), (0, [1, 64, 30]), (0, [1, 20, 2, 2, 3, 3]), (3, [3, 17, 1, 1]),
        ]
    ]
    lines = ",\n".join("    " + json.dumps(case) for case in tensors)
    golden = json.dumps(golden_module(), indent=2).replace("\n", "\n  ")
    return f"""{{
  "_info": {{"source": "conformance/oracle/commitment.py", "bytes": "byte i is (167 * i + i / 251) mod 256"}},
  "tensors": [
{lines}
  ],
  "recipe": {json.dumps(recipe_constant())},
  "golden_module": {golden}
}}
"""


def current(path, text):
    """Writes a file of vectors; with --check, ends the script unless it is what stands there."""
    if "--check" not in sys.argv:
        path.write_text(text)
    elif path.read_text() != text:
        sys.exit(f"{path} differs")


if __name__ == "__main__":
    current(PATH, document())
