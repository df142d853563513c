"""The receipts of this folder: what was run for each, and how a row of a data file becomes its input."""

import json
import pathlib
import re
import struct
import sys

HERE = pathlib.Path(__file__).absolute().parent  # in a test its files are links
sys.path.insert(0, str(HERE.parent))
import trained_models  # noqa: E402
from npy_header import header_of  # noqa: E402
from trained_models import run  # noqa: E402

# A receipt is of one run: networks with states have a chain of them.
NETWORKS = {name: network for name, network in trained_models.NETWORKS.items() if not network.loops}
KEY = HERE / "key.pub"
CLAIMS = HERE / "claims.json"  # what the receipts say, for people: a change of results, gas or ids is a readable diff
ROWS = (0, 100, 200)  # rows of each network's held-out samples


def file_of(network, name):
    return HERE / network.name / name


def npy_row(path, row):
    """Row `row` of an .npy file, as an .npy file whose first dimension is 1."""
    data = pathlib.Path(path).read_bytes()
    said, begin = header_of(data)
    count, *dims = said["shape"]
    size = (len(data) - begin) // count
    shape = "(" + ", ".join(map(str, [1, *dims])) + ",)"
    header = re.sub(r"\([^)]*\)", shape, data[10:begin].decode().rstrip(), count=1)
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return data[:8] + struct.pack("<H", len(header)) + header.encode() + data[begin + row * size : begin + (row + 1) * size]


def quantize(tally, network, module):
    """Writes the file `module` from weights and calibration, which decide its bytes on every machine; its id."""
    return run(tally, "quantize", network.path(network.file), "--calibration", str(file_of(network, "calibration.json")),
               *network.options, "--output", module)["module_id"]


def verify(tally, network, module, row, *options):
    """What `tally verify` says of a receipt, run again with `options`."""
    return run(tally, "verify", str(file_of(network, f"{row}.receipt")), "--key", str(KEY), "--module", module,
               "--input", f"{network.input}={file_of(network, f'{row}.npy')}", *options)


def claim_of(verdict):
    """The part of a verdict that another signature leaves as it is."""
    return {name: verdict[name] for name in ("claim_id", "module_id", "inputs", "results", "status", "gas", "trace")}


def read_claims():
    return json.loads(CLAIMS.read_text())
