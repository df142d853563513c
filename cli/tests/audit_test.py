#!/usr/bin/env python3
"""Audits at the command line: stores, damaged lists, several processes on one work list, and processes that are killed."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

from audit_case import SLOW, AuditCase
from tally_tool import TALLY, claim_another_element, sign_lie, write_npy


class AuditTest(AuditCase):
    def test_kept_runs_are_reproduced_on_every_engine(self):
        self.signed(1)
        self.signed(2, "--trace")
        self.signed(3, module="other")
        for engine in ("formal", "reference", "cpu"):
            said = self.audit("--engine", engine)
            self.assertEqual((said["receipts"], said["standing"], said["runs"]), (3, {"VERIFIED": 3}, {"REPRODUCED": 3}))
            self.assertEqual(sorted(module["receipts"] for module in said["modules"]), [1, 2])
        self.assertIn("runs    3 REPRODUCED\n", self.done("audit", "receipts", "--store", "store"))

    def test_files_beside_receipts_are_a_store(self):
        for name, values in (("a", [1, 2]), ("b", [3, 4])):
            write_npy(self.folder / f"loose/{name}.npy", "|i1", [2], bytes(values))
            self.done("run", "m.tally", "--input", f"loose/{name}.npy", "--output", "out", "--key", "node.key",
                      "--receipt", f"loose/{name}.receipt")
        shutil.copy(self.folder / "m.tally", self.folder / "loose/of_both.tally")
        said = json.loads(self.done("audit", "loose", "--key", "node.key.pub", "--json"))
        self.assertEqual(said["runs"], {"REPRODUCED": 2})
        (self.folder / "list.txt").write_text("loose/b.receipt\n\nloose/missing.receipt\n")
        said = json.loads(self.done("audit", "list.txt", "loose/a.receipt", "--json"))
        self.assertEqual((said["runs"], said["refused"]), ({"CANNOT_RECOMPUTE": 2}, 1))  # a list brings no modules
        self.assertEqual(said["reasons"], {"file_open": 1, "receipt_unchecked": 2, "store_missing": 2})

    def test_every_line_of_a_hostile_list_has_an_answer(self):
        for number in range(1, 8):
            self.signed(number)
        receipts, store = self.folder / "receipts", self.folder / "store"
        sign_lie(self.folder, "receipts/001.receipt", "node.key", "receipts/lie.receipt")
        sign_lie(self.folder, "receipts/001.receipt", "other.key", "receipts/forged.receipt")
        (receipts / "empty.receipt").write_bytes(b"")
        (receipts / "long.receipt").write_bytes(b"x" * 100000)
        (receipts / "folder.receipt").mkdir()
        os.mkfifo(receipts / "pipe.receipt")
        (receipts / "link.receipt").symlink_to("/etc/passwd")
        (receipts / "up").symlink_to("..")
        text = (receipts / "002.receipt").read_bytes()
        (receipts / "cut.receipt").write_bytes(text[:-20])
        for copy in range(40):
            (receipts / f"copy{copy}.receipt").write_bytes(text)
        tensors = {}
        for number in range(1, 8):
            write_npy(self.folder / "x.npy", "|i1", [2], bytes([number, 0]))
            content = (self.folder / "x.npy").read_bytes()
            tensors[number] = next(path for path in store.glob("tensors/*/*.npy") if path.read_bytes() == content)
        tensors[3].unlink()
        tensors[4].write_bytes(tensors[5].read_bytes())
        tensors[6].unlink()
        tensors[6].symlink_to(self.folder / "x.npy")
        tensors[7].write_bytes(b"no array")
        found = self.lines(label="audit_diverged")
        good, cannot = ("VERIFIED", "REPRODUCED", None), ("VERIFIED", "CANNOT_RECOMPUTE")
        self.assertEqual({name: found.pop(f"copy{name}.receipt") for name in range(40)}, {name: good for name in range(40)})
        self.assertEqual(found, {
            "001.receipt": good, "002.receipt": good, "005.receipt": good,
            "003.receipt": (*cannot, "store_missing"), "004.receipt": (*cannot, "claim_inputs"),
            "006.receipt": (*cannot, "store_content"), "007.receipt": (*cannot, "store_content"),
            "lie.receipt": ("VERIFIED", "DIVERGED", "claim_diverged"),
            "forged.receipt": ("REFUTED", "DIVERGED", "claim_diverged"),
            "empty.receipt": (None, None, "receipt_form"), "long.receipt": (None, None, "file_size"),
            "folder.receipt": (None, None, "file_open"), "pipe.receipt": (None, None, "file_open"),
            "link.receipt": (None, None, "receipt_form"), "cut.receipt": (None, None, "receipt_form"),
        })

    def test_products_replace_runs_and_wrong_ones_do_not(self):
        """A claim is checked by its products; by its run where they are missing or wrong, or a trace is asked for."""
        (self.folder / "slow.tallytxt").write_text(SLOW)
        self.done("asm", "slow.tallytxt", "-o", "slow.tally")
        for number, options in enumerate((["--products"], ["--products"], [], ["--products", "--trace"])):
            write_npy(self.folder / "big.npy", "|i1", [600, 600], bytes([number]) * 360000)
            self.done("run", "slow.tally", "--input", "big.npy", "--output", "out", "--key", "node.key", "--store", "store",
                      "--receipt", f"receipts/{number:03}.receipt", *options)
        self.signed(7, "--products")  # there is no product in it
        sign_lie(self.folder, "receipts/000.receipt", "node.key", "receipts/lie.receipt")
        products = sorted((self.folder / "store/products").glob("*/*.bin"))
        self.assertEqual(len(products), 3)
        said = self.audit("--products", label="audit_diverged")
        self.assertEqual((said["by_products"], said["runs"]), (2, {"DIVERGED": 1, "REPRODUCED": 5}))
        for path in products:
            content = bytearray(path.read_bytes())
            content[1000] ^= 1
            path.write_bytes(content)
        said = self.audit("--products", label="audit_diverged")
        self.assertEqual((said["by_products"], said["runs"]), (0, {"DIVERGED": 1, "REPRODUCED": 5}))
        self.refused("option_syntax", "run", "m.tally", "--input", "x.npy", "--output", "out", "--products")

    def test_a_recorded_run_is_audited_by_a_sample(self):
        """An honest run passes, with the share that is caught; a wrong one is refused, with a certificate that convicts."""
        write_npy(self.folder / "x.npy", "|i1", [2], bytes([5, 6]))
        for name in ("run", "wrong"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            self.done("trace", "m.tally", "--input", "x.npy", "--record", name)
        self.signed(605, "--trace")
        said = json.loads(self.done("audit-run", "run", "--receipt", "receipts/605.receipt", "--sample", "300", "--json"))
        self.assertEqual(said["judged"], 300)
        self.assertAlmostEqual((1 - said["share_caught"]) ** 300, 0.01)
        claim_another_element(self.folder / "wrong", entry=0, byte=0)
        self.refused("sample_wrong", "audit-run", "wrong", "--certificate", "fraud")
        self.assertIn("convicted", self.done("check-certificate", "fraud"))
        self.refused("claim_diverged", "audit-run", "run", "--receipt", self.other_receipt())
        self.refused("file_write", "audit-run", "run", "--certificate", "receipts")

    def other_receipt(self):
        self.signed(1, "--trace")
        return "receipts/001.receipt"

    def test_a_page_shows_what_was_found(self):
        self.signed(1)
        sign_lie(self.folder, "receipts/001.receipt", "node.key", "receipts/<i>.receipt")
        self.audit("--html", "page.html", label="audit_diverged")
        page = (self.folder / "page.html").read_text()
        for shown in ("Audit of 2 receipts", "REPRODUCED 1, 50.00 %", "DIVERGED 1, 50.00 %", "claim_diverged", "Time for a claim",
                      "receipts/&lt;i&gt;.receipt"):
            self.assertIn(shown, page)
        self.assertNotIn("<i>.receipt", page)
        self.assertNotIn("001.receipt", page)  # it is as it should be

    def test_limits_of_the_auditor_hold(self):
        self.signed(1)
        self.assertEqual(self.lines("--gas-limit", "1")["001.receipt"], ("VERIFIED", "CANNOT_RECOMPUTE", "gas_limit"))

    def test_a_work_list_is_resumed_and_shared(self):
        for number in range(1, 5):
            self.signed(number)
        first = self.lines("--work", "work.db")
        shutil.rmtree(self.folder / "store")  # nothing is run again
        self.assertEqual(self.lines("--work", "work.db"), first)
        cannot = {name: ("VERIFIED", "CANNOT_RECOMPUTE", "store_missing") for name in first}
        self.assertEqual(self.lines("--work", "work.db", "--retry"), first)  # there is nothing to try again
        self.assertEqual(self.lines("--work", "other.db"), cannot)
        said = json.loads(self.done("audit", "receipts", "--work", "work.db", "--key", "other.key.pub", "--json"))
        self.assertEqual(said["standing"], {"UNVERIFIABLE": 4})  # signatures are checked with the keys of this run
        (self.folder / "store").mkdir()
        for number in range(1, 5):
            self.signed(number)
        self.assertEqual(self.lines("--work", "other.db"), cannot)
        self.assertEqual(self.lines("--work", "other.db", "--retry"), first)
        self.signed(5)
        self.assertEqual(self.lines("--work", "work.db"), first | {"005.receipt": ("VERIFIED", "REPRODUCED", None)})
        self.refused("work_list", "audit", "receipts", "--work", "m.tally")

    def test_a_claim_that_always_ends_its_process_has_a_verdict(self):
        for number in range(1, 4):
            self.signed(number)
        self.lines("--work", "work.db")
        database = sqlite3.connect(self.folder / "work.db")
        for name, tries in (("001", 2), ("002", 10)):  # as if as many processes had died
            database.execute("UPDATE claims SET run = NULL, tries = ? WHERE id = (SELECT claim FROM receipts WHERE path LIKE ?)",
                             (tries, f"%{name}.receipt"))
        database.commit()
        database.close()
        good = ("VERIFIED", "REPRODUCED", None)
        self.assertEqual(self.lines("--work", "work.db"), {"001.receipt": good, "003.receipt": good, "002.receipt":
                                                           ("VERIFIED", "CANNOT_RECOMPUTE", "audit_unfinished")})

    def test_killed_processes_lose_no_claim_and_decide_none_twice(self):
        self.signed_slow(30)
        command = [TALLY, "audit", "receipts", "--store", "store", "--key", "node.key.pub", "--engine", "reference",
                   "--threads", "1", "--work", "work.db", "--json"]

        def start():
            return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        killed = 0
        for _ in range(4):
            process = start()
            time.sleep(0.6)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                killed += 1
            process.communicate(timeout=60)
        self.assertGreater(killed, 0)
        together = [start() for _ in range(3)]
        said = [json.loads(process.communicate(timeout=100)[0]) for process in together]
        for one in said:
            self.assertEqual((one["receipts"], one["runs"]), (30, {"REPRODUCED": 30}), one)
        self.assertEqual([process.returncode for process in together], [0, 0, 0])


if __name__ == "__main__":
    unittest.main()
