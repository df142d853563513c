#!/usr/bin/python3
"""Families of networks with drawn weights through torch's exporter and `tally quantize`, beside PyTorch's own quantization.

    ./dev setup train && ./dev build //cli:tally
    examples/families/families.py bazel-bin/cli/tally ["MACHINE"] [--only NAME ...]

Prints a table; with MACHINE, and all families, writes it to docs/results/families.md. The exit code is 1 where a network does not import, or
has less than 20 dB and less than PyTorch's own quantization, in any opset.
"""

import argparse
import copy
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import result_table  # noqa: E402
from networks import FAMILIES, IDS  # noqa: E402
from torch.ao.quantization import QConfigMapping, get_default_qconfig_mapping, quantize_fx  # noqa: E402

OPSETS = (11, 13, 17)
SAMPLES, HELD_OUT = 32, 8
LEAST_DB = 20
PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/results/families.md"
BEGIN, END = "<!-- the table, by examples/families/families.py -->", "<!-- end of the table -->"
HEAD = "| family | parameters | opset 11, dB | opset 13, dB | opset 17, dB | PyTorch's own, dB | gas |\n| --- | --- | --- | --- | --- | --- | --- |\n"


def smooth(draws, shape):
    """Noise of several scales, as images and signals have it."""
    x = torch.zeros(shape)
    kind = {3: "linear", 4: "bilinear"}[len(shape)]
    for coarse in (2, 4, 8, 16):
        small = torch.randn((*shape[:2], *(max(1, n // coarse) for n in shape[2:])), generator=draws)
        x += torch.nn.functional.interpolate(small, shape[2:], mode=kind, align_corners=False)
    return x / 2


def samples_of(family, count, seed):
    """[count, ...] for each input."""
    draws = torch.Generator().manual_seed(seed)
    if family.ids:
        return [torch.randint(0, IDS, (count, *shape[1:]), generator=draws) for shape in family.inputs]
    return [smooth(draws, (count, *shape[1:])) for shape in family.inputs]


def drawn(family):
    """A network with statistics of its own: means and variances are those of samples, as after training."""
    torch.manual_seed(0)
    network = family.make().train()
    with torch.no_grad():
        for layer in network.modules():
            if isinstance(layer, torch.nn.modules.batchnorm._BatchNorm):
                layer.momentum = None  # the average of all batches
                layer.weight.uniform_(0.5, 1.5)
                layer.bias.normal_(0, 0.2)
            if isinstance(layer, torch.nn.Dropout):
                layer.p = 0.0
            if isinstance(layer, torch.nn.Linear) and not layer.weight.any():
                torch.nn.init.xavier_uniform_(layer.weight)  # torchvision begins some heads with zeros
        for seed in range(4):
            network(*samples_of(family, 16, 100 + seed))
    return network.eval()


def outputs_of(network, samples):
    results = []
    with torch.no_grad():
        for i in range(len(samples[0])):
            result = network(*(x[i : i + 1] for x in samples))
            results.append([result] if torch.is_tensor(result) else list(result))
    return results


def worst_db(expected, got):
    worst = math.inf
    for k in range(len(expected[0])):
        signal = sum(float((e[k].double() ** 2).sum()) for e in expected)
        noise = sum(float(((e[k].double() - g[k].double()) ** 2).sum()) for e, g in zip(expected, got))
        worst = min(worst, math.inf if noise == 0 else 10 * math.log10(signal / noise) if signal else -math.inf)
    return worst


def by_pytorch(network, seen, unseen):
    """The dB of its static quantization (FX graph mode), or why there are none."""
    torch.backends.quantized.engine = "qnnpack"
    try:
        mapping: QConfigMapping = get_default_qconfig_mapping("qnnpack")
        example = tuple(x[:1] for x in seen)
        prepared = quantize_fx.prepare_fx(copy.deepcopy(network), mapping, example)
        outputs_of(prepared, seen)
        return worst_db(outputs_of(network, unseen), outputs_of(quantize_fx.convert_fx(prepared), unseen))
    except Exception as error:  # what it refuses is a result
        return f"refused: {type(error).__name__}"


def tally(tool, *arguments):
    done = subprocess.run([tool, *map(str, arguments), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError((done.stderr or done.stdout).strip().splitlines()[-1])
    return json.loads(done.stdout)


def by_tally(tool, family, network, opset, seen, unseen, folder):
    """The dB of the worst output, and gas."""
    path = folder / f"{opset}.onnx"
    names = [f"x{i}" for i in range(len(family.inputs))]
    torch.onnx.export(network, tuple(x[:1] for x in seen), str(path), input_names=names, opset_version=opset)
    calibrate, compare = [], []
    for name, x, y in zip(names, seen, unseen):
        numpy.save(folder / f"seen_{name}.npy", x.numpy())
        numpy.save(folder / f"unseen_{name}.npy", y.numpy())
        calibrate += ["--calibrate", f"{name}={folder / f'seen_{name}.npy'}"]
        compare += ["--samples", f"{name}={folder / f'unseen_{name}.npy'}"]
    module = folder / "m.tally"
    made = tally(tool, "quantize", path, *calibrate, "-o", module)
    outputs = tally(tool, "compare", path, module, *compare)["accuracy"]["outputs"]
    return min(math.inf if o["sqnr_db"] is None else o["sqnr_db"] for o in outputs), made["gas"]


def text_of(result):
    return result if isinstance(result, str) else "equal" if result == math.inf else f"{result:.1f}"


def measure(tool, family):
    """The row of a family, and whether it holds what it has to."""
    network = drawn(family)
    seen, unseen = samples_of(family, SAMPLES, 1), samples_of(family, HELD_OUT, 2)
    peer = by_pytorch(network, seen, unseen)
    results, gas = [], 0
    for opset in OPSETS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                db, gas = by_tally(tool, family, network, opset, seen, unseen, pathlib.Path(folder))
            except (RuntimeError, torch.onnx.errors.OnnxExporterError) as error:
                db = f"refused: {str(error).splitlines()[0]}"
            results.append(db)
    least = min(LEAST_DB, peer) if isinstance(peer, float) else LEAST_DB
    holds = all(isinstance(db, float) and db >= least for db in results)
    parameters = sum(p.numel() for p in network.parameters())
    cells = [f"`{family.name}`", f"{parameters:,}", *map(text_of, results), text_of(peer), f"{gas:,}"]
    return f"| {' | '.join(cells)} |\n", holds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tally")
    parser.add_argument("machine", nargs="?")
    parser.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(2)
    rows, failed = "", []
    print(HEAD, end="", flush=True)
    for family in FAMILIES:
        if options.only and family.name not in options.only:
            continue
        row, holds = measure(options.tally, family)
        print(row, end="", flush=True)
        rows += row
        if not holds:
            failed.append(family.name)
    if not hasattr(torch.onnx, "dynamo_export"):
        print(f"torch {torch.__version__} has no exporter by dynamo: those of its files are not tried", file=sys.stderr)
    if options.machine and not options.only:
        result_table.put(PAGE, BEGIN, END, f"{options.machine}; torch {torch.__version__}", HEAD + rows)
    if failed:
        sys.exit("below what they have to reach: " + ", ".join(failed))


if __name__ == "__main__":
    main()
