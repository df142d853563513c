#!/usr/bin/env python3
"""Laws of the simulation: cases whose times are known."""

import unittest

from simulation import TASK_SECONDS, feed_of, simulate, speeds

ROW = {"receipts": 1000, "shards_write": 0.05, "shards_merge": 0.05, "shards_jobs": 1.0}


class SimulationTest(unittest.TestCase):
    def test_one_worker_does_one_task_after_the_other(self):
        self.assertAlmostEqual(simulate(1000, 1, 0.0, 0.01), 10.0 + TASK_SECONDS)

    def test_workers_share_the_tasks(self):
        self.assertAlmostEqual(simulate(1000, 10, 0.0, 0.01), 1.0 + 10 * TASK_SECONDS)

    def test_no_number_of_workers_is_faster_than_the_command(self):
        self.assertGreaterEqual(simulate(10000, 1000, 0.001, 0.01), 10.0)

    def test_more_workers_are_never_slower(self):
        rates = [rate for _, rate in speeds(ROW, feed_of([ROW]))]
        self.assertEqual(rates, sorted(rates))
        self.assertLess(rates[-1], 1000 / 0.1)


if __name__ == "__main__":
    unittest.main()
