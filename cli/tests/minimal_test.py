"""tally_minimal beside tally: equal answers, without the commands that need networks. Run by //cli/tests:minimal_test."""

import os
import re
import subprocess
import sys
import unittest

from tally_tool import DIGITS, NegativeTest

MINIMAL = os.path.abspath(sys.argv.pop(1))
LEFT_OUT = {"audit", "audit-shard", "bisect", "check", "compare", "export", "import", "quantize", "report"}


class MinimalTest(NegativeTest):
    def minimal(self, *args):
        return subprocess.run([MINIMAL, *args], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", timeout=120)

    def commands(self, page):
        return set(re.findall(r"^  (\w[-\w]*)", page[page.index("Subcommands:"):], re.MULTILINE))

    def test_it_lacks_what_needs_networks_or_a_database(self):
        self.assertEqual(self.commands(self.done("--help")) - self.commands(self.minimal("--help").stdout), LEFT_OUT)
        run = self.minimal("quantize", f"{DIGITS}/digits.onnx", "-o", "d.tally")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("error[usage]", run.stderr)

    def test_answers_are_those_of_the_tool(self):
        for args in [("validate", "m.tally"), ("info", "m.tally"), ("ops",), ("plan", "m.tally"),
                     ("run", "m.tally", "--input", "x=x.npy", "-o", "out"), ("trace", "m.tally", "--input", "x=x.npy", "-o", "t")]:
            own, full = self.minimal(*args, "--json"), self.done(*args, "--json")
            self.assertEqual(own.returncode, 0, own.stderr)
            times = re.compile(r'"\w*milliseconds": [^,]*,')
            self.assertEqual(times.sub("", own.stdout), times.sub("", full))
        own, full = self.minimal("dump", "m.tally"), self.done("dump", "m.tally")
        self.assertEqual(own.stdout, full)

    def test_a_model_is_no_module(self):
        for args in (["run", f"{DIGITS}/digits.onnx", "-o", "out"], ["info", f"{DIGITS}/digits.onnx"]):
            run = self.minimal(*args)
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, r"\Aerror\[bad_magic\]: [^\n]+\n\Z")
        self.assertIn("ONNX", self.done("info", f"{DIGITS}/digits.onnx"))


if __name__ == "__main__":
    unittest.main()
