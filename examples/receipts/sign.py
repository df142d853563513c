#!/usr/bin/env python3
"""Signs the receipts of this folder anew, by a fresh key that is thrown away: `./dev receipts`.

For a change that is meant: of results, gas, encoding, the quantizer, a network. `git diff claims.json` shows which claims changed. The
calibrations stay unless `--calibrate` is given, which takes them from the samples of each network again.
"""

import argparse
import json
import os
import pathlib
import tempfile

from receipts import CLAIMS, HERE, KEY, NETWORKS, ROWS, claim_of, file_of, npy_row, quantize, run, verify

TALLY = str(HERE.parents[1] / "bazel-bin/cli/tally")


def sign(network, folder, key):
    """Writes the module, the inputs and the receipts of `network`; {row: claim}."""
    module = os.path.join(folder, "module.tally")
    quantize(TALLY, network, module)
    file_of(network, "module.tally").write_bytes(pathlib.Path(module).read_bytes())
    claims = {}
    for row in ROWS:
        sample = file_of(network, f"{row}.npy")
        sample.write_bytes(npy_row(network.path(network.samples), row))
        run(TALLY, "run", module, "--input", f"{network.input}={sample}", "--output", os.path.join(folder, "out"),
            "--receipt", str(file_of(network, f"{row}.receipt")), "--key", key, "--trace")
        claims[row] = claim_of(verify(TALLY, network, module, row, "--engine", "formal"))
    return claims


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calibrate", action="store_true", help="take the calibrations from the samples again")
    calibrate = parser.parse_args().calibrate
    with tempfile.TemporaryDirectory() as folder:
        key = os.path.join(folder, "key")
        run(TALLY, "keygen", "--output", key)
        KEY.write_bytes(pathlib.Path(key + ".pub").read_bytes())
        claims = {}
        for network in NETWORKS.values():
            file_of(network, "").mkdir(exist_ok=True)
            if calibrate:
                run(TALLY, "quantize", network.path(network.file), "--calibrate", network.path("data/calibration.npy"), *network.options,
                    "--output", os.path.join(folder, "module.tally"), "--save-calibration", str(file_of(network, "calibration.json")))
            claims[network.name] = sign(network, folder, key)
            print(f"signed {network.name}: {len(claims[network.name])} receipts", flush=True)
    CLAIMS.write_text(json.dumps(claims, indent=1) + "\n")


if __name__ == "__main__":
    main()
