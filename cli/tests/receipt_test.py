#!/usr/bin/env python3
"""Receipts at the command line: who signed, what can be checked, and what a change anywhere in them leads to."""

import base64
import json
import os
import stat
import subprocess
import unittest

from tally_tool import TALLY, ToolTest, sign_lie, tally, write_npy

MODULE = """tally 1
    profile core
    param %0 "x" [2] in [-5, 5]
    %1 = broadcast_add %0, %0
    result %1 "y"
"""
NONCE = "00112233445566778899aabbccddeeff" * 2
OTHER = "ff" * 32


class ReceiptTest(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text in (("m", MODULE), ("other", MODULE.replace("5, 5", "5, 6"))):
            (cls.folder / f"{name}.tallytxt").write_text(text)
            cls.done("asm", f"{name}.tallytxt", "-o", f"{name}.tally")
        write_npy(cls.folder / "x.npy", "|i1", [2], bytes([1, 2]))
        write_npy(cls.folder / "x2.npy", "|i1", [2], bytes([1, 3]))
        write_npy(cls.folder / "big.npy", "|i1", [2], bytes([1, 100]))
        write_npy(cls.folder / "both.npy", "|i1", [2, 2], bytes([1, 2, 1, 3]))
        cls.done("keygen", "-o", "node.key")
        cls.done("keygen", "-o", "other.key")
        cls.done("run", "m.tally", "--input", "x=x.npy", "--output", "out", "--receipt", "run.receipt", "--key", "node.key",
                 "--nonce", NONCE)

    def test_an_honest_receipt_is_verified_and_reproduced_on_every_engine(self):
        said = json.loads(self.done("verify", "run.receipt", "--key", "node.key.pub", "--nonce", NONCE, "--json"))
        self.assertEqual(said["receipt"], {"verdict": "VERIFIED", "reason": None})
        self.assertEqual(said["run"], {"verdict": "CANNOT_RECOMPUTE", "reason": "claim_unchecked"})
        self.assertEqual(said["nonce"], NONCE)
        self.assertEqual(said["module_id"], json.loads(self.done("validate", "m.tally", "--json"))["module_id"])
        for engine in ("formal", "reference", "cpu"):
            said = self.done("verify", "run.receipt", "--key", "node.key.pub", "--module", "m.tally", "--input", "x=x.npy",
                             "--result", "y=out/y.npy", "--engine", engine)
            self.assertIn("receipt VERIFIED\n", said)
            self.assertIn("run     REPRODUCED\n", said)
            self.assertIn("compared module, inputs, results\n", said)

    def test_every_engine_makes_the_same_claim(self):
        claims = set()
        for engine in ("formal", "reference", "cpu"):
            self.done("run", "m.tally", "--input", "x=x.npy", "--output", "out2", "--receipt", f"{engine}.receipt", "--key",
                      "node.key", "--engine", engine)
            claims.add(json.loads(self.done("verify", f"{engine}.receipt", "--key", "node.key.pub", "--json"))["claim_id"])
        self.assertEqual(len(claims), 1)

    def test_what_speaks_against_it_is_the_label(self):
        key = ("--key", "node.key.pub")
        self.refused("receipt_unchecked", "verify", "run.receipt")
        self.refused("receipt_key", "verify", "run.receipt", "--key", "other.key.pub")
        said = self.refused("receipt_nonce", "verify", "run.receipt", *key, "--nonce", OTHER)
        self.assertIn("receipt REFUTED (receipt_nonce)\n", said)
        self.refused("claim_module", "verify", "run.receipt", *key, "--module", "other.tally", "--input", "x=x.npy")
        self.refused("claim_inputs", "verify", "run.receipt", *key, "--module", "m.tally", "--input", "x=x2.npy")
        self.refused("receipt_results", "verify", "run.receipt", *key, "--module", "m.tally", "--input", "x=x.npy",
                     "--result", "y=x.npy")
        self.refused("key_format", "verify", "run.receipt", "--key", "node.key")
        self.refused("key_format", "run", "m.tally", "--input", "x=x.npy", "--output", "none", "--receipt", "none.receipt",
                     "--key", "node.key.pub")
        run = self.call("verify", "run.receipt", *key, "--input", "x=x.npy")
        self.assertEqual((run.returncode, run.stderr[:13]), (2, "error[usage]:"))
        (self.folder / "none.certificate").write_bytes(b"none")
        self.refused("cbor_type", "verify", "run.receipt", *key, "--certificate", "none.certificate")
        (self.folder / "two.pub").write_bytes(2 * (self.folder / "node.key.pub").read_bytes())
        self.refused("key_format", "verify", "run.receipt", "--key", "two.pub")
        self.refused("option_syntax", "verify", "run.receipt", *key, "--nonce", "12")
        self.refused("option_syntax", "verify", "run.receipt", *key, "--result", "y=x.npy")
        for missing in (("--receipt", "none.receipt"), ("--receipt", "none.receipt", "--key", "node.key", "--nonce", "xyz")):
            self.refused("option_syntax", "run", "m.tally", "--input", "x=x.npy", "--output", "none", *missing)
        self.refused("option_syntax", "run", "m.tally", "--input", "x=both.npy", "--output", "none", "--receipt",
                     "none.receipt", "--key", "node.key")
        self.assertFalse((self.folder / "none").exists() or (self.folder / "none.receipt").exists())

    def test_machines_read_the_reason(self):
        said = json.loads(self.refused("receipt_nonce", "verify", "run.receipt", "--key", "node.key.pub", "--nonce", OTHER, "--json"))
        self.assertEqual((said["error"]["label"], said["error"]["stage"]), ("receipt_nonce", "proof"))

    def test_no_byte_of_a_receipt_can_be_another(self):
        text = (self.folder / "run.receipt").read_bytes()
        for at in range(0, len(text), 37):
            (self.folder / "damaged.receipt").write_bytes(text[:at] + bytes([text[at] ^ 1]) + text[at + 1:])
            run = self.call("verify", "damaged.receipt", "--key", "node.key.pub")
            self.assertEqual(run.returncode, 1, at)
            self.assertRegex(run.stderr, r"\Aerror\[\w+\]: ")

    def test_a_signed_lie_diverges(self):
        """The executor signs another result than the run gives."""
        sign_lie(self.folder, "run.receipt", "node.key", "lie.receipt")
        self.assertIn("VERIFIED", self.done("verify", "lie.receipt", "--key", "node.key.pub"))
        said = self.refused("claim_diverged", "verify", "lie.receipt", "--key", "node.key.pub", "--module", "m.tally",
                            "--input", "x=x.npy")
        self.assertIn("receipt VERIFIED\nrun     DIVERGED (claim_diverged)\n", said)

    def test_one_element_is_judged_from_what_it_reads_or_by_steps(self):
        numbers = [(i * 7919) % 601 - 300 for i in range(60000)]
        write_npy(self.folder / "line.npy", "<i2", [60000], b"".join(n.to_bytes(2, "little", signed=True) for n in numbers))
        (self.folder / "sort.tallytxt").write_text("""tally 1
            profile core
            param %0 "x" [60000] in [-300, 300]
            %1 = sort %0 {axis = 0, descending = false}
            %2 = negative %1
            result %1 "sorted"
            result %2 "negative"
        """)
        self.done("asm", "sort.tallytxt", "-o", "sort.tally")

        def judge(value, element):
            return ("judge", "sort.tally", "--input", "x=line.npy", "--value", value, "--element", element, "--json")

        by_steps = json.loads(self.done(*judge("1", "777")))
        self.assertEqual(by_steps["element"], sorted(numbers)[777])
        self.assertGreater(by_steps["columns"], 2)
        self.assertLessEqual(by_steps["leaf_bytes"], 48 * 1024)
        at_once = json.loads(self.done(*judge("2", "777")))
        self.assertEqual((at_once["element"], at_once["columns"], at_once["leaves"]), (-sorted(numbers)[777], 0, 1))
        for value, element in (("0", "0"), ("3", "0"), ("2", "60000")):
            self.refused("option_syntax", *judge(value, element))

    def test_runs_that_are_refused_have_receipts(self):
        self.refused("input_interval", "run", "m.tally", "--input", "x=big.npy", "--output", "none", "--receipt",
                     "refused.receipt", "--key", "node.key")
        said = json.loads(self.done("verify", "refused.receipt", "--key", "node.key.pub", "--module", "m.tally", "--input",
                                    "x=big.npy", "--json"))
        self.assertEqual((said["status"], said["gas"], said["run"]["verdict"]), ("input_interval", 0, "REPRODUCED"))
        self.refused("gas_limit", "run", "m.tally", "--input", "x=x.npy", "--gas-limit", "10", "--output", "none", "--receipt",
                     "limit.receipt", "--key", "node.key")
        said = self.done("verify", "limit.receipt", "--key", "node.key.pub", "--module", "m.tally", "--input", "x=x.npy")
        self.assertIn("REPRODUCED", said)
        self.assertFalse((self.folder / "none").exists())
        self.refused("input_interval", "trace", "m.tally", "--input", "x=big.npy", "--record", "recorded")
        self.assertTrue((self.folder / "recorded" / "claim.cbor").exists())
        self.refused("dispute_claim", "certify", "--honest", "recorded", "--claimed", "recorded", "-o", "none")

    def test_keys_are_their_owners_and_never_replaced(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "node.key").st_mode), 0o600)
        self.assertTrue(os.stat(self.folder / "node.key.pub").st_mode & stat.S_IROTH)
        before = (self.folder / "node.key").read_bytes()
        self.refused("file_write", "keygen", "-o", "node.key")
        self.refused("file_write", "keygen", "-o", "new.key", "--public", "node.key.pub")
        self.assertEqual(before, (self.folder / "node.key").read_bytes())
        self.assertFalse((self.folder / "new.key").exists())

    def test_one_of_several_keygens_wins(self):
        calls = [subprocess.Popen([TALLY, "keygen", "-o", "raced.key"], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) for _ in range(12)]
        for call in calls:
            call.communicate()
        self.assertEqual(sorted(call.returncode for call in calls), [0] + [1] * 11)
        pair = subprocess.run(["openssl", "pkey", "-in", "raced.key", "-pubout"], cwd=self.folder, check=True,
                              stdout=subprocess.PIPE).stdout
        self.assertEqual(pair, (self.folder / "raced.key.pub").read_bytes())
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".tally-tmp")], [])

    def test_keys_of_small_order_are_none(self):
        def public(encoded):
            body = base64.b64encode(bytes.fromhex("302a300506032b6570032100") + encoded).decode()
            return f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n"
        p = 2**255 - 19
        order8 = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826
        for y in (0, 1, p - 1, p, p + 1, order8, p - order8):
            for sign in (0, 1):
                (self.folder / "small.pub").write_text(public((y | sign << 255).to_bytes(32, "little")))
                self.refused("key_format", "verify", "run.receipt", "--key", "small.pub")

    # False statements about the module are found without a plan or a run, and a verifier's own limits hold.
    def test_a_claim_is_compared_before_it_is_run(self):
        with_module = ("--key", "node.key.pub", "--module", "m.tally", "--input", "x=x.npy")
        gas = json.loads(self.done("validate", "m.tally", "--json"))["gas"]
        self.refused("gas_limit", "verify", "run.receipt", *with_module, "--gas-limit", str(gas - 1))
        run = self.call("verify", "run.receipt", *with_module, "--gas-limit", str(gas - 1))
        self.assertIn("CANNOT_RECOMPUTE (gas_limit)", run.stdout)
        self.assertIn("REPRODUCED", self.done("verify", "run.receipt", *with_module, "--gas-limit", str(gas)))
        self.refused("memory_limit", "verify", "run.receipt", *with_module, "--memory-limit", "0")

    def test_keys_of_openssl_serve(self):
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", "theirs.key"], cwd=self.folder, check=True)
        subprocess.run(["openssl", "pkey", "-in", "theirs.key", "-pubout", "-out", "theirs.pub"], cwd=self.folder, check=True)
        self.done("run", "m.tally", "--input", "x=x.npy", "--output", "out3", "--receipt", "theirs.receipt", "--key", "theirs.key")
        self.done("verify", "theirs.receipt", "--key", "theirs.pub")


if __name__ == "__main__":
    unittest.main()
