#!/usr/bin/env python3
"""tally log at the command line: appends, proofs, monitors and witnesses; crashes and full disks at every file call."""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from tally_tool import NEGATIVE, TALLY, ToolTest, write_npy

FAULTS = os.path.abspath(sys.argv.pop(1))
CLIENT = pathlib.Path("cli/tests/log_client.go").absolute()
GOCODE = pathlib.Path("/usr/share/gocode")
ORIGIN = "example.com/log"
WITH_GO = bool(shutil.which("go")) and (GOCODE / "src/golang.org/x/mod/sumdb").exists()
print("ran: logs: a client in Go: " + ("with golang.org/x/mod" if WITH_GO else
                                       "not run: golang-go or golang-golang-x-mod-dev not installed: ./dev setup bindings"), flush=True)


class LogTest(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "m.tallytxt").write_text(NEGATIVE)
        cls.done("asm", "m.tallytxt", "-o", "m.tally")
        for name in ("node", "log", "witness", "other"):
            cls.done("keygen", "-o", f"{name}.key")
        for number in range(4):
            write_npy(cls.folder / "x.npy", "|i1", [2], bytes([number, 1]))
            cls.done("run", "m.tally", "--input", "x.npy", "--output", "out", "--key", "node.key", "--receipt", f"{number}.receipt")
        cls.done("log", "append", "base", *cls.copies(255), "--origin", ORIGIN, "--key", "log.key")

    @classmethod
    def copies(cls, count):
        """As many files of one receipt."""
        folder = cls.folder / f"copies{count}"
        folder.mkdir(exist_ok=True)
        for number in range(count):
            shutil.copy(cls.folder / "0.receipt", folder / f"{number:03}.receipt")
        return [str(folder)]

    def setUp(self):
        for name in ("log", "seen", "more"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        for path in [*self.folder.glob("state*"), *self.folder.glob("*.proof")]:
            path.unlink()

    def append(self, *receipts, log="log", key="log.key", origin=ORIGIN, **options):
        return json.loads(self.done("log", "append", log, *receipts, "--origin", origin, "--key", key, "--json", **options))

    def monitor(self, *options, log="log", label=None):
        run = self.call("log", "monitor", log, "--origin", ORIGIN, "--key", "log.key.pub", "--state", "state", "--json", *options)
        said = json.loads(run.stdout)
        self.assertEqual(said.get("error", {}).get("label"), label, run)
        return said

    def verify(self, proof, *options):
        return json.loads(self.done("log", "verify", proof, *options, "--origin", ORIGIN, "--key", "log.key.pub", "--json"))

    def test_receipts_are_proved_to_be_in_the_log(self):
        said = self.append("0.receipt", "1.receipt", "--proofs")
        self.assertEqual((said["origin"], said["size"], said["first_index"]), (ORIGIN, 2, 0))
        self.assertEqual(self.append("2.receipt")["first_index"], 2)
        for number, size in ((0, 2), (1, 2)):
            proved = self.verify(f"{number}.receipt.proof", "--receipt", f"{number}.receipt")
            self.assertEqual((proved["index"], proved["size"]), (number, size))
        self.assertEqual(json.loads(self.done("log", "prove", "log", "--receipt", "2.receipt", "-o", "p.proof", "--json"))["index"], 2)
        self.assertEqual(self.verify("p.proof", "--receipt", "2.receipt")["size"], 3)
        line = ["log", "verify", "p.proof", "--origin", ORIGIN, "--key", "log.key.pub"]
        self.refused("log_inclusion", *line, "--receipt", "1.receipt")
        self.refused("log_inclusion", "log", "prove", "log", "--receipt", "3.receipt", "-o", "q.proof")
        for origin, key in ((ORIGIN, "other.key.pub"), ("b", "log.key.pub")):
            self.refused("log_signature", "log", "verify", "p.proof", "--receipt", "2.receipt", "--origin", origin, "--key", key)
        self.refused("option_syntax", *line)
        line[2] = "m.tallytxt"
        self.refused("log_form", *line, "--receipt", "2.receipt")
        self.refused("log_signature", "log", "append", "log", "0.receipt", "--origin", ORIGIN, "--key", "other.key")
        self.refused("log_signature", "log", "append", "log", "0.receipt", "--origin", "b", "--key", "log.key")
        self.refused("receipt_form", "log", "append", "log", "m.tallytxt", "--origin", ORIGIN, "--key", "log.key")
        self.assertEqual(self.monitor()["size"], 3)

    def test_a_log_is_followed_by_monitors_and_witnesses(self):
        self.append("0.receipt", "1.receipt")
        self.assertEqual(self.monitor("--receipts", "seen")["added"], 2)
        shutil.copy(self.folder / "state", self.folder / "state.two")
        self.append("2.receipt")
        witness = ["--witness", "w", "--witness-key", "witness.key", "--cosigned", "cosigned"]
        self.assertEqual(self.monitor("--receipts", "seen", *witness)["added"], 1)
        self.assertEqual(self.monitor()["added"], 0)
        for number in range(3):
            self.assertEqual((self.folder / f"seen/{number}.receipt").read_text(), (self.folder / f"{number}.receipt").read_text())
        self.done("log", "prove", "log", "--from", "state.two", "-o", "g.proof")
        self.assertEqual(self.verify("g.proof", "--from", "state.two")["old_size"], 2)
        self.refused("log_history", "log", "verify", "g.proof", "--from", "state", "--origin", ORIGIN, "--key", "log.key.pub")
        self.done("log", "prove", "log", "--receipt", "1.receipt", "--checkpoint", "cosigned", "-o", "c.proof")
        proved = self.verify("c.proof", "--receipt", "1.receipt", "--witness", "w=witness.key.pub")
        self.assertEqual([one["name"] for one in proved["witnesses"]], ["w"])
        self.refused("log_signature", "log", "verify", "c.proof", "--receipt", "1.receipt", "--origin", ORIGIN, "--key", "log.key.pub",
                     "--witness", "w=other.key.pub")

    def test_another_history_is_noticed_and_kept(self):
        self.append("0.receipt", "1.receipt", "2.receipt")
        self.monitor()
        honest = (self.folder / "state").read_text()
        for numbers in ([0], [0, 1, 3], [3, 1, 2, 0]):
            shutil.rmtree(self.folder / "log")
            for number in numbers:
                self.append(f"{number}.receipt")
            self.monitor(label="log_history")
            self.assertEqual((self.folder / "state").read_text(), honest)
            self.assertEqual((self.folder / "state.conflict").read_text(), (self.folder / "log/checkpoint").read_text())

    def test_damaged_files_are_refused_by_readers_and_the_writer(self):
        shutil.copytree(self.folder / "base", self.folder / "log")
        line = ["log", "append", "log", "1.receipt", "--origin", ORIGIN, "--key", "log.key"]
        for name in ("tile/0/000.p/255", "tile/entries/000.p/255", "checkpoint"):
            path = self.folder / "log" / name
            good = path.read_bytes()
            for damaged in (good[:-1], good[:40] + bytes([good[40] ^ 1]) + good[41:], None):
                path.unlink() if damaged is None else path.write_bytes(damaged)
                run = self.call("log", "monitor", "log", "--origin", ORIGIN, "--key", "log.key.pub", "--state", "state")
                self.assertEqual(run.returncode, 1, (name, run))
                if "entries" not in name or damaged is None:  # the writer reads as many of them as it needs
                    self.assertEqual(self.call(*line).returncode, 1, name)
                path.write_bytes(good)
                (self.folder / "log/pending").unlink(missing_ok=True)  # an append that failed has begun
        (self.folder / "log/pending").write_bytes(b"none")
        self.assertEqual(self.call(*line).returncode, 1)
        (self.folder / "log/pending").unlink()
        self.done(*line)

    def test_a_second_writer_is_refused(self):
        self.append("0.receipt")
        with open(self.folder / "log/lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refused("log_locked", "log", "append", "log", "1.receipt", "--origin", ORIGIN, "--key", "log.key")
        self.assertEqual(self.append("1.receipt")["size"], 2)

    def faulty_append(self, kind, at):
        """(whether the append was acknowledged, whether the fault took place): two receipts to a copy of base."""
        for name in ("log", "mark"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(self.folder / "base", self.folder / "log")
        mark = self.folder / "mark"
        mark.unlink(missing_ok=True)
        environment = os.environ | {"LD_PRELOAD": FAULTS, "FAULT": kind, "FAULT_AT": str(at), "FAULT_MARK": str(mark)}
        run = subprocess.run([TALLY, "log", "append", "log", "1.receipt", "2.receipt", "--origin", ORIGIN, "--key", "log.key", "--quiet"],
                             cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        happened = mark.exists()
        mark.unlink(missing_ok=True)
        return run.returncode == 0, happened

    def tiles(self):
        return {path: path.read_bytes() for path in (self.folder / "log/tile").rglob("*")
                if path.is_file() and ".tally-tmp-" not in str(path)}

    def fault_everywhere(self, kind):
        """Every call of an append fails once. What was acknowledged stays, nothing is taken back, and no tile changes."""
        self.monitor(log="base")
        state = (self.folder / "state").read_bytes()
        acknowledged_after = completed = 0
        for at in range(1, 2000):
            acknowledged, happened = self.faulty_append(kind, at)
            if not happened:
                self.assertTrue(acknowledged)
                return at - 1, acknowledged_after, completed
            (self.folder / "state").write_bytes(state)
            size = self.monitor("--receipts", "seen")["size"]
            self.assertIn(size, (257,) if acknowledged else (255, 257), at)
            acknowledged_after += acknowledged
            completed += size == 257 and not acknowledged
            before = self.tiles()
            said = self.append("3.receipt")
            self.assertIn(said["size"], (size + 1, 258), at)
            self.assertEqual(said["first_index"], said["size"] - 1, at)  # after what was completed
            self.assertEqual(self.monitor("--receipts", "seen")["size"], said["size"])
            self.assertEqual((self.folder / f"seen/{said['size'] - 1}.receipt").read_text(), (self.folder / "3.receipt").read_text())
            if said["size"] == 258:
                for index in (1, 2):
                    self.assertEqual((self.folder / f"seen/{254 + index}.receipt").read_text(),
                                     (self.folder / f"{index}.receipt").read_text())
            after = self.tiles()
            for path, content in before.items():
                self.assertEqual(after.get(path, content), content, (at, path))
            self.assertFalse((self.folder / "log/pending").exists())
        self.fail("an append has no end")

    def test_kill_at_every_call_loses_nothing(self):
        calls, _, completed = self.fault_everywhere("kill")
        self.assertGreater(calls, 40)
        self.assertGreater(completed, 0)

    def test_a_full_disk_at_every_call_loses_nothing(self):
        calls, _, _ = self.fault_everywhere("full")
        self.assertGreater(calls, 15)

    def test_a_client_in_go_reads_checkpoints_tiles_and_proofs(self):
        if not WITH_GO:
            self.skipTest("golang-go or golang-golang-x-mod-dev is not installed: ./dev setup bindings")
        shutil.copytree(self.folder / "base", self.folder / "log")
        self.append("1.receipt", "2.receipt", "--proofs")
        said = self.append(*self.copies(300))
        environment = os.environ | {"GO111MODULE": "off", "GOPATH": str(GOCODE), "GOCACHE": str(self.folder / "gocache"), "GOFLAGS": ""}
        program = self.folder / "log_client"
        subprocess.run(["go", "build", "-o", program, CLIENT], env=environment, check=True, timeout=120)
        line = [program, "log", said["verifier_key"], "1.receipt.proof", "2.receipt.proof"]
        run = subprocess.run(line, cwd=self.folder, stdout=subprocess.PIPE, check=True, timeout=60)
        self.assertEqual(run.stdout, b"557 2\n")
        tile = self.folder / "log/tile/0/001"
        tile.write_bytes(tile.read_bytes()[:-1] + b"x")
        self.assertNotEqual(subprocess.run(line, cwd=self.folder, stderr=subprocess.PIPE, timeout=60).returncode, 0)


if __name__ == "__main__":
    unittest.main()
