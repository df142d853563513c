"""A trained network loses no more than it may, from its committed file and samples: trained_model_test.py TALLY NETWORK."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from trained_models import NETWORKS, measure  # noqa: E402

NETWORK = NETWORKS[sys.argv.pop(2)]
TALLY = os.path.abspath(sys.argv.pop(1))


class TrainedModel(unittest.TestCase):
    def test_keeps_its_accuracy_with_defaults(self):
        with tempfile.TemporaryDirectory() as folder:
            module = os.path.join(folder, "module.tally")
            cost = measure(TALLY, NETWORK, module)
            self.assertTrue(NETWORK.is_trained(cost), cost)
            self.assertTrue(NETWORK.keeps(cost), cost)


if __name__ == "__main__":
    unittest.main()
