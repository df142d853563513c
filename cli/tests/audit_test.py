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

from audit_case import AuditCase
from tally_tool import TALLY, sign_lie, write_npy


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
