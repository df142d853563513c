"""Models that are quantized in their file, from the file to a run. Run by //cli/tests:quantized_models_test."""

import json
import os
import struct
import tempfile
import unittest
from fractions import Fraction

from tally_tool import field, tally, write_npy

FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6
X_SCALE, X_ZERO = 0.0625, 100
W = [[1, -2, 127, 4], [-128, 6, 7, -8], [9, 10, -11, 12]]
W_SCALES = [0.5, 0.0078125, 0.25]
BIAS = [32, -7, 1000]  # the first is half a step of y
Y_SCALE, Y_ZERO = 2.0, 117  # powers of two, so that no multiplier is rounded


def info(name, element, *dims):
    shape = b"".join(field(1, field(1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, element) + field(2, shape)))


def node(op, inputs, output, *attributes):
    return field(1, field(4, op) + field(3, op) + b"".join(field(1, name) for name in inputs) + field(2, output) +
                 b"".join(field(5, attribute) for attribute in attributes))


def int_attribute(name, value):
    return field(1, name) + field(3, value) + field(20, 2)


def tensor(name, element, dims, values):
    letter = {FLOAT: "f", UINT8: "B", INT8: "b", INT32: "i"}[element]
    return field(5, b"".join(field(1, dim) for dim in dims) + field(2, element) + field(8, name) +
                 field(9, struct.pack(f"<{len(values)}{letter}", *values)))


def model(serves_bytes=False, tail=None):
    """y = dense(x) between the quantizers of quantize_static; with `tail` another operator behind them."""
    graph = b"" if serves_bytes else node("QuantizeLinear", ["x", "xs", "xz"], "xq")
    graph += node("DequantizeLinear", ["x" if serves_bytes else "xq", "xs", "xz"], "xr")
    graph += node("DequantizeLinear", ["w", "ws", "wz"], "wr", int_attribute("axis", 0))
    graph += node("DequantizeLinear", ["b", "bs", "bz"], "br", int_attribute("axis", 0))
    graph += node("Gemm", ["xr", "wr", "br"], "product", int_attribute("transB", 1))
    graph += node("QuantizeLinear", ["product", "ys", "yz"], "yq")
    graph += node("DequantizeLinear", ["yq", "ys", "yz"], "yr" if tail else "y")
    if tail:
        graph += node(tail, ["yr"], "y")
    graph += tensor("xs", FLOAT, [], [X_SCALE]) + tensor("xz", UINT8, [], [X_ZERO])
    graph += tensor("ys", FLOAT, [], [Y_SCALE]) + tensor("yz", UINT8, [], [Y_ZERO])
    graph += tensor("w", INT8, [3, 4], sum(W, [])) + tensor("ws", FLOAT, [3], W_SCALES) + tensor("wz", INT8, [3], [0] * 3)
    graph += tensor("b", INT32, [3], BIAS) + tensor("bs", FLOAT, [3], [X_SCALE * s for s in W_SCALES])
    graph += tensor("bz", INT32, [3], [0] * 3)
    graph += field(11, info("x", UINT8 if serves_bytes else FLOAT, 1, 4)) + field(12, info("y", FLOAT, 1, 3))
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)


def expected(codes):
    """What y holds, by ONNX's formulas over the rationals: Python's round takes ties to the even integer."""
    result = []
    for row, scale, bias in zip(W, W_SCALES, BIAS):
        total = sum((code - X_ZERO) * weight for code, weight in zip(codes, row)) + bias
        code = round(Fraction(X_SCALE) * Fraction(scale) * total / Fraction(Y_SCALE)) + Y_ZERO
        result.append(Y_SCALE * (min(max(code, 0), 255) - Y_ZERO))
    return result


class QuantizedModelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, made in (("plain", model()), ("bytes", model(serves_bytes=True)), ("tail", model(tail="Tanh"))):
            with open(cls.path(name + ".onnx"), "wb") as file:
                file.write(made)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def quantize(self, name, *options):
        return tally("quantize", self.path(name + ".onnx"), "-o", self.path(name + ".tally"), *options)

    def done(self, run):
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run

    def refused(self, label, run):
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertTrue(run.stderr.startswith(f"error[{label}]: "), run.stderr)
        return run.stderr

    def result(self, module, dtype, letter, values):
        write_npy(self.path("x.npy"), dtype, [1, 4], struct.pack(f"<4{letter}", *values))
        run = self.done(tally("run", self.path(module), "--input", "x=" + self.path("x.npy"), "--float", "--output",
                              self.path("out"), "--json"))
        with open(json.loads(run.stdout)["results"][0]["file"], "rb") as file:
            return list(struct.unpack("<3f", file.read()[-12:]))

    def test_check_says_that_it_imports(self):
        run = self.done(tally("check", self.path("plain.onnx")))
        self.assertIn("QuantizeLinear", run.stdout)
        self.assertIn("it imports", run.stdout)

    def test_no_sample_is_needed_and_results_are_those_of_the_formulas(self):
        self.done(self.quantize("plain"))
        for codes in ([100, 100, 100, 100], [0, 255, 0, 255], [255, 0, 255, 0], [101, 99, 130, 70], [3, 200, 17, 90]):
            reals = [X_SCALE * (code - X_ZERO) for code in codes]
            self.assertEqual(self.result("plain.tally", "<f4", "f", reals), expected(codes))

    def test_an_input_of_bytes_takes_bytes_or_reals(self):
        self.done(self.quantize("bytes"))
        self.assertIn("type: [1,4] in [0, 255]", tally("info", self.path("bytes.tally")).stdout)
        codes = [0, 255, 101, 17]
        self.assertEqual(self.result("bytes.tally", "|u1", "B", codes), expected(codes))
        self.assertEqual(self.result("bytes.tally", "<f4", "f", [X_SCALE * (code - X_ZERO) for code in codes]),
                         expected(codes))
        # And so do samples, by the grid of the file.
        write_npy(self.path("codes.npy"), "|u1", [2, 4], bytes(codes * 2))
        compared = self.done(tally("compare", self.path("bytes.onnx"), self.path("bytes.tally"), "--samples",
                                   self.path("codes.npy"), "--min-sqnr", "30"))
        self.assertIn("largest error 0.0 steps", compared.stdout)

    def test_a_value_without_a_scale_is_named_and_calibrated(self):
        message = self.refused("calibration_no_samples", self.quantize("tail"))
        self.assertIn("no scale for 1 of its values, 'y' first", message)
        self.assertFalse(os.path.exists(self.path("tail.tally")))
        write_npy(self.path("samples.npy"), "<f4", [4, 1, 4], struct.pack("<16f", *range(-8, 8)))
        self.done(self.quantize("tail", "--calibrate", self.path("samples.npy")))

    def test_there_is_no_calibration_to_save(self):
        self.refused("option_syntax", self.quantize("plain", "--save-calibration", self.path("none.json")))
        self.assertFalse(os.path.exists(self.path("none.json")))


if __name__ == "__main__":
    unittest.main()
