"""Objects of proofs, written from docs/spec/claim.md and docs/spec/receipt.md with hashlib alone.

`python3 conformance/oracle/proof.py` writes proof/vectors/objects.json; with --check it compares it instead.
"""

import base64
import json
import pathlib

from commitment import cbor, cbor_head, current, sha256, tree_root, value_digest
from ed25519 import public_key, sign

PATH = pathlib.Path(__file__).absolute().parents[2] / "proof/vectors/objects.json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"


def digest(name):
    """Any 32 bytes: those of objects that other vectors have."""
    return sha256(name.encode())


def hashed(domain, encoding):
    return sha256(bytes([domain]) + encoding)


def io_map(names):
    encoding = cbor([digest(name) for name in names])
    return {"tensors": [digest(name).hex() for name in names], "bytes": encoding.hex(), "digest": hashed(0x13, encoding).hex()}


def bounds(gas, arena_bytes, functions):
    """A function is a list of (accumulator, results): an interval; of each result storage, dims and interval."""
    encoding = cbor({1: gas, 2: arena_bytes,
                     3: [[[*accumulator, [[storage, dims, *interval] for storage, dims, interval in results]]
                          for accumulator, results in body] for body in functions]})
    return {"gas": gas, "arena_bytes": arena_bytes, "functions": functions, "bytes": encoding.hex(),
            "digest": hashed(0x12, encoding).hex()}


def claim(gas, status="ok", limit=None):
    fields = {1: 1, 2: digest("module"), 3: digest("inputs"), 5: digest("bounds"), 6: gas, 7: status}
    if status == "ok":
        fields[4] = digest("results")
    if limit is not None:
        fields[8] = limit
    encoding = cbor(fields)
    return {"fields": {name: fields[key].hex() for key, name in ((2, "module"), (3, "inputs"), (4, "results"), (5, "bounds"))
                       if key in fields} | {"gas": gas, "status": status} | ({} if limit is None else {"limit": limit}),
            "bytes": encoding.hex(), "id": hashed(0x14, encoding).hex()}


def base64_of(data):
    return base64.b64encode(data).decode()


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def tree_digest(leaves):
    root = tree_root(leaves) if leaves else sha256(b"")
    return hashed(0x16, cbor({1: 1, 2: len(leaves), 3: root}))


def trace(entries):
    """An entry is a path of (step, invocation), an id and the name of a value."""
    listed = [[[list(site) for site in path], value_id, digest(name)] for path, value_id, name in entries]
    encoding = cbor({1: 1, 2: digest("claim"), 3: listed})
    return {"claim": digest("claim").hex(), "entries": [[path, value_id, value.hex()] for path, value_id, value in listed],
            "bytes": encoding.hex(), "digest": tree_digest([cbor(entry) for entry in listed]).hex()}


def run(module, inputs, entries):
    """A run of a module in text form: an entry has a path, an id, and the dims and the elements of an i8 value."""
    leaves = [cbor([[list(site) for site in path], value_id, value_digest(bytes(v & 255 for v in values), 0, dims)])
              for path, value_id, dims, values in entries]
    return {"module": module, "inputs": inputs, "digest": tree_digest(leaves).hex()}


def runs():
    image = [i - 17 for i in range(34)]  # 17 channels of 2 pixels
    return [
        run(["param %0 \"x\" [3] in [-9, 9]", "%1 = abs %0", "%2 = negative %1", "result %2 \"y\""], [[1, -2, 3]],
            [([], 2, [3], [-1, -2, -3])]),
        run(["param %0 \"x\" [1,17,1,2] in [-17, 17]", "%1 = negative %0", "result %1 \"y\""], [image],
            [([], 1, [1, 17, 1, 2], [-v for v in image])]),
        run(["param %0 \"x\" [2] in [-5, 5]", "%1 = call %0 {function = 1}", "%2 = negative %1", "result %2 \"y\"",
             "function 1", "param %0 [2] in [-5, 5]", "%1 = elemwise_add %0, %0", "result %1"], [[3, -4]],
            [([(0, 0)], 1, [2], [6, -8]), ([], 1, [2], [6, -8]), ([], 2, [2], [-6, 8])]),
    ]


def origin(sources, calibration=None):
    fields = {1: 1, 2: digest("module"), 3: "tally quantize", 4: "1.0", 5: [digest(name) for name in sources]}
    if calibration is not None:
        fields[6] = digest(calibration)
    file = json.dumps({"module": digest("module").hex(), "producer": "tally quantize", "version": "1.0",
                       "sources": [digest(name).hex() for name in sources],
                       "calibration": None if calibration is None else digest(calibration).hex()}, indent=2) + "\n"
    return {"file": file, "digest": hashed(0x1d, cbor(fields)).hex()}


def receipt(seed, a_claim, issued_at, nonce=None, trace=None, origin=None):
    """The file that an executor with this key writes."""
    public = bytes.fromhex("302a300506032b6570032100") + public_key(seed)  # SubjectPublicKeyInfo, RFC 8410
    key = sha256(public)
    optional = {3: nonce, 6: trace, 7: origin}
    fields = {1: 1, 2: bytes.fromhex(a_claim["id"]), 4: issued_at, 5: key} | {k: v for k, v in optional.items() if v is not None}
    core = cbor(fields)
    named = a_claim["fields"]
    predicate = {"claim": base64_of(bytes.fromhex(a_claim["bytes"])), "core": base64_of(core), "module": named["module"],
                 "inputs": named["inputs"], "status": named["status"], "gas": named["gas"], "issuedAt": issued_at}
    texts = {"nonce": nonce, "trace": trace, "origin": origin}
    texts = {name: None if value is None else value.hex() for name, value in texts.items()}
    predicate |= {name: text for name, text in texts.items() if text is not None}
    subject = ({"name": "results", "digest": {"tallyIoMap": named["results"]}} if "results" in named
               else {"name": "claim", "digest": {"tallyClaim": a_claim["id"]}})
    payload = compact({"_type": "https://in-toto.io/Statement/v1", "subject": [subject],
                       "predicateType": "urn:tally:receipt:1", "predicate": predicate})
    signed = f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(payload)} {payload}".encode()
    signature = sign(seed, signed)
    file = compact({"payloadType": PAYLOAD_TYPE, "payload": base64_of(payload.encode()),
                    "signatures": [{"keyid": key.hex(), "sig": base64_of(signature)}]}) + "\n"
    private = bytes.fromhex("302e020100300506032b657004220420") + seed  # PKCS #8, RFC 8410
    return {"claim": a_claim, "issued_at": issued_at, **texts, "key": key.hex(),
            "private_key": f"-----BEGIN PRIVATE KEY-----\n{base64_of(private)}\n-----END PRIVATE KEY-----\n",
            "public_key": f"-----BEGIN PUBLIC KEY-----\n{base64_of(public)}\n-----END PUBLIC KEY-----\n",
            "core": core.hex(), "id": hashed(0x15, core).hex(), "signature": signature.hex(), "file": file}


def refused():
    """Byte strings that no encoder writes, by the object that they are read as."""
    ok = {1: 1, 2: digest("module"), 3: digest("inputs"), 4: digest("results"), 5: digest("bounds"), 6: 7, 7: "ok"}
    without = lambda *keys: {k: v for k, v in ok.items() if k not in keys}
    good = cbor(ok)
    core = {1: 1, 2: digest("claim"), 4: 5, 5: digest("key")}
    cases = [
        ("io_map", "cbor_type", "a map", cbor({})),
        ("io_map", "cbor_type", "31 bytes for a digest", cbor([bytes(31)])),
        ("io_map", "unexpected_end", "one digest of two", cbor([digest("a"), digest("b")])[:-33]),
        ("io_map", "count_limit", "more items than bytes", cbor_head(4, 1 << 40)),
        ("io_map", "cbor_not_shortest", "a long head", b"\x98\x01" + cbor(digest("a"))),
        ("io_map", "cbor_head", "an indefinite length", b"\x9f\xff"),
        ("io_map", "trailing_bytes", "a byte behind", cbor([]) + b"\x00"),
        ("bounds", "bounds_interval", "an empty interval", cbor({1: 0, 2: 0, 3: [[[1, 0, []]]]})),
        ("bounds", "bounds_storage", "a wider storage than the interval needs", cbor({1: 0, 2: 0, 3: [[[0, 0, [[1, [2], 0, 9]]]]]})),
        ("bounds", "shape_dim", "a dim of 0", cbor({1: 0, 2: 0, 3: [[[0, 0, [[0, [0], 0, 9]]]]]})),
        ("bounds", "shape_rank", "nine dims", cbor({1: 0, 2: 0, 3: [[[0, 0, [[0, [1] * 9, 0, 9]]]]]})),
        ("bounds", "cbor_type", "an instruction of two items", cbor({1: 0, 2: 0, 3: [[[0, 0]]]})),
        ("bounds", "cbor_type", "gas below 0", cbor({1: -1, 2: 0, 3: []})),
        ("bounds", "cbor_type", "a bound beyond 64 bits", cbor({1: 0, 2: 0, 3: [[[0, 2**63, []]]]})),
        ("bounds", "cbor_type", "keys out of order", b"\xa3" + b"".join(map(cbor, [2, 0, 1, 0, 3, []]))),
        ("claim", "proof_version", "another version", cbor(ok | {1: 2})),
        ("claim", "claim_status", "an unknown status", cbor(without(4) | {6: 0, 7: "device_failed"})),
        ("claim", "claim_status", "results of a run that was refused", cbor(ok | {6: 0, 7: "input_shape"})),
        ("claim", "claim_status", "no results of a run that ran", cbor(without(4))),
        ("claim", "claim_status", "gas of a run that was refused", cbor(without(4) | {7: "input_count"})),
        ("claim", "cbor_type", "a limit of a run that ran", cbor(ok | {8: 1})),
        ("claim", "unexpected_end", "no limit where the status names one", cbor(without(4) | {6: 0, 7: "gas_limit"})),
        ("claim", "bad_text_encoding", "a status with a control character", cbor(ok | {7: "o\x01"})),
        ("claim", "bad_text_encoding", "a status that is no UTF-8", good[:-2] + b"\xff\xfe"),
        ("claim", "cbor_type", "a text for gas", cbor(ok | {6: "7"})),
        ("claim", "cbor_type", "a key twice", b"\xa7" + good[1:3] + good[1:3] + good[3:]),
        ("claim", "unexpected_end", "nothing", b""),
        ("core", "proof_version", "another version", cbor(core | {1: 0})),
        ("core", "cbor_type", "a nonce of 16 bytes", cbor(core | {3: bytes(16)})),
        ("core", "cbor_type", "a trace that is no digest", cbor(core | {3: bytes(32), 6: 0})),
        ("core", "cbor_type", "eight fields", cbor(core | {3: bytes(32), 6: bytes(32), 7: bytes(32), 8: 0})),
        ("core", "cbor_type", "a field that no core has", cbor(core | {8: bytes(32)})),
        ("core", "cbor_type", "an origin twice", b"\xa6" + cbor(core)[1:] + 2 * (b"\x07" + cbor(bytes(32)))),
        ("trace", "proof_version", "another version", cbor({1: 2, 2: digest("claim"), 3: []})),
        ("trace", "trace_entry", "a call that no function is deep enough for", cbor({1: 1, 2: digest("claim"), 3: [[[[0, 0]] * 64, 1, digest("a")]]})),
        ("trace", "trace_entry", "a step beyond every body", cbor({1: 1, 2: digest("claim"), 3: [[[[2**17, 0]], 1, digest("a")]]})),
        ("trace", "trace_entry", "an id beyond 32 bits", cbor({1: 1, 2: digest("claim"), 3: [[[], 2**32, digest("a")]]})),
        ("trace", "cbor_type", "an entry of two items", cbor({1: 1, 2: digest("claim"), 3: [[[], 1]]})),
        ("trace", "cbor_type", "a step below 0", cbor({1: 1, 2: digest("claim"), 3: [[[[-1, 0]], 1, digest("a")]]})),
        ("core", "cbor_type", "three fields", cbor({1: 1, 2: digest("claim"), 4: 5})),
        ("core", "trailing_bytes", "a byte behind", cbor(core) + b"\x00"),
    ]
    return [{"object": kind, "label": label, "what": what, "bytes": data.hex()} for kind, label, what, data in cases]


def document():
    ran, refusal = claim(2**62), claim(0, "memory_limit", 2**40)
    return json.dumps({
        "_info": {"source": "conformance/oracle/proof.py"},
        "io_maps": [io_map([]), io_map(["x"]), io_map([f"tensor {i}" for i in range(24)])],
        "bounds": [
            bounds(0, 0, []),
            bounds(2836, 128, [[([0, 0], [(1, [2], [10, 300])]),
                               ([-5, 305], [(1, [1, 64, 3, 3], [5, 305]), (3, [], [-(2**63), 2**63 - 1])])], []]),
        ],
        "claims": [ran, refusal, claim(0, "gas_limit", 0), claim(0, "input_count"), claim(0, "input_shape"),
                   claim(0, "input_interval"), claim(23), claim(24)],
        "receipts": [receipt(bytes(range(32)), ran, 1_700_000_000, nonce=digest("nonce")), receipt(digest("seed"), refusal, 0),
                     receipt(digest("seed"), ran, 1, trace=digest("trace")),
                     receipt(digest("seed"), ran, 2, nonce=digest("nonce"), trace=digest("trace"), origin=digest("origin")),
                     receipt(digest("seed"), ran, 3, origin=digest("origin"))],
        "traces": [trace([]), trace([([], 7, "a")]), trace([([], 3, "a"), ([(4, 0)], 1, "b"), ([(4, 1), (0, 70000)], 300, "c")])],
        "runs": runs(),
        "origins": [origin(["model"]), origin(["graph", "weights"], "calibration")],
        "refused": refused(),
    }, indent=1) + "\n"


if __name__ == "__main__":
    current(PATH, document())
