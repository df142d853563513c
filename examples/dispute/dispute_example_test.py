#!/usr/bin/env python3
"""A weight bit flipped in the memory of a party that claims the same module: found, certified, judged by another program.

dispute_example_test.py TALLY RECORD_RUNS CHECK_CERTIFICATE
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parent.parent))
from ways_to_run import ways_to_run  # noqa: E402

TALLY, RECORD_RUNS, CHECK_CERTIFICATE = (str(pathlib.Path(path).absolute()) for path in sys.argv[1:4])
del sys.argv[1:4]
MOST_BYTES = 64 * 1024
MOST_MESSAGES = 10


class DisputeExampleTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_in(self, *args, expected=0):
        run = subprocess.run(args, cwd=self.folder, capture_output=True, encoding="utf-8", timeout=600)
        self.assertEqual(run.returncode, expected, run)
        return run.stdout

    def record(self, network, scale):
        print(self.run_in(RECORD_RUNS, network, str(scale), "."))

    def dispute(self):
        said = json.loads(self.run_in(TALLY, "dispute", "--honest", "honest", "--claimed", "claimed", "-o", "certificate", "--json"))
        print(said)
        self.assertRegex(said["because"], r"^element \d+ of entry \d+ is claimed to be ")
        self.assertLessEqual(said["certificate_bytes"], MOST_BYTES)
        self.assertLessEqual(said["messages"], MOST_MESSAGES)
        self.assertIn("convicted: " + said["because"], self.run_in(CHECK_CERTIFICATE, "certificate"))

    def claims(self, *options):
        """The claim of the honest run, made again."""
        inputs = sorted((self.folder / "honest" / "inputs").iterdir())
        info = json.loads(self.run_in(TALLY, "info", "honest/module.tally", "--json"))
        names = [param["name"] for param in info["params"]]
        samples = [word for name, path in zip(names, inputs) for word in ("--input", f"{name}={path}")]
        said = json.loads(self.run_in(TALLY, "trace", "honest/module.tally", *samples, "-o", "trace", "--json", *options))
        return said["claim_id"], said["trace"]

    def test_a_network_of_the_size_of_resnet50(self):
        self.record("resnet50", 1)
        self.dispute()
        spoilt = bytearray((self.folder / "certificate").read_bytes())
        spoilt[len(spoilt) // 2] ^= 1
        (self.folder / "spoilt").write_bytes(spoilt)
        self.assertIn("not convicted: ", self.run_in(CHECK_CERTIFICATE, "spoilt", expected=1))

    def test_every_engine_makes_one_claim_and_one_trace(self):
        self.record("resnet50", 8)
        self.dispute()
        claims = {}
        for name, options in ways_to_run(TALLY, "disputes"):
            claims.setdefault(self.claims(*options), []).append(name)
            print(f"ran: disputes: {name}: on this machine")
        self.assertEqual(len(claims), 1, claims)


if __name__ == "__main__":
    unittest.main()
