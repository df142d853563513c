"""Results that are fed back as inputs of the next sample. Run by //cli/tests:loop_test."""

import json
import struct
import unittest

from tally_tool import FLOAT, ToolTest, field, info, node, write_npy

COUNTER = """tally 1
profile core

param %0 "step" [2] in [0, 3]
param %1 "count" [2] in [0, 10]
%2 = elemwise_add %0, %1
result %2 "sum"
result %0 "same"
"""
SHIFTED = """tally 1
profile core

param %0 "step" [1] in [-8, 7] scale 1*2^0 zero 0
param %1 "state" [1] in [-8, 7] scale 1*2^-1 zero -2
%2 = elemwise_add %0, %0
result %2 "twice" scale 1*2^0 zero 0
result %1 "seen" scale 1*2^-1 zero -2
"""


def network():
    """last = x + 3/4 state, and an output that differs: out = relu(last)."""
    graph = node("Mul", ["state", "three_fourths"], "faded") + node("Add", ["x", "faded"], "last") + node("Relu", ["last"], "out")
    graph += field(5, field(1, 1) + field(2, FLOAT) + field(8, "three_fourths") + field(9, struct.pack("<f", 0.75)))
    graph += field(11, info("x", FLOAT, 1, 2)) + field(11, info("state", FLOAT, 1, 2))
    graph += field(12, info("out", FLOAT, 1, 2)) + field(12, info("last", FLOAT, 1, 2))
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)


def elements(path):
    """The integers of an .npy file."""
    data = path.read_bytes()
    first = 10 + struct.unpack_from("<H", data, 8)[0]
    letter = next(letter for descr, letter in ((b"|i1", "b"), (b"<i2", "h"), (b"<i4", "i"), (b"<i8", "q")) if descr in data[:first])
    return [value for (value,) in struct.iter_unpack(f"<{letter}", data[first:])]


class LoopTest(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text in (("counter", COUNTER), ("shifted", SHIFTED)):
            (cls.folder / f"{name}.tallytxt").write_text(text)
            cls.done("asm", f"{name}.tallytxt", "-o", f"{name}.tally")
        (cls.folder / "m.onnx").write_bytes(network())
        cls.steps = [(((7 * i) % 13 - 6) / 6, ((5 * i) % 11 - 5) / 8) for i in range(24)]
        cls.npy("x.npy", "f", [24, 2], [value for step in cls.steps for value in step])
        cls.npy("steps.npy", "b", [4, 2], [1, 0, 2, 3, 3, 1, 0, 2])

    @classmethod
    def npy(cls, name, letter, shape, values):
        write_npy(cls.folder / name, {"f": "<f4", "b": "|i1", "q": "<i8"}[letter], shape, struct.pack(f"<{len(values)}{letter}", *values))

    def sums(self, *options):
        self.done("run", "counter.tally", "--input", "step=steps.npy", "--loop", "sum=count", "-o", "out", *options)
        return elements(self.folder / "out/sum.npy")

    def test_a_result_is_the_input_of_the_next_sample(self):
        self.assertEqual(self.sums(), [1, 0, 3, 3, 6, 4, 6, 6])
        self.assertEqual(self.sums("--engine", "formal", "--repeat", "3"), [1, 0, 3, 3, 6, 4, 6, 6])

    def test_states_begin_anew_after_a_sequence(self):
        self.assertEqual(self.sums("--loop-length", "2"), [1, 0, 3, 3, 3, 1, 3, 3])

    def test_the_first_state_is_given(self):
        self.npy("first.npy", "b", [2], [4, 1])
        self.assertEqual(self.sums("--input", "count=first.npy"), [5, 1, 7, 4, 10, 5, 10, 7])
        self.assertEqual(self.sums("--input", "count=first.npy", "--loop-length", "2"), [5, 1, 7, 4, 7, 2, 7, 4])

    def test_a_state_beyond_its_interval_is_refused_where_it_is_an_integer(self):
        self.npy("first.npy", "b", [2], [5, 5])
        self.refused("input_interval", "run", "counter.tally", "--input", "step=steps.npy", "--input", "count=first.npy",
                     "--loop", "sum=count", "-o", "none")
        self.assertFalse((self.folder / "none").exists())

    def test_a_state_on_another_grid_is_converted_and_ends_at_its_interval(self):
        # The state's codes -8 to 7 are -3 to 4.5: it begins with 0, then is 2, then 6, which is beyond.
        self.npy("x1.npy", "b", [3, 1], [1, 3, -4])
        self.done("run", "shifted.tally", "--input", "step=x1.npy", "--loop", "twice=state", "-o", "grid")
        self.assertEqual(elements(self.folder / "grid/seen.npy"), [-2, 2, 7])

    def test_what_no_loop_can_be(self):
        run = ["run", "counter.tally", "--input", "step=steps.npy", "-o", "none"]
        for label, *options in (("input_name", "--loop", "product=count"), ("input_name", "--loop", "sum=number"),
                                ("input_name", "--loop", "sum=count", "--loop", "same=count"),
                                ("option_syntax", "--loop", "sum"), ("option_syntax", "--loop-length", "2"),
                                ("option_syntax", "--loop", "sum=count", "--loop", "same=step"),
                                ("input_shape", "--loop", "sum=count", "--input", "count=steps.npy")):
            self.refused(label, *run, *options)
        shapes = COUNTER.replace('"count" [2]', '"count" [1]').replace("elemwise", "broadcast")
        (self.folder / "shapes.tallytxt").write_text(shapes)
        self.done("asm", "shapes.tallytxt", "-o", "shapes.tally")
        self.refused("input_shape", "run", "shapes.tally", "--input", "step=steps.npy", "--loop", "sum=count", "-o", "none")

    def test_a_network_is_calibrated_and_compared_in_its_loop(self):
        loop = ["--loop", "last=state"]
        made = json.loads(self.done("quantize", "m.onnx", "--calibrate", "x.npy", *loop, "-o", "m.tally",
                                    "--save-calibration", "c.json", "--json"))
        self.assertNotIn("low_sqnr", json.dumps(made))
        # The state that the float network has, in each of the samples that calibration saw.
        last, seen = [0, 0], []
        for step in self.steps:
            last = [x + 0.75 * s for x, s in zip(step, last)]
            seen.append(last)
        calibration = json.loads((self.folder / "c.json").read_text())
        steps = calibration["num_samples"]
        for name, states in (("last", seen[:steps]), ("state", [[0, 0]] + seen[:steps - 1])):
            values = [value for state in states for value in state]
            self.assertAlmostEqual(calibration["values"][name]["max"], max(values), 5)
            self.assertAlmostEqual(calibration["values"][name]["min"], min(values), 5)
        self.done("compare", "m.onnx", "m.tally", "--samples", "x.npy", *loop, "--min-sqnr", "25")
        self.done("report", "m.onnx", "m.tally", "--samples", "x.npy", *loop)

        # The loop is the runs one after the other, each with the reals that the last one wrote.
        self.done("run", "m.tally", "--input", "x=x.npy", *loop, "-o", "looped")
        looped = elements(self.folder / "looped/last.npy")
        self.npy("zero.npy", "f", [1, 2], [0, 0])
        state = "zero.npy"
        for i, step in enumerate(self.steps[:6]):
            self.npy("step.npy", "f", [1, 2], step)
            self.done("run", "m.tally", "--input", "x=step.npy", "--input", f"state={state}", "-o", f"one{i}")
            self.assertEqual(elements(self.folder / f"one{i}/last.npy"), looped[2 * i:2 * i + 2])
            self.done("run", "m.tally", "--input", "x=step.npy", "--input", f"state={state}", "--float", "-o", f"reals{i}")
            state = f"reals{i}/last.npy"

    def test_what_the_loop_of_a_network_needs(self):
        quantize = ["quantize", "m.onnx", "-o", "none.tally", "--calibrate"]
        self.refused("calibration_no_samples", *quantize, "x=x.npy")
        self.refused("calibration_no_samples", *quantize, "state=x.npy", "--loop", "last=state")
        self.refused("samples_shape", *quantize, "x=x.npy", "state=x.npy", "--loop", "last=state")
        self.refused("input_name", *quantize, "x=x.npy", "--loop", "first=state")


if __name__ == "__main__":
    unittest.main()
