"""The receipts of a network are true, and the traces that they name.

They are of the module that quantization makes here, on every engine and level of this machine.

    receipts_test.py TALLY NETWORK

Fails where results, gas, module ids or the quantizer changed; if that is meant, `./dev receipts` signs new ones.
"""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from receipts import NETWORKS, ROWS, claim_of, file_of, npy_row, quantize, read_claims, verify  # noqa: E402
from ways_to_run import ways_to_run  # noqa: E402

NETWORK = NETWORKS[sys.argv.pop(2)]
TALLY = os.path.abspath(sys.argv.pop(1))


class Receipts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.module = os.path.join(cls.folder.name, "module.tally")
        cls.module_id = quantize(TALLY, NETWORK, cls.module)
        cls.claims = read_claims()[NETWORK.name]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_quantizer_makes_the_module_that_was_signed(self):
        self.assertEqual([str(row) for row in ROWS], list(self.claims))
        for claim in self.claims.values():
            self.assertEqual(claim["module_id"], self.module_id)
        with open(self.module, "rb") as made:
            self.assertEqual(made.read(), file_of(NETWORK, "module.tally").read_bytes())

    def test_every_engine_and_level_reproduces_every_receipt(self):
        for name, options in ways_to_run(TALLY, "receipts"):
            for row in ROWS:
                verdict = verify(TALLY, NETWORK, self.module, row, *options)
                self.assertEqual((verdict["receipt"]["verdict"], verdict["run"]["verdict"]), ("VERIFIED", "REPRODUCED"), (name, row))
                self.assertEqual(claim_of(verdict), self.claims[str(row)], (name, row))
            print(f"ran: receipts: {name}: on this machine")

    def test_the_inputs_are_rows_of_the_held_out_samples(self):
        for row in ROWS:
            self.assertEqual(file_of(NETWORK, f"{row}.npy").read_bytes(), npy_row(NETWORK.path(NETWORK.samples), row))

    def test_the_samples_differ(self):
        """A receipt that any input would fulfil proves nothing."""
        self.assertEqual(len({claim["inputs"] for claim in self.claims.values()}), len(ROWS))
        self.assertEqual(len({claim["results"] for claim in self.claims.values()}), len(ROWS))


if __name__ == "__main__":
    unittest.main()
