#!/usr/bin/env python3
"""Disputes at the command line: two recorded runs, the game about them, and the certificate that it ends in."""

import hashlib
import json
import os
import subprocess
import sys
import unittest

CHECK_CERTIFICATE = os.path.abspath(sys.argv.pop(2))

from tally_tool import DIGITS, GRID, ToolTest, claim_another_element, write_npy  # noqa: E402, takes the tool from the arguments


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

    def test_bounds_are_compared_and_not_disputed(self):
        self.done("trace", "digits.tally", "--input", f"image={DIGITS}/data/seven.npy", "--record", "bounds")
        claim = bytearray((self.folder / "bounds" / "claim.cbor").read_bytes())
        old = hashlib.sha256(b"\x14" + claim).digest()
        claim[claim.index(b"\x05\x58\x20") + 3] ^= 1  # field 5, the digest of the bounds
        (self.folder / "bounds" / "claim.cbor").write_bytes(claim)
        trace = self.folder / "bounds" / "trace.cbor"
        trace.write_bytes(trace.read_bytes().replace(old, hashlib.sha256(b"\x14" + claim).digest()))
        self.refused("dispute_bounds", "dispute", *self.parties("bounds"))
        self.refused("dispute_bounds", "certify", *self.parties("bounds"), "-o", "none")

    def test_a_certificate_with_an_expansion_depends_on_it(self):
        write_npy(self.folder / "line.npy", "|i1", [60000], bytes(i * 7919 % 100 for i in range(60000)))
        (self.folder / "sum.tallytxt").write_text("""tally 1
            profile core
            param %0 "x" [60000] in [-100, 100]
            %1 = sum %0 {axis = [0], keepdims = false, exclude = false}
            result %1 "sum"
        """)
        self.done("asm", "sum.tallytxt", "-o", "sum.tally")
        for run in ("right", "wrong"):
            self.done("trace", "sum.tally", "--input", "x=line.npy", "--record", run)
        claim_another_element(self.folder / "wrong", 0, 1)
        said = json.loads(self.done("dispute", "--honest", "right", "--claimed", "wrong", "-o", "by_steps", "--json"))
        run = self.call("check-certificate", "by_steps", "--json")
        self.assertEqual(run.returncode, 3)
        depends = json.loads(run.stdout)
        self.assertEqual(depends["error"]["label"], "certificate_expansion")
        self.assertEqual((depends["convicted"], depends["expansion"]), (False, said["expansion"]))
        # It is about another claim than this receipt signs.
        self.done("keygen", "-o", "node.key")
        self.done("run", "sum.tally", "--input", "x=line.npy", "--output", "out", "--receipt", "run.receipt", "--key", "node.key",
                  "--trace")
        verify = ("verify", "run.receipt", "--key", "node.key.pub", "--certificate", "by_steps", "--json")
        verified = json.loads(self.done(*verify, "--expansion", said["expansion"]))
        self.assertEqual((verified["receipt"]["verdict"], verified["compared"]), ("VERIFIED", ["certificate"]))
        sent = json.loads(self.done("check-certificate", "by_steps", "--expansion", said["expansion"], "--json"))
        self.assertTrue(sent["convicted"])
        self.refused("dispute_other", "check-certificate", "by_steps", "--expansion", "00" * 32)
        self.refused("option_syntax", "check-certificate", "by_steps", "--expansion", "00")
        in_c = subprocess.run([CHECK_CERTIFICATE, self.folder / "by_steps"], capture_output=True, encoding="utf-8")
        self.assertEqual(in_c.returncode, 3, in_c)
        self.assertRegex(in_c.stdout, f"expansion +{said['expansion']}\n")
        # One that opens all of the line depends on nothing.
        self.done("certify", "--honest", "right", "--claimed", "wrong", "-o", "at_once")
        self.assertTrue(json.loads(self.done("check-certificate", "at_once", "--json"))["convicted"])

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
