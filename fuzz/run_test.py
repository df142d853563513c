#!/usr/bin/env python3
"""What ./dev fuzz all and ./dev fuzz modules make of what their programs say."""
import contextlib
import io
import os
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_all  # noqa: E402
import run_modules  # noqa: E402

LINES = [
    "#2\tINITED cov: 100 ft: 200 corp: 1/1b exec/s: 0 rss: 30Mb",
    "#64\tNEW    cov: 130 ft: 300 corp: 2/3b lim: 4 exec/s: 32 rss: 30Mb L: 2/2 MS: 1 ChangeByte-",
    "Done 64 runs in 2 second(s)",
]

# Breaks the law at 7 and ends at 12.
MODULES = """#!/usr/bin/env python3
import pathlib, sys
if sys.argv[1] == "text":
    pathlib.Path(f"module_{sys.argv[2]}.tallytxt").touch()
    sys.exit()
count, first = map(int, sys.argv[1:])
for n in range(first, first + count):
    with open("tried", "a") as tried:
        tried.write(f"{n}\\n")
    if n == 7:
        print("module 7: engines differ", flush=True)
    if n == 12:
        sys.exit("\\nmodule 12")
sys.exit(1 if first <= 7 < first + count else 0)
"""


class All(unittest.TestCase):
    def test_reads_what_libfuzzer_says(self):
        outcome = run_all.Outcome("decode")
        for line in LINES:
            outcome.read(line)
        self.assertEqual(outcome.row(), ("decode", "64", "32", "30", "0"))

    def test_counts_rows_of_gas_beyond_the_bound(self):
        outcome = run_all.Outcome("gas")
        outcome.read("326 rows, 8 beyond 8 medians")
        self.assertEqual(outcome.row(), ("gas", "", "", "", "8"))
        self.assertIn("findings", run_all.table_of([outcome]))


class Modules(unittest.TestCase):
    def run_all_of(self, count, first):
        with tempfile.TemporaryDirectory() as folder:
            binary = os.path.join(folder, "binary")
            with open(binary, "w") as file:
                file.write(MODULES)
            os.chmod(binary, stat.S_IRWXU)
            os.environ["TALLY_FUZZ_DIR"] = folder
            with contextlib.redirect_stdout(io.StringIO()) as said:
                status = run_modules.main(binary, count, first)
            found = os.path.join(folder, "modules")
            with open(os.path.join(found, "tried")) as tried:
                return status, [int(n) for n in tried], os.listdir(found), said.getvalue()

    def test_goes_on_behind_what_ends_a_process(self):
        status, tried, files, said = self.run_all_of(20, 0)
        self.assertEqual((status, tried), (1, list(range(20))))
        self.assertIn("module_12.tallytxt", files)
        self.assertIn("2 found", said)

    def test_ends_well_where_nothing_is_found(self):
        status, tried, _, said = self.run_all_of(run_modules.TURN + 3, 13)
        self.assertEqual((status, sorted(tried)), (0, list(range(13, 13 + run_modules.TURN + 3))))
        self.assertIn("0 found", said)

    def test_goes_on_from_the_first_turn_that_is_not_done(self):
        turns = run_modules.turns(25, 100, 10)
        self.assertEqual(turns, [(100, 10), (110, 10), (120, 5)])
        self.assertEqual(run_modules.undone(turns, {100, 120}), 110)
        self.assertIsNone(run_modules.undone(turns, {100, 110, 120}))


if __name__ == "__main__":
    unittest.main()
