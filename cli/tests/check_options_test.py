"""The options that `check` prints for what a model leaves open. Run by //cli/tests:check_options_test."""

import json
import unittest

from tally_tool import FLOAT, INT64, ToolTest, field, info, node


def named_info(name, element, *dims):
    """As info, with a text for each dimension that is open."""
    shape = b"".join(field(1, field(2, dim) if isinstance(dim, str) else field(1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, element) + field(2, shape)))


def model(graph):
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)


def window():
    """y = x + bias of 64 elements: only that length imports."""
    graph = node("Add", ["x's", "bias"], "y") + field(5, field(1, 64) + field(2, FLOAT) + field(8, "bias") + field(9, bytes(256)))
    return model(graph + field(11, named_info("x's", FLOAT, "batch", "steps")) + field(12, named_info("y", FLOAT, "batch", "steps")))


def with_a_rate():
    """y = a Slice of x that ends at sr: it imports where sr is a constant."""
    graph = node("Slice", ["x", "first", "sr"], "y")
    graph += field(5, field(1, 1) + field(2, INT64) + field(7, b"\0") + field(8, "first"))
    return model(graph + field(11, info("x", FLOAT, 32000)) + field(11, info("sr", INT64, 1)) + field(12, info("y", FLOAT, 16000)))


class CheckOptionsTest(ToolTest):
    def check(self, name, *options):
        run = self.call("check", name, *options)
        said = json.loads(self.call("check", name, *options, "--json").stdout)
        return run, said.get("report", said)

    def test_a_length_is_tried_until_the_model_imports(self):
        (self.folder / "w.onnx").write_bytes(window())
        run, said = self.check("w.onnx")
        self.assertEqual(run.returncode, 1)
        self.assertIn("\n  tally check w.onnx --shape 'x'\\''s=1,64'\n", run.stdout)
        self.assertEqual(said["options"], {"line": "--shape 'x'\\''s=1,64'", "arguments": ["--shape", "x's=1,64"], "imports": True})
        run, said = self.check("w.onnx", *said["options"]["arguments"])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIsNone(said["options"])
        self.assertIn("Without samples `tally quantize` is refused: ", run.stdout)

    def test_dimensions_go_by_their_names(self):
        (self.folder / "w.onnx").write_bytes(window())
        self.assertEqual(self.call("check", "w.onnx", "--dim", "steps=64").returncode, 0)
        run, said = self.check("w.onnx", "--dim", "steps=63")
        self.assertEqual((run.returncode, said["options"]), (1, None))  # nothing is open: the model contradicts it
        for dim in ("rows=64", "steps", "steps=0"):
            self.assertEqual(self.call("check", "w.onnx", "--dim", dim).returncode, 1, dim)
        (self.folder / "net.param").write_text("7767517\n1 1\nInput in 0 1 x 0=2\n")
        (self.folder / "net.bin").write_bytes(b"")
        self.refused("model_format", "check", "net.param", "--dim", "steps=64")

    def test_a_rate_is_fixed(self):
        (self.folder / "r.onnx").write_bytes(with_a_rate())
        run, said = self.check("r.onnx")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertEqual(said["options"]["arguments"], ["--fix", "sr=16000"])
        self.assertTrue(said["options"]["imports"])

    def test_files_of_others_are_named(self):
        (self.folder / "weights").write_bytes(b"GGUF\3\0\0\0")
        self.refused("model_format", "check", "weights")
        self.assertIn("GGUF", self.call("check", "weights").stderr)


if __name__ == "__main__":
    unittest.main()
