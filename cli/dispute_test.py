#!/usr/bin/env python3
"""Disputes at the command line: two recorded runs, the game about them, and the certificate that it ends in."""

import json
import os
import subprocess
import sys
import unittest

CHECK_CERTIFICATE = os.path.abspath(sys.argv.pop(2))

from tally_tool import DIGITS, GRID, ToolTest, claim_another_element  # noqa: E402, takes the tool from the arguments


class DisputeTest(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.done("quantize", f"{DIGITS}/digits.onnx", "--calibrate", f"{DIGITS}/data/calibration.npy", "--input-grid", GRID,
                 "-o", "digits.tally")
        for run in ("honest", "claimed"):
            cls.done("trace", "digits.tally", "--input", f"image={DIGITS}/data/seven.npy", "--record", run)

    def parties(self, claimed="claimed"):
        return ("--honest", "honest", "--claimed", claimed)

    def altered(self, name):
        """A folder in which the last value, ten scores of 16 bits, has another element 1."""
        self.done("trace", "digits.tally", "--input", f"image={DIGITS}/data/seven.npy", "--record", name)
        last = len(os.listdir(self.folder / name / "values")) - 1
        claim_another_element(self.folder / name, last, 3)
        return last

    def test_two_honest_runs_have_the_same_bytes_and_nothing_to_dispute(self):
        for name in ("claim.cbor", "trace.cbor"):
            self.assertEqual(*((self.folder / run / name).read_bytes() for run in ("honest", "claimed")))
        self.refused("dispute_agree", "dispute", *self.parties())
        self.refused("dispute_agree", "certify", *self.parties(), "-o", "none")
        self.assertFalse((self.folder / "none").exists())

    def test_a_false_run_is_convicted_by_the_game_at_once_and_by_a_program_in_c(self):
        last = self.altered("false")
        said = json.loads(self.done("dispute", *self.parties("false"), "-o", "game", "--json"))
        self.assertTrue(said["because"].startswith(f"element 1 of entry {last} is claimed to be "), said)
        self.assertLessEqual(said["messages"], 10)
        self.assertEqual(said["certificate_bytes"], (self.folder / "game").stat().st_size)
        self.done("certify", *self.parties("false"), "-o", "at_once")
        self.assertEqual((self.folder / "game").read_bytes(), (self.folder / "at_once").read_bytes())
        checked = json.loads(self.done("check-certificate", "game", "--json"))
        self.assertEqual((checked["claim_id"], checked["trace"]), (said["claim_id"], said["trace"]))
        in_c = subprocess.run([CHECK_CERTIFICATE, self.folder / "game"], capture_output=True, encoding="utf-8")
        self.assertEqual(in_c.returncode, 0, in_c)
        self.assertIn(f"convicted: {said['because']}\n", in_c.stdout)
        self.assertRegex(in_c.stdout, f"claim +{said['claim_id']}\ntrace +{said['trace']}\n")

    def test_people_see_the_game_get_narrower(self):
        last = self.altered("drawn")
        lines = self.done("dispute", *self.parties("drawn")).splitlines()
        self.assertRegex(lines.pop(0), r"^ 1  opening   the claim, and the root of \d+ entries$")
        self.assertRegex(lines[0], r"^ 2  trace     \[#+\]  entry 0 to \d+$")
        self.assertRegex(lines[1], rf"^ 3  trace     \[\.*#+\.*\]  entry {last}$")
        self.assertRegex(lines[2], r"^ 4  value     \[#+\]  leaf 0$")

    def test_a_certificate_that_is_changed_is_refused(self):
        self.altered("changed")
        self.done("certify", *self.parties("changed"), "-o", "certificate")
        honest = (self.folder / "certificate").read_bytes()
        for at in range(0, len(honest), 97):
            (self.folder / "spoilt").write_bytes(honest[:at] + bytes([honest[at] ^ 1]) + honest[at + 1:])
            self.assertEqual(self.call("check-certificate", "spoilt").returncode, 1, at)
            in_c = subprocess.run([CHECK_CERTIFICATE, self.folder / "spoilt"], capture_output=True, encoding="utf-8")
            self.assertEqual(in_c.returncode, 1, at)
            self.assertTrue(in_c.stdout.startswith("not convicted: "), in_c)

    def test_a_folder_that_is_not_what_it_claims_is_refused(self):
        self.done("trace", "digits.tally", "--input", f"image={DIGITS}/data/seven.npy", "--record", "edited")
        value = self.folder / "edited" / "values" / "000001.npy"
        bytes_of = bytearray(value.read_bytes())
        bytes_of[-1] ^= 1
        value.write_bytes(bytes_of)
        self.refused("run_folder", "dispute", *self.parties("edited"))
        value.unlink()
        self.refused("run_folder", "dispute", *self.parties("edited"))
        self.refused("file_write", "trace", "digits.tally", "--input", f"image={DIGITS}/data/seven.npy", "--record", "edited")


if __name__ == "__main__":
    unittest.main()
