"""The trained networks of the examples, and what quantization costs each: as a user would do it, by the tool with its defaults.

    cost = measure("bazel-bin/cli/tally", NETWORKS["resnet"], "resnet.tally")
    cost.lost <= NETWORKS["resnet"].most_lost

measure.py makes the table of them, trained_model_test.py holds each to its limits.
"""

import dataclasses
import json
import pathlib
import subprocess
import tempfile

from average_precision import average_precision, detections, share_of_same, truth_of

ACCURACY, PERPLEXITY, AVERAGE_PRECISION = "accuracy", "perplexity", "average precision"
EXAMPLES = pathlib.Path(__file__).absolute().parent  # in a test its files are links


@dataclasses.dataclass(frozen=True)
class Network:
    name: str
    what: str
    folder: str
    file: str  # the float network
    samples: str  # held out
    labels: str
    input: str
    options: tuple = ()  # for quantize and compare
    most_lost: float = 0.5  # points of accuracy or precision, or percent of perplexity
    least_agreement: float = 0  # percent
    float_metric: float = 0  # the float network: percent at least, or perplexity at most
    metric: str = ACCURACY
    loops: tuple = ()  # for quantize, compare and run
    calibration: str = "data/calibration.npy"

    def is_trained(self, cost):
        """Whether the float network itself is as good as it was."""
        if self.metric == PERPLEXITY:
            return cost.float_metric <= self.float_metric
        return cost.float_metric >= self.float_metric

    def keeps(self, cost):
        return cost.lost <= self.most_lost and cost.agreement >= self.least_agreement

    def path(self, name):
        return str(EXAMPLES / self.folder / name)


PIXELS = ("--input-grid", "1/255,0,0,255")


def glyphs(name, what, most_lost, least_agreement, float_metric):
    return Network(name, what, "glyphs", f"{name}.onnx", "data/held_out_images.npy", "data/held_out_labels.npy", "image", PIXELS,
                   most_lost, least_agreement, float_metric)


def languages(name, what, float_metric):
    return Network(name, what, "languages", f"{name}.onnx", "data/held_out_bytes.npy", "data/held_out_labels.npy", "bytes",
                   float_metric=float_metric)


NETWORKS = {
    network.name: network
    for network in (
        Network("digits", "small CNN, 10 digits", "digits", "digits.onnx", "data/held_out_images.npy",
                "data/held_out_labels.npy", "image", ("--input-grid", "1/16,0,0,16"), 0.3, 99, 99),
        glyphs("resnet", "residual CNN, 62 characters", 0.3, 99, 99),
        glyphs("mobilenet", "depthwise CNN with squeeze-excite and hard-swish, 62 characters", 0.5, 99, 99),
        glyphs("vit", "vision transformer, 62 characters", 0.5, 0, 95),
        Network("unet", "U-Net, ink or paper of each pixel", "scans", "unet.onnx", "data/held_out_scans.npy",
                "data/held_out_ink.npy", "scan", PIXELS, 0.3, 99, 97),
        Network("detector", "one-shot detector of two levels with suppression, digits in scenes", "scenes", "detector.onnx",
                "data/held_out_scenes.npy", "data/held_out_boxes.npy", "scene", PIXELS, 0.5, 0, 60, AVERAGE_PRECISION),
        languages("lstm", "bidirectional LSTM, 20 languages", 92),
        languages("gru", "GRU of two layers, 20 languages", 90),
        Network("text", "decoder-only transformer, the next of 96 characters", "text", "text.onnx", "data/held_out_ids.npy",
                "data/held_out_next.npy", "ids", most_lost=1.0, float_metric=3.7, metric=PERPLEXITY),
        Network("decoder", "the same, one character after the other with a cache of keys and values", "text", "decoder.onnx",
                "data/decoder_ids.npy", "data/decoder_next.npy", "ids", most_lost=1.0, float_metric=3.6, metric=PERPLEXITY,
                loops=("--loop", "place_after=place", "--loop", "keys_after=keys", "--loop", "values_after=values",
                       "--loop-length", "64"), calibration="data/decoder_calibration.npy"),
    )
}


@dataclasses.dataclass(frozen=True)
class Cost:
    """What `tally` says, unrounded."""

    samples: int
    float_metric: float  # percent that is right or precise, or perplexity
    module_metric: float
    lost: float  # as Network.most_lost
    agreement: float  # percent
    sqnr_db: float
    float_bytes: int
    module_bytes: int
    gas: int


def run(tally, *arguments):
    done = subprocess.run([tally, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"tally {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def quantize(tally, network, module):
    """Writes the file `module`; what the command says."""
    return run(tally, "quantize", network.path(network.file), "--calibrate", network.path(network.calibration),
               *network.options, *network.loops, "--output", module)


def compare_boxes(tally, network, command):
    """What `tally compare` says, and of the boxes that it writes: both precisions and the scenes in which both agree, in percent."""
    with tempfile.TemporaryDirectory() as folder:
        told = run(tally, *command, "--output", folder)
        by_float, by_module = (detections(folder, whose) for whose in (".float", ".module"))
    truth = truth_of(network.path(network.labels), told["accuracy"]["samples"])
    return (told, 100 * average_precision(by_float, truth), 100 * average_precision(by_module, truth),
            100 * share_of_same(by_module, by_float))


def measure(tally, network, module):
    """The Cost of a network, whose module is written to the file `module`."""
    made = quantize(tally, network, module)
    compare = ["compare", network.path(network.file), module, "--samples", network.path(network.samples), *network.options,
               *network.loops]
    if network.metric == AVERAGE_PRECISION:
        told, by_float, by_module, agreement = compare_boxes(tally, network, compare)
    else:
        labels = ["--labels", network.path(network.labels)]
        told = run(tally, *compare, *labels, *(["--perplexity"] if network.metric == PERPLEXITY else []))
        unit = 1 if network.metric == PERPLEXITY else 100
        by_float, by_module = unit * told[f"float_{network.metric}"], unit * told[f"module_{network.metric}"]
        agreement = 100 * told["accuracy"]["outputs"][0]["agreement"]
    lost = 100 * (by_module / by_float - 1) if network.metric == PERPLEXITY else by_float - by_module
    return Cost(told["accuracy"]["samples"], by_float, by_module, lost, agreement, told["accuracy"]["outputs"][0]["sqnr_db"],
                pathlib.Path(network.path(network.file)).stat().st_size, pathlib.Path(module).stat().st_size, made["gas"])


def milliseconds(tally, network, module, runs):
    """The median and the least time of a sample on one thread of engine cpu."""
    with tempfile.TemporaryDirectory() as folder:
        told = run(tally, "run", module, "--input", f"{network.input}={network.path(network.samples)}", "--output", folder,
                   *network.loops, "--threads", "1", "--repeat", str(runs))
    return told["milliseconds"], told["least_milliseconds"]
