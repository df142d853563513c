"""One network of floats, fixed point and integers, from the file to a run. Run by //cli/tests:mixed_model_test."""

import json
import os
import struct
import tempfile
import unittest

from tally_tool import FLOAT, INT64, UINT8, field, info, int_attribute, node, tally, write_npy

STEP = 0.25  # between the reals of two codes


def tensor(name, element, dims, payload):
    return field(5, b"".join(field(1, dim) for dim in dims) + field(2, element) + field(8, name) + field(9, payload))


def network():
    """x float [1, 4], ids int64 [1, 4].

    fixed = x in steps of a quarter, whole = int64(fixed), total = whole mod 3 + (ids / 2 with ids[place] = 5),
    y = fixed * float(total).
    """
    graph = node("QuantizeLinear", ["x", "step", "zero"], "codes")
    graph += node("DequantizeLinear", ["codes", "step", "zero"], "fixed")
    graph += node("Cast", ["fixed"], "whole", int_attribute("to", INT64))
    graph += node("Mod", ["whole", "three"], "rest")
    graph += node("ScatterElements", ["ids", "place", "five"], "others", int_attribute("axis", 1))
    graph += node("Div", ["others", "two"], "halves")
    graph += node("Add", ["rest", "halves"], "total")
    graph += node("Cast", ["total"], "factor", int_attribute("to", FLOAT))
    graph += node("Mul", ["fixed", "factor"], "y")
    graph += tensor("step", FLOAT, [], struct.pack("<f", STEP)) + tensor("zero", UINT8, [], b"\x80")
    for name, value, dims in (("three", 3, []), ("two", 2, []), ("place", 1, [1, 1]), ("five", 5, [1, 1])):
        graph += tensor(name, INT64, dims, struct.pack("<q", value))
    graph += field(11, info("x", FLOAT, 1, 4)) + field(11, info("ids", INT64, 1, 4))
    graph += field(12, info("total", INT64, 1, 4)) + field(12, info("y", FLOAT, 1, 4))
    return field(1, 8) + field(8, field(2, 17)) + field(7, graph)


def expected(x, ids):
    fixed = [round(v / STEP) * STEP for v in x]
    others = [5 if i == 1 else n for i, n in enumerate(ids)]
    total = [int(v) % 3 + int(n / 2) for v, n in zip(fixed, others)]
    return total, [v * t for v, t in zip(fixed, total)]


class MixedModelTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(self.path("m.onnx"), "wb") as file:
            file.write(network())

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, x, ids):
        rows = len(x) // 4
        write_npy(self.path(name + "x.npy"), "<f4", [rows, 4], struct.pack(f"<{len(x)}f", *x))
        write_npy(self.path(name + "ids.npy"), "<i8", [rows, 4], struct.pack(f"<{len(ids)}q", *ids))
        return [f"x={self.path(name + 'x.npy')}", f"ids={self.path(name + 'ids.npy')}"]

    def test_one_command_quantizes_it_and_integers_are_exact(self):
        x, ids = [v / 8 for v in range(-100, 100, 5)], list(range(-20, 20))
        module = self.path("m.tally")
        made = tally("quantize", self.path("m.onnx"), "--calibrate", *self.write("c", x, ids), "-o", module)
        self.assertEqual(made.returncode, 0, made.stderr)
        # Between the codes none is in the middle, and no integer is left out.
        for x, ids in (([-12, 0.6, 7.9, 3], [-20, 19, 7, -7]), ([-0.1, 1, 2.1, -3.4], [1, 2, 3, -3])):
            inputs = [f"--input={sample}" for sample in self.write("r", x, ids)]
            run = tally("run", module, *inputs, "--float", "--output", self.path("out"), "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            found = {}
            for result in json.loads(run.stdout)["results"]:
                with open(result["file"], "rb") as file:
                    found[result["name"]] = struct.unpack("<4f", file.read()[-16:])
            total, y = expected(x, ids)
            self.assertEqual(list(found["total"]), total)
            for got, wanted in zip(found["y"], y):
                self.assertAlmostEqual(got, wanted, delta=0.1)

    def test_info_and_check_show_all_of_it(self):
        shown = json.loads(tally("info", self.path("m.onnx"), "--json").stdout)
        self.assertIn("total", json.dumps(shown))
        check = tally("check", self.path("m.onnx"))
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)


if __name__ == "__main__":
    unittest.main()
