"""Networks of ids and masks, from the file to a run. Run by //cli/tests:integer_inputs_test."""

import json
import os
import pathlib
import struct
import tempfile
import unittest

from tally_tool import BOOL, FLOAT, INT64, field, info, int_attribute, node, tally, write_npy

TABLE = [[0.5, -1], [2, 0.25], [-0.75, 1], [1.5, 3], [-2, -3]]


def network():
    """rows = TABLE[ids], weights = float(counts), flags = not hidden; ids, counts int64 [1, 4], hidden bool [1, 4]."""
    floats = b"".join(struct.pack("<2f", *row) for row in TABLE)
    graph = node("Gather", ["table", "ids"], "rows")
    graph += node("Cast", ["counts"], "weights", int_attribute("to", FLOAT))
    graph += node("Not", ["hidden"], "flags")
    graph += field(5, field(1, 5) + field(1, 2) + field(2, FLOAT) + field(8, "table") + field(9, floats))
    graph += field(11, info("ids", INT64, 1, 4)) + field(11, info("counts", INT64, 1, 4))
    graph += field(11, info("hidden", BOOL, 1, 4))
    graph += field(12, info("rows", FLOAT, 1, 4, 2)) + field(12, info("weights", FLOAT, 1, 4))
    graph += field(12, info("flags", BOOL, 1, 4))
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)


class IntegerInputsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        with open(cls.path("m.onnx"), "wb") as file:
            file.write(network())
        cls.integers("ids.npy", "<i8", [2, 4], [0, 1, 2, 3, 3, 2, 1, 0])
        cls.integers("counts.npy", "<i4", [2, 4], [7, 5, 5, 5, 5, 5, 5, 5])
        cls.integers("hidden.npy", "|i1", [2, 4], [1] * 8)
        cls.samples = [f"{name}={cls.path(name)}.npy" for name in ("ids", "counts", "hidden")]
        cls.module = cls.path("m.tally")
        made = cls.quantize(cls.samples, cls.module)
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def integers(cls, name, dtype, shape, values):
        letter = {"<i8": "q", "<i4": "i", "|i1": "b", "<f4": "f", "<u2": "H", "<u4": "I", "<u8": "Q", "|b1": "?"}[dtype]
        write_npy(cls.path(name), dtype, shape, struct.pack(f"<{len(values)}{letter}", *values))
        return cls.path(name)

    @classmethod
    def quantize(cls, samples, output, *options):
        return tally("quantize", cls.path("m.onnx"), "--calibrate", *samples, "-o", output, *options)

    def refused(self, label, run):
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertTrue(run.stderr.startswith(f"error[{label}]: "), run.stderr)

    def run_module(self, ids, counts=(7, 0, 0, 1), hidden=(0, 1, 0, 1), types=("<i8", "<i4", "|i1")):
        inputs = zip(("ids", "counts", "hidden"), types, (ids, counts, hidden))
        options = [f"--input={name}={self.integers('one_' + name + '.npy', dtype, [1, 4], values)}"
                   for name, dtype, values in inputs]
        return tally("run", self.module, *options, "--float", "--output", self.path("out"), "--json")

    def test_inputs_take_integers_of_their_readers_of_their_type_or_of_samples(self):
        params = tally("info", self.module).stdout
        for bounds in ("[1,4] in [0, 4]", "[1,4] in [0, 7]", "[1,4] in [0, 1]"):
            self.assertIn(f"type: {bounds}", params)

    def test_a_run_chooses_rows_and_is_exact_in_integers(self):
        run = self.run_module([4, 0, 0, 3])
        self.assertEqual(run.returncode, 0, run.stderr)
        by_name = {result["name"]: result["file"] for result in json.loads(run.stdout)["results"]}
        with open(by_name["rows"], "rb") as file:
            rows = struct.unpack("<8f", file.read()[-32:])
        for got, wanted in zip(rows, TABLE[4] + TABLE[0] + TABLE[0] + TABLE[3]):
            self.assertAlmostEqual(got, wanted, delta=1e-3)
        with open(by_name["weights"], "rb") as file:
            self.assertEqual(struct.unpack("<4f", file.read()[-16:]), (7, 0, 0, 1))
        with open(by_name["flags"], "rb") as file:
            self.assertEqual(struct.unpack("<4f", file.read()[-16:]), (1, 0, 1, 0))

    def test_a_run_takes_integers_without_a_sign(self):
        def results(**types):
            run = self.run_module([4, 0, 0, 3], **types)
            self.assertEqual(run.returncode, 0, run.stderr)
            return [pathlib.Path(result["file"]).read_bytes() for result in json.loads(run.stdout)["results"]]
        for types in (("<u8", "<u2", "|b1"), ("<u4", "<u4", "|b1")):
            self.assertEqual(results(types=types), results())
        self.refused("samples_range", self.run_module([2**63, 0, 0, 0], types=("<u8", "<i4", "|i1")))

    def test_a_run_refuses_integers_outside(self):
        self.refused("input_interval", self.run_module([5, 0, 0, 0]))
        self.refused("input_interval", self.run_module([-1, 0, 0, 0]))
        self.refused("input_interval", self.run_module([0, 0, 0, 0], counts=(8, 0, 0, 0)))
        self.refused("input_interval", self.run_module([0, 0, 0, 0], hidden=(2, 0, 0, 0)))

    def test_compare_takes_integers_and_refuses_those_outside(self):
        def compare(*samples):
            return tally("compare", self.path("m.onnx"), self.module, "--samples", *samples)
        same = compare(*self.samples)
        self.assertEqual(same.returncode, 0, same.stderr)
        high = self.integers("high.npy", "<i8", [1, 4], [0, 0, 0, 5])
        one = [f"{name}={self.integers('single_' + name + '.npy', '<i8', [1, 4], [0] * 4)}"
               for name in ("ids", "counts", "hidden")]
        self.assertEqual(compare(*one).returncode, 0)
        self.refused("graph_run_inputs", compare(f"ids={high}", *one[1:]))
        many = self.integers("many.npy", "<i8", [1, 4], [0, 0, 0, 8])
        self.refused("graph_run_inputs", compare(one[0], f"counts={many}", one[2]))

    def test_samples_are_integers_of_the_tables_and_of_24_bits(self):
        for name, dtype, value in (("ids", "<i8", 5), ("ids", "<f4", 0.5), ("hidden", "<i8", -1)):
            bad = self.integers("bad.npy", dtype, [2, 4], [value] * 8)
            samples = [f"{name}={bad}" if s.startswith(name) else s for s in self.samples]
            self.refused("graph_run_inputs", self.quantize(samples, self.path("none")))
        far = self.integers("far.npy", "<i8", [2, 4], [2**24 + 1] * 8)
        samples = [self.samples[0], f"counts={far}", self.samples[2]]
        self.refused("samples_type", self.quantize(samples, self.path("none")))

    def test_an_input_grid_says_what_samples_do_not(self):
        wide = self.path("wide.tally")
        made = self.quantize(self.samples, wide, "--input-grid", "counts=1,0,0,500")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("type: [1,4] in [0, 500]", tally("info", wide).stdout)
        for grid in ("counts=0.5,0,0,500", "counts=1,1,0,500", "ids=1,0,0,5"):
            self.refused("lower_input", self.quantize(self.samples, self.path("none"), "--input-grid", grid))


if __name__ == "__main__":
    unittest.main()
