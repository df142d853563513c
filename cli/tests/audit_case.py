"""Receipts of small modules, a store of their runs, and audits of them, for the tests of audits."""

import json
import os
import shutil

from tally_tool import ToolTest, write_npy

MODULE = """tally 1
    profile core
    param %0 "x" [2] in [-100, 100]
    %1 = broadcast_add %0, %0
    result %1 "y"
"""

SLOW = """tally 1
    profile core
    param %0 "x" [600, 600] in [-100, 100]
    %1 = matmul %0, %0 {transpose_a = false, transpose_b = false, zero_a = 0, zero_b = 0}
    result %1 "y"
"""


class AuditCase(ToolTest):
    """Modules m and other, the keys node and other, and empty folders receipts and store for each test."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, text in (("m", MODULE), ("other", MODULE.replace("100]", "101]"))):
            (cls.folder / f"{name}.tallytxt").write_text(text)
            cls.done("asm", f"{name}.tallytxt", "-o", f"{name}.tally")
        cls.done("keygen", "-o", "node.key")
        cls.done("keygen", "-o", "other.key")

    def setUp(self):
        for name in ("receipts", "store", "loose"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            (self.folder / name).mkdir()
        for path in self.folder.glob("*.db*"):
            path.unlink()

    def signed(self, number, *options, module="m"):
        """A receipt whose run is kept in the store."""
        write_npy(self.folder / "x.npy", "|i1", [2], bytes([number % 100, number // 100]))
        self.done("run", f"{module}.tally", "--input", "x.npy", "--output", "out", "--key", "node.key", "--store", "store",
                  "--receipt", f"receipts/{number:03}.receipt", *options)

    def signed_slow(self, count):
        """Claims that take the reference engine some tenths of a second each."""
        (self.folder / "slow.tallytxt").write_text(SLOW)
        self.done("asm", "slow.tallytxt", "-o", "slow.tally")
        for number in range(count):
            write_npy(self.folder / "big.npy", "|i1", [600, 600], bytes([number]) * 360000)
            self.done("run", "slow.tally", "--input", "big.npy", "--output", "out", "--key", "node.key", "--store", "store",
                      "--receipt", f"receipts/{number:03}.receipt")

    def audit(self, *options, label=None):
        run = self.call("audit", "receipts", "--store", "store", "--key", "node.key.pub", "--json", *options)
        said = json.loads(run.stdout)
        self.assertEqual((run.returncode, said.get("error", {}).get("label")), (1 if label else 0, label), run)
        return said

    def lines(self, *options, label=None):
        self.audit("--lines", "lines.jsonl", *options, label=label)
        lines = [json.loads(line) for line in (self.folder / "lines.jsonl").read_text().splitlines()]
        return {os.path.basename(line["file"]): (line["receipt"]["verdict"], line["run"]["verdict"],
                                                 line["run"]["reason"] or line["receipt"]["reason"]) for line in lines}
